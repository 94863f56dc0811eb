//! What readers wrote below an article, where the page calls it so twice: by the name of the element and by its heading ("24 comments").

use super::Context;
use crate::{
    html::{NodeId, attribute_hints::class_hints::ClassHint},
    vocabulary::{self, Class},
};

/// Words of the heading, at most.
const HEADING_WORDS: f32 = 6.0;

/// Takes it out with its heading.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let says_comments = |at: usize| {
        let block = &blocks.list[at];
        block.stats.words <= HEADING_WORDS
            && vocabulary::hits(blocks.text(page, block)).any & Class::Comments.bit() != 0
    };
    let holds_headline = |id: NodeId| page.headline.node.is_some_and(|node| page.contains(id, node));
    let mut over = NodeId::DOCUMENT;
    for id in page.live(page.body()).skip(1) {
        if id < over
            || page.hints(id).class_hints & ClassHint::Comment.bit() == 0
            || page.tag(id).is_none_or(|tag| !tag.is_block())
        {
            continue;
        }
        let own = blocks.inside(page, id);
        let is_below_text = kept[..own.start].iter().zip(&blocks.list).any(|(kept, block)| *kept && block.is_long());
        if own.len() > 1 && is_below_text && !holds_headline(id) && says_comments(own.start) {
            over = page.end(id);
            kept[own].fill(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{main_block::auto::blocks::TextBlocks, testing::page};

    #[test]
    fn comments_go_where_name_and_heading_call_them_so() {
        let text = format!("<p>{}</p>", "The tide was out and the boats lay on the sand. ".repeat(3));
        let left = |html: &str| {
            let page = page(&format!("{text}{html}"));
            let blocks = TextBlocks::from_page(&page, &[]);
            let kept = super::super::proposed(&page, &blocks, 0.5, vec![true; blocks.list.len()], drop);
            kept.iter().filter(|kept| **kept).count()
        };
        assert_eq!(left("<section class=comments><h3>24 Comments</h3><p>I have read this.</p></section>"), 1);
        assert_eq!(left("<section class=comments><h3>Why we wrote this</h3><p>I have read this.</p></section>"), 3);
        assert_eq!(left("<section><h3>24 Comments</h3><p>I have read this.</p></section>"), 3);
    }
}
