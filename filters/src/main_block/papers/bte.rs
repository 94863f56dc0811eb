//! Body text extraction (BTE): the one run of the page with most words and fewest tags.
//!
//! Source: Finn, Kushmerick, Smyth, *Fact or fiction: Content classification for digital libraries*, DELOS workshop 2001,
//! as told by Agarwal et al. 2013 ("Related work": the page is cut into three regions so "that most tags are placed into
//! outside regions and word tokens into the middle region") and López, Silva, Insa 2012 (§ 1: that "the
//! main content text is continuous").
//!
//! The idea: a page is a sequence of words and tags. Choose the run from `i` to `j` so that the words inside it and the
//! tags outside it are most.
//!
//! The number of tags is fixed, so words inside plus tags outside is largest where words inside *minus tags inside* is: the
//! run of the largest sum, found in one pass and not in the square of it.
//!
//! There are no constants. Of equal runs the first, and of those the shortest, is taken. A run of texts is a set of nodes:
//! the largest ones whose text lies in it whole.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`), word
//! F1: .757; articles .904, as CNR has; 305 pages lose over half of their content, those whose content is no single run.
//!
//! Cost: one reading of the text, three passes.

use super::source::{Piece, pieces};
use crate::main_block::{Choice, cover};
use crate::{html::Page, vocabulary::words::words};

/// The texts of the best run.
pub(crate) fn choose(page: &Page) -> Choice {
    let pieces = pieces(page, page.body());
    let Some((first, last)) = best_run(page, &pieces) else {
        return Choice::default();
    };
    let mut kept = vec![false; page.len()];
    for piece in &pieces[first..=last] {
        if let Piece::Text(id) = piece {
            kept[id.index()] = true;
        }
    }
    cover(page, &kept).into()
}

/// The first and last piece of the run with the largest sum.
fn best_run(page: &Page, pieces: &[Piece]) -> Option<(usize, usize)> {
    let mut best: Option<(i64, usize, usize)> = None;
    let (mut sum, mut start) = (0i64, 0usize);
    for (at, piece) in pieces.iter().enumerate() {
        if sum <= 0 {
            sum = 0;
            start = at;
        }
        sum += match *piece {
            Piece::Text(id) if page.own_chars(id) > 0 => page.text(id).map_or(0, |text| i64::from(words(&text))),
            Piece::Text(_) => 0,
            Piece::Start(_) | Piece::End(_) => -1,
        };
        if sum > 0 && best.is_none_or(|(largest, _, _)| sum > largest) {
            best = Some((sum, start, at));
        }
    }
    best.map(|(_, first, last)| (first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// The largest of words inside plus tags outside over all pairs, as the paper defines it.
    fn best_by_trying(page: &Page, pieces: &[Piece]) -> i64 {
        let value = |piece: &Piece| match *piece {
            Piece::Text(id) => page.text(id).map_or(0, |text| i64::from(words_of(&text))),
            _ => -1,
        };
        let mut best = 0;
        for from in 0..pieces.len() {
            let mut sum = 0;
            for piece in &pieces[from..] {
                sum += value(piece);
                best = best.max(sum);
            }
        }
        best
    }

    fn words_of(text: &str) -> u32 {
        crate::vocabulary::words::words(text)
    }

    #[test]
    fn one_pass_finds_what_trying_all_pairs_finds() {
        for seed in 0..10 {
            let page = page(&crate::testing::random_parts(seed).concat());
            let pieces = pieces(&page, page.body());
            let (first, last) = best_run(&page, &pieces).unwrap();
            let sum: i64 = pieces[first..=last]
                .iter()
                .map(|piece| match *piece {
                    Piece::Text(id) => page.text(id).map_or(0, |text| i64::from(words_of(&text))),
                    _ => -1,
                })
                .sum();
            assert_eq!(sum, best_by_trying(&page, &pieces), "seed {seed}");
        }
    }

    #[test]
    fn takes_the_text_between_the_menus() {
        let menu = "<li><a href=/x>menu</a></li>".repeat(10);
        let html =
            format!("<ul id=a>{menu}</ul><div id=text><p>{0}</p><p>{0}</p></div><ul id=b>{menu}</ul>", words(40));
        let page = page(&html);
        let kept = choose(&page).kept;
        assert_eq!(kept, [by_id(&page, "text")]);
    }
}
