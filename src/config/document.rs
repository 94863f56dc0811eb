//! The text of a configuration file: what is wrong with its YAML, and where in it a key or a value is.
//!
//! `serde_yaml` gives the places of errors and of nothing else. So one walk goes through the whole text, refuses a key that
//! its section has already, and raises an error of its own at the path that is looked for.

use std::{collections::HashSet, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, Visitor},
};
use serde_yaml::Value;

use super::yaml_errors;

/// A place in the text, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPlace {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl TextPlace {
    pub(super) fn from_byte(text: &str, position: usize) -> Self {
        let before = &text[..text.floor_char_boundary(position.min(text.len()))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    pub(super) fn from_error(error: &serde_yaml::Error) -> Option<Self> {
        let at = error.location()?;
        Some(Self { line: at.line(), column: at.column() })
    }
}

/// Keys and indexes of list items that lead to a value.
pub(super) type Path = Vec<String>;

/// A problem and its place, if that is known.
pub(super) type Located = (Option<TextPlace>, String);

/// The text as a tree, or what is wrong with the YAML itself.
pub(super) fn read(text: &str) -> Result<Value, Located> {
    let mut path = Path::new();
    let walked = walk(text, &mut path, None);
    walked.and_then(|()| serde_yaml::from_str(text)).map_err(|error| {
        if !error.to_string().contains(DUPLICATE) {
            return yaml_errors::explain(text, &error);
        }
        let first = find(text, &path, Part::Key)
            .map_or_else(String::new, |first| format!(": first in line {}, column {}", first.line, first.column));
        let problem = format!("{} is written a second time{first}; expected each key once", shown(&path));
        (TextPlace::from_error(&error), problem)
    })
}

/// A path as it is shown: without the indexes of items.
pub(super) fn shown(path: &[String]) -> String {
    let keys = path.iter().filter(|part| part.parse::<usize>().is_err());
    keys.map(String::as_str).collect::<Vec<_>>().join(".")
}

/// Where a value is, or else the deepest part of its path that is written.
pub(super) fn place_of_value(text: &str, path: &[String]) -> Option<TextPlace> {
    find(text, path, Part::Value).or_else(|| place_of_key(text, path))
}

/// Where a key is, or else the deepest part of its path that is written.
pub(super) fn place_of_key(text: &str, path: &[String]) -> Option<TextPlace> {
    (1..=path.len()).rev().find_map(|length| find(text, &path[..length], Part::Key))
}

fn find(text: &str, path: &[String], part: Part) -> Option<TextPlace> {
    let error = walk(text, &mut Path::new(), Some((path, part))).err()?;
    error.to_string().contains(FOUND).then(|| TextPlace::from_error(&error))?
}

fn walk(text: &str, path: &mut Path, target: Option<(&[String], Part)>) -> Result<(), serde_yaml::Error> {
    let walk = Walk { path, seen: &mut HashSet::new(), target, part: Part::Value };
    walk.deserialize(serde_yaml::Deserializer::from_str(text))
}

/// The walk's own errors; `serde_yaml` has none with these words.
const FOUND: &str = "the path that is looked for";
const DUPLICATE: &str = "a key that its section has already";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Value,
}

/// Goes through the whole text, with the path to the current key or value.
struct Walk<'a> {
    path: &'a mut Path,
    /// The paths of all keys so far.
    seen: &'a mut HashSet<Path>,
    target: Option<(&'a [String], Part)>,
    part: Part,
}

impl Walk<'_> {
    fn arrive<E: Error>(&self) -> Result<(), E> {
        match self.target {
            Some(target) if target == (self.path.as_slice(), self.part) => Err(E::custom(FOUND)),
            _ => Ok(()),
        }
    }

    fn next(&mut self, part: Part) -> Walk<'_> {
        Walk { path: self.path, seen: self.seen, target: self.target, part }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.part {
            Part::Key => from.deserialize_str(self),
            Part::Value => from.deserialize_any(self),
        }
    }
}

macro_rules! scalars {
    ($($visit:ident($type:ty)),*) => {
        $(fn $visit<E: Error>(self, _: $type) -> Result<(), E> {
            self.arrive()
        })*
    };
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    /// Describes a key, because every value is accepted.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key, which is one word")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.arrive()?;
        while map.next_key_seed(self.next(Part::Key))?.is_some() {
            map.next_value_seed(self.next(Part::Value))?;
            self.path.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.arrive()?;
        for index in 0_usize.. {
            self.path.push(index.to_string());
            let item = list.next_element_seed(self.next(Part::Value))?;
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

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if self.part == Part::Key {
            self.path.push(text.to_owned());
            if !self.seen.insert(self.path.clone()) {
                return Err(E::custom(DUPLICATE));
            }
        }
        self.arrive()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.arrive()
    }

    /// An empty text.
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    scalars!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_i128(i128), visit_u128(u128), visit_f64(f64));
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
            let place = |(line, column)| Some(TextPlace { line, column });
            assert_eq!(places, (place(key), place(value)), "{wanted}");
        }
        assert_eq!(place_of_value(text, &path("listen")), None);
    }

    #[test]
    fn yaml_without_mistakes_is_read() {
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
