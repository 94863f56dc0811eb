//! The pictures of goods of which little is said. A choice of few words is not chosen over the pictures of a page (`floor.rs`), because of
//! a comic or a photograph nobody wants the notice below it. Of what is for sale the words are the answer, however few they are, and
//! the whole page is its menus and other goods: there the pictures come along.
//!
//! Measured on WCXB dev, 2026-11-23, five folds: of its products four were kept whole for their pictures; word F1 of one of them .38
//! and now .84.

use super::floor::is_shown;
use crate::page::{NodeId, Page, tag::Tag};

/// Elements from the choice up to the one that holds the pictures too, at most.
const LEVELS: usize = 6;

/// Pictures of one thing that are kept, at most: a shop shows it from all sides, and below it other goods.
const MOST: usize = 8;

/// The first pictures of the nearest element around a choice that has any; none of menus, heads and feet.
pub(super) fn beside(page: &Page, kept: &[NodeId], container: NodeId) -> Vec<NodeId> {
    let around = std::iter::once(container).chain(page.ancestors(container));
    let around = around.take(LEVELS).take_while(|&up| up != page.body());
    let is_wanted = |id: &NodeId| {
        is_shown(page, *id)
            && !kept.iter().any(|&kept| page.contains(kept, *id))
            && !in_frame(page, *id)
    };
    let mut found = around.map(|up| {
        let pictures = page.live(up).filter(is_wanted);
        pictures.take(MOST).collect::<Vec<_>>()
    });
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

fn in_frame(page: &Page, id: NodeId) -> bool {
    page.ancestors(id).any(|up| {
        matches!(
            page.tag(up),
            Some(Tag::Nav | Tag::Footer | Tag::Aside | Tag::Dialog)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, ids, page};

    fn found(html: &str) -> Vec<String> {
        let page = page(html);
        let text = by_id(&page, "t");
        ids(&page, &beside(&page, &[text], text))
    }

    #[test]
    fn the_pictures_of_the_nearest_element_come_along() {
        let html = "<main><section><div><img id=a src=a><img id=b src=b></div><div><p id=t>An oak chair.</p></div></section>\
                    <section><img id=other src=c></section></main><img id=far src=d>";
        assert_eq!(found(html), ["a", "b"]);
    }

    #[test]
    fn pictures_that_lead_on_and_those_of_the_frame_do_not() {
        let html = "<main><nav><img id=n src=n></nav><a href=/other><img id=l src=l></a><p id=t>An oak chair.</p>\
                    <aside><img id=s src=s></aside></main>";
        assert!(found(html).is_empty());
        assert!(found("<p id=t>An oak chair.</p><img id=a src=a>").is_empty());
    }
}
