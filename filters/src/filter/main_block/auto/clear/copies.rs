//! What is shown twice is kept once: a run of texts that repeats what stands just before it. Pages carry such copies for screens
//! of another width and choose between them by style sheets that are loaded later, or by programs; here both would be shown.
//!
//! Only a run that follows its original at once, from another element of the page: what an author repeats (a refrain, the steps of
//! each week, the same note below every offer) stands beside its original in one list, or has words of its own before it.
//!
//! In a talk the copy in a post stays, beside who wrote it; what stands before the posts is a preview of it.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8747 with it and .8723 without. Where runs of 12 words count, or those with as
//! much as half of their words in between, it is the same within .0003; copies at any distance would give .0016 more, and take
//! what terms of contract, documentation and offers say of each of their things.

use std::{collections::HashMap, iter};

use super::super::{
    blocks::{Block, Blocks},
    thread::Talk,
};
use crate::page::{NodeId, Page, tag::Tag};

/// Words of a run. Lower: labels, and lines that are alike by chance, are taken for copies.
const LEAST_WORDS: f32 = 20.0;

/// Words between a run and its copy, as a share of its own. Higher: what an author says twice is taken for a copy.
const GAP: f32 = 0.2;

/// How many earlier places of one text are looked at, the nearest first: a bound on the work.
const PLACES: usize = 8;

/// Drops copies from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, talk: Option<&Talk>, kept: &mut [bool]) {
    let run: Vec<usize> = (0..blocks.list.len())
        .filter(|&index| kept[index] && blocks.list[index].stats.words > 0.0)
        .collect();
    let shown: Vec<&Block> = run.iter().map(|&index| &blocks.list[index]).collect();
    let before = earlier(&shown);
    let mut words_before = vec![0.0; shown.len() + 1];
    for (at, block) in shown.iter().enumerate() {
        words_before[at + 1] = words_before[at] + block.stats.words;
    }
    let words = |from: usize, to: usize| words_before[to] - words_before[from];
    let mut at = 0;
    while at < shown.len() {
        let (from, length) = longest(&shown, &before, at);
        let (gap, size) = (words(from + length, at), words(at, at + length));
        let follows = at - from - length <= 1 || gap <= GAP * size;
        if length > 0
            && size >= LEAST_WORDS
            && follows
            && !stand_together(page, shown[from], shown[at])
        {
            let is_said = |at: usize| {
                let container = shown[at].container;
                talk.is_some_and(|talk| talk.in_body(page, container).is_some())
            };
            let copy = if is_said(at) && !is_said(from) {
                from
            } else {
                at
            };
            for &index in &run[copy..copy + length] {
                kept[index] = false;
            }
        }
        at += length.max(1);
    }
}

/// For each text, where it stands before.
fn earlier(shown: &[&Block]) -> Vec<Option<usize>> {
    let mut last = HashMap::new();
    shown
        .iter()
        .enumerate()
        .map(|(at, block)| last.insert(block.stats.hash, at))
        .collect()
}

/// The longest run before this place that is repeated from it on: where it begins, and how many texts it has.
fn longest(shown: &[&Block], before: &[Option<usize>], at: usize) -> (usize, usize) {
    let mut best = (at, 0);
    let mut place = before[at];
    for _ in 0..PLACES {
        let Some(from) = place else {
            break;
        };
        let pairs = shown[from..at].iter().zip(&shown[at..]);
        let length = pairs
            .take_while(|(one, other)| one.stats.hash == other.stats.hash)
            .count();
        if length > best.1 {
            best = (from, length);
        }
        place = before[from];
    }
    best
}

/// Whether an author put both there: paragraphs of one text, items of one list, cells of one table, lines of code.
pub(super) fn stand_together(page: &Page, one: &Block, other: &Block) -> bool {
    let holds_rows = |id: NodeId| matches!(page.tag(id), Some(Tag::Table | Tag::Dl | Tag::Pre));
    page.parent(one.container) == page.parent(other.container)
        || iter::once(other.container)
            .chain(page.ancestors(other.container))
            .any(|up| holds_rows(up) && page.contains(up, one.container))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        filter::main_block::auto::thread,
        kind::KindNow,
        testing::{page, page_at},
    };

    const TEXT: &str = "The bridge over the harbour opened on a clear morning in May, eleven months late. \
        Nobody who had waited for it complained about that.";

    /// Which texts stay of a page of which all were kept.
    fn kept(html: &str) -> Vec<bool> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, None, &mut kept);
        kept
    }

    #[test]
    fn a_text_for_another_width_of_screen_goes() {
        let html = format!(
            "<div class=wide><h2>Bridge</h2><p>{TEXT}</p></div><div class=narrow><h2>Bridge</h2><div><p>{TEXT}</p></div></div><p>After it.</p>"
        );
        assert_eq!(kept(&html), [true, true, false, false, true]);
        // Three of them, and a label between two.
        let one = format!("<div><p>{TEXT}</p></div>");
        let three = format!("{one}{one}<b>More</b>{one}");
        assert_eq!(kept(&three), [true, false, true, false]);
    }

    #[test]
    fn what_an_author_says_twice_stays() {
        let refrain = format!("<div><p>{TEXT}</p><p>{TEXT}</p></div>");
        assert_eq!(kept(&refrain), [true, true]);
        let rows = format!("<table><tr><td><p>{TEXT}</p><tr><td><p>{TEXT}</p></table>");
        assert_eq!(kept(&rows), [true, true]);
        let offers = format!(
            "<div><h2>First offer</h2><p>Twelve days of walking.</p><div><p>{TEXT}</p></div></div>\
             <div><h2>Second offer</h2><p>Nine days by boat.</p><div><p>{TEXT}</p></div></div>"
        );
        assert_eq!(kept(&offers), [true; 6]);
        let labels = "<div><b>Read more</b></div><div><b>Read more</b></div>";
        assert_eq!(kept(labels), [true, true]);
    }

    #[test]
    fn thousands_of_equal_texts_take_no_longer_than_their_number() {
        let html = "<div><b>same</b></div>".repeat(20_000);
        assert_eq!(kept(&html).len(), 20_000);
    }

    #[test]
    fn of_a_post_and_its_preview_the_post_stays() {
        let post = |name: &str, text: &str| {
            format!(
                "<div class=post><p><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p>\
                 <div class=text><p>{text}</p></div></div>"
            )
        };
        let html = format!(
            "<div class=preview><div>{TEXT}</div></div>{}{}{}",
            post("Ann", TEXT),
            post("Bo", "Nobody but the county."),
            post("Cy", "That was long ago, and nobody remembers.")
        );
        let page = page_at("https://forum.example.org/t/bridge/12", &html);
        let blocks = Blocks::of(&page, &[]);
        let kind = KindNow::of(&page);
        let mut kept = vec![true; blocks.list.len()];
        let found = thread::complete(&page, &blocks, &kind, &mut kept);
        drop(&page, &blocks, found.talk(), &mut kept);
        assert_eq!(kept, [false, true, true, true, true, true, true]);
    }
}
