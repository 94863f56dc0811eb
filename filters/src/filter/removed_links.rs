//! The removed links retainer.
//!
//! Source: Agarwal et al. 2013, "Proposed method", after Gupta et al. 2003: it "keeps track of all the text links that are
//! removed throughout the filtering process. After the DOM tree is completely browsed, the list of removed links is added
//! to the bottom of the page. In this way, any important links that were previously removed remain accessible."
//!
//! Each link stands once, with its absolute address, under the filter that removed it. A link that is still on the page
//! is not repeated, and advertisements never come back. The keeping is done by `Page::remove`; this filter only lists.

use std::{
    collections::HashSet,
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
        for link in links {
            if listed == self.settings.max_links {
                break;
            }
            if !seen.insert(key(link.address.as_str())) {
                continue;
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

/// What a reader sees above the links that a filter removed.
fn heading(filter: &str) -> &'static str {
    match filter {
        "main_block" => "Elsewhere on the page",
        "link_lists" => "Lists of links",
        _ => "Other links",
    }
}
