//! A request body that can be sent again from its start while little of it was read: a server that refuses an HTTP/2
//! stream (RFC 9113 § 8.7) has often read the first bytes.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;

use super::{Body, BodyError};

/// Most bytes kept: twice the window that an HTTP/2 server grants at first (RFC 9113 § 6.9.2: 65,535), because the
/// last piece may be larger than what is left of it. Raising it lets larger uploads be sent again, and costs so much
/// memory for each that waits for a response.
const MAX_KEPT: usize = 128 * 1024;

/// Takes a [`ReplayBody`] back.
#[derive(Debug)]
pub(crate) struct ReplayHandle(Arc<Mutex<Replay>>);

/// The body that is sent.
#[derive(Debug)]
struct ReplayBody(Arc<Mutex<Replay>>);

#[derive(Debug)]
struct Replay {
    /// `None` once it was taken back.
    body: Option<Body>,
    /// Frames read so far; `None` once they are more than is kept, or the handle is gone.
    read: Option<VecDeque<Frame<Bytes>>>,
    bytes: usize,
}

impl Body {
    /// A body to send, and the handle that takes it back.
    pub(crate) fn replayable(self) -> (Self, ReplayHandle) {
        let replay = Replay { body: Some(self), read: Some(VecDeque::new()), bytes: 0 };
        let replay = Arc::new(Mutex::new(replay));
        (Self::new(ReplayBody(Arc::clone(&replay))), ReplayHandle(replay))
    }
}

impl ReplayHandle {
    /// The body from its start. `None` where more of it was read than is kept, or it has failed.
    pub(crate) fn take_back(&self) -> Option<Body> {
        let mut replay = self.0.lock();
        let read = replay.read.take()?;
        let (body, _) = Body::prefixed(read, replay.body.take()?).replayable();
        Some(body)
    }
}

impl Drop for ReplayHandle {
    fn drop(&mut self) {
        self.0.lock().read = None;
    }
}

impl Replay {
    fn record(&mut self, frame: &Frame<Bytes>) {
        let Some(data) = frame.data_ref() else {
            // Trailers come last, when most of the body has been read.
            self.read = None;
            return;
        };
        self.bytes += data.len();
        if self.bytes > MAX_KEPT {
            self.read = None;
        } else if let Some(read) = &mut self.read {
            read.push_back(Frame::data(data.clone()));
        }
    }
}

impl HttpBody for ReplayBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let mut replay = self.0.lock();
        let Some(body) = &mut replay.body else {
            return Poll::Ready(Some(Err(BodyError::Cut)));
        };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => replay.record(frame),
            Some(Err(_)) => replay.read = None,
            None => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().body.as_ref().is_some_and(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().body.as_ref().map(Body::size_hint).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    fn body(pieces: &[&'static str]) -> Body {
        let frames = pieces.iter().map(|piece| Frame::data(Bytes::from_static(piece.as_bytes())));
        Body::prefixed(frames.collect(), Body::default())
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
}
