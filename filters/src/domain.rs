//! Compares pages of one domain: a block that is the same on several of them belongs to the site, not to the page.
//!
//! Source: Mantratzis, Orgun, Cassidy 2005, § 4: the fixed thresholds "could be replaced by a dynamically-adjustable ratio
//! that is continuously refined for each content block based on semantic and structural comparisons with other documents
//! from the same domain".
//!
//! Ours: a block is known by its *signature* (tags, ids and first classes from the body down to it) and its *fingerprint*
//! (the texts below it, in any order). A block whose fingerprint stays the same from page to page belongs to the site
//! and not to the page. Of its linked images (`images.rs`) their ratio to the block's tags and their size are remembered.
//! Nothing is kept here between pages: the caller holds a [`Domain`], shows it pages
//! ([`crate::Chain::survey`], [`Domain::learn`]) and hands it on with the next one ([`crate::PageOptions::domain`]).

pub(crate) mod images;

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};
use images::{Images, linked_images};

/// Blocks remembered of one domain; beyond them new ones are forgotten. A page has some hundred blocks, so this holds
/// the templates of a large site in about 300 KB.
const MAX_BLOCKS: usize = 4096;

/// Pages of a domain below which nothing is concluded: two may be the same page twice.
const MIN_PAGES: u32 = 3;

/// The blocks of one page, for [`Domain::learn`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Each block as this page has it, by its signature.
    blocks: BTreeMap<u64, Seen>,
}

/// A block as one page has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    fingerprint: u64,
    images: Images,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DomainBlock {
    /// The block as the last page had it.
    last: Seen,
    pages: u32,
    /// Pages on which its text was that of the page before.
    repeats: u32,
    /// Pages on which its linked images were like those of the page before.
    like_images: u32,
}

/// Memory of a domain's pages. Pure: no clock, no files; the same pages in the same order give the same memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    blocks: BTreeMap<u64, DomainBlock>,
}

impl Domain {
    /// Takes one more page into account.
    pub fn learn(&mut self, survey: &Survey) {
        for (&signature, &seen) in &survey.blocks {
            if let Some(block) = self.blocks.get_mut(&signature) {
                block.learn(seen);
            } else if self.blocks.len() < MAX_BLOCKS {
                self.blocks.insert(signature, DomainBlock::new(seen));
            }
        }
    }

    /// Share of the pages (0 to 1) on which the block was as on the page before; none where too few were seen.
    pub(crate) fn repetition(&self, signature: u64) -> Option<f64> {
        let block = self.known(signature)?;
        Some(block.share(block.repeats))
    }

    /// Whether these linked images of a block are a list: on most pages they were like those of the page before, and here they
    /// are like the last ones. None where too few pages were seen.
    pub(crate) fn is_image_list(&self, signature: u64, images: Images) -> Option<bool> {
        let block = self.known(signature)?;
        let is_steady = block.share(block.like_images) >= STEADY_IMAGES;
        Some(images.are_many() && is_steady && images.is_like(block.last.images))
    }

    fn known(&self, signature: u64) -> Option<&DomainBlock> {
        let block = self.blocks.get(&signature)?;
        (block.pages >= MIN_PAGES).then_some(block)
    }
}

/// Share of the pages on which a list of linked images must be like that of the page before. Our choice: most of them.
const STEADY_IMAGES: f64 = 0.5;

impl DomainBlock {
    fn new(last: Seen) -> DomainBlock {
        DomainBlock { last, pages: 1, repeats: 0, like_images: 0 }
    }

    fn learn(&mut self, seen: Seen) {
        let repeats = u32::from(seen.fingerprint == self.last.fingerprint);
        let is_like = u32::from(seen.images.is_like(self.last.images));
        self.pages = self.pages.saturating_add(1);
        self.repeats = self.repeats.saturating_add(repeats);
        self.like_images = self.like_images.saturating_add(is_like);
        self.last = seen;
    }

    fn share(&self, pages: u32) -> f64 {
        f64::from(pages) / f64::from(self.pages.saturating_sub(1).max(1))
    }
}

/// The blocks of a page as its domain should remember them.
pub(crate) fn survey(page: &Page) -> Survey {
    let signatures = signatures(page);
    let fingerprints = fingerprints(page);
    let images = linked_images(page);
    let blocks = page
        .live(page.body())
        .filter(|&id| page.tag(id).is_some_and(Tag::is_block))
        .map(|id| {
            let seen = Seen { fingerprint: fingerprints[id.index()], images: images[id.index()] };
            (signatures[id.index()], seen)
        })
        .filter(|(_, seen)| seen.fingerprint != 0 || seen.images.count() > 0)
        .collect();
    Survey { blocks }
}

/// For each row a number that says where it stands. Siblings of the same tag and class share it.
pub(crate) fn signatures(page: &Page) -> Vec<u64> {
    let body = page.body();
    let mut signatures = vec![0u64; page.len()];
    for id in page.live(body) {
        let Some(tag) = page.tag(id) else { continue };
        let mut hasher = Fnv::default();
        if id != body {
            signatures[page.parent(id).index()].hash(&mut hasher);
        }
        tag.hash(&mut hasher);
        if let Some(name) = page.attribute(id, &local_name!("id")) {
            hasher.write(name.as_bytes());
        }
        if let Some(classes) = page.attribute(id, &local_name!("class")) {
            let first = classes.split_ascii_whitespace().next().unwrap_or_default();
            hasher.write(first.as_bytes());
        }
        signatures[id.index()] = hasher.finish();
    }
    signatures
}

/// For each row a number that says what text is below it; 0 for none.
fn fingerprints(page: &Page) -> Vec<u64> {
    let live: Vec<NodeId> = page.live(page.body()).collect();
    let mut sums = vec![0u64; page.len()];
    for &id in live.iter().rev() {
        if page.own_chars(id) > 0
            && let Some(text) = page.text(id)
        {
            let mut hasher = Fnv::default();
            hasher.write(crate::vocabulary::words::one_line(&text).as_bytes());
            sums[id.index()] = hasher.finish();
        }
        if id != page.body() {
            let sum = sums[id.index()];
            let parent = &mut sums[page.parent(id).index()];
            *parent = parent.wrapping_add(sum);
        }
    }
    sums
}

/// FNV-1a: the same on every machine and in every run, unlike the standard library's hasher. It need not withstand an
/// attacker: who can choose collisions here chooses the page, too.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn what_stays_the_same_is_told_from_what_changes() {
        let html = |n: usize| format!("<div id=same>always this</div><div id=other>page {n}</div>");
        let mut domain = Domain::default();
        let last = page(&html(9));
        let signatures = signatures(&last);
        let of = |domain: &Domain, id| domain.repetition(signatures[by_id(&last, id).index()]);
        for n in 0..5 {
            domain.learn(&survey(&page(&html(n))));
            if n < 2 {
                assert_eq!(of(&domain, "same"), None);
            }
        }
        assert_eq!(of(&domain, "same"), Some(1.0));
        assert_eq!(of(&domain, "other"), Some(0.0));
    }

    #[test]
    fn a_memory_has_an_end() {
        let html = (0..MAX_BLOCKS + 100).fold(String::new(), |mut html, n| {
            let _ = write!(html, "<div id=n{n}>x</div>");
            html
        });
        let mut domain = Domain::default();
        domain.learn(&survey(&page(&html)));
        assert_eq!(domain.blocks.len(), MAX_BLOCKS);
    }
}
