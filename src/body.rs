//! The one body type of every message: streamed, whole, or partly read and then streamed on.
//!
//! It counts what passes and keeps the request's log entry until its last byte.

mod incoming;
mod replay;
mod timing;

use std::{
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

use self::replay::ReplayBody;
pub(crate) use self::{
    incoming::IncomingBody,
    replay::ReplayHandle,
    timing::{ContinueGate, IdleTimer},
};
use crate::{
    log::{BrokenBy, RequestLog},
    server::InFlight,
};

/// Bytes that passed so far; shared between a body and whoever wants to know.
pub(crate) type ByteCount = Arc<AtomicU64>;

/// A message body.
#[derive(Debug, Default)]
pub(crate) struct Body {
    source: Source,
    count: Option<ByteCount>,
    log: Option<Box<RequestLog>>,
    failed: Option<BodyError>,
    outcome: Option<Arc<Outcome>>,
    idle_timer: Option<IdleTimer>,
    gate: Option<ContinueGate>,
    in_flight: Option<InFlight>,
}

/// Why a body did not end as it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("the other side gave the body up")]
    Cut,
    #[error("the body did not go on in time")]
    Stalled,
}

/// The same in few words, for whoever sent the body on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Stalled,
    Malformed,
    /// The other side left.
    Left,
}

/// How a body has ended; shared with the sender.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    ended: AtomicBool,
    failure: OnceLock<Failure>,
}

impl Outcome {
    /// Whether its last byte was taken.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed)
    }

    /// Why it did not end as it should.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.failure.get().copied()
    }
}

impl Failure {
    fn of(error: &BodyError) -> Self {
        let error = match error {
            BodyError::Http(error) => error,
            BodyError::Cut => return Self::Left,
            BodyError::Stalled => return Self::Stalled,
        };
        let cause = std::error::Error::source(error).and_then(|error| error.downcast_ref());
        match cause.map(std::io::Error::kind) {
            Some(std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput) => Self::Malformed,
            _ => Self::Left,
        }
    }
}

#[derive(Debug, Default)]
enum Source {
    #[default]
    Empty,
    Full(Bytes),
    Incoming(IncomingBody),
    Prefixed(Prefixed),
    Replay(ReplayBody),
}

/// Frames already taken from a body, and what follows them.
#[derive(Debug)]
struct Prefixed {
    frames: VecDeque<Frame<Bytes>>,
    rest: Rest,
}

/// What follows the frames that were read.
#[derive(Debug)]
pub(crate) enum Rest {
    /// The body ended.
    Nothing,
    /// The body goes on.
    Stream(IncomingBody),
    /// The body broke off, and must break off again: a short page must look short.
    Broken(BodyError),
}

impl Body {
    fn of(source: Source) -> Self {
        Self { source, ..Self::default() }
    }

    /// The original after some of it was read.
    pub(crate) fn prefixed(frames: VecDeque<Frame<Bytes>>, rest: Rest) -> Self {
        Self::of(Source::Prefixed(Prefixed { frames, rest }))
    }

    /// Counts into this counter from now on.
    pub(crate) fn counted(mut self, count: ByteCount) -> Self {
        self.count = Some(count);
        self
    }

    /// What it counts into.
    pub(crate) fn count(&self) -> Option<ByteCount> {
        self.count.clone()
    }

    /// Fails when nothing comes for this long while someone waits for it.
    pub(crate) fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timer = Some(IdleTimer::new(timeout));
        self
    }

    /// Is not asked for before this opens.
    pub(crate) fn behind(mut self, gate: ContinueGate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Keeps this until the body has ended or is given up.
    pub(crate) fn holding(mut self, in_flight: InFlight) -> Self {
        self.in_flight = Some(in_flight);
        self
    }

    /// Where its end will be noted.
    pub(crate) fn outcome(&mut self) -> Arc<Outcome> {
        Arc::clone(self.outcome.get_or_insert_default())
    }

    /// Keeps the log entry until the body has ended or is given up, which is told apart there.
    pub(crate) fn logged(mut self, mut log: RequestLog) -> Self {
        if !self.source.is_done() {
            log.expect_end();
        }
        self.log = Some(Box::new(log));
        self
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(error) = self.failed.take() {
            return Poll::Ready(Some(Err(error)));
        }
        if let Some(gate) = &mut self.gate {
            std::task::ready!(gate.poll_open(cx));
            self.gate = None;
        }
        let polled = self.source.poll_frame(cx);
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
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        if let Some(count) = &self.count {
            count.fetch_add(bytes, Relaxed);
        }
        if let Some(log) = &mut self.log {
            log.body_bytes += bytes;
        }
        if self.source.is_done() {
            self.end();
        }
        Poll::Ready(Some(Ok(frame)))
    }

    /// Notes that nothing is left to come.
    fn end(&mut self) {
        if let Some(log) = &mut self.log {
            log.ended();
        }
        if let Some(outcome) = &self.outcome {
            outcome.ended.store(true, Relaxed);
        }
    }

    /// Puts the error off for one turn. At an error the server closes at once, with what it has not
    /// written yet; at a pause it writes first. So the client gets every byte that arrived.
    fn fail<T>(&mut self, error: BodyError, cx: &Context<'_>) -> Poll<T> {
        if let Some(outcome) = &self.outcome {
            // The first failure is the cause.
            let _ = outcome.failure.set(Failure::of(&error));
        }
        self.failed = Some(error);
        if let Some(log) = &mut self.log {
            log.broken_by(BrokenBy::Origin);
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl From<IncomingBody> for Body {
    fn from(incoming: IncomingBody) -> Self {
        Self::of(Source::Incoming(incoming))
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        if bytes.is_empty() {
            return Self::default();
        }
        Self::of(Source::Full(bytes))
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
        self.failed.is_none() && self.source.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.source.size_hint()
    }
}

impl Source {
    /// Whether nothing is left that the client would miss: the library does not ask for the end of a body whose declared
    /// length it has sent.
    fn is_done(&self) -> bool {
        self.is_end_stream() || self.size_hint().exact() == Some(0)
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Full(_) => false,
            Self::Incoming(incoming) => incoming.is_end_stream(),
            Self::Prefixed(prefixed) => prefixed.is_end_stream(),
            Self::Replay(replay) => replay.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Incoming(incoming) => incoming.size_hint(),
            Self::Prefixed(prefixed) => prefixed.size_hint(),
            Self::Replay(replay) => replay.size_hint(),
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self {
            Self::Empty => Poll::Ready(None),
            Self::Full(bytes) => {
                let data = std::mem::take(bytes);
                *self = Self::Empty;
                Poll::Ready(Some(Ok(Frame::data(data))))
            }
            Self::Incoming(incoming) => Pin::new(incoming).poll_frame(cx),
            Self::Prefixed(prefixed) => prefixed.poll_frame(cx),
            Self::Replay(replay) => replay.poll_frame(cx),
        }
    }
}

impl Prefixed {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(frame) = self.frames.pop_front() {
            return Poll::Ready(Some(Ok(frame)));
        }
        match std::mem::replace(&mut self.rest, Rest::Nothing) {
            Rest::Nothing => Poll::Ready(None),
            Rest::Broken(error) => Poll::Ready(Some(Err(error))),
            Rest::Stream(mut incoming) => {
                let frame = Pin::new(&mut incoming).poll_frame(cx);
                self.rest = Rest::Stream(incoming);
                frame
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty()
            && match &self.rest {
                Rest::Nothing => true,
                Rest::Stream(incoming) => incoming.is_end_stream(),
                Rest::Broken(_) => false,
            }
    }

    fn size_hint(&self) -> SizeHint {
        let kept: u64 = self.frames.iter().filter_map(Frame::data_ref).map(|data| data.len() as u64).sum();
        match &self.rest {
            Rest::Nothing => SizeHint::with_exact(kept),
            Rest::Stream(incoming) => {
                let rest = incoming.size_hint();
                let mut hint = SizeHint::new();
                hint.set_lower(kept.saturating_add(rest.lower()));
                if let Some(upper) = rest.upper() {
                    hint.set_upper(kept.saturating_add(upper));
                }
                hint
            }
            // Its length is promised by a Content-Length it will not keep.
            Rest::Broken(_) => SizeHint::new(),
        }
    }
}

#[cfg(test)]
mod tests;
