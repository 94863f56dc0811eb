//! The link quota filter: blocks in which links have too large a part go.
//!
//! Source: Mantratzis, Orgun, Cassidy, *Separating XHTML Content From Navigation Clutter Using DOM-Structure Block
//! Analysis*, HT 2005.
//!
//! The idea:
//!
//! 1. Some elements are *structural* (tables, rows, cells, lists, paragraphs, `<div>`). All others are flattened into the
//!    nearest structural element around them.
//! 2. Each structural element counts its anchors with text, all its flattened tags with text, the characters in the
//!    anchors, and all its characters.
//! 3. From the bottom up the counts are added to the parent's, less by a percentage for each step between them.
//! 4. Anchors over tags against .5, linked over all characters against .4: each test met is a point. Two points make a
//!    list of links; with one "it is up to the system".
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | thresholds | .5, .4 | .5, .4 | reached is met: the paper does not say |
//! | structural | seven tags, lost in print but for `<div>` | `table tr td ul li p div` | the natural seven |
//! | decay | "a percentage analogous to the distance" | .1 a step, compounded | not given |
//! | one point | up to the system | keep | it is what a paragraph with one link has |
//! | text directly in a structural element | not a tag | counts as characters, not as a tag | otherwise any paragraph with one link would be all link |
//!
//! What is plainly wrong for today's pages, and the variant that mends it: judged from the top, the wrapper of a page whose menus hold
//! over 40 % of its text goes at once, content and all. [`Order::BottomUp`] judges children first and leaves what was
//! removed out of the parents' sums.
//!
//! Lists of linked *images* (§ 4, proposed): an image in a link without text counts as an anchor of
//! [`Settings::image_characters`] characters, if `image_lists` is on and at least three stand in the block and
//! all that give their dimensions give the same. The paper compares their ratio to the tags, and their dimensions, with those of
//! the same block on other pages of the domain; `image_lists_by_domain` does, where such pages were seen.
//!
//! *Dynamic thresholds* (§ 4, proposed): where several pages of a domain were seen, a block that repeats on them is
//! judged more strictly ([`crate::Domain`]). "Semantic comparison" is that of the text's fingerprint, "structural" that of
//! the block's signature.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`), word F1:
//! top-down .745, bottom-up .777. Bottom-up with a decay of 0, .05, .2 and .4: .777, .777, .778, .778; at least two anchors
//! .771; lists of images .777; a block with one point removed .727, removed if linked .777 at a recall of .915 for .944.
//!
//! Cost: five passes over the nodes.

mod quotas;

use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    domain,
    error::ConfigError,
    filter::Filter,
    html::{NodeId, tag::Tag},
    measure::outermost,
};
use quotas::{Quota, Structure, own_quotas, ratio};

/// From which end blocks are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkQuotaOrder"))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// From the root downwards over sums that are complete, as the paper has it.
    TopDown,
    /// From the innermost outwards; what was removed no longer counts for the blocks around it.
    BottomUp,
}

/// The treatment of a block that meets one of the two tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkQuotaOnOne"))]
#[serde(rename_all = "snake_case")]
pub enum OnOne {
    /// The block stays.
    Keep,
    /// The block goes.
    Remove,
    /// The block goes if the test that it meets is the one on characters.
    RemoveIfLinked,
}

/// Settings of `link_quota`, the filter and the algorithm of `main_block`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkQuota"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// `top_down` (the paper) or `bottom_up`.
    pub order: Order,
    /// The structural elements, by tag.
    pub structural: Vec<String>,
    /// Anchors over tags that is a point, 0 to 1. The paper's .5. Higher: more lists stay.
    pub anchors: f64,
    /// Linked over all characters that is a point, 0 to 1. The paper's .4. Higher: more lists stay.
    pub characters: f64,
    /// Share that an inner block's counts lose for each structural element between it and the one judged, 0 to 1. Higher: outer
    /// blocks are judged by their own text.
    pub decay: f64,
    /// A block with one point: `keep`, `remove` or `remove_if_linked`.
    pub on_one: OnOne,
    /// Fewer anchors than this are no list. The paper's 1.
    pub min_anchors: f64,
    /// Count linked images as anchors where they form a list: at least three, and of one size.
    pub image_lists: bool,
    /// With `image_lists`, of a block that several pages of the domain were seen with: they form a list where their ratio to the
    /// block's tags, and their size, are those of the other pages, whatever sizes stand side by side on one. Needs what the
    /// caller remembers of the domain: `rewrite.remember_hosts`.
    pub image_lists_by_domain: bool,
    /// With `image_lists`: characters that a linked image stands for.
    pub image_characters: f64,
    /// How much the thresholds of a block fall that repeats on every page seen of its domain, 0 to 1; 0 is off. Needs
    /// what the caller remembers of the domain: `rewrite.remember_hosts`.
    pub domain_strength: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: false,
            order: Order::BottomUp,
            structural: ["table", "tr", "td", "ul", "li", "p", "div"].map(str::to_owned).to_vec(),
            anchors: 0.5,
            characters: 0.4,
            decay: 0.1,
            on_one: OnOne::Keep,
            min_anchors: 1.0,
            image_lists: false,
            image_lists_by_domain: false,
            image_characters: 20.0,
            domain_strength: 0.5,
        }
    }
}

impl Settings {
    /// The settings of the paper.
    #[must_use]
    pub fn paper() -> Settings {
        Settings { order: Order::TopDown, ..Settings::default() }
    }

    pub(crate) fn check(&self, place: &str) -> Result<(), ConfigError> {
        for (key, value) in [
            ("anchors", self.anchors),
            ("characters", self.characters),
            ("decay", self.decay),
            ("domain_strength", self.domain_strength),
        ] {
            ConfigError::unless_share(&format!("{place}.{key}"), value)?;
        }
        for (key, value) in [("min_anchors", self.min_anchors), ("image_characters", self.image_characters)] {
            if !value.is_finite() || value < 0.0 {
                return Err(ConfigError::out_of_range(&format!("{place}.{key}"), value, "a number, 0 or more"));
            }
        }
        crate::html::tag::check_names(&format!("{place}.structural"), &self.structural)
    }
}

pub(crate) struct LinkQuota {
    pub(crate) settings: Settings,
}

impl Filter for LinkQuota {
    fn name(&self) -> &'static str {
        "link_quota"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        for id in link_lists(page, &self.settings) {
            page.remove(id, self.name());
        }
        None
    }
}

/// The roots of the lists of links in document order, none inside another one. What holds nothing but lists goes with
/// them: a `<ul>` is no use without its items.
pub(crate) fn link_lists(page: &AnalysedPage, settings: &Settings) -> Vec<NodeId> {
    let mut found = judged_lists(page, settings);
    let mut left = vec![0u32; page.len()];
    let mut is_gone = vec![false; page.len()];
    for &id in &found {
        is_gone[id.index()] = true;
    }
    let live: Vec<NodeId> = page.live(page.body()).skip(1).collect();
    // What a reader would still see below each node, and whether a list stood there.
    let mut held_list = vec![false; page.len()];
    for &id in live.iter().rev() {
        let row = id.index();
        let parent = page.parent(id).index();
        if is_gone[row] {
            held_list[parent] = true;
            continue;
        }
        let shows = page.own_chars(id) > 0 || page.tag(id).is_some_and(Tag::is_media);
        left[row] += u32::from(shows);
        if held_list[row] && left[row] == 0 {
            found.push(id);
            held_list[parent] = true;
        }
        left[parent] += left[row];
    }
    outermost(page, found)
}

fn judged_lists(page: &AnalysedPage, settings: &Settings) -> Vec<NodeId> {
    let structure = Structure::new(page, &settings.structural);
    let mut quotas = own_quotas(page, &structure, settings);
    let judge = Judge::new(page, settings);
    let body = page.body();
    let mut found = Vec::new();
    for &id in structure.elements.iter().rev() {
        let quota = quotas[id.index()];
        if settings.order == Order::BottomUp && judge.is_list(id, quota) {
            found.push(id);
        } else if id != body {
            let around = structure.around(page, id);
            quotas[around.index()].add(quota, 1.0 - settings.decay);
        }
    }
    if settings.order == Order::TopDown {
        let mut skip_to = NodeId::DOCUMENT;
        for &id in &structure.elements {
            if id >= skip_to && judge.is_list(id, quotas[id.index()]) {
                found.push(id);
                skip_to = page.end(id);
            }
        }
    }
    found
}

/// The two tests.
struct Judge<'a> {
    page: &'a AnalysedPage,
    settings: &'a Settings,
    /// Signatures of the page's blocks, where the caller remembers the domain.
    signatures: Option<Vec<u64>>,
}

impl<'a> Judge<'a> {
    fn new(page: &'a AnalysedPage, settings: &'a Settings) -> Judge<'a> {
        let needs = settings.domain_strength > 0.0 && page.domain.is_some();
        Judge { page, settings, signatures: needs.then(|| domain::signatures(page)) }
    }

    fn is_list(&self, id: NodeId, quota: Quota) -> bool {
        if id == self.page.body() || quota.anchors < self.settings.min_anchors.max(f64::MIN_POSITIVE) {
            return false;
        }
        let strictness = self.strictness(id);
        let by_anchors = ratio(quota.anchors, quota.tags) >= self.settings.anchors * strictness;
        let by_chars = ratio(quota.linked, quota.chars) >= self.settings.characters * strictness;
        match self.settings.on_one {
            OnOne::Keep => by_anchors && by_chars,
            OnOne::Remove => by_anchors || by_chars,
            OnOne::RemoveIfLinked => by_chars,
        }
    }

    /// The factor of both thresholds for a block: 1 for a block that nothing is known of.
    fn strictness(&self, id: NodeId) -> f64 {
        let repetition = self
            .signatures
            .as_ref()
            .zip(self.page.domain.as_ref())
            .and_then(|(signatures, domain)| domain.repetition(signatures[id.index()]));
        1.0 - self.settings.domain_strength * repetition.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests;
