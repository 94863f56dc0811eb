//! What the parser says of a slip, in the words of a person who wrote it: what stands there, and what would be right.

use super::{
    super::{error, place::Place},
    Slip,
};

/// What the parser says of a character that it did not expect, by how it says it. The parser's own words name its
/// states, not what a person wrote.
pub(super) fn in_plain_words(text: &str, raw: &str, at: Option<Place>) -> Slip {
    let said = |words: &str| raw.contains(words);
    let begun = begun_at(raw);
    let found = at.and_then(|at| char_at(text, at));
    let slip = |place: Option<Place>, problem: String| Slip { place, problem };
    if found == Some('\t') || said("tab character") {
        let problem = "a TAB stands here; expected spaces: YAML is indented with spaces only";
        return slip(at, problem.to_owned());
    }
    if said("escape character") {
        let problem = "in double quotes a \\ begins a sign, and there is no such sign; expected \\\\ for one \\, or \
                       single quotes around the text";
        return slip(at, problem.to_owned());
    }
    if said("quoted scalar") {
        let quote = begun.and_then(|at| char_at(text, at)).unwrap_or('"');
        let problem = format!("this quote is not closed; expected another {quote} at its end");
        return slip(begun.or(at), problem);
    }
    if said("flow sequence") || said("flow mapping") {
        let close = if said("flow sequence") { ']' } else { '}' };
        let problem = format!("{NOT_CLOSED} {close} at its end");
        return slip(begun.or(at), problem);
    }
    if said("control characters are not allowed") {
        let position = raw
            .rsplit(' ')
            .next()
            .and_then(|number| number.parse().ok());
        let place = position.map(|position| place_of(text, position));
        let problem = "a control character stands here; expected text, or \\x.. in double quotes";
        return slip(place.or(at), problem.to_owned());
    }
    if said("alias") || said("anchor") {
        let problem = "outside quotes `*` and `&` mean something else than themselves; expected quotes around the value, \
                       such as \"*.example.com\"";
        return slip(begun.or(at), problem.to_owned());
    }
    if let (true, Some(found)) = (said("cannot start any token"), found) {
        let problem =
            format!("outside quotes no value begins with {found}; expected quotes around it");
        return slip(at, problem);
    }
    if said("mapping values are not allowed")
        && let Some((place, word)) = at.and_then(|at| word_above(text, at))
    {
        let problem = format!(
            "{word} is no key without its `:`, and what follows is indented as if it were one; expected `{word}:`"
        );
        return slip(Some(place), problem);
    }
    if said("mapping values are not allowed") {
        let problem = "a second `:` in one value, or a line that is indented more than the one it follows; expected each \
                       key on a line of its own under the one before, and quotes around a value that holds `: `";
        return slip(at, problem.to_owned());
    }
    if said("could not find expected ':'") {
        let problem =
            "this is no key and no value; expected `key: value`, with a space after the `:`";
        return slip(begun.or(at), problem.to_owned());
    }
    if said("block mapping") || said("block collection") {
        let problem = "this line is indented unlike those that it belongs to; expected the same number of spaces";
        return slip(at, problem.to_owned());
    }
    if said("expected node content") {
        let Some((place, close)) = open_bracket(text) else {
            let problem = "a value is missing here; expected one, or no comma before it";
            return slip(at, problem.to_owned());
        };
        let problem = format!("{NOT_CLOSED} {close} at its end");
        return slip(Some(place), problem);
    }
    if said("recursion limit") {
        let problem = "what begins here holds itself, or is nested more than 100 deep; expected settings, without `*` and `&`";
        return slip(at, problem.to_owned());
    }
    if said("incompatible YAML document") {
        let problem =
            "a version of YAML that does not exist; expected `%YAML 1.2`, or no such line";
        return slip(at, problem.to_owned());
    }
    // The place stands in front already.
    let end = raw.find(" at line ").filter(|_| at.is_some());
    slip(at, error::in_plain_words(&raw[..end.unwrap_or(raw.len())]))
}

/// The line above where it is one word and indented less: most likely a key that lost its `:`. The parser takes both lines
/// for one text.
fn word_above(text: &str, at: Place) -> Option<(Place, &str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_content = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let lines: Vec<&str> = text.lines().take(at.line).collect();
    let (own, before) = lines.split_last()?;
    let index = before.iter().rposition(|line| is_content(line))?;
    let above = before[index];
    let word = above.split('#').next()?.trim();
    let is_key = word
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let place = Place {
        line: index + 1,
        column: indent(above) + 1,
    };
    (is_key && indent(own) > indent(above)).then_some((place, word))
}

const NOT_CLOSED: &str = "what begins here is not closed; expected a comma between its parts and a";

/// The innermost bracket that is never closed, and what would close it. Quotes and comments are read as in one line each.
fn open_bracket(text: &str) -> Option<(Place, char)> {
    let mut open = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut quote = None;
        let mut before = ' ';
        for (column, c) in line.chars().enumerate() {
            let place = Place {
                line: index + 1,
                column: column + 1,
            };
            if let Some(sign) = quote {
                quote = (sign != c).then_some(sign);
                continue;
            }
            match c {
                '"' | '\'' if !before.is_alphanumeric() => quote = Some(c),
                '#' if before.is_whitespace() => break,
                '[' => open.push((place, ']')),
                '{' => open.push((place, '}')),
                ']' | '}' => drop(open.pop()),
                _ => {}
            }
            before = c;
        }
    }
    open.pop()
}

/// Where the thing began that the parser was in the middle of: the last place that its message names.
fn begun_at(raw: &str) -> Option<Place> {
    let (_, context) = raw.split_once(", while ")?;
    let (_, at) = context.rsplit_once(" at line ")?;
    let (line, column) = at.split_once(" column ")?;
    Some(Place {
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

fn char_at(text: &str, at: Place) -> Option<char> {
    let line = text.lines().nth(at.line.checked_sub(1)?)?;
    line.chars().nth(at.column.checked_sub(1)?)
}

/// The place of a byte.
pub(in crate::config) fn place_of(text: &str, position: usize) -> Place {
    let before = &text[..text.floor_char_boundary(position.min(text.len()))];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
