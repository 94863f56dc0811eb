//! What is wrong with a configuration, so that a person can mend it: file, line, column, key, the problem, and what was
//! expected.

use std::{
    fmt, io,
    path::{Path as FilePath, PathBuf},
    string::FromUtf8Error,
};

use super::document::{self, Path, Place, YamlError};

/// A configuration that cannot be used: one mistake, or several that are told at once.
#[derive(Debug)]
pub struct ConfigError {
    file: Option<PathBuf>,
    mistakes: Vec<(Option<Place>, String)>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Content,
    /// Of settings that were given elsewhere than in the file.
    Elsewhere,
    Missing,
    Unreadable,
}

/// Something that is wrong in the tree of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) path: Path,
    /// What is wrong with it, and what is expected.
    pub(super) problem: String,
    /// Whether the key is wrong, not its value.
    pub(super) is_key: bool,
    /// The file and the place that are wrong, where it is not the configuration itself.
    pub(super) elsewhere: Option<(PathBuf, Place)>,
}

impl Mistake {
    /// A wrong value under a dotted path, in which the items of lists have numbers.
    pub(super) fn value(path: &str, problem: impl Into<String>) -> Self {
        Self {
            path: path.split('.').map(str::to_owned).collect(),
            problem: problem.into(),
            is_key: false,
            elsewhere: None,
        }
    }

    /// The key, or the section of a wrong one, and what is wrong.
    pub(super) fn told(&self) -> String {
        let path = match self.path.split_last() {
            Some((_, above)) if self.is_key => document::shown(above),
            _ => document::shown(&self.path),
        };
        let colon = if path.is_empty() { "" } else { ": " };
        format!("{path}{colon}{}", self.problem)
    }
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

    /// The same of a text that is no file.
    #[must_use]
    pub fn called(mut self, name: &str) -> Self {
        self.file = Some(name.into());
        self
    }

    fn content(file: Option<&FilePath>, place: Option<Place>, problem: String) -> Self {
        Self { file: file.map(FilePath::to_path_buf), mistakes: vec![(place, problem)], kind: Kind::Content }
    }

    pub(super) fn io(file: &FilePath, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => Kind::Missing,
            _ => Kind::Unreadable,
        };
        Self { kind, ..Self::content(Some(file), None, format!("cannot read it: {error}")) }
    }

    pub(super) fn yaml(file: Option<&FilePath>, error: YamlError) -> Self {
        Self::content(file, error.place, error.problem)
    }

    /// A file whose bytes are no text.
    pub(super) fn not_text(file: Option<&FilePath>, error: &FromUtf8Error) -> Self {
        let bytes = error.as_bytes();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            let problem = "it is UTF-16 text; expected YAML, saved as UTF-8";
            return Self::content(file, None, problem.to_owned());
        }
        let good = String::from_utf8_lossy(&bytes[..error.utf8_error().valid_up_to()]);
        let place = Place::of_byte(&good, good.len());
        let problem = "what stands here is not UTF-8 text; expected YAML, saved as UTF-8";
        Self::content(file, Some(place), problem.to_owned())
    }

    /// Mistakes of the tree, each with its place in the text.
    pub(super) fn mistakes(file: Option<&FilePath>, text: &str, mistakes: Vec<Mistake>) -> Self {
        let mut error = Self::content(file, None, String::new());
        error.mistakes.clear();
        for mistake in mistakes {
            let told = mistake.told();
            if let Some((file, place)) = mistake.elsewhere {
                return Self::content(Some(&file), Some(place), mistake.problem);
            }
            let place_of = if mistake.is_key { document::place_of_key } else { document::place_of_value };
            let place = place_of(text, &mistake.path);
            error.mistakes.push((place, told));
        }
        error
    }

    /// Settings given elsewhere than in the file, that the file does not fit.
    pub(crate) fn elsewhere(problem: String) -> Self {
        Self { kind: Kind::Elsewhere, ..Self::content(None, None, problem) }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (place, problem)) in self.mistakes.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match &self.file {
                _ if self.kind == Kind::Elsewhere => return f.write_str(problem),
                Some(file) => write!(f, "{}", file.display())?,
                None => f.write_str("configuration")?,
            }
            if let Some(Place { line, column }) = place {
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// What serde says, and how a person would say it.
const FOUND: [(&str, &str); 13] = [
    ("unknown field `", "unknown key `"),
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
    (" as u128", ""),
    (" as i128", ""),
];

/// The same for what serde expects.
const EXPECTED: [(&str, &str); 13] = [
    ("a boolean", "`true` or `false`"),
    ("a string", "a word or text"),
    ("a sequence", "a list, such as [one, two]"),
    ("a map", "a section with keys"),
    ("field identifier", "a key, which is one word"),
    ("usize", "a whole number, not negative"),
    ("u64", "a whole number, not negative"),
    ("u32", "a whole number, not negative"),
    ("f64", "a number"),
    ("a Value::Tagged enum", "one word"),
    ("any YAML value", "something that the file may hold here"),
    ("a nonzero usize", "a whole number, 1 or more"),
    ("a nonzero u16", "a port, 1 to 65535"),
];

/// What serde calls by its Rust name, as a person would call it, with the word that was meant where one is nearly it.
#[must_use]
pub fn in_plain_words(problem: &str) -> String {
    let mut problem = problem.to_owned();
    for (name, words) in FOUND {
        problem = problem.replace(name, words);
    }
    let Some((problem, expected)) = problem.rsplit_once("expected ") else {
        return problem;
    };
    let meant = meant(problem, expected);
    let words = EXPECTED.iter().find(|(name, _)| *name == expected);
    let expected = match words {
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
    words
        .map(|word| (strsim::jaro(&unknown, word), word))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_names_are_told_in_plain_words() {
        for (told, words) in [
            ("invalid type: sequence, expected struct Log", "invalid value: a list, expected a section with keys"),
            (
                "invalid type: string \"many\", expected u32",
                "invalid value: \"many\", expected a whole number, not negative",
            ),
            (
                "unknown field `levl`, expected `format` or `level`",
                "unknown key `levl`, did you mean `level`? expected `format` or `level`",
            ),
            ("unknown field `a`, expected `b` or `c`", "unknown key `a`, expected `b` or `c`"),
        ] {
            assert_eq!(in_plain_words(told), words);
        }
    }
}
