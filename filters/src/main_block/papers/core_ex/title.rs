//! The two ways in which a title outside the chosen nodes is brought in (§ 6.1).

use super::Title;
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::{count, visible_chars},
};

pub(super) fn title(page: &Page, best: NodeId, way: Title) -> Option<NodeId> {
    match way {
        Title::None => None,
        Title::Sibling => heading_before(page, best),
        Title::PageTitle => node_like_page_title(page),
        Title::Both => heading_before(page, best).or_else(|| node_like_page_title(page)),
    }
}

/// The nearest heading among the previous siblings of the set's parent.
pub(super) fn heading_before(page: &Page, best: NodeId) -> Option<NodeId> {
    if best == page.body() {
        return None;
    }
    page.live_children(page.parent(best))
        .take_while(|&sibling| sibling < best)
        .filter(|&sibling| page.tag(sibling).is_some_and(Tag::is_heading))
        .last()
}

/// The first and outermost element whose text is that of `<title>`. Lengths are compared before texts, so that nearly no text is read.
pub(super) fn node_like_page_title(page: &Page) -> Option<NodeId> {
    let wanted = crate::metadata::document_title(page);
    let chars = count(visible_chars(&wanted));
    if chars == 0 {
        return None;
    }
    let measures = crate::measure::Measures::from_page(page);
    page.live(page.body()).find(|&id| {
        page.tag(id).is_some()
            && id != page.body()
            && measures.get(id).chars == chars
            && crate::metadata::start_of_line(page, id) == wanted
    })
}
