//! Chooses the block with the main content and removes the rest of the page.
//!
//! The algorithms only read the page and name a node; the editing is done here. Each algorithm is a file in
//! `main_block/`. A choice that keeps next to nothing is not carried out ([`Settings::min_chars`],
//! [`Settings::min_share`]): the page then keeps what the other filters left.

pub mod cnr;

use serde::{Deserialize, Serialize};

use crate::{
    error::ConfigError,
    filter::Filter,
    page::{NodeId, Page, tag::Tag},
};

/// How the main block is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Chars-nodes ratio (López, Silva, Insa 2012).
    #[default]
    Cnr,
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
    /// How the block is chosen.
    pub algorithm: Algorithm,
    /// Settings of the algorithm `cnr`.
    pub cnr: cnr::Settings,
    /// A block with fewer visible characters (about 25 words) is not taken for the main one: the page then keeps all that the other
    /// filters left.
    pub min_chars: usize,
    /// The same for its share (0 to 1) of the visible characters that the other filters left. Lower: more pages are
    /// reduced to one block. Measured on WCXB dev, 2026-11-21: F1 .789 at 0, .802 at .15, .815 at .3, .818 at .4, .813 at .5.
    pub min_share: f64,
    /// Keep the page's headline where it stands outside the block.
    pub keep_headline: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            algorithm: Algorithm::default(),
            cnr: cnr::Settings::default(),
            min_chars: 140,
            min_share: 0.4,
            keep_headline: true,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if !(0.0..=1.0).contains(&self.min_share) {
            return Err(ConfigError::new(
                "main_block.min_share",
                format!("{} is out of range; expected 0 to 1", self.min_share),
            ));
        }
        self.cnr.check()
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
        let body = page.body();
        let chosen = match self.settings.algorithm {
            Algorithm::Cnr => cnr::main_block(page, &self.settings.cnr),
        };
        let Some(chosen) = chosen else {
            return Some("no block found".to_owned());
        };
        let (chars, of) = (page.chars(chosen), page.chars(body));
        if chars < self.settings.min_chars || (chars as f64) < self.settings.min_share * (of as f64)
        {
            return Some(format!("{chars} of {of} characters are too few to select"));
        }
        if chars < FEW_CHARS && leaves_pictures_behind(page, chosen) {
            return Some(format!(
                "{chars} characters would leave the pictures behind"
            ));
        }
        let mut kept = vec![chosen];
        if self.settings.keep_headline {
            kept.extend(
                page.headline
                    .node
                    .filter(|&heading| page.is_live(heading) && !page.contains(chosen, heading)),
            );
            kept.sort_unstable();
        }
        page.keep_only(body, &kept, self.name());
        page.main_block = Some(chosen);
        Some(describe(page, chosen))
    }
}

/// Visible characters below which a block without a picture is not chosen over the page's pictures: about 100 words, the
/// notice below a comic or a photograph. Raising it keeps more pages whole.
const FEW_CHARS: usize = 500;

/// Whether there are pictures on the page that lead nowhere, and so are there to be looked at, and the block has none.
fn leaves_pictures_behind(page: &Page, chosen: NodeId) -> bool {
    let mut outside = false;
    for id in page.live(page.body()) {
        if page.tag(id).is_some_and(is_picture) && !page.in_link(id) {
            if page.contains(chosen, id) {
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

/// The way from the body to a node, as a person would write it: `body > main > article.post`.
fn describe(page: &Page, id: NodeId) -> String {
    let mut steps: Vec<String> = page
        .ancestors(id)
        .take_while(|&ancestor| page.tag(ancestor) != Some(Tag::Html))
        .filter_map(|ancestor| step(page, ancestor))
        .collect();
    steps.reverse();
    steps.extend(step(page, id));
    steps.join(" > ")
}

fn step(page: &Page, id: NodeId) -> Option<String> {
    match page.data(id) {
        kuchikiki::NodeData::Element(element) => Some(element.name.local.to_string()),
        _ => None,
    }
}
