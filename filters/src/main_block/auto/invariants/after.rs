//! Keeps what belongs to the page after the last kept text: questions and names whose answers unfold, tables of facts and files under
//! a heading, lists that a text announces.

use html5ever::local_name;

use super::{
    super::blocks::{TextBlock, TextBlocks},
    between::{announces, leads_to_file, stands_well},
    heading_of, scope,
};
use crate::{
    hashing::Table,
    html::{NodeId, NodeState, Page, tag::Tag},
    measure::table,
    vocabulary::words::is_question,
};

/// Questions alike, or names of what unfolds, from which they are those that the page answers.
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
    keep_files(page, blocks, last, kept);
    keep_announced(page, blocks, kept);
}

/// Keeps questions that look alike, each with its answer, and names of what unfolds (`ignore.dead_controls`), of which each says another
/// thing than "More info".
fn keep_answered(page: &Page, blocks: &TextBlocks, end: NodeId, kept: &mut [bool]) {
    let list = &blocks.list;
    let unfolds = |at: usize| page.state(list[at].container) == NodeState::Unwrapped;
    let asks = |at: usize| {
        let block = &list[at];
        let says = || blocks.texts(block).iter().rev().find_map(|&id| page.text(id));
        let least = if unfolds(at) { 0.0 } else { *QUESTION_WORDS.start() };
        (least..=*QUESTION_WORDS.end()).contains(&block.stats.words)
            && leads_nowhere(page, blocks, block)
            && (unfolds(at) || says().is_some_and(|text| is_question(&text)))
    };
    let questions: Vec<usize> = (0..list.len()).filter(|&at| asks(at)).collect();
    if questions.len() < QUESTIONS {
        return;
    }
    let mut said: Table<u64, usize> = Table::default();
    for &at in &questions {
        *said.entry(list[at].stats.hash).or_default() += 1;
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
        let names = said[&list[at].stats.hash] == 1 || !unfolds(at);
        if answer > 0 && names && stands_well(page, container, &[end]) {
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

/// Keeps links to a few files under a heading of their own: "Downloads".
fn keep_files(page: &Page, blocks: &TextBlocks, last: usize, kept: &mut [bool]) {
    /// More are an archive.
    const FILES: usize = 6;
    let end = blocks.list[last].container;
    let mut at = last + 1;
    while at < blocks.list.len() {
        let own = heading_of(page, blocks.list[at].container)
            .map(|heading| blocks.inside(page, scope(page, blocks, heading)));
        let is_file = |block: &&TextBlock| {
            let mut links = blocks.links(page, block).peekable();
            block.linked * 2.0 > block.chars && links.peek().is_some() && links.all(|link| leads_to_file(page, link))
        };
        let until = own.map_or(at, |own| own.end.max(at + 1));
        let files = blocks.list[(at + 1).min(until)..until].iter().take_while(is_file).count();
        if (1..=FILES).contains(&files)
            && stands_well(page, blocks.list[at].container, &[end])
            && stands_well(page, blocks.list[at + 1].container, &[end])
        {
            kept[at..=at + files].fill(true);
        }
        at += 1 + files;
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
