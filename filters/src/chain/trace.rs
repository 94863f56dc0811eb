//! What became of each text of a page: for measurements by nodes.

use std::time::Duration;

use crate::{
    page::{Fate, NodeId, Page},
    report::Report,
};

/// A page's text, and what became of each of its text nodes.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The page as text.
    pub text: String,
    /// Every text node of the body that is ever shown, in document order, kept or not.
    pub texts: Vec<TracedText>,
    /// The page's own title.
    pub title: String,
    /// What was done.
    pub report: Report,
    /// CPU time from the first byte to the text.
    pub cpu: Duration,
}

/// A text node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedText {
    /// As written in the page.
    pub text: String,
    /// Whether it is in the output.
    pub kept: bool,
}

pub(super) fn texts(page: &Page) -> Vec<TracedText> {
    let body = page.body();
    let mut gone_to = NodeId::DOCUMENT;
    let mut texts = Vec::new();
    for row in body.0..page.end(body).0 {
        let id = NodeId(row);
        if id >= gone_to && page.fate(id) == Fate::Removed {
            gone_to = page.end(id);
        }
        if page.own_chars(id) > 0
            && let Some(text) = page.text(id)
        {
            texts.push(TracedText {
                text: text.clone(),
                kept: id >= gone_to,
            });
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn every_shown_text_is_told_with_its_fate() {
        let mut page =
            page("<p>one</p><div id=a><p>two</p><script>no()</script></div> <p>three</p>");
        let gone = by_id(&page, "a");
        page.remove(gone, "test");
        let told: Vec<(String, bool)> = texts(&page)
            .into_iter()
            .map(|text| (text.text, text.kept))
            .collect();
        let wanted = [("one", true), ("two", false), ("three", true)];
        assert_eq!(told, wanted.map(|(text, kept)| (text.to_owned(), kept)));
    }
}
