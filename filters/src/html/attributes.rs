//! The attributes of a page's elements, beside the tree.
//!
//! kuchikiki keeps an element's attributes in a hash map of strings of its own. Building the maps took as long as building
//! the tree (a random state, two allocations, a `SipHash` for each name, a copy of each value), and nobody looks anything
//! up in them: an element has three attributes on average. Here all attributes of a page stand in one list in the order in
//! which they came, each element has a stretch of it, and values are parts of the text they were read from, not copies.
//!
//! An element of the tree tells its stretch by `score`, a number that kuchikiki leaves to its users.

use std::ops::Range;

use html5ever::{Attribute, LocalName, QualName, ns, tendril::StrTendril};
use kuchikiki::NodeRef;

use super::attribute_hints::{self, AttributeHints, Hint, HintReader};
use crate::vocabulary::words::count;

/// Which stretch is an element's; the default is that of an element without attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch(u32);

impl Stretch {
    pub(super) fn from_node(node: &NodeRef) -> Stretch {
        node.as_element().map_or(Stretch::default(), |element| Stretch(element.score.get().to_bits()))
    }

    /// Notes it in the element. Stretches are counted, and bounded by [`super::parse`]: as a float their number is tiny and
    /// no NaN, whose bits might change on the way.
    pub(super) fn note(self, node: &NodeRef) {
        if let Some(element) = node.as_element() {
            element.score.set(f32::from_bits(self.0));
        }
    }
}

/// All attributes of a page.
#[derive(Debug)]
pub(crate) struct Attributes {
    all: Vec<Attribute>,
    /// By number of the stretch. The first is empty: it belongs to all who have none.
    stretches: Vec<Own>,
    reader: HintReader,
}

/// The attributes of an element.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    start: u32,
    /// One past the last.
    end: u32,
    /// Hints and class hints of the stretch's attributes.
    hints: AttributeHints,
}

impl Own {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Attributes {
    pub(super) fn new() -> Attributes {
        Attributes { all: Vec::new(), stretches: vec![Own::default()], reader: HintReader::new() }
    }

    /// The attributes of a stretch, in the order in which they were written.
    pub(super) fn in_stretch(&self, stretch: Stretch) -> &[Attribute] {
        &self.all[self.stretches[stretch.0 as usize].range()]
    }

    /// Hints and class hints of a stretch's attributes.
    pub(super) fn hints(&self, stretch: Stretch) -> AttributeHints {
        self.stretches[stretch.0 as usize].hints
    }

    /// Whether those of any element may hold what a rule looks for.
    pub(super) fn any_may(&self, hint: Hint) -> bool {
        self.stretches.iter().any(|own| own.hints.has(hint))
    }

    /// Whether one of them is such.
    pub(super) fn any(&self, is_it: impl Fn(&LocalName, &str) -> bool) -> bool {
        let mut all = self.all.iter();
        all.any(|attribute| is_it(&attribute.name.local, &attribute.value))
    }

    /// Gives an element these.
    pub(super) fn add(&mut self, attributes: impl IntoIterator<Item = Attribute>) -> Stretch {
        let start = self.all.len();
        self.all.extend(attributes);
        if start == self.all.len() {
            return Stretch::default();
        }
        let stretch = Stretch(count(self.stretches.len()));
        self.stretches.push(Own {
            start: count(start),
            end: count(self.all.len()),
            hints: self.reader.read(&self.all[start..]),
        });
        stretch
    }

    /// Sets an attribute without a namespace, in place where the element has it already. The element's stretch may be
    /// another one afterwards.
    pub(super) fn set(&mut self, stretch: Stretch, name: LocalName, value: String) -> Stretch {
        let value = StrTendril::from(value);
        let own = &mut self.stretches[stretch.0 as usize];
        let mut all = self.all[own.range()].iter_mut();
        if let Some(known) = all.find(|known| is_named(known, &name)) {
            known.value = value;
            own.hints = self.reader.read(&self.all[own.range()]);
            return stretch;
        }
        // Stretches cannot grow where they are, so the attributes move to the end.
        let mut attributes = self.in_stretch(stretch).to_vec();
        attributes.push(Attribute { name: QualName::new(None, ns!(), name), value });
        self.add(attributes)
    }

    /// Drops those that are not wanted and says how many they were.
    pub(super) fn retain(&mut self, stretch: Stretch, is_wanted: impl Fn(&LocalName, &str) -> bool) -> usize {
        let place = &mut self.stretches[stretch.0 as usize];
        let own = &mut self.all[place.range()];
        let is_dropped = |own: &Attribute| !is_wanted(&own.name.local, &own.value);
        // Hardly ever any.
        let Some(first) = own.iter().position(is_dropped) else {
            return 0;
        };
        let mut kept = first;
        for at in first + 1..own.len() {
            if is_wanted(&own[at].name.local, &own[at].value) {
                own.swap(kept, at);
                kept += 1;
            }
        }
        let dropped = &own[kept..];
        let is_read_anew = dropped.iter().any(|own| attribute_hints::is_class_hint(&own.name.local));
        let dropped = dropped.len();
        place.end = place.start + count(kept);
        if is_read_anew {
            place.hints = self.reader.read(&self.all[place.range()]);
        }
        dropped
    }
}

/// Whether it is the attribute of this name that has no namespace.
pub(super) fn is_named(attribute: &Attribute, name: &LocalName) -> bool {
    attribute.name.local == *name && attribute.name.ns == ns!()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, value: &str) -> Attribute {
        Attribute { name: QualName::new(None, ns!(), LocalName::from(name)), value: value.into() }
    }

    fn told(attributes: &Attributes, stretch: Stretch) -> String {
        let of = attributes.in_stretch(stretch).iter();
        let each: Vec<String> = of.map(|a| format!("{}={}", &*a.name.local, &*a.value)).collect();
        each.join(" ")
    }

    #[test]
    fn elements_change_their_attributes_and_not_those_of_others() {
        let mut attributes = Attributes::new();
        let first = attributes.add([attribute("a", "1"), attribute("b", "2"), attribute("c", "3")]);
        let second = attributes.add([attribute("a", "4")]);
        let none = attributes.add([]);
        assert_eq!(none, Stretch::default());
        assert_eq!(attributes.retain(first, |name, _| &**name != "a"), 1);
        assert_eq!(attributes.set(first, "b".into(), "5".to_owned()), first);
        let moved = attributes.set(first, "d".into(), "6".to_owned());
        let new = attributes.set(none, "e".into(), "7".to_owned());
        assert_eq!(told(&attributes, moved), "b=5 c=3 d=6");
        assert_eq!(told(&attributes, second), "a=4");
        assert_eq!(told(&attributes, new), "e=7");
        assert_eq!(told(&attributes, none), "");
    }

    #[test]
    fn what_attributes_say_changes_with_them() {
        let mut attributes = Attributes::new();
        let class_hints = |attributes: &Attributes, stretch| attributes.hints(stretch).class_hints;
        let own = attributes.add([attribute("class", "related"), attribute("href", "/a")]);
        let related = class_hints(&attributes, own);
        assert_ne!(related, 0);
        assert!(!attributes.any_may(Hint::Runs));
        let own = attributes.set(own, "href".into(), "javascript:x".to_owned());
        assert!(attributes.hints(own).has(Hint::Runs));
        let own = attributes.set(own, "id".into(), "comments".to_owned());
        assert_ne!(class_hints(&attributes, own), related);
        attributes.retain(own, |name, _| &**name != "id");
        assert_eq!(class_hints(&attributes, own), related);
        attributes.retain(own, |name, _| &**name != "class");
        assert_eq!(class_hints(&attributes, own), 0);
    }
}
