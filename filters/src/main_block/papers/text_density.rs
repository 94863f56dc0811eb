//! DOM text density (CETD): the nodes with much text for their tags, summed over children.
//!
//! Source: Sun, Song, Liao, *DOM Based Content Extraction via Text Density*, SIGIR 2011.
//!
//! The idea:
//!
//! 1. *Text density* of a node: characters below it over tags below it.
//! 2. *Composite* density lowers it where links hold much of the text: `C/T * log_b((C/LC) * (T/LT))` with the base
//!    `b = ln((C/¬LC) * LC + (LCb/Cb) * C + e)`; `C` characters, `T` tags, `LC` and `LT` those in links, `¬LC` the rest, `b`
//!    the body's.
//! 3. *Density sum* of a node: the sum of its children's densities. The node with the highest one holds the content.
//! 4. The lowest density on the way from it up to the body is the threshold. From the body down, in every node that
//!    reaches it, the descendant with the highest density sum is content.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | number of tags, of links, of characters in links, where 0 | 1 | 1 | |
//! | text directly in a node | counts as a child without tags | the same, weight of its characters | |
//!
//! There are no other constants. Of equal sums the first node of the document is taken.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`), word
//! F1: composite .776, plain .729; recall .955 and .966, the highest of all choices, with the fewest pages harmed (39 and 30).
//!
//! Cost: five passes over the nodes; marking is one pass because the node with the highest sum below each node is worked
//! out on the way up.

use serde::{Deserialize, Serialize};

use crate::html::{NodeId, NodeKind, Page, tag::Tag};
use crate::main_block::Choice;

/// Which density is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DensityMeasure"))]
#[serde(rename_all = "snake_case")]
pub enum DensityMeasure {
    /// Characters over tags.
    Plain,
    /// Characters over tags, lowered by links.
    Composite,
}

/// Settings of the algorithm `text_density`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TextDensity"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `plain` or `composite`.
    pub measure: DensityMeasure,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { measure: DensityMeasure::Composite }
    }
}

/// Sums over a subtree.
#[derive(Clone, Copy, Default)]
struct DensitySums {
    chars: u32,
    tags: u32,
    link_chars: u32,
    link_tags: u32,
}

/// The nodes with content.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let body = page.body();
    let elements: Vec<NodeId> = page.live(body).filter(|&id| matches!(page.kind(id), NodeKind::Element(_))).collect();
    let densities = densities(page, settings.measure);
    let sums = density_sums(page, &elements, &densities);
    let best_below = best_below(page, &elements, &sums);
    let Some(threshold) = threshold(page, best_below[body.index()], &densities, &sums) else {
        return Choice::default();
    };
    let mut kept = Vec::new();
    let mut at = body;
    while at < page.end(body) {
        let is_dense = page.tag(at).is_some() && densities[at.index()] >= threshold;
        if is_dense {
            kept.push(best_below[at.index()]);
        }
        at = NodeId(at.0 + 1);
    }
    kept.into()
}

fn densities(page: &Page, measure: DensityMeasure) -> Vec<f64> {
    let body = page.body();
    let mut sums = vec![DensitySums::default(); page.len()];
    let live: Vec<NodeId> = page.live(body).collect();
    for &id in live.iter().rev() {
        let own = &mut sums[id.index()];
        let chars = crate::vocabulary::words::count(page.own_chars(id));
        own.chars += chars;
        if page.in_link(id) {
            own.link_chars += chars;
        }
        let sum = *own;
        if id == body {
            break;
        }
        let parent = &mut sums[page.parent(id).index()];
        parent.chars += sum.chars;
        parent.link_chars += sum.link_chars;
        parent.tags += sum.tags;
        parent.link_tags += sum.link_tags;
        if let Some(tag) = page.tag(id) {
            parent.tags += 1;
            parent.link_tags += u32::from(tag == Tag::A && page.in_link(id));
        }
    }
    let whole = sums[body.index()];
    sums.iter().map(|&sum| density(sum, whole, measure)).collect()
}

fn density(node: DensitySums, body: DensitySums, measure: DensityMeasure) -> f64 {
    if node.chars == 0 {
        return 0.0;
    }
    let at_least_one = |count: u32| f64::from(count.max(1));
    let chars = f64::from(node.chars);
    let tags = at_least_one(node.tags);
    let plain = chars / tags;
    if measure == DensityMeasure::Plain {
        return plain;
    }
    let unlinked = at_least_one(node.chars - node.link_chars);
    let linked_share = f64::from(body.link_chars) / at_least_one(body.chars);
    let base = (chars / unlinked * f64::from(node.link_chars) + linked_share * chars + std::f64::consts::E).ln();
    let inside = chars / at_least_one(node.link_chars) * (tags / at_least_one(node.link_tags));
    // With no link on the page the base is 1, to which there is no logarithm: nothing lowers the density.
    let factor = if base > 1.0 { inside.ln() / base.ln() } else { inside.ln() };
    (plain * factor).max(0.0)
}

/// Sums of the children's densities; text directly in the node adds its characters.
fn density_sums(page: &Page, elements: &[NodeId], densities: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; page.len()];
    for &id in elements.iter().skip(1) {
        sums[page.parent(id).index()] += densities[id.index()];
    }
    for id in page.live(page.body()) {
        if page.tag(id).is_none() {
            sums[page.parent(id).index()] += page.own_chars(id) as f64;
        }
    }
    sums
}

/// For each node, the one of its subtree with the highest density sum.
fn best_below(page: &Page, elements: &[NodeId], sums: &[f64]) -> Vec<NodeId> {
    let mut best: Vec<NodeId> = (0..page.len()).map(NodeId::from_row).collect();
    for &id in elements.iter().rev() {
        let own = best[id.index()];
        if id == page.body() {
            break;
        }
        let parent = page.parent(id);
        let of_parent = best[parent.index()];
        // Rows are met from the last to the first, so an equal one met later stands earlier in the document; the
        // parent itself stands before all of them.
        let is_better = if of_parent == parent {
            sums[own.index()] > sums[parent.index()]
        } else {
            sums[own.index()] >= sums[of_parent.index()]
        };
        if is_better {
            best[parent.index()] = own;
        }
    }
    best
}

/// The lowest density from the node up to the body.
fn threshold(page: &Page, best: NodeId, densities: &[f64], sums: &[f64]) -> Option<f64> {
    if sums[best.index()] <= 0.0 {
        return None;
    }
    let body = page.body();
    let on_the_way = page.self_and_ancestors(best).take_while(|&id| id >= body).map(|id| densities[id.index()]);
    on_the_way.reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    fn assert_near(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9, "{left} is not {right}");
    }

    #[test]
    fn densities_are_those_worked_by_hand() {
        // 12 characters, 4 of them linked, in 3 tags of which one is a link.
        let page = page("<div id=d><p id=p>abcd<b>efgh</b></p><a id=a href=/x>ijkl</a></div>");
        let plain = densities(&page, DensityMeasure::Plain);
        assert_near(plain[by_id(&page, "d").index()], 12.0 / 3.0);
        assert_near(plain[by_id(&page, "p").index()], 8.0);
        let composite = densities(&page, DensityMeasure::Composite);
        // The body has the same sums: base ln(12/8 * 4 + 4/12 * 12 + e), inside (12/4) * (3/1).
        let base = (12.0 / 8.0 * 4.0 + 4.0 + std::f64::consts::E).ln();
        let expected: f64 = 4.0 * (3.0f64 * 3.0).ln() / base.ln();
        assert_near(composite[by_id(&page, "d").index()], expected);
    }

    #[test]
    fn takes_the_text_and_leaves_the_menu() {
        let menu = "<li><a href=/x>menu</a></li>".repeat(12);
        let html = format!("<ul id=menu>{menu}</ul><div id=text><p>{0}</p><p>{0}</p><p>{0}</p></div>", words(40));
        let page = page(&html);
        let kept = choose(&page, &Settings::default()).kept;
        let is_kept = |id| {
            let node = by_id(&page, id);
            kept.iter().any(|&kept| page.contains(kept, node))
        };
        assert!(is_kept("text"));
        assert!(!is_kept("menu"));
    }

    #[test]
    fn a_page_without_text_has_no_content() {
        let page = page("<div><img src=x></div>");
        assert!(choose(&page, &Settings::default()).kept.is_empty());
    }
}
