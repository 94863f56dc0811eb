//! What is missing in the middle of a text, or at its end.
//!
//! The best set of texts by their chances has an edge, and two like texts can fall on its two sides: one price of a column, the
//! last chapters of an article that its program put into a box of their own. So:
//!
//! - a short text between two kept ones stays, if it is not much less likely;
//! - paragraphs stay that are nearly as likely as not, two long ones or more in a row.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8760 without both and with the first, .8761 with the second; it
//! is for the reader.

use super::super::{Scored, blocks::Blocks};
use crate::page::{Page, tag::Tag};

/// The least chance of a short text, and its words at most.
const SHORT_CHANCE: f64 = 0.3;
const SHORT: f32 = 12.0;

/// The least chance of paragraphs. Lower: word F1 .8760 at .35, .8759 at .3.
const LONG_CHANCE: f64 = 0.4;

/// Long paragraphs in a row, at least, and the part of their characters that may stand in links.
const LONG: usize = 2;
const LINKED: f32 = 0.2;

/// Fills the gaps.
pub(super) fn fill(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let Some(first) = kept.iter().position(|&kept| kept) else {
        return;
    };
    let mut at = first;
    while at < kept.len() {
        let is_missing = |at: usize, kept: &[bool]| !kept[at] && scored[at].chance >= LONG_CHANCE;
        let end = (at..kept.len())
            .find(|&other| !is_missing(other, kept))
            .unwrap_or(kept.len());
        if is_text(blocks, at, end) {
            kept[at..end].fill(true);
        }
        at = end.max(at + 1);
    }
    for at in 1..kept.len().saturating_sub(1) {
        let block = &blocks.list[at];
        kept[at] |= kept[at - 1]
            && kept[at + 1]
            && scored[at].chance >= SHORT_CHANCE
            && block.stats.words <= SHORT
            && block.linked * 2.0 < block.chars
            && page.tag(block.container) != Some(Tag::Button);
    }
}

/// Whether a run of blocks is what somebody wrote to be read.
fn is_text(blocks: &Blocks, from: usize, end: usize) -> bool {
    let run = &blocks.list[from..end];
    let (mut chars, mut linked) = (0.0, 0.0);
    for block in run {
        chars += block.chars;
        linked += block.linked;
    }
    run.iter().filter(|block| block.is_long()).count() >= LONG && linked <= LINKED * chars
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::testing::words;

    fn filled(html: &str, chance: f64) -> Vec<bool> {
        let mut trial = Trial::of(html, chance);
        fill(&trial.page, &trial.blocks, &trial.scored, &mut trial.kept);
        trial.kept
    }

    #[test]
    fn a_short_text_between_two_kept_ones_stays() {
        let html = "<p>kept</p><div>$350</div><p>kept</p><div>$250</div>";
        assert_eq!(filled(html, 0.32), [true, true, true, false]);
        assert_eq!(filled(html, 0.2), [true, false, true, false]);
        for other in ["<a href=/x>More</a>", "<button>Buy</button>", &words(20)] {
            let html = format!("<p>kept</p><div>{other}</div><p>kept</p>");
            assert_eq!(filled(&html, 0.32), [true, false, true], "{other}");
        }
    }

    #[test]
    fn paragraphs_that_are_nearly_as_likely_as_not_stay() {
        let paragraph = format!("<p>{}</p>", words(30));
        let html = format!("<p>kept</p><h2>Chapter</h2>{paragraph}{paragraph}");
        assert_eq!(filled(&html, 0.42), [true; 4]);
        assert_eq!(filled(&html, 0.38)[1..], [false; 3]);
        let one = format!("<p>kept</p><h2>Chapter</h2>{paragraph}");
        assert_eq!(filled(&one, 0.42)[1..], [false; 2]);
        let linked = html.replace("<h2>", &format!("<p><a href=/x>{}</a></p><h2>", words(20)));
        assert_eq!(filled(&linked, 0.42)[1..], [false; 4]);
    }
}
