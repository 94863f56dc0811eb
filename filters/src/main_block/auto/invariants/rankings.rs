//! Keeps or drops as one the rows of a ranking that no table holds: elements alike that count up, each with a name and a number.

use super::super::blocks::TextBlocks;
use crate::html::{NodeId, Page};

/// Rows from which they are a ranking.
const LEAST: usize = 5;

/// Words of a row: fewer are the numbers of pages, more are texts.
const WORDS: std::ops::RangeInclusive<f32> = 3.0..=25.0;

/// Share of the rows from which all of them are kept.
const SOME: usize = 5;

/// The rows of a ranking that is open.
struct Rows {
    around: NodeId,
    number: u32,
    /// The first blocks of the rows.
    starts: Vec<usize>,
}

/// Keeps all rows where one of five is kept.
pub(super) fn keep(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let mut open: Option<Rows> = None;
    for at in 0..blocks.list.len() {
        let Some(number) = rank(page, blocks, at) else { continue };
        let around_both = |rows: &Rows| {
            let last = blocks.list[*rows.starts.last()?].container;
            let around = page.ancestors(blocks.list[at].container).find(|&up| page.contains(up, last))?;
            (rows.starts.len() == 1 || around == rows.around).then_some(around)
        };
        if let Some(rows) = open.as_mut().filter(|rows| number == rows.number + 1)
            && let Some(around) = around_both(rows)
        {
            rows.around = around;
            rows.number = number;
            rows.starts.push(at);
        } else if number == 1
            && let Some(rows) = open.replace(Rows { around: page.body(), number, starts: vec![at] })
        {
            settle(page, blocks, &rows, kept);
        }
    }
    if let Some(rows) = open {
        settle(page, blocks, &rows, kept);
    }
}

/// The number that a text begins with.
fn rank(page: &Page, blocks: &TextBlocks, at: usize) -> Option<u32> {
    let &first = blocks.texts(&blocks.list[at]).first()?;
    let text = page.text(first)?;
    let text = text.trim_start().trim_start_matches('#');
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_rank = text[digits..].chars().next().is_none_or(|next| next.is_whitespace() || matches!(next, '.' | ')'));
    (1..=3).contains(&digits).then_some(())?;
    is_rank.then(|| text[..digits].parse().ok())?
}

fn settle(page: &Page, blocks: &TextBlocks, rows: &Rows, kept: &mut [bool]) {
    let &[first, .., last] = rows.starts.as_slice() else { return };
    let own = blocks.list[last].container;
    let row = page.self_and_ancestors(own).take_while(|&up| up != rows.around).last().unwrap_or(own);
    let end = blocks.inside(page, row).end.max(last + 1);
    let ends = rows.starts[1..].iter().copied().chain([end]);
    let ends_in_number = |end: usize| {
        let text = blocks.texts(&blocks.list[end - 1]).iter().rev().find_map(|&id| page.text(id));
        text.is_some_and(|text| text.contains(|c: char| c.is_ascii_digit()))
    };
    let is_row = |(&start, end): (&usize, usize)| {
        let words: f32 = blocks.list[start..end].iter().map(|block| block.stats.words).sum();
        WORDS.contains(&words) && ends_in_number(end)
    };
    let count = rows.starts.len();
    let of_kept = rows.starts.iter().filter(|&&at| kept[at]).count();
    if count >= LEAST && of_kept > 0 && of_kept * SOME >= count && rows.starts.iter().zip(ends).all(is_row) {
        kept[first..end].fill(true);
    }
}
