//! Threads: posts known by their build (`thread/talk.rs`) or by a group of kept bodies (`thread/bodies.rs`) stand and fall together,
//! with their quotes (`thread/quotes.rs`), and each keeps who wrote it and when, without the rest of its panel (`thread/posts.rs`)
//! and what a script would do with it (`thread/tools.rs`).

mod bodies;
mod posts;
mod quotes;
mod talk;
mod tools;

use super::blocks::Blocks;
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page},
};
pub(super) use posts::Thread;
use posts::signs::Signs;
#[cfg(test)]
pub(crate) use posts::signs::leads_to_profile;
pub(crate) use posts::signs::{DATES, POSTERS, PROFILES, QUOTES};
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

/// Finds the thread among the kept blocks, and takes out of it what repeats in its posts.
pub(super) fn tidy(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    found: &Found,
    kept: &mut [bool],
) -> Thread {
    let mut thread = posts::tidy(page, blocks, kind, found, kept);
    if kind.is_forum() || !thread.posts.is_empty() {
        thread.without.extend(tools::of(page, blocks, kept));
    }
    thread
}

/// Posts from which a page that is no forum has a thread: with two, the first may be the box of the author of an article.
const POSTS_ELSEWHERE: usize = 3;

/// Share of the kept words that posts without dates hold, at least, to be a thread on a page that is no forum.
const MOST: f32 = 0.7;

/// The posts that are shown apart from each other. On a page that is no forum only those that are mostly dated, or nearly all that is
/// kept: other brothers that hold names are boxes of authors there, and entries of a bibliography.
pub(super) fn set_apart(
    page: &Page,
    blocks: &Blocks,
    kept: &[bool],
    thread: &Thread,
    kind: &KindNow<'_>,
    found: &Found,
) -> Vec<NodeId> {
    let posts = &thread.posts;
    let is_dated = || {
        let signs = found.signs.dates(page);
        let dated = posts
            .iter()
            .filter(|&&post| posts::is_dated(page, signs, post));
        dated.count() * 2 >= posts.len()
    };
    let are_most = || {
        let (mut of_posts, mut all) = (0.0, 0.0);
        for (block, _) in blocks.list.iter().zip(kept).filter(|(_, kept)| **kept) {
            let mut around = page.ancestors(block.container);
            let is_in_post = posts.binary_search(&block.container).is_ok()
                || around.any(|up| posts.binary_search(&up).is_ok());
            all += block.stats.words;
            of_posts += if is_in_post { block.stats.words } else { 0.0 };
        }
        of_posts >= MOST * all
    };
    let is_thread = !posts.is_empty()
        && (found.talk.is_some()
            || kind.get() == Some(Kind::Forum)
            || posts.len() >= POSTS_ELSEWHERE && (is_dated() || are_most()));
    if is_thread { posts.clone() } else { Vec::new() }
}
