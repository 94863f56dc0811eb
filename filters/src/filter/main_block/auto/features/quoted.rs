//! What a block says that others on the page have said or will say: the quote above an answer, the teaser of a text that
//! follows. Texts are compared by shingles, runs of four words (Broder, *On the Resemblance and Containment of Documents*, 1997), so
//! that a quote that was cut is still one.
//!
//! Measured on WCXB dev, 2026-11-21, five folds, scores alone: word F1 .8709 without, .8726 with it; forums .786 and .795.

use std::collections::HashMap;

use super::{Base, Family, Row, numbers::Secret, ratio};
use crate::{dom::count, page::NodeId};

pub(super) struct Quoted {
    /// The first and the last block that has a shingle.
    said: HashMap<u64, (u32, u32), Secret>,
    /// The first block of each text, by its hash.
    first: HashMap<u64, u32, Secret>,
}

impl Quoted {
    pub(super) fn of(base: &Base<'_>) -> Quoted {
        let blocks = base.blocks;
        let mut said: HashMap<u64, (u32, u32), Secret> =
            HashMap::with_capacity_and_hasher(blocks.shingle_count(), Secret);
        let mut first = HashMap::with_capacity_and_hasher(blocks.list.len(), Secret);
        for (index, block) in blocks.list.iter().enumerate() {
            let index = count(index);
            first.entry(block.stats.hash).or_insert(index);
            for &shingle in blocks.shingles(block) {
                said.entry(shingle).or_insert((index, index)).1 = index;
            }
        }
        Quoted { said, first }
    }
}

impl Family for Quoted {
    fn add(&self, base: &Base<'_>, index: usize, _: &[NodeId], row: &mut Row<'_>) {
        let block = &base.blocks.list[index];
        let index = count(index);
        let shingles = base.blocks.shingles(block);
        let (mut before, mut after) = (0.0, 0.0);
        for (first, last) in shingles.iter().filter_map(|shingle| self.said.get(shingle)) {
            before += f32::from(u8::from(*first < index));
            after += f32::from(u8::from(*last > index));
        }
        let all = shingles.len() as f32;
        row.flag(
            "copied",
            self.first
                .get(&block.stats.hash)
                .is_some_and(|&first| first < index),
        );
        row.add("said_before", ratio(before, all));
        row.add("said_after", ratio(after, all));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        filter::main_block::auto::{blocks::Blocks, features::Table},
        testing::page,
    };

    fn column(html: &str, name: &str) -> Vec<f32> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let mut names = Vec::new();
        let table = Table::of(&page, &blocks, Some(&mut names));
        let at = names.iter().position(|known| known == name).unwrap();
        table
            .values
            .chunks(table.width)
            .map(|row| row[at])
            .collect()
    }

    #[test]
    fn a_quote_is_said_before_and_its_source_after() {
        let html = "<p>one two three four five six</p><blockquote>Two, three four five … six</blockquote><p>seven</p>";
        assert_eq!(column(html, "said_before"), [0.0, 1.0, 0.0]);
        assert_eq!(column(html, "said_after"), [2.0 / 3.0, 0.0, 0.0]);
        assert_eq!(column(html, "copied"), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_a_block_says_twice_itself_is_no_quote() {
        let html = "<p>a b c d a b c d</p><p>Reply</p><p>Reply</p>";
        assert_eq!(column(html, "said_before"), [0.0, 0.0, 0.0]);
        assert_eq!(column(html, "copied"), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn characters_without_spaces_are_words_here() {
        let html = "<p>庭が静かです。</p><blockquote>庭が静かです</blockquote>";
        assert_eq!(column(html, "said_before"), [0.0, 1.0]);
    }
}
