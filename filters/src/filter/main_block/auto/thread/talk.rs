//! The posts of a thread by their build alone, before anything is chosen: elements of one look that each hold who wrote them and
//! when. The scores know neither; a post of a word or two has none that could save it.
//!
//! 1. Posts: elements with the same tag and first class, numbers aside, that nearly all hold a name and a date
//!    (`posts/signs.rs`; of dates also what is written like one, `talk/when.rs`); of several such looks that with most words, and of
//!    equals the one with most members. On a forum that marks no name, the dates alone tell them (`talk/unsigned.rs`).
//! 2. Of each post the body is what holds most of the words that are no links, at the same place in nearly every post
//!    (`talk/places.rs`).
//! 3. Bodies come back whole, where enough of all of them is kept (`Talk::restore`).
//! 4. What stands around the bodies shortly, at a place where nothing long stands in any post, is the furniture of the program: rank,
//!    place, joined, counts, buttons (`talk/around.rs`). Name and date of each post stay, once.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of forums
//! +.022 and +.009 (.8061 before, .8217 after), recall .906 and .916. With the own date of each post (`talk/dates.rs`), without
//! previews, lists of who liked a post, headings that repeat and links between posts: .8254 before, .8325 after (+.004 and +.011).
//! Elsewhere it is for the reader, and asks for a body: it finds two talks on the 1,384 pages that are no forum.

mod around;
mod comments;
mod dates;
mod looks;
mod outside;
mod places;
mod previews;
mod unsigned;
pub(super) mod when;

use std::{collections::HashSet, ops::Range};

use super::super::blocks::Blocks;
use super::posts::{
    owners::Owners,
    signs::{Sign, Signs},
};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};
pub(super) use around::Around;
use looks::{Way, key, outer, posts};
use places::Places;

/// Posts from which there is a thread.
const LEAST: usize = 2;

/// Names that are looked for above quotes: a bound on the work.
const MAX_SPEAKERS: usize = 500;

/// The thread of a page.
pub(in super::super) struct Talk {
    /// In document order.
    pub(super) posts: Vec<NodeId>,
    owners: Owners,
    places: Places,
    names: Vec<Sign>,
    dates: Vec<Sign>,
    /// Whether nothing but their place tells the names.
    pub(super) is_unmarked: bool,
}

impl Talk {
    /// Finds it.
    fn of(
        page: &Page,
        blocks: &Blocks,
        kind: &KindNow<'_>,
        signs: &Signs,
        kept: &[bool],
    ) -> Option<Talk> {
        let names = signs.names(page);
        let is_forum = kind.is_forum();
        let least = if is_forum { LEAST } else { LEAST_ELSEWHERE };
        if !is_forum && names.len() < least {
            return None;
        }
        let mut dates = signs.dates(page).to_vec();
        when::add(page, blocks, &mut dates);
        let mut unmarked = None;
        let posts = match posts(page, blocks, names, &dates, least, Way::Named) {
            Some(posts) if is_forum || is_talk(page, blocks, kind, &posts, names, kept) => posts,
            None if is_forum => {
                if let Some(posts) = unseen(page, blocks, names, &dates) {
                    posts
                } else {
                    let (posts, names) = unsigned::of(page, blocks, &dates)?;
                    unmarked = Some(names);
                    posts
                }
            }
            _ => return None,
        };
        let names = unmarked.as_deref().unwrap_or(names);
        let owners = Owners::of(page, &posts);
        let places = Places::of(page, blocks, kept, [names, &dates], &posts, &owners);
        // What is signed, dated and alike elsewhere are teasers, or entries of a list.
        if (unmarked.is_some() || !is_forum) && !places.have_body() {
            return None;
        }
        Some(Talk {
            posts,
            owners,
            places,
            is_unmarked: unmarked.is_some(),
            names: names.to_vec(),
            dates,
        })
    }

    /// Finds it, and keeps its bodies whole.
    pub(super) fn restored(
        page: &Page,
        blocks: &Blocks,
        kind: &KindNow<'_>,
        signs: &Signs,
        kept: &mut [bool],
    ) -> Option<Talk> {
        let talk = Talk::of(page, blocks, kind, signs, kept)?;
        talk.restore(page, blocks, kept);
        Some(talk)
    }

    /// Keeps the bodies whole: half an answer is worse than none, and a lone link in one is what it says. WCXB dev, 2026-11-22, five
    /// folds: word F1 of forums .8254, recall .923; .8252 and .919 where only bodies come back of which nothing was kept.
    fn restore(&self, page: &Page, blocks: &Blocks, kept: &mut [bool]) {
        if !self.places.have_body() {
            return;
        }
        let (mut in_bodies, mut of_bodies, mut all) = (0.0, 0.0, 0.0);
        let is_in_body: Vec<bool> = blocks
            .list
            .iter()
            .map(|block| self.in_body(page, block.container).is_some())
            .collect();
        for ((block, &kept), &is_in_body) in blocks.list.iter().zip(&*kept).zip(&is_in_body) {
            let words = if kept { block.stats.words } else { 0.0 };
            all += words;
            if is_in_body {
                in_bodies += block.stats.words;
                of_bodies += words;
            }
        }
        if of_bodies < SHARE_OF_BODIES * in_bodies || of_bodies < SHARE_OF_PAGE * all {
            return;
        }
        for (kept, is_in_body) in kept.iter_mut().zip(is_in_body) {
            *kept |= is_in_body;
        }
    }

    /// Whether a node of a post stands in its body, where the posts have one.
    fn is_body(&self, page: &Page, post: NodeId, id: NodeId) -> bool {
        self.places.have_body() && self.places.body(page, post, id)
    }

    /// From the first post to the end of the last.
    pub(super) fn span(&self, page: &Page) -> Option<Range<NodeId>> {
        let end = self.posts.iter().map(|&post| page.end(post)).max()?;
        Some(*self.posts.first()?..end)
    }

    /// Whether the posts have a body that is less than all of them.
    pub(super) fn have_body(&self) -> bool {
        self.places.have_body()
    }

    /// All dates of the page.
    pub(super) fn dates(&self) -> &[Sign] {
        &self.dates
    }

    /// The dates in the bodies.
    pub(super) fn dates_in_bodies<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Sign> {
        self.dates
            .iter()
            .filter(move |date| self.have_body() && self.in_body(page, date.element).is_some())
    }

    /// Who speaks here, each once.
    pub(super) fn speakers(&self, page: &Page) -> Vec<String> {
        let names = self.names.iter().take(MAX_SPEAKERS);
        let mut names: Vec<String> = names
            .map(|name| around::text_of(page, name.element))
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether an element is the body of a post or holds one.
    pub(super) fn holds_body(&self, page: &Page, id: NodeId) -> bool {
        self.places.have_body() && self.places.holds_body(page, id)
    }

    /// The post in whose body a node stands.
    pub(in super::super) fn in_body(&self, page: &Page, id: NodeId) -> Option<NodeId> {
        let post = self.owners.of_node(id)?;
        self.places.body(page, post, id).then_some(post)
    }
}

/// Share of the words of the bodies that is kept, at least, for the rest to come back; and share that they hold of what is kept.
const SHARE_OF_BODIES: f32 = 0.15;
const SHARE_OF_PAGE: f32 = 0.3;

/// Posts that only dates tell which a script would show.
fn unseen(page: &Page, blocks: &Blocks, names: &[Sign], dates: &[Sign]) -> Option<Vec<NodeId>> {
    let unseen = when::unseen(page);
    if names.len().min(unseen.len()) < LEAST {
        return None;
    }
    let mut all = [dates, &unseen].concat();
    all.sort_by_key(|sign| sign.element);
    posts(page, blocks, names, &all, LEAST, Way::Named)
}

/// Whether posts on a page that does not say it is a forum are what the page is about: they hold nearly all of its long texts, or
/// most of them is kept anyway, and no headings as the entries of a blog do; nor is it a shelf with what buyers say.
fn is_talk(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    posts: &[NodeId],
    names: &[Sign],
    kept: &[bool],
) -> bool {
    let (mut of_posts, mut others, mut chosen) = (0.0, 0.0, 0.0);
    let mut outer_posts = outer(page, posts).peekable();
    let long = blocks.list.iter().zip(kept);
    for (block, &kept) in long.filter(|(block, _)| block.is_long()) {
        while outer_posts
            .next_if(|&post| page.end(post) <= block.container)
            .is_some()
        {}
        let post = outer_posts.peek();
        if post.is_some_and(|&post| page.contains(post, block.container)) {
            of_posts += block.stats.words;
            chosen += if kept { block.stats.words } else { 0.0 };
        } else {
            others += block.stats.words;
        }
    }
    let has_heading = |id: &NodeId| page.live(*id).any(|id| is_heading(page, id));
    let names = names.iter().map(|name| around::text_of(page, name.element));
    let is_all = others <= OTHERS && of_posts > others;
    (is_all || of_posts > OTHERS && chosen > CHOSEN * of_posts)
        && names.collect::<HashSet<_>>().len() >= LEAST_ELSEWHERE
        && outer(page, posts).filter(has_heading).count() * 5 <= posts.len()
        && !matches!(
            kind.get(),
            Some(Kind::Product | Kind::Collection | Kind::Listing)
        )
}

fn is_heading(page: &Page, id: NodeId) -> bool {
    matches!(
        page.tag(id),
        Some(Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    )
}

/// Posts of a talk on a page that is no forum by its address or program, and words of long texts around them, which are those of
/// the question. Higher: articles are taken for the beginning of their comments.
const LEAST_ELSEWHERE: usize = 3;
const OTHERS: f32 = 120.0;

/// Share of the long texts in the posts that is kept, where other texts are as long.
const CHOSEN: f32 = 0.6;

#[cfg(test)]
mod tests;
