//! What is shown twice is kept once: a run of texts that repeats what stands just before it. Pages carry such copies for screens
//! of another width and choose between them by style sheets that are loaded later, or by programs; here both would be shown.
//!
//! Only a run that follows its original at once, from another element of the page: what an author repeats (a refrain, the steps of
//! each week, the same note below every offer) stands beside its original in one list, or has words of its own before it.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8747 with it and .8723 without. Where runs of 12 words count, or those with as
//! much as half of their words in between, it is the same within .0003; copies at any distance would give .0016 more, and take
//! what terms of contract, documentation and offers say of each of their things.

use std::iter;

use super::{super::blocks::TextBlock, Context};
use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
};

/// Words of a run. Lower: labels, and lines that are alike by chance, are taken for copies.
const LEAST_WORDS: f32 = 20.0;

/// Words between a run and its copy, as a share of its own. Higher: what an author says twice is taken for a copy.
const GAP: f32 = 0.2;

/// How many earlier places of one text are looked at, the nearest first: a bound on the work.
const PLACES: usize = 8;

/// Drops copies from the kept blocks.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let run: Vec<usize> =
        (0..blocks.list.len()).filter(|&index| kept[index] && blocks.list[index].stats.words > 0.0).collect();
    let shown: Vec<&TextBlock> = run.iter().map(|&index| &blocks.list[index]).collect();
    let before = earlier(&shown);
    // Texts and words that are left before each place: of three copies the third follows the first where the second is gone.
    let mut left_before = vec![(0, 0.0)];
    let mut at = 0;
    while at < shown.len() {
        for place in left_before.len() - 1..at {
            let (texts, words) = left_before[place];
            let is_left = kept[run[place]];
            left_before.push(if is_left { (texts + 1, words + shown[place].stats.words) } else { (texts, words) });
        }
        let (from, length) = longest(&shown, &before, at);
        let words: f32 = shown[at..at + length].iter().map(|block| block.stats.words).sum();
        let ((texts_from, words_from), (texts_to, words_to)) = (left_before[from + length], left_before[at]);
        let follows = texts_to - texts_from <= 1 || words_to - words_from <= GAP * words;
        if words >= LEAST_WORDS && length > 0 && follows && !stand_together(page, shown[from], shown[at]) {
            for &index in &run[at..at + length] {
                kept[index] = false;
            }
        }
        at += length.max(1);
    }
}

/// For each text, where it stands before.
fn earlier(shown: &[&TextBlock]) -> Vec<Option<usize>> {
    let mut last = Table::default();
    shown.iter().enumerate().map(|(at, block)| last.insert(block.stats.hash, at)).collect()
}

/// Where the longest run before this place begins that is repeated from it on, and its length.
fn longest(shown: &[&TextBlock], before: &[Option<usize>], at: usize) -> (usize, usize) {
    let mut best = (at, 0);
    let mut place = before[at];
    for _ in 0..PLACES {
        let Some(from) = place else {
            break;
        };
        let pairs = shown[from..at].iter().zip(&shown[at..]);
        let length = pairs.take_while(|(one, other)| one.stats.hash == other.stats.hash).count();
        if length > best.1 {
            best = (from, length);
        }
        place = before[from];
    }
    best
}

/// Whether an author put both there: paragraphs of one text, items of one list, cells of one table, lines of code.
pub(super) fn stand_together(page: &Page, one: &TextBlock, other: &TextBlock) -> bool {
    let holds_rows = |id: NodeId| matches!(page.tag(id), Some(Tag::Table | Tag::Dl | Tag::Pre));
    page.parent(one.container) == page.parent(other.container)
        || iter::once(other.container)
            .chain(page.ancestors(other.container))
            .any(|up| holds_rows(up) && page.contains(up, one.container))
}

#[cfg(test)]
mod tests;
