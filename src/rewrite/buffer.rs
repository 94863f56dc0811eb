//! The original of a page in work: kept as it arrives, bounded, so that it can be sent at any moment.
//!
//! Frames are gathered into pieces, because each costs a hundred bytes to keep and wakes the worker: 8 MiB in frames of one byte
//! would take a gigabyte.

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::Frame;

use super::eligibility::PassReason;
use crate::body::{Body, BodyError, IncomingBody, Rest};

/// Smallest piece. Raising it lets a worker begin later; lowering it costs memory where frames are small.
const PIECE_BYTES: usize = 4096;

/// What has arrived of a page.
#[derive(Debug)]
pub(super) struct Kept {
    pieces: Vec<Bytes>,
    /// What came after the last piece.
    gathered: BytesMut,
    trailers: Option<HeaderMap>,
    bytes: usize,
    max_bytes: usize,
    end: Option<Rest>,
}

impl Kept {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { pieces: Vec::new(), gathered: BytesMut::new(), trailers: None, bytes: 0, max_bytes, end: None }
    }

    /// Keeps what arrived; gives a piece for the worker once there is one. A frame over the bound is kept all the same: it was
    /// taken from the stream already.
    pub(super) fn take(&mut self, frame: Result<Frame<Bytes>, BodyError>) -> Result<Option<Bytes>, PassReason> {
        let frame = frame.map_err(|error| {
            self.end = Some(Rest::Broken(error));
            PassReason::BrokenOff
        })?;
        match frame.into_data() {
            Ok(data) => {
                self.bytes += data.len();
                self.gathered.extend_from_slice(&data);
            }
            Err(other) => self.trailers = other.into_trailers().ok(),
        }
        if self.bytes > self.max_bytes {
            return Err(PassReason::TooLarge);
        }
        let is_enough = self.gathered.len() >= PIECE_BYTES;
        Ok(is_enough.then(|| self.piece()).flatten())
    }

    /// The body has ended as it should; gives the last piece.
    pub(super) fn ended(&mut self) -> Option<Bytes> {
        self.end = Some(Rest::Nothing);
        self.piece()
    }

    fn piece(&mut self) -> Option<Bytes> {
        let piece = self.gathered.split().freeze();
        if piece.is_empty() {
            return None;
        }
        self.pieces.push(piece.clone());
        Some(piece)
    }

    /// The original: what was kept, and then what still comes.
    pub(super) fn into_body(mut self, stream: IncomingBody) -> Body {
        self.piece();
        let data = self.pieces.into_iter().map(Frame::data);
        let frames = data.chain(self.trailers.map(Frame::trailers)).collect();
        Body::prefixed(frames, self.end.unwrap_or(Rest::Stream(stream)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &'static str) -> Frame<Bytes> {
        Frame::data(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn the_frame_over_the_bound_is_kept_too() {
        let mut kept = Kept::new(4);
        assert_eq!(kept.take(Ok(data("abc"))), Ok(None));
        assert_eq!(kept.take(Ok(data("de"))), Err(PassReason::TooLarge));
        assert_eq!(kept.piece(), Some("abcde".into()));
    }

    #[test]
    fn trailers_are_kept_and_not_given_to_the_worker() {
        let mut kept = Kept::new(4);
        assert_eq!(kept.take(Ok(data("abc"))), Ok(None));
        let trailers = Frame::trailers(HeaderMap::new());
        assert_eq!(kept.take(Ok(trailers)), Ok(None));
        assert_eq!(kept.ended(), Some("abc".into()));
        assert_eq!(kept.trailers, Some(HeaderMap::new()));
    }

    #[test]
    fn frames_are_gathered_into_pieces() {
        let mut kept = Kept::new(100_000);
        let mut given = 0;
        for _ in 0..10_000 {
            given += kept.take(Ok(data("y"))).unwrap().map_or(0, |data| data.len());
        }
        given += kept.ended().unwrap().len();
        assert_eq!(given, 10_000);
        let sizes: Vec<_> = kept.pieces.iter().map(Bytes::len).collect();
        assert_eq!(sizes, [4096, 4096, 10_000 - 8192]);
    }
}
