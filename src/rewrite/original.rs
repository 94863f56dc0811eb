//! The original bytes of a page that is being rewritten: kept as they arrive, up to a limit, so that they can be sent
//! whenever rewriting fails.
//!
//! Frames are collected into chunks, because each chunk costs a hundred bytes and wakes the worker: 8 MiB in frames of
//! one byte would take a gigabyte.

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Frame;
use tokio::time::Instant;

use super::memory_budget::Reservation;
use crate::http::{
    body::{Body, BodyError},
    outcome::PassReason,
};

/// Smallest chunk. Raising it lets a worker begin later; lowering it costs memory where frames are small.
const CHUNK_BYTES: usize = 4096;

#[derive(Debug)]
pub(super) struct Original {
    pub(super) chunks: Vec<Bytes>,
    /// Bytes after the last chunk.
    unfinished: BytesMut,
    trailers: Option<HeaderMap>,
    pub(super) bytes: usize,
    /// When the last byte came.
    pub(super) ended: Option<Instant>,
    max_bytes: usize,
    reservation: Reservation,
    /// The rest of the body, once the stream has ended or failed.
    rest: Option<Body>,
}

impl Original {
    pub(super) fn new(max_bytes: usize, reservation: Reservation) -> Self {
        let (chunks, unfinished) = (Vec::new(), BytesMut::new());
        Self { chunks, unfinished, trailers: None, bytes: 0, ended: None, max_bytes, reservation, rest: None }
    }

    /// Keeps a frame; returns a chunk for the worker once there is one. A frame beyond the limit is kept as well: it has
    /// been taken from the stream already.
    pub(super) fn push(&mut self, frame: Result<Frame<Bytes>, BodyError>) -> Result<Option<Bytes>, PassReason> {
        let frame = frame.map_err(|error| {
            self.rest = Some(Body::broken(error));
            PassReason::BROKEN_OFF
        })?;
        match frame.into_data() {
            Ok(data) => {
                self.bytes += data.len();
                self.unfinished.extend_from_slice(&data);
            }
            Err(other) => self.trailers = other.into_trailers().ok(),
        }
        if self.bytes > self.max_bytes {
            return Err(PassReason::TOO_LARGE);
        }
        self.reservation.keep(self.bytes)?;
        Ok(if self.unfinished.len() < CHUNK_BYTES { None } else { self.chunk() })
    }

    /// The body has ended as it should; returns the last chunk.
    pub(super) fn end(&mut self) -> Option<Bytes> {
        self.rest = Some(Body::default());
        self.ended = Some(Instant::now());
        self.chunk()
    }

    fn chunk(&mut self) -> Option<Bytes> {
        let chunk = self.unfinished.split().freeze();
        if chunk.is_empty() {
            return None;
        }
        self.chunks.push(chunk.clone());
        Some(chunk)
    }

    /// The original: what was kept, and then the rest of the stream.
    pub(super) fn into_body(mut self, stream: Body) -> Body {
        self.chunk();
        self.reservation.release_to(self.bytes);
        let data = self.chunks.into_iter().map(|chunk| Frame::data(self.reservation.attach(chunk)));
        let frames = data.chain(self.trailers.map(Frame::trailers)).collect();
        Body::prefixed(frames, self.rest.unwrap_or(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::{memory_budget::MemoryBudget, shares::Owner};

    fn data(text: &'static str) -> Frame<Bytes> {
        Frame::data(Bytes::from_static(text.as_bytes()))
    }

    async fn original(max_bytes: usize) -> Original {
        let budget = MemoryBudget::new(1 << 20, max_bytes);
        Original::new(
            max_bytes,
            budget.reserve(&Owner::new([127, 0, 0, 1].into(), "a.example"), Some(0), false).await.unwrap(),
        )
    }

    #[tokio::test]
    async fn trailers_and_the_frame_beyond_the_limit_are_kept() {
        let mut original = original(4).await;
        assert_eq!(original.push(Ok(data("abc"))), Ok(None));
        assert_eq!(original.push(Ok(Frame::trailers(HeaderMap::new()))), Ok(None));
        assert_eq!(original.push(Ok(data("de"))), Err(PassReason::TOO_LARGE));
        assert_eq!(original.end(), Some("abcde".into()));
        assert_eq!(original.trailers, Some(HeaderMap::new()));
    }

    #[tokio::test]
    async fn small_frames_are_collected_into_chunks() {
        let mut original = original(100_000).await;
        for _ in 0..10_000 {
            original.push(Ok(data("y"))).unwrap();
        }
        original.end();
        let sizes: Vec<_> = original.chunks.iter().map(Bytes::len).collect();
        assert_eq!(sizes, [4096, 4096, 10_000 - 8192]);
    }
}
