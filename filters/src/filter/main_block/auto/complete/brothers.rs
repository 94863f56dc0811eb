//! Sections built alike: the methods of a reference, the groups of facts in a box, the chapters of a handbook. Each has a heading and
//! stands in an element of one look, and whoever reads one of them may look for the next; but a short one below long ones, or one
//! that is mostly names and numbers, has too little chance by itself.
//!
//! A section of which most is missing comes back where the one before or behind it, of the same tag and class, is kept for the most
//! part, unless it is mostly links, asks for something, or has no chance at all: what a site asks of its readers may stand in a box
//! of the same look. Of a section that is kept for the most part, what is missing was judged text by text: buttons, credits.
//!
//! WCXB dev, 2026-11-22, five folds: word F1 .8847 with and without, of documentation .9468 without and .9472 with it (the examples at
//! the end of a reference come back); 8 pages of 1,497 change. Of sections that are kept for the most part too: .8846.

use std::ops::Range;

use html5ever::local_name;

use super::super::{Scored, blocks::Blocks};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// The least chance of a section, words as weights. The names and numbers of real ones had .2 and more, what asks readers for
/// something mostly less than .1.
const CHANCE: f64 = 0.15;

/// Elements from a heading up to its section, and from a text beside it up to the section next to it.
const LEVELS: usize = 3;
const DEPTH: usize = 8;

/// The least chance of each text of one.
const TEXT_CHANCE: f64 = 0.1;

/// Share of the words of the section beside it that are kept, at least, and of its own, at most.
const KEPT: f32 = 0.5;

/// Share of a section's characters that may stand in links.
const LINKED: f32 = 0.5;

/// Keeps them.
pub(super) fn keep(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
) {
    // Cards of a shop or of a list are built alike too, and each is judged by itself.
    let is_text = matches!(
        kind.get(),
        None | Some(Kind::Article | Kind::Documentation | Kind::Service)
    );
    if !is_text || !kept.contains(&true) {
        return;
    }
    let mut over = 0;
    for at in 0..kept.len() {
        if at < over || !is_heading(page, blocks, at) {
            continue;
        }
        let Some(section) = section(page, blocks, scored, kept, at) else {
            continue;
        };
        let inside = blocks.inside(page, section);
        for at in inside.clone() {
            let block = &blocks.list[at];
            kept[at] |= scored[at].chance >= TEXT_CHANCE
                && (block.linked <= LINKED * block.chars
                    || at > inside.start && is_label(page, blocks, at - 1))
                && page.tag(block.container) != Some(Tag::Button);
        }
        over = inside.end;
    }
}

fn is_heading(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let tag = page.tag(blocks.list[at].container);
    tag.is_some_and(Tag::is_heading)
}

/// Whether a text is the name of a value, which may be a link.
fn is_label(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let tag = page.tag(blocks.list[at].container);
    tag.is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::Dt | Tag::Th))
}

/// The section that a heading begins, if part of it is missing and one beside it says that it is wanted.
fn section(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kept: &[bool],
    at: usize,
) -> Option<NodeId> {
    let is_wanted = |section: NodeId| {
        let inside = blocks.inside(page, section);
        inside.len() > 1
            && kept_share(blocks, kept, inside.clone()) < KEPT
            && chance(&scored[inside.clone()]) >= CHANCE
            && [inside.start.checked_sub(1), Some(inside.end)]
                .into_iter()
                .flatten()
                .filter_map(|beside| brother(page, blocks, section, beside))
                .any(|brother| is_kept(page, blocks, kept, brother))
            && !is_linked(blocks, inside)
            && page.live(section).all(|id| page.tag(id) != Some(Tag::Form))
    };
    page.ancestors(blocks.list[at].container)
        .take(LEVELS)
        .take_while(|&up| up != page.body() && blocks.inside(page, up).start == at)
        .find(|&up| is_wanted(up))
}

/// The element around a text that stands beside a section and looks as it does.
fn brother(page: &Page, blocks: &Blocks, section: NodeId, at: usize) -> Option<NodeId> {
    let container = blocks.list.get(at)?.container;
    let around = page.parent(section);
    let brother = std::iter::once(container)
        .chain(page.ancestors(container))
        .take(DEPTH)
        .find(|&up| page.parent(up) == around)?;
    let look = |id| (page.tag(id), page.attribute(id, &local_name!("class")));
    let (tag, class) = look(section);
    let has_look = tag == Some(Tag::Section) || class.is_some_and(|class| !class.is_empty());
    (has_look && look(brother) == (tag, class)).then_some(brother)
}

/// Whether a section begins with a heading and is kept for the most part.
fn is_kept(page: &Page, blocks: &Blocks, kept: &[bool], section: NodeId) -> bool {
    let inside = blocks.inside(page, section);
    inside.len() > 1
        && is_heading(page, blocks, inside.start)
        && kept_share(blocks, kept, inside) >= KEPT
}

/// The share of the words of some texts that are kept.
fn kept_share(blocks: &Blocks, kept: &[bool], inside: Range<usize>) -> f32 {
    let (mut words, mut wanted) = (0.0, 0.0);
    for at in inside {
        let own = blocks.list[at].stats.words;
        words += own;
        wanted += if kept[at] { own } else { 0.0 };
    }
    if words > 0.0 { wanted / words } else { 1.0 }
}

fn chance(scored: &[Scored]) -> f64 {
    let (hits, words) = scored.iter().fold((0.0, 0.0), |(hits, words), one| {
        (hits + one.chance * one.words, words + one.words)
    });
    if words > 0.0 { hits / words } else { 0.0 }
}

fn is_linked(blocks: &Blocks, inside: Range<usize>) -> bool {
    let (mut chars, mut linked) = (0.0, 0.0);
    for block in &blocks.list[inside] {
        chars += block.chars;
        linked += block.linked;
    }
    linked > LINKED * chars
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};

    fn kept(html: &str, chance: f64) -> Vec<bool> {
        Trial::completed(html, chance, keep)
    }

    const FIRST: &str = "<div class=method><div><h2>kept: add</h2><p>kept: adds one</div></div>";

    #[test]
    fn a_section_built_as_the_one_beside_it_stays() {
        let last = "<div class=method><div><h2>Drop</h2><p>Takes one away</div></div>";
        assert_eq!(kept(&format!("{FIRST}{last}"), 0.2), [true; 4]);
        assert_eq!(kept(&format!("{last}{FIRST}"), 0.2), [true; 4]);
        assert_eq!(
            kept(&format!("{FIRST}{last}"), 0.1),
            [true, true, false, false]
        );
    }

    #[test]
    fn other_boxes_go() {
        for other in [
            "<div class=offer><h2>Drop</h2><p>Takes one away</div>",
            "<div class=method><p>Takes one away</p><p>and another</div>",
            "<div class=method><h2>See</h2><p><a href=/x>Takes one away</a></div>",
            "<div class=method><h2>Letters</h2><form><p>Your name<input></form></div>",
        ] {
            let kept = kept(&format!("{FIRST}{other}"), 0.2);
            assert_eq!(kept[..2], [true; 2], "{other}");
            assert!(!kept[2..].contains(&true), "{other}");
        }
    }

    #[test]
    fn of_a_section_its_buttons_go_and_one_that_is_kept_stays_as_it_is() {
        let buttons = "<p><a href=/x>Learn more</a></p><button>Ask</button>";
        let last = format!("<div class=method><h2>Drop</h2><p>Takes one away</p>{buttons}</div>");
        assert_eq!(
            kept(&format!("{FIRST}{last}"), 0.2)[2..],
            [true, true, false, false]
        );
        let fact = "<div class=method><h2>Drop</h2><h3>By</h3><p><a href=/x>Ann Lee</a></p><p>in 2026</div>";
        assert_eq!(kept(&format!("{FIRST}{fact}"), 0.2), [true; 6]);
        let partly = "<div class=method><h2>kept: of most words</h2><p>Photo</p></div>";
        assert_eq!(kept(&format!("{FIRST}{partly}"), 0.2)[2..], [true, false]);
    }

    #[test]
    fn sections_of_which_nothing_is_kept_go() {
        let other = "<div class=method><h2>Drop</h2><p>Takes one away</div>";
        assert_eq!(
            kept(&format!("<p>kept</p>{other}{other}"), 0.2)[1..],
            [false; 4]
        );
    }
}
