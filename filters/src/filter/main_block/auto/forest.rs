//! Gradient-boosted trees (Friedman 2001, as `LightGBM` fits them): the chance that a block belongs to the main content.
//!
//! The table that ships is `forest.bin`, 150 trees of 15 leaves. It was fitted by `train/` to the development part of
//! the Web Content Extraction Benchmark (WCXB, Murrough Foley 2026, CC BY 4.0): pages of seven kinds whose main content
//! people have marked.
//!
//! No tree is walked: every step of a walk depends on the one before it, and no processor guesses it. A leaf is a bit, from left to
//! right; of a set of all leaves every node whose value is above its threshold takes away those on its left, and the
//! first that remains is where the walk would have ended (Lucchese, Nardini, Orlando, Perego, Tonellotto, Venturini,
//! *`QuickScorer`*, SIGIR 2015). There is nothing to be guessed, and several blocks are judged at once (the same, *Exploiting CPU
//! SIMD Extensions to Speed-up Document Scoring with Tree Ensembles*, SIGIR 2016). A page's 277 blocks take about 0.12 ms
//! (WCXB dev, 2026-11-21).

use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

const MAGIC: &[u8] = b"GLF1";

/// Most leaves of a tree: the bits of a set.
const MAX_LEAVES: usize = 32;

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
    splits: Vec<Split>,
    leaves: Vec<f32>,
}

/// Parts of the two lists.
#[derive(Clone, Debug)]
struct Tree {
    splits: Range<usize>,
    leaves: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Split {
    column: u8,
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

    /// Reads the format that `train/fit.py` writes; `None` where it is anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Forest> {
        let mut from = Bytes(bytes);
        if from.take(MAGIC.len())? != MAGIC {
            return None;
        }
        let (width, trees, listed) = (from.short()?, from.short()?, from.short()?);
        let names = std::str::from_utf8(from.take(listed)?).ok()?;
        let mut forest = Forest {
            columns: names.lines().map(str::to_owned).collect(),
            trees: Vec::new(),
            splits: Vec::new(),
            leaves: Vec::new(),
        };
        for _ in 0..trees {
            forest.parse_tree(&mut from)?;
        }
        let is_sound = forest.columns.len() == width
            && from.0.is_empty()
            && forest
                .splits
                .iter()
                .all(|split| usize::from(split.column) < width);
        is_sound.then_some(forest)
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
        let (split, leaf) = (self.splits.len(), self.leaves.len());
        let (mut next_node, mut next_leaf) = (0, 0);
        self.add(&nodes, 0, &mut next_node, &mut next_leaf)?;
        if (next_node, next_leaf) != (inner, inner + 1) {
            return None;
        }
        for _ in 0..=inner {
            self.leaves.push(from.float()?);
        }
        self.trees.push(Tree {
            splits: split..self.splits.len(),
            leaves: leaf..self.leaves.len(),
        });
        Some(())
    }

    /// Adds what is below a child: nodes are listed from the root down and leaves from left to right, each once, or it is no tree.
    fn add(
        &mut self,
        nodes: &[Node],
        child: i8,
        next_node: &mut usize,
        next_leaf: &mut usize,
    ) -> Option<()> {
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
            threshold: node.threshold,
            above: 0,
        });
        let first = *next_leaf;
        self.add(nodes, node.sides[0], next_node, next_leaf)?;
        self.splits[at].above = !(leaves_up_to(*next_leaf)? & !leaves_up_to(first)?);
        self.add(nodes, node.sides[1], next_node, next_leaf)
    }

    /// A number from 0 to 1 for each row of a table, whose rows have as many values as there are columns.
    pub(crate) fn chances(&self, values: &[f32]) -> Vec<f32> {
        let width = self.columns.len().max(1);
        let mut chances = Vec::with_capacity(values.len() / width);
        let mut columns = vec![[0.0; LANES]; width];
        let mut bounds = vec![Bounds::default(); width];
        for rows in values.chunks(width * LANES) {
            let rows = rows.chunks_exact(width);
            let count = rows.len();
            for (lane, row) in rows.enumerate() {
                for (column, value) in columns.iter_mut().zip(row) {
                    column[lane] = *value;
                }
            }
            for (bounds, column) in bounds.iter_mut().zip(&columns) {
                *bounds = Bounds::of(column);
            }
            let sums = self.sums(&columns, &bounds);
            chances.extend(sums[..count].iter().map(|sum| 1.0 / (1.0 + (-sum).exp())));
        }
        chances
    }

    /// What the trees say of the rows.
    fn sums(&self, columns: &[[f32; LANES]], bounds: &[Bounds]) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        for tree in &self.trees {
            let splits = &self.splits[tree.splits.clone()];
            let leaves = &self.leaves[tree.leaves.clone()];
            // What all rows lose, and the splits that part them.
            let mut common = u32::MAX;
            let mut parting = [0; MAX_LEAVES];
            let mut count = 0;
            for (at, split) in (0u8..).zip(splits) {
                let bounds = bounds[usize::from(split.column)];
                let stays = u32::from(bounds.least <= split.threshold).wrapping_neg();
                common &= split.above | stays;
                parting[count % MAX_LEAVES] = at;
                count += usize::from(stays != 0 && bounds.parts(split.threshold));
            }
            if count == 0 {
                let leaf = leaves[common.trailing_zeros() as usize];
                for sum in &mut sums {
                    *sum += leaf;
                }
                continue;
            }
            let mut sets = [common; LANES];
            for at in &parting[..count] {
                let split = splits[usize::from(*at)];
                let values = &columns[usize::from(split.column)];
                for (set, value) in sets.iter_mut().zip(values) {
                    // All bits where it is true: with a branch here the compiler takes one row at a time.
                    let stays = u32::from(*value <= split.threshold).wrapping_neg();
                    *set &= split.above | stays;
                }
            }
            for (sum, set) in sums.iter_mut().zip(sets) {
                *sum += leaves[set.trailing_zeros() as usize];
            }
        }
        sums
    }
}

/// The least and the greatest value of a column. Neighbours on a page are much alike: most splits send all rows that are judged
/// together to one side, and need not be looked at for each (WCXB dev, 2026-11-22: SHARE of them part the rows).
#[derive(Clone, Copy, Default)]
struct Bounds {
    least: f32,
    greatest: f32,
}

impl Bounds {
    fn of(column: &[f32; LANES]) -> Bounds {
        // Eight at once, as the compiler takes them.
        let mut least = [column[0]; 8];
        let mut greatest = least;
        for eight in column.as_chunks::<8>().0 {
            for ((least, greatest), &value) in least.iter_mut().zip(&mut greatest).zip(eight) {
                *least = if value < *least { value } else { *least };
                *greatest = if value > *greatest { value } else { *greatest };
            }
        }
        let first = |one: f32, other: f32| if other < one { other } else { one };
        let last = |one: f32, other: f32| if other > one { other } else { one };
        Bounds {
            least: least.into_iter().fold(least[0], first),
            greatest: greatest.into_iter().fold(greatest[0], last),
        }
    }

    /// Whether some value may be above a threshold that another is not.
    fn parts(self, threshold: f32) -> bool {
        self.least <= threshold && self.greatest > threshold
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        filter::main_block::auto::{blocks::Blocks, features::Table},
        testing::page,
    };

    /// Two columns; one tree: `a <= 1 ? -1 : (b <= 2 ? 0 : 3)`.
    fn small() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for short in [2u16, 1, 3] {
            bytes.extend(short.to_le_bytes());
        }
        bytes.extend(b"a\nb");
        bytes.push(2);
        for (column, threshold, left, right) in [(0, 1.0f32, -1i8, 1i8), (1, 2.0, -2, -3)] {
            bytes.push(column);
            bytes.extend(threshold.to_le_bytes());
            bytes.extend([left.cast_unsigned(), right.cast_unsigned()]);
        }
        for leaf in [-1.0f32, 0.0, 3.0] {
            bytes.extend(leaf.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_tree_is_followed_to_its_leaf() {
        let forest = Forest::parse(&small()).unwrap();
        let chance = |a, b| forest.chances(&[a, b])[0];
        assert!((chance(1.0, 9.0) - 0.268_94).abs() < 1e-4);
        assert!((chance(1.1, 2.0) - 0.5).abs() < 1e-6);
        assert!((chance(1.1, 2.1) - 0.952_57).abs() < 1e-4);
    }

    #[test]
    fn rows_are_judged_alike_wherever_in_the_table_they_stand() {
        let forest = Forest::parse(&small()).unwrap();
        let rows: Vec<[f32; 2]> = (0u8..50)
            .map(|row| [f32::from(row % 3), f32::from(row % 5)])
            .collect();
        let chances = forest.chances(rows.as_flattened());
        assert_eq!(chances.len(), rows.len());
        for (row, chance) in rows.iter().zip(chances) {
            assert_eq!(forest.chances(row), [chance]);
        }
    }

    #[test]
    fn a_damaged_table_is_refused() {
        let bytes = small();
        for length in 0..bytes.len() {
            assert!(Forest::parse(&bytes[..length]).is_none(), "{length}");
        }
        let first_node = MAGIC.len() + 6 + 3 + 1;
        for (at, value) in [
            (first_node, 2),
            (first_node + 6, 0),
            (first_node + 6, 9),
            (first_node + 5, 0xf0),
        ] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            assert!(Forest::parse(&bytes).is_none(), "{at} {value}");
        }
    }

    #[test]
    fn the_table_that_ships_has_the_columns_that_are_computed() {
        let page = page("<p>one</p>");
        let mut names = Vec::new();
        let table = Table::of(&page, &Blocks::of(&page, &[]), Some(&mut names));
        assert_eq!(Forest::shipped().columns, names);
        assert_eq!(table.width, names.len());
    }
}
