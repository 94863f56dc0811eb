//! Buttons without a word on them: their icon was the page's style.
//!
//! One that sends its form shows what it is called to screen readers (`aria-label`, `title`), else an arrow; one that waits for a
//! script goes.

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::html::{NodeId, Page, tag::Tag};

/// Drops or names them. A field that sends its form and has an empty name gets the one that browsers give it in their own language.
pub(super) fn repair(page: &mut Page, buttons: &[NodeId], fields: &[NodeId]) {
    for &id in fields {
        let is = |name, wanted: fn(&str) -> bool| page.attribute(id, &name).is_some_and(|value| wanted(value.trim()));
        if is(local_name!("type"), |kind| kind.eq_ignore_ascii_case("submit"))
            && is(local_name!("value"), str::is_empty)
        {
            page.drop_attributes(id, |name, _| *name == local_name!("value"));
        }
    }
    for &id in buttons {
        if !page.is_live(id) || shows_something(page, id) {
            continue;
        }
        if is_dead(page, id) {
            page.drop_silently(id);
        } else {
            let name = name(page, id).unwrap_or_else(|| "→".to_owned());
            page.set_attribute(id, local_name!("aria-label"), name);
            page.set_attribute(id, LocalName::from(MARK), "named".to_owned());
        }
    }
}

/// Whether it has a word or a picture on it. Drawings are icons, and go.
fn shows_something(page: &Page, id: NodeId) -> bool {
    const MAX_NODES: usize = 50;
    page.live(id).take(MAX_NODES).any(|inside| page.own_chars(inside) > 0 || page.tag(inside) == Some(Tag::Img))
}

fn is_dead(page: &Page, id: NodeId) -> bool {
    let kind = page.attribute(id, &local_name!("type"));
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("button") || kind.eq_ignore_ascii_case("reset"))
        || page.has_attribute(id, &local_name!("disabled"))
}

fn name(page: &Page, id: NodeId) -> Option<String> {
    [local_name!("aria-label"), local_name!("title")]
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .map(str::trim)
        .find(|name| !name.is_empty())
        .map(str::to_owned)
}
