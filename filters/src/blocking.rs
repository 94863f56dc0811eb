//! The interface to blocking lists (`Blocker`), its simplest implementation, a list of hosts, the matching of
//! selectors for hidden elements, and the boxes of what is refused.

pub(crate) mod element;
pub(crate) mod holes;
pub(crate) mod selectors;

use std::{collections::HashSet, sync::Arc};

use url::Url;

pub use self::selectors::Selectors;
use crate::hosts::HostList;

/// The use that a page makes of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A page to go to: the address of a link.
    Document,
    /// A page in a frame.
    Frame,
    /// A picture.
    Image,
    /// Sound, film or subtitles.
    Media,
    /// A plug-in's content.
    Object,
    /// A script.
    Script,
    /// A style sheet.
    Stylesheet,
    /// Anything else.
    Other,
}

/// Lists of advertisements and trackers.
pub trait Blocker: Send + Sync {
    /// Whether an address is forbidden to a page. Of a [`Resource::Document`] only the host counts.
    fn blocks(&self, page: &Url, address: &Url, wanted: Resource) -> bool;

    /// Whether a request of a page for an address is refused. Elements may leave a page whose requests are let through.
    fn refuses(&self, page: &Url, address: &Url, wanted: Resource) -> bool {
        self.blocks(page, address, wanted)
    }

    /// The rule that forbids an address to a page, in words, where there are rules.
    fn rule(&self, page: &Url, address: &Url, wanted: Resource) -> Option<String> {
        let _ = (page, address, wanted);
        None
    }

    /// The rule that hides on a page what a selector means, in words, where there are rules.
    fn hiding_rule(&self, page: &Url, selector: &str) -> Option<String> {
        let _ = (page, selector);
        None
    }

    /// Whether nothing but the host of an address counts, whatever wants it.
    fn by_host_alone(&self) -> bool {
        false
    }

    /// Which elements of a page the lists hide, if they hide any. `names` are the classes and the ids in the page.
    fn hiding(&self, page: &Url, names: &dyn Fn() -> Names) -> Option<Hiding> {
        let _ = (page, names);
        None
    }
}

/// Names in a page.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Names of classes.
    pub classes: HashSet<String>,
    /// Values of `id` attributes.
    pub ids: HashSet<String>,
}

/// The selectors of elements that are to leave a page.
#[derive(Clone, Debug, Default)]
pub struct Hiding {
    /// Selectors that hold on every page.
    pub common: Option<Arc<Selectors>>,
    /// Selectors of `common` that do not hold on this page.
    pub except: HashSet<String>,
    /// Further selectors that hold on this page.
    pub own: Vec<String>,
}

impl Hiding {
    /// A style sheet that hides these elements, and how many rules it has.
    #[must_use]
    pub fn style_sheet(&self) -> (String, usize) {
        let mut css = String::new();
        let common = self.common.iter().map(|common| common.write_css(&mut css, |text| !self.except.contains(text)));
        let common: usize = common.sum();
        let mut own: Vec<&String> = self.own.iter().collect();
        own.sort_unstable();
        own.dedup();
        let own = Selectors::compile(own).write_css(&mut css, |_| true);
        (css, common + own)
    }
}

impl Names {
    /// Every word of a page's source: each may become a class or an id, by the page's scripts.
    #[must_use]
    pub fn in_source(html: &[u8]) -> Names {
        let is_other = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_');
        let words = html.split(is_other).filter(|word| (1..=LONGEST_NAME).contains(&word.len()));
        let classes: HashSet<String> = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        Names { ids: classes.clone(), classes }
    }
}

/// Longest name that is looked for in a page's source: the public lists hide three longer ones (2026-11-25).
const LONGEST_NAME: usize = 64;

impl Blocker for HostList {
    fn by_host_alone(&self) -> bool {
        true
    }

    fn blocks(&self, _: &Url, address: &Url, _: Resource) -> bool {
        address.host_str().is_some_and(|host| self.matches(host))
    }
}

impl From<HostList> for Arc<dyn Blocker> {
    fn from(hosts: HostList) -> Self {
        Arc::new(hosts)
    }
}
