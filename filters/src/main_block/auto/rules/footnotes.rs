//! Footnotes: a short text at the end of a page, "Emphasis mine. ↩", has a probability near zero by itself, and its mark in the kept text
//! would lead nowhere. What a mark in a kept text leads to stays.
//!
//! A mark is a link of a few characters, of which one at most is a letter ("1", "[12]", "*", "[a]", "注3"), or of names and a year
//! ("Ash and Birch, 2021"), to a place further down on the same page.

use std::collections::HashMap;

use html5ever::local_name;

use super::{super::blocks::TextBlocks, Context};
use crate::html::attribute_hints::class_hints::{Landmark, RegionHints};
use crate::html::{NodeId, Page, tag::Tag};

/// Visible characters of a mark, at most: "[123]". Lower: marks of long texts. Higher: links of a word to the chapter about it.
const MARK: usize = 5;

/// Visible characters of a mark that ends in a year, at most: "[Miller and Smith 1998]".
const NAMES: usize = 40;

/// Words of a note, at most: notes of lawyers and historians. Longer ones have a probability by themselves.
const WORDS: f32 = 200.0;

/// Elements around a note that may be hidden.
const LEVELS: usize = 4;

/// Marks that are looked at, at most.
const MARKS: usize = 2000;

/// Keeps them.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let marks = marks(page, blocks, kept);
    if marks.is_empty() {
        return;
    }
    let mut notes = Vec::new();
    for id in page.live(page.body()) {
        let named = [local_name!("id"), local_name!("name")];
        let mark = named.iter().filter_map(|name| page.attribute(id, name)).find_map(|name| marks.get(name).copied());
        if mark.is_none_or(|mark| mark > id) {
            continue;
        }
        let note = blocks.over(page, note_of(page, id));
        let words: f32 = blocks.list[note.clone()].iter().map(|block| block.stats.words).sum();
        if words <= WORDS && !is_hidden(page, id) {
            notes.extend(note.filter(|&at| !kept[at]));
        }
    }
    for at in notes {
        kept[at] = true;
    }
}

/// The places that marks in kept texts lead to, and the marks.
fn marks<'a>(page: &'a Page, blocks: &TextBlocks, kept: &[bool]) -> HashMap<&'a str, NodeId> {
    let mut marks = HashMap::new();
    let texts = blocks.list.iter().zip(kept);
    let with_links = texts.filter(|(block, kept)| **kept && block.linked > 0.0);
    for (block, _) in with_links {
        // Rows of page numbers, letters of an index.
        if block.linked * 2.0 > block.chars {
            continue;
        }
        for &text in blocks.texts(block) {
            if !page.in_link(text) || !(1..=NAMES).contains(&page.own_chars(text)) {
                continue;
            }
            let link = page
                .ancestors(text)
                .take_while(|&up| up >= block.container)
                .find(|&up| page.tag(up) == Some(Tag::A))
                .filter(|&link| is_mark(page, text, page.chars(link)));
            let place = link.and_then(|link| page.attribute(link, &local_name!("href")));
            if let Some(place) = place.and_then(|place| place.trim().strip_prefix('#'))
                && marks.len() < MARKS
            {
                marks.entry(place).or_insert(text);
            }
        }
    }
    marks
}

/// Whether a script would show a note when its mark is touched: without it, it would stand where its mark does, in the middle of a line.
fn is_hidden(page: &Page, note: NodeId) -> bool {
    page.self_and_ancestors(note).take(1 + LEVELS).any(|up| RegionHints::new(page, up).is(Landmark::Hidden))
}

fn is_mark(page: &Page, text: NodeId, chars: usize) -> bool {
    let Some(text) = page.text(text) else { return false };
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    // "Ash 2021b)"
    let last = text.trim_end_matches([')', ']', 'a', 'b', 'c']).rsplit(' ').next().unwrap_or_default();
    let is_year = || last.parse().is_ok_and(|year| (1500..2100).contains(&year));
    chars <= MARK && letters <= 1 || chars <= NAMES && is_year()
}

/// The note that a place is the beginning of: the item, paragraph or cell that it is or stands in.
fn note_of(page: &Page, place: NodeId) -> NodeId {
    let is_note = |id: &NodeId| page.tag(*id).is_some_and(|tag| tag.is_block() || matches!(tag, Tag::Td | Tag::Th));
    let note = page.self_and_ancestors(place).find(is_note);
    note.filter(|&note| note != page.body()).unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// Applies the rule to a page where the texts that begin with "kept" are kept.
    fn kept(html: &str) -> Vec<bool> {
        let page = page(html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let is_kept = |block| blocks.text(&page, block).starts_with("kept");
        let all = blocks.list.iter().map(is_kept).collect();
        super::super::proposed(&page, &blocks, 0.05, all, keep)
    }

    const TEXT: &str = "<p>kept and so the clock went on<sup><a href=#fn1 id=r1>[1]</a></sup>, as all clocks do, \
        whoever winds them, and in whatever tower they may hang, until somebody comes and takes the weights away for good.</p>";

    #[test]
    fn what_a_mark_leads_to_stays() {
        for note in [
            "<ol><li id=fn1>Emphasis mine. <a href=#r1>↩</a></ol>",
            "<p><a name=fn1>1</a> Emphasis mine.</p>",
            "<table><tr><td><sup id=fn1>1</sup> Emphasis mine.</table>",
        ] {
            assert_eq!(kept(&format!("{TEXT}{note}")), [true, true], "{note}");
            assert_eq!(kept(&format!("{note}{TEXT}")), [false, true], "{note}");
        }
        for mark in ["Ash and Birch, 2021", "(Ash 2021b)"] {
            let text = TEXT.replace("[1]", mark);
            assert_eq!(kept(&format!("{text}<p id=fn1>Ash (2021). Bells.</p>")), [true, true], "{mark}");
        }
        let hidden = format!("{TEXT}<div style='display: none'><p id=fn1>Mine.</p></div>");
        assert_eq!(kept(&hidden), [true, false]);
    }

    #[test]
    fn links_of_words_and_rows_of_numbers_are_no_marks() {
        let note = "<p id=fn1>Emphasis mine.</p>";
        for text in [
            TEXT.replace("[1]", "the clock of the tower"),
            TEXT.replace("[1]", "the flood that took the tower, and its bells, in 1921"),
            TEXT.replace("[1]", "Reply"),
            TEXT.replace("#fn1", "/x#fn1"),
            "<p><a href=#fn1>kept</a> <a href=#fn2>2</a></p>".to_owned(),
            TEXT.replace("kept", "lost"),
        ] {
            let all = kept(&format!("{text}{note}"));
            assert!(!all[1], "{text}");
        }
    }
}
