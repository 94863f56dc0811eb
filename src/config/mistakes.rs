//! All that is wrong with the keys and the kinds of values in a file, as far as one can be told without the others: the reader stops at
//! the first, so what that stands for is taken out, and the rest is read again.
//!
//! What two keys must agree on is not told so: a key that was taken out has its default, which nobody wrote.

use std::path::Path;

use super::{ConfigError, RawConfig, file::without_mark, place::Place, syntax};

/// Mistakes that are told at once.
const MOST: usize = 20;

/// Unknown keys and values of a wrong kind, in the order in which they are met; none where the text is no YAML.
#[must_use]
pub fn mistakes(text: &str, file: Option<&Path>) -> Vec<ConfigError> {
    let mut text = without_mark(text).to_owned();
    let mut found: Vec<ConfigError> = Vec::new();
    while found.len() < MOST && syntax::find(&text).is_none() {
        let Err(error) = RawConfig::from_yaml(&text) else {
            break;
        };
        let error = ConfigError::yaml(file.map(Path::to_path_buf), &text, &error);
        let place = error.place();
        found.push(error);
        match place.and_then(|place| without_entry(&text, place)) {
            Some(shorter) => text = shorter,
            None => break,
        }
    }
    found
}

/// The text without the entry in whose lines this place is, and without the sections of which nothing else is left. All other lines
/// stay where they are.
fn without_entry(text: &str, place: Place) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = place.line.checked_sub(1).filter(|&at| at < lines.len())?;
    if is_empty(lines[at]) {
        return None;
    }
    loop {
        let depth = depth(lines[at]);
        let is_part = |line: &&&str| is_empty(line) || self::depth(line) > depth;
        let length = 1 + lines[at + 1..].iter().take_while(is_part).count();
        lines[at..at + length].fill("");
        let above = lines[..at].iter().rposition(|line| !is_empty(line));
        let below = lines[at..].iter().find(|line| !is_empty(line));
        match above {
            Some(above)
                if lines[above].trim_end().ends_with(':')
                    && below
                        .is_none_or(|below| self::depth(below) <= self::depth(lines[above])) =>
            {
                at = above;
            }
            _ => return Some(lines.join("\n")),
        }
    }
}

/// Nothing, or a comment.
fn is_empty(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// How far in a line begins. The items of a list may stand below the first letter of its key, and are further in.
fn depth(line: &str) -> usize {
    let rest = line.trim_start();
    2 * (line.len() - rest.len()) + usize::from(rest.starts_with("- ") || rest == "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let places = mistakes(text, None);
        let lines = places.iter().filter_map(|error| Some(error.place()?.line));
        lines.collect()
    }

    #[test]
    fn every_unknown_key_and_wrong_value_is_told() {
        let text = "listen: 127.0.0.1:8080\nlimit:\n  page_nodes: 1\nlimits:\n  page_nodes: many\n  # none\n  page_deep: 3\n\
                    rewrite: {on: 1}\nlog:\n  format: yaml\n";
        assert_eq!(lines(text), [2, 5, 7, 8, 10]);
        let list = "access:\n  clients:\n  - a\n  - b: 1\ntimeout: 3\n";
        assert_eq!(lines(list).last(), Some(&5));
        assert!(lines("listen: 127.0.0.1:8080\n").is_empty());
        assert!(lines("limits: {a\nlog: 1").is_empty());
    }

    #[test]
    fn an_entry_goes_with_all_its_lines_and_its_empty_section() {
        let without = |text: &str, line: usize| without_entry(text, Place { line, column: 1 });
        let text = "a:\n  b:\n    c: 1\n\nd:\n- 1\n- 2\ne: 3";
        assert_eq!(without(text, 3).unwrap(), "\n\n\n\nd:\n- 1\n- 2\ne: 3");
        assert_eq!(
            without(text, 5).unwrap(),
            "a:\n  b:\n    c: 1\n\n\n\n\ne: 3"
        );
        assert_eq!(
            without(text, 7).unwrap(),
            "a:\n  b:\n    c: 1\n\nd:\n- 1\n\ne: 3"
        );
        assert_eq!(without(text, 4), None);
        assert_eq!(without(text, 9), None);
    }
}
