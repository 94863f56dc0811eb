//! Writes the name of its tab above each panel, because without scripts all panels of a tab box are shown, one below
//! the other (WAI-ARIA 1.2, `tab` and `tabpanel`: the panel names its tab with `aria-labelledby`, the tab its panel
//! with `aria-controls`).
//!
//! The name is an attribute that the style writes, since a page gets no new nodes; text and Markdown write a line. WCXB dev, 2026-11-22: 71 of 1,497 pages have tabs.

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    html::{NodeId, Page, attribute_hints::Hint},
    metadata::is_same,
    vocabulary::words::one_line,
};

/// Bytes of a name, at most; a longer one is a text.
const MAX_BYTES: usize = 80;

/// Panels that are named.
const MAX_PANELS: usize = 200;

/// Marks the panels that have a name, and gives it to them.
pub(in crate::output) fn name(page: &mut Page) {
    let is_panel =
        |name: &LocalName, value: &str| *name == local_name!("role") && value.trim().eq_ignore_ascii_case("tabpanel");
    // Nearly no page has one.
    let panels: Vec<NodeId> = page
        .elements_with_hints(Hint::Role.bit(), &[])
        .into_iter()
        .filter(|&id| page.attribute(id, &local_name!("role")).is_some_and(|role| is_panel(&local_name!("role"), role)))
        .filter(|&id| !page.has_attribute(id, &LocalName::from(MARK)) && page.chars(id) > 0)
        .take(MAX_PANELS)
        .collect();
    if panels.is_empty() {
        return;
    }
    let named: Vec<(NodeId, String)> = {
        let tabs = Tabs::new(page, &panels);
        panels.iter().filter_map(|&panel| Some((panel, tabs.name(page, panel)?))).collect()
    };
    for (panel, name) in &named {
        page.set_attribute(*panel, local_name!("aria-label"), name.clone());
        page.set_attribute(*panel, LocalName::from(MARK), "panel".to_owned());
    }
    page.panels = named;
}

/// The tabs of a page, removed or not.
struct Tabs<'a> {
    by_id: HashMap<&'a str, NodeId>,
    by_panel: HashMap<&'a str, NodeId>,
}

impl<'a> Tabs<'a> {
    fn new(page: &'a Page, panels: &[NodeId]) -> Tabs<'a> {
        let labels: Vec<&str> = panels.iter().filter_map(|&panel| label(page, panel)).collect();
        let mut tabs = Tabs { by_id: HashMap::new(), by_panel: HashMap::new() };
        for id in (0..page.len()).map(NodeId::from_row) {
            for attribute in page.attributes(id) {
                let value = &*attribute.value;
                if attribute.name.local == local_name!("id") && labels.contains(&value) {
                    tabs.by_id.entry(value).or_insert(id);
                } else if attribute.name.local == local_name!("aria-controls") {
                    tabs.by_panel.entry(value).or_insert(id);
                }
            }
        }
        tabs
    }

    /// The name of a panel, where it does not stand over it or begin it.
    fn name(&self, page: &Page, panel: NodeId) -> Option<String> {
        let by_label = || self.by_id.get(label(page, panel)?);
        let by_tab = || self.by_panel.get(page.attribute(panel, &local_name!("id"))?);
        let &tab = by_label().or_else(by_tab)?;
        let name = words(page, tab);
        let is_name = name.len() <= MAX_BYTES && name.contains(char::is_alphanumeric);
        let is_above = page.is_live(tab)
            && page.end(tab) <= panel
            && page
                .live(page.body())
                .skip_while(|&id| id < page.end(tab))
                .take_while(|&id| id < panel)
                .all(|id| page.own_chars(id) == 0);
        let begins = || {
            let mut texts = page.live(panel).filter(|&id| page.own_chars(id) > 0);
            let first = texts.next().and_then(|id| page.text(id));
            first.is_some_and(|first| is_same(&first, &name))
        };
        (is_name && !is_above && !begins()).then_some(name)
    }
}

/// The words of a tab, removed or not.
fn words(page: &Page, tab: NodeId) -> String {
    let mut words = String::new();
    for row in tab.index()..page.end(tab).index() {
        let id = NodeId::from_row(row);
        if let Some(text) = page.text(id).filter(|_| page.own_chars(id) > 0) {
            words.push(' ');
            words.push_str(&text[..text.floor_char_boundary(text.len().min(MAX_BYTES + 1))]);
        }
        if words.len() > 2 * MAX_BYTES {
            break;
        }
    }
    // Some tabs hold their words twice, for wide screens and for narrow ones.
    let words = one_line(&words);
    match words.split_at_checked(words.len() / 2) {
        Some((one, two)) if two.strip_prefix(' ') == Some(one) => one.to_owned(),
        _ => words,
    }
}

fn label(page: &Page, panel: NodeId) -> Option<&str> {
    let label = page.attribute(panel, &local_name!("aria-labelledby"))?;
    label.split_ascii_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn words_that_a_tab_holds_twice_are_told_once() {
        let page = page("<b id=a><i>Live mode</i> <i>Live mode</i></b><b id=b>Go Go gadget</b>");
        assert_eq!(words(&page, by_id(&page, "a")), "Live mode");
        assert_eq!(words(&page, by_id(&page, "b")), "Go Go gadget");
    }
}
