//! Keeps what is short and stands beside kept text, where its place says that it belongs to that: a note below a table, the last sentence
//! of a text in a box of its own, the score of a review.

use html5ever::local_name;

use super::{
    super::blocks::{TextBlock, TextBlocks},
    between::{is_content, is_flow, leads_to_file, tells_of_text},
    heading_of,
};
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::table,
    vocabulary::{self, any_of::AnyOf},
};

/// Keeps all of it.
pub(super) fn keep(page: &AnalysedPage, blocks: &TextBlocks, kept: &mut [bool]) {
    keep_notes(page, blocks, kept);
    keep_last_sentence(page, blocks, kept);
    keep_score(page, blocks, kept);
    keep_actions(page, blocks, kept);
}

/// Keeps links that look like buttons or lead to files, each directly below a kept text that ends a sentence: what the page is there for
/// ("Start now", "Download"). Many are those of entries, and two that say the same thing are not told apart. In an article a button is an
/// advertisement as often as not.
fn keep_actions(page: &AnalysedPage, blocks: &TextBlocks, kept: &mut [bool]) {
    /// Words of such a link, at most.
    const WORDS: f32 = 8.0;
    const ACTIONS: usize = 3;
    let list = &blocks.list;
    let is_action = |at: usize| {
        let (text, block) = (&list[at - 1], &list[at]);
        let is_short = block.stats.words <= WORDS && block.linked >= block.chars;
        if !is_short || !kept[at - 1] || !text.stats.ends_sentence || text.linked * 2.0 > text.chars {
            return false;
        }
        let mut links = blocks.links(page, block);
        let (Some(link), None) = (links.next(), links.next()) else { return false };
        let alone = page.self_and_ancestors(block.container).take_while(|&up| blocks.inside(page, up) == (at..at + 1));
        let own = alone.last().unwrap_or(link);
        let is_below = page.element_before(own).is_some_and(|before| page.contains(before, text.container));
        is_below
            && (leads_to_file(page, link) || !page.claims.is_text() && is_button(page, link))
            && is_content(page, blocks, block, &[text.container])
    };
    let actions: Vec<usize> = (1..list.len()).filter(|&at| is_action(at)).collect();
    let says_own =
        |&at: &usize| actions.iter().filter(|&&other| list[other].stats.hash == list[at].stats.hash).count() == 1;
    if actions.len() <= ACTIONS {
        for at in actions.iter().copied().filter(says_own) {
            kept[at] = true;
        }
    }
}

/// Whether a link is called a button.
fn is_button(page: &Page, link: NodeId) -> bool {
    const CALLED: AnyOf = AnyOf::new(&["btn", "button", "cta"]);
    let is_called = page.attribute(link, &local_name!("role")) == Some("button") || CALLED.are_in(page.class(link));
    is_called && page.attribute(link, &local_name!("href")).is_some_and(|to| !to.trim_start().starts_with('#'))
}

/// Keeps short texts that stand directly below a kept table of data: what its signs mean, on which days it does not hold.
fn keep_notes(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    /// Words of a note, at most, and notes of a table.
    const WORDS: f32 = 30.0;
    const NOTES: usize = 3;
    if !page.has_any(&[Tag::Table]) {
        return;
    }
    for id in page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Table)) {
        let own = blocks.inside(page, id);
        if own.is_empty() || !kept[own.end - 1] || own.end == kept.len() || kept[own.end] || !table::is_data(page, id) {
            continue;
        }
        // The table, or the box that holds nothing else.
        let around = page.ancestors(id).take_while(|&up| blocks.inside(page, up) == own).last().unwrap_or(id);
        let below =
            page.live_siblings_after(around).map(|next| blocks.inside(page, next)).filter(|own| !own.is_empty());
        let is_note = |own: &std::ops::Range<usize>| {
            let block = &blocks.list[own.start];
            own.len() == 1
                && block.stats.words <= WORDS
                && block.linked == 0.0
                && heading_of(page, block.container).is_none()
                && is_content(page, blocks, block, &[id])
        };
        for note in below.take(NOTES).take_while(is_note) {
            kept[note].fill(true);
        }
    }
}

/// Keeps the sentence directly below the last kept text that stands alone in a box, or with a form: the text ends with it.
fn keep_last_sentence(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    /// Words of it.
    const WORDS: std::ops::RangeInclusive<f32> = 8.0..=60.0;
    let list = &blocks.list;
    let Some(at) = kept.iter().rposition(|&kept| kept) else { return };
    let Some(block) = list.get(at + 1) else { return };
    let end = list[at].container;
    let is_sentence = page.tag(block.container) == Some(Tag::P)
        && WORDS.contains(&block.stats.words)
        && block.stats.ends_sentence
        && block.linked == 0.0;
    if !is_sentence {
        return;
    }
    let own = page.parent(block.container);
    let in_form = |id: NodeId| page.ancestors(id).any(|up| page.tag(up) == Some(Tag::Form));
    let mut inside = blocks.inside(page, own);
    let is_alone = inside.next() == Some(at + 1) && inside.all(|other| in_form(list[other].container));
    if is_alone
        && is_flow(page, blocks, page.parent(own), kept)
        && !tells_of_text(page, block.container)
        && vocabulary::hits(blocks.text(page, block)).any & vocabulary::BOILERPLATE == 0
        && is_content(page, blocks, block, &[end])
    {
        kept[at + 1] = true;
    }
}

/// Keeps the score of a review: the only one on the page, in the text or directly above or below it.
fn keep_score(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let list = &blocks.list;
    let is_text = |at: &usize| kept[*at] && list[*at].is_long();
    let Some(first) = (0..list.len()).find(is_text) else { return };
    let Some(final_text) = (0..list.len()).rev().find(is_text) else { return };
    let mut scores = (0..list.len()).filter(|&at| is_score(page, blocks, &list[at]));
    let Some(score) = scores.next().filter(|_| scores.next().is_none()) else { return };
    let ends = [list[first].container, list[final_text].container];
    let around = page.ancestors(ends[0]).find(|&up| page.contains(up, ends[1])).unwrap_or(page.body());
    let own = list[score].container;
    let is_near = page.contains(around, own) || page.contains(page.parent(around), own);
    if is_near && is_content(page, blocks, &list[score], &ends) {
        kept[score] = true;
    }
}

/// Whether a text is a score, alone or with a word or two: "8.2/10", "Our score: 4 / 5". Where nothing calls it a score, its fraction tells it
/// from the number of a page.
fn is_score(page: &Page, blocks: &TextBlocks, block: &TextBlock) -> bool {
    const WORDS: f32 = 6.0;
    const SCALES: [&str; 4] = ["5", "10", "20", "100"];
    const CALLED: AnyOf = AnyOf::new(&["score", "rating", "verdict", "grade"]);
    if block.stats.words > WORDS || block.stats.dividers == 0.0 || block.linked > 0.0 {
        return false;
    }
    let text = blocks.text(page, block);
    let Some((before, after)) = text.split_once('/') else { return false };
    let number = before.trim_end();
    let number = &number[number.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')).len()..];
    let is_called = || page.self_and_ancestors(block.container).take(3).any(|up: NodeId| CALLED.are_in(page.class(up)));
    !number.is_empty() && SCALES.contains(&after.trim()) && (number.contains(['.', ',']) || is_called())
}
