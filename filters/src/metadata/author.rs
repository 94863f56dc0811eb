//! Who wrote the page: a name that the page gives as that of the author of *this* text.
//!
//! In this order: the people whom it names to search engines and social networks, the byline that it shows (`byline`), and
//! last, on an article alone, an organization. The name of the site is such an organization too, whatever it is declared as:
//! publishing systems fill it in where nobody is named, and a byline says more.
//!
//! Measured on WCXB dev, 2026-11-21 (`examples/authors.rs`): docs/quality.md.

use super::{MAX_NAME_BYTES, byline, date, document_title, is_same, json_ld::JsonLd, letters, metas::Metas};
use crate::{
    html::{Headline, Page},
    vocabulary::{
        lists::{Words, words},
        starts::Starts,
    },
};

/// A name without the full stop of the sentence that it ended: "Ann Ash.", and not "Ann Ash Jr.".
pub(super) fn without_full_stop(name: &str) -> &str {
    const SHORTENED: usize = 3;
    let bare = name.strip_suffix('.').unwrap_or(name).trim_end();
    let last = bare.rsplit(' ').next().unwrap_or(bare);
    if last.chars().count() > SHORTENED && !last.contains('.') { bare } else { name }
}

/// Chooses the author of a page.
pub(super) fn choose(
    page: &Page,
    metas: &Metas,
    json_ld: &JsonLd,
    headline: &Headline,
    site: Option<&str>,
) -> Option<String> {
    let house = House::of(page, site);
    let is_article = json_ld.is_article() || metas.is_article();
    let tidied = |name: Option<String>| {
        let name = tidy(&name?)?;
        (!is_same(&name, &headline.text)).then_some(name)
    };
    let declared = [
        tidied(metas.authors_of_paper()),
        tidied(json_ld.author(&headline.text)),
        tidied(metas.author()),
        tidied(metas.written_by()),
    ];
    if let Some(name) = declared.iter().flatten().find(|name| !house.is(name)) {
        // A name that no reader meets is often that of whoever put the text in.
        let shown = || byline::below_headline(page, headline).filter(|name| !house.is(name));
        let other = if is_shown(page, name) { None } else { shown() };
        return Some(other.unwrap_or_else(|| name.clone()));
    }
    let house_name = || {
        let any = || tidied(json_ld.any_author(&headline.text));
        declared.iter().flatten().next().cloned().or_else(any)
    };
    byline::author(page, headline)
        // "Acme Kettle", "by Acme": whose make it is.
        .filter(|name| !is_same(name, &headline.text) && (is_article || !document_title(page).starts_with(&**name)))
        .or_else(|| house_name().filter(|_| is_article))
        // Whoever runs a site of their own is called what the site is.
        .or_else(|| tidied(metas.author()).filter(|name| is_person(name)))
}

/// Whether a name is that of a person and not of a house: two or three words with capitals.
fn is_person(name: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().skip(1).all(|c| c.is_lowercase() || matches!(c, '-' | '\'' | '.'))
    };
    let words: Vec<&str> = name.split(' ').collect();
    (2..=3).contains(&words.len()) && words[0] != "The" && words.iter().all(|word| is_name(word))
}

/// Whether a name stands somewhere on the page.
fn is_shown(page: &Page, name: &str) -> bool {
    let first = name.split(", ").next().unwrap_or(name);
    page.live(page.body())
        .filter(|&id| page.own_chars(id) > 0)
        .any(|id| page.text(id).is_some_and(|text| text.contains(first)))
}

/// The names of whoever runs the site, letters and digits only.
struct House(Vec<String>);

impl House {
    fn of(page: &Page, site: Option<&str>) -> House {
        let host = page.web_url().host_str().unwrap_or_default();
        let mut names: Vec<String> = host.split('.').map(letters).collect();
        names.push(letters(host));
        names.extend(site.map(letters));
        House(names)
    }

    fn is(&self, name: &str) -> bool {
        /// Legal forms in the names of companies.
        const FORMS: [&str; 7] = ["inc", "llc", "ltd", "gmbh", "corporation", "pvt", "plc"];
        let folded = letters(name);
        let last = name.split_whitespace().next_back().map(letters);
        self.0.contains(&folded) || last.is_some_and(|last| FORMS.contains(&last.as_str()))
    }
}

/// Words that name the place where a name would stand, or what can be done there.
static LABELS: Words = words!("author_labels");

/// Names of nobody: what publishing systems and templates leave in place of one.
const NOBODY: [&str; 9] =
    ["admin", "administrator", "webmaster", "undefined", "null", "none", "anonymous", "unknown", "n/a"];

/// A name without what stands before it in a byline; `None` for what is no name.
pub(super) fn tidy(line: &str) -> Option<String> {
    if let Some(names) = byline::joined_names(line) {
        return Some(names);
    }
    let name = without_opener(line, byline::clear_openers());
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
        && date::of_value(name).is_none()
        && !NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody));
    // "Ann Ash Ann Ash": beside the picture and below it.
    let (half, rest) = name.split_at(name.floor_char_boundary(name.len() / 2));
    let name = if rest.strip_prefix(' ') == Some(half) { half } else { name };
    is_name.then(|| name.to_owned())
}

/// A headline, a list of tasks ("content: Ash, design: Birch") or a number that a publishing system gives: what stands where
/// the name of a person or a house would.
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
pub(super) fn without_opener<'a>(line: &'a str, openers: &Starts) -> &'a str {
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
