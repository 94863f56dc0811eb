//! What is shown twice is kept once: a run of texts that repeats what stands just before it. Pages carry such copies for screens
//! of another width and choose between them by style sheets that are loaded later, or by programs; here both would be shown.
//!
//! Only a run that follows its original at once, from another element of the page: what an author repeats (a refrain, the steps of
//! each week, the same note below every offer) stands beside its original in one list, or has words of its own before it.
//!
//! Nor what is said again in a series of boxes built alike: a chorus behind each verse.
//!
//! A long copy may leave a few texts out, or have a few of its own (a box that only one of the two shows): these stay.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8747 with it and .8723 without. Where runs of 12 words count, or those with as
//! much as half of their words in between, it is the same within .0003; copies at any distance would give .0016 more, and take
//! what terms of contract, documentation and offers say of each of their things.

use std::{collections::HashMap, iter, ops::Range};

use html5ever::local_name;

use super::{
    super::blocks::{Block, Blocks},
    Context,
};
use crate::html::{NodeId, Page, tag::Tag};

/// Words of a run. Lower: labels, and lines that are alike by chance, are taken for copies.
const LEAST_WORDS: f32 = 20.0;

/// Words between a run and its copy, as a share of its own. Higher: what an author says twice is taken for a copy.
const GAP: f32 = 0.2;

/// How many earlier places of one text are looked at, the nearest first: a bound on the work.
const PLACES: usize = 8;

/// Words of a copy that is none to the letter. Lower: tables and offers that differ in a line are taken for copies.
const LONG: f32 = 200.0;

/// Words that only one of the two has, as a share of the copy's.
const OWN: f32 = 0.1;

/// Texts in a row that only one of the two has.
const OWN_IN_A_ROW: usize = 3;

/// Drops copies from the kept blocks.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let run: Vec<usize> =
        (0..blocks.list.len()).filter(|&index| kept[index] && blocks.list[index].stats.words > 0.0).collect();
    let shown: Vec<&Block> = run.iter().map(|&index| &blocks.list[index]).collect();
    let before = earlier(&shown);
    let mut words_before = vec![0.0; shown.len() + 1];
    for (at, block) in shown.iter().enumerate() {
        words_before[at + 1] = words_before[at] + block.stats.words;
    }
    let words = |from: usize, to: usize| words_before[to] - words_before[from];
    // What is left before each place, and the last of it: of three copies the third follows the first where the second is gone.
    let mut left_before = vec![Left::default()];
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
            && !(is_among_alike(page, &copy, &shown));
        if is_apart && !follows(&copy) {
            copy.go_on(&shown, words);
        }
        if is_apart && follows(&copy) {
            for place in copy.places() {
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
    if tag.is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::Dt | Tag::Legend | Tag::Summary)) {
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
        && blocks.texts(block).iter().filter(|id| page.own_chars(**id) > 0).all(is_set_off)
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
            to < shown.len() && from < self.to.start && shown[from].stats.hash == shown[to].stats.hash
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
    fn places(&self) -> impl Iterator<Item = usize> {
        let is_own = |place: &usize| self.own.iter().any(|own| own.contains(place));
        self.to.clone().filter(move |place| !is_own(place))
    }
}

/// For each text, where it stands before.
fn earlier(shown: &[&Block]) -> Vec<Option<usize>> {
    let mut last = HashMap::new();
    shown.iter().enumerate().map(|(at, block)| last.insert(block.stats.hash, at)).collect()
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
        let length = pairs.take_while(|(one, other)| one.stats.hash == other.stats.hash).count();
        if length > best.1 {
            best = (from, length);
        }
        place = before[from];
    }
    let (from, length) = best;
    Copy { from: from..from + length, to: at..at + length, own: Vec::new() }
}

/// Whether a run and its copy are members of one series with something between them: a chorus that comes again behind a verse.
fn is_among_alike(page: &Page, copy: &Copy, shown: &[&Block]) -> bool {
    let (first, again) = (shown[copy.from.start].container, shown[copy.to.start].container);
    let Some(series) = page.ancestors(again).find(|&up| page.contains(up, first)) else {
        return false;
    };
    let member = |id: NodeId| iter::once(id).chain(page.ancestors(id)).find(|&up| page.parent(up) == series);
    let look = |id: Option<NodeId>| id.map(|id| (page.tag(id), first_class(page, id)));
    let between = &shown[copy.from.end..copy.to.start];
    !between.is_empty()
        && look(member(first)) == look(member(again))
        && between.iter().all(|block| look(member(block.container)) == look(member(again)))
}

fn first_class(page: &Page, id: NodeId) -> &str {
    let class = page.attribute(id, &local_name!("class")).unwrap_or_default();
    class.split_ascii_whitespace().next().unwrap_or_default()
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
mod tests;
