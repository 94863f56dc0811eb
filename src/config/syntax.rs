//! Mistakes of YAML itself, and keys that are written twice: looked for in the whole text before anything is read into
//! settings, because the parser stops at the first value of a wrong type and says of a later slip nothing, and of an
//! earlier one only where it gave up. `words` says in plain words what the parser says of them.

mod words;

use std::{collections::HashSet, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

use super::place::{self, Place};
pub(super) use words::place_of;

/// What is wrong, where, and what would be right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Slip {
    pub(super) place: Option<Place>,
    pub(super) problem: String,
}

/// The first slip of the text, if there is one.
pub(super) fn find(text: &str) -> Option<Slip> {
    if let Some(place) = second_document(text) {
        let problem = "a second document begins here; expected one: everything in the file is one configuration, so the \
                       line `---` is to go";
        return Some(Slip {
            place: Some(place),
            problem: problem.to_owned(),
        });
    }
    let mut path = Vec::new();
    let walk = Walk { path: &mut path };
    let error = walk
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .err()?;
    let at = error.location().map(|at| Place {
        line: at.line(),
        column: at.column(),
    });
    let raw = error.to_string();
    if raw.contains(TWICE) {
        return Some(written_twice(text, &path.join("."), at));
    }
    Some(words::in_plain_words(text, &raw, at))
}

fn written_twice(text: &str, key: &str, at: Option<Place>) -> Slip {
    let first = place::of_key(text, key).map_or_else(String::new, |first| {
        format!(": first in line {}, column {}", first.line, first.column)
    });
    Slip {
        place: at,
        problem: format!("{key} is written a second time{first}; expected each key once"),
    }
}

/// The line that begins a second document: `---` at the start of a line means that wherever it stands (YAML 1.2.2
/// § 9.1.2), and only the first one may, with nothing but comments before it.
fn second_document(text: &str) -> Option<Place> {
    let mut begun = false;
    for (index, line) in text.lines().enumerate() {
        let rest = line.strip_prefix("---");
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            if begun {
                return Some(Place {
                    line: index + 1,
                    column: 1,
                });
            }
            begun = true;
        }
        let content = line.trim();
        begun |= !content.is_empty() && !content.starts_with(['#', '%']);
    }
    None
}

/// What the error at a key that was seen before says; no error of the parser does.
const TWICE: &str = "this key was seen before";

/// Reads all of the text and keeps nothing but the way to where it is.
struct Walk<'a> {
    path: &'a mut Vec<String>,
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
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        loop {
            let path = &mut *self.path;
            let key = Key {
                path,
                seen: &mut seen,
            };
            if map.next_key_seed(key)?.is_none() {
                return Ok(());
            }
            map.next_value_seed(Walk { path: self.path })?;
            self.path.pop();
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Walk { path: self.path })?.is_some() {}
        Ok(())
    }

    fn visit_enum<A: serde::de::EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(A::Error::custom(
            "a `!` begins a tag, and no setting has one; expected quotes around the value",
        ))
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i128<E>(self, _: i128) -> Result<(), E> {
        Ok(())
    }

    fn visit_u128<E>(self, _: u128) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    /// The text holds nothing at all.
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a key and refuses it where its map has it already. On the way out the path leads to it.
struct Key<'a> {
    path: &'a mut Vec<String>,
    seen: &'a mut HashSet<String>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key, which is one word")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.path.push(key.to_owned());
        if self.seen.insert(key.to_owned()) {
            Ok(())
        } else {
            Err(E::custom(TWICE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line, column and what is said of them.
    fn slip(text: &str) -> (usize, usize, String) {
        let slip = find(text).unwrap_or_else(|| panic!("nothing was found in {text:?}"));
        let place = slip.place.unwrap_or_else(|| panic!("{text:?}: {slip:?}"));
        (place.line, place.column, slip.problem)
    }

    #[test]
    fn a_key_that_is_written_twice_is_shown_at_both_its_places() {
        for (text, line, column, words) in [
            (
                "a: 1\nb: 2\na: 3\n",
                3,
                1,
                "a is written a second time: first in line 1, column 1",
            ),
            (
                "limits:\n  x: 1\n  y: 2\n  x: 3\n",
                4,
                3,
                "limits.x is written a second time: first in line 2, column 3",
            ),
            (
                "a: {x: 1, y: {z: 1}, x: 2}",
                1,
                22,
                "a.x is written a second time: first in line 1, column 5",
            ),
            (
                "a:\n  x: [{k: 1, 'k': 2}]\n",
                2,
                14,
                "a.x.k is written a second time",
            ),
        ] {
            let (at, across, problem) = slip(text);
            assert_eq!((at, across), (line, column), "{text}: {problem}");
            assert!(problem.starts_with(words), "{problem}");
        }
    }

    #[test]
    fn slips_are_told_in_plain_words_where_they_are() {
        for (text, line, column, words) in [
            ("a:\n\tx: 1\n", 2, 1, "a TAB"),
            ("a:\n  x: 1\n\ty: 2\n", 3, 1, "a TAB"),
            ("a: 1\n---\nb: 2\n", 2, 1, "a second document"),
            ("# first\n---\na: 1\n--- \n", 4, 1, "a second document"),
            (
                "a: \"127.0.0.1\nb:\n  c: d\n",
                1,
                4,
                "this quote is not closed; expected another \"",
            ),
            (
                "a:\n  b: ['x]\n",
                2,
                7,
                "this quote is not closed; expected another '",
            ),
            ("a: \"C:\\gleaner\"\n", 1, 7, "in double quotes a \\"),
            (
                "a: [1, 2\nb: 3\n",
                1,
                4,
                "what begins here is not closed; expected a comma between its parts and a ]",
            ),
            ("a: {x: 1\nb: 3\n", 1, 4, "what begins here is not closed"),
            ("a: [\n", 1, 4, "and a ] at its end"),
            ("a:\n  - '[' # [\n  - {x: [1,\n", 3, 9, "and a ] at its end"),
            ("a: [,]\n", 1, 5, "a value is missing here"),
            ("a: &x [*x]\n", 1, 4, "what begins here holds itself"),
            ("%YAML 3.0\n---\na: 1\n", 1, 1, "expected `%YAML 1.2`"),
            ("a:\n  b: *.example.com\n", 2, 6, "outside quotes `*`"),
            ("a: *y\n", 1, 4, "outside quotes `*`"),
            ("a: @x\n", 1, 4, "outside quotes no value begins with @"),
            ("a: `x`\n", 1, 4, "outside quotes no value begins with `"),
            ("a:\n  x: 5\n   y: 6\n", 3, 5, "a second `:`"),
            ("a:\n  x: 5\n y: 6\n", 3, 2, "this line is indented unlike"),
            ("a: 1\nb\nc: 2\n", 2, 1, "this is no key"),
            ("b\n  c: 2\n", 1, 1, "expected `b:`"),
            ("a:\n  b\n    c: 2\n", 2, 3, "expected `b:`"),
            ("a: !x y\n", 1, 4, "a `!` begins a tag"),
            ("a: 1\nb: \u{1}\n", 2, 4, "a control character"),
            (
                "? [a]\n: 6\n",
                1,
                3,
                "a list, expected a key, which is one word",
            ),
        ] {
            let (at, across, problem) = slip(text);
            assert!(problem.contains(words), "{text:?}: {problem}");
            assert_eq!((at, across), (line, column), "{text:?}: {problem}");
        }
    }

    #[test]
    fn what_is_good_yaml_has_no_slip() {
        for text in [
            "",
            "# nothing\n",
            "---\na: 1\n",
            "%YAML 1.2\n---\na: 1\n...\n",
            "a: |\n  text ---\n  more\nb: '---'\n",
            "a: {x: 1}\nb: {x: 1}\nc:\n  - {x: 1}\n  - {x: 2}\n",
            "a: 99999999999999999999999999\nb: -5\nc: .inf\nd: ~\n5: yes\n",
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }
}
