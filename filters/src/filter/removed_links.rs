//! The removed links retainer.
//!
//! Source: Agarwal et al. 2013, "Proposed method", after Gupta et al. 2003: it "keeps track of all the text links that are
//! removed throughout the filtering process. After the DOM tree is completely browsed, the list of removed links is added
//! to the bottom of the page. In this way, any important links that were previously removed remain accessible."
//!
//! Each link stands once, with its absolute address, under the filter that removed it. A link that is still on the page
//! is not repeated, and advertisements never come back. The keeping is done by `Page::remove`; this filter only lists.
//!
//! A list of links without what stood around them is read by their words alone. So those go that say nothing there: signs (`»`; not
//! numbers, which are other pages of the same list), and all but the first of what stands many times and leads elsewhere each time
//! ("Reply", "Book now", in any language).
//! WCXB dev, 2026-11-22: 7 % of the lines.

use std::cmp::Reverse;

use html5ever::local_name;
use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    analysis::LinkGroup,
    filter::Filter,
    hashing::{self, RandomState, Set, Table},
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::words as count_words,
};

/// Settings of `removed_links`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RemovedLinks"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Most links listed; of more, those with most words are: menus are longest, and texts are called by more than one.
    pub max_links: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: true, max_links: 200 }
    }
}

/// Lines of the same words from which only the first is listed. Lower: months of several years, and entries that several menus
/// have, are lost.
const REPEATED: usize = 8;

pub(crate) struct RemovedLinks {
    pub(crate) settings: Settings,
}

impl Filter for RemovedLinks {
    fn name(&self) -> &'static str {
        "removed_links"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let mut seen = links_still_there(page);
        seen.insert(key(page.url().as_str()));
        let mut groups: Vec<LinkGroup> = Vec::new();
        let mut links = std::mem::take(&mut page.removals.links);
        // Filters that walk backwards have removed the last ones first.
        links.sort_by_key(|link| link.node);
        links.retain(|link| says_something(&link.text) && seen.insert(key(link.address.as_str())));
        let mut counts: Table<u64, usize> = Table::with_capacity_and_hasher(links.len(), RandomState::default());
        for link in &links {
            *counts.entry(words(&link.text)).or_default() += 1;
        }
        // The first may be the entry of a menu that stands in several, with everything that leads below it.
        let mut told = Set::default();
        links.retain(|link| {
            let words = words(&link.text);
            counts[&words] < REPEATED || told.insert(words)
        });
        page.removed_link_count = links.len();
        if links.len() > self.settings.max_links {
            links.sort_by_key(|link| Reverse(count_words(&link.text)));
            links.truncate(self.settings.max_links);
            links.sort_by_key(|link| link.node);
        }
        let listed = links.len();
        for link in links {
            let heading = heading(link.filter);
            let shown = link.shown.unwrap_or_else(|| link.address.into());
            let entry = (link.text, shown);
            match groups.iter_mut().find(|group| group.heading == heading) {
                Some(group) => group.links.push(entry),
                None => groups.push(LinkGroup { heading, links: vec![entry] }),
            }
        }
        page.appended = groups;
        (listed > 0).then(|| format!("{listed} listed"))
    }
}

fn links_still_there(page: &Page) -> Set<u64> {
    page.live(NodeId::DOCUMENT)
        .filter(|&id| page.tag(id) == Some(Tag::A))
        .filter_map(|id| page.absolute(id, &local_name!("href")))
        .map(|address| key(address.as_str()))
        .collect()
}

/// Stands for an address in a set: a hash, because 100,000 links of a page with a long address would take a gigabyte. A page
/// that makes two of its links collide has one of them listed less. Places on one page are one link.
fn key(address: &str) -> u64 {
    let place = memchr::memchr(b'#', address.as_bytes());
    hashing::hash_text(&address[..place.unwrap_or(address.len())])
}

/// Stands for the words of a link in a table.
fn words(text: &str) -> u64 {
    hashing::hash_text(text)
}

/// Whether the text of a link says by itself where it leads: a word, a letter of an index, the number of a page; no sign ("»") and
/// no number of a post ("#3").
fn says_something(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() && !is_private(c);
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    text.contains(is_word) && !text.strip_prefix('#').is_some_and(is_number)
}

/// Whether a character is drawn by a font of icons (the private use areas of Unicode).
fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// The heading above the links that a filter removed: a name in `data/interface.txt`.
fn heading(filter: &str) -> &'static str {
    match filter {
        "main_block" => "elsewhere",
        "link_lists" => "lists_of_links",
        _ => "other_links",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn listed(links: &str) -> Vec<String> {
        let mut page = page(&format!("<nav id=n>{links}</nav><p>text"));
        page.removals.collects_links = true;
        let nav = crate::testing::by_id(&page, "n");
        page.remove(nav, "link_lists");
        let filter = RemovedLinks { settings: Settings::default() };
        filter.apply(&mut page);
        let groups = std::mem::take(&mut page.appended);
        let links = groups.into_iter().flat_map(|group| group.links);
        links.map(|(text, _)| text).collect()
    }

    #[test]
    fn words_that_lead_to_many_places_are_listed_once() {
        let times = |text: &str, count: usize| -> String {
            let links = (0..count).map(|n| format!("<a href=/{text}/{n}>{text}</a>"));
            links.collect::<Vec<_>>().concat()
        };
        let html = [times("Reply", 8), times("May", 3)].concat();
        assert_eq!(listed(&html), ["Reply", "May", "May", "May"]);
    }

    #[test]
    fn signs_are_not_listed() {
        for text in ["#3", "»", "...", "\u{f099}"] {
            assert!(!says_something(text), "{text}");
        }
        for text in ["TV", "5G", "2", "A", "家", "중", "News", "2024", "#bread"] {
            assert!(says_something(text), "{text}");
        }
    }
}
