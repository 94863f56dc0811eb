//! Threads: posts known by their build (`thread/talk.rs`) or by a group of kept bodies (`thread/bodies.rs`) stand and fall together,
//! with their quotes (`thread/quotes.rs`), and each keeps who wrote it and when, without the rest of its panel (`thread/posts.rs`).

mod bodies;
mod posts;
mod quotes;
mod talk;

use super::blocks::Blocks;
use crate::{kind::KindNow, page::Page};
pub(super) use posts::{Thread, tidy};
pub(super) use talk::Talk;

/// Keeps the posts of a talk whole, and what they quote.
pub(super) fn complete(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    kept: &mut [bool],
) -> Option<Talk> {
    let talk = Talk::restored(page, blocks, kind, kept);
    bodies::keep(page, blocks, kind, kept);
    quotes::settle(page, blocks, kind, talk.as_ref(), kept);
    talk
}
