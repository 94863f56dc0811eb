//! Rewrites the messages of the YAML parser (libyaml) in plain words, because its own describe the parser's states.

use super::{
    document::{Located, TextPlace},
    error::in_plain_words,
};

/// Which place of a message counts.
enum At {
    /// Where the parser gave up.
    End,
    /// Where the construct began that it did not finish.
    Begin,
}
use At::{Begin, End};

/// A part of the parser's message, the place that counts, and the message that is shown. The first that matches is taken.
#[rustfmt::skip]
const MESSAGES: [(&str, At, &str); 17] = [
    ("tab character", End, TAB),
    ("escape character", End, "in double quotes a \\ begins an escape sequence, and there is no such one; expected \\\\ for one \\, or \
        single quotes around the text"),
    ("quoted scalar", Begin, "this quote is not closed; expected another one at its end"),
    ("flow sequence", Begin, "what begins here is not closed; expected a comma between its parts and a ] at its end"),
    ("flow mapping", Begin, "what begins here is not closed; expected a comma between its parts and a } at its end"),
    ("control characters", End, "this is a control character; expected text, or \\x.. in double quotes"),
    ("alias", Begin, ALIAS),
    ("anchor", Begin, ALIAS),
    ("cannot start any token", End, "outside quotes no value begins with this character; expected quotes around it"),
    ("mapping values are not allowed", End, "a second `:` in one value, or a line that is indented more than the one it \
        follows; expected each key on a line of its own under the one before, and quotes around a value that holds `: `"),
    ("could not find expected ':'", Begin, "this is no key and no value; expected `key: value`, with a space after the `:`"),
    ("block mapping", End, INDENT),
    ("block collection", End, INDENT),
    ("expected node content", End, "a value is missing here; expected one, no comma before it, or the ] or } of a bracket \
        above"),
    ("recursion limit", End, "what begins here contains itself, or is nested more than 100 deep; expected settings, without \
        `*` and `&`"),
    ("incompatible YAML document", End, "a version of YAML that does not exist; expected `%YAML 1.2`, or no such line"),
    ("more than one document", End, "a second document begins here; expected one: everything in the file is one \
        configuration, so the line `---` is to go"),
];

const TAB: &str = "this is a TAB; expected spaces: YAML is indented with spaces only";

const ALIAS: &str = "outside quotes `*` and `&` have another meaning in YAML; expected quotes around the value, such \
                     as \"*.example.com\"";

const INDENT: &str = "this line is indented unlike those that it belongs to; expected the same number of spaces";

pub(super) fn explain(text: &str, error: &serde_yaml::Error) -> Located {
    let raw = error.to_string();
    let place = place_within(text, &raw).or_else(|| TextPlace::from_error(error));
    if place.and_then(|place| char_at(text, place)) == Some('\t') {
        return (place, TAB.to_owned());
    }
    if raw.contains("mapping values are not allowed")
        && let Some((place, key)) = place.and_then(|place| key_above(text, place))
    {
        let problem = "is no key without its `:`, and what follows is indented as if it were one";
        return (Some(place), format!("{key} {problem}; expected `{key}:`"));
    }
    match MESSAGES.iter().find(|(part, ..)| raw.contains(part)) {
        Some((_, Begin, problem)) => (begin(&raw).or(place), (*problem).to_owned()),
        Some((_, End, problem)) => (place, (*problem).to_owned()),
        // The place is shown in front already.
        None => (place, in_plain_words(raw.split(" at line ").next().unwrap_or_default())),
    }
}

/// Where the construct began that the parser had not finished: the last place that its message names.
fn begin(raw: &str) -> Option<TextPlace> {
    let (_, context) = raw.split_once(", while ")?;
    let (_, at) = context.rsplit_once(" at line ")?;
    let (line, column) = at.split_once(" column ")?;
    Some(TextPlace { line: line.parse().ok()?, column: column.parse().ok()? })
}

/// The place in messages that have none of their own, or a wrong one: the index of a byte, or the line of a second document,
/// which `---` at the start of any line begins (YAML 1.2.2 § 9.1.2).
fn place_within(text: &str, raw: &str) -> Option<TextPlace> {
    if let Some((_, position)) = raw.split_once(" at position ") {
        return Some(TextPlace::from_byte(text, position.parse().ok()?));
    }
    if !raw.contains("more than one document") {
        return None;
    }
    let mut content = text.lines().enumerate().skip_while(|(_, line)| {
        let line = line.trim();
        line.is_empty() || line.starts_with(['#', '%'])
    });
    content.next();
    let (index, _) = content.find(|(_, line)| line.starts_with("---"))?;
    Some(TextPlace { line: index + 1, column: 1 })
}

/// The line above, if it is one word and indented less: most likely a key without its `:`. The parser reads both lines as one
/// text.
fn key_above(text: &str, at: TextPlace) -> Option<(TextPlace, &str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().take(at.line).collect();
    let (own, before) = lines.split_last()?;
    let index = before.iter().rposition(|line| !line.trim().is_empty() && !line.trim().starts_with('#'))?;
    let (key, column) = (before[index].trim(), indent(before[index]) + 1);
    let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) && indent(own) >= column;
    is_key.then_some((TextPlace { line: index + 1, column }, key))
}

fn char_at(text: &str, at: TextPlace) -> Option<char> {
    let line = text.lines().nth(at.line.checked_sub(1)?)?;
    line.chars().nth(at.column.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::{super::document, TextPlace};

    #[test]
    #[rustfmt::skip]
    fn mistakes_are_explained_where_they_are() {
        for (text, line, column, words) in [
            ("a:\n\tx: 1\n", 2, 1, "a TAB"),
            ("a:\n  x: 1\n\ty: 2\n", 3, 1, "a TAB"),
            ("a: 1\n---\nb: 2\n", 2, 1, "a second document"),
            ("# first\n---\na: 1\n--- \n", 4, 1, "a second document"),
            ("a: \"127.0.0.1\nb:\n  c: d\n", 1, 4, "this quote is not closed"),
            ("a:\n  b: ['x]\n", 2, 7, "this quote is not closed"),
            ("a: \"C:\\gleaner\"\n", 1, 7, "in double quotes a \\"),
            ("a: [1, 2\nb: 3\n", 1, 4, "a comma between its parts and a ]"),
            ("a: {x: 1\nb: 3\n", 1, 4, "what begins here is not closed"),
            ("a: [,]\n", 1, 5, "a value is missing here"),
            ("a: [\n", 2, 1, "the ] or } of a bracket above"),
            ("a: &x [*x]\n", 1, 4, "what begins here contains itself"),
            ("%YAML 3.0\n---\na: 1\n", 1, 1, "expected `%YAML 1.2`"),
            ("a:\n  b: *.example.com\n", 2, 6, "outside quotes `*`"),
            ("a: *y\n", 1, 4, "outside quotes `*`"),
            ("a: @x\n", 1, 4, "outside quotes no value begins with"),
            ("a:\n  x: 5\n   y: 6\n", 3, 5, "a second `:`"),
            ("a:\n  x: 5\n y: 6\n", 3, 2, "this line is indented unlike"),
            ("a: 1\nb\nc: 2\n", 2, 1, "this is no key"),
            ("a:\n  b\n    c: 2\n", 2, 3, "expected `b:`"),
            ("a: !x y\n", 1, 4, "a `!` begins a tag"),
            ("a: 1\nb: \u{1}\n", 2, 4, "a control character"),
            ("a: {x: 1, y: {z: 1}, x: 2}", 1, 22, "a.x is written a second time: first in line 1, column 5"),
            ("a:\n  x: [{k: 1, 'k': 2}]\n", 2, 14, "a.x.k is written a second time"),
            ("? [a]\n: 6\n", 1, 3, "a list, expected a key, which is one word"),
        ] {
            let (place, problem) = document::read(text).expect_err(text);
            assert!(problem.contains(words), "{text:?}: {problem}");
            assert_eq!(place, Some(TextPlace { line, column }), "{text:?}: {problem}");
        }
    }
}
