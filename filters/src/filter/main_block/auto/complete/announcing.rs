//! What announces a kept text stays with it: "Create a model, including:" above the list inside the same item, "Do the following:" above a
//! list, and the heading above either. They are short, and have the chance of a label; without them the list answers to another text.
//!
//! The other way round is `complete/sections.rs`.

use super::super::{Scored, blocks::Blocks};
use crate::page::{NodeId, Page, tag::Tag};

/// The least chance of a text with a colon above a list, as of what such a text announces (`complete/sections.rs`). The text of an item
/// needs none: its own list is kept.
const CHANCE: f64 = 0.08;

/// Words of it, at most: two lines.
const WORDS: f64 = 30.0;

/// Elements around a text among which its item or list is looked for.
const LEVELS: usize = 4;

/// Keeps them, from the last to the first: a heading announces the text that announces a list.
pub(super) fn keep(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let mut was_brought_back = false;
    for at in (0..kept.len().saturating_sub(1)).rev() {
        if kept[at] || !kept[at + 1] || scored[at].words > WORDS {
            was_brought_back = false;
            continue;
        }
        let is_heading = || {
            let tag = page.tag(blocks.list[at].container);
            tag.is_some_and(Tag::is_heading)
        };
        was_brought_back = if is_heading() {
            was_brought_back
        } else {
            is_of_item(page, blocks, at)
                || scored[at].chance >= CHANCE && leads_in(page, blocks, at)
        };
        kept[at] = was_brought_back;
    }
}

/// Whether the next text stands in a list inside of the item of this one.
fn is_of_item(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let next = blocks.list[at + 1].container;
    let item = around(page, blocks.list[at].container).find(|&up| page.tag(up) == Some(Tag::Li));
    item.is_some_and(|item| {
        page.contains(item, next) && list_of(page, next).is_some_and(|list| list > item)
    })
}

/// Whether a text ends with a colon and the next one begins a list beside it.
fn leads_in(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let (own, next) = (blocks.list[at].container, blocks.list[at + 1].container);
    blocks.ends_with(page, at, &[':', '：'])
        && list_of(page, next)
            .is_some_and(|list| !page.contains(list, own) && page.contains(page.parent(list), own))
}

/// The list in an item of which a text stands.
fn list_of(page: &Page, text: NodeId) -> Option<NodeId> {
    around(page, text).find(|&up| matches!(page.tag(up), Some(Tag::Ul | Tag::Ol)))
}

fn around(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::once(id).chain(page.ancestors(id)).take(LEVELS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// Which texts are kept of which the last is, where all have this chance.
    fn kept(html: &str, chance: f64) -> Vec<bool> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let scored = Scored::all(&blocks, chance);
        let mut kept = vec![false; blocks.list.len()];
        *kept.last_mut().unwrap() = true;
        keep(&page, &blocks, &scored, &mut kept);
        kept
    }

    #[test]
    fn the_text_of_an_item_stays_with_its_list() {
        let html = "<ul><li>Manage access<li>Create models including:<ul><li>regression</ul></ul>";
        assert_eq!(kept(html, 0.0), [false, true, true]);
        assert_eq!(kept("<ul><li>One<li>Two</ul>", 0.5), [false, true]);
    }

    #[test]
    fn what_leads_in_a_list_stays_with_its_heading() {
        let html = "<p>Menu</p><section><h3>Analyst</h3><p>Do the following:</p><ul><li>count</ul></section>";
        assert_eq!(kept(html, 0.1), [false, true, true, true]);
        assert_eq!(kept(html, 0.01), [false, false, false, true]);
        let other = html.replace("following:", "following.");
        assert_eq!(kept(&other, 0.1), [false, false, false, true]);
    }
}
