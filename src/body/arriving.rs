//! A body as it comes from a connection, with what the HTTP library leaves to us: an end that is none, and
//! trailers that belong to one hop.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::Version;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;

use super::BodyError;
use crate::{headers, upstream::Answered};

/// A request's or a response's body on its way in.
#[derive(Debug)]
pub(crate) struct Arriving {
    source: Source,
    /// Whether its end must be said by the sender: that of an HTTP/2 stream that carries nothing else.
    must_end: bool,
    /// What is missing of its declared length.
    missing: Option<u64>,
}

/// Where it comes from.
#[derive(Debug)]
enum Source {
    Client(Incoming),
    Origin(Answered),
}

impl Arriving {
    /// The body of a client's request.
    pub(crate) fn of_request(incoming: Incoming, version: Version) -> Self {
        Self::new(Source::Client(incoming), version == Version::HTTP_2)
    }

    /// The body of a server's response. A server that has answered may reset a stream on which the request
    /// is still being sent (RFC 9113 § 8.1: `NO_ERROR` asks the client to stop); whether it had ended its
    /// answer cannot be seen then, except by its length.
    pub(crate) fn of_response(answered: Answered, version: Version, request_ended: bool) -> Self {
        let must_end = version == Version::HTTP_2 && request_ended;
        Self::new(Source::Origin(answered), must_end)
    }

    fn new(source: Source, must_end: bool) -> Self {
        Self {
            missing: source.size_hint().exact(),
            source,
            must_end,
        }
    }

    /// The library takes a stream that is reset with `NO_ERROR` for one that has ended (RFC 9113 § 8.1 has
    /// that only after a complete response).
    fn is_cut(&self) -> bool {
        let short = self.missing.is_some_and(|missing| missing > 0);
        !self.source.is_end_stream() && (self.must_end || short)
    }
}

impl HttpBody for Source {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut *self {
            Self::Client(incoming) => Pin::new(incoming).poll_frame(cx),
            Self::Origin(answered) => Pin::new(answered).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Client(incoming) => incoming.is_end_stream(),
            Self::Origin(answered) => answered.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Client(incoming) => incoming.size_hint(),
            Self::Origin(answered) => answered.size_hint(),
        }
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = match ready!(Pin::new(&mut self.source).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            None => return Poll::Ready(self.is_cut().then_some(Err(BodyError::Cut))),
        };
        if let (Some(data), Some(missing)) = (frame.data_ref(), &mut self.missing) {
            *missing = missing.saturating_sub(data.len() as u64);
        }
        let frame = match frame.into_trailers() {
            Ok(trailers) => Frame::trailers(headers::forward_trailers(trailers)),
            Err(data) => data,
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.source.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.source.size_hint()
    }
}
