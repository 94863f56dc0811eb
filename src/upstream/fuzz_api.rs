//! The reader of responses' heads without a connection around it, for the fuzz targets.

use std::task::{Context, Poll, Waker};

use http::{HeaderMap, StatusCode};

use super::{heads::Heads, interim::Interim};
use crate::spelling::Spelling;

/// The heads of a response in pieces of this size must be read as at once.
pub(crate) fn heads(bytes: &[u8], piece: usize) {
    assert_eq!(read(bytes, piece.max(1)), read(bytes, usize::MAX));
}

fn read(bytes: &[u8], piece: usize) -> (Spelling, Vec<(StatusCode, HeaderMap)>) {
    let (mut heads, interim) = (Heads::default(), Interim::default());
    heads.follow();
    let pieces = bytes.chunks(piece);
    pieces.for_each(|piece| heads.read(piece, &interim));
    let mut cx = Context::from_waker(Waker::noop());
    let mut told = Vec::new();
    while let Poll::Ready(response) = interim.poll_next(&mut cx) {
        told.push(response);
    }
    (heads.spelling(), told)
}
