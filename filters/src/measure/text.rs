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

mod writer;

use url::Url;

use crate::{
    html::{NodeId, NodeState, Page, parse::Parser, tag::Tag},
    measure::{
        formula,
        table::{self, Columns},
    },
};
use writer::TextWriter;

/// The live text below `root`.
pub(crate) fn from_subtree(page: &Page, root: NodeId, max_line_breaks: usize) -> String {
    without(page, root, max_line_breaks, &[])
}

/// The live text below `root` without these parts of it, which are in its order.
pub(crate) fn without(page: &Page, root: NodeId, max_line_breaks: usize, left_out: &[NodeId]) -> String {
    let mut left_out = left_out.iter().copied().peekable();
    let mut writer = TextWriter::new(max_line_breaks);
    // Blocks that were entered and not left: one past their last row, their tag; none for a block inside a line.
    let mut open: Vec<(NodeId, Option<Tag>)> = Vec::new();
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
            match tag {
                Some(tag) => {
                    writer.leave(tag);
                    preserved -= usize::from(tag.preserves_space());
                }
                None => writer.space = true,
            }
        }
        match page.tag(id) {
            Some(Tag::Br) if id < one_line_until => writer.inline(" "),
            Some(Tag::Br) => writer.line_break(),
            Some(Tag::Rp) => over = page.end(id),
            Some(tag @ (Tag::Rt | Tag::Q)) if page.chars(id) > 0 => {
                writer.open_sign(tag);
                open.push((page.end(id), Some(tag)));
            }
            Some(Tag::Img) if page.state(id) == NodeState::AltText => {
                if let Some(alt) = page.attribute(id, &html5ever::local_name!("alt")) {
                    writer.inline(alt);
                }
            }
            Some(Tag::Math) => {
                let source = super::formula_source(page, id);
                if let Some(line) = source.or_else(|| formula::in_a_line(page, id)) {
                    writer.inline(&line);
                    over = page.end(id);
                }
            }
            Some(tag) if id < one_line_until => {
                if tag.is_block() {
                    writer.space = true;
                    open.push((page.end(id), None));
                }
            }
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
                open.push((page.end(id), Some(tag)));
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
        if let Some(tag) = tag {
            writer.leave(tag);
        }
    }
    writer.finish()
}

fn write_text(writer: &mut TextWriter, page: &Page, id: NodeId, is_preserved: bool) {
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
pub(crate) fn from_markup(markup: &str) -> String {
    const DEPTH: usize = 100;
    const NODES: usize = 20_000;
    let nowhere = Url::parse("about:blank").expect("the address is a constant");
    let mut parser = Parser::new(false, DEPTH, NODES);
    let page = parser
        .feed(markup)
        .and_then(|()| parser.finish())
        .and_then(|document| Page::new(document, &nowhere, false, DEPTH));
    page.map(|page| from_subtree(&page, page.body(), 2)).unwrap_or_default()
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
    !page.live(table).any(needs_lines) && crate::measure::table::is_data(page, table)
}

/// White space between words counts, white space inside `<script>` does not: the nearest parent tells.
fn is_shown_space(page: &Page, id: NodeId) -> bool {
    page.text(id).is_some_and(|text| crate::vocabulary::words::visible_chars(&text) == 0)
        && page.tag(page.parent(id)).is_some_and(|tag| !tag.hides_text())
}

#[cfg(test)]
mod tests;
