//! Figures, tables of data and lists: a line below a picture, "The tower at noon", the cells of a small table, or "200 g flour" with a
//! box to tick look like any other short lines, and the picture goes where its caption goes. A `<figure>` with a picture and a table of
//! data that are siblings of kept text stay with it (HTML Living Standard § 4.4.12: what the main flow refers to); a list stays between
//! two such texts, for what other pages there are stands below the last.

use std::ops::Range;

use super::{super::blocks::TextBlocks, Context};
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure,
};

/// Keeps them.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let before = Before::new(blocks, kept);
    for id in page.live(page.body()) {
        if !is_companion(page, id) {
            continue;
        }
        let is_list = matches!(page.tag(id), Some(Tag::Ul | Tag::Ol));
        let own = blocks.inside(page, id);
        let around = blocks.inside(page, page.parent(id));
        let is_below = before.has_text(around.start..own.start);
        let is_above = before.has_text(own.end..around.end);
        let is_beside_text = if is_list { is_below && is_above } else { is_below || is_above };
        if is_beside_text && !before.is_linked(own.clone()) {
            kept[blocks.over(page, id)].fill(true);
        }
    }
}

/// Sums over all blocks before each one, so that a range is known by its ends, however many lists one element holds.
struct Before(Vec<KeptSums>);

#[derive(Clone, Copy, Default)]
struct KeptSums {
    chars: f64,
    linked: f64,
    /// Kept texts of running prose.
    texts: usize,
}

impl Before {
    fn new(blocks: &TextBlocks, kept: &[bool]) -> Before {
        let mut sums = KeptSums::default();
        let rest = blocks.list.iter().zip(kept).map(|(block, &kept)| {
            sums.chars += f64::from(block.chars);
            sums.linked += f64::from(block.linked);
            sums.texts += usize::from(kept && block.is_long());
            sums
        });
        Before(std::iter::once(KeptSums::default()).chain(rest).collect())
    }

    fn has_text(&self, range: Range<usize>) -> bool {
        // Text may stand around an element as well as before it, so that the range ends before it begins.
        range.start < range.end && self.0[range.end].texts > self.0[range.start].texts
    }

    /// Whether most of the characters stand in links.
    fn is_linked(&self, range: Range<usize>) -> bool {
        let (from, to) = (self.0[range.start], self.0[range.end]);
        (to.linked - from.linked) * 2.0 > to.chars - from.chars
    }
}

fn is_companion(page: &Page, id: NodeId) -> bool {
    match page.tag(id) {
        Some(Tag::Figure) => {
            page.live(id).any(|id| matches!(page.tag(id), Some(Tag::Img | Tag::Svg | Tag::Video | Tag::Canvas)))
        }
        Some(Tag::Table) => measure::table::is_data(page, id),
        Some(Tag::Ul | Tag::Ol) => true,
        _ => false,
    }
}
