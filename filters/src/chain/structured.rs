//! The article of a page's JSON-LD, for a page that has next to no other text: it is put into the page before the filters.

use super::Chain;
use crate::{config::StructuredText, error::PageError, html::Page, metadata::HiddenText};

/// Visible characters below which a page has next to no text of its own: the default of `floor.page_chars`, where a page is
/// taken to be drawn by its scripts. Higher: text of the JSON-LD is shown beside the page's own, and says it twice.
const LITTLE_TEXT: usize = 200;

impl Chain {
    /// A page with next to no text of its own, and its article in its JSON-LD: the article is put into the page. The headline
    /// was found in the page as it was, and stays where it is: rows are only added after it.
    pub(super) fn with_structured_text(&self, page: Page, hidden: HiddenText) -> Result<Page, PageError> {
        let paragraphs = match self.floor.structured_text {
            StructuredText::Off => return Ok(page),
            _ if hidden.is_article() => hidden.article,
            StructuredText::Article => return Ok(page),
            StructuredText::Any => hidden.description,
        };
        if paragraphs.is_empty() || page.size(page.body()) >= LITTLE_TEXT {
            return Ok(page);
        }
        page.with_article(&paragraphs, self.scripting, self.limits.depth)
    }
}
