//! Quotes in a talk stay or go as one. What repeats words that stand not far above goes with its frame ("Ann said:", "Click to
//! expand") and with the line above it that says whose it is; every other quote in a kept post stays whole, because nobody could
//! tell otherwise what is answered. Where that line is no text of its own, the quote stays. Some programs put each post into
//! a `blockquote`: that is none.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 of its forums .8049 with it and .7943 without. Where copies go from any
//! distance: .8055.

use std::{collections::HashMap, ops::Range};

use super::super::{
    blocks::{Block, Blocks},
    text::{mix, words},
};
use super::{posts::signs::is_quote, talk::Talk};
use crate::{
    kind::KindNow,
    page::{NodeId, Page, said::Hint, tag::Tag},
};

/// Words that are compared as one. Higher: what is quoted with a change is taken for new.
const RUN: usize = 4;

/// Kept words from the original down to its copy, at most: some four screens of a phone. Of what is further up a reader needs to
/// be reminded. With 500: word F1 of forums .8029.
const FAR: f32 = 1000.0;

/// Words of a quote that stays in any case: it takes less to read than to look for. On WCXB dev, 2026-11-22, five folds, word F1 of forums
/// .8224 without, .8223 with it; with 25: .8214.
const SHORT: f32 = 15.0;

/// Words outside of links in what only its name says is a quote, at least. Lower: buttons to quote with are taken for one.
const LEAST_WORDS: f32 = 4.0;

/// Words of a line above a quote that only its writing tells, at most. A title stands in some of them.
const MOST_OF_HEAD: f32 = 25.0;

/// Decides on the quotes of a forum.
pub(super) fn settle(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    talk: Option<&Talk>,
    kept: &mut [bool],
) {
    if !kind.is_forum() {
        return;
    }
    let quotes = quotes(page, blocks, talk);
    if quotes.is_empty() {
        return;
    }
    let names = talk.map_or_else(Vec::new, |talk| talk.speakers(page));
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
            let head = quotes.peek().map_or(Head::None, |&id| {
                head(page, blocks, &names, id, quote.start)
            });
            let said_again: f32 = blocks.list[quote.clone()]
                .iter()
                .map(|block| block.stats.words)
                .sum();
            let is_copy = said_again > SHORT
                && !matches!(head, Head::InText)
                && said.has_most_of(runs(page, blocks, quote.clone()));
            for index in quote.clone() {
                kept[index] = !is_copy && !is_control(blocks, index, &quote);
            }
            if let Head::Block(index) = head {
                kept[index] = !is_copy;
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

/// The line above a quote that says whose it is.
enum Head {
    None,
    Block(usize),
    /// It shares its line with other text.
    InText,
}

/// Looks for the line above a quote: what its author calls a quotation or says is a source, or a line that names one who speaks on this
/// page and ends in a colon.
fn head(page: &Page, blocks: &Blocks, names: &[String], quote: NodeId, start: usize) -> Head {
    let is_break = |id: &NodeId| page.tag(*id) == Some(Tag::Br);
    let mut before = page.element_before(quote);
    while let Some(id) = before.filter(is_break) {
        before = page.element_before(id);
    }
    let (Some(line), Some(index)) = (before, start.checked_sub(1)) else {
        return Head::None;
    };
    let block = &blocks.list[index];
    let texts = blocks.texts(block);
    let is_head = page.tag(line) == Some(Tag::Cite)
        || is_quote(page, line)
        || announces(page, blocks, names, block);
    if !is_head {
        return Head::None;
    }
    let is_own = |&id: &NodeId| page.contains(line, id) || page.own_chars(id) == 0;
    match texts.iter().any(|&id| page.contains(line, id)) {
        false => Head::None,
        true if texts.iter().all(is_own) => Head::Block(index),
        true => Head::InText,
    }
}

/// Whether a line says that somebody of the talk speaks next: "Ann said in Bridge:".
fn announces(page: &Page, blocks: &Blocks, names: &[String], block: &Block) -> bool {
    if block.stats.words > MOST_OF_HEAD || names.is_empty() {
        return false;
    }
    let text = blocks.text(page, block);
    text.trim_end().ends_with([':', '：']) && names.iter().any(|name| text.contains(name.as_str()))
}

/// Whether an element is a quote by its tag, or by its name and what it holds: who said it, and what.
fn may_be_quote(page: &Page, blocks: &Blocks, id: NodeId) -> bool {
    match page.tag(id) {
        Some(Tag::Blockquote) => true,
        Some(Tag::Div | Tag::Aside | Tag::Section | Tag::Table | Tag::Figure) => {
            is_quote(page, id) && {
                let inside = &blocks.list[blocks.inside(page, id)];
                let words = |block: &Block| block.stats.words * (1.0 - block.link_density());
                inside.len() >= 2 && inside.iter().map(words).sum::<f32>() >= LEAST_WORDS
            }
        }
        _ => false,
    }
}

/// The outermost quotes, those aside that hold a post.
fn quotes(page: &Page, blocks: &Blocks, talk: Option<&Talk>) -> Vec<NodeId> {
    let mut quotes: Vec<NodeId> = Vec::new();
    for id in page.telling(Hint::Quotes.bit(), &[Tag::Blockquote]) {
        let is_within = || quotes.last().is_some_and(|&last| page.contains(last, id));
        let is_post = || talk.is_some_and(|talk| talk.holds_body(page, id));
        if may_be_quote(page, blocks, id) && !is_within() && !is_post() {
            quotes.push(id);
        }
    }
    quotes
}

/// Every run of words in some blocks.
pub(super) fn runs(
    page: &Page,
    blocks: &Blocks,
    which: Range<usize>,
) -> impl Iterator<Item = u64> + use<> {
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
    use super::{super::posts::signs::Signs, *};
    use crate::testing::{page_at, words as many};

    const SAID: &str = "By a toll, for sixty years, and then by the county.";

    /// Which texts are kept of a forum's page, of which those of `kept` are to begin with.
    fn settled(html: &str, kept: &[usize]) -> Vec<bool> {
        let page = page_at("https://forum.example.org/t/bridge/12", html);
        let blocks = Blocks::of(&page, &[]);
        let mut all: Vec<bool> = (0..blocks.list.len())
            .map(|at| kept.contains(&at))
            .collect();
        settle(&page, &blocks, &KindNow::of(&page), None, &mut all);
        all
    }

    #[test]
    fn a_quote_of_what_stands_just_above_goes_with_its_frame() {
        let html = format!(
            "<p>{SAID} {MORE}</p><blockquote><a href=/1>Ann said:</a><p>{SAID} {MORE}</p></blockquote><p>Not so.</p>"
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

    const MORE: &str = "Nobody has been proud of it since, and nobody has paid for it.";

    #[test]
    fn the_line_above_a_quote_goes_with_it_or_neither_does() {
        let quote = |before: &str| {
            format!(
                "<p>{SAID} {MORE}</p><div>{before}<cite>Ann wrote:</cite><blockquote>{SAID} {MORE}</blockquote>Not so.</div>"
            )
        };
        assert_eq!(settled(&quote(""), &[0, 1, 3]), [true, false, false, true]);
        // Beside other words it cannot go, and the quote stays.
        assert_eq!(settled(&quote("Well, "), &[0, 1, 3]), [true; 4]);
    }

    #[test]
    fn a_line_that_names_who_speaks_goes_with_the_quote_below_it() {
        let post = |name: &str, text: &str| {
            format!(
                "<div class=post><p><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p><div class=text>{text}</div></div>"
            )
        };
        let quote = format!(
            "<p>@Ann said in Bridge:</p><blockquote><p>{SAID} {MORE}</p></blockquote><p>Not so.</p>"
        );
        let html = [
            post("Ann", &format!("<p>{SAID} {MORE}</p>")),
            post("Bo", &quote),
            post("Cy", "<p>Who says so?</p>"),
        ];
        let page = page_at("https://forum.example.org/t/bridge/12", &html.concat());
        let blocks = Blocks::of(&page, &[]);
        let kind = KindNow::of(&page);
        let mut kept = vec![true; blocks.list.len()];
        let talk = Talk::restored(&page, &blocks, &kind, &Signs::default(), &mut kept);
        settle(&page, &blocks, &kind, talk.as_ref(), &mut kept);
        assert_eq!(kept, [true, true, true, false, false, true, true, true]);
    }

    #[test]
    fn a_quote_of_one_line_stays() {
        let html = format!(
            "<p>{SAID}</p><div><cite>Ann wrote:</cite><blockquote>{SAID}</blockquote>Not so.</div>"
        );
        assert_eq!(settled(&html, &[0, 1, 3]), [true; 4]);
    }

    #[test]
    fn a_quote_that_only_its_name_tells_is_one_and_the_button_to_quote_with_is_none() {
        let html = format!(
            "<p>{SAID} {MORE}</p><div class=bb_quote><p>Ann wrote:</p><p>{SAID} {MORE}</p></div><p>Not so.</p>\
             <div class=quote-links><p><a href=/1>Reply</a></p><p><a href=/2>Quote</a></p></div>"
        );
        let settled = settled(&html, &[0, 1, 3]);
        assert_eq!(settled, [true, false, false, true, false, false]);
    }

    #[test]
    fn a_post_inside_of_a_blockquote_is_no_quote() {
        let post = |name: &str, text: &str| {
            format!(
                "<div class=post><p><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p>\
                 <blockquote class=text><p>{text}</p></blockquote></div>"
            )
        };
        let html = [post("Ann", SAID), post("Bo", SAID), post("Cy", SAID)].concat();
        let page = page_at("https://forum.example.org/t/bridge/12", &html);
        let blocks = Blocks::of(&page, &[]);
        let kind = KindNow::of(&page);
        let mut kept = vec![true; blocks.list.len()];
        let talk = Talk::restored(&page, &blocks, &kind, &Signs::default(), &mut kept);
        assert!(talk.is_some());
        settle(&page, &blocks, &kind, talk.as_ref(), &mut kept);
        assert_eq!(kept, [true; 6]);
    }
}
