//! Forms that no reader fills in: the button that every card or comment has, and boxes that nobody can send.
//!
//! Known by their fields, not by their words: forms without any field that repeat. A form without a button and without a line to
//! type in is sent by no key (HTML § 4.10.22.2, implicit submission): with the scripts gone its boxes and lists do nothing, and go;
//! its words stay.

use std::collections::HashSet;

use html5ever::local_name;

use crate::{
    html::{NodeId, Page, tag::Tag},
    measure::fields::Fields,
};

/// Forms without a field from which they are the buttons of something that repeats.
const REPEATED: usize = 3;

/// Visible characters of a form that is a button.
const BUTTON_CHARS: usize = 40;

/// Drops such forms.
pub(super) fn drop_unread(page: &mut Page) {
    if !page.has_any(&[Tag::Form]) {
        return;
    }
    let forms: Vec<(NodeId, Fields)> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::Form))
        .map(|id| (id, Fields::of(page, id)))
        .collect();
    if forms.is_empty() {
        return;
    }
    let is_button =
        |id: NodeId, fields: &Fields| fields.count() == 0 && page.chars(id) <= BUTTON_CHARS && !holds_content(page, id);
    let buttons = forms.iter().filter(|(id, fields)| is_button(*id, fields)).map(|(id, _)| *id);
    let mut unwanted: Vec<NodeId> = buttons.collect();
    if unwanted.len() < REPEATED {
        unwanted.clear();
    }
    // A button elsewhere may send a form, by its name.
    let named: HashSet<&str> =
        page.live(page.body()).filter_map(|id| page.attribute(id, &local_name!("form"))).collect();
    let dead: Vec<NodeId> = forms
        .iter()
        .filter(|(id, fields)| {
            let name = page.attribute(*id, &local_name!("id"));
            let is_named = name.is_some_and(|name| named.contains(name));
            let is_sent = fields.buttons > 0 || is_named;
            fields.typed() == 0 && fields.chosen() > 0 && !is_sent
        })
        .flat_map(|&(form, _)| page.live(form))
        .filter(|&id| matches!(page.tag(id), Some(Tag::Input | Tag::Select)))
        .collect();
    for id in unwanted.into_iter().chain(dead) {
        page.drop_silently(id);
    }
}

/// Whether something in a form is read: a paragraph, a heading, a picture. Some sites put a whole page into one form.
fn holds_content(page: &Page, form: NodeId) -> bool {
    page.live(form).any(|id| {
        page.tag(id).is_some_and(|tag| {
            matches!(tag, Tag::P | Tag::Img | Tag::Picture | Tag::Pre | Tag::Table | Tag::H1 | Tag::H2)
        }) && (page.chars(id) > 0 || page.tag(id) == Some(Tag::Img))
    })
}
