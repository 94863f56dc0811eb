//! Threads: posts known by their build (`thread/talk.rs`) or by a group of kept bodies (`thread/bodies.rs`) stand and fall together,
//! with their quotes (`thread/quotes.rs`), and each keeps who wrote it and when, without the rest of its panel (`thread/posts.rs`).

mod bodies;
mod posts;
mod quotes;
mod talk;

use super::blocks::Blocks;
use crate::{kind::KindNow, page::Page};
use posts::signs::Signs;
#[cfg(test)]
pub(crate) use posts::signs::leads_to_profile;
pub(crate) use posts::signs::{DATES, POSTERS, PROFILES};
pub(super) use posts::{Thread, tidy};
use talk::Talk;

/// What was found of threads while they were kept whole.
#[derive(Default)]
pub(super) struct Found {
    talk: Option<Talk>,
    signs: Signs,
}

/// Keeps the posts of a talk whole, and what they quote.
pub(super) fn complete(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    kept: &mut [bool],
) -> Found {
    let signs = Signs::default();
    let talk = Talk::restored(page, blocks, kind, &signs, kept);
    bodies::keep(page, blocks, kind, kept);
    quotes::settle(page, blocks, kind, kept);
    Found { talk, signs }
}
