//! Sections `read` (the reader's address, which fetches a page by itself) and `agents` (programs that read pages for a
//! language model).

use std::net::IpAddr;

use gleaner_filters::main_block::auto::Favor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Url, form_urlencoded};

use super::{AddrPattern, error::Mistake};

/// Section `read`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReaderAddress {
    /// Who may read pages at `http://ADDRESS:8118/read`, without a proxy setting: `true` all `access.clients`, `false` nobody, `null`
    /// all of them where `access.lan` is on, else this machine.
    pub enabled: Option<bool>,
    /// Addresses of private networks and of this machine that may be read there all the same: an address or range with an optional
    /// port or port range. Whatever `access` says, all others are refused.
    #[schemars(with = "Vec<String>")]
    pub targets: Vec<AddrPattern>,
    /// Where words are searched for that are no address: an address with `%s` in their place; `null` for nowhere.
    pub search: Option<String>,
    /// Whether sites get back the cookies that they set: a jar for each device, in memory. Off, no cookie comes or goes.
    pub cookies: bool,
}

impl ReaderAddress {
    /// Whether this client, which may use the proxy, may read here.
    pub(crate) fn admits(&self, client: IpAddr, is_lan: bool) -> bool {
        self.enabled.unwrap_or(is_lan || client.to_canonical().is_loopback())
    }

    /// The address of a search for these words.
    pub(crate) fn search(&self, words: &str) -> Option<Url> {
        let words: String = form_urlencoded::byte_serialize(words.as_bytes()).collect();
        Url::parse(&self.search.as_ref()?.replace("%s", &words)).ok()
    }

    pub(super) fn check(&self) -> Result<(), Mistake> {
        let Some(search) = &self.search else { return Ok(()) };
        let is_right =
            search.contains("%s") && self.search("words").is_some_and(|url| ["http", "https"].contains(&url.scheme()));
        if is_right {
            return Ok(());
        }
        let expected = "an address with %s in the place of the words, such as https://search.example/?q=%s";
        Err(Mistake::value("read.search", format!("{search:?} is no such address; expected {expected}")))
    }
}

/// Section `agents`: programs that read pages for a language model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Agents {
    /// Whether a page comes as Markdown where the request prefers `text/markdown` to HTML.
    pub markdown: bool,
    /// Whether title, author, date, address and language stand before it, as YAML.
    pub front_matter: bool,
    /// What counts more in the choice of the main content for Markdown, text and JSON, whatever `main_block.favor` says for people:
    /// a program passes over a box too many, and never knows of a text too few.
    pub favor: Favor,
    /// Whether programs on this machine read pages at `http://127.0.0.1:8118/mcp` (Model Context Protocol, streamable HTTP).
    pub mcp: bool,
}

impl Default for Agents {
    fn default() -> Self {
        Self { markdown: true, front_matter: true, favor: Favor::Recall, mcp: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_a_place_for_the_words() {
        for (search, is_right) in [
            ("https://search.example/?q=%s", true),
            ("https://search.example/", false),
            ("file:///%s", false),
            ("%s", false),
        ] {
            let read = ReaderAddress { search: Some(search.to_owned()), ..ReaderAddress::default() };
            assert_eq!(read.check().is_ok(), is_right, "{search}");
        }
        let read = ReaderAddress { search: Some("https://s.example/?q=%s".to_owned()), ..ReaderAddress::default() };
        assert_eq!(read.search("two words&x").unwrap().as_str(), "https://s.example/?q=two+words%26x");
    }

    #[test]
    fn other_machines_read_where_the_network_may_use_the_proxy() {
        let [near, far]: [IpAddr; 2] = [[127, 0, 0, 1].into(), [192, 168, 1, 7].into()];
        for (enabled, lan, admitted) in [
            (None, false, (true, false)),
            (None, true, (true, true)),
            (Some(true), false, (true, true)),
            (Some(false), true, (false, false)),
        ] {
            let read = ReaderAddress { enabled, ..ReaderAddress::default() };
            assert_eq!((read.admits(near, lan), read.admits(far, lan)), admitted, "{enabled:?} {lan}");
        }
    }
}
