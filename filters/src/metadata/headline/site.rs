//! The name of the site in a title.
//!
//! The name of the site is cut off at a separator with white space on both sides, or a bar. Readability does the same
//! (`_getArticleTitle`: ` [\|\-–—\\\/>»] `), and cuts at colons too, which costs "Dune: Part Two" its first half; no title
//! is cut at a colon here. What is cut is known to be the site: by the name that the page gives it, or by its
//! host. Only at a bar the last part goes although nobody knows it, when it is no longer than what is left.

use super::{is_same, letters, words};
use crate::html::Page;

/// Which end of a title.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    End,
}

/// The names by which a site may be called, letters and digits only, in lower case.
pub(super) struct Site {
    /// Names that the page declares, and the whole host.
    names: Vec<String>,
    /// The parts of the host that may be a name.
    labels: Vec<String>,
}

/// Shortest name that is looked for inside another: `cnn` is in too many words.
const MIN_PART: usize = 4;

impl Site {
    pub(super) fn new(page: &Page, name: Option<&str>) -> Site {
        let host = page.web_url().host_str().unwrap_or_default();
        let mut parts: Vec<&str> = host.split('.').filter(|part| *part != "www").collect();
        if parts.len() > 1 {
            parts.pop();
        }
        let mut names = vec![letters(host.strip_prefix("www.").unwrap_or(host))];
        names.extend(name.map(letters));
        names.retain(|name| !name.is_empty());
        Site { names, labels: parts.into_iter().map(letters).collect() }
    }

    /// Whether a part of a title is the site's name. At the start of a title only the very name is: what follows it may
    /// be its product.
    pub(super) fn is(&self, part: &str, side: Side) -> bool {
        let part = letters(part);
        let all = || self.names.iter().chain(&self.labels);
        if part.is_empty() || all().any(|name| *name == part) {
            return true;
        }
        let is_long = |name: &str| name.len() >= MIN_PART;
        side == Side::End
            && is_long(&part)
            && (all().any(|name| is_long(name) && (part.starts_with(name) || name.starts_with(&part)))
                || self.labels.iter().any(|label| label.contains(&part)))
    }

    /// Whether a heading that holds a name of the site is the headline all the same: it is the title, or more of its beginning
    /// than that name: "Acme Kettle" and "Acme Kettle - Acme - Official site".
    pub(super) fn begins(&self, heading: &str, title: &str, clean_title: &str) -> bool {
        is_same(heading, clean_title) || !self.is(heading, Side::Start) && letters(title).starts_with(&letters(heading))
    }

    /// A title without the site's name.
    pub(super) fn cut_off(&self, title: &str) -> String {
        let mut parts = split(title);
        while parts.len() > 1 && self.is(parts[parts.len() - 1].text, Side::End) {
            parts.pop();
        }
        while parts.len() > 1 && self.is(parts[0].text, Side::Start) {
            parts.remove(0);
        }
        let count = |parts: &[TitlePart<'_>]| -> usize {
            let words = |part: &TitlePart<'_>| words(part.text).values().sum::<usize>();
            parts.iter().map(words).sum()
        };
        if let Some((last, rest)) = parts.split_last()
            && last.is_behind_bar
            && count(rest) >= count(std::slice::from_ref(last))
        {
            parts.pop();
        }
        let kept = match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => title[first.start..last.end()].trim(),
            _ => "",
        };
        if kept.is_empty() {
            let is_sign = |c: char| c.is_whitespace() || "|»-–—·".contains(c);
            return title.trim_matches(is_sign).to_owned();
        }
        kept.to_owned()
    }
}

pub(super) struct TitlePart<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    is_behind_bar: bool,
}

impl TitlePart<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// A title's parts. A bar separates by itself; a dash and its like need white space around them, or they would part
/// "e-mail".
pub(super) fn split(title: &str) -> Vec<TitlePart<'_>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_behind_bar = false;
    let mut before = ' ';
    // What stands between these is a quotation; a single one is a separator.
    let quotes = [('«', '»'), ('‹', '›')];
    let quote = quotes
        .iter()
        .find_map(|(open, close)| Some((title.find(*open)?, title.rfind(*close)?)))
        .filter(|(open, close)| open < close);
    for (at, c) in title.char_indices() {
        let after = at + c.len_utf8();
        let is_quote = quote.is_some_and(|(open, close)| open == at || close == at);
        let is_bar = matches!(c, '|' | '»' | '｜') && !is_quote;
        let is_dash = matches!(c, '-' | '–' | '—' | '·' | '•' | '/' | '~' | '›' | '‹' | '«')
            && !is_quote
            && before.is_whitespace()
            && title[after..].starts_with(char::is_whitespace);
        if is_bar || is_dash {
            parts.push(TitlePart { text: &title[start..at], start, is_behind_bar });
            start = after;
            is_behind_bar = is_bar;
        }
        before = c;
    }
    parts.push(TitlePart { text: &title[start..], start, is_behind_bar });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(title: &str, site: &str) -> String {
        let page = crate::testing::page("<p>x");
        Site::new(&page, Some(site)).cut_off(title)
    }

    #[test]
    fn the_name_of_the_site_is_cut_off_and_nothing_at_a_colon() {
        assert_eq!(cut("Dune: Part Two - The Paper", "The Paper"), "Dune: Part Two");
        assert_eq!(cut("The Paper | Dune: Part Two", "The Paper"), "Dune: Part Two");
        assert_eq!(cut("How to bake bread | Bread | Somebody else", "x"), "How to bake bread | Bread");
        assert_eq!(cut("« L'Étranger du port » - Le Journal", "Le Journal"), "« L'Étranger du port »");
        assert_eq!(cut("e-mail - a history", "x"), "e-mail - a history");
        assert_eq!(cut("Example", "Example"), "Example");
        assert_eq!(cut("| Example", "Example"), "Example");
        assert_eq!(cut("", "x"), "");
    }
}
