//! The original of a page in work: kept frame by frame, bounded, so that it can be given back at any
//! moment.
//!
//! Keeping costs a reference count per frame, not a copy: the bytes are shared with the worker.

use std::collections::VecDeque;

use bytes::Bytes;
use http_body::Frame;
use hyper::body::Incoming;

use super::eligibility::Skip;
use crate::body::{Body, Rest};

/// Frames that have arrived.
#[derive(Debug)]
pub(super) struct Kept {
    frames: VecDeque<Frame<Bytes>>,
    bytes: usize,
    max_bytes: usize,
    end: End,
}

#[derive(Debug)]
enum End {
    NotYet,
    Clean,
    Broken(hyper::Error),
}

impl Kept {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            frames: VecDeque::new(),
            bytes: 0,
            max_bytes,
            end: End::NotYet,
        }
    }

    /// Keeps what arrived and gives its data on. A frame over the bound is kept all the same: it
    /// was taken from the stream already.
    pub(super) fn take(
        &mut self,
        frame: Result<Frame<Bytes>, hyper::Error>,
    ) -> Result<Option<Bytes>, Skip> {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => {
                self.end = End::Broken(error);
                return Err(Skip::BrokenOff);
            }
        };
        let data = frame.data_ref().cloned();
        self.frames.push_back(frame);
        self.bytes += data.as_ref().map_or(0, Bytes::len);
        if self.bytes > self.max_bytes {
            Err(Skip::TooLarge)
        } else {
            Ok(data)
        }
    }

    /// The body has ended as it should.
    pub(super) fn ended(&mut self) {
        self.end = End::Clean;
    }

    /// The original: what was kept, and then whatever still comes.
    pub(super) fn into_body(self, stream: Incoming) -> Body {
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

    #[test]
    fn the_frame_over_the_bound_is_kept_too() {
        let mut kept = Kept::new(4);
        assert_eq!(
            kept.take(Ok(data("abc"))),
            Ok(Some(Bytes::from_static(b"abc")))
        );
        assert_eq!(kept.take(Ok(data("de"))), Err(Skip::TooLarge));
        assert_eq!(kept.frames.len(), 2);
    }

    #[test]
    fn trailers_are_kept_and_not_given_on() {
        let mut kept = Kept::new(4);
        let trailers = Frame::trailers(http::HeaderMap::new());
        assert_eq!(kept.take(Ok(trailers)), Ok(None));
        assert_eq!(kept.frames.len(), 1);
    }
}
