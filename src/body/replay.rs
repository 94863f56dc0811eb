//! A request body that can be sent again from its start while little of it was read: a server that refuses an HTTP/2
//! stream (RFC 9113 § 8.7) has often read the first bytes.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};

use super::{Body, BodyError, Source};

/// Most bytes kept: twice the window that an HTTP/2 server grants at first (RFC 9113 § 6.9.2: 65,535), because the
/// last piece may be larger than what is left of it. Raising it lets larger uploads be sent again, and costs so much
/// memory for each that waits for a response.
const MAX_KEPT: usize = 128 * 1024;

/// Takes a [`ReplayBody`] back.
#[derive(Debug)]
pub(crate) struct ReplayHandle(Arc<Mutex<Replay>>);

/// The body that is sent.
#[derive(Debug)]
pub(super) struct ReplayBody(Arc<Mutex<Replay>>);

#[derive(Debug)]
struct Replay {
    /// What an earlier sender has read; comes first.
    replayed: VecDeque<Bytes>,
    /// `None` once it was taken back.
    body: Option<Body>,
    /// What was read so far; `None` once that is more than is kept, or the handle is gone.
    read: Option<VecDeque<Bytes>>,
    bytes: usize,
}

impl Body {
    /// A body to send, and the handle that takes it back.
    pub(crate) fn replayable(self) -> (Self, ReplayHandle) {
        Replay::start(self, VecDeque::new())
    }
}

impl ReplayHandle {
    /// The body from its start. `None` where more of it was read than is kept, or it has failed.
    pub(crate) fn take_back(&self) -> Option<Body> {
        let mut replay = lock(&self.0);
        let mut replayed = replay.read.take()?;
        replayed.append(&mut replay.replayed);
        let body = replay.body.take()?;
        drop(replay);
        let (body, _) = Replay::start(body, replayed);
        Some(body)
    }
}

impl Drop for ReplayHandle {
    fn drop(&mut self) {
        lock(&self.0).read = None;
    }
}

impl Replay {
    fn start(body: Body, replayed: VecDeque<Bytes>) -> (Body, ReplayHandle) {
        let replay = Arc::new(Mutex::new(Self { replayed, body: Some(body), read: Some(VecDeque::new()), bytes: 0 }));
        let body = Body::of(Source::Replay(ReplayBody(Arc::clone(&replay))));
        (body, ReplayHandle(replay))
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(data) = self.replayed.pop_front() {
            self.record(&data);
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        let Some(body) = &mut self.body else {
            return Poll::Ready(Some(Err(BodyError::Cut)));
        };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => match frame.data_ref() {
                Some(data) => self.record(data),
                None => self.read = None,
            },
            Some(Err(_)) => self.read = None,
            None => {}
        }
        Poll::Ready(frame)
    }

    fn record(&mut self, data: &Bytes) {
        self.bytes += data.len();
        if self.bytes > MAX_KEPT {
            self.read = None;
        } else if let Some(read) = &mut self.read {
            read.push_back(data.clone());
        }
    }

    fn is_end_stream(&self) -> bool {
        self.replayed.is_empty() && self.body.as_ref().is_some_and(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let kept: u64 = self.replayed.iter().map(|data| data.len() as u64).sum();
        let Some(rest) = self.body.as_ref().map(Body::size_hint) else {
            return SizeHint::new();
        };
        let mut hint = SizeHint::new();
        hint.set_lower(kept.saturating_add(rest.lower()));
        if let Some(upper) = rest.upper() {
            hint.set_upper(kept.saturating_add(upper));
        }
        hint
    }
}

impl ReplayBody {
    pub(super) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        lock(&self.0).poll_frame(cx)
    }

    pub(super) fn is_end_stream(&self) -> bool {
        lock(&self.0).is_end_stream()
    }

    pub(super) fn size_hint(&self) -> SizeHint {
        lock(&self.0).size_hint()
    }
}

fn lock(replay: &Mutex<Replay>) -> MutexGuard<'_, Replay> {
    // A panic in the middle leaves a body that ends early, which its length tells, or cannot be sent again.
    replay.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::body::Rest;

    fn body(pieces: &[&'static str]) -> Body {
        let frames = pieces.iter().map(|piece| Frame::data(Bytes::from_static(piece.as_bytes())));
        Body::prefixed(frames.collect(), Rest::Nothing)
    }

    #[tokio::test]
    async fn a_body_that_is_taken_back_starts_at_its_start() {
        let (mut sent, handle) = body(&["one", "two", "three"]).replayable();
        for _ in 0..2 {
            sent.frame().await.unwrap().unwrap();
        }
        let (mut again, second) = handle.take_back().unwrap().replayable();
        assert_eq!(again.size_hint().exact(), Some(11));
        assert!(sent.frame().await.unwrap().is_err(), "it was taken back");
        again.frame().await.unwrap().unwrap();
        let whole = second.take_back().unwrap().collect().await.unwrap();
        assert_eq!(whole.to_bytes(), "onetwothree");
    }

    #[tokio::test]
    async fn a_body_of_which_much_was_read_cannot_be_taken_back() {
        let long = Bytes::from(vec![b'x'; MAX_KEPT + 1]);
        let (sent, handle) = Body::from(long).replayable();
        assert_eq!(sent.collect().await.unwrap().to_bytes().len(), MAX_KEPT + 1);
        assert!(handle.take_back().is_none());
        let broken = Body::prefixed(VecDeque::new(), Rest::Broken(BodyError::Cut));
        let (mut sent, handle) = broken.replayable();
        assert!(sent.frame().await.unwrap().is_err());
        assert!(handle.take_back().is_none());
    }
}
