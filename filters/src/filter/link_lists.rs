//! The link list remover.
//!
//! Source: Agarwal et al. 2013, "Proposed method", after Gupta et al. 2003: for each table cell,
//!
//! ```text
//! non-linked words = letters outside links / average characters per word (5)
//! ratio            = links / non-linked words
//! ```
//!
//! and a cell whose ratio is over the *link/text removal ratio* loses its content, or goes itself. No letters outside
//! links and at least one link make the ratio infinite.
//!
//! Pages no longer keep their menus in table cells, so `blocks: any` judges every block the same way, from the innermost
//! outwards, and what was removed no longer counts for the blocks around it. Otherwise the outermost wrapper of a page
//! with long menus would go at once.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | ratio | not given | 0.5 | measured, below |
//! | characters per word | 5 | 5 | |
//! | least links | 1 | 2 | a paragraph that is one link is text |
//!
//! Measured on WCXB dev, 2026-11-21 (`gleaner evaluate`, whole default chain): word F1 is .818 for a ratio of .2, .25 and .5
//! and .817 for 1; recall grows from .906 to .921 and pages harmed fall from 109 to 96. So .5: the highest recall before
//! precision pays for it. A single link as a list is worth .002, too little for the sentences it costs. On table cells alone
//! the ratio changes nothing (.703 from .1 to 1): few pages keep lists in cells.
//!
//! Cost: one pass for the measures, one look at every element.

use serde::{Deserialize, Serialize};

use crate::{
    dom::{Measure, Measures},
    error::ConfigError,
    filter::Filter,
    page::{Fate, NodeId, Page, tag::Tag},
};

/// Which elements are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// Table cells, as the paper has it.
    Cells,
    /// Every block element.
    Any,
}

/// Settings of `link_lists`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "LinkLists")
)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Which elements are judged: `cells` (table cells, as in the paper) or `any` block.
    pub blocks: Blocks,
    /// The link/text removal ratio: links per non-linked word above which a block goes. Greater than 0; raise it to keep
    /// more lists.
    pub ratio: f64,
    /// Average characters of a word, the paper's 5. Greater than 0.
    pub characters_per_word: f64,
    /// Fewer links than this are no list.
    pub min_links: u32,
    /// Remove the table cell itself (true) or only what it holds (false).
    pub remove_cell: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            blocks: Blocks::Any,
            ratio: 0.5,
            characters_per_word: 5.0,
            min_links: 2,
            remove_cell: false,
        }
    }
}

impl Settings {
    /// As the paper has it: table cells, a single link is enough.
    #[must_use]
    pub fn crunch() -> Settings {
        Settings {
            blocks: Blocks::Cells,
            min_links: 1,
            ..Settings::default()
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for (key, value) in [
            ("link_lists.ratio", self.ratio),
            ("link_lists.characters_per_word", self.characters_per_word),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ConfigError::new(
                    key,
                    format!("{value} is out of range; expected a number greater than 0"),
                ));
            }
        }
        Ok(())
    }
}

pub(crate) struct LinkLists {
    pub(crate) settings: Settings,
}

impl Filter for LinkLists {
    fn name(&self) -> &'static str {
        "link_lists"
    }

    fn apply(&self, page: &mut Page) -> Option<String> {
        let measures = Measures::of(page);
        if let Some(preset) = page.preset {
            let settings = Settings {
                ratio: preset.link_ratio,
                ..self.settings.clone()
            };
            LinkLists { settings }.judge(page, measures);
        } else {
            self.judge(page, measures);
        }
        None
    }
}

impl LinkLists {
    fn judge(&self, page: &mut Page, measures: Measures) {
        match self.settings.blocks {
            Blocks::Cells => self.cells(page, &measures),
            Blocks::Any => self.any_block(page, measures),
        }
    }

    /// From the outermost cell inwards, as a parser meets them; inside a removed cell there is nothing to judge.
    fn cells(&self, page: &mut Page, measures: &Measures) {
        let mut at = NodeId::DOCUMENT.0 + 1;
        while at < page.end(NodeId::DOCUMENT).0 {
            let id = NodeId(at);
            at += 1;
            if page.fate(id) == Fate::Removed {
                at = page.end(id).0;
            } else if is_cell(page, id) && self.is_link_list(measures.get(id)) {
                self.take_out(page, id);
                at = page.end(id).0;
            }
        }
    }

    /// From the innermost block outwards; the table read backwards meets descendants before ancestors.
    fn any_block(&self, page: &mut Page, mut measures: Measures) {
        let candidates: Vec<NodeId> = page
            .live(page.body())
            .filter(|&id| page.tag(id).is_some_and(is_judged))
            .collect();
        for &id in candidates.iter().rev() {
            if self.is_link_list(measures.get(id)) {
                self.take_out(page, id);
                measures.forget(page, id);
            }
        }
    }

    fn is_link_list(&self, measure: Measure) -> bool {
        if measure.links < self.settings.min_links {
            return false;
        }
        let words = f64::from(measure.unlinked()) / self.settings.characters_per_word;
        f64::from(measure.links) > self.settings.ratio * words
    }

    fn take_out(&self, page: &mut Page, id: NodeId) {
        if self.settings.remove_cell || !is_cell(page, id) {
            page.remove(id, self.name());
            return;
        }
        let children: Vec<NodeId> = page.live_children(id).collect();
        for child in children {
            page.remove(child, self.name());
        }
    }
}

fn is_cell(page: &Page, id: NodeId) -> bool {
    matches!(page.tag(id), Some(Tag::Td | Tag::Th))
}

/// Blocks that group other things. Headings are left out: a heading that is a link is still a heading.
fn is_judged(tag: Tag) -> bool {
    matches!(tag, Tag::Td | Tag::Th)
        || tag.is_block()
            && !tag.is_heading()
            && !matches!(
                tag,
                Tag::Body | Tag::Html | Tag::Hgroup | Tag::Tr | Tag::Tbody
            )
}
