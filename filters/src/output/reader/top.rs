//! Decides where the reader page shows the headline: in the heading that is there, or written above the text.

use super::{is_structure, shows_by_itself};
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::pictures::is_small,
    output::headline::{headline_in, says_headline},
};

/// The top of a page.
#[derive(Default)]
pub(in crate::output) struct Top {
    /// The heading on the page that is its headline, where it can stay in its place.
    pub(in crate::output) shown: Option<NodeId>,
    /// The headline, where it must be written.
    pub(in crate::output) written: Option<String>,
    /// The heading that need not be said twice then.
    pub(in crate::output) lifted: Option<NodeId>,
}

impl Top {
    pub(in crate::output) fn from_page(page: &AnalysedPage) -> Top {
        let found = headline_in(page);
        // A headline that stands further down, or looks like a lesser heading, is written at the top instead.
        let lifted = found.filter(|&heading| {
            let is_in_place =
                page.tag(heading) == Some(Tag::H1) && is_first(page, heading) && !is_in_item(page, heading);
            !is_in_place && may_be_lifted(page, heading)
        });
        let shown = found.filter(|&heading| lifted.is_none() && is_at_top(page, heading));
        let written = missing_headline(page, shown);
        Top {
            shown: shown.filter(|_| written.is_none()),
            written,
            lifted: lifted.map(|heading| with_its_wrapper(page, heading)),
        }
    }
}

/// Whether a heading is an item of a list: the last step of the way up to it.
fn is_in_item(page: &Page, heading: NodeId) -> bool {
    page.ancestors(heading).any(|up| page.tag(up) == Some(Tag::Li))
}

/// A heading with the elements around it that hold nothing else: without it, an item would be a bullet.
fn with_its_wrapper(page: &Page, heading: NodeId) -> NodeId {
    let shows_nothing = |id: NodeId| {
        page.own_chars(id) == 0 && !page.tag(id).is_some_and(|tag| shows_by_itself(tag) || is_structure(tag))
    };
    let is_wrapper =
        |up: &NodeId| *up != page.body() && page.live(*up).all(|id| page.contains(heading, id) || shows_nothing(id));
    let wrappers = page.ancestors(heading).take_while(is_wrapper);
    wrappers.last().unwrap_or(heading)
}

/// Whether next to nothing stands above a heading: a section and a day, one picture. More, and readers meet a text of which
/// they do not know what it is.
fn is_at_top(page: &Page, heading: NodeId) -> bool {
    /// Visible characters: "News · Politics · 3 May 2026 · 5 min" is half of it.
    const MAX_CHARS: usize = 60;
    const MAX_PICTURES: usize = 1;
    let (mut chars, mut pictures) = (0, 0);
    for id in page.live(page.body()).take_while(|&id| id < heading) {
        chars += page.own_chars(id);
        pictures += match page.tag(id) {
            Some(Tag::Img) => usize::from(!is_small(page, id)),
            Some(Tag::Video | Tag::Iframe) => 1,
            _ => 0,
        };
    }
    chars <= MAX_CHARS && pictures <= MAX_PICTURES
}

/// Whether nothing at all stands above a heading.
fn is_first(page: &Page, heading: NodeId) -> bool {
    page.live(page.body())
        .take_while(|&id| id < heading)
        .all(|id| page.own_chars(id) == 0 && !page.tag(id).is_some_and(Tag::is_media))
}

/// Whether a heading says nothing but the headline, so that it need not be said twice.
fn may_be_lifted(page: &AnalysedPage, heading: NodeId) -> bool {
    says_headline(page, heading) && !page.live(heading).any(|id| page.tag(id).is_some_and(Tag::is_media))
}

/// The headline, where what is left of the page does not show it.
fn missing_headline(page: &AnalysedPage, shown: Option<NodeId>) -> Option<String> {
    let headline = &page.headline.text;
    (shown.is_none() && !headline.is_empty()).then(|| headline.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn top_of(html: &str) -> (crate::analysis::AnalysedPage, Top) {
        let mut page = page(html);
        "Oven".clone_into(&mut page.headline.text);
        let top = Top::from_page(&page);
        (page, top)
    }

    #[test]
    fn a_headline_that_is_an_item_is_lifted_with_its_list() {
        let (page, top) = top_of("<div><ol id=l><li><b><h1>Oven</h1></b></li></ol><p>text</div>");
        assert_eq!(top.lifted, Some(by_id(&page, "l")));
        assert_eq!(top.written.as_deref(), Some("Oven"));
        let (page, top) = top_of("<ol><li id=i><h1>Oven</h1><li>Stove</ol>");
        assert_eq!(top.lifted, Some(by_id(&page, "i")));
        let (_, top) = top_of("<div><h1>Oven</h1></div><p>text");
        assert!(top.lifted.is_none() && top.written.is_none());
    }

    #[test]
    fn a_heading_without_words_is_no_headline() {
        let drawing = "<svg width=90 height=90><path /></svg>";
        let (_, top) = top_of(&format!("<h1>{drawing}</h1><p>text"));
        assert_eq!(top.written.as_deref(), Some("Oven"));
        let (_, top) = top_of("<h1><img src=a alt=Oven></h1><p>text");
        assert_eq!(top.written, None);
    }
}
