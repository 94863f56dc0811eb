//! The original of a page in work: kept frame by frame, bounded, so that it can be given back at any
//! moment.
//!
//! Keeping costs a reference count per frame, not a copy: the bytes are shared with the worker. Small frames are gathered
//! first, because each costs a hundred bytes to keep, holds fast to the larger buffer that it is a slice of, and wakes the worker: 8 MiB in frames of one byte would
//! take a gigabyte.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use http_body::Frame;

use super::eligibility::PassReason;
use crate::body::{Body, BodyError, IncomingBody, Rest};

/// Frames below this are gathered. Raising it costs copying; lowering it costs memory where frames are small.
const SMALL_BYTES: usize = 4096;

/// Frames that have arrived.
#[derive(Debug)]
pub(super) struct Kept {
    frames: VecDeque<Frame<Bytes>>,
    /// Small frames that came after those.
    gathered: BytesMut,
    bytes: usize,
    max_bytes: usize,
    end: End,
}

#[derive(Debug)]
enum End {
    NotYet,
    Clean,
    Broken(BodyError),
}

impl Kept {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            frames: VecDeque::new(),
            gathered: BytesMut::new(),
            bytes: 0,
            max_bytes,
            end: End::NotYet,
        }
    }

    /// Keeps what arrived and gives its data on, once it is enough to be worth it. A frame over the bound is kept all the
    /// same: it was taken from the stream already.
    pub(super) fn take(
        &mut self,
        frame: Result<Frame<Bytes>, BodyError>,
    ) -> Result<Option<Bytes>, PassReason> {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => {
                self.end = End::Broken(error);
                return Err(PassReason::BrokenOff);
            }
        };
        let Some(data) = frame.data_ref() else {
            let data = self.gathered();
            self.frames.push_back(frame);
            return Ok(data);
        };
        let data = data.clone();
        self.bytes += data.len();
        let data = if data.len() >= SMALL_BYTES && self.gathered.is_empty() {
            self.frames.push_back(frame);
            Some(data)
        } else {
            self.gathered.extend_from_slice(&data);
            (self.gathered.len() >= SMALL_BYTES)
                .then(|| self.gathered())
                .flatten()
        };
        if self.bytes > self.max_bytes {
            Err(PassReason::TooLarge)
        } else {
            Ok(data)
        }
    }

    /// The body has ended as it should; what was gathered last is given on.
    pub(super) fn ended(&mut self) -> Option<Bytes> {
        self.end = End::Clean;
        self.gathered()
    }

    fn gathered(&mut self) -> Option<Bytes> {
        if self.gathered.is_empty() {
            return None;
        }
        let data = self.gathered.split().freeze();
        self.frames.push_back(Frame::data(data.clone()));
        Some(data)
    }

    /// The original: what was kept, and then whatever still comes.
    pub(super) fn into_body(mut self, stream: IncomingBody) -> Body {
        self.gathered();
        let rest = match self.end {
            End::NotYet => Rest::Stream(stream),
            End::Clean => Rest::Nothing,
            End::Broken(error) => Rest::Broken(error),
        };
        Body::prefixed(self.frames, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &'static str) -> Frame<Bytes> {
        Frame::data(Bytes::from_static(text.as_bytes()))
    }

    fn sizes(kept: &Kept) -> Vec<usize> {
        let frames = kept.frames.iter();
        frames
            .map(|frame| frame.data_ref().map_or(0, Bytes::len))
            .collect()
    }

    #[test]
    fn the_frame_over_the_bound_is_kept_too() {
        let mut kept = Kept::new(4);
        assert_eq!(kept.take(Ok(data("abc"))), Ok(None));
        assert_eq!(kept.take(Ok(data("de"))), Err(PassReason::TooLarge));
        kept.gathered();
        assert_eq!(sizes(&kept), [5]);
    }

    #[test]
    fn trailers_are_kept_and_not_given_on() {
        let mut kept = Kept::new(4);
        assert_eq!(kept.take(Ok(data("abc"))), Ok(None));
        let trailers = Frame::trailers(http::HeaderMap::new());
        assert_eq!(
            kept.take(Ok(trailers)),
            Ok(Some(Bytes::from_static(b"abc")))
        );
        assert_eq!(kept.ended(), None);
        assert_eq!(sizes(&kept), [3, 0]);
    }

    #[test]
    fn large_frames_are_shared_and_small_ones_gathered() {
        let large = Bytes::from(vec![b'x'; SMALL_BYTES]);
        let mut kept = Kept::new(100_000);
        let given = kept.take(Ok(Frame::data(large.clone()))).unwrap().unwrap();
        assert_eq!(given.as_ptr(), large.as_ptr());
        let mut given = 0;
        for _ in 0..10_000 {
            given += kept
                .take(Ok(data("y")))
                .unwrap()
                .map_or(0, |data| data.len());
        }
        given += kept.take(Ok(Frame::data(large))).unwrap().unwrap().len();
        assert_eq!(kept.take(Ok(data("z"))), Ok(None));
        given += kept.ended().unwrap().len();
        assert_eq!(given, 10_000 + SMALL_BYTES + 1);
        assert_eq!(sizes(&kept), [4096, 4096, 4096, 10_000 - 8192 + 4096, 1]);
    }
}
