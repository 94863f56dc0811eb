//! What is missing in the middle of a text, or at its end.
//!
//! The best set of texts by their chances has an edge, and two like texts can fall on its two sides: one price of a column, the
//! last chapters of an article that its program put into a box of their own. So:
//!
//! - a short text between two kept ones stays, if it is not much less likely;
//! - paragraphs stay that are nearly as likely as not, two long ones or more in a row;
//! - a short list among the paragraphs, in the same element as both its neighbours, stays, and one without links behind the last of
//!   them: two papers that are told of, the matches of a week. Lists of other articles that stand so have a name (`clear/related.rs`);
//! - a short list of terms there stays whatever its chance, with the heading above it: what shops ask for a thing;
//! - a sentence directly behind the last paragraph stays, if it is not much less likely: the last of a recipe, in one box with a form.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8760 without both and with the first, .8761 with the second; it
//! is for the reader. Lists among the paragraphs change 8 pages, 5 of them for the better, where .1 is enough; the last sentence none.

use std::{
    iter,
    ops::{Range, RangeInclusive},
};

use super::super::{Scored, blocks::Blocks};
use crate::page::{NodeId, Page, tag::Tag};

/// The least chance of a short text, and its words at most.
const SHORT_CHANCE: f64 = 0.3;
const SHORT: f32 = 12.0;

/// The least chance of the first item of a list among the paragraphs, the words of the list at most, and elements around an item in
/// which it is looked for.
const LIST_CHANCE: f64 = 0.15;
const LIST: f32 = 60.0;
const LEVELS: usize = 3;

/// Words of a sentence. Longer ones behind a text are what lawyers say.
const SENTENCE: RangeInclusive<f32> = 8.0..=30.0;

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
    lists(page, blocks, scored, kept);
    last_sentence(page, blocks, scored, kept);
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

/// Keeps lists that stand among the paragraphs.
fn lists(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let mut at = 1;
    let has_terms = page.has_any(&[Tag::Dl]);
    while at < kept.len() {
        let start = at;
        at += 1;
        if kept[start] {
            continue;
        }
        let is_below = kept[start - 1];
        // Which is kept later, if what it announces is.
        let heading = (has_terms && !is_below && start > 1 && kept[start - 2])
            .then(|| start - 1)
            .filter(|&at| {
                page.tag(blocks.list[at].container)
                    .is_some_and(Tag::is_heading)
            });
        let is_likely = is_below && scored[start].chance >= LIST_CHANCE;
        let may_be_terms = has_terms && is_below || heading.is_some();
        if !is_likely && !may_be_terms {
            continue;
        }
        let container = blocks.list[start].container;
        let mut around = iter::once(container).chain(page.ancestors(container).take(LEVELS));
        let is_list = |up: &NodeId| match page.tag(*up) {
            Some(Tag::Ul | Tag::Ol) => is_likely,
            Some(Tag::Dl) => true,
            _ => false,
        };
        let Some(list) = around.find(is_list) else {
            continue;
        };
        let inside = blocks.inside(page, list);
        at = inside.end.max(at);
        let home = page.parent(list);
        let is_at_home = |at: usize| page.parent(blocks.list[at].container) == home;
        let is_beside = |at: usize| kept.get(at) == Some(&true) && is_at_home(at);
        let above = match heading {
            Some(heading) if is_at_home(heading) => heading - 1,
            Some(_) => continue,
            None => start - 1,
        };
        let words = |run: Range<usize>| -> f32 {
            let run = blocks.list[run].iter();
            run.map(|block| block.stats.words).sum()
        };
        let is_among = || is_beside(inside.end) && blocks.list[inside.end].is_long();
        let ends_text = || {
            heading.is_none()
                && blocks.list[start - 1].is_long()
                && blocks
                    .list
                    .get(inside.end)
                    .is_none_or(|next| !page.contains(home, next.container))
                && blocks.list[inside.clone()]
                    .iter()
                    .all(|block| block.linked == 0.0)
        };
        if inside.start == start
            && is_beside(above)
            && (is_among() || is_likely && ends_text())
            && !kept[inside.clone()].contains(&true)
            && words(inside.clone()) <= LIST
        {
            kept[inside].fill(true);
            kept[heading.unwrap_or(start)] = true;
        }
    }
}

/// Keeps the sentence directly behind the last paragraph.
fn last_sentence(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let Some(last) = kept.iter().rposition(|&kept| kept) else {
        return;
    };
    let Some(block) = blocks.list.get(last + 1) else {
        return;
    };
    kept[last + 1] = scored[last + 1].chance >= SHORT_CHANCE
        && blocks.list[last].is_long()
        && block.linked == 0.0
        && block.stats.ends_sentence
        && SENTENCE.contains(&block.stats.words)
        && page.tag(block.container) == Some(Tag::P);
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

    #[test]
    fn a_list_among_the_paragraphs_stays() {
        let list = "<ul><li><a href=/plan>Flood plan</a><li><a href=/map>Map</a></ul>";
        let below = format!("<p>kept {}</p>", words(30));
        let html = format!("<div><p>kept</p>{list}{below}</div>");
        assert_eq!(filled(&html, 0.2), [true; 4]);
        assert_eq!(filled(&html, 0.1), [true, false, false, true]);
        let boxed = format!("<div><p>kept</p><div>{list}</div>{below}</div>");
        assert_eq!(filled(&boxed, 0.2), [true, false, false, true]);
        let at_end = |list: &str| filled(&format!("<div>{below}{list}</div>"), 0.2);
        assert_eq!(at_end(list), [true, false, false]);
        assert_eq!(
            at_end("<ul><li>Ctrl+B: bold<li>Ctrl+U: line</ul>"),
            [true; 3]
        );
    }

    #[test]
    fn a_list_of_terms_among_the_paragraphs_stays_with_its_heading() {
        let terms = "<dl><div><dt><a href=/q>Quay House</a><dd>49 €</div><div><dt>Lamp House<dd>52 €</div></dl>";
        let below = format!("<p>kept {}</p>", words(30));
        let html = |between: &str| format!("<div><p>kept</p>{between}{below}</div>");
        assert_eq!(filled(&html(terms), 0.01), [true; 6]);
        let headed = format!("<h2>What it costs</h2>{terms}");
        assert_eq!(filled(&html(&headed), 0.01), [true; 7]);
        for other in [
            format!("<div><h2>What it costs</h2></div>{terms}"),
            format!("<h2>What it costs</h2><div>{terms}</div>"),
            headed
                .replace("dl>", "ul>")
                .replace("<dt>", "<li>")
                .replace("<dd>", "<li>"),
        ] {
            let kept = filled(&html(&other), 0.01);
            assert_eq!(kept.iter().filter(|kept| **kept).count(), 2, "{other}");
        }
        assert_eq!(
            filled(&format!("<div>{below}{terms}</div>"), 0.01)[1..],
            [false; 4]
        );
    }

    #[test]
    fn the_sentence_behind_the_last_paragraph_stays() {
        let text = format!("<p>kept {}</p>", words(30));
        let sentence = "Serve it warm and keep a slice for the morning.";
        let html = format!("{text}<div><p>{sentence}</p><p>{sentence}</p></div>");
        assert_eq!(filled(&html, 0.32), [true, true, false]);
        assert_eq!(filled(&html, 0.2), [true, false, false]);
        let linked = format!("{text}<p><a href=/x>Bread</a> {sentence}</p>");
        assert_eq!(filled(&linked, 0.32), [true, false]);
    }
}
