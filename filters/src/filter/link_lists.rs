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
//! | least links | 1 | 4 | the answer "Yes." with two links below it is no list |
//!
//! Measured on WCXB dev, 2026-11-21 (`gleaner-lab evaluate`, whole default chain): word F1 is .818 for a ratio of .2, .25 and .5
//! and .817 for 1; recall grows from .906 to .921 and pages harmed fall from 109 to 96. So .5: the highest recall before
//! precision pays for it. Fewer links as a list are worth .002 (.816 for 2, .814 for 4), too little for the sentences and
//! short posts they cost: pages harmed fall from 97 to 92. On table cells alone the ratio changes nothing (.703 from .1 to 1): few pages keep lists in cells.
//!
//! Cost: one pass for the measures, one look at every element.

use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    filter::Filter,
    html::{NodeId, NodeState, Page, tag::Tag},
    measure::{Measure, Measures},
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkLists"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs. Off: `main_block.algorithm: auto` judges lists of links itself, and some are content (word F1
    /// .868 without, .850 with it, of listings .73 and .57; WCXB dev, 2026-11-21). On pays with the other algorithms.
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
    /// Remove the table cell itself, too, and not only what it holds.
    pub remove_cell: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: false,
            blocks: Blocks::Any,
            ratio: 0.5,
            characters_per_word: 5.0,
            min_links: 4,
            remove_cell: false,
        }
    }
}

impl Settings {
    /// The settings of the paper: table cells, a single link is enough.
    #[must_use]
    pub fn crunch() -> Settings {
        Settings { enabled: true, blocks: Blocks::Cells, min_links: 1, ..Settings::default() }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for (key, value) in
            [("link_lists.ratio", self.ratio), ("link_lists.characters_per_word", self.characters_per_word)]
        {
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

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let measures = Measures::from_page(page);
        self.judge(page, measures);
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
            if page.state(id) == NodeState::Removed {
                at = page.end(id).0;
            } else if is_cell(page, id) && self.is_link_list(measures.get(id)) {
                self.take_out(page, id);
                at = page.end(id).0;
            }
        }
    }

    /// From the innermost block outwards; the table read backwards meets descendants before ancestors.
    fn any_block(&self, page: &mut Page, mut measures: Measures) {
        let in_data = in_data_tables(page);
        let candidates: Vec<NodeId> =
            page.live(page.body()).filter(|&id| page.tag(id).is_some_and(is_judged) && !in_data[id.index()]).collect();
        for &id in candidates.iter().rev() {
            if self.is_link_list(measures.get(id)) {
                let heading = orphaned_heading(page, id);
                self.take_out(page, id);
                measures.forget(page, id);
                if let Some(heading) = heading {
                    page.remove(heading, self.name());
                    measures.forget(page, heading);
                }
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

fn holds_words(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Li | Tag::Dd | Tag::Dt | Tag::Figcaption | Tag::Caption)
}

/// The heading directly before a list, where nothing else stands under it.
fn orphaned_heading(page: &Page, list: NodeId) -> Option<NodeId> {
    let parent = page.parent(list);
    let mut before = None;
    for child in page.live_children(parent) {
        let counts = page.own_chars(child) > 0
            || page.tag(child).is_some_and(|tag| tag.is_media() || tag == Tag::Hr || page.chars(child) > 0);
        if !counts || child == list {
            continue;
        }
        if child > list {
            return before.filter(|_| page.tag(child).is_some_and(Tag::is_heading));
        }
        before = page.tag(child).filter(|tag| tag.is_heading()).map(|_| child);
    }
    before
}

/// Rows that are or stand in a table of data, which says so itself by a heading cell or a caption: a column of links is
/// part of what the table tells.
fn in_data_tables(page: &Page) -> Vec<bool> {
    let mut marks = vec![false; page.len()];
    let tables: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| matches!(page.tag(id), Some(Tag::Th | Tag::Caption | Tag::Thead)))
        .filter_map(|id| page.ancestors(id).find(|&up| page.tag(up) == Some(Tag::Table)))
        .collect();
    for table in tables {
        if !marks[table.index()] {
            marks[table.index()..page.end(table).index()].fill(true);
        }
    }
    marks
}

/// Blocks that group other things. A heading that is a link is still a heading, and what holds words (a paragraph, an item, a
/// definition, a caption) is judged with the group it stands in.
fn is_judged(tag: Tag) -> bool {
    tag.is_block()
        && !tag.is_heading()
        && !holds_words(tag)
        && !matches!(tag, Tag::Body | Tag::Html | Tag::Hgroup | Tag::Tr | Tag::Tbody)
}
