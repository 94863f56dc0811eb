//! Where a key or a list's item stands in the text.
//!
//! The parser knows the place of an error and of nothing else, so the walk to the key ends in an
//! error of its own making. Block and flow style, quotes and comments are all the parser's business.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_yaml::Value;

/// A place in the text, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Finds a dotted key, or the deepest part of it that is written.
pub(super) fn of_key(text: &str, key: &str) -> Option<Place> {
    let path: Vec<&str> = key.split('.').collect();
    (1..=path.len())
        .rev()
        .find_map(|length| walk(text, &path[..length], End::Key))
}

/// Finds the value of a dotted key where it is one word or number, or else the key.
pub(super) fn of_value(text: &str, key: &str) -> Option<Place> {
    let path: Vec<&str> = key.split('.').collect();
    walk(text, &path, End::Value).or_else(|| of_key(text, key))
}

/// Finds an item of the list under a dotted key (the last one that is alike) or the key of that name below it, or else the
/// value or the key.
pub(super) fn of_item(text: &str, key: &str, item: &str) -> Option<Place> {
    let index = || {
        let tree: Value = serde_yaml::from_str(text).ok()?;
        let list = key.split('.').try_fold(&tree, |tree, key| tree.get(key))?;
        let list = list.as_sequence()?;
        list.iter().rposition(|found| match found {
            Value::Number(number) => number.to_string() == item,
            found => found.as_str() == Some(item),
        })
    };
    let path: Vec<&str> = key.split('.').collect();
    let below = || walk(text, &[&path[..], &[item]].concat(), End::Key);
    index()
        .and_then(|index| walk(text, &path, End::Item(index)))
        .or_else(below)
        .or_else(|| of_value(text, key))
}

fn walk(text: &str, path: &[&str], end: End) -> Option<Place> {
    let walk = Walk { path, end };
    let end = walk.deserialize(serde_yaml::Deserializer::from_str(text));
    let error = end.err().filter(|error| error.to_string().contains(HERE))?;
    let at = error.location()?;
    Some(Place {
        line: at.line(),
        column: at.column(),
    })
}

/// What the error at the end of the walk says; no error of the parser does.
const HERE: &str = "the place that was looked for";

/// The way that is left.
#[derive(Clone, Copy)]
struct Walk<'a> {
    path: &'a [&'a str],
    end: End,
}

/// Where the way ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Key,
    Value,
    Item(usize),
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something on the way")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((segment, rest)) = self.path.split_first() else {
            return Err(A::Error::custom("no list"));
        };
        let is_end = rest.is_empty() && self.end == End::Key;
        let key = Key { segment, is_end };
        while let Some(hit) = map.next_key_seed(key)? {
            if hit && rest.is_empty() && self.end == End::Value {
                return map.next_value_seed(Key::ANY).map(|_| ());
            }
            if hit {
                let end = self.end;
                return map.next_value_seed(Walk { path: rest, end });
            }
            map.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::custom("not written"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let End::Item(index) = self.end else {
            return Err(A::Error::custom("a list on the way"));
        };
        for _ in 0..index {
            list.next_element::<IgnoredAny>()?;
        }
        list.next_element_seed(Key::ANY).map(|_| ())
    }
}

/// Compares a key; at the end of the way any scalar is the place.
#[derive(Clone, Copy)]
struct Key<'a> {
    segment: &'a str,
    is_end: bool,
}

impl Key<'_> {
    /// Whatever stands here is the place.
    const ANY: Self = Self {
        segment: "",
        is_end: true,
    };
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<bool, E> {
        let hit = self.segment.is_empty() || word == self.segment;
        if hit && self.is_end {
            return Err(E::custom(HERE));
        }
        Ok(hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, column: usize) -> Place {
        Place { line, column }
    }

    #[test]
    fn a_nested_key_is_found_on_its_line() {
        let text = "# clients: no\nlog:\n  level: info\naccess:\n  # one\n  clients: [x]\n";
        assert_eq!(of_key(text, "access.clients"), Some(place(6, 3)));
        assert_eq!(of_key(text, "listen"), None);
    }

    #[test]
    fn a_key_of_the_same_name_elsewhere_is_not_taken() {
        let text = "filters:\n  main_block:\n    cnr: { top: 3 }\n  link_lists:\n    ratio: 0\n";
        assert_eq!(of_key(text, "filters.link_lists.ratio"), Some(place(5, 5)));
        let text = "https:\n  except: [a]\nrewrite:\n  except: [b]\n";
        assert_eq!(of_key(text, "rewrite.except"), Some(place(4, 3)));
    }

    #[test]
    fn a_key_in_flow_style_is_found_in_its_column() {
        let text = "access: { connect_ports: [1],\n  clients: [x] }\n";
        assert_eq!(of_key(text, "access.clients"), Some(place(2, 3)));
    }

    #[test]
    fn a_value_is_found_behind_its_key_and_a_section_by_its_key() {
        let text = "log:\n  level:   loud\nlimits: { connections: -1, pages: {} }\n";
        assert_eq!(of_value(text, "log.level"), Some(place(2, 12)));
        assert_eq!(of_value(text, "limits.connections"), Some(place(3, 24)));
        assert_eq!(of_value(text, "limits.pages"), Some(place(3, 28)));
        assert_eq!(of_value(text, "limits.none"), Some(place(3, 1)));
    }

    #[test]
    fn what_is_not_written_is_the_section_above_it() {
        assert_eq!(
            of_key("a: 1\nfilters:\n  x: 1\n", "filters.order"),
            Some(place(2, 1))
        );
    }

    #[test]
    fn an_item_of_a_list_is_found_on_its_line() {
        let text = "https:\n  except:\n    - one.example\n    - 'http://x/'\n";
        assert_eq!(
            of_item(text, "https.except", "http://x/"),
            Some(place(4, 7))
        );
        assert_eq!(of_item("listen: x\n", "listen", "x"), Some(place(1, 9)));
        let text = "access:\n  users:\n    anna: h\n    b.c: x\n";
        assert_eq!(of_item(text, "access.users", "b.c"), Some(place(4, 5)));
    }
}
