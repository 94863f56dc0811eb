//! Code samples without the line numbers that the page wrote beside them: nobody can copy such code, and a screen reader
//! reads every number.
//!
//! Numbers are known by where they stand: in a cell of their own, counting up by one, beside a cell with code; or inside
//! the code in elements that highlighters name alike, holding nothing but digits.

use html5ever::local_name;

use super::names;
use crate::{
    page::{NodeId, Page, tag::Tag},
    parts::Parts,
};

/// Numbers in a row from which they count lines.
const LEAST_LINES: usize = 3;

/// Bytes and nodes of a cell that are read: enough for a thousand numbers.
const MAX_BYTES: usize = 8000;
const MAX_NODES: usize = 4000;

/// Drops line numbers beside and inside code.
pub(super) fn drop_line_numbers(page: &mut Page) {
    if !page.has_any(&[Tag::Pre, Tag::Table, Tag::Tr]) {
        return;
    }
    let live: Vec<(NodeId, Tag)> = page.live(page.body()).filter_map(|id| Some((id, page.tag(id)?))).collect();
    let mut unwanted = Vec::new();
    let mut code_end = NodeId::DOCUMENT;
    for (id, tag) in live {
        match tag {
            Tag::Pre => code_end = code_end.max(page.end(id)),
            Tag::Table => unwanted.extend(numbered_rows(page, id)),
            Tag::Tr => unwanted.extend(gutter(page, id)),
            Tag::Span | Tag::A if id < code_end && is_line_number(page, id) => unwanted.push(id),
            _ => {}
        }
    }
    for id in unwanted {
        page.drop_silently(id);
    }
}

/// Preformatted text that is no code but prose, as archives of mailing lists and old texts have it: at 390 pixels its lines must
/// break.
pub(super) fn is_prose(page: &Page, id: NodeId) -> bool {
    /// Words of a line on average, and the share of letters in its words, from which it is written to be read.
    const WORDS: usize = 6;
    const LETTERS: f64 = 0.9;
    let has_code =
        page.live(id).take(MAX_NODES).any(|inside| matches!(page.tag(inside), Some(Tag::Code | Tag::Kbd | Tag::Samp)));
    if has_code {
        return false;
    }
    let text = text(page, id);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let words = text.split_whitespace().count();
    let signs = text.chars().filter(|c| !c.is_whitespace());
    let (mut letters, mut all) = (0u32, 0u32);
    for c in signs {
        all += 1;
        letters += u32::from(c.is_alphabetic() || matches!(c, '.' | ',' | '\'' | '’'));
    }
    // A table or a drawing is held together by its spaces.
    let is_aligned = text.lines().any(|line| line.trim().contains("    "));
    lines > 0 && words >= WORDS * lines && f64::from(letters) >= LETTERS * f64::from(all) && !is_aligned
}

/// A button beside or inside code that copies it, by whatever word: nothing answers it any more.
pub(super) fn is_copy_button(page: &Page, id: NodeId) -> bool {
    const MAX_CHARS: usize = 30;
    names::copies_code(page, id)
        && page.chars(id) <= MAX_CHARS
        && !holds_code(page, id)
        && page.ancestors(id).take(4).any(|up| page.tag(up) == Some(Tag::Pre) || holds_code(page, up))
}

/// The first cell of a row where it holds all the numbers and the second one the code.
fn gutter(page: &Page, row: NodeId) -> Option<NodeId> {
    let [numbers, code] = cells(page, row)?;
    let text = text(page, numbers);
    let count = text.split_whitespace().count();
    (count >= LEAST_LINES && counts_up(text.split_whitespace()) && holds_code(page, code)).then_some(numbers)
}

/// The first cells of a table that has a row for each line of code.
fn numbered_rows(page: &Page, table: NodeId) -> Vec<NodeId> {
    let in_code = page.ancestors(table).take(4).any(|up| matches!(page.tag(up), Some(Tag::Pre | Tag::Code)));
    let mut numbers = Vec::new();
    let mut texts = Vec::new();
    for row in page.live(table).filter(|&id| page.tag(id) == Some(Tag::Tr)) {
        match cells(page, row) {
            Some([number, code]) if in_code || holds_code(page, code) => {
                texts.push(text(page, number).trim().to_owned());
                numbers.push(number);
            }
            _ => return Vec::new(),
        }
    }
    let is_count = texts.len() >= LEAST_LINES && counts_up(texts.iter().map(String::as_str));
    if is_count { numbers } else { Vec::new() }
}

fn is_line_number(page: &Page, id: NodeId) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
    names::is_line_number(page, id) && text(page, id).bytes().all(is_digit)
}

/// The cells of a row that has two.
fn cells(page: &Page, row: NodeId) -> Option<[NodeId; 2]> {
    let is_cell = |id: &NodeId| matches!(page.tag(*id), Some(Tag::Td | Tag::Th));
    let mut cells = page.live_children(row).filter(is_cell);
    let two = [cells.next()?, cells.next()?];
    cells.next().is_none().then_some(two)
}

fn holds_code(page: &Page, id: NodeId) -> bool {
    page.live(id).take(MAX_NODES).any(|inside| matches!(page.tag(inside), Some(Tag::Pre | Tag::Code)))
}

fn counts_up<'a>(mut numbers: impl Iterator<Item = &'a str>) -> bool {
    let Some(Ok(first)) = numbers.next().map(str::parse::<u32>) else {
        return false;
    };
    let mut last = first;
    numbers.all(|number| {
        let is_next = number.parse() == Ok(last.saturating_add(1));
        last = last.saturating_add(1);
        is_next
    })
}

fn text(page: &Page, id: NodeId) -> String {
    page.start_of_text(id, MAX_NODES, MAX_BYTES)
}

/// Code of which each line is a row of a table, beside its number: from here on it is code, and its rows are lines.
pub(in crate::filter::output) fn join_rows(page: &mut Page) {
    let tables: Vec<NodeId> =
        page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Table) && holds_lines(page, id)).collect();
    for table in tables {
        let inside: Vec<(NodeId, Tag)> = page.live(table).filter_map(|id| Some((id, page.tag(id)?))).collect();
        for (id, tag) in inside {
            match tag {
                Tag::Table => page.retag(id, Tag::Pre),
                Tag::Tr => page.retag(id, Tag::Div),
                // Its number.
                Tag::Td | Tag::Th if page.live_siblings_after(id).any(|next| page.tag(next).is_some()) => {
                    page.drop_silently(id);
                }
                Tag::Td | Tag::Th | Tag::Tbody => page.retag(id, Tag::Span),
                _ => {}
            }
        }
    }
}

/// Whether the last cell of every row is a line of code by its class, as GitHub and highlight.js call it.
fn holds_lines(page: &Page, table: NodeId) -> bool {
    const LINES: Parts = Parts::new(&["blob-code", "hljs-ln-code", "file-line", "code-line"]);
    let is_line = |id: NodeId| {
        let class = page.attribute(id, &local_name!("class"));
        class.is_some_and(|class| LINES.are_in(class))
    };
    let mut rows = 0;
    let are_all = page.live(table).filter(|&id| page.tag(id) == Some(Tag::Tr)).all(|row| {
        rows += 1;
        page.live_children(row).filter(|&cell| page.tag(cell).is_some()).last().is_some_and(is_line)
    });
    are_all && rows > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn prose_is_told_from_code() {
        let is_prose_in = |text: &str| {
            let page = page(&format!("<pre id=p>{text}</pre>"));
            is_prose(&page, by_id(&page, "p"))
        };
        let letter = "Dear all, I have looked at the patch again and it seems fine to me.\n                      > Could you tell me what is meant by the second paragraph of it, please?\n\nBest wishes, Anna";
        assert!(is_prose_in(letter));
        assert!(!is_prose_in("let total = items.iter().map(|item| item.price * item.count).sum();"));
        assert!(!is_prose_in("cargo build --release\ncargo test"));
        assert!(!is_prose_in("name of the thing       what it is and does in words"));
        assert!(!is_prose_in(&format!("<code>{letter}</code>")));
    }
}
