//! Tells the genre of a page and lays the genre's settings over those of the filters after it.
//!
//! Source: Gupta, Kaiser, Grimm, Chiang, Starren, *Automating Content Extraction of HTML Documents*, World Wide Web 8(2),
//! 2005, and Gupta's later work on context: settings that serve one news site serve others, so a site is matched by the
//! Manhattan distance of its word frequencies to sites whose settings are known.
//!
//! The idea: a page's words are counted over a fixed vocabulary and normalised; of four profiles (news, shop, forum,
//! documentation) the nearest by Manhattan distance is the genre; its preset overrides a few settings.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | distance | Manhattan | Manhattan | |
//! | profiles | hierarchical clusters of known sites, words widened by a search engine | four, of pages whose type is known | no search engine on the road of a page |
//! | vocabulary | all words | 120 general English words | small, and no site's own words in it |
//! | least words | | `MIN_WORDS`, 40 | |
//! | least lead | | `MIN_LEAD`, 2 % | a page between two genres keeps its settings |
//!
//! The profiles are in `genre/profiles.rs`, written by `cargo run --release -p gleaner-filters --example genre_profiles --
//! WCXB_DEV_FOLDER` from one half of the domains (fixed seed); the program prints what share of the other half's pages it
//! tells rightly. In a language other than English there are too few words, and nothing is overridden.
//!
//! Measured on WCXB dev, 2026-11-21 (`gleaner evaluate DEV --variant 'genre=genre: {enabled: true}'`), word F1 of the whole chain:
//! .820, for .817 without and .820 with the shop's preset for every page: told apart or not, these four genres want nearly
//! the same settings of this chain.
//!
//! Off by default. Cost: one reading of the text.

mod profiles;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{error::ConfigError, filter::Filter, page::Page};
use profiles::PROFILES;

/// What kind of site a page is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Genre {
    /// News and articles.
    News,
    /// Products and shelves.
    Shop,
    /// Discussions.
    Forum,
    /// Manuals and references.
    Documentation,
}

impl Genre {
    /// All, in the order of the profiles' columns.
    pub const ALL: [Genre; 4] = [Genre::News, Genre::Shop, Genre::Forum, Genre::Documentation];

    /// The YAML name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Genre::News => "news",
            Genre::Shop => "shop",
            Genre::Forum => "forum",
            Genre::Documentation => "documentation",
        }
    }
}

/// What a genre changes in the filters after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GenrePreset"))]
#[serde(deny_unknown_fields, default)]
pub struct Preset {
    /// `link_lists.ratio`.
    pub link_ratio: f64,
    /// Whether a main block is chosen at all.
    pub select: bool,
    /// `main_block.min_share`.
    pub min_share: f64,
    /// `main_block.cnr.dial`.
    pub dial: f64,
}

impl Default for Preset {
    fn default() -> Preset {
        Preset { link_ratio: 0.5, select: true, min_share: 0.4, dial: 0.5 }
    }
}

impl Preset {
    /// What news have for a key that is left out.
    fn of_news() -> Preset {
        Preset { dial: 0.3, ..Preset::default() }
    }
}

/// [`Preset`] as it is read for news, whose defaults are others.
#[derive(Deserialize)]
#[serde(remote = "Preset", deny_unknown_fields, default = "Preset::of_news", expecting = "struct Preset")]
struct NewsPreset {
    link_ratio: f64,
    select: bool,
    min_share: f64,
    dial: f64,
}

/// Settings of `genre`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GenrePresets"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// For news and articles.
    #[serde(deserialize_with = "NewsPreset::deserialize")]
    pub news: Preset,
    /// For products and shelves.
    pub shop: Preset,
    /// For discussions.
    pub forum: Preset,
    /// For manuals and references.
    pub documentation: Preset,
}

impl Default for Settings {
    /// Measured by page type on WCXB dev, 2026-11-21, every second page, the whole chain with `main_block.cnr.dial` 0.3, 0.5
    /// and 0.7 (`gleaner evaluate DEV --every 2 --variant 'dial=main_block: {cnr: {dial: ...}}'`), word F1: article .933,
    /// .929, .919; product .515, .547, .524; collection .624, .632, .611; forum .701, .707, .696; documentation .909, .913,
    /// .913.
    fn default() -> Settings {
        Settings {
            enabled: false,
            news: Preset::of_news(),
            shop: Preset::default(),
            forum: Preset::default(),
            documentation: Preset::default(),
        }
    }
}

impl Settings {
    fn preset(&self, genre: Genre) -> Preset {
        match genre {
            Genre::News => self.news,
            Genre::Shop => self.shop,
            Genre::Forum => self.forum,
            Genre::Documentation => self.documentation,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for genre in Genre::ALL {
            let preset = self.preset(genre);
            let key = |field| format!("genre.{}.{field}", genre.name());
            ConfigError::unless_share(&key("min_share"), preset.min_share)?;
            if !(preset.link_ratio.is_finite() && preset.link_ratio > 0.0) {
                return Err(ConfigError::out_of_range(
                    &key("link_ratio"),
                    preset.link_ratio,
                    "a number greater than 0",
                ));
            }
            if !(-1.0..=1.0).contains(&preset.dial) {
                return Err(ConfigError::out_of_range(&key("dial"), preset.dial, "-1 to 1"));
            }
        }
        Ok(())
    }
}

/// Words of the vocabulary below which a page says nothing of its genre. Our choice: with fewer, one word is over .02 of
/// a distance that is at most 2.
const MIN_WORDS: u32 = 40;

/// Share by which the nearest profile must be nearer than the second. Higher: fewer pages are told, more of them
/// rightly.
const MIN_LEAD: f64 = 0.02;

pub(crate) struct GenreFilter {
    pub(crate) settings: Settings,
}

impl Filter for GenreFilter {
    fn name(&self) -> &'static str {
        "genre"
    }

    fn apply(&self, page: &mut Page) -> Option<String> {
        let text = crate::text::of_subtree(page, page.body(), 1);
        let (genre, distance) = nearest(&text)?;
        page.preset = Some(self.settings.preset(genre));
        Some(format!("{} at a distance of {distance:.2}", genre.name()))
    }
}

/// The genre whose profile is nearest to a text, and the distance (0 to 2); none where the text says too little.
#[must_use]
pub fn nearest(text: &str) -> Option<(Genre, f64)> {
    let counts = count_words(text);
    let known: Vec<u32> = PROFILES.iter().map(|(word, _)| counts.get(*word).copied().unwrap_or(0)).collect();
    let total: u32 = known.iter().sum();
    if total < MIN_WORDS {
        return None;
    }
    let mut distances = [0.0; Genre::ALL.len()];
    for ((_, shares), count) in PROFILES.iter().zip(&known) {
        let own = f64::from(*count) / f64::from(total);
        for (distance, share) in distances.iter_mut().zip(shares) {
            *distance += (own - f64::from(*share) / PROFILE_TOTAL).abs();
        }
    }
    let mut ranked: Vec<(Genre, f64)> = Genre::ALL.into_iter().zip(distances).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    let is_clear = ranked[0].1 <= (1.0 - MIN_LEAD) * ranked[1].1;
    is_clear.then(|| ranked[0])
}

/// What a profile's column adds up to, rounding aside.
const PROFILE_TOTAL: f64 = 10_000.0;

/// English words of a text in lower case, with their counts.
#[must_use]
pub fn count_words(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphabetic()) {
        if (3..=14).contains(&word.len()) && word.is_ascii() {
            *counts.entry(word.to_ascii_lowercase()).or_insert(0) += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_normalised() {
        for column in 0..Genre::ALL.len() {
            let total: u32 = PROFILES.iter().map(|(_, shares)| u32::from(shares[column])).sum();
            assert!((9_900..=10_100).contains(&total), "{total}");
        }
    }

    #[test]
    fn a_text_of_a_genres_own_words_is_of_that_genre() {
        for (column, genre) in Genre::ALL.into_iter().enumerate() {
            let text = PROFILES.iter().fold(String::new(), |mut text, (word, shares)| {
                for _ in 0..shares[column] / 20 {
                    text.push_str(word);
                    text.push(' ');
                }
                text
            });
            assert_eq!(nearest(&text).map(|(genre, _)| genre), Some(genre));
        }
    }

    #[test]
    fn a_text_of_another_language_says_nothing() {
        let text = "Der Regen fiel auf die Stadt und niemand sah ihn. ".repeat(50);
        assert_eq!(nearest(&text), None);
    }
}
