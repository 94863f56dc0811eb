//! The next article of an endless page: an `<article>` behind the one of the headline, with a headline of its own.

use super::Context;
use crate::html::tag::Tag;

pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let article_of = |id| page.ancestors(id).find(|&up| page.tag(up) == Some(Tag::Article));
    let Some(own) = page.headline.node.and_then(article_of) else {
        return;
    };
    let level = page.headline.node.and_then(|node| page.tag(node)?.heading_level());
    for next in page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Article)) {
        let is_behind = next >= page.end(own);
        let is_one = is_behind
            && page.live(next).any(|id| level.is_some() && page.tag(id).and_then(Tag::heading_level) == level);
        if is_one {
            kept[blocks.over(page, next)].fill(false);
        }
    }
}
