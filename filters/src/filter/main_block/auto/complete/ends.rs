//! What ends a text, or stands in it on its own: a note, the last figure, the last short section.
//!
//! "The road is shut until Friday" in a box of its own, "Further reading", "Opening hours", a list of terms: each is short, unlike the
//! paragraphs before it, and stands where pages put their clutter; its chance is some .2 to .4, that of clutter mostly below .1. The chance
//! alone does not tell them apart: of the words behind the last kept text with a chance of .2 or more, WCXB's annotators want one in
//! six on articles. What it is called, and where it stands, does. So these stay:
//!
//! - a note, by what its author calls it (`class="note warning"`), among kept paragraphs or beside them;
//! - a figure with a caption beside kept paragraphs;
//! - a section of lists, terms or a table beside kept paragraphs, and one whose heading says that it is the end of a text
//!   (`ends/words.rs`), unless most of it is links to the same site.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8838 with and without, of documentation .9468 and .9464, of articles .9565 with
//! and without; 27 pages keep more. Of 290 pages of our own, in ten languages and five layouts, 156 lost their end without, 28 do with it.

mod words;

use std::ops::Range;

use html5ever::local_name;

use super::super::{Scored, blocks::Blocks, called::Names, cues::Cue};
use crate::{
    dom::table,
    kind::{Kind, KindNow},
    page::{NodeId, Page, said::Hint, tag::Tag},
    text::one_line,
};
pub(crate) use words::NOTES as NOTE_NAMES;

const NOTES: Names = Names::of(NOTE_NAMES, Hint::Notes);

/// The least chance of a note, of a section, words as weights, and of what is known by more: a section that is called one of the ends
/// of a text, the caption of a figure.
const NOTE_CHANCE: f64 = 0.12;
const CHANCE: f64 = 0.15;
const NAMED_CHANCE: f64 = 0.1;

/// Words of a note, and of a section, at most. Longer ones are judged by their chance: they have more to be known by.
const NOTE_WORDS: f64 = 60.0;
const SECTION_WORDS: f64 = 150.0;

/// Words of a note, at least.
const LEAST: f64 = 3.0;

/// Characters of a caption, two or three sentences.
const CAPTION: usize = 300;

/// Elements from a text up to the note or the figure it is in.
const LEVELS: usize = 3;

/// Keeps all that.
pub(super) fn keep(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
) {
    let long = |at: &usize| kept[*at] && blocks.list[*at].is_long();
    let paragraphs: Vec<usize> = (0..kept.len()).filter(long).collect();
    let [first, .., last] = paragraphs[..] else {
        return;
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut homes: Option<Homes> = None;
    for at in first + 1..kept.len() {
        let is_new = found.last().is_none_or(|range| at >= range.end);
        let is_heading = || level(page, blocks, at).is_some_and(|level| level > 1);
        let is_last_kept = kept[at] && kept.get(at + 1) == Some(&false) && is_heading();
        let may_be =
            || scored[at].chance >= NAMED_CHANCE || in_figcaption(page, blocks.list[at].container);
        if !is_new || kept[at] && !is_last_kept || !may_be() {
            continue;
        }
        let homes = homes.get_or_insert_with(|| Homes::of(page, blocks, &paragraphs));
        let range = if is_heading() {
            section(page, blocks, scored, kind, homes, kept, at)
        } else {
            note(page, blocks, scored, homes, at, at < last)
                .or_else(|| caption(page, blocks, scored, homes, at))
        };
        found.extend(range);
    }
    // Elsewhere there is no text that they could end: they are terms of delivery, other goods, what to do next.
    let is_text = || {
        matches!(
            kind.get(),
            None | Some(Kind::Article | Kind::Documentation | Kind::Service)
        )
    };
    if !found.is_empty() && is_text() {
        for range in found {
            kept[range].fill(true);
        }
    }
}

/// The elements that hold the paragraphs of a text.
struct Homes(Vec<NodeId>);

impl Homes {
    fn of(page: &Page, blocks: &Blocks, paragraphs: &[usize]) -> Homes {
        let home = |&at: &usize| {
            let container = blocks.list[at].container;
            let is_paragraph = matches!(page.tag(container), Some(Tag::P | Tag::Li));
            if is_paragraph {
                page.parent(container)
            } else {
                container
            }
        };
        let mut homes: Vec<NodeId> = paragraphs.iter().map(home).collect();
        homes.sort_unstable();
        homes.dedup();
        Homes(homes)
    }

    fn hold(&self, page: &Page, id: NodeId) -> bool {
        self.0.binary_search(&page.parent(id)).is_ok()
    }

    /// Whether something is among the paragraphs, or in a box that is, that stands beside a box of theirs, or that is built as one is.
    fn are_near(&self, page: &Page, id: NodeId) -> bool {
        let around = page.parent(id);
        let stands_beside = || {
            let up = page.parent(around);
            up != page.body() && self.0.iter().any(|&home| page.parent(home) == up)
        };
        let is_alike = || {
            let far = page.parent(page.parent(around));
            let class = page.attribute(around, &local_name!("class"));
            class.is_some()
                && self.0.iter().any(|&home| {
                    page.parent(page.parent(home)) == far
                        && page.tag(home) == page.tag(around)
                        && page.attribute(home, &local_name!("class")) == class
                })
        };
        self.hold(page, id) || self.hold(page, around) || stands_beside() || is_alike()
    }
}

/// The mean chance of a run of blocks, and its words.
fn weight(scored: &[Scored]) -> (f64, f64) {
    let (hits, words) = scored.iter().fold((0.0, 0.0), |(hits, words), one| {
        (hits + one.chance * one.words, words + one.words)
    });
    (if words > 0.0 { hits / words } else { 0.0 }, words)
}

/// The note around a text.
fn note(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    homes: &Homes,
    at: usize,
    is_among: bool,
) -> Option<Range<usize>> {
    let container = blocks.list[at].container;
    let note = std::iter::once(container)
        .chain(page.ancestors(container))
        .take(LEVELS)
        .find(|&up| NOTES.name(page, up))?;
    let inside = blocks.inside(page, note);
    let (chance, words) = weight(&scored[inside.clone()]);
    let is_control = |id| {
        matches!(
            page.tag(id),
            Some(Tag::Form | Tag::Button | Tag::Input | Tag::Select)
        )
    };
    let is_wanted = chance >= NOTE_CHANCE
        && (LEAST..=NOTE_WORDS).contains(&words)
        && (is_among || homes.are_near(page, note))
        && !is_linked(blocks, inside.clone())
        && !page.live(note).any(is_control);
    is_wanted.then_some(inside)
}

fn in_figcaption(page: &Page, container: NodeId) -> bool {
    page.tag(container) == Some(Tag::Figcaption)
        || page.tag(page.parent(container)) == Some(Tag::Figcaption)
}

/// The caption of a figure beside kept paragraphs: the figure stays with it.
fn caption(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    homes: &Homes,
    at: usize,
) -> Option<Range<usize>> {
    let container = blocks.list[at].container;
    let mut around = std::iter::once(container)
        .chain(page.ancestors(container))
        .take(LEVELS);
    around.find(|&up| page.tag(up) == Some(Tag::Figcaption))?;
    // The chance of captions is low: most references leave them out. Among the paragraphs a figure needs none.
    let figure = around.find(|&up| page.tag(up) == Some(Tag::Figure))?;
    let is_shown = |id: NodeId| match page.tag(id) {
        Some(Tag::Img) => !is_small(page, id) && !page.in_link(id),
        Some(Tag::Video | Tag::Iframe) => true,
        _ => false,
    };
    let inside = blocks.inside(page, figure);
    let (chance, words) = weight(&scored[inside.clone()]);
    let is_wanted = (homes.hold(page, figure)
        || chance >= NAMED_CHANCE && homes.are_near(page, figure))
        && words >= LEAST
        && page.chars(figure) <= CAPTION
        && !is_linked(blocks, inside.clone())
        && page.live(figure).any(is_shown);
    is_wanted.then_some(inside)
}

/// Whether a picture says that it is narrower than a column of text: a portrait.
fn is_small(page: &Page, id: NodeId) -> bool {
    const WIDTH: f32 = 160.0;
    page.attribute(id, &local_name!("width"))
        .and_then(|width| width.trim().trim_end_matches("px").parse::<f32>().ok())
        .is_some_and(|width| width < WIDTH)
}

/// A heading and what is below it.
fn section(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    homes: &Homes,
    kept: &[bool],
    at: usize,
) -> Option<Range<usize>> {
    let heading = blocks.list[at].container;
    let own = level(page, blocks, at)?;
    let scope = page.parent(heading);
    let end = (at + 1..blocks.list.len())
        .find(|&other| {
            !page.contains(scope, blocks.list[other].container)
                || level(page, blocks, other).is_some_and(|level| level <= own)
        })
        .unwrap_or(blocks.list.len());
    // Where the choice kept some of it, links to the same site behind that are the ways to the next page.
    let last_kept = kept[at + 1..end].iter().rposition(|&kept| kept);
    let end = last_kept
        .map(|last| at + last + 2)
        .filter(|&last| leads_inside(page, blocks, last..end))
        .unwrap_or(end);
    let (chance, words) = weight(&scored[at + 1..end]);
    let is_named = || {
        let said = one_line(&blocks.text(page, &blocks.list[at])).to_lowercase();
        let said = said.trim_matches(|c: char| !c.is_alphabetic());
        words::ENDS.contains(&said)
    };
    let are_facts = || {
        chance.min(scored[at].chance) >= CHANCE
            && homes.are_near(page, heading)
            && (at + 1..end).all(|other| is_listed(page, scope, blocks.list[other].container))
            && !holds_comments(page, scope)
    };
    let is_wanted = words > 0.0
        && words <= SECTION_WORDS
        && chance >= NAMED_CHANCE
        && (is_named() || are_facts() && !is_linked(blocks, at + 1..end))
        && (kind.get() == Some(Kind::Documentation) || !leads_inside(page, blocks, at + 1..end));
    is_wanted.then_some(at..end)
}

/// Whether there are comments in an element, or it is in theirs: by what it is called, or by its times.
fn holds_comments(page: &Page, scope: NodeId) -> bool {
    let is_called = |id: NodeId| page.said(id).cues & Cue::Comment.bit() != 0;
    let mut around = page.ancestors(scope).take(LEVELS);
    around.any(is_called)
        || page
            .live(scope)
            .any(|id| is_called(id) || page.tag(id) == Some(Tag::Time))
}

/// Whether a text is in a list of terms, a list or a table of data.
fn is_listed(page: &Page, scope: NodeId, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .take_while(|&up| up != scope)
        .any(|up| match page.tag(up) {
            Some(Tag::Dl | Tag::Ul | Tag::Ol) => true,
            Some(Tag::Table) => table::is_data(page, up),
            _ => false,
        })
}

/// Whether most of a run of blocks is links.
fn is_linked(blocks: &Blocks, range: Range<usize>) -> bool {
    let (chars, linked) = blocks.list[range]
        .iter()
        .fold((0.0, 0.0), |(chars, linked), block| {
            (chars + block.chars, linked + block.linked)
        });
    linked * 2.0 > chars
}

/// Whether most of a run of blocks is links to the same site: its other articles.
fn leads_inside(page: &Page, blocks: &Blocks, range: Range<usize>) -> bool {
    if !is_linked(blocks, range.clone()) {
        return false;
    }
    let host = page.web_url().host_str();
    let (mut inside, mut all) = (0, 0);
    for at in range {
        for &text in blocks.texts(&blocks.list[at]) {
            let link = page
                .ancestors(text)
                .take_while(|&up| up >= blocks.list[at].container)
                .find(|&up| page.tag(up) == Some(Tag::A));
            let Some(to) = link.and_then(|link| page.address(link, &local_name!("href"))) else {
                continue;
            };
            all += page.own_chars(text);
            inside += if to.host_str() == host {
                page.own_chars(text)
            } else {
                0
            };
        }
    }
    inside * 2 > all
}

fn level(page: &Page, blocks: &Blocks, at: usize) -> Option<u8> {
    page.tag(blocks.list[at].container)?.heading_level()
}

#[cfg(test)]
mod tests;
