//! Keeps what belongs to the page after the last kept text: questions whose answers unfold, tables of facts under a
//! heading, lists that a text announces.

use html5ever::local_name;

use super::{
    super::blocks::{TextBlock, TextBlocks},
    between::{announces, stands_well},
    heading_of, scope,
};
use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
    measure::table,
    vocabulary::words::is_question,
};

/// Questions alike from which they are those that the page answers.
const QUESTIONS: usize = 3;

/// Words of a question. Fewer are buttons ("Forgot password?"), more are texts.
const QUESTION_WORDS: std::ops::RangeInclusive<f32> = 3.0..=30.0;

/// Words of an answer, at most.
const ANSWER_WORDS: f32 = 250.0;

/// Keeps all of it.
pub(super) fn keep(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let Some(last) = kept.iter().rposition(|&kept| kept) else { return };
    let end = blocks.list[last].container;
    keep_answered(page, blocks, end, kept);
    keep_facts(page, blocks, last, kept);
    keep_announced(page, blocks, kept);
}

/// Keeps questions that look alike, each with its answer.
fn keep_answered(page: &Page, blocks: &TextBlocks, end: NodeId, kept: &mut [bool]) {
    let list = &blocks.list;
    let asks = |at: usize| {
        let block = &list[at];
        QUESTION_WORDS.contains(&block.stats.words)
            && leads_nowhere(page, blocks, block)
            && blocks.texts(block).iter().rev().find_map(|&id| page.text(id)).is_some_and(|text| is_question(&text))
    };
    let questions: Vec<usize> = (0..list.len()).filter(|&at| asks(at)).collect();
    if questions.len() < QUESTIONS {
        return;
    }
    let mut alike: Table<_, Vec<(usize, usize)>> = Table::default();
    for (number, &at) in questions.iter().enumerate() {
        let container = list[at].container;
        let own = heading_of(page, container).unwrap_or(container);
        let next = questions.get(number + 1).copied().unwrap_or(list.len());
        let until = blocks.inside(page, scope(page, blocks, own)).end.min(next);
        let mut words = 0.0;
        let is_answer = |&other: &usize| {
            words += list[other].stats.words;
            let is_linked = list[other].linked * 2.0 > list[other].chars;
            !is_linked && words <= ANSWER_WORDS && heading_of(page, list[other].container).is_none()
        };
        let answer = (at + 1..until).take_while(is_answer).count();
        if answer > 0 && stands_well(page, container, &[end]) {
            alike.entry((page.tag(own), page.first_class(own))).or_default().push((at, at + 1 + answer));
        }
    }
    for (from, to) in alike.into_values().filter(|those| those.len() >= QUESTIONS).flatten() {
        kept[from..to].fill(true);
    }
}

/// Whether a text has no links, or such as only unfold something.
fn leads_nowhere(page: &Page, blocks: &TextBlocks, block: &TextBlock) -> bool {
    let unfolds = |link: NodeId| {
        let to = page.attribute(link, &local_name!("href")).map_or("", str::trim);
        to.starts_with('#') || to.starts_with("javascript:")
    };
    block.linked == 0.0 || blocks.links(page, block).all(unfolds)
}

/// Keeps tables of facts under a heading of their own.
fn keep_facts(page: &Page, blocks: &TextBlocks, last: usize, kept: &mut [bool]) {
    if !page.has_any(&[Tag::Table]) {
        return;
    }
    let after = blocks.list[last].container;
    for id in page.live(page.body()).filter(|&id| id > after && page.tag(id) == Some(Tag::Table)) {
        let own = blocks.inside(page, id);
        let Some(above) = own.start.checked_sub(1).filter(|_| own.start > last && !own.is_empty()) else { continue };
        let is_headed = heading_of(page, blocks.list[above].container)
            .is_some_and(|heading| page.contains(scope(page, blocks, heading), id));
        let (linked, chars) = blocks.list[own.clone()]
            .iter()
            .fold((0.0, 0.0), |(linked, chars), block| (linked + block.linked, chars + block.chars));
        if is_headed && linked * 2.0 <= chars && table::is_data(page, id) && stands_well(page, id, &[after]) {
            kept[own].fill(true);
        }
    }
}

/// Keeps a list directly below a kept text that announces it. Links at the end of a page are announced in a sentence of some length, or they
/// lead to other articles.
fn keep_announced(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let end_of_kept = kept.iter().rposition(|&kept| kept).unwrap_or_default();
    let announced: Vec<_> = (0..kept.len().saturating_sub(1))
        .filter(|&at| kept[at] && !kept[at + 1] && announces(page, blocks, at))
        .filter_map(|at| {
            let text = blocks.list[at].container;
            let next = page.live_siblings_after(text).find(|&next| page.tag(next).is_some());
            let list = next.filter(|&next| matches!(page.tag(next), Some(Tag::Ul | Tag::Ol | Tag::Dl)))?;
            let own = blocks.inside(page, list);
            let are_links = || blocks.list[own.clone()].iter().all(|block| block.linked * 2.0 > block.chars);
            let is_part = blocks.list[at].is_long() || own.end <= end_of_kept || !are_links();
            (is_part && stands_well(page, list, &[text])).then_some(own)
        })
        .collect();
    for own in announced {
        kept[own].fill(true);
    }
}
