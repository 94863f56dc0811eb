//! The posts of a talk stand and fall together: one of which answers are missing without a sign cannot be followed, and who
//! answers shortly is the first to go.
//!
//! The posts are the elements of one look (tags and first classes down to them) of which most is kept. Those of which nothing
//! is kept come back; what a post is dropped of where some of it is kept (a signature, a quote) stays away.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 of its forums .7943 with it and .7903 without, recall .907 and .894. With posts of
//! which up to half is kept made whole: .7920.

use std::collections::HashMap;

use html5ever::local_name;

use super::{blocks::Blocks, text::mix};
use crate::{
    kind::KindNow,
    page::{NodeId, Page},
};

/// Posts from which there is a talk.
const MIN_POSTS: usize = 3;

/// Share of the kept words of the page that the posts hold, at least. With .5: word F1 of forums .7939.
const SHARE_OF_PAGE: f32 = 0.3;

/// Share of the words of the posts that is kept, at least. From .1 to .5 it is the same.
const SHARE_OF_POSTS: f32 = 0.2;

/// Elements of one look, wherever they stand.
#[derive(Default)]
struct Look {
    members: Vec<NodeId>,
    words: f32,
    kept: f32,
}

/// Keeps the posts of which nothing would be left.
pub(super) fn keep(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if !kind.is_forum() {
        return;
    }
    let words = sums(page, blocks, |_| true);
    let kept_words = sums(page, blocks, |at| kept[at]);
    let all_kept = kept_words[page.body().index()];
    let mut looks = looks(page, &words, &kept_words);
    looks.retain(|look| {
        look.members.len() >= MIN_POSTS
            && look.kept >= SHARE_OF_PAGE * all_kept
            && look.kept >= SHARE_OF_POSTS * look.words
    });
    // Of equals the outer one.
    let share = |look: &Look| look.kept / look.words;
    let posts = looks.iter().max_by(|one, other| {
        share(one)
            .total_cmp(&share(other))
            .then(other.members[0].cmp(&one.members[0]))
    });
    let Some(posts) = posts else {
        return;
    };
    let mut lost = posts
        .members
        .iter()
        .filter(|post| kept_words[post.index()] == 0.0)
        .copied()
        .peekable();
    for (block, kept) in blocks.list.iter().zip(kept.iter_mut()) {
        while lost
            .next_if(|&post| page.end(post) <= block.container)
            .is_some()
        {}
        *kept |= lost
            .peek()
            .is_some_and(|&post| page.contains(post, block.container));
    }
}

/// The elements with text and a class, by their look.
fn looks(page: &Page, words: &[f32], kept: &[f32]) -> Vec<Look> {
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut looks: Vec<Look> = Vec::new();
    let mut keys = vec![0u64; page.len()];
    for id in page.live(page.body()).filter(|&id| page.tag(id).is_some()) {
        let key = key(page, id, keys[page.parent(id).index()]);
        keys[id.index()] = key;
        if words[id.index()] > 0.0 && page.attribute(id, &local_name!("class")).is_some() {
            let number = *numbers.entry(key).or_insert(looks.len());
            if number == looks.len() {
                looks.push(Look::default());
            }
            let look = &mut looks[number];
            look.members.push(id);
            look.words += words[id.index()];
            look.kept += kept[id.index()];
        }
    }
    looks
}

/// The look of an element: the tags and first classes down to it, numbers in them aside.
fn key(page: &Page, id: NodeId, above: u64) -> u64 {
    let tag = page.tag(id).map_or(255, |tag| tag as u64);
    let class = page.attribute(id, &local_name!("class")).unwrap_or("");
    let first = class.split_ascii_whitespace().next().unwrap_or("");
    first
        .bytes()
        .filter(|byte| !byte.is_ascii_digit())
        .fold(mix(above, tag + 1), |key, byte| mix(key, u64::from(byte)))
}

/// By row: words of blocks below.
fn sums(page: &Page, blocks: &Blocks, counts: impl Fn(usize) -> bool) -> Vec<f32> {
    let mut words = vec![0.0; page.len()];
    for (at, block) in blocks.list.iter().enumerate() {
        if counts(at) {
            words[block.container.index()] += block.stats.words;
        }
    }
    for row in (page.body().index() + 1..page.end(page.body()).index()).rev() {
        let own = words[row];
        words[page.parent(NodeId::from_row(row)).index()] += own;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kind::Claims, testing::page_at};

    /// Which texts are kept of these posts, of which those of `kept` are to begin with.
    fn kept(url: &str, kept: &[usize]) -> Vec<bool> {
        let post = |text: &str| {
            format!(
                "<div class=post><p class=who>Ann</p><div class='body x1'><p>{text}</p></div></div>"
            )
        };
        let html: String = [
            "Does anybody know how the old bridge was paid for?",
            "By a toll, for sixty years, and then by the county when nobody would pay any more.",
            "No.",
            "The books are in the archive of the harbour, open on Mondays.",
        ]
        .map(post)
        .concat();
        let mut page = page_at(url, &html);
        page.claims = Claims::default();
        let blocks = Blocks::of(&page, &[]);
        let mut all: Vec<bool> = (0..blocks.list.len())
            .map(|at| kept.contains(&at))
            .collect();
        keep(&page, &blocks, &KindNow::of(&page), &mut all);
        all
    }

    const THREAD: &str = "https://forum.example.org/t/bridge/12";

    #[test]
    fn what_was_said_in_the_other_posts_of_a_forum_comes_back() {
        let said = [false, true, false, true, false, true, false, true];
        assert_eq!(kept(THREAD, &[1, 3]), said);
    }

    #[test]
    fn posts_of_which_hardly_anything_is_kept_and_comments_elsewhere_are_left_to_their_chance() {
        assert_eq!(kept(THREAD, &[5]).iter().filter(|kept| **kept).count(), 1);
        let article = "https://example.org/2026/bridge";
        assert_eq!(
            kept(article, &[1, 3]).iter().filter(|kept| **kept).count(),
            2
        );
    }
}
