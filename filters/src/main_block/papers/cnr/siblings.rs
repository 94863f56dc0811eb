//! Algorithm 2: from a start set to the blocks around it, and the one with most text.

use super::Ratio;
use crate::html::{NodeId, Page};

/// Children of a node that are blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Children {
    pub(crate) blocks: u32,
    pub(crate) chars: u32,
}

/// Algorithm 2: the siblings of the set replaced by their parents until no two are left. `merges` says whether the node of
/// a row takes the place of its children that are blocks; as printed, where there are two.
pub(crate) fn relevant_blocks(
    page: &Page,
    start: Vec<bool>,
    ratios: &[Ratio],
    merges: impl Fn(usize, Children) -> bool,
) -> Vec<bool> {
    let mut blocks = without_descendants(page, start);
    let mut children = vec![Children::default(); blocks.len()];
    // Rows from last to first meet children before parents.
    for row in (1..blocks.len()).rev() {
        let id = NodeId::from_row(row);
        if merges(row, children[row]) {
            let siblings: Vec<NodeId> = page.live_children(id).collect();
            for sibling in siblings {
                blocks[sibling.index()] = false;
            }
            blocks[row] = true;
        }
        if blocks[row] {
            let parent = &mut children[page.parent(id).index()];
            parent.blocks += 1;
            parent.chars += ratios[row].chars;
        }
    }
    blocks
}

/// Line (1) of Algorithm 2: a block inside another block of the set says nothing of its own.
fn without_descendants(page: &Page, mut blocks: Vec<bool>) -> Vec<bool> {
    let mut skip_to = 0;
    for (row, block) in blocks.iter_mut().enumerate() {
        if row < skip_to {
            *block = false;
        } else if *block {
            skip_to = page.end(NodeId::from_row(row)).index();
        }
    }
    blocks
}

pub(super) fn block_with_most_text(blocks: &[bool], ratios: &[Ratio]) -> Option<NodeId> {
    let mut best: Option<(u32, usize)> = None;
    for (row, _) in blocks.iter().enumerate().filter(|(_, marked)| **marked) {
        let chars = ratios[row].chars;
        if best.is_none_or(|(most, _)| chars > most) {
            best = Some((chars, row));
        }
    }
    best.map(|(_, row)| NodeId::from_row(row))
}
