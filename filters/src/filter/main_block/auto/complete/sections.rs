//! What a kept text announces stays with it: the table below its heading, the list behind its colon, the list inside an item.
//!
//! An address, opening hours, a short list of links have a low chance wherever they stand, and a heading above them has a
//! high one among the headings of an article; judged one by one the heading stays and announces nothing. So:
//!
//! - below a kept heading of whose section nothing is kept, a short section stays;
//! - a list, a table or an address directly behind a kept text that ends with a colon stays;
//! - a list or a table inside an item, a term or a cell of which the text is kept stays.
//!
//! Only what does not look like a menu: the chance, words as weights, is at least [`CHANCE`], [`LINKED_CHANCE`] where most of it
//! is links. What a heading announces and is not kept takes the heading along (`main_block/headings.rs`).

use super::super::{Scored, blocks::Blocks};
use crate::page::{NodeId, Page, tag::Tag};

/// The least chance of what is announced. WCXB dev, 2026-11-21, five folds: word F1 .8712 without any of it, .8710 at .15 and .3,
/// .8707 at .08 and .2: it is for the reader.
const CHANCE: f64 = 0.08;
const LINKED_CHANCE: f64 = 0.3;

/// Words of it, at most: of lists and tables, and of plain texts such as "Monday to Friday, 9 to 18". Higher: paragraphs of which
/// the choice was sure come back.
const LIST_WORDS: f64 = 120.0;
const PLAIN_WORDS: f64 = 25.0;

/// Elements from a heading up to the one that holds its section too.
const LEVELS: usize = 3;

/// Marks every block that a kept one announces.
pub(super) fn complete(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let Some(last) = kept.iter().rposition(|&kept| kept) else {
        return;
    };
    for at in 0..last {
        if kept[at] && !kept[at + 1] {
            let end = announced(page, blocks, kept, at).unwrap_or(at + 1);
            let is_listed = std::iter::once(blocks.list[at + 1].container)
                .chain(page.ancestors(blocks.list[at + 1].container))
                .take_while(|&up| !page.contains(up, blocks.list[at].container))
                .any(|up| is_list(page, up));
            if is_wanted(blocks, scored, at + 1..end, is_listed) {
                kept[at + 1..end].fill(true);
            }
        }
    }
}

/// One past the last block that a block announces.
fn announced(page: &Page, blocks: &Blocks, kept: &[bool], at: usize) -> Option<usize> {
    let container = blocks.list[at].container;
    let next = blocks.list.get(at + 1)?.container;
    // Below the headline stands who wrote what follows, not what it announces.
    if let Some(level) = level(page, container).filter(|&level| level > 1) {
        let scope = page
            .ancestors(container)
            .take(LEVELS)
            .find(|&up| page.contains(up, next))?;
        let end = (at + 1..blocks.list.len())
            .find(|&other| {
                let inner = blocks.list[other].container;
                !page.contains(scope, inner)
                    || self::level(page, inner).is_some_and(|other| other <= level)
            })
            .unwrap_or(blocks.list.len());
        return (!kept[at + 1..end].contains(&true)).then_some(end);
    }
    let list = std::iter::once(next)
        .chain(page.ancestors(next))
        .take_while(|&up| !page.contains(up, container))
        .filter(|&up| is_list(page, up))
        .last();
    let is_inside = |list| match page.tag(container) {
        Some(Tag::Li | Tag::Dd) => page.contains(container, list),
        // What stands in one cell belongs to the other cells of the row.
        Some(Tag::Td | Tag::Th) => page.contains(page.parent(container), list),
        _ => false,
    };
    let list =
        list.filter(|&list| is_inside(list) || blocks.ends_with(page, at, &[':', '\u{ff1a}']))?;
    let end = (at + 1..blocks.list.len())
        .find(|&other| !page.contains(list, blocks.list[other].container))
        .unwrap_or(blocks.list.len());
    (!kept[at + 1..end].contains(&true)).then_some(end)
}

fn is_wanted(
    blocks: &Blocks,
    scored: &[Scored],
    range: std::ops::Range<usize>,
    is_listed: bool,
) -> bool {
    let (mut words, mut hits, mut chars, mut linked) = (0.0, 0.0, 0.0, 0.0);
    for (block, scored) in blocks.list[range.clone()].iter().zip(&scored[range]) {
        words += scored.words;
        hits += scored.words * scored.chance;
        chars += block.chars;
        linked += block.linked;
    }
    let is_linked = linked * 2.0 > chars;
    let least = if is_linked { LINKED_CHANCE } else { CHANCE };
    let most = if is_listed { LIST_WORDS } else { PLAIN_WORDS };
    words > 0.0 && words <= most && hits >= least * words
}

fn is_list(page: &Page, id: NodeId) -> bool {
    matches!(
        page.tag(id),
        Some(Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Address)
    )
}

/// The level of a heading.
fn level(page: &Page, id: NodeId) -> Option<u8> {
    page.tag(id)?.heading_level()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, words};

    /// Which blocks are kept, where those that begin with "kept" are to begin with and the others have this chance.
    fn completed(html: &str, chance: f64) -> Vec<bool> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let scored = Scored::all(&blocks, chance);
        let starts = |block| page.text(blocks.texts(block)[0]).unwrap();
        let list = blocks.list.iter();
        let mut kept: Vec<bool> = list
            .map(|block| starts(block).starts_with("kept"))
            .collect();
        complete(&page, &blocks, &scored, &mut kept);
        kept
    }

    #[test]
    fn a_list_below_a_kept_heading_stays() {
        for list in [
            "<address>street</address>",
            "<table><tr><td>Monday</table>",
            "<ul><li>one</ul>",
            "<p>Monday</p>",
        ] {
            let html = format!("<div><h2>kept</h2>{list}<h2>kept</h2><p>kept</p></div>");
            assert_eq!(completed(&html, 0.1), [true; 4], "{list}");
            assert_eq!(completed(&html, 0.05), [true, false, true, true], "{list}");
        }
        let long = format!("<h2>kept</h2><p>{}</p><h2>kept</h2>", words(30));
        assert_eq!(completed(&long, 0.2), [true, false, true]);
    }

    #[test]
    fn a_list_of_links_must_be_likelier() {
        let html = "<h2>kept</h2><ul><li><a href=/x>one</a></ul><h2>kept</h2>";
        assert_eq!(completed(html, 0.35), [true; 3]);
        assert_eq!(completed(html, 0.15), [true, false, true]);
    }

    #[test]
    fn a_section_of_which_something_is_kept_is_left_as_it_is() {
        let html = "<h2>kept</h2><p>gone</p><h3>kept</h3><p>kept</p>";
        assert_eq!(completed(html, 0.3), [true, false, true, true]);
    }

    #[test]
    fn a_list_behind_a_colon_or_inside_an_item_stays() {
        let html = "<p>kept:</p><ul><li>gloves<li>boots</ul><p>kept</p>";
        assert_eq!(completed(html, 0.2), [true; 4]);
        assert_eq!(
            completed(&html.replace(':', "."), 0.2),
            [true, false, false, true]
        );
        let nested = "<ol><li>kept<ul><li>one</ul><li>kept</ol>";
        assert_eq!(completed(nested, 0.2), [true; 3]);
        let cell = "<table><tr><td>kept<td><table><tr><td>one<td>two</table><tr><td>kept</table>";
        assert_eq!(completed(cell, 0.2), [true; 4]);
    }

    #[test]
    fn what_follows_the_last_kept_text_is_not_announced() {
        assert_eq!(
            completed("<h2>kept</h2><ul><li>one</ul>", 0.3),
            [true, false]
        );
    }
}
