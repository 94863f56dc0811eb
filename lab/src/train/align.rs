//! Which words of a page are the words of its main content.
//!
//! The reference is plain text without positions. Its words are aligned with the page's in order, so that runs count for
//! more than scattered words: a match scores 1, and 2 more where the words before it match too.

use std::collections::HashMap;

use crate::measure::list;

/// One block's share in the main content.
pub(super) struct Aligned {
    pub(super) words: usize,
    pub(super) matched: usize,
}

pub(super) fn align(blocks: &[String], reference: &str) -> Vec<Aligned> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |words: Vec<String>| -> Vec<u32> {
        words
            .into_iter()
            .map(|w| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(w).or_insert(next)
            })
            .collect()
    };
    let reference = number(list(reference));
    let mut page = Vec::new();
    let mut block_of = Vec::new();
    let mut out: Vec<Aligned> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let words = number(list(block));
        out.push(Aligned { words: words.len(), matched: 0 });
        block_of.extend(std::iter::repeat_n(index, words.len()));
        page.extend(words);
    }
    for at in matches(&page, &reference) {
        out[block_of[at]].matched += 1;
    }
    out
}

/// Positions of the page's words that are matched in the best alignment.
fn matches(page: &[u32], reference: &[u32]) -> Vec<usize> {
    let (n, m) = (page.len(), reference.len());
    if n == 0 || m == 0 {
        return Vec::new();
    }
    // best[j]: best score of page[..i] against reference[..j]; run[j]: best score that ends in a match of i-1 with j-1.
    let mut best = vec![0i32; m + 1];
    let mut run = vec![i32::MIN / 2; m + 1];
    // Two bits a cell: 0 skip page word, 1 skip reference word, 2 match after anything, 3 match after a match.
    let width = m.div_ceil(4);
    let mut choice = vec![0u8; n * width];
    let mut from_run = vec![0u8; n * m.div_ceil(8)];
    let runs = m.div_ceil(8);
    for i in 0..n {
        let (mut best_diagonal, mut run_diagonal) = (best[0], run[0]);
        for j in 0..m {
            let (old_best, old_run) = (best[j + 1], run[j + 1]);
            let mut here = i32::MIN / 2;
            if page[i] == reference[j] {
                let fresh = best_diagonal + 1;
                let continued = run_diagonal + 3;
                here = fresh.max(continued);
                if continued >= fresh {
                    from_run[i * runs + j / 8] |= 1 << (j % 8);
                }
            }
            run[j + 1] = here;
            let (mut score, mut code) = (old_best, 0u8);
            if best[j] > score {
                score = best[j];
                code = 1;
            }
            if here > score || here == score && code == 1 {
                score = here;
                code = 2;
            }
            best[j + 1] = score;
            choice[i * width + j / 4] |= code << (2 * (j % 4));
            best_diagonal = old_best;
            run_diagonal = old_run;
        }
    }
    let mut found = Vec::new();
    let (mut i, mut j, mut in_run) = (n, m, false);
    while i > 0 && j > 0 {
        let code = if in_run { 2 } else { choice[(i - 1) * width + (j - 1) / 4] >> (2 * ((j - 1) % 4)) & 3 };
        match code {
            0 => i -= 1,
            1 => j -= 1,
            _ => {
                found.push(i - 1);
                in_run = from_run[(i - 1) * runs + (j - 1) / 8] >> ((j - 1) % 8) & 1 == 1;
                i -= 1;
                j -= 1;
            }
        }
    }
    found
}
