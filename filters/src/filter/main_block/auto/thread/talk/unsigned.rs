//! The posts of programs that mark no name as one: `<dt><strong>Ann</strong></dt>`, `Ann · 3 March`.
//!
//! Posts are known by their dates alone, the rows and tables of pages without classes among them, and the names by where they stand: a short text, one in nearly every post, at a place where the
//! posts differ. Of such places the one with most different texts, because who has a name has one rank, and many have the
//! same; of equals the first. Only on forums, and only where the posts have a body: elsewhere what is dated and alike are entries of a
//! list, or boxes beside one.
//!
//! Found on 3 of the 113 forums of WCXB dev (2026-11-22), all in one half of the domains; word F1 of that half +.002.

use std::collections::{HashMap, HashSet};

use super::{Way, places::Places, when::is_date};
use crate::{
    filter::main_block::auto::{
        blocks::Blocks,
        text::mix,
        thread::posts::{
            furniture::shape,
            owners::Owners,
            signs::{Sign, is_quoted},
        },
    },
    page::{NodeId, Page},
};

/// Posts from which there is a thread. Two dates and two short texts stand beside each other by chance.
const LEAST: usize = 3;

/// Visible characters of a name, and words of the line that it stands in.
const MAX_NAME: usize = 40;
const MAX_WORDS: f32 = 14.0;

/// Share of the posts in which the name stands at its place, at least, and names in one post, on the mean.
const SHARE: f32 = 0.8;
const PER_POST: f32 = 1.05;

/// How sure such a name is, after those of `posts/signs.rs`.
const RANK: u8 = 6;

/// The posts of a page, and who wrote them.
pub(super) fn of(page: &Page, blocks: &Blocks, dates: &[Sign]) -> Option<(Vec<NodeId>, Vec<Sign>)> {
    [Way::Dated, Way::Bare].into_iter().find_map(|way| {
        let posts = super::posts(page, blocks, dates, dates, LEAST, way)?;
        let names = names(page, blocks, &posts, dates)?;
        Some((posts, names))
    })
}

/// Texts at one place of each post.
#[derive(Default)]
struct Column {
    texts: Vec<NodeId>,
    shapes: HashSet<String>,
    posts: usize,
    last: NodeId,
}

fn names(page: &Page, blocks: &Blocks, posts: &[NodeId], dates: &[Sign]) -> Option<Vec<Sign>> {
    let owners = Owners::of(page, posts);
    let places = Places::of(page, blocks, &[], [&[], dates], posts, &owners);
    let is_in_date = |id: NodeId| {
        let next = dates.partition_point(|date| date.element <= id);
        next > 0 && page.contains(dates[next - 1].element, id)
    };
    let mut columns: HashMap<u64, Column> = HashMap::new();
    let lines = blocks
        .list
        .iter()
        .filter(|block| block.stats.words <= MAX_WORDS);
    for block in lines {
        let Some(post) = owners.of_node(block.container) else {
            continue;
        };
        if is_quoted(page, block.container) {
            continue;
        }
        for &id in blocks.texts(block) {
            let chars = page.own_chars(id);
            let is_name = |text: &str| text.contains(char::is_alphabetic) && !is_date(text);
            if chars == 0
                || chars > MAX_NAME
                || is_in_date(id)
                || !page.text(id).is_some_and(|text| is_name(&text))
            {
                continue;
            }
            // What stands before an element and what stands behind it are two places.
            let is_first = page.element_before(id).is_none();
            let place = mix(places.place(page.parent(id)), u64::from(is_first));
            let column = columns.entry(place).or_default();
            column.posts += usize::from(column.last != post);
            column.last = post;
            column.shapes.insert(shape(page, &[id]));
            column.texts.push(id);
        }
    }
    let is_column = |column: &&Column| {
        column.posts as f32 >= SHARE * posts.len() as f32
            && column.texts.len() as f32 <= PER_POST * column.posts as f32
            && column.shapes.len() >= 2
    };
    let column = columns
        .values()
        .filter(is_column)
        .min_by_key(|column| (usize::MAX - column.shapes.len(), column.texts[0]))?;
    let names = column.texts.iter().map(|&element| Sign {
        element,
        rank: RANK,
        text: element,
    });
    Some(names.collect())
}
