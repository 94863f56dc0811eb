//! What a reader may rely on, whatever was chosen: what is one thing stays or goes as one, a kept text keeps its heading, and a shop
//! keeps prices. Enforced here, after the choice and all rules, and nowhere else.

use std::iter;

use super::blocks::Blocks;
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure::table,
    page_type::prices,
};

/// Share of the words of a unit from which the rest is kept too; below it the unit goes.
const MOST: f32 = 0.4;

/// Words of an item of a list that is one thing. Longer ones are posts, or texts of their own.
const ITEM_WORDS: f32 = 60.0;

/// Makes a choice keep or drop units as one, and headings with their text.
pub(super) fn enforce(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    keep_units(page, blocks, kept);
    keep_headings(page, blocks, kept);
}

/// Rows of data tables, short items of lists, terms with what is said of them, questions that unfold with their answers.
fn keep_units(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let mut table_end = NodeId::DOCUMENT;
    for id in page.live(page.body()) {
        let is_unit = match page.tag(id) {
            Some(Tag::Table) if id >= table_end => {
                if table::is_data(page, id) {
                    table_end = page.end(id);
                }
                false
            }
            Some(Tag::Tr) => id < table_end,
            Some(Tag::Li | Tag::Dd | Tag::Details) => true,
            _ => false,
        };
        if is_unit {
            settle(page, blocks, id, kept);
        }
    }
}

/// Keeps or drops a unit of which a part is kept.
fn settle(page: &Page, blocks: &Blocks, unit: NodeId, kept: &mut [bool]) {
    let mut inside = blocks.inside(page, unit);
    // What is said of a term begins with the term.
    if page.tag(unit) == Some(Tag::Dd) && inside.start > 0 {
        let before = blocks.list[inside.start - 1].container;
        inside.start -= usize::from(page.tag(before) == Some(Tag::Dt));
    }
    let (mut all, mut of_kept) = (0.0, 0.0);
    for (block, &kept) in blocks.list[inside.clone()].iter().zip(&kept[inside.clone()]) {
        all += block.stats.words;
        of_kept += if kept { block.stats.words } else { 0.0 };
    }
    let is_parted = of_kept > 0.0 && kept[inside.clone()].contains(&false);
    let holds_headline = page.headline.node.is_some_and(|node| page.contains(unit, node));
    let is_one = all <= ITEM_WORDS || page.tag(unit) != Some(Tag::Li) && !holds_headline;
    if is_parted && is_one {
        kept[inside].fill(holds_headline || of_kept >= MOST * all);
    }
}

/// Keeps the heading right above a kept text, in the same element.
fn keep_headings(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    for at in (1..kept.len()).rev() {
        if kept[at]
            && !kept[at - 1]
            && let Some(heading) = heading_of(page, blocks.list[at - 1].container)
            && page.contains(page.parent(heading), blocks.list[at].container)
        {
            kept[at - 1] = true;
        }
    }
}

/// The heading that an element is, or that it is a box of.
fn heading_of(page: &Page, id: NodeId) -> Option<NodeId> {
    const LEVELS: usize = 2;
    let mut around = iter::once(id).chain(page.ancestors(id).take(LEVELS));
    around.find(|&up| page.tag(up).is_some_and(Tag::is_heading))
}

/// How many prices each block tells.
pub(super) fn prices_of(page: &Page, blocks: &Blocks) -> Vec<usize> {
    blocks.list.iter().map(|block| prices(&blocks.text(page, block))).collect()
}

/// Whether a choice would leave none of the prices of a page, of which it has so many at least.
pub(super) fn loses_all(prices: &[usize], kept: &[bool], least: usize) -> bool {
    let is_left = prices.iter().zip(kept).any(|(&count, &kept)| kept && count > 0);
    !is_left && prices.iter().sum::<usize>() >= least
}

#[cfg(test)]
mod tests;
