//! Safe search: hosts of search engines that are connected to by another name. `safe-search.txt` has them.

use std::{collections::HashMap, str::FromStr, sync::LazyLock};

use gleaner_filters::registrable_domain;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;

use super::values::word_type;

const TABLE: &str = include_str!("../../safe-search.txt");

/// What search engines and `YouTube` leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = with_booleans)]
pub enum SafeSearch {
    /// Nothing.
    #[default]
    Off,
    /// What is not for children; `YouTube` without what it takes for adult.
    Moderate,
    /// More: `YouTube` without comments and much of its music.
    Strict,
}

word_type!(SafeSearch, "`off`, `moderate` or `strict`");

/// `off` is a boolean in YAML 1.1.
fn with_booleans(schema: &mut Schema) {
    *schema = json_schema!({ "enum": ["off", "moderate", "strict", false, true] });
}

impl FromStr for SafeSearch {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "off" | "false" => Ok(Self::Off),
            "moderate" => Ok(Self::Moderate),
            "strict" | "true" => Ok(Self::Strict),
            _ => Err(format!("unknown word {word:?}")),
        }
    }
}

/// The name to connect to, by the host and the degree.
static NAMES: LazyLock<HashMap<(&str, SafeSearch), &str>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let entry = |words: Vec<&'static str>| match words[..] {
        [from, to] => vec![((from, SafeSearch::Moderate), to), ((from, SafeSearch::Strict), to)],
        [from, to, degree] => degree.parse().map(|degree| vec![((from, degree), to)]).unwrap_or_default(),
        _ => Vec::new(),
    };
    words.flat_map(entry).collect()
});

impl SafeSearch {
    /// The name whose servers answer for this host and leave out what is not for children.
    pub(crate) fn instead_of(self, host: &str) -> Option<&'static str> {
        if self == Self::Off {
            return None;
        }
        let bare = host.strip_prefix("www.").unwrap_or(host);
        let of_every_country = || {
            let name = registrable_domain(bare);
            let (first, _) = name.split_once('.').filter(|_| name == bare)?;
            NAMES.get(&(&*format!("{first}.*"), self)).copied()
        };
        NAMES.get(&(bare, self)).copied().or_else(of_every_country)
    }

    /// The value of `YouTube-Restrict` that asks for the same as this name does: support.google.com/a/answer/6214622.
    pub(crate) fn youtube_restriction(name: &str) -> Option<&'static str> {
        match name {
            "restrict.youtube.com" => Some("Strict"),
            "restrictmoderate.youtube.com" => Some("Moderate"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_connected_to_by_the_names_that_filter() {
        for (host, moderate, strict) in [
            ("www.google.com", Some("forcesafesearch.google.com"), Some("forcesafesearch.google.com")),
            ("google.co.uk", Some("forcesafesearch.google.com"), Some("forcesafesearch.google.com")),
            ("mail.google.com", None, None),
            ("google.evil.com", None, None),
            ("www.youtube.com", Some("restrictmoderate.youtube.com"), Some("restrict.youtube.com")),
            ("www.bing.com", Some("strict.bing.com"), Some("strict.bing.com")),
            ("duckduckgo.com", Some("safe.duckduckgo.com"), Some("safe.duckduckgo.com")),
            ("news.example", None, None),
        ] {
            assert_eq!(SafeSearch::Off.instead_of(host), None, "{host}");
            assert_eq!(SafeSearch::Moderate.instead_of(host), moderate, "{host}");
            assert_eq!(SafeSearch::Strict.instead_of(host), strict, "{host}");
        }
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let degrees: usize = lines.map(|line| if line.split_whitespace().count() == 2 { 2 } else { 1 }).sum();
        assert_eq!(NAMES.len(), degrees, "every line is read");
    }
}
