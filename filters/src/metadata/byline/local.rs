//! Bylines that only the language of the page tells from ordinary text: a word that stands before names there and begins sentences too
//! ("Af", "de", "Του", "Nga"), and a name that stands by itself. Both count close to the headline alone, with a day beside them, and
//! where the name is one by its looks.
//!
//! A name by itself is looked for in the languages only that begin no other word of a headline with a capital: "Local News" stands above
//! a day as well. The signs come last (`Sign::Local`), behind every other.

use super::{Mark, signs::Sign};
use crate::{
    html::{NodeId, Page, tag::Tag},
    metadata::{author::trim, date, document_title, marks},
    vocabulary::words::one_line,
};

/// Words before names, by the language.
const OPENERS: [(&str, &[&str]); 19] = [
    ("da", &["af"]),
    ("no", &["av", "tekst"]),
    ("nb", &["av", "tekst"]),
    ("ro", &["de"]),
    ("el", &["του", "της", "των"]),
    ("ca", &["per"]),
    ("is", &["eftir"]),
    ("bg", &["от"]),
    ("mk", &["од"]),
    ("sq", &["nga"]),
    ("fil", &["ni", "nina"]),
    ("tl", &["ni", "nina"]),
    ("sw", &["na"]),
    ("cy", &["gan"]),
    ("ga", &["le"]),
    ("mt", &["minn"]),
    ("af", &["deur"]),
    ("lb", &["vun"]),
    ("fi", &["teksti"]),
];

/// Languages whose headlines are written as sentences are, and where names stand by themselves above many an article.
const PLAIN: [&str; 24] = [
    "cs", "sk", "pl", "hu", "vi", "hr", "sl", "sr", "bs", "bg", "mk", "uk", "ru", "be", "et", "lv", "lt", "fi", "da",
    "nb", "sv", "eu", "ro", "is",
];

/// Words of a name, and letters of one of them at least that is no initial.
const WORDS: std::ops::RangeInclusive<usize> = 2..=4;
const LETTERS: usize = 2;

/// Bytes of a line with a name and a day.
const LINE: usize = 120;

/// Nodes between a name and its day, at most.
const BESIDE: usize = 12;

/// The name that a text near the headline holds.
pub(super) fn name(page: &Page, id: NodeId, line: &str) -> Option<Mark> {
    if line.len() > LINE {
        return None;
    }
    let language = marks::language(page)?;
    let base = language.split('-').next().unwrap_or_default();
    let openers = OPENERS.iter().find(|(known, _)| *known == base);
    let opened = openers.and_then(|(_, words)| words.iter().find_map(|word| after(line, word)));
    let is_plain = || PLAIN.contains(&base) && may_stand_alone(page, id, line);
    let (element, line) = match opened {
        Some("") => {
            // The name is an element beside it.
            let next = texts_after(page, id).next()?;
            (next, one_line(&page.text(next)?))
        }
        Some(rest) => (id, rest.to_owned()),
        None if is_plain() => (id, line.to_owned()),
        None => return None,
    };
    let end = line.find([',', '|', '·', '•', '/', '(', ';']).unwrap_or(line.len());
    let name = trim(&line[..end]);
    let has_day = |id: NodeId| {
        let text = page.text(id);
        text.is_some_and(|text| text.trim().len() <= LINE && date::of_shown(&text, Some(&language)).is_some())
    };
    let is_dated = || {
        date::of_shown(&line[end..], Some(&language)).is_some()
            || texts_after(page, element).take(2).any(has_day)
            || texts_before(page, id).take(1).any(has_day)
    };
    (is_person(name) && is_dated()).then(|| Mark { element, sign: Sign::Local, name: name.to_owned() })
}

/// What follows a word at the start of a line.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let first = first.trim_end_matches(':');
    (first.to_lowercase() == word).then(|| trim(rest))
}

/// Whether a text is all of its line, no link to a section, and nothing that the title of the page names.
fn may_stand_alone(page: &Page, id: NodeId, line: &str) -> bool {
    let is_block = |up: &NodeId| page.tag(*up).is_some_and(Tag::is_block);
    let block = page.ancestors(id).find(is_block);
    let is_all = block
        .is_some_and(|block| page.chars(block) == page.own_chars(id) && !page.tag(block).is_some_and(Tag::is_heading));
    is_all && !page.in_link(id) && !document_title(page).contains(line)
}

/// Two words or more with capitals, letters alone.
fn is_person(name: &str) -> bool {
    /// Words inside of names.
    const SMALL: [&str; 9] = ["de", "da", "van", "von", "der", "af", "la", "i", "bin"];
    let is_name = |word: &str| {
        let mut letters = word.chars();
        let is_letter = |c: char| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.');
        letters.next().is_some_and(char::is_uppercase) && letters.all(is_letter)
    };
    let words: Vec<&str> = name.split(' ').collect();
    let full = words.iter().filter(|word| word.chars().filter(|c| c.is_lowercase()).count() >= LETTERS - 1);
    WORDS.contains(&words.len())
        && full.filter(|word| is_name(word)).count() >= 2
        && words.iter().all(|word| is_name(word) || SMALL.contains(word))
        && is_name(words[0])
        && !words.iter().any(|word| date::is_word(word))
        && date::of_value(name).is_none()
}

fn texts_after(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let rows = (id.index() + 1..page.end(page.body()).index()).map(NodeId::from_row);
    rows.take(BESIDE).filter(|&next| page.own_chars(next) > 0)
}

fn texts_before(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let rows = (page.body().index()..id.index()).rev().map(NodeId::from_row);
    rows.take(BESIDE).filter(|&before| page.own_chars(before) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_some_words_with_capitals() {
        for name in ["Mette Holm", "Nguyễn Minh Anh", "Anke de Vries", "Γιάννη Παπαδόπουλου", "J. Nováková Malá"]
        {
            assert!(is_person(name), "{name}");
        }
        for line in ["Mette", "Zprávy z domova", "Ce nu se aude", "Kl 10", "", "Maj 2026", "A B"] {
            assert!(!is_person(line), "{line}");
        }
    }
}
