//! Where on the page the block stands: its order, the heading above it, the headline.

use super::{Base, Family, RowSink, log, ratio};
use crate::html::{NodeId, tag::Tag};

/// Blocks that a heading reaches at most.
const REACH: usize = 40;

pub(super) struct PlaceOnPage {
    /// Words before each block.
    before: Vec<f32>,
    /// The last heading at or before each block, by block.
    heading: Vec<Option<usize>>,
    /// The first block that does not stand before the headline.
    headline: Option<usize>,
}

impl PlaceOnPage {
    pub(super) fn new(base: &Base<'_>) -> PlaceOnPage {
        let mut words = 0.0;
        let mut last = None;
        let (mut before, mut heading) = (Vec::new(), Vec::new());
        for (index, block) in base.blocks.list.iter().enumerate() {
            before.push(words);
            words += block.stats.words;
            if heading_level(base.page.tag(block.container)) > 0.0 {
                last = Some(index);
            }
            heading.push(last.filter(|&at| index - at < REACH));
        }
        let headline =
            base.page.headline.node.map(|node| base.blocks.list.partition_point(|block| block.container < node));
        PlaceOnPage { before, heading, headline }
    }
}

impl Family for PlaceOnPage {
    fn add(&self, base: &Base<'_>, index: usize, _: &[NodeId], row: &mut impl RowSink) {
        let list = &base.blocks.list;
        let heading = self.heading[index];
        let distance = heading.map_or(REACH as f32 * 2.0, |at| (index - at) as f32);
        let level = heading.map_or(0.0, |at| heading_level(base.page.tag(list[at].container)));
        row.add("heading_distance", distance);
        row.add("heading_above", level);
        row.add("heading_words", heading.map_or(-1.0, |at| log(list[at].stats.words)));
        let from_headline = self.headline.map(|at| index as f32 - at as f32);
        let side = from_headline.map_or(0.0, |away| if away >= 0.0 { 1.0 } else { -1.0 });
        row.add("after_headline", side);
        row.add("headline_distance", from_headline.unwrap_or(-100.0));
        let (before, total) = (self.before[index], base.total_words());
        row.add("position", ratio(index as f32, list.len() as f32));
        row.add("words_before", ratio(before, total));
        row.add("words_before_log", log(before));
        row.add("words_after_log", log((total - before - list[index].stats.words).max(0.0)));
    }
}

fn heading_level(tag: Option<Tag>) -> f32 {
    match tag {
        Some(Tag::H1) => 1.0,
        Some(Tag::H2) => 2.0,
        Some(Tag::H3) => 3.0,
        Some(Tag::H4) => 4.0,
        Some(Tag::H5) => 5.0,
        Some(Tag::H6) => 6.0,
        _ => 0.0,
    }
}
