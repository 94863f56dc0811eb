//! The headline, and the summaries of details of which something is kept.

use super::Context;
use crate::html::tag::Tag;

pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    for (index, block) in blocks.list.iter().enumerate() {
        let is_headline =
            page.headline.node.is_some_and(|node| context.keep_headline && page.contains(node, block.container));
        if is_headline {
            kept[index] = true;
        } else if page.tag(block.container) == Some(Tag::Summary) {
            let details = blocks.inside(page, page.parent(block.container));
            kept[index] |= kept[details].contains(&true);
        }
    }
}
