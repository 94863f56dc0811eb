//! Fields that nobody is to see: traps for programs ("This field should be left unchanged"), and what a form sends of itself. Their
//! makers hide them by a style sheet of the site's, and say so in a class. Not "hidden" alone: steps of a form and what only small screens hide
//! are called so too.

use html5ever::local_name;

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::parts::Parts,
};

/// Such classes, to be looked for quickly.
const NAMES: Parts = Parts::new(&["visibility_hidden", "visibility-hidden", "honeypot"]);

/// Visible characters of such a field and its label, at most. Higher: a part of a form, which a script shows in its turn.
const MAX_CHARS: usize = 100;

/// The boxes of such fields, in so many forms.
pub(super) fn fields(page: &Page, most: usize) -> Vec<NodeId> {
    let is_form = |&id: &NodeId| page.tag(id) == Some(Tag::Form);
    let mut found: Vec<NodeId> = Vec::new();
    for form in page.live(page.body()).filter(is_form).take(most) {
        for id in page.live(form).skip(1) {
            let is_within = found.last().is_some_and(|&last| id < page.end(last));
            if !is_within && is_unseen(page, id) {
                found.push(id);
            }
        }
    }
    found
}

fn is_unseen(page: &Page, id: NodeId) -> bool {
    let Some(class) = page.attribute(id, &local_name!("class")) else {
        return false;
    };
    NAMES.are_in(class) && page.chars(id) <= MAX_CHARS && fields_in(page, id) == 1
}

fn fields_in(page: &Page, id: NodeId) -> usize {
    let is_field = |&at: &NodeId| matches!(page.tag(at), Some(Tag::Input | Tag::Select | Tag::Textarea));
    page.live(id).skip(1).filter(is_field).take(2).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ids, page};

    #[test]
    fn traps_and_what_a_form_sends_of_itself_are_seen_by_nobody() {
        let html = |class: &str| {
            format!(
                "<form><div id=a class='{class}'><label>Phone</label><input name=p></div>\
                 <div id=b><label class=visually-hidden>Name</label><input name=n></div></form>"
            )
        };
        let found = |class: &str| {
            let page = page(&html(class));
            ids(&page, &fields(&page, 9))
        };
        for class in ["field field--type-honeypot", "field visibility_hidden"] {
            assert_eq!(found(class), ["a"], "{class}");
        }
        for class in ["field", "visually-hidden", "hidden md:block", "hidden-xs"] {
            assert!(found(class).is_empty(), "{class}");
        }
    }

    #[test]
    fn a_part_of_a_form_stays() {
        let two = page("<form><div class=honeypot><input name=a><input name=b></div></form>");
        assert!(fields(&two, 9).is_empty());
        let outside = page("<div class=honeypot><input name=a></div>");
        assert!(fields(&outside, 9).is_empty());
    }
}
