//! The empty table remover.
//!
//! Source: Agarwal et al. 2013, "Proposed method", after Gupta et al. 2003: "removes tables that are empty of any
//! substantive information. The user determines […] which HTML tags should be considered to be substance and how many
//! characters within a table are needed to be viewed as substantive. The table remover checks a table for substance after
//! it has been parsed through the filter." So inner tables are judged before the tables around them.
//!
//! The paper gives neither the tags nor the number: the tags here are those that show something without text, the number
//! is 1, so that only what a reader would see as empty goes; a table with one short cell (a score, a price) is data.
//!
//! Cost: one look at every element, one sum per table.

use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    filter::Filter,
    html::{NodeId, Page, tag::Tag},
};

/// Settings of `empty_tables`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EmptyTables"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Tags that are substance by themselves.
    pub substance: Vec<String>,
    /// Visible characters that are substance by themselves. At least 1.
    pub min_characters: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        let substance = [
            "img", "picture", "video", "audio", "iframe", "embed", "object", "canvas", "svg", "math", "input",
            "button", "select", "textarea",
        ];
        Settings { enabled: true, substance: substance.map(str::to_owned).to_vec(), min_characters: 1 }
    }
}

impl Settings {
    /// The settings of the paper, which gives no values: the defaults.
    #[must_use]
    pub fn crunch() -> Settings {
        Settings::default()
    }
}

pub(crate) struct EmptyTables {
    substance: Vec<Tag>,
    min_characters: usize,
}

impl EmptyTables {
    pub(crate) fn new(settings: &Settings) -> Result<EmptyTables, ConfigError> {
        if settings.min_characters == 0 {
            return Err(ConfigError::new(
                "empty_tables.min_characters",
                "0 would keep every table; expected at least 1",
            ));
        }
        let substance = settings
            .substance
            .iter()
            .map(|name| {
                Tag::from_name(name).ok_or_else(|| {
                    ConfigError::new(
                        "empty_tables.substance",
                        format!("{name:?} is not an HTML element; expected names such as \"img\""),
                    )
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(EmptyTables { substance, min_characters: settings.min_characters })
    }

    fn has_substance(&self, page: &Page, table: NodeId) -> bool {
        let mut chars = 0;
        for id in page.live(table) {
            if page.tag(id).is_some_and(|tag| self.substance.contains(&tag)) {
                return true;
            }
            chars += page.own_chars(id);
            if chars >= self.min_characters {
                return true;
            }
        }
        false
    }
}

impl Filter for EmptyTables {
    fn name(&self) -> &'static str {
        "empty_tables"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        if !page.has_any(&[Tag::Table]) {
            return None;
        }
        let tables: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Table)).collect();
        for &table in tables.iter().rev() {
            if !self.has_substance(page, table) {
                page.remove(table, self.name());
            }
        }
        None
    }
}
