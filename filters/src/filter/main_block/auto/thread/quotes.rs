//! Quotes in a talk stay or go as one. What repeats words that stand not far above goes with its frame ("Ann said:", "Click to
//! expand"); every other quote in a kept post stays whole, because nobody could tell otherwise what is answered.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 of its forums .8049 with it and .7943 without. Where copies go from any
//! distance: .8055.

use std::{collections::HashMap, ops::Range};

use super::super::{
    blocks::Blocks,
    text::{mix, words},
};
use crate::{
    kind::KindNow,
    page::{NodeId, Page, tag::Tag},
};

/// Words that are compared as one. Higher: what is quoted with a change is taken for new.
const RUN: usize = 4;

/// Kept words from the original down to its copy, at most: some four screens of a phone. Of what is further up a reader needs to
/// be reminded. With 500: word F1 of forums .8029.
const FAR: f32 = 1000.0;

/// Decides on the quotes of a forum.
pub(super) fn settle(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let quotes = quotes(page);
    if quotes.is_empty() || !kind.is_forum() {
        return;
    }
    let mut quotes = quotes.into_iter().peekable();
    let mut said = Said::default();
    let mut at = 0;
    while let Some(block) = blocks.list.get(at) {
        while quotes
            .next_if(|&quote| page.end(quote) <= block.container)
            .is_some()
        {}
        let within = quotes.peek().map_or(0, |&quote| {
            let rest = blocks.list[at..].iter();
            rest.take_while(|block| page.contains(quote, block.container))
                .count()
        });
        let quote = at..at + within;
        if quote.is_empty() {
            if kept[at] {
                said.add(runs(page, blocks, at..at + 1), block.stats.words);
            }
            at += 1;
            continue;
        }
        at = quote.end;
        if is_among_kept(&quote, kept) {
            let is_copy = said.has_most_of(runs(page, blocks, quote.clone()));
            for index in quote.clone() {
                kept[index] = !is_copy && !is_control(blocks, index, &quote);
            }
        }
    }
}

/// The runs of words that were said outside of quotes.
#[derive(Default)]
struct Said {
    /// After how many words each was said last.
    runs: HashMap<u64, f32>,
    words: f32,
}

impl Said {
    fn add(&mut self, runs: impl Iterator<Item = u64>, words: f32) {
        self.words += words;
        self.runs.extend(runs.map(|run| (run, self.words)));
    }

    fn has_most_of(&self, runs: impl Iterator<Item = u64>) -> bool {
        let is_near = |run| {
            let said = self.runs.get(&run);
            said.is_some_and(|&at| self.words - at <= FAR)
        };
        let (mut copied, mut all) = (0, 0);
        for run in runs {
            copied += usize::from(is_near(run));
            all += 1;
        }
        copied * 2 > all
    }
}

fn is_among_kept(quote: &Range<usize>, kept: &[bool]) -> bool {
    let around = quote.start.saturating_sub(1)..(quote.end + 1).min(kept.len());
    kept[around].contains(&true)
}

/// What unfolds a quote, a link at its end.
fn is_control(blocks: &Blocks, index: usize, quote: &Range<usize>) -> bool {
    let block = &blocks.list[index];
    index > quote.start && index + 1 == quote.end && block.linked >= block.chars
}

/// The outermost quotes.
fn quotes(page: &Page) -> Vec<NodeId> {
    let mut quotes: Vec<NodeId> = Vec::new();
    for id in page.live(page.body()) {
        let is_within = || quotes.last().is_some_and(|&last| page.contains(last, id));
        if page.tag(id) == Some(Tag::Blockquote) && !is_within() {
            quotes.push(id);
        }
    }
    quotes
}

/// Every run of words in some blocks.
fn runs(page: &Page, blocks: &Blocks, which: Range<usize>) -> impl Iterator<Item = u64> + use<> {
    let mut all = Vec::new();
    for block in &blocks.list[which] {
        for text in blocks.texts(block).iter().filter_map(|&id| page.text(id)) {
            words(&text, &mut all);
        }
    }
    let count = (all.len() + 1).saturating_sub(RUN);
    (0..count).map(move |at| {
        let run = &all[at..at + RUN];
        run.iter().fold(0, |run, &word| mix(run, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page_at, words as many};

    const SAID: &str = "By a toll, for sixty years, and then by the county.";

    /// Which texts are kept of a forum's page, of which those of `kept` are to begin with.
    fn settled(html: &str, kept: &[usize]) -> Vec<bool> {
        let page = page_at("https://forum.example.org/t/bridge/12", html);
        let blocks = Blocks::of(&page, &[]);
        let mut all: Vec<bool> = (0..blocks.list.len())
            .map(|at| kept.contains(&at))
            .collect();
        settle(&page, &blocks, &KindNow::of(&page), &mut all);
        all
    }

    #[test]
    fn a_quote_of_what_stands_just_above_goes_with_its_frame() {
        let html = format!(
            "<p>{SAID}</p><blockquote><a href=/1>Ann said:</a><p>{SAID}</p></blockquote><p>Not so.</p>"
        );
        assert_eq!(settled(&html, &[0, 1, 3]), [true, false, false, true]);
    }

    #[test]
    fn any_other_quote_stays_whole_without_what_unfolds_it() {
        let quote = format!(
            "<blockquote><a href=/1>Ann said:</a><p>{SAID}</p><p><a href=/1>Click to expand</a></p></blockquote><p>Not so.</p>"
        );
        assert_eq!(settled(&quote, &[0, 3]), [true, true, false, true]);
        let far = format!("<p>{SAID}</p><p>{}</p>{quote}", many(1100));
        let whole = [true, true, true, true, false, true];
        assert_eq!(settled(&far, &[0, 1, 5]), whole);
    }

    #[test]
    fn a_quote_among_texts_that_go_is_left_alone() {
        let html = format!("<p>Menu</p><blockquote><p>{SAID}</p></blockquote><p>Footer</p>");
        assert_eq!(settled(&html, &[]), [false, false, false]);
    }
}
