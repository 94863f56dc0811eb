//! The posts of a talk stand and fall together: one of which answers are missing without a sign cannot be followed, and who
//! answers shortly is the first to go.
//!
//! The posts are the elements of one look of which most is kept. Those of which nothing is kept come back; what a post is dropped of where some of it is kept (a signature, a quote) stays away.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 of its forums .7943 with it and .7903 without, recall .907 and .894. With posts of
//! which up to half is kept made whole: .7920.

use std::collections::HashMap;

use html5ever::local_name;

use super::super::{blocks::Blocks, text::mix};
use crate::{
    kind::KindNow,
    page::{NodeId, Page},
};

/// Share of the kept words of the page that the posts hold, at least. With .5: word F1 of forums .7939.
const SHARE_OF_PAGE: f32 = 0.3;

/// How posts are known as such.
struct Way {
    look: Look,
    /// From how many of them there is a talk.
    least: usize,
    /// Share of their words that is kept, at least.
    share: f32,
}

/// What elements have in common.
#[derive(Clone, Copy)]
enum Look {
    /// Their own tag and classes, wherever they stand.
    Own,
    /// The tags and first classes down to them.
    WayDown,
}

/// The question often stands elsewhere than its answers and only looks like them; but so does much else, therefore most of it
/// must be kept: WCXB dev, 2026-11-22, five folds, word F1 of forums .8063 with .7, .8056 without, .8073 with .5 (where
/// the list of what one may do in a forum and lines of figures came with it). Along the whole way down any share
/// from .1 to .5 does the same.
const WAYS: [Way; 2] = [
    Way {
        look: Look::Own,
        least: 2,
        share: 0.7,
    },
    Way {
        look: Look::WayDown,
        least: 3,
        share: 0.2,
    },
];

/// Elements of one look.
#[derive(Default)]
struct Alike {
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
    for way in &WAYS {
        let kept_words = sums(page, blocks, |at| kept[at]);
        if let Some(posts) = posts(page, way, &words, &kept_words) {
            let lost = posts
                .members
                .iter()
                .filter(|post| kept_words[post.index()] == 0.0);
            keep_below(page, blocks, lost.copied(), kept);
        }
    }
}

/// The elements of one look that are most likely the posts.
fn posts(page: &Page, way: &Way, words: &[f32], kept: &[f32]) -> Option<Alike> {
    let all_kept = kept[page.body().index()];
    let mut groups = groups(page, way.look, words, kept);
    groups.retain(|group| {
        group.members.len() >= way.least
            && group.kept >= SHARE_OF_PAGE * all_kept
            && group.kept >= way.share * group.words
    });
    // Of equals the outer one.
    let share = |group: &Alike| group.kept / group.words;
    groups.into_iter().max_by(|one, other| {
        share(one)
            .total_cmp(&share(other))
            .then(other.members[0].cmp(&one.members[0]))
    })
}

/// Keeps every block below these elements, which are in order and not within each other.
fn keep_below(
    page: &Page,
    blocks: &Blocks,
    elements: impl Iterator<Item = NodeId>,
    kept: &mut [bool],
) {
    let mut elements = elements.peekable();
    for (block, kept) in blocks.list.iter().zip(kept.iter_mut()) {
        while elements
            .next_if(|&element| page.end(element) <= block.container)
            .is_some()
        {}
        *kept |= elements
            .peek()
            .is_some_and(|&element| page.contains(element, block.container));
    }
}

/// The elements with text and a class that look alike, the outer one of those within each other.
fn groups(page: &Page, look: Look, words: &[f32], kept: &[f32]) -> Vec<Alike> {
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut groups: Vec<Alike> = Vec::new();
    let mut keys = vec![0u64; page.len()];
    for id in page.live(page.body()).filter(|&id| page.tag(id).is_some()) {
        let class = page.attribute(id, &local_name!("class")).unwrap_or("");
        let key = match look {
            Look::WayDown => {
                let first = class.split_ascii_whitespace().next().unwrap_or("");
                key(page, id, first, keys[page.parent(id).index()])
            }
            Look::Own => key(page, id, class, 0),
        };
        keys[id.index()] = key;
        if words[id.index()] == 0.0 || class.is_empty() {
            continue;
        }
        let number = *numbers.entry(key).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Alike::default());
        }
        let group = &mut groups[number];
        let last = group.members.last();
        if !last.is_some_and(|&last| page.contains(last, id)) {
            group.members.push(id);
            group.words += words[id.index()];
            group.kept += kept[id.index()];
        }
    }
    groups
}

/// Tag and classes of an element as a number, and of those above it; numbers in them aside.
fn key(page: &Page, id: NodeId, classes: &str, above: u64) -> u64 {
    let tag = page.tag(id).map_or(255, |tag| tag as u64);
    classes
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

    #[test]
    fn a_question_that_stands_apart_from_its_answers_comes_back() {
        let post = |part: &str, text: &str| {
            format!(
                "<div class={part}><p class=who>Ann</p><div class='prose x1'><p>{text}</p></div></div>"
            )
        };
        let html = [
            post("question", "Does anybody know how the bridge was paid for?"),
            post(
                "answer",
                "By a toll, for sixty years, and then by the county when nobody would pay any more for it, the books in the archive of the harbour say.",
            ),
        ];
        let page = page_at(THREAD, &html.concat());
        let blocks = Blocks::of(&page, &[]);
        let mut kept = [false, false, false, true];
        keep(&page, &blocks, &KindNow::of(&page), &mut kept);
        assert_eq!(kept, [false, true, false, true]);
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
