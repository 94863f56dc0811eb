//! A body on its way in. Added here: streams that were cut off count as errors, trailers of one hop are removed, and
//! uploads that were answered early are drained.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, Version};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::{BodyError, Lease, ReceivedBody, Upload};
use crate::http::headers;

/// How long an upload over HTTP/2 is read on after it was answered early. Dropped before the response is
/// sent, the stream would be reset with `CANCEL` and the response lost (RFC 9113 § 8.1).
const DRAIN: Duration = Duration::from_secs(10);

/// How long the answer waits for the rest of such an upload; what is longer is drained beside it.
const UPLOAD_FIRST: Duration = Duration::from_secs(1);

/// A request's or a response's body on its way in.
#[derive(Debug)]
pub(crate) struct IncomingBody {
    /// Taken only when this is dropped.
    incoming: Option<ReceivedBody>,
    /// The sender must mark the end: of an HTTP/2 stream that carries nothing else.
    must_end: bool,
    /// Bytes that are missing of the declared length.
    missing: Option<u64>,
    drains: bool,
    /// Its last frame was taken.
    has_ended: bool,
    /// The request that this answers, where it is still being sent: it is given up with a response that nobody reads to its end.
    upload: Option<Upload>,
    /// Until the end: its place on the connection.
    lease: Option<Lease>,
}

impl IncomingBody {
    /// The body of a client's request.
    pub(crate) fn from_request(incoming: ReceivedBody, version: Version) -> Self {
        let is_http2 = version == Version::HTTP_2;
        Self::new(incoming, is_http2, is_http2, None)
    }

    /// Reads a request that is answered here to its end: over HTTP/2 some clients take an answer to half of an upload for an error.
    pub(crate) async fn read_to_end(request: Request<ReceivedBody>) {
        let (version, is_tunnel) = (request.version(), request.method() == Method::CONNECT);
        let mut body = Self::from_request(request.into_body(), version);
        if body.drains && !is_tunnel && !body.is_end_stream() {
            let _ = timeout(UPLOAD_FIRST, async { while let Some(Ok(_)) = body.frame().await {} }).await;
        }
    }

    /// The body of a server's response. A server that has answered may reset a stream on which the request is still
    /// being sent (RFC 9113 § 8.1, `NO_ERROR`); whether it had ended its response shows then only by the length.
    pub(crate) fn from_response(
        incoming: impl Into<ReceivedBody>,
        version: Version,
        upload: Option<Upload>,
        lease: Option<Lease>,
    ) -> Self {
        let must_end = version == Version::HTTP_2 && upload.is_none();
        let mut body = Self::new(incoming.into(), must_end, false, lease);
        body.upload = upload;
        body
    }

    fn new(incoming: ReceivedBody, must_end: bool, drains: bool, lease: Option<Lease>) -> Self {
        let lease = lease.filter(|_| !incoming.is_end_stream());
        let missing = incoming.size_hint().exact();
        let incoming = Some(incoming);
        Self { incoming, must_end, missing, drains, has_ended: false, upload: None, lease }
    }

    /// hyper treats a stream that was reset with `NO_ERROR` as one that has ended (RFC 9113 § 8.1 allows that only
    /// after a complete response).
    fn is_cut(&self) -> bool {
        let short = self.missing.is_some_and(|missing| missing > 0);
        !self.is_end_stream() && (self.must_end || short)
    }
}

impl HttpBody for IncomingBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        let frame = match ready!(Pin::new(incoming).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None => {
                self.has_ended = true;
                self.lease = None;
                return Poll::Ready(self.is_cut().then_some(Err(BodyError::Cut)));
            }
        };
        if let (Some(data), Some(missing)) = (frame.data_ref(), &mut self.missing) {
            *missing = missing.saturating_sub(data.len() as u64);
        }
        let frame = match frame.into_trailers() {
            Ok(trailers) => Frame::trailers(headers::forward_trailers(trailers)),
            Err(data) => data,
        };
        if self.is_end_stream() {
            self.lease = None;
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.incoming.as_ref().map(HttpBody::size_hint);
        hint.unwrap_or(SizeHint::with_exact(0))
    }
}

impl Drop for IncomingBody {
    fn drop(&mut self) {
        if let Some(upload) = self.upload.take()
            && (self.has_ended || self.is_end_stream())
        {
            upload.release();
        }
        if !self.drains || self.is_end_stream() {
            return;
        }
        if let (Some(mut incoming), Ok(runtime)) = (self.incoming.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(timeout(DRAIN, async move { while let Some(Ok(_)) = incoming.frame().await {} }));
        }
    }
}
