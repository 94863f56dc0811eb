//! Cleans the name of a person or an organisation in a byline or a declaration: removes the words, signs and labels
//! around it.

pub(super) mod joined;
pub(super) mod openers;

use super::{MAX_NAME_BYTES, date};
use crate::vocabulary::{
    lists::{WordList, words},
    prefixes::Prefixes,
};

/// A name without the full stop of the sentence that it ended: "Ann Ash.", and not "Ann Ash Jr.".
pub(super) fn without_full_stop(name: &str) -> &str {
    const SHORTENED: usize = 3;
    let bare = name.strip_suffix('.').unwrap_or(name).trim_end();
    let last = bare.rsplit(' ').next().unwrap_or(bare);
    if last.chars().count() > SHORTENED && !last.contains('.') { bare } else { name }
}

/// Words that name the place where a name would stand, or what can be done there.
static LABELS: WordList = words!("author_labels");

/// Names of nobody: what publishing systems and templates leave in place of one.
const NOBODY: [&str; 9] =
    ["admin", "administrator", "webmaster", "undefined", "null", "none", "anonymous", "unknown", "n/a"];

/// A name without what stands before it in a byline; `None` for what is no name.
pub(super) fn tidy(line: &str) -> Option<String> {
    if let Some(names) = joined::names(line) {
        return Some(names);
    }
    let name = without_opener(line, openers::clear());
    let words = || {
        let words = name.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty())
    };
    let is_label =
        words().all(|word| LABELS.iter().any(|label| word.eq_ignore_ascii_case(label)) || date::is_word(word));
    // `{{ author }}`, `page.author.name`, a way up.
    let is_path = !name.contains(' ') && name.contains('.') && (name.ends_with("author") || name.ends_with("name"));
    let is_code = name.contains(['{', '»']) || is_path;
    let is_name = name.chars().any(char::is_alphabetic)
        && !is_label
        && !is_code
        && name.len() <= MAX_NAME_BYTES
        && !name.contains("://")
        && !name.contains('@')
        && !is_title_or_number(name)
        && date::parse(name).is_none()
        && !NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody));
    // "Ann Ash Ann Ash": beside the picture and below it.
    let (half, rest) = name.split_at(name.floor_char_boundary(name.len() / 2));
    let name = if rest.strip_prefix(' ') == Some(half) { half } else { name };
    is_name.then(|| name.to_owned())
}

/// A headline, a list of tasks ("content: Ash, design: Birch") or a number that a publishing system gives: what stands where
/// the name of a person or an organisation would.
fn is_title_or_number(name: &str) -> bool {
    /// Words of one name, at most; several names stand behind commas.
    const MOST_WORDS: usize = 7;
    /// Digits of a name, at most: a year.
    const MOST_DIGITS: usize = 4;
    let longest = name.split([',', ';', '&']).map(|part| part.split_whitespace().count());
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let is_list = name.split_whitespace().any(|word| word.len() > 1 && word.ends_with(':'));
    longest.max().unwrap_or(0) > MOST_WORDS
        || name.contains(['!', '?']) && name.split_whitespace().count() > 2
        || digits > MOST_DIGITS && name.starts_with(|c: char| c.is_ascii_digit())
        || is_list
}

/// The line after "By" or "Written by:"; the whole line where it does not begin so.
pub(super) fn without_opener<'a>(line: &'a str, openers: &Prefixes) -> &'a str {
    let mut line = trim(line);
    // Japanese: "text: ". By itself the sign is a family name too.
    for label in ["取材・文", "文・写真", "文・", "文＝", "文：", "文:"] {
        if let Some(rest) = line.strip_prefix(label) {
            line = trim(rest);
        }
    }
    let rest = |line: &'a str| {
        if !openers.may_begin(*line.as_bytes().first()?) {
            return None;
        }
        let first = line.chars().next()?.to_lowercase().next()?;
        let mut bytes = [0; 4];
        let first = &*first.encode_utf8(&mut bytes);
        let alike = openers.beginning_with(first.as_bytes()[0]);
        let mut alike = alike.filter(|opener| opener.starts_with(first));
        alike.find_map(|opener| after(line, opener))
    };
    while let Some(rest) = rest(line) {
        line = trim(rest);
    }
    line
}

/// The text after an opener at the start of a line, behind white space or a colon.
fn after<'a>(line: &'a str, opener: &str) -> Option<&'a str> {
    // Armenian has a sign of its own for a colon.
    let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | '：' | '\u{55d}' | '／' | '/');
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(is_end);
    let bytes = line.as_bytes().get(..opener.len());
    // Nearly all: no character has to be looked for.
    if let Some(start) = bytes.filter(|start| start.is_ascii() && opener.is_ascii()) {
        let rest = &line[opener.len()..];
        return (start.eq_ignore_ascii_case(opener.as_bytes()) && ends(rest)).then_some(rest);
    }
    let end = line.char_indices().nth(opener.chars().count());
    let (start, rest) = line.split_at(end.map_or(line.len(), |(at, _)| at));
    (ends(rest) && start.to_lowercase() == *opener).then_some(rest)
}

pub(super) fn trim(name: &str) -> &str {
    name.trim_matches(is_around)
}

/// A name without the separators and white space at its start.
pub(super) fn trim_start(name: &str) -> &str {
    name.trim_start_matches(is_around)
}

fn is_around(c: char) -> bool {
    matches!(c, '|' | '-' | '–' | '—' | '·' | '•' | '∙' | ',' | ';' | ':' | '：' | '\u{55d}' | '／' | '/' | '›' | '»')
        || c.is_whitespace()
}
