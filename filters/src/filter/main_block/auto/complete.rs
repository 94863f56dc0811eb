//! What comes back: texts that had too little chance by themselves and belong to what is kept.
//!
//! | what | file |
//! |---|---|
//! | the standfirst below the headline | `complete/standfirst.rs` |
//! | what a kept heading or a colon announces | `complete/sections.rs` |
//! | what announces a kept list | `complete/announcing.rs` |
//! | what is missing in the middle of a text | `complete/gaps.rs` |
//! | answers with their questions | `complete/questions.rs` |
//! | labels with their values | `complete/labels.rs` |
//! | sections built as those kept | `complete/brothers.rs` |
//! | the same part of every row | `complete/slots.rs` |
//! | what a recipe is made of, and its steps | `complete/recipe.rs` |
//! | notes, last figures, last short sections | `complete/ends.rs` |
//! | what marks of footnotes lead to | `complete/footnotes.rs` |
//! | the goods of a shelf | `complete/goods.rs` |
//! | the price of a product | `complete/price.rs` |
//! | whether it can be had, and what of it is chosen | `complete/stock.rs` |
//! | whose song it is | `complete/verses.rs` |

mod announcing;
mod brothers;
mod ends;
mod footnotes;
mod gaps;
pub(super) mod goods;
mod labels;
mod price;
mod questions;
mod recipe;
mod sections;
mod slots;
mod standfirst;
mod stock;
mod verses;

use super::{Scored, blocks::Blocks};
use crate::{
    kind::KindNow,
    page::{Page, tag::Tag},
};
pub(crate) use ends::NOTE_NAMES as NOTES;

/// Keeps all that beside the kept blocks.
pub(super) fn complete(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    keep_headline: bool,
    kept: &mut [bool],
) {
    keep_headings(page, blocks, keep_headline, kept);
    standfirst::keep(page, blocks, scored, kept);
    sections::complete(page, blocks, scored, kept);
    announcing::keep(page, blocks, scored, kept);
    gaps::fill(page, blocks, scored, kept);
    questions::keep(page, blocks, scored, kept);
    labels::keep(page, blocks, scored, kind, kept);
    brothers::keep(page, blocks, scored, kind, kept);
    slots::keep(page, blocks, scored, kind, kept);
    recipe::keep(page, blocks, kind, kept);
    ends::keep(page, blocks, scored, kind, kept);
    footnotes::keep(page, blocks, kind, kept);
    goods::keep(page, blocks, kind, kept);
    price::keep(page, blocks, kind, kept);
    stock::keep(page, blocks, kind, kept);
    verses::keep(page, blocks, kept);
}

/// Keeps the headline, if anything is kept, and the summary of details that are.
fn keep_headings(page: &Page, blocks: &Blocks, keep_headline: bool, kept: &mut [bool]) {
    if !kept.contains(&true) {
        return;
    }
    for (index, block) in blocks.list.iter().enumerate() {
        let is_headline = page
            .headline
            .node
            .is_some_and(|node| keep_headline && page.contains(node, block.container));
        if is_headline {
            kept[index] = true;
        } else if page.tag(block.container) == Some(Tag::Summary) {
            let details = page.parent(block.container);
            let after = blocks.list[index..].iter().zip(&kept[index..]);
            kept[index] |= after
                .take_while(|(block, _)| page.contains(details, block.container))
                .any(|(_, &kept)| kept);
        }
    }
}
