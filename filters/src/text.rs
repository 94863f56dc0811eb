//! The one converter from a page to plain text.
//!
//! - Block elements and `<br>` start a new line; headings, paragraphs, lists and other text blocks are set off by an
//!   empty line, table rows and list items by a line break; cells of a row by a tab.
//! - White space runs collapse to one space, as in a browser (CSS Text § 4.1), except inside `<pre>` and its like.
//! - A cell of a table of data is one line, whatever it holds; rows would fall apart otherwise.
//! - The reading of a character stands behind it in parentheses, as `<rp>` would have it (HTML § 4.5.14).
//! - No more than `max_line_breaks` line breaks stand in a row (the paper's Figure 2: "Limit number of line breaks").
//! - A formula that carries its source is that source; another is written in a line: `(a+b)/c`, `x^2`.
//! - The name of a panel stands above it (`page.panels`).
//! - Text that a browser never shows (scripts, styles, templates, options, alternative contents) is left out.

use url::Url;

use crate::{
    dom::{
        formula,
        table::{self, Columns},
    },
    page::{Fate, NodeId, Page, parse::Parser, tag::Tag},
};

/// Collapses all white space to single spaces and trims.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.trim();
    if is_one_line(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether a trimmed text of ASCII has single spaces between its words: most short ones do.
fn is_one_line(text: &str) -> bool {
    let mut was_space = false;
    text.bytes().all(|byte| {
        let is_space = byte == b' ';
        let is_fine = (b' '..=b'~').contains(&byte) && !(is_space && was_space);
        was_space = is_space;
        is_fine
    })
}

/// The words of a value that names things: `post-author`, `postAuthor` and `post_author` hold "author".
pub(crate) fn words_of_identifier(value: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in value.chars() {
        let starts = c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase();
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    // `itemprop=dateCreated` is one name.
    words.push(value.to_lowercase());
    words.into_iter().filter(|word| !word.is_empty())
}

/// The live text below `root`.
pub(crate) fn of_subtree(page: &Page, root: NodeId, max_line_breaks: usize) -> String {
    let mut writer = Writer::new(max_line_breaks);
    // Blocks that were entered and not left: one past their last row, their tag.
    let mut open: Vec<(NodeId, Tag)> = Vec::new();
    let mut preserved = 0usize;
    // One past the last row of a cell that holds one line: blocks inside it break no line.
    let mut one_line_until = NodeId::DOCUMENT;
    // One past the last row of a table whose cells are lines.
    let mut lines_until = NodeId::DOCUMENT;
    // Its columns, and which of them are taken from above.
    let mut columns = Columns::default();
    // One past the last row of a formula that was written as its source.
    let mut over = NodeId::DOCUMENT;
    let mut panels = page.panels.iter().peekable();
    for id in page.live(root) {
        if id < over {
            continue;
        }
        while panels.next_if(|(panel, _)| *panel < id).is_some() {}
        while let Some(&(end, tag)) = open.last()
            && id >= end
        {
            open.pop();
            writer.leave(tag);
            preserved -= usize::from(tag.preserves_space());
        }
        match page.tag(id) {
            Some(Tag::Br) if id < one_line_until => writer.inline(" "),
            Some(Tag::Br) => writer.line_break(),
            Some(Tag::Rp) => over = page.end(id),
            Some(tag @ (Tag::Rt | Tag::Q)) if page.chars(id) > 0 => {
                writer.open_sign(tag);
                open.push((page.end(id), tag));
            }
            Some(Tag::Img) if page.fate(id) == Fate::AltText => {
                if let Some(alt) = page.attribute(id, &html5ever::local_name!("alt")) {
                    writer.inline(alt);
                }
            }
            Some(Tag::Math) => {
                let source = crate::dom::formula_source(page, id);
                if let Some(line) = source.or_else(|| formula::in_a_line(page, id)) {
                    writer.inline(&line);
                    over = page.end(id);
                }
            }
            Some(tag) if id < one_line_until => writer.space |= tag.is_block(),
            Some(tag) if tag.is_block() => {
                if tag == Tag::Table && is_table_of_lines(page, id) {
                    lines_until = page.end(id);
                    columns = Columns::default();
                }
                if matches!(tag, Tag::Td | Tag::Th)
                    && (id < lines_until || holds_one_line(page, id))
                {
                    one_line_until = page.end(id);
                }
                if id < lines_until {
                    match tag {
                        Tag::Tr => columns.end_row(),
                        Tag::Td | Tag::Th => {
                            writer.skip_cells(columns.place(page, id));
                            writer.span = table::span(page, id);
                        }
                        _ => {}
                    }
                }
                writer.enter(tag);
                preserved += usize::from(tag.preserves_space());
                open.push((page.end(id), tag));
            }
            Some(_) => {}
            None => write_text(&mut writer, page, id, preserved > 0),
        }
        if let Some((_, name)) = panels.next_if(|(panel, _)| *panel == id) {
            writer.enter(Tag::P);
            writer.inline(name);
            writer.leave(Tag::P);
        }
    }
    while let Some((_, tag)) = open.pop() {
        writer.leave(tag);
    }
    writer.finish()
}

fn write_text(writer: &mut Writer, page: &Page, id: NodeId, is_preserved: bool) {
    if page.own_chars(id) == 0 && !is_shown_space(page, id) {
        return;
    }
    if let Some(text) = page.text(id) {
        if is_preserved {
            writer.preformatted(&text);
        } else {
            writer.inline(&text);
        }
    }
}

/// The text of a piece of markup, as it stands in the fields of other formats; empty where it is more than a piece.
pub(crate) fn of_markup(markup: &str) -> String {
    const DEPTH: usize = 100;
    const NODES: usize = 20_000;
    let nowhere = Url::parse("about:blank").expect("the address is a constant");
    let mut parser = Parser::new(false, DEPTH, NODES);
    let page = parser
        .feed(markup)
        .and_then(|()| parser.finish())
        .and_then(|document| Page::new(document, &nowhere, false, DEPTH));
    page.map(|page| of_subtree(&page, page.body(), 2))
        .unwrap_or_default()
}

/// Whether all text of a cell stands in one block, at most, and so is one line: `<td><p>Ash</p></td>`.
fn holds_one_line(page: &Page, cell: NodeId) -> bool {
    let mut holder = None;
    for id in page.live(cell) {
        match page.tag(id) {
            Some(Tag::Br | Tag::Table | Tag::Pre) => return false,
            Some(_) => {}
            None if page.own_chars(id) == 0 => {}
            None => {
                let block = page
                    .ancestors(id)
                    .find(|&up| up == cell || page.tag(up).is_some_and(Tag::is_block));
                if holder.is_some() && holder != block {
                    return false;
                }
                holder = block;
            }
        }
    }
    true
}

/// A table of data without anything in its cells that only stands on lines of its own.
fn is_table_of_lines(page: &Page, table: NodeId) -> bool {
    let needs_lines = |id| {
        page.tag(id)
            .is_some_and(|tag| tag.preserves_space() || matches!(tag, Tag::Ul | Tag::Ol))
    };
    !page.live(table).any(needs_lines) && crate::dom::table::is_data(page, table)
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
    /// Cells that ended on this line since the last text.
    tabs: usize,
    /// Columns of the cell that is written.
    span: usize,
}

impl Writer {
    fn new(max_breaks: usize) -> Writer {
        Writer {
            out: String::new(),
            max_breaks: max_breaks.max(1),
            breaks: 0,
            space: false,
            tabs: 0,
            span: 1,
        }
    }

    fn enter(&mut self, tag: Tag) {
        self.request_breaks(breaks_around(tag));
    }

    fn leave(&mut self, tag: Tag) {
        match tag {
            Tag::Td | Tag::Th => self.tabs += std::mem::replace(&mut self.span, 1),
            Tag::Rt => self.touching(")"),
            Tag::Q => self.touching("\u{201d}"),
            _ => self.request_breaks(breaks_around(tag)),
        }
    }

    /// Cells of rows above that reach into this one.
    fn skip_cells(&mut self, cells: usize) {
        self.tabs += cells;
    }

    /// The sign before how a character is read, or before a quotation.
    fn open_sign(&mut self, tag: Tag) {
        if tag == Tag::Rt {
            self.touching("(");
        } else {
            self.inline("\u{201c}");
            self.space = false;
        }
    }

    /// A sign that has no space before it.
    fn touching(&mut self, sign: &str) {
        self.space = false;
        self.separate();
        self.out.push_str(sign);
    }

    fn request_breaks(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks.min(self.max_breaks));
        if breaks > 0 {
            // Cells that held nothing at the end of a line need no mark.
            self.tabs = 0;
        }
    }

    /// Unlike blocks, whose distances overlap, breaks add up.
    fn line_break(&mut self) {
        self.request_breaks(self.breaks + 1);
    }

    fn separate(&mut self) {
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', self.breaks));
            if self.space && self.breaks == 0 && self.tabs == 0 {
                self.out.push(' ');
            }
        }
        self.out.extend(std::iter::repeat_n('\t', self.tabs));
        self.breaks = 0;
        self.tabs = 0;
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
    fn a_cell_over_several_rows_keeps_its_place_in_each() {
        let html = "<table><tr><th rowspan=2>a<th colspan=2>b<th rowspan=9>c<tr><td>d<td>e<tr><td>f<td>g<td>h</table>";
        assert_eq!(text(html, 2), "a\tb\t\tc\n\td\te\nf\tg\th\n");
        let html = "<table><thead><tr><th rowspan=2>a<th>b<tbody><tr><td>c<td>d</table>";
        assert_eq!(
            text(html, 2),
            "a\tb\nc\td\n",
            "no further than its part of the table"
        );
    }

    #[test]
    fn a_formula_without_a_source_is_written_in_a_line() {
        let html = "<p>It is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> of it.";
        assert_eq!(text(html, 2), "It is 1/2 of it.\n");
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
    fn a_cell_of_a_table_of_data_is_one_line() {
        assert_eq!(
            text(
                "<table><tr><th>River<th>From</tr><tr><td>Rhine<td>Aare<br>Mosel<p>Main</p></tr></table>",
                2
            ),
            "River\tFrom\nRhine\tAare Mosel Main\n"
        );
        let code = "<table><tr><th>a<th>b</tr><tr><td>x<td><pre>1\n2</pre></table>";
        assert_eq!(text(code, 1), "a\tb\nx\n1\n2\n");
    }

    #[test]
    fn the_reading_of_a_character_stands_in_parentheses() {
        assert_eq!(
            text(
                "<p>The <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字 <rt>ji</rt></ruby> and <ruby>東京<rt>とうきょう</rt></ruby>で",
                2
            ),
            "The 漢(kan)字(ji) and 東京(とうきょう)で\n"
        );
    }

    #[test]
    fn a_quotation_has_its_marks() {
        assert_eq!(
            text("<p>Say <q>no </q>, <q>yes</q>", 2),
            "Say “no”, “yes”\n"
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
