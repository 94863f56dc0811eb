//! Decides which requests may be sent a second time: those that the server did not process, and idempotent ones (RFC
//! 9110 § 9.2.2, RFC 9112 § 9.3.1, RFC 9113 § 8.7).

use std::error::Error as _;

use h2::Reason;
use http::{Request, request::Parts};
use http_body::Body as _;

use crate::http::body::{Body, ReplayHandle};

/// A request as it can be sent once more.
pub(super) struct ReplayableRequest {
    head: Parts,
    body: Option<ReplayHandle>,
}

impl ReplayableRequest {
    /// Keeps what is needed to send this request again.
    pub(super) fn from_request(request: &mut Request<Body>) -> Self {
        let (head, mut body) = std::mem::take(request).into_parts();
        let mut kept = Self { head: head.clone(), body: None };
        if !body.is_end_stream() {
            let (replayable, handle) = body.replayable();
            (body, kept.body) = (replayable, Some(handle));
        }
        *request = Request::from_parts(head, body);
        kept
    }

    /// The request once more. `None` where more of its body was read than is kept.
    pub(super) fn request(self) -> Option<Box<Request<Body>>> {
        let body = self.body.as_ref().map_or_else(|| Some(Body::default()), ReplayHandle::take_back)?;
        Some(Box::new(Request::from_parts(self.head, body)))
    }
}

/// Whether the server says that it has not begun with the request, so that it may be sent again whatever it is
/// (RFC 9113 § 8.7): its stream is above the last one that a `GOAWAY` names, which alone gives a stream this error
/// (§ 6.8), or it was refused.
pub(super) fn is_unprocessed(error: &hyper::Error) -> bool {
    let is_gone = |error: &h2::Error| error.is_remote() && error.is_go_away();
    cause(error).is_some_and(is_gone) || is_reset_with(error, Reason::REFUSED_STREAM) || requires_http1(error)
}

/// Whether the server takes such requests over HTTP/1.1 only (RFC 9113 § 7). Chromium sends them again that way
/// whatever they are (`net/http/http_network_transaction.cc`, `ERR_HTTP_1_1_REQUIRED`).
pub(super) fn requires_http1(error: &hyper::Error) -> bool {
    is_reset_with(error, Reason::HTTP_1_1_REQUIRED)
}

fn is_reset_with(error: &hyper::Error, reason: Reason) -> bool {
    cause(error).is_some_and(|error| error.is_remote() && error.is_reset() && error.reason() == Some(reason))
}

fn cause(error: &hyper::Error) -> Option<&h2::Error> {
    error.source()?.downcast_ref()
}
