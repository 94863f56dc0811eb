//! `CoreEx`: the set of nodes with much text and few links.
//!
//! Source: Prasad, Paepcke, *`CoreEx`: Content Extraction from Online News Articles*, CIKM 2008.
//!
//! The idea: content has many words for each link.
//!
//! 1. A text counts its words; a *link node* (a text or an image inside a link) counts one word and one link. Every other
//!    node has the sums of its children (§ 2.1).
//! 2. *Basic* score: `(words - links) / words`. *Weighted* score: .99 of that and .01 of the node's share of the page's
//!    words, a gentle push towards larger nodes (§ 2.2.1).
//! 3. *Subset selection*: a node keeps only the children whose basic score is above .9; it is scored by them, and the
//!    best node's set is the answer (§ 2.2.2).
//! 4. Forms and scripts may be left out beforehand (§ 3.2), titles brought in afterwards (§ 6.1).
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | weights | .99, .01 | .99, .01 | |
//! | threshold | .9 | .9 | |
//! | words | not said | runs between white space; ideographs one each | a paragraph of Japanese is not one word |
//! | link | `<a>` | `<a href>` | an anchor that is a place and no link holds plain text |
//! | no words at all | division by zero | no candidate | |
//! | ties | higher in the tree; among siblings at random | higher; then first in the document | same input, same output |
//! | header near the set | "the first header node found" among the previous siblings | the nearest one | it is the first that a walk back finds |
//! | tidying (R6) | `TagSoup`; "not worth its cost" | the parser's, always | every parser of HTML 5 makes a clean tree |
//! | form guard | none (§ 6.1: nothing found on one of 27 sites) | a form with over half of the page's words is no form | ASP.NET pages stand in one form |
//!
//! What is plainly wrong for today's pages, and the named variant that mends it: a page cut into sections has its
//! paragraphs several levels below the node that holds them all, so a set of direct children is one section at best.
//! [`Subset::Descendants`] lets a child that fails the threshold pass its own set on; [`Settings::mended`] adds a stronger
//! push to larger nodes and says what each is worth.
//!
//! Ignored nodes are not part of the answer even where they stand inside a chosen node.
//!
//! Cost: four passes over the nodes, one reading of the text.

mod counts;
mod page_shape;
mod title;

use serde::{Deserialize, Serialize};

use crate::main_block::Choice;
use crate::{
    error::ConfigError,
    html::{NodeId, Page},
};
use counts::{Counts, counted_nodes, own_counts, ratio};
pub use page_shape::PageShape;
pub(crate) use page_shape::page_shape;
use title::title;

/// How a node is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CoreExScoring"))]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// Words outside links over words.
    Basic,
    /// Words outside links over words, with a push towards nodes that hold more of the page.
    Weighted,
}

/// Which part of a node is scored and taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CoreExSubset"))]
#[serde(rename_all = "snake_case")]
pub enum Subset {
    /// The node as it is.
    Whole,
    /// Its children above the threshold, as the paper has it.
    Children,
    /// The outermost descendants above the threshold: our variant for pages cut into sections.
    Descendants,
}

/// How a title outside the chosen nodes is brought in (§ 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CoreExTitle"))]
#[serde(rename_all = "snake_case")]
pub enum Title {
    /// Not at all.
    None,
    /// The nearest heading among the previous siblings of the chosen nodes' parent.
    Sibling,
    /// The first node whose text is that of `<title>`.
    PageTitle,
    /// The first way, and the second where it finds nothing.
    Both,
}

/// Settings of the algorithm `core_ex`. The defaults are the paper's best system, R5.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CoreEx"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `basic` or `weighted`.
    pub scoring: Scoring,
    /// With `weighted`: weight of the node's share of the page's words, 0 to 1; the ratio of words to links has the rest.
    /// The paper's .01, tuned on 500 pages (§ 2.2.1). Higher: larger blocks.
    pub weight_text: f64,
    /// `whole`, `children` or `descendants`.
    pub subset: Subset,
    /// With a subset: words outside links over words that a child must exceed, 0 to 1. The paper's .9 (§ 2.2.2). Lower:
    /// more is taken.
    pub threshold: f64,
    /// Leave out `<form>`, `<select>`, `<input>`, `<textarea>`, `<option>` with all they hold.
    pub ignore_forms: bool,
    /// A form with more than this share (0 to 1) of the page's words is not ignored. 1: every form is, as in the paper.
    pub form_guard: f64,
    /// Leave out scripts and styles. Where the filter `ignore` has dropped them already, nothing is left to remove.
    pub remove_scripts: bool,
    /// `none`, `sibling`, `page_title` or `both`.
    pub title: Title,
}

/// Share of the page's words above which a form is the page's wrapper and no form. Our choice: two forms cannot both have
/// more. Raising it ignores more forms.
const FORM_GUARD: f64 = 0.5;

impl Default for Settings {
    fn default() -> Settings {
        Settings::system(5)
    }
}

impl Settings {
    /// The paper's systems R1 to R5 (Table 1), each adding one refinement; R5 for any other number.
    #[must_use]
    pub fn system(number: u8) -> Settings {
        let is_at_least = |refinement| !(1..=5).contains(&number) || number >= refinement;
        Settings {
            scoring: if is_at_least(2) { Scoring::Weighted } else { Scoring::Basic },
            weight_text: 0.01,
            subset: if is_at_least(3) { Subset::Children } else { Subset::Whole },
            threshold: 0.9,
            ignore_forms: is_at_least(4),
            form_guard: FORM_GUARD,
            remove_scripts: is_at_least(5),
            title: Title::None,
        }
    }

    /// Our variant for today's pages. Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare
    /// --main-block NAME`), word F1: R1 to R5 .033, .387, .482, .485, .517; this variant .796. On the way to it, with the sets of descendants and the paper's constants .528; with weights
    /// .1 and .3 for .01: .790 and .772. On every second page: thresholds .9, .93 and .95 with a weight of .05 or .1, the best of them .95
    /// with .05 (.800).
    #[must_use]
    pub fn mended() -> Settings {
        Settings {
            subset: Subset::Descendants,
            threshold: 0.95,
            weight_text: 0.05,
            title: Title::Both,
            ..Settings::system(5)
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless_share("main_block.core_ex.weight_text", self.weight_text)?;
        ConfigError::unless_share("main_block.core_ex.threshold", self.threshold)?;
        ConfigError::unless_share("main_block.core_ex.form_guard", self.form_guard)
    }
}

/// The scored tree.
struct ScoredNodes<'a> {
    page: &'a Page,
    settings: &'a Settings,
    /// Counted nodes in document order: what is ignored is not among them.
    nodes: Vec<NodeId>,
    ignored: Vec<NodeId>,
    counts: Vec<Counts>,
}

/// The set of nodes with the highest score.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let scored = ScoredNodes::new(page, settings);
    let Some((best, _)) = scored.best() else {
        return Choice::default();
    };
    let mut kept = scored.set_of(best);
    kept.extend(title(page, best, settings.title));
    Choice { kept, dropped: scored.ignored, ..Choice::default() }
}

impl<'a> ScoredNodes<'a> {
    fn new(page: &'a Page, settings: &'a Settings) -> ScoredNodes<'a> {
        let own = own_counts(page, settings.remove_scripts);
        let (nodes, ignored) = counted_nodes(page, settings, &own);
        let mut scored = ScoredNodes { page, settings, nodes, ignored, counts: own };
        scored.add_up();
        scored
    }

    /// From the last node to the first: descendants come before their ancestors.
    fn add_up(&mut self) {
        let mut is_counted = vec![false; self.counts.len()];
        for &id in &self.nodes {
            is_counted[id.index()] = true;
        }
        for (row, counts) in self.counts.iter_mut().enumerate() {
            if !is_counted[row] {
                *counts = Counts::default();
            }
        }
        let body = self.page.body();
        for &id in self.nodes.iter().rev() {
            let child = self.counts[id.index()];
            if id == body {
                break;
            }
            let parent = &mut self.counts[self.page.parent(id).index()];
            parent.words += child.words;
            parent.links += child.links;
            if child.ratio() > self.settings.threshold {
                parent.set_words += child.words;
                parent.set_links += child.links;
            } else if self.settings.subset == Subset::Descendants {
                parent.set_words += child.set_words;
                parent.set_links += child.set_links;
            }
        }
    }

    fn score(&self, id: NodeId) -> Option<f64> {
        let counts = self.counts[id.index()];
        let is_terminal = self.page.tag(id).is_none();
        let (words, links) = if self.settings.subset == Subset::Whole || is_terminal {
            (counts.words, counts.links)
        } else {
            (counts.set_words, counts.set_links)
        };
        if words == 0 {
            return None;
        }
        let ratio = ratio(words, links);
        let page_words = self.counts[self.page.body().index()].words;
        Some(match self.settings.scoring {
            Scoring::Basic => ratio,
            Scoring::Weighted => {
                let share = f64::from(words) / f64::from(page_words.max(1));
                (1.0 - self.settings.weight_text) * ratio + self.settings.weight_text * share
            }
        })
    }

    /// The node with the highest score; of equals the one higher in the tree, then the first in the document.
    fn best(&self) -> Option<(NodeId, f64)> {
        let mut best: Option<(NodeId, f64, u32)> = None;
        let mut depths = vec![0u32; self.counts.len()];
        for &id in &self.nodes {
            let depth = if id == self.page.body() { 0 } else { depths[self.page.parent(id).index()] + 1 };
            depths[id.index()] = depth;
            let Some(score) = self.score(id) else {
                continue;
            };
            let is_better = best
                .is_none_or(|(_, highest, at)| score > highest || (score.total_cmp(&highest).is_eq() && depth < at));
            if is_better {
                best = Some((id, score, depth));
            }
        }
        best.map(|(id, score, _)| (id, score))
    }

    /// The nodes that are taken of the best one.
    fn set_of(&self, best: NodeId) -> Vec<NodeId> {
        if self.settings.subset == Subset::Whole || self.page.tag(best).is_none() {
            return vec![best];
        }
        let mut set = Vec::new();
        let end = self.page.end(best);
        let mut at = NodeId(best.0 + 1);
        while at < end {
            let is_taken = self.counts[at.index()].ratio() > self.settings.threshold;
            if is_taken {
                set.push(at);
            }
            let goes_down = !is_taken && self.settings.subset == Subset::Descendants;
            at = if goes_down { NodeId(at.0 + 1) } else { self.page.end(at) };
        }
        set
    }
}

#[cfg(test)]
mod tests;
