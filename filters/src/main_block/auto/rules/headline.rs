//! Keeps the headline, and the `<summary>` of each `<details>` of which something is kept.

use super::Context;
use crate::html::tag::Tag;

pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let headline = page.headline.node.filter(|_| context.keep_headline);
    for (block, kept) in blocks.list.iter().zip(&mut *kept) {
        *kept |= headline.is_some_and(|node| page.contains(node, block.container));
    }
    // How many are kept before each one: a summary is asked about all of its details, which may hold many.
    let mut kept_before = vec![0];
    for &kept in &*kept {
        kept_before.push(kept_before[kept_before.len() - 1] + usize::from(kept));
    }
    for (index, block) in blocks.list.iter().enumerate() {
        if page.tag(block.container) == Some(Tag::Summary) {
            let details = blocks.inside(page, page.parent(block.container));
            kept[index] |= kept_before[details.start] < kept_before[details.end];
        }
    }
}
