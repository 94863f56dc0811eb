//! Tells index pages from pages of one text by the scored tree.

use serde::Serialize;

use super::{ScoredNodes, Settings};
use crate::html::Page;

/// The composition of a page, derived from the scored tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageShape {
    /// One text, or a few.
    Text,
    /// Many short texts that lead elsewhere: a front page, a list, a shelf.
    Index,
    /// No text at all.
    Empty,
}

/// Links per word above which a page is an index. Measured on WCXB dev, 2026-11-21 ([`crate::Chain::blocks`] on every page): .15
/// tells 87 % of articles and documentation and 70 % of listings and collections rightly, .1 73 % and 81 %, .2 91 % and
/// 63 %. Higher: fewer pages are an index.
const INDEX_LINKS_PER_WORD: f64 = 0.15;

/// Tells index pages from article pages (§ 8, "another interesting avenue"; the paper gives no rule).
///
/// Ours: the links per word at the root of the scored tree, forms and scripts ignored.
pub(crate) fn page_shape(page: &Page) -> (PageShape, f64) {
    let settings = Settings::default();
    let scored = ScoredNodes::new(page, &settings);
    let body = scored.counts[page.body().index()];
    if body.words == 0 {
        return (PageShape::Empty, 0.0);
    }
    let links = f64::from(body.links) / f64::from(body.words);
    let shape = if links > INDEX_LINKS_PER_WORD { PageShape::Index } else { PageShape::Text };
    (shape, links)
}
