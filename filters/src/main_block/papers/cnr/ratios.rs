//! Algorithm 1: the ratio of every node.

use super::Settings;
use crate::html::{NodeId, NodeKind, NodeState, Page, tag::Tag};

/// The values that Algorithm 1 computes for a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ratio {
    /// Visible characters, links and other non-content left out.
    pub(crate) chars: u32,
    /// Nodes of the subtree, itself included.
    pub(crate) weight: u32,
}

impl Ratio {
    pub(crate) fn value(self) -> f64 {
        if self.weight == 0 { 0.0 } else { f64::from(self.chars) / f64::from(self.weight) }
    }
}

impl std::iter::Sum for Ratio {
    fn sum<I: Iterator<Item = Ratio>>(ratios: I) -> Ratio {
        ratios.fold(Ratio::default(), |sum, ratio| Ratio {
            chars: sum.chars + ratio.chars,
            weight: sum.weight + ratio.weight,
        })
    }
}

/// Algorithm 1 for every node below the body, by row; weight 0 marks what does not count as a node.
pub(crate) fn chars_nodes_ratios(page: &Page, settings: &Settings) -> Vec<Ratio> {
    let non_content = NonContent::from_settings(settings);
    let mut ratios = vec![Ratio::default(); page.len()];
    let body = page.body();
    let mut discarded = Vec::new();
    for &id in counted_nodes(page).iter().rev() {
        let own = if non_content.holds(page, id) {
            discarded.push(id);
            Ratio { chars: 0, weight: 1 }
        } else {
            let below = ratios[id.index()];
            Ratio {
                chars: below.chars + u32::try_from(page.own_chars(id)).unwrap_or(u32::MAX),
                weight: below.weight + 1,
            }
        };
        ratios[id.index()] = own;
        if id != body {
            let parent = &mut ratios[page.parent(id).index()];
            parent.chars += own.chars;
            parent.weight += own.weight;
        }
    }
    // "Its subtree is not visited": nothing inside a non-content node may start a block.
    for id in discarded {
        ratios[id.index() + 1..page.end(id).index()].fill(Ratio::default());
    }
    ratios
}

/// Elements and texts that show something.
pub(crate) fn counted_nodes(page: &Page) -> Vec<NodeId> {
    page.live(page.body())
        .filter(|&id| match page.kind(id) {
            NodeKind::Text => page.own_chars(id) > 0,
            NodeKind::Element(_) | NodeKind::Document => true,
            _ => false,
        })
        .collect()
}

/// The non-content nodes: a mark for each tag.
struct NonContent([bool; Tag::COUNT]);

impl NonContent {
    fn from_settings(settings: &Settings) -> NonContent {
        let mut marks = [false; Tag::COUNT];
        let names = settings.non_content.iter();
        for tag in names.filter_map(|name| Tag::from_name(name)) {
            marks[tag as usize] = true;
        }
        NonContent(marks)
    }

    /// A `<noscript>` whose tags an earlier filter took off is a plain container.
    fn holds(&self, page: &Page, id: NodeId) -> bool {
        page.state(id) == NodeState::Keep && page.tag(id).is_some_and(|tag| tag.hides_text() || self.0[tag as usize])
    }
}
