//! What repeats: equal texts, equal ways of tags down from the body, siblings of one tag and first class.

use super::{Base, Family, RowSink, log, ratio};
use crate::{
    hashing::{self, SeenFilter},
    html::NodeId,
    main_block::auto::text::mix,
};

/// Blocks that are reached by the same tags.
#[derive(Clone, Copy, Default)]
struct Path {
    blocks: f32,
    words: f32,
    stops: f32,
}

pub(super) struct Repetition {
    /// How often each block's text occurs, by block.
    copies: Vec<f32>,
    paths: Vec<Path>,
    path_of: Vec<usize>,
    /// By place, how many siblings have the same tag and first class.
    siblings: Vec<f32>,
    /// By block: share of its runs of words that stand before it, and behind it.
    said: Vec<[f32; 2]>,
}

/// Words that are compared as one. Higher: what is quoted with a change is taken for new.
const RUN: usize = 4;

/// Gives equal keys equal numbers.
struct Numbers(hashing::Table<u64, usize>);

impl Numbers {
    /// With room for so many keys.
    fn with_room(keys: usize) -> Numbers {
        Numbers(hashing::Table::with_capacity_and_hasher(keys, hashing::RandomState::default()))
    }

    fn number(&mut self, key: u64) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}

impl Repetition {
    pub(super) fn new(base: &Base<'_>) -> Repetition {
        let (paths, path_of) = paths(base);
        Repetition {
            copies: occurrences(base.blocks.list.iter().map(|block| block.stats.hash)),
            paths,
            path_of,
            said: said(base),
            siblings: siblings(base),
        }
    }
}

/// By block, the shares of its runs of words that also stand in an earlier and in a later block.
fn said(base: &Base<'_>) -> Vec<[f32; 2]> {
    let (mut runs, mut ranges) = (Vec::new(), Vec::new());
    // Most runs are met once, and need no place in a table.
    let (mut met, mut again) = (SeenFilter::new(), SeenFilter::new());
    for block in &base.blocks.list {
        let start = runs.len();
        for run in base.blocks.words(block).windows(RUN) {
            let run = run.iter().fold(0, |run, &word| mix(run, word));
            if met.add(run) {
                again.add(run);
            }
            runs.push(run);
        }
        ranges.push(start..runs.len());
    }
    let is_repeated = |run: &&u64| again.may_have(**run);
    // The first and the last block with each run.
    let mut places: hashing::Table<u64, (usize, usize)> = hashing::Table::default();
    for (at, range) in ranges.iter().enumerate() {
        for &run in runs[range.clone()].iter().filter(is_repeated) {
            places.entry(run).or_insert((at, at)).1 = at;
        }
    }
    let shares = ranges.iter().enumerate().map(|(at, range)| {
        let (mut before, mut behind) = (0.0, 0.0);
        for run in runs[range.clone()].iter().filter(is_repeated) {
            let (first, last) = places[run];
            before += f32::from(u8::from(first < at));
            behind += f32::from(u8::from(last > at));
        }
        let all = range.len() as f32;
        [ratio(before, all), ratio(behind, all)]
    });
    shares.collect()
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
        let number = numbers.number(keys[base.place(block.container)]);
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

fn siblings(base: &Base<'_>) -> Vec<f32> {
    let mut children = vec![0; base.page.len()];
    for &id in &base.rows {
        children[base.page.parent(id).index()] += 1;
    }
    let key = |&id: &NodeId| {
        let tag = base.page.tag(id).map_or(255, |tag| tag as u64);
        let parent = base.page.parent(id);
        let key = mix(mix(1, u64::from(parent.0)), tag);
        let class = if children[parent.index()] > 1 { base.page.first_class(id) } else { "" };
        class.bytes().fold(key, |key, byte| mix(key, u64::from(byte)))
    };
    occurrences(base.rows.iter().map(key))
}

/// How often each of some keys occurs.
fn occurrences(keys: impl ExactSizeIterator<Item = u64>) -> Vec<f32> {
    let mut numbers = Numbers::with_room(keys.len());
    let which: Vec<usize> = keys.map(|key| numbers.number(key)).collect();
    let mut counts = vec![0.0; numbers.0.len()];
    for &number in &which {
        counts[number] += 1.0;
    }
    which.into_iter().map(|number| counts[number]).collect()
}

impl Family for Repetition {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl RowSink) {
        row.add("copies", self.copies[index]);
        let [before, behind] = self.said[index];
        row.add("said_before", before);
        row.add("said_behind", behind);
        let path = self.paths[self.path_of[index]];
        row.add("path_blocks", log(path.blocks));
        row.add("path_words", ratio(path.words, path.blocks));
        row.add("path_share", ratio(path.words, base.total_words()));
        row.add("path_stops", ratio(path.stops, path.blocks));
        row.add("siblings", log(self.siblings[base.place(chain[0])]));
    }
}
