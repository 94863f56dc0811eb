//! The request parser without a connection around it, for the fuzz targets.

#![allow(clippy::missing_panics_doc, reason = "a panic is what the fuzzer looks for")]

use super::request_parser::{ChunkParser, Framing, parse_head};

/// Longest input of which every beginning is tried: the time grows with its square.
const SHORT: usize = 1000;

/// Length of a request's header section, and of its body unless that is chunked; `None` where it is rejected or incomplete. A
/// part of it must never be rejected where the whole is accepted.
#[must_use]
pub fn head(bytes: &[u8]) -> Option<(usize, Option<u64>)> {
    let parsed = parse_head(bytes);
    let whole = parsed.as_ref().ok()?.as_ref().map(|head| head.bytes);
    if bytes.len() <= SHORT {
        for end in 0..bytes.len() {
            let part = parse_head(&bytes[..end]);
            if whole.is_some_and(|whole| end >= whole) {
                assert_eq!(part, parsed, "{end}");
            } else {
                assert_eq!(part, Ok(None), "{end}");
            }
        }
    }
    let head = parsed.ok()??;
    let length = match head.framing {
        Framing::Length(length) => Some(length),
        Framing::Chunked => None,
    };
    Some((head.bytes, length))
}

/// How many of these bytes are a chunked body; `None` where it is malformed or incomplete. Read in pieces of this size it must
/// give the same.
#[must_use]
pub fn chunked(bytes: &[u8], piece: usize) -> Option<usize> {
    let mut whole = ChunkParser::default();
    let taken = whole.advance(bytes);
    let mut pieces = ChunkParser::default();
    let sum = bytes.chunks(piece.max(1)).try_fold(0, |sum, piece| Ok(sum + pieces.advance(piece)?));
    assert_eq!(taken, sum, "{piece}");
    assert_eq!(whole.is_end(), pieces.is_end());
    taken.ok().filter(|_| whole.is_end())
}
