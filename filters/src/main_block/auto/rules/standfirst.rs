//! The standfirst: the sentence or two between the headline and the text that say what it is about. Its words are those of an
//! advertisement, and its place is that of bylines and notices, so its probability is low.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8754 with it and .8756 without (annotators differ): it is for the reader.

use html5ever::local_name;

use super::{
    super::blocks::{TextBlock, TextBlocks},
    Context,
};
use crate::{
    html::{Page, tag::Tag},
    metadata::folded,
    vocabulary::{
        lists::{WordList, words},
        words::words_of_identifier,
    },
};

/// The least probability. Lower: notices ("we may earn a commission") and thanks for a subscription come along.
const MIN_PROBABILITY: f64 = 0.2;

/// Its words. Fewer are a date or a byline, more are a text with a probability of its own.
const WORDS: std::ops::RangeInclusive<f32> = 8.0..=60.0;

/// Texts from the headline to the standfirst, at most: the author, the day, minutes to read, a caption.
const NEAR: usize = 6;

/// Texts from the headline to the first paragraph, at most: a list of the article's sections may stand between.
const FAR: usize = 60;

/// Letters that the page's description has in common with the start of a text that is a standfirst for sure.
const DESCRIBED: usize = 30;

/// Class names of standfirsts: text so called need not end as a sentence does, and in many countries it does not.
static NAMES: WordList = words!("standfirst");

/// Keeps sentences between the headline and the first kept paragraph: the first of them, and those directly behind it.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, scored, .. } = *context;
    let below = blocks.below_headline(page, FAR);
    let is_paragraph = |index: &usize| kept[*index] && blocks.list[*index].is_long();
    let Some(first) = below.clone().find(is_paragraph) else {
        return;
    };
    let description: String = page.metadata.description.iter().flat_map(|text| folded(text)).collect();
    let mut has_begun = false;
    for index in below.start..first.min(below.start + NEAR) {
        let block = &blocks.list[index];
        let is_one = is_text(page, block)
            && (scored[index].probability >= MIN_PROBABILITY && is_sentence(block)
                || is_described(page, blocks, block, &description)
                || block.linked == 0.0 && (is_named(page, block) || is_below(page, block, index, below.start)));
        if has_begun && !is_one && !kept[index] {
            break;
        }
        has_begun |= is_one;
        kept[index] |= is_one;
    }
}

fn is_text(page: &Page, block: &TextBlock) -> bool {
    let is_text = |tag: Tag| tag.is_heading() || matches!(tag, Tag::P | Tag::Div | Tag::Section);
    WORDS.contains(&block.stats.words) && page.tag(block.container).is_some_and(is_text)
}

fn is_sentence(block: &TextBlock) -> bool {
    block.linked == 0.0 && block.stats.ends_sentence
}

fn is_named(page: &Page, block: &TextBlock) -> bool {
    let names = [local_name!("class"), local_name!("id"), local_name!("itemprop")];
    let values = names.iter().filter_map(|name| page.attribute(block.container, name));
    values.flat_map(words_of_identifier).any(|word| NAMES.contains(&word.as_str()))
}

/// A heading directly below the headline, of eight words and more, announces no chapter.
fn is_below(page: &Page, block: &TextBlock, index: usize, first: usize) -> bool {
    index == first && page.tag(block.container).is_some_and(Tag::is_heading)
}

/// Whether a text says what the page gives to search engines.
fn is_described(page: &Page, blocks: &TextBlocks, block: &TextBlock, description: &str) -> bool {
    let start: String = folded(&blocks.text(page, block)).take(DESCRIBED).collect();
    start.chars().count() == DESCRIBED && description.starts_with(&start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// Which texts are kept of a page of which only its paragraph is to begin with, where all have this probability.
    fn kept(between: &str, probability: f64) -> Vec<bool> {
        kept_of(between, probability, "")
    }

    /// Which texts are kept of a page with this description.
    fn kept_of(between: &str, probability: f64, description: &str) -> Vec<bool> {
        let mut page = page(&format!("<article><h1 id=h>The bridge</h1>{between}<p>{}</p></article>", words(40)));
        page.headline.node = Some(by_id(&page, "h"));
        page.metadata.description = Some(description.to_owned());
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut all = vec![false; blocks.list.len()];
        *all.last_mut().unwrap() = true;
        super::super::proposed(&page, &blocks, probability, all, keep)
    }

    const STANDFIRST: &str = "<p>Eleven months late and over budget, it opened on a clear morning in May.</p>";

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
        let far = format!("{}{STANDFIRST}", "<p>3 May</p>".repeat(7));
        assert!(kept(&far, 0.3)[1..9].iter().all(|kept| !kept));
        let after_it = format!("{STANDFIRST}<p>3 May</p>{STANDFIRST}");
        assert_eq!(kept(&after_it, 0.3), [false, true, false, false, true]);
    }

    #[test]
    fn what_is_called_so_stays_and_a_long_heading_directly_below_the_headline() {
        let text = "Eleven months late and over budget on a clear morning";
        for html in [
            format!("<p class=post-sub-title>{text}</p>"),
            format!("<div class=article__announce>{text}</div>"),
            format!("<h2>{text}</h2>"),
        ] {
            assert_eq!(kept(&html, 0.1), [false, true, true], "{html}");
        }
        let below = format!("<p>3 May</p><h2>{text}</h2>");
        assert_eq!(kept(&below, 0.1), [false, false, false, true]);
        let linked = format!("<h2><a href=/x>{text}</a></h2>");
        assert_eq!(kept(&linked, 0.1), [false, false, true]);
    }

    #[test]
    fn a_list_of_the_sections_may_stand_between_it_and_the_text() {
        let html = format!("{STANDFIRST}{}", "<li><a href=#a>A section</a></li>".repeat(12));
        assert!(kept(&html, 0.3)[1]);
    }

    #[test]
    fn what_the_page_describes_itself_with_stays_whatever_its_chance() {
        let linked = STANDFIRST.replace("opened", "<a href=/x>opened</a>").replace('.', "");
        assert_eq!(kept(&linked, 0.1), [false, false, true]);
        let described = "Eleven months late and over budget, it opened \u{2026}";
        assert_eq!(kept_of(&linked, 0.1, described), [false, true, true]);
    }
}
