//! Errors of the configuration, so that a person can correct them: file, line, column, key, the problem, and what was
//! expected.

use std::{
    fmt, io,
    path::{Path as FilePath, PathBuf},
    string::FromUtf8Error,
};

use super::document::{self, Located, Path, TextPlace};

/// A configuration that cannot be used: one mistake, or several that are reported at once.
#[derive(Clone, Debug)]
pub struct ConfigError {
    file: Option<PathBuf>,
    /// Each with its own file, where that is another.
    mistakes: Vec<(Option<PathBuf>, Located)>,
    pub(crate) kind: Kind,
}

/// The type of a configuration error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Content,
    /// A fault in settings outside the file.
    Overrides,
    Missing,
    Unreadable,
}

/// A wrong key or value in the tree of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) path: Path,
    /// The fault, and the value that is expected.
    pub(super) problem: String,
    /// Whether the key is wrong, not its value.
    pub(super) is_key: bool,
    /// The file and the place that are wrong, where it is not the configuration itself.
    pub(super) other_file: Option<(PathBuf, TextPlace)>,
}

impl Mistake {
    /// A wrong value under a dotted path, with the indexes of list items.
    pub(super) fn value(path: &str, problem: impl Into<String>) -> Self {
        Self {
            path: path.split('.').map(str::to_owned).collect(),
            problem: problem.into(),
            is_key: false,
            other_file: None,
        }
    }

    /// The key, or the section of a wrong one, and what is wrong.
    pub(super) fn message(&self) -> String {
        let keys = &self.path[..self.path.len().saturating_sub(usize::from(self.is_key))];
        match document::shown(keys).as_str() {
            "" => self.problem.clone(),
            path => format!("{path}: {}", self.problem),
        }
    }
}

impl ConfigError {
    /// Replaces the file name shown in the message.
    pub(crate) fn called(mut self, name: &str) -> Self {
        self.file = Some(name.into());
        self
    }

    /// The faults, one message for each; it begins with the key.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &str> {
        self.mistakes.iter().map(|(_, (_, problem))| problem.as_str())
    }

    pub(super) fn content(file: Option<&FilePath>, problem: Located) -> Self {
        Self { file: file.map(FilePath::to_path_buf), mistakes: vec![(None, problem)], kind: Kind::Content }
    }

    pub(super) fn io(file: &FilePath, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => Kind::Missing,
            _ => Kind::Unreadable,
        };
        Self { kind, ..Self::content(Some(file), (None, format!("cannot read it: {error}"))) }
    }

    /// A file whose bytes are no text.
    pub(super) fn not_text(file: Option<&FilePath>, error: &FromUtf8Error) -> Self {
        let bytes = error.as_bytes();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Self::content(file, (None, "it is UTF-16 text; expected YAML, saved as UTF-8".to_owned()));
        }
        let good = String::from_utf8_lossy(&bytes[..error.utf8_error().valid_up_to()]);
        let problem = "these bytes are not UTF-8 text; expected YAML, saved as UTF-8";
        Self::content(file, (Some(TextPlace::from_byte(&good, good.len())), problem.to_owned()))
    }

    /// Mistakes in the tree, each with its place in the text.
    pub(super) fn mistakes(file: Option<&FilePath>, text: &str, mistakes: &[Mistake]) -> Self {
        let located = mistakes.iter().map(|mistake| {
            if let Some((file, place)) = &mistake.other_file {
                return (Some(file.clone()), (Some(*place), mistake.problem.clone()));
            }
            let place_of = if mistake.is_key { document::place_of_key } else { document::place_of_value };
            (None, (place_of(text, &mistake.path), mistake.message()))
        });
        let mut mistakes: Vec<_> = located.collect();
        mistakes.sort();
        Self { file: file.map(FilePath::to_path_buf), mistakes, kind: Kind::Content }
    }

    /// Settings outside the file that do not fit it.
    pub(crate) fn overrides(problem: String) -> Self {
        Self { kind: Kind::Overrides, ..Self::content(None, (None, problem)) }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (other_file, (place, problem))) in self.mistakes.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match other_file.as_ref().or(self.file.as_ref()) {
                _ if self.kind == Kind::Overrides => return f.write_str(problem),
                Some(file) => write!(f, "{}", file.display())?,
                None => f.write_str("configuration")?,
            }
            if let Some(TextPlace { line, column }) = place {
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// The words of serde for what it found, and plain ones.
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

/// Plain words for what serde expected.
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
    ("any YAML value", "a smaller number"),
    ("a nonzero usize", "a whole number, 1 or more"),
    ("a nonzero u16", "a port, 1 to 65535"),
];

/// A message of serde without the names of Rust types, and with the nearest word that is expected.
pub(crate) fn in_plain_words(problem: &str) -> String {
    with_hint(problem, None)
}

/// A message of serde in plain words, with this hint, or else with the nearest word that is expected.
pub(super) fn with_hint(problem: &str, hint: Option<String>) -> String {
    let mut problem = problem.to_owned();
    for (name, words) in FOUND {
        problem = problem.replace(name, words);
    }
    let Some((problem, expected)) = problem.rsplit_once("expected ") else {
        return problem;
    };
    let hint = hint
        .map(|hint| format!("{hint}; "))
        .or_else(|| meant(problem, expected).map(|meant| format!("did you mean `{meant}`? ")))
        .unwrap_or_default();
    let expected = match EXPECTED.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a section with keys",
        None => expected,
    };
    format!("{problem}{hint}expected {expected}")
}

/// The expected word that is most similar to an unknown one, if any is.
fn meant<'a>(problem: &str, expected: &'a str) -> Option<&'a str> {
    /// Least similarity, 0 to 1: that of the suggestions of clap 4.
    const ALIKE: f64 = 0.7;
    let (_, unknown) = problem.rsplit_once("unknown ")?;
    let unknown = unknown.split('`').nth(1)?.to_lowercase();
    expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|word| (strsim::jaro(&unknown, word), word))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}
