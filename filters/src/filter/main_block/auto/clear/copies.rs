//! What is shown twice is kept once: a run of texts that repeats what stands just before it. Pages carry such copies for screens
//! of another width and choose between them by style sheets that are loaded later, or by programs; here both would be shown.
//!
//! Only a run that follows its original at once, from another element of the page: what an author repeats (a refrain, the steps of
//! each week, the same note below every offer) stands beside its original in one list, or has words of its own before it.
//!
//! Nor verses of a song: short boxes built alike, of which one comes again behind another verse, or that are written in lines
//! (2026-11-22: two pages change, word F1 less than .0001).
//!
//! A long copy may leave a few texts out, or have a few of its own (a box that only one of the two shows): these stay.
//!
//! In a talk the copy in a post stays, beside who wrote it; what stands before the posts is a preview of it.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8747 with it and .8723 without. Where runs of 12 words count, or those with as
//! much as half of their words in between, it is the same within .0003; copies at any distance would give .0016 more, and take
//! what terms of contract, documentation and offers say of each of their things.

use std::{collections::HashMap, iter, ops::Range};

use html5ever::local_name;

use super::super::{
    blocks::{Block, Blocks},
    thread::Talk,
};
use crate::{
    filter::ignore::Sheets,
    page::{NodeId, Page, tag::Tag},
    text::words_of_identifier,
};

/// Words of a run. Lower: labels, and lines that are alike by chance, are taken for copies.
const LEAST_WORDS: f32 = 20.0;

/// Words between a run and its copy, as a share of its own. Higher: what an author says twice is taken for a copy.
const GAP: f32 = 0.2;

/// Words of a run from which two boxes built alike are two copies. Shorter ones may be verses of a song.
const VERSE: f32 = 60.0;

/// Words of a verse between two that are the same, at least, where it is no sentence: a label between two copies has fewer.
const LEAST_VERSE: f32 = 12.0;

/// Breaks in a verse that is written in lines, at least, and words of a line, on average, at most.
const BREAKS: usize = 2;
const LINE: f32 = 12.0;

/// What classes call the screens that one of two copies is for.
const SCREENS: [&str; 16] = [
    "desktop", "mobile", "phone", "tablet", "handheld", "wide", "narrow", "hidden", "hide",
    "visible", "none", "xs", "sm", "md", "lg", "xl",
];

/// How many earlier places of one text are looked at, the nearest first: a bound on the work.
const PLACES: usize = 8;

/// Words of a copy that is none to the letter. Lower: tables and offers that differ in a line are taken for copies.
const LONG: f32 = 200.0;

/// Words that only one of the two has, as a share of the copy's.
const OWN: f32 = 0.1;

/// Texts in a row that only one of the two has.
const OWN_IN_A_ROW: usize = 3;

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
    // What is left before each place, and the last of it: of three copies the third follows the first where the second is gone.
    let mut left_before = vec![Left::default()];
    let is_said = |at: usize| {
        let container = shown[at].container;
        talk.is_some_and(|talk| talk.in_body(page, container).is_some())
    };
    let mut at = 0;
    while at < shown.len() {
        for place in left_before.len() - 1..at {
            let left = left_before[place];
            left_before.push(left.and(place, kept[run[place]].then_some(shown[place])));
        }
        let left = left_before[at];
        let mut copy = longest(&shown, &before, at);
        let follows = |copy: &Copy| {
            let before = left_before[copy.from.end];
            let last = left.last.filter(|&place| place >= copy.from.end);
            let gap = left.words - before.words;
            !last.is_some_and(|place| names(page, blocks, shown[place], shown[at]))
                && (left.texts - before.texts <= 1 || gap <= GAP * words(at, copy.to.end))
        };
        let length = words(at, copy.to.end);
        let is_apart = length >= LEAST_WORDS
            && !stand_together(page, shown[copy.from.start], shown[at])
            && !(length < VERSE && talk.is_none() && is_sung(page, blocks, &copy, &shown));
        if is_apart && !follows(&copy) {
            copy.go_on(&shown, words);
        }
        if is_apart && follows(&copy) {
            let first_goes = is_said(at) && !is_said(copy.from.start);
            for place in copy.places(first_goes) {
                kept[run[place]] = false;
            }
        }
        at = copy.to.end.max(at + 1);
    }
}

/// What is left of the texts before a place.
#[derive(Clone, Copy, Default)]
struct Left {
    texts: usize,
    words: f32,
    last: Option<usize>,
}

impl Left {
    /// With the text at the next place, unless it is gone.
    fn and(mut self, place: usize, text: Option<&Block>) -> Left {
        if let Some(block) = text {
            self.texts += 1;
            self.words += block.stats.words;
            self.last = Some(place);
        }
        self
    }
}

/// What stands above the second and says that it is of something else: "Children over twelve". A heading, or a few words set off beside
/// it.
fn names(page: &Page, blocks: &Blocks, block: &Block, copy: &Block) -> bool {
    const WORDS: f32 = 8.0;
    let tag = page.tag(block.container);
    if tag
        .is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::Dt | Tag::Legend | Tag::Summary))
    {
        return true;
    }
    let beside = page.parent(copy.container);
    let is_set_off = |&id: &NodeId| {
        let mut around = page.ancestors(id).take_while(|&up| up != beside);
        around.any(|up| matches!(page.tag(up), Some(Tag::Strong | Tag::B | Tag::Em | Tag::I)))
    };
    block.stats.words <= WORDS
        && block.linked == 0.0
        && (block.container == beside || page.parent(block.container) == beside)
        && blocks
            .texts(block)
            .iter()
            .filter(|id| page.own_chars(**id) > 0)
            .all(is_set_off)
}

/// A run of texts and its copy.
struct Copy {
    from: Range<usize>,
    to: Range<usize>,
    /// What only one of the two has.
    own: Vec<Range<usize>>,
}

impl Copy {
    /// Goes on behind texts that only one of the two has, if that makes it long and nearly all the same.
    fn go_on(&mut self, shown: &[&Block], words: impl Fn(usize, usize) -> f32) {
        let same = |from: usize, to: usize| {
            to < shown.len()
                && from < self.to.start
                && shown[from].stats.hash == shown[to].stats.hash
        };
        let (mut from, mut to) = (self.from.end, self.to.end);
        let (mut own, mut own_words) = (Vec::new(), 0.0);
        loop {
            while same(from, to) {
                (from, to) = (from + 1, to + 1);
            }
            let resumes = |from: usize, to: usize| same(from, to) && same(from + 1, to + 1);
            let skipped = (1..=OWN_IN_A_ROW).find_map(|by| {
                if resumes(from + by, to) {
                    from += by;
                    Some(from - by..from)
                } else if resumes(from, to + by) {
                    to += by;
                    Some(to - by..to)
                } else {
                    None
                }
            });
            let Some(skipped) = skipped else {
                break;
            };
            own_words += words(skipped.start, skipped.end);
            own.push(skipped);
        }
        let all = words(self.to.start, to);
        if !own.is_empty() && all >= LONG && own_words <= OWN * all {
            (self.from.end, self.to.end, self.own) = (from, to, own);
        }
    }

    /// The places of the copy, or of what it repeats, without what only one of them has.
    fn places(&self, first: bool) -> impl Iterator<Item = usize> {
        let all = if first { &self.from } else { &self.to };
        let is_own = |place: &usize| self.own.iter().any(|own| own.contains(place));
        all.clone().filter(move |place| !is_own(place))
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

/// The longest run before this place that is repeated from it on.
fn longest(shown: &[&Block], before: &[Option<usize>], at: usize) -> Copy {
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
    let (from, length) = best;
    Copy {
        from: from..from + length,
        to: at..at + length,
        own: Vec::new(),
    }
}

/// Whether an author put both there: paragraphs of one text, items of one list, cells of one table, lines of code.
pub(super) fn stand_together(page: &Page, one: &Block, other: &Block) -> bool {
    let holds_rows = |id: NodeId| matches!(page.tag(id), Some(Tag::Table | Tag::Dl | Tag::Pre));
    page.parent(one.container) == page.parent(other.container)
        || iter::once(other.container)
            .chain(page.ancestors(other.container))
            .any(|up| holds_rows(up) && page.contains(up, one.container))
}

/// Whether a run is a verse, and its copy the same verse sung again: their boxes are brothers built alike, and written in lines or with
/// one verse between them, in such a box too. What is for screens of another width is called otherwise, and follows at once.
fn is_sung(page: &Page, blocks: &Blocks, copy: &Copy, shown: &[&Block]) -> bool {
    let first = shown[copy.from.start].container;
    let again = shown[copy.to.start].container;
    let Some(song) = page.ancestors(again).find(|&up| page.contains(up, first)) else {
        return false;
    };
    let verse = |id: NodeId| {
        let mut around = iter::once(id).chain(page.ancestors(id));
        around.find(|&up| page.parent(up) == song)
    };
    let are_brothers = |one: NodeId, other: NodeId| {
        let boxes = verse(one).zip(verse(other));
        boxes.is_some_and(|(one, other)| one != other && are_alike(page, one, other))
    };
    let is_verse = || match shown[copy.from.end..copy.to.start] {
        [verse] => {
            (verse.stats.words >= LEAST_VERSE || verse.stats.ends_sentence)
                && verse.stats.words < VERSE
                && verse.linked == 0.0
                && are_brothers(verse.container, again)
        }
        _ => false,
    };
    let are_for_screens = || {
        let boxes = verse(first).zip(verse(again));
        boxes.is_some_and(|(one, other)| are_for_screens(page, one, other))
    };
    are_brothers(first, again)
        && (is_verse()
            || shown[copy.to.clone()]
                .iter()
                .all(|block| is_in_lines(page, blocks, block)))
        && !are_for_screens()
}

/// Whether a text is written in lines, and is no cell: a table that stands twice is shown twice.
fn is_in_lines(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let texts = blocks.texts(block).iter();
    let breaks = texts.filter(|&&id| page.tag(id) == Some(Tag::Br)).count();
    let is_cell = matches!(page.tag(block.container), Some(Tag::Td | Tag::Th));
    breaks >= BREAKS
        && !is_cell
        && block.linked == 0.0
        && block.stats.words <= LINE * (breaks + 1) as f32
}

/// Whether a class that only one of two boxes has calls the screen that it is for, or a style sheet of the page hides one of them.
fn are_for_screens(page: &Page, one: NodeId, other: NodeId) -> bool {
    let sheets = Sheets::of(page);
    if sheets.hides(page, one) != sheets.hides(page, other) {
        return true;
    }
    let classes = |id: NodeId| classes(page, id);
    let calls_screen =
        |class: &str| words_of_identifier(class).any(|word| SCREENS.contains(&&*word));
    let only = |id: NodeId, not: NodeId| {
        classes(id).any(|class| !classes(not).any(|name| name == class) && calls_screen(class))
    };
    only(one, other) || only(other, one)
}

fn classes(page: &Page, id: NodeId) -> impl Iterator<Item = &str> {
    let class = page.attribute(id, &local_name!("class"));
    class.unwrap_or_default().split_ascii_whitespace()
}

/// Whether two boxes are of one kind: the same element, with a class in common or none.
fn are_alike(page: &Page, one: NodeId, other: NodeId) -> bool {
    let classes = |id: NodeId| classes(page, id);
    page.tag(one) == page.tag(other)
        && (classes(one).next().is_none() && classes(other).next().is_none()
            || classes(one).any(|class| classes(other).any(|name| name == class)))
}

#[cfg(test)]
mod tests;
