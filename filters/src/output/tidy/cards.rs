//! Links around a whole card: picture, heading, a few lines. All of it would be blue and underlined.
//!
//! The link is marked `card` and looks like text; the heading in it, or its first line where it has none, is marked `name` and looks
//! like a link. A link whose words stand in one box stays as it is. WCXB dev, 2026-11-22: 252 of 1,497 pages have links around
//! boxes, 5,390 in all.

use html5ever::{LocalName, local_name};

use crate::html::{NodeId, Page, tag::Tag};

/// Nodes of a link that are looked at: a card has some 20. Higher: more time on hostile pages, whose links can be nested in tables.
const MAX_NODES: usize = 100;

/// The box that names a card, if a link is one. `mark` is our attribute.
pub(super) fn name(page: &Page, link: NodeId, mark: &LocalName) -> Option<NodeId> {
    if !page.has_attribute(link, &local_name!("href")) {
        return None;
    }
    let mut first = None;
    let mut heading = None;
    let mut chars = 0;
    // The innermost box that the walk is in.
    let mut boxes: Vec<NodeId> = Vec::new();
    let mut unseen_end = NodeId::DOCUMENT;
    for id in page.live(link).skip(1).take(MAX_NODES) {
        let is_heard = || page.attribute(id, mark) == Some("heard");
        if id < unseen_end || is_heard() {
            unseen_end = unseen_end.max(page.end(id));
            continue;
        }
        while boxes.last().is_some_and(|&last| id >= page.end(last)) {
            boxes.pop();
        }
        if let Some(tag) = page.tag(id) {
            if tag.is_block() {
                boxes.push(id);
            }
        } else if page.own_chars(id) > 0 {
            chars += page.own_chars(id);
            let Some(&around) = boxes.last() else {
                // Words of the link itself: they may be its name.
                return None;
            };
            first = first.or(Some(around));
            heading = heading.or_else(|| {
                let is_heading = |up: &&NodeId| page.tag(**up).is_some_and(Tag::is_heading);
                boxes.iter().rev().find(is_heading).copied()
            });
        }
    }
    let name = heading.or(first)?;
    let is_more = chars > page.live(name).take(MAX_NODES).map(|id| page.own_chars(id)).sum();
    (is_more && !page.has_attribute(name, mark)).then_some(name)
}
