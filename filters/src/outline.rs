//! A page as a tree of the blocks that hold text, for display: a row for each, with the wrappers around it in the same
//! row.
//!
//! A page has thousands of nodes, and most of its blocks only wrap another one. Here a block with several parts is a row; a
//! block whose text is all in one block below it is named before that one (`div#page › main › article`); and text that
//! stands directly in a block beside other blocks is a row of its own (`text`). The rows below a row hold all of its text
//! between them, and nothing is shown twice.
//!
//! Cost: one pass over the nodes, two over the blocks.

use std::ops::Range;

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// Wrappers that are named before a block; of more, the inner ones.
const MAX_WRAPPERS: usize = 2;

/// Characters of an element's id and classes that are shown. Some are made by programs and have hundreds.
const MAX_NAME: usize = 20;

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineRow {
    /// The innermost block of those that are named; the first text of a row of text.
    pub(crate) id: NodeId,
    pub(crate) depth: usize,
    pub(crate) label: String,
    /// Which of the texts with visible characters, counted among the nodes that were asked for, stand below it.
    pub(crate) texts: Range<usize>,
}

/// A block, or a run of texts directly in one.
struct OutlinePart {
    id: NodeId,
    parent: Option<usize>,
    is_run: bool,
    texts: Range<usize>,
    /// Parts directly below that hold text.
    parts: usize,
}

/// The rows of these nodes, which are the body and nodes inside it in document order: all of them, or those that were not
/// removed. The first row is the body.
pub(crate) fn outline(page: &Page, nodes: impl Iterator<Item = NodeId>) -> Vec<OutlineRow> {
    let mut parts = parts(page, nodes);
    for at in 0..parts.len() {
        if let Some(parent) = parts[at].parent
            && !parts[at].texts.is_empty()
        {
            parts[parent].parts += 1;
        }
    }
    // A run that is all of its block goes without saying.
    let is_alone = |part: &OutlinePart| part.parent.is_some_and(|parent| parts[parent].parts == 1);
    let leaves: Vec<bool> = {
        let mut leaves = vec![false; parts.len()];
        for part in parts.iter().filter(|part| part.is_run && is_alone(part)) {
            if let Some(parent) = part.parent {
                leaves[parent] = true;
            }
        }
        leaves
    };
    let is_wrapper = |at: usize| !leaves[at] && parts[at].parts == 1;
    let mut rows = Vec::new();
    let mut depths = vec![0; parts.len()];
    for (at, part) in parts.iter().enumerate() {
        if let Some(parent) = part.parent {
            depths[at] = depths[parent] + usize::from(!is_wrapper(parent));
        }
        let is_row = if part.is_run { !is_alone(part) } else { !is_wrapper(at) };
        if is_row && !part.texts.is_empty() {
            rows.push(OutlineRow {
                id: part.id,
                depth: depths[at],
                label: label(page, &parts, at, is_wrapper),
                texts: part.texts.clone(),
            });
        }
    }
    rows
}

/// Every block below the body and every run of texts, in document order.
fn parts(page: &Page, nodes: impl Iterator<Item = NodeId>) -> Vec<OutlinePart> {
    let body = page.body();
    let mut parts: Vec<OutlinePart> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut texts = 0;
    // The block that the last text stood in, and its run.
    let mut last: Option<(usize, usize)> = None;
    for id in nodes {
        while let Some(&outer) = open.last()
            && id >= page.end(parts[outer].id)
        {
            parts[outer].texts.end = texts;
            open.pop();
        }
        let around = open.last().copied();
        if id == body || page.tag(id).is_some_and(Tag::is_block) {
            open.push(parts.len());
            parts.push(OutlinePart::new(id, around, texts, false));
        } else if page.own_chars(id) > 0
            && let Some(block) = around
        {
            let run = match last {
                Some((other, run)) if other == block => run,
                _ => {
                    parts.push(OutlinePart::new(id, around, texts, true));
                    parts.len() - 1
                }
            };
            texts += 1;
            parts[run].texts.end = texts;
            last = Some((block, run));
        }
    }
    for outer in open {
        parts[outer].texts.end = texts;
    }
    parts
}

impl OutlinePart {
    fn new(id: NodeId, parent: Option<usize>, texts: usize, is_run: bool) -> OutlinePart {
        OutlinePart { id, parent, is_run, texts: texts..texts, parts: 0 }
    }
}

fn label(page: &Page, parts: &[OutlinePart], at: usize, is_wrapper: impl Fn(usize) -> bool) -> String {
    if parts[at].is_run {
        return "text".to_owned();
    }
    let mut names = vec![name(page, parts[at].id)];
    let mut around = parts[at].parent;
    while let Some(wrapper) = around.filter(|&wrapper| is_wrapper(wrapper)) {
        if names.len() > MAX_WRAPPERS {
            names.push("…".to_owned());
            break;
        }
        names.push(name(page, parts[wrapper].id));
        around = parts[wrapper].parent;
    }
    names.reverse();
    names.join(" › ")
}

/// `div#content`, `ul.menu`: as a style sheet would name it, by its id or its first class.
fn name(page: &Page, id: NodeId) -> String {
    let tag = tag_name(page, id);
    let first = |attribute, mark: char| {
        let value = page.attribute(id, &attribute)?;
        let word = value.split_ascii_whitespace().next()?;
        let end: String = word.chars().take(MAX_NAME).collect();
        Some(format!("{mark}{end}"))
    };
    let own = first(local_name!("id"), '#').or_else(|| first(local_name!("class"), '.'));
    format!("{tag}{}", own.unwrap_or_default())
}

/// An element's tag, `#text` for anything else.
pub(crate) fn tag_name(page: &Page, id: NodeId) -> String {
    match page.data(id) {
        kuchikiki::NodeData::Element(element) => element.name.local.to_string(),
        _ => "#text".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, random_parts};

    fn rows(html: &str) -> Vec<(usize, String, Range<usize>)> {
        let page = page(html);
        let rows = outline(&page, page.live(page.body())).into_iter();
        rows.map(|row| (row.depth, row.label, row.texts)).collect()
    }

    #[test]
    fn wrappers_are_named_with_what_they_wrap() {
        let html = "<nav class='menu x'><ul><li>One</li><li>Two <b>bold</b></li></ul></nav>\
            <div id=page><div><main><p>Text</p><p>More</p></main></div></div>";
        let wanted = [
            (0, "body", 0..5),
            (1, "nav.menu › ul", 0..3),
            (2, "li", 0..1),
            (2, "li", 1..3),
            (1, "div#page › div › main", 3..5),
            (2, "p", 3..4),
            (2, "p", 4..5),
        ];
        assert_eq!(rows(html), wanted.map(|(d, l, t)| (d, l.to_owned(), t)));
    }

    #[test]
    fn text_beside_blocks_is_a_row_and_empty_blocks_are_none() {
        let wanted = [(0, "body › div", 0..4), (1, "text", 0..2), (1, "p", 2..3), (1, "text", 3..4)];
        let html = "<div>One <i>two</i><hr><p>three</p>four<div></div></div>";
        assert_eq!(rows(html), wanted.map(|(d, l, t)| (d, l.to_owned(), t)));
    }

    #[test]
    fn long_chains_and_long_names_are_cut() {
        let html = format!("<div><div><div><div><p class={}>x</p></div></div></div></div>", "n".repeat(100));
        let label = &rows(&html)[0].1;
        let name = "n".repeat(MAX_NAME);
        assert_eq!(label, &format!("… › div › div › p.{name}"));
        assert!(rows("").is_empty());
    }

    #[test]
    fn the_rows_below_a_row_hold_all_of_its_text() {
        for seed in 0..40 {
            let page = page(&random_parts(seed).concat());
            let rows = outline(&page, page.live(page.body()));
            for (at, row) in rows.iter().enumerate() {
                let below = rows[at + 1..].iter();
                let below = below.take_while(|other| other.depth > row.depth);
                let direct: Vec<_> = below.filter(|other| other.depth == row.depth + 1).collect();
                let mut end = row.texts.start;
                for child in &direct {
                    assert_eq!(child.texts.start, end, "seed {seed}");
                    end = child.texts.end;
                }
                assert!(direct.is_empty() || end == row.texts.end, "seed {seed}");
                assert_ne!(direct.len(), 1, "seed {seed}: a wrapper is no row");
            }
        }
    }
}
