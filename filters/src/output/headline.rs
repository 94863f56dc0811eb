//! Finds the heading of the filtered page that shows its headline.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, NodeState, Page, tag::Tag},
    metadata::{is_same, start_of_line},
};

/// The heading on the page that is the headline: its own, or one that says the same, or the first `<h1>`.
pub(super) fn headline_in(page: &AnalysedPage) -> Option<NodeId> {
    if let Some(node) = page.headline.node.filter(|&node| page.is_live(node)) {
        return Some(node);
    }
    page.live(page.body()).find(|&id| match page.tag(id) {
        Some(Tag::H1) => page.state(id) == NodeState::Keep && says_anything(page, id),
        Some(tag) if tag.is_heading() => says_headline(page, id),
        _ => false,
    })
}

/// Whether a heading has words, or a picture that has: one with the drawing of a logo shows no headline.
fn says_anything(page: &Page, heading: NodeId) -> bool {
    page.live(heading).any(|id| {
        page.own_chars(id) > 0
            || page.tag(id) == Some(Tag::Img)
                && page.attribute(id, &local_name!("alt")).is_some_and(|alt| !alt.trim().is_empty())
    })
}

/// Whether a heading says what the headline says.
pub(super) fn says_headline(page: &AnalysedPage, heading: NodeId) -> bool {
    let headline = &page.headline.text;
    !headline.is_empty() && is_same(&start_of_line(page, heading), headline)
}
