//! Buttons between the paragraphs of a text that ask its reader to subscribe, to share it or to write a comment.

use super::Context;
use crate::{
    html::tag::Tag,
    main_block::auto::blocks::TextBlock,
    vocabulary::{self, Class},
};

const PROMPTS: u32 = Class::Share.bit()
    | Class::Newsletter.bit()
    | Class::Follow.bit()
    | Class::Comments.bit()
    | Class::Support.bit()
    | Class::Action.bit();

/// Words of a button, at most.
const MOST_WORDS: f32 = 5.0;

/// Takes out paragraphs that are one short link with such words, between or below paragraphs.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let list = &context.blocks.list;
    for at in 1..list.len() {
        let block = &list[at];
        let is_button = kept[at]
            && block.stats.words <= MOST_WORDS
            && block.link_density() >= 1.0
            && matches!(context.page.tag(block.container), Some(Tag::P | Tag::Div))
            && (list[at - 1].is_long() || list.get(at + 1).is_some_and(TextBlock::is_long));
        if is_button && vocabulary::hits(context.blocks.text(context.page, block)).start & PROMPTS != 0 {
            kept[at] = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{main_block::auto::blocks::TextBlocks, testing::page};

    #[test]
    fn a_button_between_paragraphs_goes_and_a_link_stays() {
        let text = format!("<p>{}</p>", "The tide was out and the boats lay on the sand. ".repeat(3));
        let left = |between: &str| {
            let page = page(&format!("{text}{between}{text}"));
            let blocks = TextBlocks::from_page(&page, &[]);
            let kept = vec![true; blocks.list.len()];
            super::super::proposed(&page, &blocks, 0.5, kept, drop)[1]
        };
        for button in ["Subscribe now", "Share", "Leave a comment", "Teilen"] {
            assert!(!left(&format!("<p><a href=/x>{button}</a></p>")), "{button}");
        }
        for other in ["<p><a href=/x>The tide table</a></p>", "<p>Share the bread.</p>", "<li><a href=/x>Share</a>"] {
            assert!(left(other), "{other}");
        }
    }
}
