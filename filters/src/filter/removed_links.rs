//! The removed links retainer.
//!
//! Source: Agarwal et al. 2013, "Proposed method", after Gupta et al. 2003: it "keeps track of all the text links that are
//! removed throughout the filtering process. After the DOM tree is completely browsed, the list of removed links is added
//! to the bottom of the page. In this way, any important links that were previously removed remain accessible."
//!
//! Each link stands once, with its absolute address, under the filter that removed it. A link that is still on the page
//! is not repeated, and advertisements never come back. The keeping is done by `Page::remove`; this filter only lists.
//!
//! A list of links without what stood around them is read by their words alone. So those go that say nothing there: signs and
//! numbers (`says_something`), and all but the first of what stands three times or more and leads elsewhere each time ("Reply", "Book
//! now", in any language).
//! WCXB dev, 2026-11-22: 7 % of the lines.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use html5ever::local_name;
use serde::{Deserialize, Serialize};

use crate::{
    filter::Filter,
    page::{LinkGroup, NodeId, Page, tag::Tag},
};

/// Settings of `removed_links`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RemovedLinks")
)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Most links listed; the rest are dropped, first come, first kept.
    pub max_links: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            max_links: 200,
        }
    }
}

/// Lines of the same words from which none of them says where it leads.
const REPEATED: usize = 3;

pub(crate) struct RemovedLinks {
    pub(crate) settings: Settings,
}

impl Filter for RemovedLinks {
    fn name(&self) -> &'static str {
        "removed_links"
    }

    fn apply(&self, page: &mut Page) -> Option<String> {
        let mut seen = links_still_there(page);
        seen.insert(key(page.url().as_str()));
        let mut groups: Vec<LinkGroup> = Vec::new();
        let mut listed = 0;
        let mut links = std::mem::take(&mut page.removed_links);
        // Filters that walk backwards have removed the last ones first.
        links.sort_by_key(|link| link.node);
        links.retain(|link| says_something(&link.text) && seen.insert(key(link.address.as_str())));
        let mut counts: HashMap<u64, usize> = HashMap::with_capacity(links.len());
        for link in &links {
            *counts.entry(words(&link.text)).or_default() += 1;
        }
        // The first may be the entry of a menu that stands in several, with everything that leads below it.
        let mut told = HashSet::new();
        links.retain(|link| {
            let words = words(&link.text);
            counts[&words] < REPEATED || told.insert(words)
        });
        for link in links {
            if listed == self.settings.max_links {
                break;
            }
            listed += 1;
            let heading = heading(link.filter);
            let shown = link.shown.unwrap_or_else(|| link.address.into());
            let entry = (link.text, shown);
            match groups.iter_mut().find(|group| group.heading == heading) {
                Some(group) => group.links.push(entry),
                None => groups.push(LinkGroup {
                    heading,
                    links: vec![entry],
                }),
            }
        }
        page.appended = groups;
        (listed > 0).then(|| format!("{listed} listed"))
    }
}

fn links_still_there(page: &Page) -> HashSet<u64> {
    page.live(NodeId::DOCUMENT)
        .filter(|&id| page.tag(id) == Some(Tag::A))
        .filter_map(|id| page.absolute(id, &local_name!("href")))
        .map(|address| key(address.as_str()))
        .collect()
}

/// Stands for an address in a set: a hash, because 100,000 links of a page with a long address would take a gigabyte. A page
/// that makes two of its links collide has one of them listed less. Places on one page are one link.
fn key(address: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    address.split('#').next().hash(&mut hasher);
    hasher.finish()
}

/// Stands for the words of a link in a table.
fn words(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether the text of a link says by itself where it leads: a word, an abbreviation ("TV", "5G") or one character of a script
/// that has words of one; no sign ("»"), number ("#3") or letter of an alphabet.
fn says_something(text: &str) -> bool {
    let mut chars = text.chars();
    let start = [chars.next(), chars.next()];
    if chars.next().is_some() {
        return text.contains(char::is_alphanumeric);
    }
    let start = || start.into_iter().flatten();
    let letters = start().filter(|c| c.is_alphabetic()).count();
    let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
    letters == 2
        || start().any(|c| c.is_alphabetic() && !has_case(c))
        || start().count() == 2 && start().any(char::is_uppercase)
}

/// What a reader sees above the links that a filter removed.
fn heading(filter: &str) -> &'static str {
    match filter {
        "main_block" => "Elsewhere on the page",
        "link_lists" => "Lists of links",
        _ => "Other links",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn listed(links: &str) -> Vec<String> {
        let mut page = page(&format!("<nav id=n>{links}</nav><p>text"));
        page.collect_links = true;
        let nav = crate::testing::by_id(&page, "n");
        page.remove(nav, "link_lists");
        let filter = RemovedLinks {
            settings: Settings::default(),
        };
        filter.apply(&mut page);
        let groups = std::mem::take(&mut page.appended);
        let links = groups.into_iter().flat_map(|group| group.links);
        links.map(|(text, _)| text).collect()
    }

    #[test]
    fn words_that_lead_to_three_places_are_listed_once() {
        let reply = "<a href=/1>Reply</a><a href=/2>Reply</a><a href=/3>Reply</a>";
        let twice = "<a href=/4>Shoes</a><a href=/5>Shoes</a><a href=/5>Shoes</a>";
        assert_eq!(
            listed(&format!("{reply}{twice}")),
            ["Reply", "Shoes", "Shoes"]
        );
    }

    #[test]
    fn signs_and_numbers_are_not_listed() {
        for text in ["#3", "J", "12", "»", "...", "8d", "\u{f099}"] {
            assert!(!says_something(text), "{text}");
        }
        for text in ["TV", "5G", "Go", "fr", "家", "中文", "집", "News", "2024"] {
            assert!(says_something(text), "{text}");
        }
    }
}
