//! The one body type of every message: any `http_body::Body` in a box, with a byte count, an idle timeout, and the
//! request's log entry, which is written after the last byte.

mod incoming;
mod lease;
mod received;
mod replay;
mod timing;
mod upload;

use std::{
    any::Any,
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use tokio::time::timeout;

pub(crate) use self::{
    incoming::IncomingBody,
    lease::{Lease, Place},
    received::{EncapsulatedBody, EncapsulatedSender, ReceivedBody},
    replay::ReplayHandle,
    timing::{ContinueGate, EndMarker, IdleTimer},
    upload::Upload,
};
use super::log::{BrokenBy, RequestLog};

/// Bytes that passed so far; shared between a body and its readers.
pub(crate) type ByteCount = Arc<AtomicU64>;

/// A message body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// `None` where it is empty.
    source: Option<UnsyncBoxBody<Bytes, BodyError>>,
    pub(crate) count: Option<ByteCount>,
    log: Option<Box<RequestLog>>,
    failed: Option<BodyError>,
    /// Delays an error until the data before it was sent: at an error hyper resets an HTTP/2 stream, and h2 drops what is queued
    /// for it, the head too. The error waits as long as the end of a complete response would: until the client has read
    /// what is queued, or resets the stream, or the connection ends.
    pub(crate) end_marker: Option<EndMarker>,
    end_state: Option<Arc<EndState>>,
    /// Fails when no frame comes for so long while one is polled for.
    pub(crate) idle_timer: Option<IdleTimer>,
    /// Is not polled before it opens.
    pub(crate) gate: Option<ContinueGate>,
    /// Dropped with the body.
    pub(crate) guard: Option<Box<dyn Any + Send>>,
}

/// Why a body did not end as it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("the body was cut off")]
    Cut,
    #[error("the body stalled")]
    Stalled,
}

/// Whether and how a body has ended; shared with its sender.
#[derive(Debug, Default)]
pub(crate) struct EndState {
    /// Whether its last byte was taken.
    pub(crate) ended: AtomicBool,
    /// Why it did not end as it should.
    pub(crate) fault: OnceLock<Fault>,
}

/// Why a body did not arrive to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its sender disconnected.
    CutOff,
    Stalled,
    Malformed,
}

impl BodyError {
    fn fault(&self) -> Fault {
        let error = match self {
            Self::Http(error) => error,
            Self::Cut => return Fault::CutOff,
            Self::Stalled => return Fault::Stalled,
        };
        let cause = std::error::Error::source(error).and_then(|error| error.downcast_ref());
        match cause.map(std::io::Error::kind) {
            Some(std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput) => Fault::Malformed,
            _ => Fault::CutOff,
        }
    }
}

/// Frames that were already read from a body, and the rest of it.
#[derive(Debug)]
struct Prefixed {
    frames: VecDeque<Frame<Bytes>>,
    rest: Body,
}

impl Body {
    pub(crate) fn new(source: impl HttpBody<Data = Bytes, Error = BodyError> + Send + 'static) -> Self {
        Self { source: Some(source.boxed_unsync()), ..Self::default() }
    }

    /// These frames, and then this body.
    pub(crate) fn prefixed(frames: VecDeque<Frame<Bytes>>, rest: Self) -> Self {
        Self::new(Prefixed { frames, rest })
    }

    /// A body that broke off. It must break off again at the client: a short page must look short.
    pub(crate) fn broken(error: BodyError) -> Self {
        Self { failed: Some(error), ..Self::default() }
    }

    /// Waits for its first frame, for so long at most.
    pub(crate) async fn with_first_frame(mut self, limit: Duration) -> Self {
        match timeout(limit, self.frame()).await {
            Ok(Some(Ok(frame))) => Self::prefixed([frame].into(), self),
            Ok(Some(Err(error))) => Self::broken(error),
            Ok(None) | Err(_) => self,
        }
    }

    /// The state in which its end will be recorded.
    pub(crate) fn watch_end(&mut self) -> Arc<EndState> {
        Arc::clone(self.end_state.get_or_insert_default())
    }

    /// Counts into this log entry, and keeps it until the body has ended or is dropped.
    pub(crate) fn logged(mut self, mut log: RequestLog) -> Self {
        if !self.is_done() {
            log.expect_end();
        }
        self.count = Some(Arc::clone(&log.sent));
        self.log = Some(Box::new(log));
        self
    }

    /// Whether nothing is left to send: hyper does not poll for the end of a body whose declared length it has sent.
    fn is_done(&self) -> bool {
        self.is_end_stream() || self.size_hint().exact() == Some(0)
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if self.failed.is_some() {
            return self.poll_failed(cx);
        }
        if let Some(gate) = &mut self.gate {
            std::task::ready!(gate.poll_open(cx));
            self.gate = None;
        }
        let polled = match &mut self.source {
            Some(source) => Pin::new(source).poll_frame(cx),
            None => Poll::Ready(None),
        };
        let late = match &mut self.idle_timer {
            Some(timer) => timer.poll_expired(polled.is_pending(), cx),
            None => false,
        };
        let frame = match polled {
            Poll::Pending if late => return self.fail(BodyError::Stalled, cx),
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Ok(frame))) => frame,
            Poll::Ready(Some(Err(error))) => return self.fail(error, cx),
            Poll::Ready(None) => {
                self.end();
                return Poll::Ready(None);
            }
        };
        if let (Some(count), Some(data)) = (&self.count, frame.data_ref()) {
            count.fetch_add(data.len() as u64, Relaxed);
        }
        if self.is_done() {
            self.end();
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn poll_failed(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(marker) = &mut self.end_marker
            && let Some(frame) = std::task::ready!(marker.poll(cx))
        {
            return Poll::Ready(Some(Ok(frame)));
        }
        Poll::Ready(self.failed.take().map(Err))
    }

    /// Records the end.
    fn end(&mut self) {
        if let Some(log) = &mut self.log {
            log.ended();
        }
        if let Some(state) = &self.end_state {
            state.ended.store(true, Relaxed);
        }
    }

    /// Returns the error at the next poll. At an error hyper closes an HTTP/1.1 connection without flushing; at `Pending`
    /// it flushes first, so the client gets every byte that arrived.
    fn fail<T>(&mut self, error: BodyError, cx: &Context<'_>) -> Poll<T> {
        if let Some(state) = &self.end_state {
            // The first fault is the cause.
            let _ = state.fault.set(error.fault());
        }
        self.failed = Some(error);
        if let Some(log) = &mut self.log {
            log.broken_by(BrokenBy::Origin);
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        if bytes.is_empty() {
            return Self::default();
        }
        Self::new(Full::new(bytes).map_err(|never| match never {}))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.poll(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.failed.is_none() && self.source.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.failed, &self.source) {
            // Unknown: the declared Content-Length will not be reached.
            (Some(_), _) => SizeHint::new(),
            (None, Some(source)) => source.size_hint(),
            (None, None) => SizeHint::with_exact(0),
        }
    }
}

impl HttpBody for Prefixed {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self.frames.pop_front() {
            Some(frame) => Poll::Ready(Some(Ok(frame))),
            None => self.rest.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let read: u64 = self.frames.iter().filter_map(Frame::data_ref).map(|data| data.len() as u64).sum();
        let mut hint = self.rest.size_hint();
        if let Some(upper) = hint.upper() {
            hint.set_upper(read.saturating_add(upper));
        }
        hint.set_lower(read.saturating_add(hint.lower()));
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_that_were_read_come_first_and_are_counted() {
        let frames = ["ab", "c"].map(|text| Frame::data(Bytes::from_static(text.as_bytes())));
        let count = ByteCount::default();
        let prefixed = Body::prefixed(frames.into(), "de".to_owned().into());
        let body = Body { count: Some(Arc::clone(&count)), ..prefixed };
        assert_eq!(body.size_hint().exact(), Some(5));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "abcde");
        assert_eq!(count.load(Relaxed), 5);
    }
}
