//! Gradient-boosted trees (Friedman 2001, as `LightGBM` fits them): the chance that a block belongs to the main content.
//!
//! The table that ships is `forest.bin`, 300 trees of 15 leaves. It was fitted by `lab/` to the development part of
//! the Web Content Extraction Benchmark (WCXB, Murrough Foley 2026, CC BY 4.0): pages of seven kinds whose main content
//! people have marked.
//!
//! No tree is walked: every step of a walk depends on the one before it, and no processor guesses it. A leaf is a bit, from left to
//! right; of a set of all leaves every node whose value is above its threshold takes away those on its left, and the
//! first that remains is where the walk would have ended (Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini,
//! *`QuickScorer`*, SIGIR 2015). There is nothing to be guessed, and several blocks are judged at once (the same, *Exploiting CPU
//! SIMD Extensions to Speed-up Document Scoring with Tree Ensembles*, SIGIR 2016). A page's 277 blocks take about 0.2 ms
//! (WCXB dev, 2026-11-23).

#[cfg(test)]
mod tests;

use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

const MAGIC: &[u8] = b"GLF1";

/// Most leaves of a tree: the bits of a set.
const MAX_LEAVES: usize = 32;

/// The last bit of a set.
const LAST: u32 = 1 << (MAX_LEAVES - 1);

/// Rows that are judged together: so many sets stay in registers, eight of four each. A row too few is judged with what the one
/// before it left.
const LANES: usize = 32;

static SHIPPED: LazyLock<Arc<Forest>> = LazyLock::new(|| {
    let forest = Forest::parse(include_bytes!("forest.bin"));
    Arc::new(forest.expect("a test reads the table that ships"))
});

/// Trees, ready to be asked.
#[derive(Debug)]
pub(crate) struct Forest {
    /// Names of the columns that a row must have, in order.
    pub(crate) columns: Vec<String>,
    /// All nodes, by column and then by threshold.
    splits: Vec<Split>,
    /// Those of each column.
    of_column: Vec<Range<usize>>,
    /// The values of each tree's leaves, from left to right.
    leaves: Vec<[f32; MAX_LEAVES]>,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    column: u8,
    tree: u16,
    threshold: f32,
    /// The leaves that remain for a value above the threshold: all but those on the left.
    above: u32,
}

/// A node as it stands in the file. A child below 0 is a leaf: -1 the first.
struct Node {
    column: u8,
    threshold: f32,
    sides: [i8; 2],
}

impl Forest {
    pub(crate) fn shipped() -> Arc<Forest> {
        Arc::clone(&SHIPPED)
    }

    /// Reads the format that `lab/fit.py` writes; `None` where it is anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Forest> {
        let mut from = Bytes(bytes);
        if from.take(MAGIC.len())? != MAGIC {
            return None;
        }
        let (width, trees, listed) = (from.short()?, from.short()?, from.short()?);
        let names = std::str::from_utf8(from.take(listed)?).ok()?;
        let mut forest = Forest {
            columns: names.lines().map(str::to_owned).collect(),
            splits: Vec::new(),
            of_column: Vec::new(),
            leaves: Vec::new(),
        };
        for _ in 0..trees {
            forest.parse_tree(&mut from)?;
        }
        let is_sound = forest.columns.len() == width
            && from.0.is_empty()
            && forest.splits.iter().all(|split| usize::from(split.column) < width && !split.threshold.is_nan());
        forest.sort();
        is_sound.then_some(forest)
    }

    /// Brings the nodes of each column together.
    fn sort(&mut self) {
        self.splits.sort_by(|one, other| {
            let columns = one.column.cmp(&other.column);
            columns.then(one.threshold.total_cmp(&other.threshold))
        });
        let begin = |column: usize| {
            let is_before = |split: &Split| usize::from(split.column) < column;
            self.splits.partition_point(is_before)
        };
        self.of_column = (0..self.columns.len()).map(|column| begin(column)..begin(column + 1)).collect();
    }

    fn parse_tree(&mut self, from: &mut Bytes<'_>) -> Option<()> {
        let inner = usize::from(from.take(1)?[0]);
        if !(1..MAX_LEAVES).contains(&inner) {
            return None;
        }
        let mut nodes = Vec::with_capacity(inner);
        for _ in 0..inner {
            nodes.push(Node {
                column: from.take(1)?[0],
                threshold: from.float()?,
                sides: [from.take(1)?[0], from.take(1)?[0]].map(u8::cast_signed),
            });
        }
        let (mut next_node, mut next_leaf) = (0, 0);
        self.add(&nodes, 0, &mut next_node, &mut next_leaf)?;
        if (next_node, next_leaf) != (inner, inner + 1) {
            return None;
        }
        let mut leaves = [0.0; MAX_LEAVES];
        for leaf in &mut leaves[..=inner] {
            *leaf = from.float()?;
        }
        self.leaves.push(leaves);
        Some(())
    }

    /// Adds what is below a child: nodes are listed from the root down and leaves from left to right, each once, or it is no tree.
    fn add(&mut self, nodes: &[Node], child: i8, next_node: &mut usize, next_leaf: &mut usize) -> Option<()> {
        if child < 0 {
            *next_leaf += 1;
            return (usize::from(child.unsigned_abs()) == *next_leaf).then_some(());
        }
        let node = nodes.get(*next_node)?;
        if usize::try_from(child) != Ok(*next_node) {
            return None;
        }
        *next_node += 1;
        let at = self.splits.len();
        self.splits.push(Split {
            column: node.column,
            tree: u16::try_from(self.leaves.len()).ok()?,
            threshold: node.threshold,
            above: 0,
        });
        let first = *next_leaf;
        self.add(nodes, node.sides[0], next_node, next_leaf)?;
        self.splits[at].above = !(leaves_up_to(*next_leaf)? & !leaves_up_to(first)?);
        self.add(nodes, node.sides[1], next_node, next_leaf)
    }

    /// A number from 0 to 1 for each row, of as many values as there are columns.
    pub(crate) fn chances(&self, rows: &Rows) -> Vec<f32> {
        let mut chances = Vec::with_capacity(rows.count + LANES);
        let bounds: Vec<Bounds> = rows.groups().map(Bounds::of).collect();
        let asked = self.asked(&bounds);
        let mut left = asked.left.clone();
        for (columns, bounds) in rows.groups().zip(&bounds) {
            for (left, whole) in left.iter_mut().zip(&asked.left) {
                (left.of_all, left.is_parted) = (whole.of_all, false);
            }
            asked.take_away(columns, bounds, &mut left);
            let sums = self.sums(&left);
            chances.extend(sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())));
        }
        chances.truncate(rows.count);
        chances
    }

    /// What must be asked of a table: what is the same for all of its rows is settled here.
    fn asked(&self, bounds: &[Bounds]) -> Asked<'_> {
        let mut left = vec![Left::default(); self.leaves.len()];
        let mut columns = Vec::new();
        let Some((first, rest)) = bounds.split_first() else {
            return Asked { columns, left };
        };
        let mut whole = first.clone();
        for part in rest {
            whole.widen(&part.least, &part.greatest);
        }
        for (column, range) in self.of_column.iter().enumerate() {
            let (least, greatest) = (whole.least[column], whole.greatest[column]);
            let splits = &self.splits[range.clone()];
            let below = splits.partition_point(|split| split.threshold < least);
            let (below, rest) = splits.split_at(below);
            for split in below {
                left[usize::from(split.tree)].of_all &= split.above;
            }
            let parting = rest.partition_point(|split| split.threshold < greatest);
            if parting > 0 {
                columns.push((column, &rest[..parting]));
            }
        }
        Asked { columns, left }
    }

    /// What the trees say of the rows, by the first leaf that is left of each.
    fn sums(&self, left: &[Left]) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        for (leaves, left) in self.leaves.iter().zip(left) {
            // No set is empty; the compiler does not know.
            let value = |set: u32| leaves[(set | LAST).trailing_zeros() as usize];
            if left.is_parted {
                for (sum, set) in sums.iter_mut().zip(&left.of_each) {
                    *sum += value(set & left.of_all);
                }
            } else {
                let value = value(left.of_all);
                for sum in &mut sums {
                    *sum += value;
                }
            }
        }
        sums
    }
}

/// The columns that part the rows of a table, with the nodes that do.
struct Asked<'a> {
    columns: Vec<(usize, &'a [Split])>,
    /// What is left of each tree for all rows.
    left: Vec<Left>,
}

impl Asked<'_> {
    /// Takes the leaves away that are not reached.
    fn take_away(&self, columns: &[Column], bounds: &Bounds, left: &mut [Left]) {
        for (column, splits) in &self.columns {
            let (least, greatest) = (bounds.least[*column], bounds.greatest[*column]);
            let values = &columns[*column];
            for split in *splits {
                if split.threshold >= greatest {
                    break;
                }
                let left = &mut left[usize::from(split.tree)];
                if split.threshold < least {
                    left.of_all &= split.above;
                    continue;
                }
                if !left.is_parted {
                    left.is_parted = true;
                    left.of_each = [u32::MAX; LANES];
                }
                split.part(values, &mut left.of_each);
            }
        }
    }
}

impl Split {
    /// Takes the leaves on the left away from rows whose value is above. By itself, or the compiler takes one row at a time.
    #[inline(never)]
    fn part(&self, values: &Column, sets: &mut [u32; LANES]) {
        for (set, value) in sets.iter_mut().zip(values) {
            // All bits where it is true, and no branch, for the same reason.
            let stays = u32::from(*value <= self.threshold).wrapping_neg();
            *set &= self.above | stays;
        }
    }
}

/// The leaves of a tree that are left. Neighbours on a page are much alike: three in four nodes send all rows that are judged
/// together to one side (WCXB dev, 2026-11-22), and those are not looked at for each of them.
#[derive(Clone, Copy)]
struct Left {
    of_all: u32,
    /// Beside it, where some node parts the rows.
    is_parted: bool,
    of_each: [u32; LANES],
}

impl Default for Left {
    fn default() -> Left {
        Left { of_all: u32::MAX, is_parted: false, of_each: [u32::MAX; LANES] }
    }
}

/// The values of a column for the rows that are judged together.
pub(crate) type Column = [f32; LANES];

/// Rows as they are judged: so many together, column by column.
pub(crate) struct Rows {
    /// Numbers in a row.
    width: usize,
    count: usize,
    /// Those of the first rows, then those of the next. Of rows too few the last stands in.
    columns: Vec<Column>,
}

impl Rows {
    /// Rows of zeros.
    pub(crate) fn new(width: usize, count: usize) -> Rows {
        Rows { width, count, columns: vec![[0.0; LANES]; width * count.div_ceil(LANES)] }
    }

    #[cfg(any(test, feature = "training"))]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The columns of a row, and its place in each of them.
    pub(crate) fn row_mut(&mut self, row: usize) -> (&mut [Column], usize) {
        let first = row / LANES * self.width;
        (&mut self.columns[first..first + self.width], row % LANES)
    }

    /// To be called when all rows are written.
    pub(crate) fn finish(&mut self) {
        let written = self.count % LANES;
        if written > 0 {
            let first = self.columns.len() - self.width;
            for column in &mut self.columns[first..] {
                let last = column[written - 1];
                column[written..].fill(last);
            }
        }
    }

    /// The numbers row by row, for the program that fits the forest.
    #[cfg(any(test, feature = "training"))]
    pub(crate) fn to_vec(&self) -> Vec<f32> {
        let rows = 0..self.count;
        let places = rows.map(|row| (row / LANES * self.width, row % LANES));
        let values = places.flat_map(|(first, lane)| {
            let columns = &self.columns[first..first + self.width];
            columns.iter().map(move |column| column[lane])
        });
        values.collect()
    }

    fn groups(&self) -> impl Iterator<Item = &[Column]> {
        self.columns.chunks_exact(self.width.max(1))
    }
}

/// The least and the greatest of each column in some rows, none of which is no number.
#[derive(Clone)]
struct Bounds {
    least: Vec<f32>,
    greatest: Vec<f32>,
}

impl Bounds {
    fn of(columns: &[Column]) -> Bounds {
        Bounds {
            least: columns.iter().map(|column| fold(column, less)).collect(),
            greatest: columns.iter().map(|column| fold(column, greater)).collect(),
        }
    }

    fn widen(&mut self, least: &[f32], greatest: &[f32]) {
        for (own, &other) in self.least.iter_mut().zip(least) {
            *own = less(*own, other);
        }
        for (own, &other) in self.greatest.iter_mut().zip(greatest) {
            *own = greater(*own, other);
        }
    }
}

/// One of two values of a column again and again, four at once.
#[inline]
fn fold(column: &Column, of: impl Fn(f32, f32) -> f32) -> f32 {
    let [mut four, ref rest @ ..] = *column.as_chunks::<4>().0 else {
        return 0.0;
    };
    for next in rest {
        for (own, &other) in four.iter_mut().zip(next) {
            *own = of(*own, other);
        }
    }
    of(of(four[0], four[1]), of(four[2], four[3]))
}

fn less(one: f32, other: f32) -> f32 {
    if other < one { other } else { one }
}

fn greater(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

/// The set of the first leaves of a tree.
fn leaves_up_to(count: usize) -> Option<u32> {
    let all = (1u64 << u32::try_from(count).ok().filter(|&count| count <= 32)?) - 1;
    u32::try_from(all).ok()
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn short(&mut self) -> Option<usize> {
        let bytes = self.take(2)?.try_into().ok()?;
        Some(usize::from(u16::from_le_bytes(bytes)))
    }

    fn float(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
}
