//! What is wrong with a configuration, told so that a person can mend it: file, line, column, key,
//! the problem, and what was expected.

use std::{fmt, path::PathBuf};

use super::parse::BadValue;

/// A configuration that cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    file: Option<PathBuf>,
    place: Option<Place>,
    problem: String,
    kind: Kind,
}

/// A place in the text, both counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
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

    pub(super) fn value(file: Option<PathBuf>, text: &str, bad: &BadValue) -> Self {
        Self {
            file,
            place: locate(text, bad.key),
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
        let problem = format!("filters: {error}");
        Self {
            file: None,
            place: None,
            problem,
            kind: Kind::Content,
        }
    }

    /// Adds the file and the place of the section, where they are not known yet.
    pub(super) fn in_file(mut self, file: Option<PathBuf>, text: &str) -> Self {
        self.file = self.file.or(file);
        self.place = self.place.or_else(|| locate(text, "filters"));
        self
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

/// What serde calls by its Rust name at the end of a message, as a person would call it.
fn in_plain_words(problem: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("a boolean", "`true` or `false`"),
        ("a string", "a word or text"),
        ("a sequence", "a list"),
        ("usize", "a whole number, not negative"),
        ("u64", "a whole number, not negative"),
        ("u16", "a whole number from 0 to 65535"),
    ];
    let Some((problem, expected)) = problem.rsplit_once("expected ") else {
        return problem.to_owned();
    };
    let expected = match WORDS.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a section with keys",
        None => expected,
    };
    format!("{problem}expected {expected}")
}

/// Finds a dotted key in block-style YAML: each segment on a line of its own, deeper than the one
/// before. Flow style (`{a: {b: 1}}`) is found at its outermost key, which is near enough.
fn locate(text: &str, key: &str) -> Option<Place> {
    let mut lines = text.lines().enumerate();
    let mut depth = 0;
    let mut found = None;
    for segment in key.split('.') {
        let hit = lines.by_ref().find_map(|(index, line)| {
            let indent = line.len() - line.trim_start().len();
            let rest = line.trim_start().strip_prefix(segment)?;
            let fits =
                rest.starts_with(':') && (found.is_none() == (indent == 0)) && indent >= depth;
            fits.then_some((index, indent))
        });
        let Some((index, indent)) = hit else { break };
        depth = indent;
        found = Some(Place {
            line: index + 1,
            column: indent + 1,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_told_in_plain_words() {
        let told = in_plain_words("log: invalid type: sequence, expected struct Log");
        assert_eq!(
            told,
            "log: invalid type: sequence, expected a section with keys"
        );
        let told = in_plain_words("unknown field `a`, expected `b` or `c`");
        assert_eq!(told, "unknown field `a`, expected `b` or `c`");
    }

    #[test]
    fn a_nested_key_is_found_on_its_line() {
        let text = "# clients: no\nlog:\n  level: info\naccess:\n  # one\n  clients: [x]\n";
        assert_eq!(
            locate(text, "access.clients"),
            Some(Place { line: 6, column: 3 })
        );
        assert_eq!(locate(text, "listen"), None);
    }

    #[test]
    fn flow_style_is_found_at_the_outermost_key() {
        let place = locate("access: { clients: [x] }\n", "access.clients");
        assert_eq!(place, Some(Place { line: 1, column: 1 }));
    }
}
