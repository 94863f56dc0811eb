//! The standfirst: the sentence or two between the headline and the text that say what it is about. Its words are those of an
//! advertisement, and its place is that of bylines and notices, so its chance is low.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8754 with it and .8756 without (annotators differ): it is for the reader.

use super::{
    Scored,
    blocks::{Block, Blocks},
};
use crate::page::{Page, tag::Tag};

/// The least chance. Lower: notices ("we may earn a commission") and thanks for a subscription come along.
const CHANCE: f64 = 0.2;

/// Its words. Fewer are a date or a byline, more are a text with a chance of its own.
const WORDS: std::ops::RangeInclusive<f32> = 8.0..=60.0;

/// Texts from the headline to the first paragraph, at most: the author, the day, minutes to read, a caption.
const NEAR: usize = 6;

/// Keeps sentences between the headline and the first kept paragraph.
pub(super) fn keep(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let below = blocks.below_headline(page, NEAR);
    let is_paragraph = |index: &usize| kept[*index] && blocks.list[*index].is_long();
    let Some(first) = below.clone().find(is_paragraph) else {
        return;
    };
    for index in below.start..first {
        kept[index] |= scored[index].chance >= CHANCE && is_standfirst(page, &blocks.list[index]);
    }
}

fn is_standfirst(page: &Page, block: &Block) -> bool {
    let is_text = |tag: Tag| tag.is_heading() || matches!(tag, Tag::P | Tag::Div);
    WORDS.contains(&block.stats.words)
        && block.linked == 0.0
        && block.stats.ends_sentence
        && page.tag(block.container).is_some_and(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// Which texts are kept of a page of which only its paragraph is to begin with, where all have this chance.
    fn kept(between: &str, chance: f64) -> Vec<bool> {
        let mut page = page(&format!(
            "<article><h1 id=h>The bridge</h1>{between}<p>{}</p></article>",
            words(40)
        ));
        page.headline.node = Some(by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let scored: Vec<Scored> = blocks
            .list
            .iter()
            .map(|block| Scored {
                chance,
                words: f64::from(block.stats.words),
            })
            .collect();
        let mut all = vec![false; blocks.list.len()];
        *all.last_mut().unwrap() = true;
        keep(&page, &blocks, &scored, &mut all);
        all
    }

    const STANDFIRST: &str =
        "<p>Eleven months late and over budget, it opened on a clear morning in May.</p>";

    #[test]
    fn a_sentence_between_headline_and_text_stays() {
        assert_eq!(kept(STANDFIRST, 0.3), [false, true, true]);
        let with_day = format!("{STANDFIRST}<p>3 May 2026</p>");
        assert_eq!(kept(&with_day, 0.3), [false, true, false, true]);
    }

    #[test]
    fn what_is_hardly_content_linked_or_no_sentence_is_left_to_its_chance() {
        assert_eq!(kept(STANDFIRST, 0.1), [false, false, true]);
        let linked = STANDFIRST.replace("opened", "<a href=/x>opened</a>");
        assert_eq!(kept(&linked, 0.3), [false, false, true]);
        let label = "<p>By Ann Lee, who writes about bridges and harbours for us</p>";
        assert_eq!(kept(label, 0.3), [false, false, true]);
        let far = format!("{STANDFIRST}{}", "<p>3 May</p>".repeat(7));
        assert!(kept(&far, 0.3)[1..8].iter().all(|kept| !kept));
    }
}
