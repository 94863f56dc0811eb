//! What is wrong with a configuration, told so that a person can mend it: file, line, column, key,
//! the problem, and what was expected.

use std::{fmt, path::PathBuf};

use super::{
    parse::BadValue,
    place::{self, Place},
};

/// A configuration that cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    file: Option<PathBuf>,
    place: Option<Place>,
    problem: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Content,
    Missing,
    Unreadable,
}

impl ConfigError {
    /// Whether the file is not there at all.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.kind == Kind::Missing
    }

    /// Whether the file is there but could not be read.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.kind == Kind::Unreadable
    }

    pub(super) fn io(file: PathBuf, error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => Kind::Missing,
            _ => Kind::Unreadable,
        };
        Self {
            file: Some(file),
            place: None,
            problem: format!("cannot read it: {error}"),
            kind,
        }
    }

    pub(super) fn yaml(file: Option<PathBuf>, error: &serde_yaml::Error) -> Self {
        let place = error.location().map(|at| Place {
            line: at.line(),
            column: at.column(),
        });
        let text = error.to_string();
        // The place stands in front already.
        let problem = match text.rfind(" at line ") {
            Some(end) if place.is_some() => &text[..end],
            _ => &text,
        };
        Self {
            file,
            place,
            problem: in_plain_words(problem),
            kind: Kind::Content,
        }
    }

    /// A file whose bytes are no text.
    pub(super) fn not_text(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            place: None,
            problem: "it is not UTF-8 text; expected YAML, saved as UTF-8".to_owned(),
            kind: Kind::Content,
        }
    }

    pub(super) fn value(file: Option<PathBuf>, text: &str, bad: &BadValue) -> Self {
        if let Some((file, line)) = &bad.elsewhere {
            return Self {
                file: Some(file.clone()),
                place: Some(Place {
                    line: *line,
                    column: 1,
                }),
                problem: format!("{}; expected {}", bad.problem, bad.expected),
                kind: Kind::Content,
            };
        }
        Self {
            file,
            place: match &bad.item {
                Some(item) => place::of_item(text, bad.key, item),
                None => place::of_key(text, bad.key),
            },
            problem: format!("{}: {}; expected {}", bad.key, bad.problem, bad.expected),
            kind: Kind::Content,
        }
    }

    /// An address to listen on, given elsewhere than in the file, that the file does not fit.
    pub(crate) fn listen(problem: &str) -> Self {
        Self {
            file: None,
            place: None,
            problem: format!("listen: {problem}"),
            kind: Kind::Content,
        }
    }

    /// A chain that cannot be built from the `filters` section.
    pub(crate) fn chain(error: &gleaner_filters::ConfigError) -> Self {
        let problem = format!("filters.{error}");
        Self {
            file: None,
            place: None,
            problem,
            kind: Kind::Content,
        }
    }

    /// The same, with the file and the place of the key or the item.
    pub(super) fn filters(
        file: Option<PathBuf>,
        text: &str,
        error: &gleaner_filters::ConfigError,
    ) -> Self {
        let key = format!("filters.{}", error.key);
        // A problem with an item begins with the item.
        let mut parts = error.problem.split(['"', '`']);
        let place = match (parts.next(), parts.next()) {
            (Some(""), Some(item)) => place::of_item(text, &key, item),
            _ => place::of_key(text, &key),
        };
        Self {
            file,
            place,
            ..Self::chain(error)
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}", file.display())?,
            None => f.write_str("configuration")?,
        }
        if let Some(place) = self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for ConfigError {}

/// What serde calls by its Rust name, as a person would call it.
fn in_plain_words(problem: &str) -> String {
    const FOUND: [(&str, &str); 8] = [
        ("unknown variant `", "unknown word `"),
        ("invalid type: string ", "invalid value: "),
        ("invalid type: floating point ", "invalid value: number "),
        ("invalid type: integer ", "invalid value: number "),
        ("invalid value: integer ", "invalid value: number "),
        ("invalid type: boolean ", "invalid value: "),
        ("invalid type: unit value", "invalid value: nothing"),
        ("invalid type: map", "invalid value: a section"),
    ];
    const WORDS: [(&str, &str); 11] = [
        ("a boolean", "`true` or `false`"),
        ("a string", "a word or text"),
        ("a sequence", "a list"),
        ("usize", "a whole number, not negative"),
        ("u64", "a whole number, not negative"),
        ("u16", "a whole number from 0 to 65535"),
        ("f64", "a number"),
        ("a YAML tag starting with '!'", "one word"),
        ("any YAML value", "something that the file may hold here"),
        ("a nonzero usize", "a whole number, 1 or more"),
        ("path string", "a path"),
    ];
    let mut problem = problem
        .replace(" as u128", "")
        .replace(" as i128", "")
        .replace("invalid type: sequence", "invalid value: a list");
    for (name, words) in FOUND {
        problem = problem.replace(name, words);
    }
    let Some((problem, expected)) = problem.rsplit_once("expected ") else {
        return problem;
    };
    let expected = match WORDS.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a section with keys",
        None => expected,
    };
    format!("{problem}expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_told_in_plain_words() {
        let told = in_plain_words("log: invalid type: sequence, expected struct Log");
        assert_eq!(
            told,
            "log: invalid value: a list, expected a section with keys"
        );
        let told = in_plain_words("unknown field `a`, expected `b` or `c`");
        assert_eq!(told, "unknown field `a`, expected `b` or `c`");
    }
}
