//! Films and sounds that nobody could start: the page's scripts drew the buttons.
//!
//! One with an address gets the browser's own controls (HTML § 4.8.11.13). One without shows its poster, or nothing and goes.
//! WCXB dev, 2026-11-22: of 250 films on 58 pages 200 had no controls.

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// Makes them playable.
pub(super) fn repair(page: &mut Page, players: &[NodeId]) {
    for &id in players {
        if has_address(page, id) {
            page.set_attribute(id, local_name!("controls"), String::new());
        } else if !has_poster(page, id) {
            page.drop_silently(id);
        }
    }
}

fn has_address(page: &Page, id: NodeId) -> bool {
    /// Sources and tracks of one film are few.
    const MAX_NODES: usize = 40;
    let has = |id: NodeId| page.attribute(id, &local_name!("src")).is_some_and(|src| !src.trim().is_empty());
    has(id) || page.live(id).take(MAX_NODES).any(|inside| page.tag(inside) == Some(Tag::Source) && has(inside))
}

fn has_poster(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("poster")).is_some_and(|poster| !poster.trim().is_empty())
}
