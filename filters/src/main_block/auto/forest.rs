//! Gradient-boosted trees (Friedman 2001, as `LightGBM` fits them): the probability that a block belongs to the main content.
//!
//! The table that ships is `forest.bin`, 300 trees of 15 leaves. It was fitted by `lab/` to the development part of
//! the Web Content Extraction Benchmark (WCXB, Murrough Foley 2026, CC BY 4.0): pages of seven kinds whose main content
//! people have marked.
//!
//! No tree is walked: every step of a walk depends on the one before it, and no processor guesses it. A leaf is a bit, from left to
//! right; of a set of all leaves every node whose value is above its threshold takes away those on its left, and the
//! first that remains is where the walk would have ended (Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini,
//! *`QuickScorer`*, SIGIR 2015). There is nothing to be guessed, and several blocks are judged at once (the same, *Exploiting CPU
//! SIMD Extensions to Speed-up Document Scoring with Tree Ensembles*, SIGIR 2016).

#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

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
    trees: Vec<Tree>,
}

#[derive(Debug)]
struct Tree {
    splits: Vec<Split>,
    /// The values of its leaves, from left to right.
    leaves: [f32; MAX_LEAVES],
}

#[derive(Clone, Copy, Debug)]
struct Split {
    column: u8,
    threshold: f32,
    /// The leaves that remain for a value above the threshold, all but those on the left; and for any other.
    above: u32,
    below: u32,
}

/// The splits of a tree that remain where some answers are the same for all rows.
struct Narrowed<'a> {
    tree: &'a Tree,
    /// The leaves that a row may end in.
    set: u32,
    /// Where its questions end in the list of them all.
    end: usize,
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
        let columns: Vec<String> = names.lines().map(str::to_owned).collect();
        let trees: Vec<Tree> = (0..trees).map(|_| Tree::parse(&mut from)).collect::<Option<_>>()?;
        let is_sound = |split: &Split| usize::from(split.column) < width && !split.threshold.is_nan();
        let are_sound = trees.iter().flat_map(|tree| &tree.splits).all(is_sound);
        (are_sound && columns.len() == width && from.0.is_empty()).then_some(Forest { columns, trees })
    }

    /// A number from 0 to 1 for each row, of as many values as there are columns.
    pub(crate) fn probabilities(&self, rows: &Rows) -> Vec<f32> {
        debug_assert!(rows.count == 0 || rows.width == self.columns.len(), "a table of other columns");
        let mut probabilities = Vec::with_capacity(rows.count + LANES);
        if rows.count == 0 {
            return probabilities;
        }
        let (trees, splits) = self.narrowed(&rows.common());
        for columns in rows.groups() {
            let mut sums = [0.0; LANES];
            let mut start = 0;
            for Narrowed { tree, set, end } in &trees {
                tree.add_to(&mut sums, sets(*set, &splits[start..*end], columns));
                start = *end;
            }
            probabilities.extend(sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())));
        }
        probabilities.truncate(rows.count);
        probabilities
    }

    /// Many questions are about the page, or about what it does not have: they are answered once.
    fn narrowed(&self, common: &[Option<f32>]) -> (Vec<Narrowed<'_>>, Vec<Split>) {
        let mut splits = Vec::new();
        let narrowed = self.trees.iter().map(|tree| {
            let mut set = u32::MAX;
            for split in &tree.splits {
                if set & !split.above == 0 {
                    // It stands on the other side of an answer.
                    continue;
                }
                match common[usize::from(split.column)] {
                    Some(value) if value <= split.threshold => set &= split.below,
                    Some(_) => set &= split.above,
                    None => splits.push(*split),
                }
            }
            Narrowed { tree, set, end: splits.len() }
        });
        (narrowed.collect(), splits)
    }
}

impl Tree {
    fn parse(from: &mut Bytes<'_>) -> Option<Tree> {
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
        let mut tree = Tree { splits: Vec::with_capacity(inner), leaves: [0.0; MAX_LEAVES] };
        let mut next_leaf = 0;
        tree.add(&nodes, 0, &mut next_leaf)?;
        if (tree.splits.len(), next_leaf) != (inner, inner + 1) {
            return None;
        }
        for leaf in &mut tree.leaves[..=inner] {
            *leaf = from.float()?;
        }
        Some(tree)
    }

    /// Adds what is below a child: nodes are listed from the root down and leaves from left to right, each once, or it is no tree.
    fn add(&mut self, nodes: &[Node], child: i8, next_leaf: &mut usize) -> Option<()> {
        if child < 0 {
            *next_leaf += 1;
            return (usize::from(child.unsigned_abs()) == *next_leaf).then_some(());
        }
        let at = self.splits.len();
        let node = nodes.get(at).filter(|_| usize::try_from(child) == Ok(at))?;
        self.splits.push(Split { column: node.column, threshold: node.threshold, above: 0, below: 0 });
        let first = *next_leaf;
        self.add(nodes, node.sides[0], next_leaf)?;
        let middle = leaves_up_to(*next_leaf)?;
        self.splits[at].above = !(middle & !leaves_up_to(first)?);
        self.add(nodes, node.sides[1], next_leaf)?;
        self.splits[at].below = !(leaves_up_to(*next_leaf)? & !middle);
        Some(())
    }

    /// Adds what it says of each row, by the first leaf that is left of it.
    fn add_to(&self, sums: &mut [f32; LANES], sets: [u32; LANES]) {
        // No set is empty; the compiler does not know.
        let values = sets.map(|set| self.leaves[(set | LAST).trailing_zeros() as usize]);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
}

/// The leaves of a tree that the rows may end in. By itself, or the compiler takes one row at a time.
#[inline(never)]
fn sets(set: u32, splits: &[Split], columns: &[Column]) -> [u32; LANES] {
    let mut sets = [set; LANES];
    for split in splits {
        for (set, value) in sets.iter_mut().zip(&columns[usize::from(split.column)]) {
            // All bits where it is true, and no branch, for the same reason.
            let stays = u32::from(*value <= split.threshold).wrapping_neg();
            *set &= split.above | stays;
        }
    }
    sets
}

/// The values of a column for the rows that are judged together.
pub(crate) type Column = [f32; LANES];

/// Rows as they are judged: so many together, column by column.
pub(crate) struct Rows {
    /// Numbers in a row.
    width: usize,
    count: usize,
    /// Column-major in groups of [`LANES`] rows; the last group is padded with its last row.
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

    /// By column, the value that all rows have.
    fn common(&self) -> Vec<Option<f32>> {
        let common = |at: usize| {
            let mut values = self.groups().flat_map(|columns| &columns[at]);
            let first = *values.next()?;
            values.all(|value| value.to_bits() == first.to_bits()).then_some(first)
        };
        (0..self.width).map(common).collect()
    }

    fn groups(&self) -> impl Iterator<Item = &[Column]> {
        self.columns.chunks_exact(self.width.max(1))
    }
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
