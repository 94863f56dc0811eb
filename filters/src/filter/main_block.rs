//! Chooses the main content and removes the rest of the page.
//!
//! The algorithms only read the page and name nodes (`Choice`: what to keep, what to drop inside it); the editing is
//! done here. Each algorithm is a file in `main_block/`. A choice that keeps next to nothing is not carried out
//! ([`Settings::min_chars`], [`Settings::min_share`]), whatever algorithm made it: the page then keeps what the other
//! filters left.

pub mod article_subtree;
pub mod blocks;
pub mod bte;
pub mod ccb;
pub mod cetr;
pub mod cnr;
pub mod core_ex;
mod source;
pub mod text_density;

use serde::{Deserialize, Serialize};

use crate::{
    error::ConfigError,
    filter::{Filter, genre::Preset, link_quota},
    page::{Fate, NodeId, Page, tag::Tag},
};

/// How the main content is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Chars-nodes ratio (López, Silva, Insa 2012): one block.
    #[default]
    Cnr,
    /// `CoreEx` (Prasad, Paepcke 2008): a set of nodes.
    CoreEx,
    /// Link quota filter (Mantratzis, Orgun, Cassidy 2005): everything but lists of links.
    LinkQuota,
    /// First subtree with enough text in paragraphs (Agarwal et al. 2013): one block.
    ArticleSubtree,
    /// Tag ratios of the lines of the source (Weninger, Hsu, Han 2010): runs of text.
    Cetr,
    /// Body text extraction (Finn, Kushmerick, Smyth 2001): one run of text.
    Bte,
    /// Content code blurring (Gottron 2008): runs of text.
    Ccb,
    /// DOM text density (Sun, Song, Liao 2011): a set of nodes.
    TextDensity,
}

impl Algorithm {
    /// Every algorithm by its YAML name; a test keeps the two together.
    const ALL: [(&str, Algorithm); 8] = [
        ("cnr", Algorithm::Cnr),
        ("core_ex", Algorithm::CoreEx),
        ("link_quota", Algorithm::LinkQuota),
        ("article_subtree", Algorithm::ArticleSubtree),
        ("cetr", Algorithm::Cetr),
        ("bte", Algorithm::Bte),
        ("ccb", Algorithm::Ccb),
        ("text_density", Algorithm::TextDensity),
    ];
}

/// Settings of `main_block`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "MainBlock")
)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// How the main content is chosen.
    pub algorithm: Algorithm,
    /// Settings of the algorithm `cnr`.
    pub cnr: cnr::Settings,
    /// Settings of the algorithm `core_ex`.
    pub core_ex: core_ex::Settings,
    /// Settings of the algorithm `link_quota`; the filter of that name has its own.
    pub link_quota: link_quota::Settings,
    /// Settings of the algorithm `article_subtree`.
    pub article_subtree: article_subtree::Settings,
    /// Settings of the algorithm `cetr`.
    pub cetr: cetr::Settings,
    /// Settings of the algorithm `ccb`.
    pub ccb: ccb::Settings,
    /// Settings of the algorithm `text_density`.
    pub text_density: text_density::Settings,
    /// A choice with fewer visible characters (about 25 words) is not taken for the main content: the page then keeps all that the other
    /// filters left.
    pub min_chars: usize,
    /// The same for its share (0 to 1) of the visible characters that the other filters left. Lower: more pages are
    /// reduced to one block. Measured on WCXB dev, 2026-11-21: F1 .789 at 0, .802 at .15, .815 at .3, .818 at .4, .813 at .5.
    pub min_share: f64,
    /// A block without a picture and with fewer visible characters than this (about 100 words: the notice below a comic) is
    /// not chosen over the pictures of the page. 0: pictures do not matter. Higher: more pages stay whole.
    pub picture_chars: usize,
    /// Keep the page's headline where it stands outside the choice.
    pub keep_headline: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            algorithm: Algorithm::default(),
            cnr: cnr::Settings::default(),
            core_ex: core_ex::Settings::default(),
            link_quota: link_quota::Settings {
                enabled: true,
                ..link_quota::Settings::default()
            },
            article_subtree: article_subtree::Settings::default(),
            cetr: cetr::Settings::default(),
            ccb: ccb::Settings::default(),
            text_density: text_density::Settings::default(),
            min_chars: 140,
            min_share: 0.4,
            picture_chars: 500,
            keep_headline: true,
        }
    }
}

/// Names that [`Settings::named`] knows beside those of the algorithms.
const VARIANTS: [(&str, Algorithm); 13] = [
    ("cnr_relaxed", Algorithm::Cnr),
    ("core_ex_r1", Algorithm::CoreEx),
    ("core_ex_r2", Algorithm::CoreEx),
    ("core_ex_r3", Algorithm::CoreEx),
    ("core_ex_r4", Algorithm::CoreEx),
    ("core_ex_r5", Algorithm::CoreEx),
    ("core_ex_mended", Algorithm::CoreEx),
    ("link_quota_paper", Algorithm::LinkQuota),
    ("article_subtree_largest", Algorithm::ArticleSubtree),
    ("article_subtree_all", Algorithm::ArticleSubtree),
    ("cetr_threshold", Algorithm::Cetr),
    ("accb", Algorithm::Ccb),
    ("text_density_plain", Algorithm::TextDensity),
];

impl Settings {
    /// These settings with another algorithm, by its YAML name or by the name of a variant ([`Settings::names`]).
    #[must_use]
    pub fn named(mut self, name: &str) -> Option<Settings> {
        if let Some((_, algorithm)) = Algorithm::ALL.iter().find(|(known, _)| *known == name) {
            self.algorithm = *algorithm;
            return Some(self);
        }
        let (_, algorithm) = VARIANTS.iter().find(|(known, _)| *known == name)?;
        self.algorithm = *algorithm;
        match name {
            "cnr_relaxed" => self.cnr.dial = cnr::RELAXED,
            "core_ex_r1" => self.core_ex = core_ex::Settings::system(1),
            "core_ex_r2" => self.core_ex = core_ex::Settings::system(2),
            "core_ex_r3" => self.core_ex = core_ex::Settings::system(3),
            "core_ex_r4" => self.core_ex = core_ex::Settings::system(4),
            "core_ex_r5" => self.core_ex = core_ex::Settings::system(5),
            "core_ex_mended" => self.core_ex = core_ex::Settings::mended(),
            "link_quota_paper" => self.link_quota = link_quota::Settings::paper(),
            "article_subtree_largest" => {
                self.article_subtree.pick = article_subtree::Pick::Largest;
            }
            "article_subtree_all" => self.article_subtree.pick = article_subtree::Pick::All,
            "cetr_threshold" => self.cetr.clustering = cetr::Clustering::Threshold,
            "accb" => self.ccb.adapted = true,
            "text_density_plain" => self.text_density.measure = text_density::Measure::Plain,
            _ => return None,
        }
        Some(self)
    }

    fn with(mut self, preset: Preset) -> Settings {
        self.min_share = preset.min_share;
        self.cnr.dial = preset.dial;
        self
    }

    /// Every name that [`Settings::named`] knows: the algorithms, then the variants.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let algorithms = Algorithm::ALL.iter().map(|(name, _)| *name);
        algorithms.chain(VARIANTS.iter().map(|(name, _)| *name))
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless_share("main_block.min_share", self.min_share)?;
        self.cnr.check()?;
        self.core_ex.check()?;
        self.link_quota.check("main_block.link_quota")?;
        self.cetr.check()?;
        self.ccb.check()
    }
}

/// What an algorithm found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The main content, in any order; a node inside another of them says nothing of its own.
    pub(crate) kept: Vec<NodeId>,
    /// What is not content inside it.
    pub(crate) dropped: Vec<NodeId>,
    /// What the report should say beside the place.
    pub(crate) note: Option<String>,
}

impl From<Option<NodeId>> for Choice {
    fn from(node: Option<NodeId>) -> Choice {
        Choice::from(node.into_iter().collect::<Vec<_>>())
    }
}

impl From<Vec<NodeId>> for Choice {
    fn from(kept: Vec<NodeId>) -> Choice {
        Choice {
            kept,
            ..Choice::default()
        }
    }
}

pub(crate) struct MainBlock {
    pub(crate) settings: Settings,
}

impl Filter for MainBlock {
    fn name(&self) -> &'static str {
        "main_block"
    }

    fn apply(&self, page: &mut Page) -> Option<String> {
        let settings = match page.preset {
            Some(preset) if !preset.select => return Some("not for this genre".to_owned()),
            Some(preset) => &self.settings.clone().with(preset),
            None => &self.settings,
        };
        let body = page.body();
        let mut choice = choose(page, settings);
        choice.kept = outermost(page, choice.kept);
        choice.dropped = outermost(page, choice.dropped);
        if choice.kept.is_empty() {
            return Some("no block found".to_owned());
        }
        let (chars, of) = (kept_chars(page, &choice), page.chars(body));
        if chars < settings.min_chars || (chars as f64) < settings.min_share * (of as f64) {
            return Some(format!("{chars} of {of} characters are too few to select"));
        }
        if chars < settings.picture_chars && leaves_pictures_behind(page, &choice.kept) {
            return Some(format!(
                "{chars} characters would leave the pictures behind"
            ));
        }
        for &id in &choice.dropped {
            page.remove(id, self.name());
        }
        let place = common_container(page, &choice.kept);
        let nodes = choice.kept.len();
        let mut kept = choice.kept;
        if settings.keep_headline {
            kept.extend(page.headline.node.filter(|&heading| {
                page.is_live(heading) && !kept.iter().any(|&id| page.contains(id, heading))
            }));
            kept = outermost(page, kept);
        }
        page.keep_only(body, &kept, self.name());
        page.main_block = Some(place);
        Some(note(&describe(page, place), nodes, choice.note))
    }
}

/// Whether there are pictures on the page that lead nowhere, and so are there to be looked at, and the block has none.
fn leaves_pictures_behind(page: &Page, kept: &[NodeId]) -> bool {
    let mut outside = false;
    for id in page.live(page.body()) {
        if page.tag(id).is_some_and(is_picture) && !page.in_link(id) {
            if kept.iter().any(|&kept| page.contains(kept, id)) {
                return false;
            }
            outside = true;
        }
    }
    outside
}

fn is_picture(tag: Tag) -> bool {
    matches!(tag, Tag::Img | Tag::Video | Tag::Canvas)
}

/// The list of algorithms.
fn choose(page: &Page, settings: &Settings) -> Choice {
    match settings.algorithm {
        Algorithm::Cnr => cnr::main_block(page, &settings.cnr).into(),
        Algorithm::CoreEx => core_ex::choose(page, &settings.core_ex),
        Algorithm::LinkQuota => link_quota::choose(page, &settings.link_quota),
        Algorithm::ArticleSubtree => article_subtree::choose(page, &settings.article_subtree),
        Algorithm::Cetr => cetr::choose(page, &settings.cetr),
        Algorithm::Bte => bte::choose(page),
        Algorithm::Ccb => ccb::choose(page, &settings.ccb),
        Algorithm::TextDensity => text_density::choose(page, &settings.text_density),
    }
}

/// The nodes in document order without those that stand inside another one.
pub(crate) fn outermost(page: &Page, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    nodes.sort_unstable();
    let mut end = NodeId::DOCUMENT;
    nodes.retain(|&id| {
        let is_outside = id >= end;
        if is_outside {
            end = page.end(id);
        }
        is_outside
    });
    nodes
}

/// Visible characters that a choice would leave. Both lists are in document order.
fn kept_chars(page: &Page, choice: &Choice) -> usize {
    let mut chars = 0;
    let mut dropped = choice.dropped.iter().copied().peekable();
    for &kept in &choice.kept {
        let mut gone = NodeId::DOCUMENT;
        for id in page.live(kept) {
            while let Some(&next) = dropped.peek()
                && next <= id
            {
                gone = gone.max(page.end(next));
                dropped.next();
            }
            if id >= gone {
                chars += page.own_chars(id);
            }
        }
    }
    chars
}

/// The innermost element around all of them: the one itself where there is only one. In document order, so the first
/// and the last decide.
fn common_container(page: &Page, kept: &[NodeId]) -> NodeId {
    let (Some(&first), Some(&last)) = (kept.first(), kept.last()) else {
        return page.body();
    };
    std::iter::once(first)
        .chain(page.ancestors(first))
        .find(|&id| page.tag(id).is_some() && page.contains(id, last))
        .unwrap_or_else(|| page.body())
}

fn note(place: &str, nodes: usize, more: Option<String>) -> String {
    let mut note = if nodes == 1 {
        place.to_owned()
    } else {
        format!("{place}: {nodes} parts")
    };
    if let Some(more) = more {
        note.push_str("; ");
        note.push_str(&more);
    }
    note
}

/// The largest nodes whose whole text is kept, for algorithms that judge text nodes; one mark per row.
fn cover(page: &Page, kept: &[bool]) -> Vec<NodeId> {
    let body = page.body();
    // Texts of a subtree, and how many of them are kept.
    let mut counts = vec![(0u32, 0u32); page.len()];
    let live: Vec<NodeId> = page.live(body).collect();
    for &id in live.iter().rev() {
        if page.own_chars(id) > 0 {
            counts[id.index()] = (1, u32::from(kept[id.index()]));
        }
        if id != body {
            let (texts, kept) = counts[id.index()];
            let parent = &mut counts[page.parent(id).index()];
            parent.0 += texts;
            parent.1 += kept;
        }
    }
    let mut out = Vec::new();
    let mut at = body;
    while at < page.end(body) {
        let (texts, kept) = counts[at.index()];
        let is_settled = kept == 0 || kept == texts || page.fate(at) == Fate::Removed;
        if kept > 0 && kept == texts {
            out.push(at);
        }
        at = if is_settled {
            page.end(at)
        } else {
            NodeId(at.0 + 1)
        };
    }
    out
}

/// The way from the body to a node, as a person would write it: `body > main > article.post`.
fn describe(page: &Page, id: NodeId) -> String {
    let mut steps: Vec<String> = page
        .ancestors(id)
        .take_while(|&ancestor| page.tag(ancestor) != Some(Tag::Html))
        .filter_map(|ancestor| step(page, ancestor))
        .collect();
    steps.reverse();
    steps.push(step(page, id).unwrap_or_else(|| "#text".to_owned()));
    steps.join(" > ")
}

fn step(page: &Page, id: NodeId) -> Option<String> {
    match page.data(id) {
        kuchikiki::NodeData::Element(element) => Some(element.name.local.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, ids, page, words};

    #[test]
    fn every_name_is_known_and_every_algorithm_has_one() {
        for name in Settings::names() {
            assert!(Settings::default().named(name).is_some(), "{name}");
        }
        assert!(Settings::default().named("nonesuch").is_none());
        for (name, algorithm) in Algorithm::ALL {
            let yaml = serde_yaml::to_string(&algorithm).unwrap();
            assert_eq!(yaml.trim(), name);
        }
    }

    #[test]
    fn the_floor_holds_for_every_algorithm() {
        for name in Settings::names() {
            let mut page = page("<div><p>A few words.</p></div><div><a href=/x>link</a></div>");
            let before = page.chars(page.body());
            let filter = MainBlock {
                settings: Settings::default().named(name).unwrap(),
            };
            filter.apply(&mut page);
            assert_eq!(page.chars(page.body()), before, "{name}");
            assert_eq!(page.main_block, None);
        }
    }

    #[test]
    fn every_algorithm_finds_a_plain_article_and_leaves_the_menu() {
        let menu = "<li class=item><a class=link href=/a/page>menu</a></li>\n".repeat(15);
        let text = words(80);
        let html = format!(
            "<body>\n<div id=top>\n<ul id=menu>\n{menu}</ul>\n</div>\n<div id=article>\n<p>{text}</p>\n<p>{text}</p>\n\
             <p>{text}</p>\n</div>\n</body>"
        );
        // R1 takes one paragraph: that is what the paper says of it.
        for name in Settings::names().filter(|name| *name != "core_ex_r1") {
            let mut page = page(&html);
            let mut settings = Settings::default().named(name).unwrap();
            settings.min_share = 0.0;
            let menu = by_id(&page, "menu");
            MainBlock { settings }.apply(&mut page);
            let left = page.chars(by_id(&page, "article"));
            assert_eq!(left, 3 * 80 * 4, "{name}");
            let is_menu_gone = !page.is_live(menu) || page.chars(menu) == 0;
            assert!(is_menu_gone || name == "cnr_relaxed", "{name}");
        }
    }

    #[test]
    fn cover_names_the_largest_nodes_whose_text_is_kept() {
        let page =
            page("<div id=a><p id=b>one</p><p id=c><i id=i>two</i> <b id=d>three</b></p></div>");
        let mut kept = vec![false; page.len()];
        for id in ["b", "i"] {
            let text = page.live_children(by_id(&page, id)).next().unwrap();
            kept[text.index()] = true;
        }
        assert_eq!(ids(&page, &cover(&page, &kept)), ["b", "i"]);
        let all = vec![true; page.len()];
        assert_eq!(cover(&page, &all), [page.body()]);
    }

    #[test]
    fn a_set_of_nodes_is_kept_with_what_is_dropped_left_out() {
        let mut page =
            page("<div id=a><p id=b>one</p><p id=c>two</p></div><p id=d>three</p><p id=e>four</p>");
        let node = |id| by_id(&page, id);
        let choice = Choice {
            kept: outermost(&page, vec![node("d"), node("b"), node("a")]),
            dropped: vec![node("c")],
            note: None,
        };
        assert_eq!(ids(&page, &choice.kept), ["a", "d"]);
        assert_eq!(kept_chars(&page, &choice), 3 + 5);
        assert_eq!(common_container(&page, &choice.kept), page.body());
        let (kept, dropped) = (choice.kept, choice.dropped[0]);
        page.remove(dropped, "main_block");
        page.keep_only(page.body(), &kept, "main_block");
        assert_eq!(page.start_of_text(page.body(), 100, 100), "onethree");
    }
}
