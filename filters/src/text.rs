//! The one converter from a page to plain text.
//!
//! - Block elements and `<br>` start a new line; headings, paragraphs, lists and other text blocks are set off by an
//!   empty line, table rows and list items by a line break; cells of a row by a tab.
//! - White space runs collapse to one space, as in a browser (CSS Text § 4.1), except inside `<pre>` and its like.
//! - No more than `max_line_breaks` line breaks stand in a row (the paper's Figure 2: "Limit number of line breaks").
//! - Text that a browser never shows (scripts, styles, templates, options, alternative contents) is left out.

use crate::page::{Fate, NodeId, Page, tag::Tag};

/// Collapses all white space to single spaces and trims.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The live text below `root`.
pub(crate) fn of_subtree(page: &Page, root: NodeId, max_line_breaks: usize) -> String {
    let mut writer = Writer::new(max_line_breaks);
    // Blocks that were entered and not left: one past their last row, their tag.
    let mut open: Vec<(NodeId, Tag)> = Vec::new();
    let mut preserved = 0usize;
    for id in page.live(root) {
        while let Some(&(end, tag)) = open.last()
            && id >= end
        {
            open.pop();
            writer.leave(tag);
            preserved -= usize::from(tag.preserves_space());
        }
        match page.tag(id) {
            Some(Tag::Br) => writer.request_breaks(1),
            Some(Tag::Img) if page.fate(id) == Fate::AltText => {
                if let Some(alt) = page.attribute(id, &html5ever::local_name!("alt")) {
                    writer.inline(&alt);
                }
            }
            Some(tag) if tag.is_block() || matches!(tag, Tag::Td | Tag::Th) => {
                writer.enter(tag);
                preserved += usize::from(tag.preserves_space());
                open.push((page.end(id), tag));
            }
            Some(_) => {}
            None => {
                if page.own_chars(id) == 0 && !is_shown_space(page, id) {
                    continue;
                }
                if let Some(text) = page.text(id) {
                    if preserved > 0 {
                        writer.preformatted(&text);
                    } else {
                        writer.inline(&text);
                    }
                }
            }
        }
    }
    writer.finish()
}

/// White space between words counts, white space inside `<script>` does not: the nearest parent tells.
fn is_shown_space(page: &Page, id: NodeId) -> bool {
    page.text(id)
        .is_some_and(|text| crate::dom::visible_chars(&text) == 0)
        && page
            .tag(page.parent(id))
            .is_some_and(|tag| !tag.hides_text())
}

/// Line breaks that an element asks for before and after itself.
fn breaks_around(tag: Tag) -> usize {
    match tag {
        Tag::P
        | Tag::Pre
        | Tag::Blockquote
        | Tag::Ul
        | Tag::Ol
        | Tag::Dl
        | Tag::Table
        | Tag::Figure
        | Tag::Hr
        | Tag::H1
        | Tag::H2
        | Tag::H3
        | Tag::H4
        | Tag::H5
        | Tag::H6 => 2,
        Tag::Td | Tag::Th => 0,
        _ => 1,
    }
}

struct Writer {
    out: String,
    max_breaks: usize,
    /// Line breaks owed before the next text.
    breaks: usize,
    space: bool,
    tab: bool,
}

impl Writer {
    fn new(max_breaks: usize) -> Writer {
        Writer {
            out: String::new(),
            max_breaks: max_breaks.max(1),
            breaks: 0,
            space: false,
            tab: false,
        }
    }

    fn enter(&mut self, tag: Tag) {
        self.request_breaks(breaks_around(tag));
    }

    fn leave(&mut self, tag: Tag) {
        if matches!(tag, Tag::Td | Tag::Th) {
            self.tab = true;
        } else {
            self.request_breaks(breaks_around(tag));
        }
    }

    fn request_breaks(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks.min(self.max_breaks));
    }

    fn separate(&mut self) {
        if self.out.is_empty() {
            // Nothing to be separated from.
        } else if self.breaks > 0 {
            self.out.extend(std::iter::repeat_n('\n', self.breaks));
        } else if self.tab {
            self.out.push('\t');
        } else if self.space {
            self.out.push(' ');
        }
        self.breaks = 0;
        self.tab = false;
        self.space = false;
    }

    fn inline(&mut self, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            self.separate();
            self.out.push_str(word);
            self.space = true;
        }
        self.space = text.ends_with(char::is_whitespace) || (self.space && text.trim().is_empty());
    }

    fn preformatted(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let trimmed = text.trim_end_matches('\n');
        if !trimmed.is_empty() {
            self.separate();
            self.out.push_str(trimmed);
        }
        if trimmed.len() < text.len() {
            self.request_breaks(text.len() - trimmed.len());
        }
    }

    fn finish(mut self) -> String {
        let kept = self.out.trim_end().len();
        self.out.truncate(kept);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::Parser;

    fn text(html: &str, max_line_breaks: usize) -> String {
        let mut parser = Parser::new(false, 512, 10_000);
        parser.feed(html).unwrap();
        let url = "https://example.org/".parse().unwrap();
        let page = Page::new(parser.finish().unwrap(), &url, false, 512).unwrap();
        of_subtree(&page, page.body(), max_line_breaks)
    }

    #[test]
    fn paragraphs_are_set_off_and_white_space_collapses() {
        assert_eq!(
            text("<p>One \n two<b>three</b> four</p><p>Five<br>six</p>", 2),
            "One twothree four\n\nFive\nsix\n"
        );
    }

    #[test]
    fn no_more_line_breaks_stand_in_a_row_than_asked_for() {
        let html = "<h1>A</h1><br><br><br><p>B</p><div><div><p>C";
        assert_eq!(text(html, 1), "A\nB\nC\n");
        assert_eq!(text(html, 2), "A\n\nB\n\nC\n");
    }

    #[test]
    fn code_keeps_its_lines_and_indentation() {
        assert_eq!(
            text("<p>See</p><pre>if a:\n    b()\n\n    c()\n</pre><p>end", 2),
            "See\n\nif a:\n    b()\n\n    c()\n\nend\n"
        );
    }

    #[test]
    fn cells_stand_beside_each_other_and_rows_below() {
        assert_eq!(
            text("<table><tr><td>a<td>b<tr><td>c<td>d</table>", 2),
            "a\tb\nc\td\n"
        );
    }

    #[test]
    fn what_a_browser_does_not_show_is_no_text() {
        let html = "<style>x</style><script>y</script>shown<template>z</template>\
                    <select><option>o</select><textarea>t</textarea><svg><title>s</title></svg>";
        assert_eq!(text(html, 2), "shown\n");
    }

    #[test]
    fn words_of_neighbouring_inline_elements_are_kept_apart_where_they_were() {
        assert_eq!(
            text("<a>one</a> <a>two</a><a>three</a>", 2),
            "one twothree\n"
        );
    }
}
