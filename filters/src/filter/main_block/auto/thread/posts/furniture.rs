//! What stands in most posts of a thread alike but for its numbers.

use std::collections::HashMap;

use super::{owners::Owners, signs::is_quoted};
use crate::{
    filter::main_block::auto::blocks::Blocks,
    page::{NodeId, Page, tag::Tag},
};

/// What stands in most posts alike but for its numbers: kept blocks, and lines of the blocks that hold a name or a date.
#[derive(Default)]
pub(super) struct Furniture {
    pub(super) blocks: Vec<usize>,
    pub(super) lines: Vec<NodeId>,
}

impl Furniture {
    pub(super) fn of(
        page: &Page,
        blocks: &Blocks,
        kept: &[bool],
        owners: &Owners,
        is_sign: &[bool],
    ) -> Furniture {
        let mut tally = Tally::default();
        for (index, block) in blocks.list.iter().enumerate() {
            let Some(post) = owners.of_node(block.container) else {
                continue;
            };
            if page.tag(block.container) == Some(Tag::Pre) || is_quoted(page, block.container) {
                continue;
            }
            let texts = blocks.texts(block);
            if texts.iter().any(|text| is_sign[text.index()]) {
                let lines = texts.iter().filter(|&&id| stands_alone(page, id));
                for &id in lines.filter(|id| !is_sign[id.index()]) {
                    tally.add(shape(page, &[id]), post, Place::Line(id));
                }
            } else if block.stats.words <= MAX_FURNITURE {
                let place = if kept[index] {
                    Place::Block(index)
                } else {
                    Place::Gone
                };
                tally.add(shape(page, texts), post, place);
            }
        }
        tally.common(MIN_ALIKE.max(owners.posts * 3 / 5))
    }
}

enum Place {
    Block(usize),
    Line(NodeId),
    /// Not kept in any case, and counted.
    Gone,
}

#[derive(Default)]
struct Tally {
    /// By shape: the number of posts, and the last of them.
    posts_with: HashMap<String, (usize, NodeId)>,
    places: Vec<(String, Place)>,
}

impl Tally {
    fn add(&mut self, shape: String, post: NodeId, place: Place) {
        let (count, last) = self
            .posts_with
            .entry(shape.clone())
            .or_insert((0, NodeId::DOCUMENT));
        if *last != post {
            *count += 1;
            *last = post;
        }
        self.places.push((shape, place));
    }

    fn common(self, least: usize) -> Furniture {
        let mut furniture = Furniture::default();
        for (shape, place) in self.places {
            if self.posts_with[&shape].0 >= least {
                match place {
                    Place::Block(index) => furniture.blocks.push(index),
                    Place::Line(id) => furniture.lines.push(id),
                    Place::Gone => {}
                }
            }
        }
        furniture
    }
}

/// Whether a text is a line by itself, below a break.
fn stands_alone(page: &Page, id: NodeId) -> bool {
    page.own_chars(id) > 0
        && page
            .element_before(id)
            .is_some_and(|before| page.tag(before) == Some(Tag::Br))
        && page
            .live_siblings_after(id)
            .next()
            .is_none_or(|after| page.tag(after) == Some(Tag::Br))
}

/// A text with one sign for every number.
pub(in super::super) fn shape(page: &Page, texts: &[NodeId]) -> String {
    let mut shape = String::new();
    for text in texts.iter().filter_map(|&id| page.text(id)) {
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if !c.is_numeric() {
                shape.extend(c.to_lowercase());
            } else if !shape.ends_with('0') {
                shape.push('0');
            }
        }
    }
    shape
}

/// Words of a block that can be furniture, and posts in which it must stand.
const MAX_FURNITURE: f32 = 8.0;
const MIN_ALIKE: usize = 3;
