//! The blocks of posts that are in no body.

use std::collections::{HashMap, HashSet};

use super::{
    Talk,
    around::{MAX_WORDS, texts_of},
};
use crate::{
    filter::main_block::auto::blocks::Blocks,
    page::{NodeId, Page},
};

/// The blocks around the bodies.
pub(super) struct Outside {
    /// With the post of each.
    pub(super) blocks: Vec<(usize, NodeId)>,
    /// By row of a text: its block.
    pub(super) of_text: HashMap<NodeId, usize>,
}

/// What stands at one place of the posts.
#[derive(Default)]
pub(super) struct PlaceOf {
    /// Words of the longest block.
    pub(super) longest: f32,
    /// In how many of them there is one.
    pub(super) posts: usize,
    last: NodeId,
}

impl Outside {
    pub(super) fn of(page: &Page, blocks: &Blocks, talk: &Talk) -> Outside {
        let mut outside = Outside {
            blocks: Vec::new(),
            of_text: HashMap::new(),
        };
        for (index, block) in blocks.list.iter().enumerate() {
            let Some(post) = talk.owners.of_node(block.container) else {
                continue;
            };
            if talk.is_body(page, post, block.container) {
                continue;
            }
            outside.blocks.push((index, post));
            for &id in blocks.texts(block) {
                outside.of_text.insert(id, index);
            }
        }
        outside
    }

    /// The block in which a sign stands.
    pub(super) fn block(&self, page: &Page, sign: NodeId) -> Option<usize> {
        texts_of(page, sign).find_map(|id| self.of_text.get(&id).copied())
    }

    /// Takes out the blocks in some elements, which are in document order and not within each other; gives all blocks in them.
    pub(super) fn without(
        &mut self,
        page: &Page,
        blocks: &Blocks,
        elements: &[NodeId],
    ) -> Vec<usize> {
        let gone: Vec<usize> = elements
            .iter()
            .flat_map(|&element| blocks.inside(page, element))
            .collect();
        if !gone.is_empty() {
            let stays = |index: &usize| gone.binary_search(index).is_err();
            self.blocks.retain(|(index, _)| stays(index));
            self.of_text.retain(|_, index| stays(index));
        }
        gone
    }

    pub(super) fn places(&self, blocks: &Blocks, talk: &Talk) -> HashMap<u64, PlaceOf> {
        let mut places: HashMap<u64, PlaceOf> = HashMap::new();
        for &(index, post) in &self.blocks {
            let block = &blocks.list[index];
            let place = places
                .entry(talk.places.place(block.container))
                .or_default();
            place.longest = place.longest.max(block.stats.words);
            place.posts += usize::from(place.last != post);
            place.last = post;
        }
        places
    }

    /// Blocks whose text stands at the same place of several posts; a long one, of the same writer: others quote it.
    pub(super) fn repeated(
        &self,
        blocks: &Blocks,
        talk: &Talk,
        writers: &HashMap<NodeId, String>,
    ) -> HashSet<usize> {
        let mut first: HashMap<_, (usize, NodeId)> = HashMap::new();
        let mut repeated = HashSet::new();
        for &(index, post) in &self.blocks {
            let block = &blocks.list[index];
            let is_long = block.stats.words > MAX_WORDS;
            let writer = writers.get(&post).filter(|_| is_long);
            let place = talk.places.place(block.container);
            let (before, other) = *first
                .entry((block.stats.hash, place, writer))
                .or_insert((index, post));
            if other != post {
                repeated.extend([before, index]);
            }
        }
        repeated
    }
}
