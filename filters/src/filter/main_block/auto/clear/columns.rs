//! Columns of links beside a text. Until about 2010 pages were laid out by tables: the text stands in one cell, and the cells beside it
//! hold the sections of the site, twenty other headlines, the weather. Such a column is one text of a hundred words, all of them
//! headlines, and has the chance of a list that somebody wrote.
//!
//! The cell of the text is known by the paragraphs in it: nearly all that the page keeps, without links, and few links beside them. A
//! directory has its links where its text is, and a front page has a link in each of its teasers: neither has such a cell.

use super::super::blocks::{Block, Blocks};
use crate::page::{NodeId, Page, tag::Tag};

/// Words of the paragraphs in the cell of the text, at least, and their share of all that are kept. Of short news, where the address has
/// a day or a number of its own: an index has none, and says a little above its lists.
const LEAST: f32 = 90.0;
const LEAST_OF_NEWS: f32 = 40.0;
const DIGITS: usize = 4;
const NEARLY_ALL: f32 = 0.85;

/// The share of links in the cell of the text, at most, and in a column beside it, at least, in visible characters.
const FEW: f32 = 0.25;
const MOSTLY: f32 = 0.6;

/// Links in a column, at least: fewer are the files or the sources that go with the text.
const LINKS: usize = 4;

/// Drops the columns from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    if !page.has_any(&[Tag::Td]) || is_front(page) {
        return;
    }
    let Some(home) = cell_of_text(page, blocks, kept) else {
        return;
    };
    let mut over = 0;
    for at in 0..kept.len() {
        let block = &blocks.list[at];
        if at < over || !kept[at] || page.contains(home, block.container) {
            continue;
        }
        let Some(column) = column(page, block.container, home) else {
            continue;
        };
        let inside = blocks.inside(page, column);
        over = inside.end.max(at + 1);
        let texts = &blocks.list[inside.clone()];
        let links = texts.iter().map(|block| blocks.links(page, block).count());
        if !texts.iter().any(is_prose)
            && share_of_links(texts.iter()) >= MOSTLY
            && links.sum::<usize>() >= LINKS
        {
            kept[inside].fill(false);
        }
    }
}

/// Whether it is the first page of a site or of a part of it.
fn is_front(page: &Page) -> bool {
    let url = page.web_url();
    let last = url.path_segments().and_then(|mut parts| parts.next_back());
    let is_index = |name: &str| name.starts_with("index.") || name.starts_with("default.");
    url.query().is_none() && (url.path() == "/" || last.is_some_and(is_index))
}

/// The innermost cell around nearly all paragraphs that are kept.
fn cell_of_text(page: &Page, blocks: &Blocks, kept: &[bool]) -> Option<NodeId> {
    let prose = || {
        let texts = blocks.list.iter().zip(kept);
        texts.filter(|(block, kept)| **kept && is_prose(block))
    };
    let all: f32 = prose().map(|(block, _)| block.stats.words).sum();
    let (longest, _) =
        prose().max_by(|(one, _), (other, _)| one.stats.words.total_cmp(&other.stats.words))?;
    if all < LEAST_OF_NEWS || all < LEAST && !has_number(page) {
        return None;
    }
    let words = |cell: NodeId| -> f32 {
        let inside = prose().filter(|(block, _)| page.contains(cell, block.container));
        inside.map(|(block, _)| block.stats.words).sum()
    };
    let cells = std::iter::once(longest.container).chain(page.ancestors(longest.container));
    let home = cells
        .filter(|&up| page.tag(up) == Some(Tag::Td))
        .find(|&cell| words(cell) >= NEARLY_ALL * all)?;
    // What stands in a table of its own in it may be a list of links too.
    let is_own = |block: &&Block| {
        let around = std::iter::once(block.container).chain(page.ancestors(block.container));
        let mut cells = around.filter(|&up| page.tag(up) == Some(Tag::Td));
        cells.next() == Some(home)
    };
    let texts = blocks.list[blocks.inside(page, home)].iter();
    (share_of_links(texts.filter(is_own)) <= FEW).then_some(home)
}

/// Whether the page's address has a day or a number.
fn has_number(page: &Page) -> bool {
    let url = page.web_url();
    let parts = url
        .path()
        .bytes()
        .chain(url.query().unwrap_or_default().bytes());
    parts.filter(u8::is_ascii_digit).count() >= DIGITS
}

/// The cell in which a block stands and the text does not, in a row with the text.
fn column(page: &Page, block: NodeId, home: NodeId) -> Option<NodeId> {
    let around = std::iter::once(block).chain(page.ancestors(block));
    let cells = around.filter(|&up| page.tag(up) == Some(Tag::Td));
    let outermost = cells
        .take_while(|&cell| !page.contains(cell, home))
        .last()?;
    page.contains(page.parent(outermost), home)
        .then_some(outermost)
}

/// A paragraph without links, or next to.
fn is_prose(block: &Block) -> bool {
    block.is_long() && block.link_density() <= FEW
}

fn share_of_links<'a>(texts: impl Iterator<Item = &'a Block>) -> f32 {
    let (mut chars, mut linked) = (0.0, 0.0);
    for block in texts {
        chars += block.chars;
        linked += block.linked;
    }
    super::super::features::ratio(linked, chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page_at, words};

    fn kept(html: &str) -> Vec<bool> {
        let page = page_at("https://example.org/2001/bridge.html", html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    const LINKS: &str = "<a href=/1>One thing</a><br><a href=/2>Another thing</a><br>\
        <a href=/3>The third thing</a><br><a href=/4>The fourth thing</a>";

    #[test]
    fn columns_of_links_beside_a_text_go() {
        let text = words(50);
        let article = format!("<p>{text}<p>{text}");
        let beside =
            format!("<table><tr><td>News<br>{LINKS}<td>{article}<td>{LINKS}<p>Rain</table>");
        assert_eq!(kept(&beside), [false, true, true, false, false]);
    }

    #[test]
    fn what_is_no_column_beside_a_text_stays() {
        let text = words(50);
        let links = format!("{LINKS}<br>").repeat(8);
        let directory = format!("<table><tr><td>{text}<br><br>{links}<td>{LINKS}</table>");
        assert!(
            !kept(&directory).contains(&false),
            "the text is among links"
        );
        let files =
            format!("<table><tr><td>{text}<p>{text}<td><a href=/a.pdf>The plan</a></table>");
        assert!(!kept(&files).contains(&false), "two files");
        let rows = format!("<table><tr><td>1884<td>{text}<tr><td>1902<td>{text}</table>");
        assert!(!kept(&rows).contains(&false), "a table of texts");
        let below = format!("<table><tr><td>{text}<p>{text}</table><table><tr><td>{LINKS}</table>");
        assert!(!kept(&below).contains(&false), "not in a row with it");
    }
}
