//! Gradient-boosted trees (Friedman 2001, as `LightGBM` fits them): the chance that a block belongs to the main content.
//!
//! The table that ships is `forest.bin`, 150 trees of 15 leaves. It was fitted by `train/` to the development part of
//! the Web Content Extraction Benchmark (WCXB, Murrough Foley 2026, CC BY 4.0): pages of seven kinds whose main content
//! people have marked.

use std::sync::{Arc, LazyLock};

const MAGIC: &[u8] = b"GLF1";

static SHIPPED: LazyLock<Arc<Forest>> = LazyLock::new(|| {
    let forest = Forest::parse(include_bytes!("forest.bin"));
    Arc::new(forest.expect("a test reads the table that ships"))
});

/// Trees, ready to be asked.
#[derive(Debug)]
pub(crate) struct Forest {
    /// Names of the columns that a row must have, in order.
    pub(crate) columns: Vec<String>,
    nodes: Vec<Node>,
    leaves: Vec<f32>,
    /// The first node of each tree.
    roots: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    column: u8,
    threshold: f32,
    /// For a value up to the threshold; below 0 the complement of a leaf's number.
    left: i32,
    right: i32,
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
            nodes: Vec::new(),
            leaves: Vec::new(),
            roots: Vec::new(),
        };
        for _ in 0..trees {
            forest.parse_tree(&mut from)?;
        }
        let is_sound = forest.columns.len() == width
            && from.0.is_empty()
            && forest
                .nodes
                .iter()
                .all(|node| usize::from(node.column) < width);
        is_sound.then_some(forest)
    }

    fn parse_tree(&mut self, from: &mut Bytes<'_>) -> Option<()> {
        let inner = from.take(1)?[0];
        let (node, leaf) = (self.nodes.len(), self.leaves.len());
        let child = |relative: u8| {
            let relative = i32::from(relative.cast_signed());
            let (nodes, leaves) = (i32::try_from(node).ok()?, i32::try_from(leaf).ok()?);
            // Children come later in the file, so that no walk can be endless.
            Some(if relative < 0 {
                relative - leaves
            } else {
                relative + nodes
            })
        };
        for index in 0..inner {
            let column = from.take(1)?[0];
            let threshold = from.float()?;
            let sides = from.take(2)?;
            for &side in sides {
                let relative = side.cast_signed();
                let is_sound = relative < 0 && -i32::from(relative) <= i32::from(inner) + 1
                    || relative > index.cast_signed() && relative < inner.cast_signed();
                is_sound.then_some(())?;
            }
            self.nodes.push(Node {
                column,
                threshold,
                left: child(sides[0])?,
                right: child(sides[1])?,
            });
        }
        for _ in 0..=inner {
            self.leaves.push(from.float()?);
        }
        self.roots.push(node);
        (inner > 0).then_some(())
    }

    /// A number from 0 to 1. The row has as many values as there are columns.
    pub(crate) fn chance(&self, row: &[f32]) -> f32 {
        let mut sum = 0.0;
        for &root in &self.roots {
            let mut at = root;
            loop {
                let node = &self.nodes[at];
                let next = if row[usize::from(node.column)] <= node.threshold {
                    node.left
                } else {
                    node.right
                };
                let Ok(node) = usize::try_from(next) else {
                    sum += self.leaves[usize::try_from(!next).unwrap_or(0)];
                    break;
                };
                at = node;
            }
        }
        1.0 / (1.0 + (-sum).exp())
    }
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
        let chance = |a, b| forest.chance(&[a, b]);
        assert!((chance(1.0, 9.0) - 0.268_94).abs() < 1e-4);
        assert!((chance(1.1, 2.0) - 0.5).abs() < 1e-6);
        assert!((chance(1.1, 2.1) - 0.952_57).abs() < 1e-4);
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
