//! What repeats: equal texts, equal ways of tags down from the body, brothers of one shape.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

use html5ever::local_name;

use super::{Base, Family, Row, log, ratio};
use crate::{filter::main_block::auto::text::mix, page::NodeId};

/// Blocks that are reached by the same tags.
#[derive(Clone, Copy, Default)]
struct Path {
    blocks: f32,
    words: f32,
    stops: f32,
}

/// Brothers with the same tag and the same first class.
#[derive(Clone, Copy, Default)]
struct Shape {
    members: f32,
    chars: f32,
    squares: f32,
}

pub(super) struct Repetition {
    /// How often each block's text occurs, by block.
    copies: Vec<f32>,
    paths: Vec<Path>,
    path_of: Vec<usize>,
    shapes: Vec<Shape>,
    /// By row.
    shape_of: Vec<usize>,
}

/// Gives equal keys equal numbers.
#[derive(Default)]
struct Numbers(HashMap<u64, usize, Secret>);

/// The keys are hashes already, and anybody can work out which of them are alike. One multiplication by a number that nobody
/// knows parts them again (Dietzfelbinger, Hagerup, Katajainen, Penttonen, *A Reliable Randomized Algorithm for the
/// Closest-Pair Problem*, 1997).
#[derive(Clone, Copy, Default)]
struct Secret;

static MULTIPLIER: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);

impl BuildHasher for Secret {
    type Hasher = Product;

    fn build_hasher(&self) -> Product {
        Product(*MULTIPLIER)
    }
}

struct Product(u64);

impl Hasher for Product {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(key) * u128::from(self.0);
        let half = |half: u128| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0);
        self.0 = half(product) ^ half(product >> 64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Numbers {
    fn of(&mut self, key: u64) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}

impl Repetition {
    pub(super) fn of(base: &Base<'_>) -> Repetition {
        let (shapes, shape_of) = shapes(base);
        let (paths, path_of) = paths(base);
        let mut numbers = Numbers::default();
        let mut counts = Vec::new();
        let which: Vec<usize> = base
            .blocks
            .list
            .iter()
            .map(|block| {
                let number = numbers.of(block.stats.hash);
                if number == counts.len() {
                    counts.push(0.0);
                }
                counts[number] += 1.0;
                number
            })
            .collect();
        Repetition {
            copies: which.into_iter().map(|number| counts[number]).collect(),
            paths,
            path_of,
            shapes,
            shape_of,
        }
    }
}

/// The tags from the body down to each element with text, as numbers by row.
fn paths(base: &Base<'_>) -> (Vec<Path>, Vec<usize>) {
    let mut keys = vec![0u64; base.page.len()];
    for &id in &base.rows {
        let above = if id == base.body {
            0
        } else {
            keys[base.page.parent(id).index()]
        };
        let tag = base.page.tag(id).map_or(255, |tag| tag as u64);
        keys[id.index()] = mix(above, tag + 1);
    }
    let mut numbers = Numbers::default();
    let mut paths: Vec<Path> = Vec::new();
    let mut path_of = Vec::with_capacity(base.blocks.list.len());
    for block in &base.blocks.list {
        let number = numbers.of(keys[block.container.index()]);
        if number == paths.len() {
            paths.push(Path::default());
        }
        paths[number].blocks += 1.0;
        paths[number].words += block.stats.words;
        paths[number].stops += block.stats.stops;
        path_of.push(number);
    }
    (paths, path_of)
}

fn shapes(base: &Base<'_>) -> (Vec<Shape>, Vec<usize>) {
    let mut numbers = Numbers::default();
    let mut shapes: Vec<Shape> = Vec::new();
    let mut shape_of = vec![0; base.page.len()];
    for &id in &base.rows {
        let tag = base.page.tag(id).map_or(255, |tag| tag as u64);
        let mut key = mix(mix(1, u64::from(base.page.parent(id).0)), tag);
        if let Some(class) = base.page.attribute(id, &local_name!("class")) {
            let first = class.split_ascii_whitespace().next().unwrap_or("");
            key = first
                .bytes()
                .fold(key, |key, byte| mix(key, u64::from(byte)));
        }
        let number = numbers.of(key);
        if number == shapes.len() {
            shapes.push(Shape::default());
        }
        let chars = base.chars(id);
        shapes[number].members += 1.0;
        shapes[number].chars += chars;
        shapes[number].squares += chars * chars;
        shape_of[id.index()] = number;
    }
    (shapes, shape_of)
}

impl Family for Repetition {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut Row<'_>) {
        row.add("copies", self.copies[index]);
        let path = self.paths[self.path_of[index]];
        row.add("path_blocks", log(path.blocks));
        row.add("path_words", ratio(path.words, path.blocks));
        row.add("path_share", ratio(path.words, base.total_words()));
        row.add("path_stops", ratio(path.stops, path.blocks));
        // The group that explains most of the page around this block.
        let (mut level, mut group, mut own) = (0.0, Shape::default(), 0.0);
        for (at, &id) in chain
            .iter()
            .enumerate()
            .take_while(|(_, id)| **id != base.body)
        {
            let shape = self.shapes[self.shape_of[id.index()]];
            if shape.members >= 3.0 && shape.chars > group.chars {
                (level, group, own) = (at as f32 + 1.0, shape, base.chars(id));
            }
        }
        let mean = ratio(group.chars, group.members);
        let variance = ratio(group.squares, group.members) - mean * mean;
        row.add("group_level", level);
        row.add("group_members", log(group.members));
        row.add("group_share", ratio(group.chars, base.chars(base.body)));
        row.add("group_mean", log(mean));
        row.add("group_spread", ratio(variance.max(0.0).sqrt(), mean));
        row.add("group_own", ratio(own, mean));
        let brothers = self.shapes[self.shape_of[chain[0].index()]];
        row.add("brothers", log(brothers.members));
    }
}
