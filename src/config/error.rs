//! What is wrong with a configuration, told so that a person can mend it: file, line, column, key,
//! the problem, and what was expected.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{
    hint,
    parse::BadValue,
    place::{self, Place},
    syntax::{self, Slip},
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
    /// What was given elsewhere than in the file.
    Elsewhere,
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

    /// The file it is about, if there is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    pub(super) fn place(&self) -> Option<Place> {
        self.place
    }

    /// The same of a text that is no file.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        Self {
            file: Some(name.into()),
            ..self
        }
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

    pub(super) fn yaml(file: Option<PathBuf>, text: &str, error: &serde_yaml::Error) -> Self {
        let place = error.location().map(|at| Place {
            line: at.line(),
            column: at.column(),
        });
        let told = error.to_string();
        // The place stands in front already.
        let problem = match told.rfind(" at line ") {
            Some(end) if place.is_some() => &told[..end],
            _ => &told,
        };
        let mut problem = in_plain_words(problem);
        let hint = place.and_then(|place| hint::of_unknown_key(text, &problem, place));
        if let Some(hint) = hint {
            problem = match problem.split_once("expected one of ") {
                // A likeness to something else says less.
                Some((unknown, keys)) => {
                    let unknown = unknown
                        .split_once(", ")
                        .map_or(unknown, |(unknown, _)| unknown);
                    format!("{unknown}, {hint}; expected one of {keys}")
                }
                None => format!("{problem}; {hint}"),
            };
        }
        Self {
            file,
            place,
            problem,
            kind: Kind::Content,
        }
    }

    /// A slip in the YAML itself.
    pub(super) fn slip(file: Option<PathBuf>, slip: Slip) -> Self {
        Self {
            file,
            place: slip.place,
            problem: slip.problem,
            kind: Kind::Content,
        }
    }

    /// A file whose bytes are no text.
    pub(super) fn not_text(file: Option<PathBuf>, error: &std::string::FromUtf8Error) -> Self {
        let bytes = error.as_bytes();
        let good = &bytes[..error.utf8_error().valid_up_to()];
        let (place, problem) = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            (None, "it is UTF-16 text; expected YAML, saved as UTF-8")
        } else {
            let good = String::from_utf8_lossy(good);
            let place = syntax::place_of(&good, good.len());
            (
                Some(place),
                "what stands here is not UTF-8 text; expected YAML, saved as UTF-8",
            )
        };
        Self {
            file,
            place,
            problem: problem.to_owned(),
            kind: Kind::Content,
        }
    }

    pub(super) fn value(file: Option<PathBuf>, text: &str, bad: &BadValue) -> Self {
        if let Some((file, place)) = bad.elsewhere.as_deref() {
            return Self {
                file: Some(file.clone()),
                place: Some(*place),
                problem: format!("{}; expected {}", bad.problem, bad.expected),
                kind: Kind::Content,
            };
        }
        Self {
            file,
            place: match &bad.item {
                Some(item) => place::of_item(text, bad.key, item),
                None => place::of_value(text, bad.key),
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
            problem: problem.to_owned(),
            kind: Kind::Elsewhere,
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
            _ => place::of_value(text, &key),
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
            _ if self.kind == Kind::Elsewhere => return f.write_str(&self.problem),
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

/// What serde calls by its Rust name, as a person would call it, with the word that was meant where one is nearly it.
#[must_use]
pub fn in_plain_words(problem: &str) -> String {
    const FOUND: [(&str, &str); 14] = [
        ("unknown field `", "unknown key `"),
        ("duplicate field `", "a second key `"),
        ("unknown variant ``", "invalid value: nothing"),
        ("unknown variant `", "unknown word `"),
        ("invalid type: string ", "invalid value: "),
        ("invalid value: string ", "invalid value: "),
        ("invalid type: floating point ", "invalid value: number "),
        ("invalid type: integer ", "invalid value: number "),
        ("invalid value: integer ", "invalid value: number "),
        ("invalid type: boolean ", "invalid value: "),
        ("invalid type: unit value", "invalid value: nothing"),
        ("invalid type: map", "invalid value: a section"),
        ("invalid type: sequence", "invalid value: a list"),
        ("invalid type: enum", "invalid value: a tag"),
    ];
    const WORDS: [(&str, &str); 14] = [
        ("a boolean", "`true` or `false`"),
        ("a string", "a word or text"),
        ("a sequence", "a list, such as [one, two]"),
        ("a map", "a section with keys"),
        ("field identifier", "a key, which is one word"),
        ("usize", "a whole number, not negative"),
        ("u64", "a whole number, not negative"),
        ("u32", "a whole number, not negative"),
        ("u16", "a whole number from 0 to 65535"),
        ("f64", "a number"),
        ("a YAML tag starting with '!'", "one word"),
        ("any YAML value", "something that the file may hold here"),
        ("a nonzero usize", "a whole number, 1 or more"),
        ("path string", "a path"),
    ];
    let mut problem = problem.replace(" as u128", "").replace(" as i128", "");
    for (name, words) in FOUND {
        problem = problem.replace(name, words);
    }
    let Some((problem, expected)) = problem.rsplit_once("expected ") else {
        return problem;
    };
    let meant = meant(problem, expected);
    let expected = match WORDS.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a section with keys",
        None => expected,
    };
    match meant {
        Some(meant) => format!("{problem}did you mean `{meant}`? expected {expected}"),
        None => format!("{problem}expected {expected}"),
    }
}

/// The word of those expected that an unknown one is most like, if it is like any.
fn meant<'a>(problem: &str, expected: &'a str) -> Option<&'a str> {
    /// How alike they must be, 0 to 1: what the command line's parser asks of its suggestions (clap 4, `suggestions.rs`).
    const ALIKE: f64 = 0.7;
    let (_, unknown) = problem.rsplit_once("unknown ")?;
    let unknown = unknown.split('`').nth(1)?.to_lowercase();
    let words = expected.split('`').skip(1).step_by(2);
    let likeness = |word: &str| strsim::jaro(&unknown, word);
    words
        .map(|word| (likeness(word), word))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
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
        for name in ["usize", "u64", "u32"] {
            let told = in_plain_words(&format!("invalid type: string \"many\", expected {name}"));
            assert!(
                told.ends_with("expected a whole number, not negative"),
                "{told}"
            );
        }
        let told = in_plain_words("unknown field `a`, expected `b` or `c`");
        assert_eq!(told, "unknown key `a`, expected `b` or `c`");
    }

    #[test]
    fn a_word_that_is_nearly_one_of_those_expected_is_answered_by_it() {
        let told = in_plain_words("log: unknown field `levl`, expected `format` or `level`");
        assert_eq!(
            told,
            "log: unknown key `levl`, did you mean `level`? expected `format` or `level`"
        );
        let told =
            in_plain_words("preset: unknown variant `Default`, expected `default` or `crunch`");
        assert!(told.contains("did you mean `default`"), "{told}");
    }
}
