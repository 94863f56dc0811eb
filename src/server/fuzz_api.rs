//! The judge of requests without a connection around it, for the fuzz targets.

use super::wire::{self, Chunks, Framing, Last};

/// Longest input of which every beginning is tried: trying them takes time that grows with its square.
const SHORT: usize = 1000;

/// A head's length, and that of its body unless it comes in chunks.
pub(crate) fn head(bytes: &[u8]) -> Option<(usize, Option<u64>)> {
    let mut last = Last::default();
    let judged = wire::head(bytes, &mut last);
    // What is known of a head changes nothing, neither for the same nor for a part of it.
    assert_eq!(wire::head(bytes, &mut last), judged);
    let whole = judged.as_ref().ok()?.as_ref().map(|head| head.bytes);
    if bytes.len() <= SHORT {
        for end in 0..bytes.len() {
            let part = wire::head(&bytes[..end], &mut Last::default());
            assert_eq!(wire::head(&bytes[..end], &mut last), part, "{end}");
            if whole.is_some_and(|whole| end >= whole) {
                assert_eq!(part, judged, "{end}");
            } else {
                assert_eq!(part, Ok(None), "{end}");
            }
        }
    }
    let head = judged.ok()??;
    Some((
        head.bytes,
        match head.framing {
            Framing::Length(length) => Some(length),
            Framing::Chunked => None,
        },
    ))
}

/// How many of these bytes are a chunked body.
pub(crate) fn chunked(bytes: &[u8], piece: usize) -> Option<usize> {
    let mut whole = Chunks::default();
    let taken = whole.take(bytes);
    let mut pieces = Chunks::default();
    let sum = bytes
        .chunks(piece.max(1))
        .try_fold(0, |sum, piece| Ok(sum + pieces.take(piece)?));
    assert_eq!(taken, sum, "{piece}");
    assert_eq!(whole.is_end(), pieces.is_end());
    taken.ok().filter(|_| whole.is_end())
}
