//! What `CoreEx` counts of each node by itself, and which nodes take part (§ 2.1, § 3.2).

use super::Settings;
use crate::{
    html::{NodeId, NodeKind, Page, tag::Tag},
    vocabulary::words::words,
};

/// Words and links of a subtree, and of the part of it that is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) words: u32,
    pub(super) links: u32,
    pub(super) set_words: u32,
    pub(super) set_links: u32,
}

impl Counts {
    /// Words outside links over words; 0 without words.
    pub(super) fn ratio(self) -> f64 {
        ratio(self.words, self.links)
    }
}

pub(super) fn ratio(words: u32, links: u32) -> f64 {
    if words == 0 { 0.0 } else { f64::from(words - links) / f64::from(words) }
}

/// The counts of each node by itself.
pub(super) fn own_counts(page: &Page, remove_scripts: bool) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); page.len()];
    for id in page.live(page.body()) {
        let is_link_node = page.in_link(id)
            && match page.kind(id) {
                NodeKind::Text => page.own_chars(id) > 0,
                NodeKind::Element(tag) => tag == Tag::Img,
                _ => false,
            };
        if is_link_node {
            counts[id.index()] = Counts { words: 1, links: 1, ..Counts::default() };
        } else if page.own_chars(id) > 0 || (!remove_scripts && is_script_text(page, id)) {
            counts[id.index()].words = page.text(id).map_or(0, |text| words(&text));
        }
    }
    counts
}

fn is_script_text(page: &Page, id: NodeId) -> bool {
    page.kind(id) == NodeKind::Text && matches!(page.tag(page.parent(id)), Some(Tag::Script | Tag::Style))
}

/// The nodes that take part, and the roots of what is ignored.
pub(super) fn counted_nodes(page: &Page, settings: &Settings, own: &[Counts]) -> (Vec<NodeId>, Vec<NodeId>) {
    let mut before = Vec::with_capacity(own.len() + 1);
    let mut sum = 0;
    for counts in own {
        before.push(sum);
        sum += counts.words;
    }
    before.push(sum);
    let is_wrapper = |id: NodeId| {
        let words = before[page.end(id).index()] - before[id.index()];
        f64::from(words) > settings.form_guard * f64::from(sum)
    };
    let (mut nodes, mut ignored) = (Vec::new(), Vec::new());
    let mut skip_to = NodeId::DOCUMENT;
    for id in page.live(page.body()) {
        if id < skip_to {
            continue;
        }
        let is_ignored = match page.tag(id) {
            Some(Tag::Form) => settings.ignore_forms && !is_wrapper(id),
            Some(Tag::Select | Tag::Input | Tag::Textarea | Tag::Option) => settings.ignore_forms,
            _ => false,
        };
        if is_ignored {
            ignored.push(id);
            skip_to = page.end(id);
        } else {
            nodes.push(id);
        }
    }
    (nodes, ignored)
}
