//! The contents of shadow trees that are written in the page (`<template shadowrootmode>`, HTML Standard § 4.12.3): a browser
//! shows them in place of their host's children, and those in the slots among them (DOM Standard § 4.2.2). Here both become
//! ordinary elements, because a template is not shown and cannot be judged. Of the 1,497 pages of WCXB dev 11 have shadow trees
//! (2026-11-21).

use std::collections::{HashMap, HashSet};

use html5ever::{LocalName, local_name};
use kuchikiki::NodeRef;

use super::{attribute, move_children};
use crate::html::attributes::Attributes;

/// Flattens every shadow tree, the outer ones first, as they stand in the page.
pub(super) fn flatten(attributes: &Attributes, templates: &[NodeRef]) {
    let mode = LocalName::from("shadowrootmode");
    let mut hosts: HashSet<*const kuchikiki::Node> = HashSet::new();
    for template in templates {
        let is_shadow = attribute(attributes, template, &mode)
            .is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"));
        let Some(host) = template.parent().filter(|_| is_shadow) else {
            continue;
        };
        // A second one is an ordinary template.
        if host.as_element().is_some() && hosts.insert(std::ptr::from_ref(&*host)) {
            replace(attributes, template, &host);
        }
    }
}

fn replace(attributes: &Attributes, template: &NodeRef, host: &NodeRef) {
    let Some(contents) = template.as_element().and_then(|element| element.template_contents.clone()) else {
        return;
    };
    let (mut slots, mut own_styles) = (Vec::new(), Vec::new());
    for node in contents.descendants() {
        match node.as_element().map(|element| &element.name.local) {
            Some(&local_name!("slot")) => slots.push(node),
            // They hold inside of the shadow tree alone.
            Some(&local_name!("style") | &local_name!("link")) => own_styles.push(node),
            _ => {}
        }
    }
    let mut assigned = children_by_slot(attributes, template, host);
    for slot in slots {
        let name = attribute(attributes, &slot, &local_name!("name")).unwrap_or_default();
        match assigned.remove(name) {
            Some(nodes) => {
                for node in nodes {
                    slot.insert_before(node);
                }
            }
            None => move_children(&slot, &slot),
        }
        slot.detach();
    }
    // What has no slot is not shown.
    for node in own_styles.into_iter().chain(assigned.into_values().flatten()) {
        node.detach();
    }
    move_children(&contents, template);
    template.detach();
}

/// The host's own children by the slot they ask for; text asks for the one without a name.
fn children_by_slot<'a>(
    attributes: &'a Attributes,
    template: &NodeRef,
    host: &NodeRef,
) -> HashMap<&'a str, Vec<NodeRef>> {
    let mut children: HashMap<&str, Vec<NodeRef>> = HashMap::new();
    for child in host.children() {
        let is_content = child.as_element().is_some() || child.as_text().is_some();
        if is_content && child != *template {
            let slot = attribute(attributes, &child, &local_name!("slot")).unwrap_or_default();
            children.entry(slot).or_default().push(child);
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use crate::testing::shown;

    #[test]
    fn children_stand_in_the_slots_they_ask_for() {
        let html = "<x-card><template shadowrootmode=\"open\"><style>p { color: red }</style>\
                    <header><slot name=\"title\">Untitled</slot></header><slot></slot><footer>end</footer></template>\
                    <p>text</p><h2 slot=\"title\">Title</h2><i slot=\"other\">nowhere</i></x-card>";
        assert_eq!(
            shown(html),
            "<x-card><header><h2 slot=\"title\">Title</h2></header><p>text</p><footer>end</footer></x-card>"
        );
    }

    #[test]
    fn a_slot_that_nobody_asks_for_shows_its_own() {
        let html = "<x-card><template shadowrootmode=\"closed\"><slot name=\"title\"><b>Untitled</b></slot></template></x-card>";
        assert_eq!(shown(html), "<x-card><b>Untitled</b></x-card>");
    }

    #[test]
    fn shadow_trees_in_shadow_trees_are_shown() {
        let html = "<x-a><template shadowrootmode=\"open\"><x-b><template shadowrootmode=\"open\"><p><slot></slot></p></template>\
                    <slot></slot></x-b></template>text</x-a>";
        assert_eq!(shown(html), "<x-a><x-b><p>text</p></x-b></x-a>");
    }

    #[test]
    fn ordinary_templates_stay() {
        let html = "<div><template><p>text</p></template></div>";
        assert_eq!(shown(html), html);
        let html = "<x-a><template shadowrootmode=\"open\">one</template><template shadowrootmode=\"open\">two</template></x-a>";
        assert_eq!(shown(html), "<x-a>one</x-a>", "the second is a child without a slot");
    }
}
