//! Requests that are sent a second time, because the server did not take them up, or because doing so twice changes nothing.

use std::error::Error as _;

use h2::Reason;
use http::Request;
use http_body::Body as _;

use crate::body::{Body, Loan};

/// A request as it can be sent once more.
pub(super) struct Again {
    head: Request<()>,
    loan: Option<Loan>,
}

impl Again {
    /// Keeps what is needed to send this request again.
    pub(super) fn of(request: Box<Request<Body>>) -> (Box<Request<Body>>, Self) {
        let mut head = Request::new(());
        head.method_mut().clone_from(request.method());
        head.uri_mut().clone_from(request.uri());
        head.headers_mut().clone_from(request.headers());
        if request.body().is_end_stream() {
            return (request, Self { head, loan: None });
        }
        let (parts, body) = request.into_parts();
        let (body, loan) = body.lend();
        let loan = Some(loan);
        (
            Box::new(Request::from_parts(parts, body)),
            Self { head, loan },
        )
    }

    /// The request once more. None where more of its body was taken than is kept.
    pub(super) fn request(self) -> Option<Box<Request<Body>>> {
        let body = match &self.loan {
            Some(loan) => loan.take_back()?,
            None => Body::default(),
        };
        Some(Box::new(self.head.map(|()| body)))
    }
}

/// Whether the server says that it has not begun with the request, so that it may be sent again whatever it is (RFC 9113
/// § 8.7): its stream is above the last one that a `GOAWAY` names, which alone gives a stream this error (§ 6.8), or it was
/// refused.
pub(super) fn is_unprocessed(error: &hyper::Error) -> bool {
    let is_gone = |error: &h2::Error| error.is_remote() && error.is_go_away();
    cause(error).is_some_and(is_gone)
        || is_reset_with(error, Reason::REFUSED_STREAM)
        || is_for_http1(error)
}

/// Whether the server takes such requests over HTTP/1.1 only (RFC 9113 § 7). Chromium sends them again that way whatever they
/// are (`net/http/http_network_transaction.cc`, `ERR_HTTP_1_1_REQUIRED`).
pub(super) fn is_for_http1(error: &hyper::Error) -> bool {
    is_reset_with(error, Reason::HTTP_1_1_REQUIRED)
}

fn is_reset_with(error: &hyper::Error, reason: Reason) -> bool {
    cause(error).is_some_and(|error| {
        error.is_remote() && error.is_reset() && error.reason() == Some(reason)
    })
}

fn cause(error: &hyper::Error) -> Option<&h2::Error> {
    error.source()?.downcast_ref()
}
