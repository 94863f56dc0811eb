//! The pictures of goods of which little is said. A choice of few words is not chosen over the pictures of a page (`floor.rs`), because of
//! a comic or a photograph nobody wants the notice below it. Of what is for sale the words are the answer, however few they are, and
//! the whole page is its menus and other goods: there the pictures come along, unless the page says more of it elsewhere.
//!
//! Measured on WCXB dev, 2026-11-23, five folds: of its products four were kept whole for their pictures; word F1 of two of them .62
//! and .68, and now 1.

use super::{
    choice::{Choice, kept_chars},
    floor::is_shown,
};
use crate::{
    dom::words,
    page::{NodeId, Page, tag::Tag},
};

/// Elements from the choice up to the one that holds the pictures too, at most.
const LEVELS: usize = 6;

/// Pictures of one thing that are kept, at most: a shop shows it from all sides, and below it other goods.
const MOST: usize = 8;

/// Characters without a link that the choice leaves behind, menus and feet aside, as a part of its own, at most: .12 and .02 on the two
/// pages that gain. Higher: sizes and warnings in another column are lost.
const LEFT: f64 = 0.25;

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

/// Whether a page says more of its goods than the choice does: sizes in another tab, what a part fits, a second column.
pub(super) fn leaves_text_behind(page: &Page, choice: &Choice) -> bool {
    let is_kept = |id: NodeId| choice.kept.iter().any(|&kept| page.contains(kept, id));
    let left = page.live(page.body()).filter(|&id| {
        page.own_chars(id) > 0
            && !page.in_link(id)
            && !is_kept(id)
            && !in_frame(page, id)
            && says_something(page, id)
    });
    let left: usize = left.map(|id| page.own_chars(id)).sum();
    left as f64 > LEFT * kept_chars(page, choice) as f64
}

/// Whether a text is more than a price or the name of a section: three words, or what stands in a list or a table.
fn says_something(page: &Page, id: NodeId) -> bool {
    const WORDS: u32 = 3;
    const LEVELS: usize = 3;
    let around = || {
        page.ancestors(id)
            .take(LEVELS)
            .filter_map(|up| page.tag(up))
    };
    let is_name = |tag: Tag| tag.is_heading() || matches!(tag, Tag::Button | Tag::Label);
    let is_fact = |tag: Tag| matches!(tag, Tag::Td | Tag::Th | Tag::Dd | Tag::Dt | Tag::Li);
    let has_words = || page.text(id).is_some_and(|text| words(&text) >= WORDS);
    !around().any(is_name) && (around().any(is_fact) || has_words())
}

fn in_frame(page: &Page, id: NodeId) -> bool {
    page.ancestors(id).any(|up| {
        matches!(
            page.tag(up),
            Some(Tag::Nav | Tag::Header | Tag::Footer | Tag::Aside | Tag::Dialog)
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
    fn where_more_is_said_elsewhere_the_page_stays_whole() {
        let leaves = |beside: &str| {
            let page = page(&format!(
                "<nav>Chairs, tables, lamps</nav><p id=t>An oak chair of two hundred years.</p>{beside}"
            ));
            let kept = vec![by_id(&page, "t")];
            leaves_text_behind(
                &page,
                &Choice {
                    kept,
                    ..Choice::default()
                },
            )
        };
        assert!(!leaves(
            "<h2>You may also like</h2><a href=/elm>An elm chair</a> <p>$49.00</p>"
        ));
        assert!(leaves("<p>Fits: Saab 99, Lada Niva</p>"));
    }

    #[test]
    fn pictures_that_lead_on_and_those_of_the_frame_do_not() {
        let html = "<main><nav><img id=n src=n></nav><a href=/other><img id=l src=l></a><p id=t>An oak chair.</p>\
                    <aside><img id=s src=s></aside></main>";
        assert!(found(html).is_empty());
        assert!(found("<p id=t>An oak chair.</p><img id=a src=a>").is_empty());
    }
}
