//! Sizes of pictures that have none: an SVG file without a stated size is as wide as the column, were it a tick or an arrow,
//! because most of them state only the proportions of their field (`viewBox`).
//!
//! - `icon`: its file is called so ([`is_called_icon`]).
//! - `line`: it stands in a line with words, or its file is shown again and again. As high as the line.
//! - `sign`: it stands over the heading of a card, in a link or an item, or in a row of its like, such as logos of customers.
//!   A few lines high.
//!
//! All others, above all diagrams, stay as they are; so does what stands in a figure and is shown once. WCXB dev, 2026-11-22: 108 of 1,497 pages have
//! 1,007 such pictures.

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::{
        lists::{Words, words},
        words::words_of_identifier,
    },
};

/// Times that one file is shown from which it is a sign.
const REPEATED: usize = 3;

/// Words in the names of files of icons. Numbers behind them do not count.
static ICONS: Words = words!("icon_files");

/// Visible characters of a card for each of its pictures, at most. More is the text of an article.
const CARD_CHARS: usize = 300;

/// Visible characters of words that a picture stands in a line with, at most: a label. A longer text stands beside a picture.
const LINE_CHARS: usize = 120;

/// Levels above a picture in which its card is looked for.
const LEVELS: usize = 8;

/// Nodes of a card that are looked at.
const MAX_NODES: usize = 200;

/// Marks what is to be kept small.
pub(super) fn mark(page: &mut Page, pictures: &[NodeId]) {
    let vectors: Vec<NodeId> = pictures
        .iter()
        .copied()
        .filter(|&id| is_sizeless(page, id) && !page.has_attribute(id, &LocalName::from(MARK)))
        .filter(|&id| page.is_live(id))
        .collect();
    if vectors.is_empty() {
        return;
    }
    let mut shown: HashMap<&str, usize> = HashMap::new();
    for &id in &vectors {
        *shown.entry(source(page, id)).or_default() += 1;
    }
    let marks: Vec<(NodeId, &str)> = vectors
        .iter()
        .filter_map(|&id| {
            let repeated = shown.get(source(page, id)).copied().unwrap_or(0);
            Some((id, kind(page, id, repeated)?))
        })
        .collect();
    for (id, kind) in marks {
        page.set_attribute(id, LocalName::from(MARK), kind.to_owned());
    }
}

fn kind(page: &Page, id: NodeId, repeated: usize) -> Option<&'static str> {
    if repeated >= REPEATED {
        return Some("line");
    }
    if is_in_figure(page, id) {
        return None;
    }
    if is_in_line(page, id) {
        return Some("line");
    }
    is_in_card(page, id).then_some("sign")
}

fn source(page: &Page, id: NodeId) -> &str {
    page.attribute(id, &local_name!("src")).unwrap_or_default()
}

/// Whether a picture is an SVG file without a stated size.
fn is_sizeless(page: &Page, id: NodeId) -> bool {
    let path = |src: &str| src.split(['?', '#']).next().unwrap_or_default().len();
    let source = source(page, id);
    let is_vector = source
        .get(..path(source))
        .and_then(|path| path.get(path.len().checked_sub(4)?..))
        .is_some_and(|ending| ending.eq_ignore_ascii_case(".svg"))
        || source.starts_with("data:image/svg");
    is_vector && !page.has_attribute(id, &local_name!("width")) && !page.has_attribute(id, &local_name!("height"))
}

fn is_in_figure(page: &Page, id: NodeId) -> bool {
    page.ancestors(id).any(|up| page.tag(up) == Some(Tag::Figure))
}

/// Whether the file of a picture without a size is called an icon, and nothing speaks against it: words that tell what is on it, a
/// figure or a paragraph of its own.
pub(super) fn is_called_icon(page: &Page, id: NodeId) -> bool {
    let source = source(page, id);
    if source.starts_with("data:") || !is_sizeless(page, id) {
        return false;
    }
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_called = folder.split('/').any(|part| part == "icons")
        || words_of_identifier(name).any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            ICONS.contains(&word)
        });
    is_called && !is_described(page, id) && !is_paragraph(page, id) && !is_in_figure(page, id)
}

fn is_described(page: &Page, id: NodeId) -> bool {
    /// Words of an alternative text from which it tells of a diagram.
    const WORDS: usize = 4;
    page.attribute(id, &local_name!("alt")).is_some_and(|alt| alt.split_whitespace().nth(WORDS - 1).is_some())
}

/// Whether a picture is all of a paragraph.
fn is_paragraph(page: &Page, id: NodeId) -> bool {
    let around = page.parent(id);
    page.tag(around) == Some(Tag::P) && page.live(around).all(|inside| page.own_chars(inside) == 0)
}

/// Whether words stand in the same line: no block and no break between.
fn is_in_line(page: &Page, id: NodeId) -> bool {
    let Some(block) = page.ancestors(id).take(LEVELS).find(|&up| page.tag(up).is_some_and(is_box)) else {
        return false;
    };
    let mut chars = 0;
    let mut has_passed = false;
    for inside in page.live(block).skip(1).take(MAX_NODES) {
        if inside == id {
            has_passed = true;
        } else if page.tag(inside).is_some_and(|tag| is_box(tag) || tag == Tag::Br) {
            if has_passed {
                break;
            }
            chars = 0;
        } else {
            chars += page.own_chars(inside);
        }
    }
    has_passed && (1..=LINE_CHARS).contains(&chars)
}

fn is_box(tag: Tag) -> bool {
    tag.is_block() || matches!(tag, Tag::Td | Tag::Th)
}

/// Whether a picture belongs to few words: over a heading, in a link or an item, in a row of other pictures.
fn is_in_card(page: &Page, id: NodeId) -> bool {
    let Some(card) = page
        .ancestors(id)
        .take(LEVELS)
        .take_while(|&up| up != page.body())
        .find(|&up| page.live(up).take(MAX_NODES).any(|id| page.own_chars(id) > 0))
    else {
        return false;
    };
    let (mut chars, mut pictures, mut nodes) = (0, 0, 0);
    let mut next = None;
    for inside in page.live(card) {
        nodes += 1;
        if nodes > MAX_NODES {
            return false;
        }
        chars += page.own_chars(inside);
        let is_picture = page.tag(inside) == Some(Tag::Img);
        pictures += usize::from(is_picture);
        if inside > id && next.is_none() && (is_picture || page.own_chars(inside) > 0) {
            next = Some(inside);
        }
    }
    if chars > CARD_CHARS * pictures {
        return false;
    }
    let in_item = || {
        let mut around = page.ancestors(id).take_while(|&up| up != page.parent(card));
        around.any(|up| matches!(page.tag(up), Some(Tag::A | Tag::Li | Tag::Td | Tag::Th)))
    };
    let is_before = next.is_some_and(|next| {
        page.tag(next) == Some(Tag::Img)
            || page.ancestors(next).take(LEVELS).any(|up| page.tag(up).is_some_and(Tag::is_heading))
    });
    page.in_link(id) || in_item() || is_before || pictures >= REPEATED
}
