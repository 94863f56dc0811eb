//! Separators that separate nothing any more: "By Ann |", where the date behind it went.

use crate::page::{NodeId, Page, tag::Tag};

/// Visible characters of a line from which it is a sentence and not a row of facts.
const MAX_CHARS: usize = 150;

/// Drops what separates at the ends of short lines.
pub(super) fn trim(page: &mut Page) {
    let (texts, ends) = lines(page);
    let mut start = 0;
    for end in ends {
        let line = &texts[start..end];
        start = end;
        let chars: usize = line.iter().map(|&id| page.own_chars(id)).sum();
        if chars > MAX_CHARS {
            continue;
        }
        trim_end(page, line);
        trim_start(page, line);
    }
}

/// Runs of texts without a block or a break between them, outside of code and cells of data: all texts, and where each run ends.
fn lines(page: &Page) -> (Vec<NodeId>, Vec<usize>) {
    let (mut texts, mut line_ends) = (Vec::new(), Vec::new());
    let mut start = 0;
    let mut ends: Vec<NodeId> = Vec::new();
    let mut verbatim_end = NodeId::DOCUMENT;
    for id in page.live(page.body()) {
        let mut is_over = false;
        while ends.last().is_some_and(|&end| id >= end) {
            ends.pop();
            is_over = true;
        }
        if let Some(tag) = page.tag(id) {
            let is_boundary = tag.is_block() || matches!(tag, Tag::Td | Tag::Th);
            if is_boundary {
                ends.push(page.end(id));
            }
            if tag.preserves_space() || matches!(tag, Tag::Code | Tag::Td | Tag::Th) {
                verbatim_end = verbatim_end.max(page.end(id));
            }
            is_over |= is_boundary || tag == Tag::Br;
        }
        if is_over && start < texts.len() {
            start = texts.len();
            line_ends.push(start);
        }
        if page.own_chars(id) > 0 && id >= verbatim_end {
            texts.push(id);
        }
    }
    if start < texts.len() {
        line_ends.push(texts.len());
    }
    (texts, line_ends)
}

/// Bars and dots at the end of a line; a slash or a `›` where white space stands before it, and no quotation ends with it:
/// French sets a space between the two.
fn trim_end(page: &mut Page, line: &[NodeId]) {
    // Nearly no line ends with one, whatever its quotations.
    let ends_with_sign = |id: &NodeId| {
        let text = page.text(*id);
        text.is_some_and(|text| without_end(&text, &[]).len() < text.len())
    };
    if !line.last().is_some_and(ends_with_sign) || !has_word(page, line) {
        return;
    }
    let quotes: Vec<char> = [('«', '»'), ('‹', '›')]
        .iter()
        .filter(|(open, _)| holds(page, line, |c| c == *open))
        .map(|&(_, close)| close)
        .collect();
    for &id in line.iter().rev() {
        let Some(text) = page.text(id).map(|text| text.clone()) else {
            return;
        };
        let kept = without_end(&text, &quotes);
        if kept.len() == text.len() {
            return;
        }
        page.set_text(id, kept);
        if !kept.is_empty() {
            return;
        }
    }
}

/// A bar at the start of a line; dots there are bullets.
fn trim_start(page: &mut Page, line: &[NodeId]) {
    let Some(&first) = line.first() else { return };
    let begins_with_bar = |text: &str| text.trim_start().starts_with('|');
    // Nearly no line does, and need not be copied.
    if !page.text(first).is_some_and(|text| begins_with_bar(&text)) {
        return;
    }
    let Some(text) = page.text(first).map(|text| text.clone()) else {
        return;
    };
    if has_word(page, line)
        && let Some(rest) = text.trim_start().strip_prefix('|')
        && !rest.starts_with('|')
    {
        page.set_text(first, rest);
    }
}

fn has_word(page: &Page, line: &[NodeId]) -> bool {
    holds(page, line, char::is_alphanumeric)
}

fn holds(page: &Page, line: &[NodeId], is_wanted: impl Fn(char) -> bool) -> bool {
    line.iter()
        .any(|&id| page.text(id).is_some_and(|text| text.contains(&is_wanted)))
}

fn without_end<'a>(text: &'a str, quotes: &[char]) -> &'a str {
    let mut kept = text;
    loop {
        let trimmed = kept.trim_end();
        let shorter = trimmed.strip_suffix(['|', '·', '•', '∙']).or_else(|| {
            let rest = trimmed.strip_suffix(['/', '›', '»', '–', '—'])?;
            let is_quote = trimmed.ends_with(quotes);
            let is_apart = rest.is_empty() || rest.ends_with(char::is_whitespace);
            (is_apart && !is_quote).then_some(rest)
        });
        match shorter {
            Some(shorter) => kept = shorter.trim_end(),
            None => return kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::page, text::of_subtree};

    fn trimmed(html: &str) -> String {
        let mut page = page(html);
        trim(&mut page);
        of_subtree(&page, page.body(), 1).trim_end().to_owned()
    }

    #[test]
    fn separators_at_the_ends_of_short_lines_go() {
        for (html, expected) in [
            ("<p>By <a>Ann</a> | </p>", "By Ann"),
            (
                "<p>By <a>Ann</a> <span>·</span> <span>•</span></p>",
                "By Ann",
            ),
            ("<p>Home / News / </p>", "Home / News"),
            ("<p>| 5 minutes</p>", "5 minutes"),
            ("<div>Ann |<br>May 3</div>", "Ann\nMay 3"),
        ] {
            assert_eq!(trimmed(html), expected, "{html}");
        }
    }

    #[test]
    fn signs_that_mean_something_stay() {
        let long = format!("<p>{} |</p>", "word ".repeat(60));
        for html in [
            "<p>• one</p>",
            "<p>src/</p>",
            "<p>But I—</p>",
            "<p>|</p>",
            "<table><tr><td>a |<td>b</table>",
            "<pre>ls |</pre>",
            "<h2>«\u{a0}L'Étranger du port\u{a0}»</h2>",
            "<h3>Le maire : « Nous <i>resterons</i> »</h3>",
            "<p>‹ Ja ›</p>",
            "<p>|| or</p>",
            &long,
        ] {
            let page = page(html);
            let before = of_subtree(&page, page.body(), 1);
            assert_eq!(trimmed(html), before.trim_end(), "{html}");
        }
    }
}
