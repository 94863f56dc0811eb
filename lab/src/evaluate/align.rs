//! Which words of two texts belong together: an alignment in order.
//!
//! Runs of four words that both texts hold exactly once are anchors; the longest chain of anchors that stands in the
//! same order in both is taken (patience sorting, as in Bram Cohen's patience diff); between two anchors a longest
//! common subsequence is found, where the parts are small enough.
//!
//! Cost: one pass over the words and a product of lengths for each gap, at most [`MAX_GAP`].

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Words of an anchor. Fewer: more chance meetings; more: short pages have none.
const ANCHOR_WORDS: usize = 4;

/// Product of the lengths of a gap's two sides that is still aligned. A page's foot of 2,000 words against 1,000 words.
const MAX_GAP: usize = 2_000_000;

/// For each word of two texts whether the other one has it at the same place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    pub(super) left: Vec<bool>,
    pub(super) right: Vec<bool>,
}

/// Aligns two lists of words.
pub(super) fn align(left: &[String], right: &[String]) -> Alignment {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |words| -> Vec<u32> {
        let words: &[String] = words;
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            // The numbers only have to differ; texts of four billion words are not read.
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            out.push(*numbers.entry(word).or_insert(next));
        }
        out
    };
    let (a, b) = (number(left), number(right));
    let mut done = Alignment { left: vec![false; a.len()], right: vec![false; b.len()] };
    let (mut at_a, mut at_b) = (0, 0);
    let end = (a.len(), b.len());
    for (next_a, next_b) in chain(&anchors(&a, &b)).into_iter().chain([end]) {
        if next_a < at_a || next_b < at_b {
            // Inside the run that the anchor before was grown to.
            continue;
        }
        fill(&a, &b, &(at_a..next_a, at_b..next_b), &mut done);
        (at_a, at_b) = (next_a, next_b);
        while at_a < a.len() && at_b < b.len() && a[at_a] == b[at_b] {
            done.left[at_a] = true;
            done.right[at_b] = true;
            at_a += 1;
            at_b += 1;
        }
    }
    done
}

/// Where each run stands that both texts hold exactly once, in the order of the first.
fn anchors(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&[u32], [Option<usize>; 2]> = HashMap::new();
    let mut repeated: HashSet<&[u32]> = HashSet::new();
    for (side, words) in [a, b].into_iter().enumerate() {
        for (at, run) in words.windows(ANCHOR_WORDS).enumerate() {
            if places.entry(run).or_default()[side].replace(at).is_some() {
                repeated.insert(run);
            }
        }
    }
    let mut anchors: Vec<(usize, usize)> =
        places.into_iter().filter(|(run, _)| !repeated.contains(run)).filter_map(|(_, [a, b])| a.zip(b)).collect();
    anchors.sort_unstable();
    anchors
}

/// The longest chain that rises on both sides.
fn chain(anchors: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last anchor of the best chain of each length, and before each anchor the one that it follows.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(anchors.len());
    for (number, &(_, b)) in anchors.iter().enumerate() {
        let length = ends.partition_point(|&end| anchors[end].1 < b);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(number) = at {
        out.push(anchors[number]);
        at = before[number];
    }
    out.reverse();
    out
}

/// A longest common subsequence of a gap.
fn fill(a: &[u32], b: &[u32], gap: &(Range<usize>, Range<usize>), done: &mut Alignment) {
    let (rows, columns) = (gap.0.len(), gap.1.len());
    if rows == 0 || columns == 0 || rows.saturating_mul(columns) > MAX_GAP {
        return;
    }
    let (from_a, from_b) = (gap.0.start, gap.1.start);
    let width = columns + 1;
    // Length of the longest common subsequence of what begins at each pair of places.
    let mut lengths = vec![0u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            lengths[row * width + column] = if a[from_a + row] == b[from_b + column] {
                lengths[(row + 1) * width + column + 1] + 1
            } else {
                lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if a[from_a + row] == b[from_b + column] {
            done.left[from_a + row] = true;
            done.right[from_b + column] = true;
            row += 1;
            column += 1;
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::list;

    fn aligned(left: &str, right: &str) -> (String, String) {
        let (left, right) = (list(left), list(right));
        let done = align(&left, &right);
        let kept = |words: &[String], marks: &[bool]| {
            let kept = words.iter().zip(marks).filter(|(_, mark)| **mark);
            kept.map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
        };
        (kept(&left, &done.left), kept(&right, &done.right))
    }

    #[test]
    fn the_same_words_meet_on_both_sides() {
        let (left, right) =
            aligned("Menu Home News. The quick brown fox jumps over it. Imprint", "the quick brown fox jumps over us");
        assert_eq!(left, "the quick brown fox jumps over");
        assert_eq!(right, left);
    }

    #[test]
    fn gaps_between_anchors_are_filled_in_order() {
        let (left, _) = aligned(
            "one two three four X five Y six seven eight nine ten",
            "one two three four five six Z seven eight nine ten",
        );
        assert_eq!(left, "one two three four five six seven eight nine ten");
    }

    #[test]
    fn what_changed_places_is_matched_once() {
        let (left, right) = aligned("a b c d e f g h i j k", "g h i j k a b c d e f");
        assert_eq!(left, right);
        assert_eq!(left, "a b c d e f");
    }

    #[test]
    fn nothing_meets_nothing() {
        assert_eq!(aligned("", "a b"), (String::new(), String::new()));
        assert_eq!(aligned("a b", "c d"), (String::new(), String::new()));
    }
}
