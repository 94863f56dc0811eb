//! The one converter from a page to Markdown: `CommonMark` 0.31 with the tables and the struck-out text of GitHub's dialect
//! (GFM § 4.10, § 6.5).
//!
//! - What `CommonMark` cannot say stays as text; `<sub>` and `<sup>` stay as the HTML that it allows.
//! - Characters that would mean something are escaped, and only those: `_` inside a word means nothing.
//! - A table that holds data is a table; one that lays the page out is a run of blocks.
//! - A film, a sound or a frame is a link to it: Markdown has no player.
//! - The name of a panel stands above it (`page.panels`).
//! - The reading of a character stands behind it in parentheses, as `<rp>` would have it (HTML § 4.5.14).
//! - A formula with its source in TeX (`<annotation encoding="application/x-tex">`, as `KaTeX` and `MathJax` write it) is that
//!   source between dollar signs; another is written in a line: `(a+b)/c`, `x^2`.
//!
//! One walk over the page's table with explicit stacks, like `text`.

pub(super) mod embedded;
mod escape;
mod inline;
mod writer;

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, NodeState, Page, tag::Tag},
    measure::{self, table},
    vocabulary::words::visible_chars,
};
use inline::InlineMark;
use writer::MarkdownWriter;

/// The live nodes below `root`.
pub(crate) fn from_subtree(page: &Page, root: NodeId) -> String {
    let mut writer = MarkdownWriter::default();
    let mut open: Vec<(NodeId, Tag, Step)> = Vec::new();
    let mut over = NodeId::DOCUMENT;
    let mut panels = page.panels.iter().peekable();
    for id in page.live(root) {
        while panels.next_if(|(panel, _)| *panel < id).is_some() {}
        while let Some(&(end, tag, step)) = open.last()
            && id >= end
        {
            open.pop();
            leave(&mut writer, tag, step);
        }
        if id < over {
            continue;
        }
        match page.tag(id) {
            Some(_) if page.state(id) == NodeState::Unwrapped => {}
            Some(tag) => match enter(&mut writer, page, id, tag) {
                Step::Over => over = page.end(id),
                Step::Inside => {}
                step => open.push((page.end(id), tag, step)),
            },
            None => text(&mut writer, page, id),
        }
        if let Some((_, name)) = panels.next_if(|(panel, _)| *panel == id) {
            writer.paragraph(true);
            writer.open_mark(InlineMark::Strong);
            writer.text(name);
            writer.close_mark();
            writer.paragraph(true);
        }
    }
    while let Some((_, tag, step)) = open.pop() {
        leave(&mut writer, tag, step);
    }
    writer.finish()
}

/// Markdown below its headline, where there is one.
pub(crate) fn below_headline(headline: Option<&str>, body: String) -> String {
    let Some(headline) = headline.filter(|_| !body.trim().is_empty()) else {
        return body;
    };
    let mut out = "# ".to_owned();
    escape::inline(headline, None, false, &mut out);
    out.push_str("\n\n");
    out.push_str(&body);
    out
}

/// The action when the walk leaves an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Its contents are written already, or not at all.
    Over,
    /// Nothing.
    Inside,
    Block,
    Heading,
    List,
    Item,
    Quote,
    Code,
    Table,
    Row,
    Cell,
    Mark,
    Term,
    Reading,
    Quotation,
}

fn enter(writer: &mut MarkdownWriter, page: &Page, id: NodeId, tag: Tag) -> Step {
    match tag {
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
            writer.block();
            return Step::Heading;
        }
        Tag::Ul | Tag::Menu | Tag::Dir | Tag::Ol | Tag::Li if writer.is_in_table() => {
            writer.paragraph(false);
            return Step::Block;
        }
        Tag::Ul | Tag::Menu | Tag::Dir => writer.open_list(None),
        Tag::Ol => writer.open_list(Some(
            page.attribute(id, &local_name!("start")).and_then(|start| start.trim().parse().ok()).unwrap_or(1),
        )),
        Tag::Li => {
            writer.open_item(page.attribute(id, &local_name!("value")).and_then(|value| value.trim().parse().ok()));
            return Step::Item;
        }
        Tag::Blockquote => {
            writer.open_quote();
            return Step::Quote;
        }
        Tag::Pre | Tag::Listing | Tag::Xmp if !writer.is_in_table() => {
            writer.open_code(&language(page, id));
            return Step::Code;
        }
        Tag::Table if !writer.is_in_table() && is_simple_table(page, id) => {
            writer.open_table();
            return Step::Table;
        }
        Tag::Tr if writer.is_in_table() => {
            writer.open_row();
            return Step::Row;
        }
        Tag::Td | Tag::Th if writer.is_in_table() => {
            writer.open_cell(page, id);
            return Step::Cell;
        }
        Tag::Hr => {
            writer.rule();
            return Step::Over;
        }
        Tag::Br => {
            writer.line_break();
            return Step::Over;
        }
        Tag::Input => {
            let is_box = page.attribute(id, &local_name!("type")) == Some("checkbox");
            if is_box && page.has_attribute(id, &local_name!("disabled")) {
                let is_done = page.has_attribute(id, &local_name!("checked"));
                writer.task(is_done);
            }
            return Step::Over;
        }
        Tag::Img => {
            image(writer, page, id);
            return Step::Over;
        }
        Tag::Dt => {
            writer.paragraph(false);
            writer.open_mark(InlineMark::Strong);
            return Step::Term;
        }
        Tag::Math => return formula(writer, page, id),
        Tag::Rp => return Step::Over,
        Tag::Rt if page.chars(id) > 0 => {
            writer.reading("(");
            return Step::Reading;
        }
        Tag::Q => {
            writer.open_quotation();
            return Step::Quotation;
        }
        Tag::Video | Tag::Audio | Tag::Iframe => {
            if let Some((name, address)) = embedded::link(page, id) {
                writer.embedded(&name, address);
            }
            return Step::Over;
        }
        _ if tag.hides_text() => return Step::Over,
        _ => {
            if let Some(mark) = mark(page, id, tag) {
                writer.open_mark(mark);
                return Step::Mark;
            }
            if tag.is_block() {
                writer.paragraph(is_set_off(tag));
                return Step::Block;
            }
            return Step::Inside;
        }
    }
    Step::List
}

fn leave(writer: &mut MarkdownWriter, tag: Tag, step: Step) {
    match step {
        Step::Over | Step::Inside => {}
        Step::Block => writer.paragraph(is_set_off(tag)),
        Step::Heading => writer.heading(match tag {
            Tag::H1 => 1,
            Tag::H2 => 2,
            Tag::H3 => 3,
            Tag::H4 => 4,
            Tag::H5 => 5,
            _ => 6,
        }),
        Step::List => writer.close_list(),
        Step::Item => writer.close_item(),
        Step::Quote => writer.close_quote(),
        Step::Code => writer.close_code(),
        Step::Table => writer.close_table(),
        Step::Row => writer.close_row(),
        Step::Cell => writer.close_cell(),
        Step::Mark => writer.close_mark(),
        Step::Term => {
            writer.close_mark();
            writer.paragraph(false);
        }
        Step::Reading => writer.reading(")"),
        Step::Quotation => writer.close_quotation(),
    }
}

/// Blocks that have an empty line around them even inside a list.
fn is_set_off(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Dl | Tag::Figure | Tag::Table)
}

fn mark(page: &Page, id: NodeId, tag: Tag) -> Option<InlineMark> {
    Some(match tag {
        Tag::B | Tag::Strong => InlineMark::Strong,
        Tag::Em | Tag::I => InlineMark::Emphasis,
        Tag::Del | Tag::S | Tag::Strike => InlineMark::Struck,
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => InlineMark::Code,
        Tag::Sub => InlineMark::Sub,
        Tag::Sup => InlineMark::Sup,
        Tag::A => InlineMark::Link(page.shown_address(id, &local_name!("href"))?),
        _ => return None,
    })
}

fn text(writer: &mut MarkdownWriter, page: &Page, id: NodeId) {
    let Some(text) = page.text(id) else { return };
    if page.own_chars(id) > 0 || visible_chars(&text) == 0 {
        writer.text(&text);
    }
}

fn image(writer: &mut MarkdownWriter, page: &Page, id: NodeId) {
    let alt = page.attribute(id, &local_name!("alt"));
    let alt = alt.unwrap_or_default();
    if page.state(id) == NodeState::AltText {
        writer.text(alt);
    } else if let Some(address) = page.shown_address(id, &local_name!("src"))
        && !address.starts_with("data:")
    {
        writer.image(alt, &address);
    }
}

/// A formula whose source is there; without it, what it says in a line.
fn formula(writer: &mut MarkdownWriter, page: &Page, id: NodeId) -> Step {
    let Some(source) = measure::formula_source(page, id) else {
        let Some(line) = measure::formula::in_a_line(page, id) else {
            return Step::Inside;
        };
        writer.text(&line);
        return Step::Over;
    };
    let is_display = page.attribute(id, &LocalName::from("display")).is_some_and(|display| display == "block");
    writer.formula(&source, is_display);
    Step::Over
}

/// The language of a code sample, named by a class (HTML § 4.5.15): `language-rust`, and `lang-rust` as others write it.
fn language(page: &Page, pre: NodeId) -> String {
    page.live(pre)
        .take(3)
        .filter_map(|id| page.attribute(id, &local_name!("class")))
        .find_map(|classes| {
            let mut words = classes.split_ascii_whitespace();
            let language =
                words.find_map(|word| word.strip_prefix("language-").or_else(|| word.strip_prefix("lang-")))?;
            let is_word = |c: char| c.is_ascii_alphanumeric() || "+-#._".contains(c);
            language.chars().all(is_word).then(|| language.to_owned())
        })
        .unwrap_or_default()
}

/// A table that holds data and no block that a cell of GFM cannot hold.
fn is_simple_table(page: &Page, id: NodeId) -> bool {
    let is_large = |tag| matches!(tag, Tag::Blockquote);
    table::is_data(page, id) && !page.live(id).any(|id| page.tag(id).is_some_and(is_large))
}

#[cfg(test)]
mod tests;
