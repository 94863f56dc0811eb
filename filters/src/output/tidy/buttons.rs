//! Buttons without a word on them: their icon was the page's style.
//!
//! One that sends its form shows what it is called to screen readers (`aria-label`, `title`), else an arrow; one that waits for a
//! script goes, and so does one without a name in a form of one field, which the key for a new line sends (HTML § 4.10.22.2).

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::html::{NodeId, Page, tag::Tag};

/// Drops or names them.
pub(super) fn repair(page: &mut Page, buttons: &[NodeId]) {
    for &id in buttons {
        if !page.is_live(id) || shows_something(page, id) {
            continue;
        }
        let name = if is_dead(page, id) {
            None
        } else {
            name(page, id).or_else(|| needs_button(page, id).then(|| "→".to_owned()))
        };
        match name {
            Some(name) => {
                page.set_attribute(id, local_name!("aria-label"), name);
                page.set_attribute(id, LocalName::from(MARK), "named".to_owned());
            }
            None => page.drop_silently(id),
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

/// Whether the form of a button has several fields.
fn needs_button(page: &Page, id: NodeId) -> bool {
    let form = page.ancestors(id).find(|&up| page.tag(up) == Some(Tag::Form));
    let is_field = |&field: &NodeId| match page.tag(field) {
        Some(Tag::Select | Tag::Textarea) => true,
        Some(Tag::Input) => {
            let kind = page.attribute(field, &local_name!("type"));
            kind.is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden"))
        }
        _ => false,
    };
    form.is_some_and(|form| page.live(form).filter(is_field).nth(1).is_some())
}

fn name(page: &Page, id: NodeId) -> Option<String> {
    [local_name!("aria-label"), local_name!("title")]
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .map(str::trim)
        .find(|name| !name.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn a_button_without_a_word_is_named_or_goes() {
        let after = |html: &str| {
            let mut page = page(&format!("<form><input name=q>{html}</form>"));
            let button = by_id(&page, "b");
            repair(&mut page, &[button]);
            let mark = page.attribute(button, &LocalName::from(MARK));
            (page.is_live(button), mark.map(str::to_owned))
        };
        let named = (true, Some("named".to_owned()));
        assert_eq!(after("<button id=b aria-label=Find> </button>"), named);
        assert_eq!(after("<button id=b title=Find><i></i></button>"), named);
        assert_eq!(after("<button id=b>Find</button>"), (true, None));
        assert_eq!(after("<button id=b><img src=a></button>"), (true, None));
        for html in [
            "<button id=b type=button aria-label=Clear></button>",
            "<button id=b></button>",
            "<button id=b disabled aria-label=Find></button>",
        ] {
            assert!(!after(html).0, "{html}");
        }
    }

    #[test]
    fn a_form_of_several_fields_keeps_its_button() {
        let html = "<form><input type=hidden name=x><input name=from><select name=to></select><button id=b><svg></svg></button></form>";
        let mut page = page(html);
        let button = by_id(&page, "b");
        repair(&mut page, &[button]);
        assert_eq!(page.attribute(button, &local_name!("aria-label")), Some("→"));
        assert!(page.is_live(button));
    }
}
