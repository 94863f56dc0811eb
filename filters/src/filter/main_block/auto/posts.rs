//! Who wrote each post, and when: on a thread of posts the scores drop the panel beside a post with all it holds (picture, rank,
//! joined, signature, buttons), and the name with it. Of each panel the name and the date are taken back, once per post.
//!
//! Posts are brothers of one tag that hold a name and kept text, with what stands before them and is built alike (a question
//! above its answers). A name is a short text that the page calls so in `itemprop`, `rel` or a class, or a link to a
//! profile by its address; a date is a `<time>` or what a class calls a date. Both are general vocabulary of such programs,
//! none of a site's own.
//!
//! And what stands in most posts alike but for its numbers ("Senior Member", "Posts: 20", "Re: the same title") goes from all of
//! them: it is furniture that repeats without varying.
//!
//! Measured on WCXB dev, 2026-11-21, five folds (`gleaner-train check`): word F1 of its forums .784 before, .785 with names and dates,
//! .787 without furniture too. It is for the reader, who cannot follow a talk without knowing who speaks.

mod furniture;
mod signs;

use super::blocks::Blocks;
use crate::page::{NodeId, Page};
use furniture::Furniture;
use signs::Sign;

/// Kept words from which an element is a post.
const POST_WORDS: f32 = 5.0;

/// The least number of posts, one beside the other.
const MIN_POSTS: usize = 2;

/// A thread as it is to be shown.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) posts: Vec<NodeId>,
    /// The text nodes of names and dates to be kept beside the kept blocks.
    pub(super) texts: Vec<NodeId>,
    /// Text nodes of kept blocks that are furniture.
    pub(super) without: Vec<NodeId>,
}

/// Finds the thread among the kept blocks, and takes the furniture out of its posts.
pub(super) fn tidy(page: &Page, blocks: &Blocks, kept: &mut [bool]) -> Thread {
    let words = kept_words(page, blocks, kept);
    let is_kept = kept_texts(page, blocks, kept);
    let names = signs::names(page, &is_kept);
    if names.len() < MIN_POSTS {
        return Thread::default();
    }
    let posts = posts(page, &words, &names);
    let dates = signs::dates(page, &is_kept);
    let mut texts = Vec::new();
    for &post in &posts {
        let Some(name) = best(page, post, &names, post) else {
            continue;
        };
        if !has_kept(page, post, &names) {
            texts.extend(texts_of(page, name));
        }
        if !has_kept(page, post, &dates)
            && let Some(date) = best(page, post, &dates, name)
        {
            texts.extend(texts_of(page, date));
        }
    }
    let mut is_sign = vec![false; page.len()];
    for sign in names.iter().chain(&dates) {
        for text in texts_of(page, sign.element) {
            is_sign[text.index()] = true;
        }
    }
    let furniture = Furniture::of(page, blocks, kept, &posts, &is_sign);
    for index in furniture.blocks {
        kept[index] = false;
    }
    texts.retain(|&id| !is_kept[id.index()]);
    texts.sort_unstable();
    texts.dedup();
    Thread {
        posts,
        texts,
        without: furniture.lines,
    }
}

/// By row: words of kept blocks below.
fn kept_words(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<f32> {
    let mut words = vec![0.0; page.len()];
    for (block, &kept) in blocks.list.iter().zip(kept) {
        if kept {
            words[block.container.index()] += block.stats.words;
        }
    }
    for row in (page.body().index() + 1..page.len()).rev() {
        let own = words[row];
        words[page.parent(NodeId::from_row(row)).index()] += own;
    }
    words
}

fn kept_texts(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<bool> {
    let mut is_kept = vec![false; page.len()];
    for (block, &kept) in blocks.list.iter().zip(kept) {
        for id in blocks.texts(block) {
            is_kept[id.index()] = kept;
        }
    }
    is_kept
}

/// Brothers of one tag that each hold a name and kept text.
struct Group {
    parent: NodeId,
    posts: Vec<NodeId>,
    /// Kept words in all of them.
    words: f32,
}

/// Groups of brothers that are looked at, the largest ones: a page has one thread, and talks inside of it.
const MAX_THREADS: usize = 50;

/// The posts of the thread with most kept words, and what stands before it with a name of its own.
fn posts(page: &Page, words: &[f32], names: &[Sign]) -> Vec<NodeId> {
    let groups = groups(page, words, names);
    let Some(thread) = largest(&groups, page, page.body()) else {
        return Vec::new();
    };
    let opening = opening(page, words, names, thread.parent);
    let mut all: Vec<NodeId> = opening.into_iter().collect();
    let mut waiting: Vec<NodeId> = thread.posts.iter().rev().copied().collect();
    while let Some(post) = waiting.pop() {
        // The answers to a question stand in one element beside it.
        let inner =
            largest(&groups, page, post).filter(|group| group.words * 2.0 > words[post.index()]);
        match inner {
            Some(group) => waiting.extend(group.posts.iter().rev()),
            None => all.push(post),
        }
    }
    all.sort_unstable();
    all
}

/// The group with most kept words inside an element; the outer one of two that have as many.
fn largest<'a>(groups: &'a [Group], page: &Page, within: NodeId) -> Option<&'a Group> {
    groups
        .iter()
        .find(|group| page.contains(within, group.parent))
}

/// The groups of a page, that with most kept words first.
fn groups(page: &Page, words: &[f32], names: &[Sign]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_parent = vec![usize::MAX; page.len()];
    for name in names {
        let mut at = name.element;
        while at != page.body() && at != NodeId::DOCUMENT {
            let parent = page.parent(at);
            if words[at.index()] >= POST_WORDS {
                let index = &mut of_parent[parent.index()];
                if *index == usize::MAX {
                    *index = groups.len();
                    groups.push(Group {
                        parent,
                        posts: Vec::new(),
                        words: 0.0,
                    });
                }
                let group = &mut groups[*index];
                if group.posts.last() == Some(&at) {
                    // Another name got here first, and went on from here.
                    break;
                }
                group.posts.push(at);
                group.words += words[at.index()];
            }
            at = parent;
        }
    }
    groups.retain(|group| {
        let tag = page.tag(group.posts[0]);
        group.posts.len() >= MIN_POSTS && group.posts.iter().all(|&post| page.tag(post) == tag)
    });
    groups.sort_by(|a, b| b.words.total_cmp(&a.words).then(a.parent.cmp(&b.parent)));
    groups.truncate(MAX_THREADS);
    groups
}

/// The post that stands before the thread in an element of its own.
fn opening(page: &Page, words: &[f32], names: &[Sign], thread: NodeId) -> Option<NodeId> {
    let name = names.iter().find(|name| name.element < thread)?;
    std::iter::once(name.element)
        .chain(page.ancestors(name.element))
        .take_while(|&up| !page.contains(up, thread))
        .find(|&up| words[up.index()] >= POST_WORDS)
}

fn within<'a>(
    page: &'a Page,
    post: NodeId,
    signs: &'a [Sign],
) -> impl Iterator<Item = &'a Sign> + 'a {
    let start = signs.partition_point(|sign| sign.element < post);
    signs[start..]
        .iter()
        .take_while(move |sign| page.contains(post, sign.element))
}

fn has_kept(page: &Page, post: NodeId, signs: &[Sign]) -> bool {
    within(page, post, signs).any(|sign| sign.is_kept)
}

/// The surest sign in a post; of equals the one that stands nearest to a place.
fn best(page: &Page, post: NodeId, signs: &[Sign], near: NodeId) -> Option<NodeId> {
    within(page, post, signs)
        .min_by_key(|sign| (sign.rank, sign.element.0.abs_diff(near.0)))
        .map(|sign| sign.element)
}

fn texts_of(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    page.live(id).filter(|&id| page.own_chars(id) > 0)
}

#[cfg(test)]
mod tests;
