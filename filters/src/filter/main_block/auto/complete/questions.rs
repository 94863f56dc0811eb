//! Questions with their answers. Below an article they look like the foot of a shop and have its chance, and an answer that a
//! reader unfolds is kept less often than its question; but whoever reads the one wants the other.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8763 with them, .8760 without.

use std::ops::Range;

use super::super::{Scored, blocks::Blocks};
use crate::page::{Page, tag::Tag};

/// Questions in a row, each with its answer, from which they are a list of them.
const LIST: usize = 3;

/// The least chance of all of it, words as weights. Lower: the questions of a shop beside every product.
const CHANCE: f64 = 0.1;

/// Words from which a text answers: "Read more" does not.
const ANSWER: f32 = 10.0;

/// Texts of one answer, at most.
const LONGEST: usize = 20;

/// Keeps lists of questions that stand among kept texts or behind them, with their answers and the heading above.
pub(super) fn keep(page: &Page, blocks: &Blocks, scored: &[Scored], kept: &mut [bool]) {
    let Some(first) = kept.iter().position(|&kept| kept) else {
        return;
    };
    let mut at = first;
    while at < kept.len() {
        let Some((count, end)) = questions(page, blocks, at) else {
            at += 1;
            continue;
        };
        let chance = mean(scored, at..end);
        if count >= LIST && chance >= CHANCE {
            for (index, kept) in kept.iter_mut().enumerate().take(end).skip(at) {
                // Calls to read more on another page stand between.
                let block = &blocks.list[index];
                let is_text =
                    block.linked * 2.0 < block.chars && scored[index].chance >= chance / 2.0;
                *kept |= is_text || is_question(page, blocks, index);
            }
            if at > first && level(page, blocks, at - 1).is_some() {
                kept[at - 1] = true;
            }
        }
        at = end;
    }
}

/// How many questions of one level follow each other from here, and where the last answer ends.
fn questions(page: &Page, blocks: &Blocks, start: usize) -> Option<(usize, usize)> {
    let wanted = level(page, blocks, start)?;
    let (mut count, mut at) = (0, start);
    while at < blocks.list.len()
        && level(page, blocks, at) == Some(wanted)
        && is_question(page, blocks, at)
    {
        let rest = at + 1..blocks.list.len().min(at + 1 + LONGEST);
        let end = rest
            .clone()
            .find(|&other| level(page, blocks, other).is_some())
            .unwrap_or(rest.end);
        let answers = |block: &super::super::blocks::Block| {
            block.stats.words >= ANSWER && block.linked * 2.0 < block.chars
        };
        if !blocks.list[at + 1..end].iter().any(answers) {
            break;
        }
        (count, at) = (count + 1, end);
    }
    (count > 0).then_some((count, at))
}

fn is_question(page: &Page, blocks: &Blocks, at: usize) -> bool {
    // Greek ends a question with a semicolon.
    level(page, blocks, at).is_some_and(|level| level > 1)
        && blocks.ends_with(page, at, &['?', '\u{ff1f}', '\u{61f}', '\u{37e}', ';'])
}

fn mean(scored: &[Scored], range: Range<usize>) -> f64 {
    let (hits, words) = scored[range].iter().fold((0.0, 0.0), |(hits, words), one| {
        (hits + one.chance * one.words, words + one.words)
    });
    if words > 0.0 { hits / words } else { 0.0 }
}

/// The level of the heading that a text is.
fn level(page: &Page, blocks: &Blocks, at: usize) -> Option<u8> {
    page.tag(blocks.list[at].container)
        .and_then(Tag::heading_level)
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::testing::words;

    fn kept(html: &str, chance: f64) -> Vec<bool> {
        let mut trial = Trial::of(html, chance);
        keep(&trial.page, &trial.blocks, &trial.scored, &mut trial.kept);
        trial.kept
    }

    fn list(count: usize, more: &str) -> String {
        let one = format!("<h3>And why?</h3><p>{}</p>{more}", words(12));
        format!("<p>kept text</p><h2>Questions</h2>{}", one.repeat(count))
    }

    #[test]
    fn questions_below_a_text_stay_with_their_answers_and_heading() {
        assert_eq!(kept(&list(3, ""), 0.15), [true; 8]);
        assert_eq!(kept(&list(3, ""), 0.05)[1..], [false; 7]);
        let with_links = kept(&list(3, "<p><a href=/x>Read more</a></p>"), 0.15);
        assert_eq!(with_links[2..5], [true, true, false]);
    }

    #[test]
    fn kept_questions_keep_their_answers() {
        let html = list(4, "").replace("And", "kept");
        assert_eq!(kept(&html, 0.3), [true; 10]);
        let only = html.split_once("</h2>").map(|(_, questions)| questions);
        assert_eq!(kept(only.unwrap(), 0.3), [true; 8]);
    }

    #[test]
    fn a_question_or_two_and_questions_without_answers_are_left_to_their_chance() {
        assert_eq!(kept(&list(2, ""), 0.3)[1..], [false; 5]);
        let bare = format!(
            "<p>kept text</p>{}",
            "<h3><a href=/x>Why?</a></h3>".repeat(4)
        );
        assert_eq!(kept(&bare, 0.3)[1..], [false; 4]);
        let plain = list(3, "").replace('?', ".");
        assert_eq!(kept(&plain, 0.3)[1..], [false; 7]);
    }
}
