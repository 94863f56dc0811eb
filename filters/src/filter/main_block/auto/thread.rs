//! Threads: posts known by their build (`thread/talk.rs`) or by a group of kept bodies (`thread/bodies.rs`) stand and fall together,
//! with their quotes (`thread/quotes.rs`), and each keeps who wrote it and when, without the rest of its panel (`thread/posts.rs`).

mod bodies;
mod posts;
mod quotes;
mod talk;

use super::blocks::Blocks;
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page},
};
use posts::signs::Signs;
#[cfg(test)]
pub(crate) use posts::signs::leads_to_profile;
pub(crate) use posts::signs::{DATES, POSTERS, PROFILES};
pub(super) use posts::{Thread, tidy};
pub(super) use talk::Talk;

/// What was found of threads while they were kept whole.
#[derive(Default)]
pub(super) struct Found {
    talk: Option<Talk>,
    signs: Signs,
}

impl Found {
    pub(super) fn talk(&self) -> Option<&Talk> {
        self.talk.as_ref()
    }
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
    quotes::settle(page, blocks, kind, talk.as_ref(), kept);
    Found { talk, signs }
}

/// Posts from which a page that is no forum has a thread: with two, the first may be the box of the author of an article.
const POSTS_ELSEWHERE: usize = 3;

/// The posts that are shown apart from each other. On a page that is no forum only those that are mostly dated: brothers that hold names
/// alone are boxes of authors there, and entries of a bibliography.
pub(super) fn set_apart(
    page: &Page,
    thread: &Thread,
    kind: &KindNow<'_>,
    found: &Found,
) -> Vec<NodeId> {
    let posts = &thread.posts;
    let is_dated = || {
        let dates = found.signs.dates(page);
        let dated = posts
            .iter()
            .filter(|&&post| posts::is_dated(page, dates, post));
        posts.len() >= POSTS_ELSEWHERE && dated.count() * 2 >= posts.len()
    };
    let is_thread = !posts.is_empty()
        && (found.talk.is_some() || kind.get() == Some(Kind::Forum) || is_dated());
    if is_thread { posts.clone() } else { Vec::new() }
}
