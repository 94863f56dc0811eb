//! The article subtree: the first block with enough text in its paragraphs.
//!
//! Source: Agarwal, Chheda, Shah, Narvekar, *Content Extraction Using Document Object Model and Natural Language
//! Processing for Web*, 2013, "Proposed method".
//!
//! The idea, in the paper's order:
//!
//! 1. A paragraph is written in one of three ways: text in a `<div>`, text in a `<p>`, or text between `<br>`.
//! 2. A subtree's size is the sum of the characters of its paragraphs; those with at least 500 are candidates.
//! 3. Of several the first in the document is the article, "visually the upper-most", not the largest.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | least characters | 500 | 500 | visible characters: white space is not counted |
//! | whose paragraphs | "the paragraphs" of a subtree | its children (`<div>`, `<p>`), or its own text where `<br>` part it | with descendants every wrapper would be a subtree, and the first one always the body |
//!
//! What is plainly wrong for today's pages: the first block of 500 characters may be a cookie notice or a teaser, and pages
//! of sections, lists or tables have no such block. Our variants: [`Pick::Largest`] takes the candidate with most text,
//! [`Pick::All`] takes every candidate.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`), word
//! F1: first .550, largest .563, all .638; 296 of 1,497 pages have no block of 500 characters. What all three lack is what
//! is no paragraph: lists, tables, headings outside the block.
//!
//! Cost: three passes over the nodes.

use serde::{Deserialize, Serialize};

use crate::html::{NodeId, Page, tag::Tag};
use crate::main_block::Choice;

/// Which of several candidates is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ArticlePick"))]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The first in the document, as the paper has it.
    First,
    /// The one with most text in its paragraphs.
    Largest,
    /// All of them.
    All,
}

/// Settings of the algorithm `article_subtree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ArticleSubtree"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Visible characters that the paragraphs of a subtree must have. The paper's 500. Higher: fewer candidates.
    pub min_characters: u32,
    /// `first`, `largest` or `all`.
    pub pick: Pick,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { min_characters: 500, pick: Pick::First }
    }
}

/// The article subtree; none where no block has enough text.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let sizes = paragraph_sizes(page);
    let mut candidates = page.live(page.body()).filter(|id| sizes[id.index()] >= settings.min_characters.max(1));
    match settings.pick {
        Pick::First => candidates.next().into(),
        Pick::Largest => candidates.reduce(|a, b| if sizes[b.index()] > sizes[a.index()] { b } else { a }).into(),
        Pick::All => candidates.collect::<Vec<_>>().into(),
    }
}

/// For each block, the characters of its paragraphs.
pub(crate) fn paragraph_sizes(page: &Page) -> Vec<u32> {
    let body = page.body();
    // The innermost block around each node, the characters directly in it, and whether line breaks part them.
    let mut block_of: Vec<NodeId> = vec![body; page.len()];
    let mut direct = vec![0u32; page.len()];
    let mut has_break = vec![false; page.len()];
    for id in page.live(body) {
        let around = if id == body { body } else { block_of[page.parent(id).index()] };
        let is_block = page.tag(id).is_some_and(Tag::is_block);
        block_of[id.index()] = if is_block { id } else { around };
        direct[around.index()] += crate::vocabulary::words::count(page.own_size(id));
        if page.tag(id) == Some(Tag::Br) {
            has_break[around.index()] = true;
        }
    }
    let mut sizes = vec![0u32; page.len()];
    for id in page.live(body) {
        let chars = direct[id.index()];
        if chars == 0 {
            continue;
        }
        if has_break[id.index()] {
            sizes[id.index()] += chars;
        } else if matches!(page.tag(id), Some(Tag::Div | Tag::P)) {
            sizes[block_of[page.parent(id).index()].index()] += chars;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ids, page, words};

    fn found(html: &str, pick: Pick) -> Vec<String> {
        let page = page(html);
        let settings = Settings { pick, ..Settings::default() };
        ids(&page, &choose(&page, &settings).kept)
    }

    #[test]
    fn the_three_forms_of_paragraphs_count() {
        // 65 words of 4 characters, twice: 520.
        let text = words(65);
        for article in [
            format!("<div>{text}</div><div>{text}</div>"),
            format!("<p>{text}</p><p>{text}</p>"),
            format!("{text}<br>{text}"),
        ] {
            let html = format!("<section id=other><p>short</p></section><section id=article>{article}</section>");
            assert_eq!(found(&html, Pick::First), ["article"]);
        }
    }

    #[test]
    fn the_first_of_several_is_taken_even_if_it_is_not_the_largest() {
        let part = |id, count| format!("<div id={id}><p>{}</p></div>", words(count));
        let html = format!("{}{}{}", part("small", 100), part("first", 125), part("second", 300));
        assert_eq!(found(&html, Pick::First), ["first"]);
        assert_eq!(found(&html, Pick::Largest), ["second"]);
        assert_eq!(found(&html, Pick::All), ["first", "second"]);
    }

    #[test]
    fn there_is_no_article_below_the_threshold() {
        let html = format!("<div id=a><p>{}</p></div>", words(124));
        assert!(found(&html, Pick::First).is_empty());
    }
}
