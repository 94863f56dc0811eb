//! What an element's attributes say, as bits: the words by which its author calls it, and whether it has what a rule looks for.
//!
//! A dozen rules ask every element of a page for a word in its class, an address of a certain kind, a mark. Nearly no element has what
//! one of them looks for, and each read all values anew. Here they are read once, as the tag arrives, so that none of it waits
//! for the end of the page; elements share their values with their neighbours, so that a value that was met lately is not read
//! again. A rule then looks at two numbers.
//!
//! [`AttributeHints::class_hints`] are exact. A [`Hint`] says that a rule should look closer; its absence that there is nothing to find. So a hint may
//! outlive the attribute that it came from.
//!
//! Measured on WCXB dev, 2026-11-22: `docs/performance.md`.

pub(crate) mod class_hints;
pub(crate) mod names;
pub(crate) mod scripts;
mod vocabulary;

use html5ever::{Attribute, LocalName, local_name, ns, tendril::StrTendril};

use super::style_sheets::HIDING;
use super::{NodeId, Page, tag::Tag};
use scripts::may_run;

/// A property that a rule looks for in attributes. Those up to [`Hint::Dates`] are lists of words (`attribute_hints/vocabulary.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Words in the classes of authors of articles.
    Authors,
    /// Words for those who write in a thread.
    Posters,
    /// Names of quotations.
    Quotes,
    /// Words for a day or an hour.
    Dates,
    /// `src` or `href`.
    Address,
    /// A property in microdata.
    Property,
    /// `rel` or `itemprop` with `author` or `creator`.
    AuthorMark,
    /// An address of somebody's profile.
    Profile,
    /// An address of an author's page.
    AuthorPage,
    /// A tip that is shown where the pointer rests.
    Title,
    /// A role.
    Role,
    /// A landmark, or an element that nobody is to see, as far as attributes tell.
    Landmark,
    /// The element's own word that nobody is to see it.
    Hides,
    /// An attribute that may run a script.
    Runs,
}

impl Hint {
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Class hints and hints from the attributes of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AttributeHints {
    /// Bits of [`class_hints::ClassHint`].
    pub(crate) class_hints: u32,
    /// Bits of [`Hint`].
    hints: u32,
}

impl AttributeHints {
    pub(crate) fn has(self, hint: Hint) -> bool {
        self.hints & hint.bit() != 0
    }

    /// The bits of all hints.
    pub(super) fn hints(self) -> u32 {
        self.hints
    }

    fn add(&mut self, other: AttributeHints) {
        self.class_hints |= other.class_hints;
        self.hints |= other.hints;
    }

    /// Whether it has one of several, given as bits.
    pub(crate) fn has_any(self, hints: u32) -> bool {
        self.hints & hints != 0
    }
}

impl Page {
    /// Class hints and hints of an element's attributes, in bits.
    pub(crate) fn hints(&self, id: NodeId) -> AttributeHints {
        self.attributes.hints(self.rows[id.index()].attributes)
    }

    /// The live elements of the body whose attributes may have what one of these hints says, given as bits, or that have one of
    /// these tags, each of which [`Page::about`] must know; in document order. Nearly no element does, and the others are not
    /// walked over.
    pub(crate) fn elements_with_hints(&self, hints: u32, tags: &[Tag]) -> Vec<NodeId> {
        let hinted = self.hinted.iter().filter(|(_, own)| own & hints != 0);
        let tagged = tags.iter().flat_map(|&tag| self.about(tag));
        let body = self.body();
        let mut found: Vec<NodeId> = hinted
            .map(|&(id, _)| id)
            .chain(tagged)
            .filter(|&id| id != body && self.contains(body, id) && self.is_live(id))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether an element of the page has such an attribute, or had it before it was removed: one look at the list of all of them.
    pub(crate) fn any_attribute(&self, is_it: impl Fn(&LocalName, &str) -> bool) -> bool {
        self.attributes.any(is_it)
    }

    /// Whether an element of the page may have what a rule looks for, or may have had it.
    pub(crate) fn any_may(&self, hint: Hint) -> bool {
        self.attributes.any_may(hint)
    }
}

/// Reads attributes, and remembers the names that were met last.
#[derive(Debug)]
pub(super) struct HintReader(Vec<(String, AttributeHints)>);

impl HintReader {
    /// A power of two, more than an ordinary page has different ones.
    const PLACES: usize = 256;

    pub(super) fn new() -> HintReader {
        HintReader(vec![(String::new(), AttributeHints::default()); Self::PLACES])
    }

    /// Class hints and hints of all attributes of an element together.
    pub(super) fn read(&mut self, attributes: &[Attribute]) -> AttributeHints {
        let mut all = AttributeHints::default();
        for attribute in attributes {
            if attribute.name.ns == ns!() {
                self.add(&attribute.name.local, &attribute.value, &mut all);
            } else if may_run(&attribute.name.local, &attribute.value) {
                all.hints |= Hint::Runs.bit();
            }
        }
        all
    }

    fn add(&mut self, name: &LocalName, value: &StrTendril, all: &mut AttributeHints) {
        let hint = |hint: Hint, is_so: bool| if is_so { hint.bit() } else { 0 };
        match *name {
            local_name!("class") | local_name!("id") | local_name!("itemtype") | local_name!("aria-label") => {
                all.add(self.known(value));
            }
            local_name!("href") => {
                all.hints |=
                    Hint::Address.bit() | vocabulary::hints_of_address(value) | hint(Hint::Runs, may_run(name, value));
            }
            local_name!("src") => {
                all.hints |= Hint::Address.bit() | hint(Hint::Runs, may_run(name, value));
            }
            local_name!("style") => {
                all.hints |= hint(Hint::Hides, HIDING.are_in(value));
            }
            local_name!("alt") | local_name!("width") | local_name!("height") => {}
            local_name!("title") => all.hints |= Hint::Title.bit(),
            local_name!("rel") => all.hints |= hint(Hint::AuthorMark, is_author_mark(value)),
            local_name!("itemprop") => {
                all.hints |= Hint::Property.bit() | hint(Hint::AuthorMark, is_author_mark(value));
                all.add(self.known(value));
            }
            local_name!("role") => {
                all.hints |= Hint::Role.bit() | Hint::Landmark.bit() | self.known(value).hints;
            }
            local_name!("hidden") => all.hints |= Hint::Hides.bit(),
            local_name!("aria-hidden") | local_name!("aria-modal") => {
                all.hints |= Hint::Landmark.bit();
            }
            _ => {
                if is_name(name) {
                    all.add(self.known(value));
                }
                all.hints |= hint(Hint::Runs, may_run(name, value));
            }
        }
    }

    /// Class hints and hints of a name, from the memory of names that were read before. Without it a page takes 2 % more instructions
    /// (60 pages of WCXB dev, callgrind, 2026-11-28).
    fn known(&mut self, value: &str) -> AttributeHints {
        // Values that begin alike mostly differ in length or at their end.
        let end = match value.as_bytes().last_chunk() {
            Some(end) => u64::from_le_bytes(*end),
            None => value.bytes().fold(0, |end, byte| end << 8 | u64::from(byte)),
        };
        // Multiplicative hashing (Knuth, *The Art of Computer Programming* 3, § 6.4), the golden ratio in 64 bits.
        let mixed = (end ^ value.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = usize::try_from(mixed >> 40).unwrap_or(0) % Self::PLACES;
        let (known, hints) = &mut self.0[place];
        if known != value {
            value.clone_into(known);
            *hints = vocabulary::hints(value);
        }
        *hints
    }
}

/// Whether an attribute that is no part of HTML names its element as a class does.
fn is_name(name: &LocalName) -> bool {
    matches!(&**name, "data-testid" | "data-component" | "data-module" | "data-type" | "data-test" | "data-qa")
}

fn is_author_mark(value: &str) -> bool {
    let is = |word: &str| word.eq_ignore_ascii_case("author") || word.eq_ignore_ascii_case("creator");
    value.split_ascii_whitespace().any(is)
}

/// Whether an element's class hints may come from such an attribute.
pub(super) fn is_class_hint(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("class")
            | local_name!("id")
            | local_name!("itemprop")
            | local_name!("itemtype")
            | local_name!("aria-label")
    ) || is_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, ids, page};

    #[test]
    fn what_tells_something_is_listed_in_its_order_while_it_lives() {
        let mut page = page(
            "<body role=main><nav id=a>x</nav><div role=menu id=b>x</div><p id=c>x</p>\
             <section id=gone><div role=menu id=d>x</div></section><nav role=menu id=e>x</nav>",
        );
        let elements_with_hints = |page: &Page| {
            let found = page.elements_with_hints(Hint::Role.bit(), &[Tag::Nav]);
            ids(page, &found).join(" ")
        };
        assert_eq!(elements_with_hints(&page), "a b d e");
        let gone = by_id(&page, "gone");
        page.remove(gone, "test");
        assert_eq!(elements_with_hints(&page), "a b e");
        let late = by_id(&page, "c");
        page.set_attribute(late, local_name!("role"), "menu".to_owned());
        assert_eq!(elements_with_hints(&page), "a b c e");
        assert!(page.elements_with_hints(Hint::Quotes.bit(), &[]).is_empty());
    }
}
