//! The one converter from a page to plain text.
//!
//! - Block elements and `<br>` start a new line; headings, paragraphs, lists and other text blocks are set off by an
//!   empty line, table rows and list items by a line break; cells of a row by a tab.
//! - White space runs collapse to one space, as in a browser (CSS Text § 4.1), except inside `<pre>` and its like.
//! - A cell of a table of data is one line, whatever it holds; rows would fall apart otherwise.
//! - The reading of a character stands behind it in parentheses, as `<rp>` would have it (HTML § 4.5.14).
//! - No more than `max_line_breaks` line breaks stand in a row (the paper's Figure 2: "Limit number of line breaks").
//! - Captions of pictures are left out of the text of a page (`text/captions.rs`).
//! - A formula that carries its source is that source; another is written in a line: `(a+b)/c`, `x^2`.
//! - The name of a panel stands above it (`page.panels`).
//! - Text that a browser never shows (scripts, styles, templates, options, alternative contents) is left out.

pub(crate) mod captions;
pub(crate) mod starts;
mod writer;

use unicode_normalization::char::is_combining_mark;
use url::Url;

use crate::{
    dom::{
        formula,
        table::{self, Columns},
    },
    page::{Fate, NodeId, Page, parse::Parser, tag::Tag},
};
use writer::Writer;

/// As [`str::trim`]. Most texts begin and end with a visible character of ASCII, and need not be read as characters for it.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// As [`one_line`], of a text that nobody needs any more.
pub(crate) fn into_line(text: String) -> String {
    if trim(&text).len() == text.len() && is_one_line(&text) {
        return text;
    }
    one_line(&text)
}

/// Collapses all white space to single spaces and trims.
pub(crate) fn one_line(text: &str) -> String {
    let text = trim(text);
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

/// Whether a trimmed text has single spaces between its words and no other white space: most short ones do. Many bytes are looked at
/// at once; white space outside of ASCII is known by its three bytes, or the first two, and none begins or ends the text.
fn is_one_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let unplain = two.fold(0, |found, (&one, &two)| {
        let has_two = u8::from(one == b' ') & u8::from(two == b' ');
        found | has_two | u8::from(two < b' ') | u8::from(two >= 0x7f)
    });
    // Nearly always all of it is plain.
    if unplain == 0 {
        return true;
    }
    let is_space = |three: &[u8]| {
        let [one, two, three] = [three[0], three[1], three[2]];
        let is_general =
            two == 0x80 && (three <= 0x8a || matches!(three, 0xa8 | 0xa9 | 0xaf)) || two == 0x81 && three == 0x9f;
        (0x09..=0x0d).contains(&two)
            || one == b' ' && two == b' '
            || one == 0xc2 && (two == 0x85 || two == 0xa0)
            || one == 0xe1 && two == 0x9a && three == 0x80
            || one == 0xe2 && is_general
            || one == 0xe3 && two == 0x80 && three == 0x80
    };
    let three = bytes.windows(3);
    three.fold(0, |found, three| found | u8::from(is_space(three))) == 0
}

/// Whether no letter of a text is outside of ASCII: besides ASCII there are dashes, quotes and dots only, U+2000 to U+203F.
pub(crate) fn has_plain_letters(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_sign = |three: &[u8]| {
        let [one, two, three] = [three[0], three[1], three[2]];
        three < 0x80 || three == 0xe2 || two == 0xe2 && three == 0x80 || one == 0xe2 && two == 0x80
    };
    text.is_ascii() || bytes.len() >= 3 && (bytes[0] < 0x80 || bytes[0] == 0xe2) && bytes.windows(3).all(is_sign)
}

/// Letters, digits, and the marks that belong to the letter before them: vowel signs and viramas of the scripts of India.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c)
}

/// Scripts that do not put spaces between words: Han, kana, Thai, Lao, Khmer, Burmese. (Korean does.)
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

/// A text in lower case. Turkish: the dot of a capital I, which becomes a sign of its own there, is left out.
pub(crate) fn lower(text: &str) -> String {
    const DOT: char = '\u{307}';
    if has_plain_letters(text) {
        return text.to_ascii_lowercase();
    }
    let mut lower = text.to_lowercase();
    if lower.contains(DOT) {
        lower.retain(|c| c != DOT);
    }
    lower
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

/// The text of a page, for those who have no pictures, and are told the author and the day apart.
pub(crate) fn of_page(page: &Page, max_line_breaks: usize) -> String {
    let mut left_out = captions::left_out(page);
    left_out.sort_unstable();
    // What is in another goes with it.
    let mut end = NodeId::DOCUMENT;
    left_out.retain(|&id| {
        let is_outside = id >= end;
        if is_outside {
            end = page.end(id);
        }
        is_outside
    });
    write(page, page.body(), max_line_breaks, &left_out)
}

/// The live text below `root`.
pub(crate) fn of_subtree(page: &Page, root: NodeId, max_line_breaks: usize) -> String {
    write(page, root, max_line_breaks, &[])
}

/// The live text below `root` without these parts of it, which are in its order.
fn write(page: &Page, root: NodeId, max_line_breaks: usize, left_out: &[NodeId]) -> String {
    let mut left_out = left_out.iter().copied().peekable();
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
        if left_out.next_if_eq(&id).is_some() {
            over = page.end(id);
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
                if matches!(tag, Tag::Td | Tag::Th) && (id < lines_until || holds_one_line(page, id)) {
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
    page.map(|page| of_subtree(&page, page.body(), 2)).unwrap_or_default()
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
                let block = page.ancestors(id).find(|&up| up == cell || page.tag(up).is_some_and(Tag::is_block));
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
    let needs_lines = |id| page.tag(id).is_some_and(|tag| tag.preserves_space() || matches!(tag, Tag::Ul | Tag::Ol));
    !page.live(table).any(needs_lines) && crate::dom::table::is_data(page, table)
}

/// White space between words counts, white space inside `<script>` does not: the nearest parent tells.
fn is_shown_space(page: &Page, id: NodeId) -> bool {
    page.text(id).is_some_and(|text| crate::dom::visible_chars(&text) == 0)
        && page.tag(page.parent(id)).is_some_and(|tag| !tag.hides_text())
}

#[cfg(test)]
mod tests;
