//! Chars-nodes ratio (CNR).
//!
//! Source: López, Silva, Insa, *Using the DOM Tree for Content Extraction*, WWV 2012 (Algorithms 1 and 2; sections below are its
//! own); the same authors, *Content Extraction based on Hierarchical Relations in DOM Structures*, Polibits 45, 2012 (the same
//! method, with an example from Fox News).
//!
//! The idea: the main content has much text in few nodes, menus and boxes have little text in many.
//!
//! 1. **Algorithm 1** gives every node its ratio `characters / weight`: characters of the text below it, white space not
//!    counted, over the number of nodes of its subtree, itself included. A *non-content node* (a link, a menu, a script)
//!    weighs 1 and has no characters, whatever it holds.
//! 2. The nodes with the highest ratios are the start set.
//! 3. **Algorithm 2** drops every node that has an ancestor in the set, then replaces siblings by their parent until no
//!    two siblings are left (the paper calls them brothers).
//! 4. Of what is left, the node with most text is the main block.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | start set | a parameter, no value given | above the mean | measured, below |
//! | texts in the start set | not said | the block around them | a text alone may be half a sentence; F1 differs by .001 |
//! | non-content nodes | examples: `img`, `nav`, `a`, `script`, `video`, `svg` | [`Settings::non_content`] and what never shows text | the examples and their like |
//! | root | the root of the tree | `body` | `head` holds text that is not on the page |
//! | dial | "more restrictive" to "more relaxed", no rule | [`Settings::dial`], 0 | 0 is Algorithm 2 as printed |
//!
//! Start sets measured on WCXB dev, 2026-11-21 (`gleaner-lab evaluate`, whole chain, `main_block.min_share` .15), word F1: above the
//! mean .802; 75th percentile .794; .05, .1, .25 of the highest .788, .780, .768; the 10, 50, 100 highest .766, .782, .773.
//!
//! Two things can be asked for on top (§ 5 and § 6 of the paper): the *dial* between all of the precision and all of the
//! recall, and *increase* / *decrease*, which move the answer to its parent or to its child with the highest ratio.
//!
//! Text nodes of white space only, comments and the like are no nodes here, so that re-indenting a page changes nothing.
//! Ties go to the node that comes first in the document.
//!
//! Cost: three passes over the nodes; Algorithm 2 is one pass from the last node to the first, because replacing
//! siblings only ever moves up.

mod ratios;
mod siblings;

use serde::{Deserialize, Serialize};

use crate::{
    error::ConfigError,
    html::{NodeId, Page, tag::Tag},
};
pub(crate) use ratios::{Ratio, chars_nodes_ratios, counted_nodes};
use siblings::block_with_most_text;
pub(crate) use siblings::{Children, relevant_blocks};

/// Which nodes Algorithm 2 starts from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Every node whose ratio is above the mean of the page.
    AboveMean,
    /// The `top` nodes with the highest ratios.
    Top,
    /// Every node whose ratio is at least `share` of the highest.
    Share,
    /// Every node whose ratio is at or above the given `percentile` of the page.
    Percentile,
}

/// The dial of the variant `cnr_relaxed`, our remedy for start sets that never meet: cards and sections wrap each
/// paragraph, so siblings of the set stand in different wrappers and no merge climbs; growing the block until it holds
/// half of the text does. On all of WCXB dev, 2026-11-21, by itself .810 for .777, in the whole chain .820 for .817
/// (standard error of the difference .002). Measured on WCXB dev, 2026-11-21, every second page, the algorithm by itself (`gleaner-lab evaluate DEV
/// --bare --every 2 --variant 'dial=main_block: {cnr: {dial: ...}}'`), word F1: -1 .537, -.5 .722, 0 .775, .25 .801, .5
/// .812, .75 .791, 1 .714; recall grows all the way from .536 to .972.
pub(in crate::main_block) const RELAXED: f64 = 0.5;

/// Settings of the algorithm `cnr`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Cnr"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Which nodes Algorithm 2 starts from: `above_mean`, `top`, `share` or `percentile`.
    pub start: Start,
    /// Whether texts may be in the start set (their ratios are always the highest) or elements only: the paper does not
    /// say. Measured on WCXB dev, 2026-11-21, every second page, the algorithm by itself: .775 with texts, .729 without.
    pub text_nodes: bool,
    /// With `start: top`: how many nodes. More nodes: a larger block.
    pub top: usize,
    /// With `start: share`: share of the highest ratio, 0 to 1. Smaller: a larger block.
    pub share: f64,
    /// With `start: percentile`: 0 to 100. Smaller: a larger block.
    pub percentile: f64,
    /// From -1 (precision: close to the leaves) over 0 (the paper's Algorithm 2) to 1 (recall: the whole body). Below 0,
    /// siblings are replaced by their parent only if they hold this share of its text. Above 0, the block grows until it
    /// holds this share of the page's text.
    pub dial: f64,
    /// Elements that weigh one node and have no text, whatever they hold, by tag; scripts, films, drawings and their like are
    /// among them always. The paper's classes: without text (`img`), used for menus (`nav`, `a`), irrelevant (`script`). More
    /// of them: blocks with other text win.
    pub non_content: Vec<String>,
    /// Steps by which the answer, of any algorithm but `auto`, is moved afterwards: above 0 to the parent ("increase information"), below 0 to the
    /// child with the highest ratio ("decrease information").
    pub adjust: i8,
}

/// Tags of non-content nodes unless others are configured: the paper's examples and their like.
const NON_CONTENT: [&str; 15] = [
    "a", "area", "button", "embed", "img", "input", "map", "math", "menu", "nav", "noscript", "option", "picture",
    "source", "track",
];

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: Start::AboveMean,
            text_nodes: true,
            top: 10,
            share: 0.25,
            percentile: 90.0,
            dial: 0.0,
            non_content: NON_CONTENT.map(str::to_owned).to_vec(),
            adjust: 0,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.top == 0 {
            return Err(ConfigError::out_of_range("main_block.cnr.top", self.top, "at least 1"));
        }
        ConfigError::unless_share("main_block.cnr.share", self.share)?;
        if !(0.0..=100.0).contains(&self.percentile) {
            return Err(ConfigError::out_of_range("main_block.cnr.percentile", self.percentile, "0 to 100"));
        }
        if !(-1.0..=1.0).contains(&self.dial) {
            return Err(ConfigError::out_of_range("main_block.cnr.dial", self.dial, "-1 to 1"));
        }
        crate::html::tag::check_names("main_block.cnr.non_content", &self.non_content)
    }
}

/// The main block of a page; `None` where there is no text outside links.
pub(crate) fn main_block(page: &Page, settings: &Settings) -> Option<NodeId> {
    let ratios = chars_nodes_ratios(page, settings);
    let start = start_set(page, &ratios, settings);
    let share = (-settings.dial).max(0.0);
    let blocks = relevant_blocks(page, start, &ratios, |row, children| {
        children.blocks >= 2 && f64::from(children.chars) >= share * f64::from(ratios[row].chars)
    });
    let block = block_with_most_text(&blocks, &ratios)?;
    Some(grown(page, block, settings.dial, &ratios))
}

/// The dial above 0: the ancestor that holds enough of the page's text.
fn grown(page: &Page, block: NodeId, dial: f64, ratios: &[Ratio]) -> NodeId {
    if dial <= 0.0 {
        return block;
    }
    let body = page.body();
    if dial >= 1.0 {
        return body;
    }
    let wanted = dial * f64::from(ratios[body.index()].chars);
    std::iter::once(block)
        .chain(page.ancestors(block))
        .take_while(|&id| id >= body)
        .find(|&id| f64::from(ratios[id.index()].chars) >= wanted)
        .unwrap_or(body)
}

/// The paper's two buttons, pressed as often as asked: [`Settings::adjust`].
pub(in crate::main_block) fn adjusted(page: &Page, mut block: NodeId, settings: &Settings) -> NodeId {
    let ratios = chars_nodes_ratios(page, settings);
    for _ in 0..settings.adjust.unsigned_abs() {
        let next = if settings.adjust > 0 { increase(page, block) } else { decrease(page, block, &ratios) };
        let Some(next) = next else { break };
        block = next;
    }
    block
}

/// A reader's steps: each on to the next node with more text, or less, because parents that only wrap a block look alike.
/// The flag tells whether there is no other.
pub(in crate::main_block) fn stepped(page: &Page, mut block: NodeId, steps: i8, settings: &Settings) -> (NodeId, bool) {
    let ratios = chars_nodes_ratios(page, settings);
    let on = |&id: &NodeId| if steps > 0 { increase(page, id) } else { decrease(page, id, &ratios) };
    let next = |block: NodeId| {
        let chars = page.chars(block);
        std::iter::successors(on(&block), on).find(|&id| page.chars(id) != chars)
    };
    for _ in 0..steps.unsigned_abs() {
        block = next(block).unwrap_or(block);
    }
    (block, next(block).is_none())
}

/// "Increasing the amount of information shown is done by selecting the parent of this node." None above the body.
pub(crate) fn increase(page: &Page, block: NodeId) -> Option<NodeId> {
    (block != page.body()).then(|| page.parent(block))
}

/// "Decreasing the information shown is done by selecting the child node with a higher CNR." The first of equals; none
/// where no child has text outside links.
pub(crate) fn decrease(page: &Page, block: NodeId, ratios: &[Ratio]) -> Option<NodeId> {
    page.live_children(block)
        .filter(|child| ratios[child.index()].chars > 0)
        .reduce(|best, child| if ratios[child.index()].value() > ratios[best.index()].value() { child } else { best })
}

/// The nodes with the highest ratios, as a mark per row.
pub(crate) fn start_set(page: &Page, ratios: &[Ratio], settings: &Settings) -> Vec<bool> {
    let mut rated: Vec<(usize, f64)> = ratios
        .iter()
        .enumerate()
        .filter(|(_, ratio)| ratio.weight > 0)
        .filter(|(row, _)| settings.text_nodes || page.tag(NodeId::from_row(*row)).is_some())
        .map(|(row, ratio)| (row, ratio.value()))
        .collect();
    let nodes = rated.len();
    let highest = rated.iter().map(|&(_, value)| value).fold(0.0, f64::max);
    let threshold = match settings.start {
        Start::AboveMean => {
            let sum: f64 = rated.iter().map(|&(_, value)| value).sum();
            // Above the mean, not at it: a page of equal ratios has no block that stands out.
            (sum / nodes.max(1) as f64).next_up()
        }
        Start::Share => settings.share * highest,
        Start::Top | Start::Percentile => {
            // Highest first, ties in document order.
            rated.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let count = match settings.start {
                Start::Top => settings.top,
                _ => share_of(nodes, 1.0 - settings.percentile / 100.0),
            };
            rated.truncate(count.max(1));
            0.0
        }
    };
    let mut marks = vec![false; ratios.len()];
    for (row, value) in rated {
        if value > 0.0 && value >= threshold {
            let id = block_of(page, NodeId::from_row(row));
            marks[id.index()] = true;
        }
    }
    marks
}

/// A text stands for the block around it: the main block must not end in the middle of a sentence where a link begins.
fn block_of(page: &Page, id: NodeId) -> NodeId {
    if page.tag(id).is_some() {
        return id;
    }
    page.ancestors(id).find(|&up| page.tag(up).is_some_and(Tag::is_block)).unwrap_or(page.body())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
fn share_of(count: usize, share: f64) -> usize {
    (count as f64 * share).round() as usize
}

#[cfg(test)]
pub(in crate::main_block) mod tests;
