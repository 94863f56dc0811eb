//! Who wrote each post, and when: on a thread of posts the scores drop the panel beside a post with all it holds (picture, rank,
//! joined, signature, buttons), and the name with it. Of each panel the name and the date are taken back, once per post.
//!
//! Posts are brothers of one tag that hold a name and kept text, with what stands before them and is built alike (a question
//! above its answers), and the replies inside of them (`posts/groups.rs`). A name is a short text that the page calls so in `itemprop`, `rel` or a class, or a link to a
//! profile by its address; a date is a `<time>` or what a class calls a date. Both are general vocabulary of such programs,
//! none of a site's own.
//!
//! And what stands in most posts alike but for its numbers ("Senior Member", "Posts: 20", "Re: the same title") goes from all of
//! them: it is furniture that repeats without varying.
//!
//! Measured on WCXB dev, 2026-11-21, five folds (`gleaner-train check`): word F1 of its forums .784 before, .785 with names and dates,
//! .787 without furniture too. It is for the reader, who cannot follow a talk without knowing who speaks.

pub(super) mod furniture;
mod groups;
pub(super) mod owners;
pub(super) mod signs;

use super::super::blocks::{Block, Blocks};
use super::{
    Found,
    talk::{Around, Talk, when},
};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page},
    text::one_line,
};
use furniture::Furniture;
use owners::Owners;
use signs::Sign;

/// Names from which there is a thread.
const MIN_POSTS: usize = 2;

/// A thread as it is to be shown.
#[derive(Default)]
pub(in super::super) struct Thread {
    pub(in super::super) posts: Vec<NodeId>,
    /// Who wrote the first of them.
    pub(in super::super) starter: Option<String>,
    /// The text nodes of names and dates to be kept beside the kept blocks.
    pub(in super::super) texts: Vec<NodeId>,
    /// Text nodes of kept blocks that are furniture.
    pub(in super::super) without: Vec<NodeId>,
    /// The first text nodes of blocks around posts that are, in document order.
    pub(in super::super) furniture: Vec<NodeId>,
}

/// Whether something in a post says when it was written: a mark, or a short text that tells a clock.
pub(super) fn is_dated(page: &Page, dates: &[Sign], post: NodeId) -> bool {
    const MAX_CHARS: usize = 40;
    const MAX_NODES: usize = 200;
    let next = dates.partition_point(|date| date.element < post);
    let is_marked = |date: &Sign| page.contains(post, date.element);
    dates.get(next).is_some_and(is_marked)
        || page.live(post).take(MAX_NODES).any(|id| {
            (1..=MAX_CHARS).contains(&page.own_chars(id))
                && page
                    .text(id)
                    .is_some_and(|text| when::is_date(&text) && when::has_clock(&text))
        })
}

/// Finds the thread among the kept blocks, and takes the furniture out of its posts.
pub(super) fn tidy(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    found: &Found,
    kept: &mut [bool],
) -> Thread {
    let names = found.signs.names(page);
    let talk = found.talk.as_ref();
    if names.len() < MIN_POSTS && talk.is_none() {
        return Thread::default();
    }
    let words = kept_words(page, blocks, kept);
    // Comments below an article that were given up leave no names.
    let is_left = |talk: &&Talk| talk.posts.iter().any(|post| words[post.index()] > 0.0);
    let talk = talk.filter(is_left);
    let mut posts = groups::posts(page, &words, names);
    if posts.is_empty() && talk.is_none() {
        return Thread::default();
    }
    let is_kept = kept_texts(page, blocks, kept);
    let around = talk.map(|talk| Around::of(page, blocks, talk, kept));
    let around = around.unwrap_or_default();
    if let Some(talk) = talk {
        let first = around.writers.get(&talk.posts[0]);
        posts.retain(|&post| {
            let is_named = |name: &Sign| {
                page.contains(post, name.element) && Some(&name_of(page, name)) == first
            };
            talk.posts.binary_search(&post).is_ok()
                || !names.iter().any(is_named)
                || says_something(page, blocks, kept, names, post)
        });
        posts = with_talk(page, posts, talk, &words);
        posts.retain(|&post| !around.is_preview(page, post));
    }
    let owners = Owners::of(page, &posts);
    let dates = found.signs.dates(page);
    // Those that only their writing tells too: the question above a talk has none that is marked.
    let written = talk.map_or(dates, Talk::dates);
    let is_shown_date = |date: &Sign| is_kept[date.text.index()];
    let mut texts = Vec::new();
    let mut starter = None;
    for &post in &posts {
        if talk.is_some_and(|talk| talk.posts.binary_search(&post).is_ok()) {
            if post == posts[0] {
                starter = around.writers.get(&post).cloned();
            }
            continue;
        }
        let headline = page.headline.node.filter(|&node| page.contains(post, node));
        let Some(name) = owners.name(page, post, names, headline.unwrap_or(post)) else {
            continue;
        };
        if post == posts[0] {
            starter = Some(name_of(page, name)).filter(|name| !name.is_empty());
        }
        let mut own = owners.signs(page, post, names);
        if !is_shown(page, &is_kept, name, &mut own) {
            texts.extend(texts_of(page, name.element));
        }
        let is_marked = owners.signs(page, post, dates).next().is_some();
        let dates = if is_marked { dates } else { written };
        if !owners.signs(page, post, dates).any(is_shown_date)
            && let Some(date) = owners.best(page, post, dates, name.element)
        {
            texts.extend(texts_of(page, date.element));
        }
    }
    let mut is_sign = vec![false; page.len()];
    // Pages made by hand begin a body with the date of its post: it is no line that repeats.
    let undated = talk.filter(|talk| talk.is_unmarked && around.dated * 2 < talk.posts.len());
    let of_talk = undated
        .into_iter()
        .flat_map(|talk| talk.dates_in_bodies(page));
    for sign in names.iter().chain(dates).chain(of_talk) {
        for text in texts_of(page, sign.element) {
            is_sign[text.index()] = true;
        }
    }
    // The subject of each paper on a list of them, the state of each flat: there that is what the list says.
    let furniture = match kind.get() {
        Some(Kind::Listing | Kind::Collection) => Furniture::default(),
        _ => Furniture::of(page, blocks, kept, &owners, &is_sign),
    };
    for index in furniture.blocks {
        kept[index] = false;
    }
    texts.retain(|&id| !is_kept[id.index()]);
    if let Some(talk) = talk {
        drop_links_between(page, blocks, talk, &owners, kept);
        drop_initials(page, blocks, kept);
        around.back.iter().for_each(|&index| kept[index] = true);
    }
    let mut gone = Vec::new();
    for index in around.gone {
        kept[index] = false;
        gone.extend(blocks.texts(&blocks.list[index]).first());
    }
    let mut without = furniture.lines;
    without.retain(|id| around.texts.binary_search(id).is_err());
    texts.extend(around.texts);
    texts.sort_unstable();
    texts.dedup();
    Thread {
        posts,
        starter,
        texts,
        without,
        furniture: gone,
    }
}

/// Drops what is nothing but links between the posts: pages, related threads.
fn drop_links_between(
    page: &Page,
    blocks: &Blocks,
    talk: &Talk,
    owners: &Owners,
    kept: &mut [bool],
) {
    let Some((between, true)) = talk.span(page).map(|span| (span, talk.have_body())) else {
        return;
    };
    for (block, kept) in blocks.list.iter().zip(kept) {
        let is_between = between.contains(&block.container);
        if *kept
            && is_between
            && owners.of_node(block.container).is_none()
            && block.link_density() >= MOSTLY_LINKS
        {
            *kept = false;
        }
    }
}

/// Drops what stands in the place of somebody's picture, in a post or beside one: "J Offline".
fn drop_initials(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    const MOST_WORDS: f32 = 3.0;
    for (block, kept) in blocks.list.iter().zip(kept) {
        if *kept && block.stats.words <= MOST_WORDS {
            let first = blocks.texts(block).first();
            *kept = !first.is_some_and(|&text| signs::is_initial(page, text, block.container));
        }
    }
}

/// Share of the characters of a block between posts that are links, at least, for it to go.
const MOSTLY_LINKS: f32 = 0.9;

/// Whether something is kept of an element besides the headline and lines with a name: the head of a thread, which tells who began it,
/// is none where the first post tells it again.
fn says_something(
    page: &Page,
    blocks: &Blocks,
    kept: &[bool],
    names: &[Sign],
    post: NodeId,
) -> bool {
    let inside = blocks.inside(page, post);
    let headline = page.headline.node;
    let is_line = |block: &Block| {
        let is_headline = headline.is_some_and(|headline| page.contains(headline, block.container));
        let has_name = |id: &NodeId| {
            let next = names.partition_point(|name| name.element <= *id);
            next > 0 && page.contains(names[next - 1].element, *id)
        };
        is_headline || blocks.texts(block).iter().any(has_name)
    };
    let shown = blocks.list[inside.clone()].iter().zip(&kept[inside]);
    let shown = shown.filter(|(block, kept)| **kept && !is_line(block));
    shown.map(|(block, _)| block.stats.words).sum::<f32>() >= groups::POST_WORDS
}

/// The posts of a talk of which something is kept, and those that stand apart from all of them.
fn with_talk(page: &Page, posts: Vec<NodeId>, talk: &Talk, words: &[f32]) -> Vec<NodeId> {
    // What ends last of all posts up to each.
    let ends: Vec<NodeId> = talk
        .posts
        .iter()
        .scan(NodeId::DOCUMENT, |end, &post| {
            *end = page.end(post).max(*end);
            Some(*end)
        })
        .collect();
    let is_apart = |&id: &NodeId| {
        let before = talk.posts.partition_point(|&post| post <= id);
        let is_inside = before > 0 && ends[before - 1] > id;
        let next = talk.posts.get(before);
        !is_inside && next.is_none_or(|&post| !page.contains(id, post))
    };
    let shown = talk.posts.iter().copied();
    let mut all: Vec<NodeId> = shown.filter(|post| words[post.index()] > 0.0).collect();
    all.extend(posts.into_iter().filter(is_apart));
    all.sort_unstable();
    all
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

/// Whether a name stands in kept text of its post, there or elsewhere. `of_post` are the names of the post.
fn is_shown<'a>(
    page: &Page,
    is_kept: &[bool],
    name: &Sign,
    of_post: &mut impl Iterator<Item = &'a Sign>,
) -> bool {
    let wanted = name_of(page, name);
    let is_kept = |sign: &Sign| is_kept[sign.text.index()];
    is_kept(name)
        || of_post.any(|other| {
            is_kept(other) && (other.rank <= name.rank || name_of(page, other) == wanted)
        })
}

fn name_of(page: &Page, sign: &Sign) -> String {
    const MAX_NODES: usize = 20;
    const MAX_BYTES: usize = 200;
    one_line(&page.start_of_text(sign.element, MAX_NODES, MAX_BYTES))
}

fn texts_of(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    page.live(id).filter(|&id| page.own_chars(id) > 0)
}

#[cfg(test)]
mod tests;
