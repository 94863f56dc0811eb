//! What can be done with each post, where nothing but a script would do it: "Quote Report Like (0)", in links that lead nowhere.
//!
//! Such a link stands in the same words, what is counted in brackets aside, in at least [`LEAST`] places, in a block of nothing
//! but such links, or at the end of one below a line break or behind another. Of links with an address the scores and
//! `posts/furniture.rs` judge; headings and cells of tables are left alone. On threads only: elsewhere it may be what a page is for.

use std::collections::HashMap;

use html5ever::local_name;

use crate::{
    filter::main_block::auto::blocks::{Block, Blocks},
    page::{NodeId, Page, tag::Tag},
};

/// Places from which a link is a tool.
const LEAST: usize = 3;

/// Visible characters of one, at most.
const MAX_CHARS: usize = 30;

/// Elements around a text in which its link is looked for.
const LEVELS: usize = 4;

/// The texts of such links in kept blocks, with the signs between them, in document order. What is not kept counts as a place too.
pub(in super::super) fn of(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<NodeId> {
    if !page.has_any(&[Tag::A]) {
        return Vec::new();
    }
    let may_be = blocks.list.iter().zip(kept);
    let may_be = may_be.filter(|(block, _)| may_hold(page, block));
    let rows: Vec<(Vec<NodeId>, bool)> = may_be
        .map(|(block, &kept)| (row(page, blocks.texts(block)), kept))
        .filter(|(row, _)| !row.is_empty())
        .collect();
    let words = |id: &NodeId| page.text(*id).map(|text| letters(&text).collect());
    let words = |id: &NodeId| words(id).filter(|words: &String| !words.is_empty());
    let mut places: HashMap<String, usize> = HashMap::new();
    for word in rows.iter().flat_map(|(row, _)| row).filter_map(words) {
        *places.entry(word).or_default() += 1;
    }
    let is_common = |id: &NodeId| words(id).is_none_or(|words| places[&words] >= LEAST);
    let shown = rows
        .into_iter()
        .filter(|(row, kept)| *kept && row.iter().all(is_common));
    shown.flat_map(|(row, _)| row).collect()
}

/// Neither a heading nor a cell, nor code.
fn may_hold(page: &Page, block: &Block) -> bool {
    let tag = page.tag(block.container);
    !tag.is_some_and(|tag| {
        tag.is_heading() || matches!(tag, Tag::Td | Tag::Th | Tag::Pre | Tag::Dt | Tag::Summary)
    })
}

/// The texts of the links that lead nowhere at the end of a block: all of it, or from a line break on, or two of them or more.
fn row(page: &Page, texts: &[NodeId]) -> Vec<NodeId> {
    let is_tool = |id: NodeId| leads_nowhere(page, id) && page.own_chars(id) <= MAX_CHARS;
    let is_sign = |id: NodeId| {
        page.text(id)
            .is_some_and(|text| letters(&text).next().is_none())
    };
    let is_break = |id: NodeId| page.tag(id) == Some(Tag::Br);
    let first = texts
        .iter()
        .rposition(|&id| is_break(id) || !is_tool(id) && !is_sign(id));
    let start = first.map_or(0, |at| at + 1);
    // The space before it belongs to what it follows.
    let tools = || {
        texts[start..]
            .iter()
            .filter(|&&id| is_tool(id) && !is_sign(id))
    };
    let Some(begins) = texts[start..].iter().position(|&id| is_tool(id)) else {
        return Vec::new();
    };
    let is_row = match first {
        None => true,
        Some(at) => is_break(texts[at]) || tools().nth(1).is_some(),
    };
    if is_row && tools().next().is_some() {
        texts[start + begins..].to_vec()
    } else {
        Vec::new()
    }
}

/// Whether the link around a text has no address, or only that of the page it stands on.
fn leads_nowhere(page: &Page, text: NodeId) -> bool {
    let mut around = page.ancestors(text).take(LEVELS);
    let link = around.find(|&up| page.tag(up) == Some(Tag::A));
    link.is_some_and(|link| {
        let address = page.attribute(link, &local_name!("href"));
        address.is_none_or(|to| matches!(to.trim(), "" | "#"))
            && !page.has_attribute(link, &local_name!("id"))
            && !page.has_attribute(link, &local_name!("name"))
    })
}

/// The letters of a text, without what stands in brackets: "Like (3)" is "like".
fn letters(text: &str) -> impl Iterator<Item = char> {
    let mut depth = 0usize;
    let is_letter = move |c: &char| {
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth = depth.saturating_sub(1),
            _ => return depth == 0 && c.is_alphanumeric(),
        }
        false
    };
    text.chars().filter(is_letter).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// What goes of three posts of this kind, of which `N` is the number.
    fn gone(post: &str) -> String {
        let posts = ["1", "2", "3"].map(|number| post.replace('N', number));
        let page = page(&posts.concat());
        let blocks = Blocks::of(&page, &[]);
        let all = of(&page, &blocks, &vec![true; blocks.list.len()]);
        let mut first = vec![false; blocks.list.len()];
        first[..blocks.list.len() / 3].fill(true);
        let gone = of(&page, &blocks, &first);
        assert_eq!(gone, all[..all.len() / 3]);
        let gone = all;
        let texts = gone.iter().filter_map(|&id| page.text(id));
        texts.map(|text| text.clone()).collect()
    }

    #[test]
    fn tools_that_lead_nowhere_go_from_posts() {
        let tools = "<a href=#>Quote</a> | <a>Like (N)</a>";
        let all = "Quote | Like (1)Quote | Like (2)Quote | Like (3)";
        assert_eq!(gone(&format!("<p>text</p><div>{tools}</div>")), all);
        assert_eq!(gone(&format!("<p>text N<br>{tools}</p>")), all);
        assert_eq!(gone(&format!("<p>text N {tools}</p>")), all);
        assert_eq!(gone("<p>text</p><li><a href=''>返信</a>"), "返信返信返信");
    }

    #[test]
    fn what_a_person_wrote_stays() {
        for post in [
            "<p><a href=#>Number N</a></p>",
            "<p>Thanks, look <a href=#>here</a></p>",
            "<p>text <a href=#>Quote</a> <a href=#>Like</a> and more</p>",
            "<h3><a href=#>Answer</a></h3>",
            "<table><tr><td><a href=#>Yoga</a></table>",
            "<p><a href=/q>Quote</a></p>",
            "<p><a name=top>Top</a></p>",
            "<p>Quote</p>",
        ] {
            assert_eq!(gone(post), "", "{post}");
        }
    }
}
