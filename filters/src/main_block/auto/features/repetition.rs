//! What repeats: equal texts, equal ways of tags down from the body, brothers of one shape.

use html5ever::local_name;

use super::{Base, Family, Row, log, ratio};
use crate::{
    hashing,
    html::NodeId,
    main_block::auto::text::{self, mix},
    vocabulary::words::count,
};

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
    /// By place.
    shape_of: Vec<usize>,
    groups: Vec<Group>,
    /// By block: share of its runs of words that stand before it, and behind it.
    said: Vec<[f32; 2]>,
}

/// Words that are compared as one. Higher: what is quoted with a change is taken for new.
const RUN: usize = 4;

/// The group that explains most of the page around an element, or itself.
#[derive(Clone, Copy, Default)]
struct Group {
    shape: Shape,
    /// Levels up to its member, which counts as one; 0 where there is none.
    level: f32,
    /// Characters of that.
    own: f32,
}

/// Gives equal keys equal numbers.
struct Numbers(hashing::Table<u64, usize>);

impl Numbers {
    /// With room for so many keys.
    fn with_room(keys: usize) -> Numbers {
        Numbers(hashing::Table::with_capacity_and_hasher(keys, hashing::RandomState::default()))
    }

    fn of(&mut self, key: u64) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}

impl Repetition {
    pub(super) fn of(base: &Base<'_>) -> Repetition {
        let (shapes, shape_of) = shapes(base);
        let (paths, path_of) = paths(base);
        let mut numbers = Numbers::with_room(base.blocks.list.len());
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
            groups: groups(base, &shapes, &shape_of),
            said: said(base),
            shapes,
            shape_of,
        }
    }
}

/// By block, the shares of its runs of words that also stand in an earlier and in a later block.
fn said(base: &Base<'_>) -> Vec<[f32; 2]> {
    let mut words = Vec::new();
    let runs: Vec<Vec<u64>> = base
        .blocks
        .list
        .iter()
        .map(|block| {
            words.clear();
            for text in base.blocks.texts(block).iter().filter_map(|&id| base.page.text(id)) {
                text::words(&text, &mut words);
            }
            let run = |run: &[u64]| run.iter().fold(0, |run, &word| mix(run, word));
            words.windows(RUN).map(run).collect()
        })
        .collect();
    let all = runs.iter().map(Vec::len).sum();
    let mut first: hashing::Table<u64, u32> =
        hashing::Table::with_capacity_and_hasher(all, hashing::RandomState::default());
    let mut last = first.clone();
    for (at, runs) in runs.iter().enumerate() {
        for &run in runs {
            first.entry(run).or_insert(count(at));
            last.insert(run, count(at));
        }
    }
    let shares = runs.iter().enumerate().map(|(at, runs)| {
        let at = count(at);
        let share =
            |of: &dyn Fn(&u64) -> bool| ratio(runs.iter().filter(|run| of(run)).count() as f32, runs.len() as f32);
        [share(&|run| first[run] < at), share(&|run| last[run] > at)]
    });
    shares.collect()
}

fn groups(base: &Base<'_>, shapes: &[Shape], shape_of: &[usize]) -> Vec<Group> {
    base.downwards(Group::default(), |id, above| {
        let shape = shapes[shape_of[base.place(id)]];
        if shape.members >= 3.0 && shape.chars > 0.0 && above.shape.chars <= shape.chars {
            return Group { shape, level: 1.0, own: base.chars(id) };
        }
        let level = if above.level > 0.0 { 1.0 } else { 0.0 };
        Group { level: above.level + level, ..*above }
    })
}

/// The tags from the body down to each element with text, as numbers by block.
fn paths(base: &Base<'_>) -> (Vec<Path>, Vec<usize>) {
    let tag = |id| base.page.tag(id).map_or(255, |tag| tag as u64);
    let of_body = mix(0, tag(base.body) + 1);
    let keys = base.downwards(of_body, |id, &above| mix(above, tag(id) + 1));
    let mut numbers = Numbers::with_room(base.blocks.list.len());
    let mut paths: Vec<Path> = Vec::new();
    let mut path_of = Vec::with_capacity(base.blocks.list.len());
    for block in &base.blocks.list {
        let number = numbers.of(keys[base.place(block.container)]);
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
    let mut numbers = Numbers::with_room(base.rows.len());
    let mut shapes: Vec<Shape> = Vec::new();
    let mut shape_of = Vec::with_capacity(base.rows.len());
    for &id in &base.rows {
        let tag = base.page.tag(id).map_or(255, |tag| tag as u64);
        let mut key = mix(mix(1, u64::from(base.page.parent(id).0)), tag);
        if let Some(class) = base.page.attribute(id, &local_name!("class")) {
            let first = class.split_ascii_whitespace().next().unwrap_or("");
            key = first.bytes().fold(key, |key, byte| mix(key, u64::from(byte)));
        }
        let number = numbers.of(key);
        if number == shapes.len() {
            shapes.push(Shape::default());
        }
        let chars = base.chars(id);
        shapes[number].members += 1.0;
        shapes[number].chars += chars;
        shapes[number].squares += chars * chars;
        shape_of.push(number);
    }
    (shapes, shape_of)
}

impl Family for Repetition {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl Row) {
        row.add("copies", self.copies[index]);
        let [before, behind] = self.said[index];
        row.add("said_before", before);
        row.add("said_behind", behind);
        let path = self.paths[self.path_of[index]];
        row.add("path_blocks", log(path.blocks));
        row.add("path_words", ratio(path.words, path.blocks));
        row.add("path_share", ratio(path.words, base.total_words()));
        row.add("path_stops", ratio(path.stops, path.blocks));
        let place = base.place(chain[0]);
        let Group { shape: group, level, own } = self.groups[place];
        let mean = ratio(group.chars, group.members);
        let variance = ratio(group.squares, group.members) - mean * mean;
        row.add("group_level", level);
        row.add("group_members", log(group.members));
        row.add("group_share", ratio(group.chars, base.chars(base.body)));
        row.add("group_mean", log(mean));
        row.add("group_spread", ratio(variance.max(0.0).sqrt(), mean));
        row.add("group_own", ratio(own, mean));
        let brothers = self.shapes[self.shape_of[place]];
        row.add("brothers", log(brothers.members));
    }
}
