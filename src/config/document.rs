//! The text of a configuration file: what is wrong with its YAML, and where in it a key or a value stands.
//!
//! The parser tells the places of errors and of nothing else. So one walk goes through the whole text, refuses a key that
//! its section has already, and raises an error of its own at the path that is looked for.

use std::{collections::HashSet, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, Visitor},
};
use serde_yaml::Value;

use super::yaml_errors;

/// A place in the text, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// The place of a byte.
    pub(super) fn of_byte(text: &str, position: usize) -> Self {
        let before = &text[..text.floor_char_boundary(position.min(text.len()))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    pub(super) fn of_error(error: &serde_yaml::Error) -> Option<Self> {
        let at = error.location()?;
        Some(Self { line: at.line(), column: at.column() })
    }
}

/// Keys and numbers of list items that lead to a value.
pub(super) type Path = Vec<String>;

/// What is wrong with the YAML itself, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) place: Option<Place>,
    pub(super) problem: String,
}

/// The text as a tree.
pub(super) fn read(text: &str) -> Result<Value, YamlError> {
    let mut path = Path::new();
    let walk = Walk { path: &mut path, target: None };
    let walked = walk.deserialize(serde_yaml::Deserializer::from_str(text));
    let read = walked.and_then(|()| serde_yaml::from_str(text));
    read.map_err(|error| {
        if error.to_string().contains(DUPLICATE) {
            duplicate(text, &path, &error)
        } else {
            yaml_errors::explain(text, &error)
        }
    })
}

fn duplicate(text: &str, path: &[String], error: &serde_yaml::Error) -> YamlError {
    let first = find(text, path, Part::Key)
        .map_or_else(String::new, |first| format!(": first in line {}, column {}", first.line, first.column));
    let key = shown(path);
    YamlError {
        place: Place::of_error(error),
        problem: format!("{key} is written a second time{first}; expected each key once"),
    }
}

/// A path as people write it: without the numbers of items.
pub(super) fn shown(path: &[String]) -> String {
    let keys = path.iter().filter(|part| part.parse::<usize>().is_err());
    keys.map(String::as_str).collect::<Vec<_>>().join(".")
}

/// Where a value stands, or else the deepest part of the way to it that is written.
pub(super) fn place_of_value(text: &str, path: &[String]) -> Option<Place> {
    find(text, path, Part::Value).or_else(|| place_of_key(text, path))
}

/// Where a key stands, or else the deepest part of the way to it that is written.
pub(super) fn place_of_key(text: &str, path: &[String]) -> Option<Place> {
    (1..=path.len()).rev().find_map(|length| find(text, &path[..length], Part::Key))
}

fn find(text: &str, path: &[String], part: Part) -> Option<Place> {
    let walk = Walk { path: &mut Path::new(), target: Some((path, part)) };
    let walked = walk.deserialize(serde_yaml::Deserializer::from_str(text));
    let error = walked.err()?;
    error.to_string().contains(FOUND).then(|| Place::of_error(&error))?
}

/// The walk's own errors; the parser has none with these words.
const FOUND: &str = "the path that is looked for";
const DUPLICATE: &str = "a key that its section has already";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Value,
}

/// Goes through all of the text with the path to where it is.
struct Walk<'a> {
    path: &'a mut Path,
    target: Option<(&'a [String], Part)>,
}

impl Walk<'_> {
    fn is_at(&self, part: Part) -> bool {
        self.target.is_some_and(|target| target == (self.path.as_slice(), part))
    }

    fn arrive<E: Error>(&self) -> Result<(), E> {
        if self.is_at(Part::Value) {
            return Err(E::custom(FOUND));
        }
        Ok(())
    }

    fn inner(&mut self) -> Walk<'_> {
        Walk { path: self.path, target: self.target }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

/// A scalar is only arrived at.
macro_rules! scalars {
    ($($visit:ident($type:ty)),*) => {
        $(fn $visit<E: Error>(self, _: $type) -> Result<(), E> {
            self.arrive()
        })*
    };
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.arrive()?;
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key_seed(Key { walk: self.inner(), seen: &seen })? {
            seen.insert(key);
            map.next_value_seed(self.inner())?;
            self.path.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.arrive()?;
        for index in 0_usize.. {
            self.path.push(index.to_string());
            let item = list.next_element_seed(self.inner())?;
            self.path.pop();
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(A::Error::custom("a `!` begins a tag, and no setting has one; expected quotes around the value"))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.arrive()
    }

    /// The text holds nothing at all.
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    scalars!(
        visit_str(&str),
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_i128(i128),
        visit_u128(u128),
        visit_f64(f64)
    );
}

/// Reads a key, and leaves the path at it.
struct Key<'a> {
    walk: Walk<'a>,
    seen: &'a HashSet<String>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key, which is one word")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<String, E> {
        self.walk.path.push(key.to_owned());
        if self.seen.contains(key) {
            return Err(E::custom(DUPLICATE));
        }
        if self.walk.is_at(Part::Key) {
            return Err(E::custom(FOUND));
        }
        Ok(key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        text.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn keys_and_values_are_found_in_every_style() {
        let text = "# level: no\nlog:\n  level:   loud\nlimits: { connections: -1, pages: {} }\nhttps:\n  except:\n    - one\n    - 'x'\n";
        for (wanted, key, value) in [
            ("log.level", (3, 3), (3, 12)),
            ("limits.connections", (4, 11), (4, 24)),
            ("limits.pages", (4, 28), (4, 35)),
            ("https.except.1", (6, 3), (8, 7)),
            // What is not written is the section above it.
            ("limits.none", (4, 1), (4, 1)),
        ] {
            let places = (place_of_key(text, &path(wanted)), place_of_value(text, &path(wanted)));
            let place = |(line, column)| Some(Place { line, column });
            assert_eq!(places, (place(key), place(value)), "{wanted}");
        }
        assert_eq!(place_of_value(text, &path("listen")), None);
    }

    #[test]
    #[rustfmt::skip]
    fn a_key_that_is_written_twice_is_shown_at_both_its_places() {
        for (text, line, column, words) in [
            ("a: 1\nb: 2\na: 3\n", 3, 1, "a is written a second time: first in line 1, column 1"),
            ("a: {x: 1, y: {z: 1}, x: 2}", 1, 22, "a.x is written a second time: first in line 1, column 5"),
            ("a:\n  x: [{k: 1, 'k': 2}]\n", 2, 14, "a.x.k is written a second time"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.place, Some(Place { line, column }), "{text}: {error:?}");
            assert!(error.problem.starts_with(words), "{error:?}");
        }
    }

    #[test]
    fn good_yaml_is_read() {
        for text in [
            "",
            "# nothing\n",
            "%YAML 1.2\n---\na: 1\n...\n",
            "a: |\n  text ---\n  more\nb: '---'\n",
            "a: {x: 1}\nb: {x: 1}\nc:\n  - {x: 1}\n  - {x: 2}\n",
            "b: -5\nc: .inf\nd: ~\n5: yes\n",
        ] {
            assert_eq!(read(text).err(), None, "{text:?}");
        }
    }
}
