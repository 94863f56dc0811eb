//! Whether a response with the media type of HTML really is HTML, by its first characters: feeds, scripts and data are sent
//! as HTML too, and rewriting would break the program that reads them.

use crate::http::outcome::PassReason;

/// Text in which a document must be recognised: many begin with a licence or comment, and few of these are longer.
const MAX_BYTES: usize = 4096;

/// Least text to decide from, unless it is all there is.
const MIN_BYTES: usize = 512;

/// Root elements of XML that is often sent as HTML, besides all with a prefix (`rdf:RDF`).
const XML_ROOTS: [&str; 6] = ["rss", "feed", "opml", "urlset", "sitemapindex", "wml"];

/// How a text begins.
enum Beginning {
    Html,
    /// Like the text of a page.
    Text,
    Other,
    /// More text is needed.
    Unfinished,
}

/// Whether a text is a page; `None` if more is needed. With `must_look_like_document` a fragment, which a script will insert
/// into a page, is none.
pub(super) fn is_page(text: &str, must_look_like_document: bool, is_whole: bool) -> Option<Result<(), PassReason>> {
    let is_all = is_whole || text.len() >= MAX_BYTES;
    match beginning(text) {
        _ if !is_all && text.len() < MIN_BYTES => return None,
        Beginning::Unfinished if !is_all => return None,
        Beginning::Other => return Some(Err(PassReason::OTHER_FORMAT)),
        Beginning::Html | Beginning::Text | Beginning::Unfinished => {}
    }
    // The index of a package repository (PEP 629) is for programs, which accept HTML like browsers.
    if text.contains("\"pypi:repository-version\"") {
        return Some(Err(PassReason::OTHER_FORMAT));
    }
    if !must_look_like_document || looks_like_document(text) {
        return Some(Ok(()));
    }
    is_all.then_some(Err(PassReason::FRAGMENT))
}

/// Skips what may precede the first tag, as browsers do to recognise feeds (WHATWG MIME Sniffing § 7.3).
fn beginning(text: &str) -> Beginning {
    let mut rest = text;
    let mut is_xml = false;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let end = match rest.as_bytes() {
            [b'<', b'!', b'-', b'-', ..] => rest.find("-->").map(|at| at + 3),
            [b'<', b'?', ..] => rest.find('>').map(|at| at + 1),
            [b'<', ..] => return from_tag(&rest[1..], is_xml),
            [] => return Beginning::Unfinished,
            _ if is_script(rest) => return Beginning::Other,
            _ => return Beginning::Text,
        };
        let Some(end) = end else {
            return Beginning::Unfinished;
        };
        is_xml |= rest.starts_with("<?xml");
        rest = &rest[end..];
    }
}

/// Whether a text begins like a script or data: with a bracket, comment, quoted word, call (JSONP) or assignment.
fn is_script(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let split = |text: &'_ str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| "[{(;!%'\"\u{fffd}".contains(c) || c.is_control()) {
        return true;
    }
    let (first, after) = text.split_at(split(text));
    let (name, after) = match (first, after.trim_start()) {
        ("function", rest) if rest.starts_with('(') => return true,
        ("import", rest) => return rest.starts_with(['{', '*', '"', '\'']),
        ("var" | "let" | "const" | "function" | "class", rest) => rest.split_at(split(rest)),
        _ => (first, after),
    };
    let value = after.trim_start().strip_prefix('=');
    let is_comment = text.starts_with("//") || text.starts_with("/*");
    is_comment || !name.is_empty() && (after.starts_with('(') || value.is_some_and(|value| !value.starts_with('=')))
}

/// Decides by the first tag or the doctype. `is_xml`: there was an XML declaration.
fn from_tag(tag: &str, is_xml: bool) -> Beginning {
    let tag = tag.to_ascii_lowercase();
    let mut words = tag.split(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'));
    let name = words.next().unwrap_or_default();
    let is_html = match name {
        "!doctype" => words.find(|word| !word.is_empty()) == Some("html"),
        "html" => true,
        _ => !is_xml && !name.contains(':') && !XML_ROOTS.contains(&name),
    };
    if is_html { Beginning::Html } else { Beginning::Other }
}

/// Whether the beginning has one of the tags that only documents have.
fn looks_like_document(text: &str) -> bool {
    const SIGNS: [&[u8]; 5] = [b"<!doctype", b"<html", b"<head", b"<body", b"<title"];
    let start = &text.as_bytes()[..text.len().min(MAX_BYTES)];
    SIGNS.iter().any(|sign| {
        start.windows(sign.len() + 1).any(|window| {
            let (tag, after) = window.split_at(sign.len());
            // `<header` is not `<head`.
            tag.eq_ignore_ascii_case(sign) && !after[0].is_ascii_alphanumeric()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_fragments() {
        for document in ["<!DOCTYPE html><p>", "<!-- x --><HTML lang=en>", "<title>x</title>", "Notice: none<br><html>"]
        {
            assert_eq!(is_page(document, true, true), Some(Ok(())), "{document}");
        }
        let late = format!("{}<html>", " ".repeat(MAX_BYTES));
        for fragment in ["<div>x</div>", "<header>x</header>", "Text", "", &late] {
            let fragment_is = |must| is_page(fragment, must, true);
            assert_eq!(fragment_is(true), Some(Err(PassReason::FRAGMENT)));
            assert_eq!(fragment_is(false), Some(Ok(())), "{fragment}");
        }
    }

    #[test]
    fn text_that_begins_like_a_sentence_is_no_script() {
        for text in
            ["Let me say this. <p>", "let us begin (again)", "Function follows form", "Error 5: <b>none</b>", "a == b"]
        {
            assert_eq!(is_page(text, false, true), Some(Ok(())), "{text}");
        }
    }

    #[test]
    fn more_is_waited_for_until_the_first_tag_is_there() {
        assert_eq!(is_page("<!doctype", false, false), None);
        let comment = format!("<!-- {}", "x".repeat(MIN_BYTES));
        assert_eq!(is_page(&comment, false, false), None);
        let feed = format!("{comment} --><rss>");
        assert_eq!(is_page(&feed, false, false), Some(Err(PassReason::OTHER_FORMAT)));
    }
}
