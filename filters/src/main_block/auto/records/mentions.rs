//! Finds author names and dates: short texts that class names, attributes or microdata mark as such.

use std::{collections::HashMap, iter};

use html5ever::{LocalName, local_name};

use crate::html::attribute_hints::names::{DATES, POSTERS, QUOTES};
use crate::{
    html::{NodeId, Page, attribute_hints::Hint, tag::Tag},
    main_block::auto::blocks::TextBlocks,
    measure::leads_to_log_in,
    vocabulary::{
        any_of::AnyOf,
        words::{one_line, words_of_identifier},
    },
};

/// Visible characters of a name and of a date. Higher: panels pass for names.
const MAX_NAME: usize = 40;
const MAX_DATE: usize = 40;

/// Nodes of a name or a date that are read.
const MAX_NODES: usize = 20;

/// Elements between a text and the one that says what it is.
const LEVELS: usize = 3;

/// Hints by which attributes mark a name, and a date.
const NAME_SIGNS: u32 = Hint::Posters.bit() | Hint::Profile.bit() | Hint::AuthorMark.bit();
const DATE_SIGNS: u32 = Hint::Dates.bit() | Hint::Title.bit();

/// The names and the dates of a page, in document order; dates without those of changes ("edited 3 May").
pub(super) struct Mentions {
    pub(super) names: Vec<Mention>,
    pub(super) dates: Vec<Mention>,
}

impl Mentions {
    pub(super) fn from_page(page: &Page, blocks: &TextBlocks) -> Mentions {
        let mut dates = dates(page);
        add_written(page, blocks, &mut dates);
        let mut names = names(page);
        for mention in names.iter_mut().chain(&mut dates) {
            mention.is_aside = is_aside(page, blocks, mention.text);
        }
        Mentions { names, dates }
    }
}

/// The text of a name.
pub(super) fn text_of(page: &Page, mention: &Mention) -> String {
    one_line(&page.start_of_text(mention.element, MAX_NODES, MAX_NAME * 4))
}

/// Something short that the page says is a name or a date.
#[derive(Clone, Copy)]
pub(in super::super) struct Mention {
    pub(in super::super) element: NodeId,
    /// How sure that is; 0 is best.
    pub(super) rank: u8,
    /// Its first text node.
    pub(super) text: NodeId,
    /// Whether it is rather part of what somebody writes than a signature.
    pub(super) is_aside: bool,
}

impl Mention {
    /// How likely a mention signs or dates its post; less is likelier.
    pub(super) fn doubt(&self) -> (bool, u8) {
        (self.is_aside, self.rank)
    }
}

/// Whether a text stands inside a sentence of some length, names whom somebody speaks to ("@ann"), or is part of the line above a
/// quotation ("On 3 May Ann said:").
fn is_aside(page: &Page, blocks: &TextBlocks, text: NodeId) -> bool {
    let speaks_to = || page.text(text).is_some_and(|text| text.trim_start().starts_with('@'));
    let Some(at) = blocks.around(text) else { return false };
    let block = &blocks.list[at];
    let is_inside = block.is_long() && blocks.texts(block)[0] != text;
    let is_above_quotation = || {
        let next = blocks.list.get(at + 1);
        next.is_some_and(|next| is_quoted(page, next.container) || is_quote(page, next.container))
            && blocks.text(page, block).trim_end().ends_with([':', '：'])
    };
    is_inside || speaks_to() || is_above_quotation()
}

fn names(page: &Page) -> Vec<Mention> {
    let marks_authors = page.any_may(Hint::AuthorMark) && page.any_attribute(is_author_mark);
    let rank = |id| name_rank(page, id, marks_authors);
    let mut names = if marks_authors {
        // Every link may stand in such a mark.
        mentions(page, page.live(page.body()).skip(1), MAX_NAME, rank)
    } else {
        mentions(page, page.elements_with_hints(NAME_SIGNS, &[]), MAX_NAME, rank)
    };
    // "Log in" is an address below `/users/` too.
    names.retain(|name| {
        let id = name.element;
        !leads_to_log_in(page, id)
            && !is_initial(page, name.text, page.parent(id))
            && !is_number(page, id)
            && !is_time(page, name)
    });
    let mut counts: HashMap<String, usize> = HashMap::new();
    let text = |mention: &Mention| page.start_of_text(mention.element, MAX_NODES, MAX_NAME * 4);
    let is_bare = |mention: &Mention| page.tag(mention.element) != Some(Tag::A);
    for name in names.iter().filter(|name| is_bare(name)) {
        *counts.entry(text(name)).or_default() += 1;
    }
    for name in &mut names {
        // The same in several posts and no link: a rank or a state, where there is a better name.
        if is_bare(name) && counts[&text(name)] > 1 {
            name.rank += 3;
        }
    }
    names
}

/// When somebody wrote, in the same mark as who did: `<span rel="author">Ann <a href="#c2"><time>3 May</time></a></span>`.
fn is_time(page: &Page, name: &Mention) -> bool {
    let mut above = page.ancestors(name.text).take(LEVELS);
    above.any(|up| page.tag(up) == Some(Tag::Time))
}

/// How many posts somebody wrote leads to the same profile.
fn is_number(page: &Page, id: NodeId) -> bool {
    let text = page.start_of_text(id, MAX_NODES, MAX_NAME * 4);
    !text.contains(char::is_alphabetic)
}

/// Initials in place of a picture of the person: "L", and what programs say of it behind them ("Offline").
pub(super) fn is_initial(page: &Page, text: NodeId, within: NodeId) -> bool {
    const MOST: usize = 2;
    const PICTURES: AnyOf = AnyOf::new(&["avatar"]);
    let is_picture = |id: NodeId| {
        let class = page.attribute(id, &local_name!("class"));
        let role = page.attribute(id, &local_name!("role"));
        class.is_some_and(|class| PICTURES.are_in(class)) || role == Some("img")
    };
    let mut above = page.ancestors(text).take(LEVELS);
    page.own_chars(text) <= MOST && above.any(|up| page.contains(within, up) && is_picture(up))
}

fn dates(page: &Page) -> Vec<Mention> {
    let may_be = page.elements_with_hints(DATE_SIGNS, &[Tag::Time]);
    let mut dates = mentions(page, may_be, MAX_DATE, |id| date_rank(page, id));
    dates.retain(|date| {
        let around = [date.element, page.parent(date.element)];
        !around.into_iter().any(|id| tells_change(page, id))
    });
    dates
}

/// Whether a text begins with "edited".
fn tells_change(page: &Page, id: NodeId) -> bool {
    const WORDS: [&str; 4] = ["edited", "modified", "last edited", "last modified"];
    let start = page.start_of_text(id, MAX_NODES, MAX_DATE);
    let start = start.trim_start();
    let begins = |word: &&str| {
        let start = start.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    WORDS.iter().any(begins)
}

/// The outermost of some elements that hold one short text of a kind, in document order.
fn mentions(
    page: &Page,
    may_be: impl IntoIterator<Item = NodeId>,
    max_chars: usize,
    rank: impl Fn(NodeId) -> Option<u8>,
) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for id in may_be {
        if id < over || page.tag(id).is_none() {
            continue;
        }
        // Nearly no element has one.
        let Some(rank) = rank(id) else { continue };
        let Some(text) = only_line(page, id, max_chars) else {
            continue;
        };
        over = page.end(id);
        if is_quoted(page, id) || is_last(page, id) {
            continue;
        }
        mentions.push(Mention { element: inner_link(page, id), rank, text, is_aside: false });
    }
    mentions
}

/// Whether a text stands in a quotation or above one ("Ann said:"): its name is that of another post.
pub(super) fn is_quoted(page: &Page, id: NodeId) -> bool {
    let mut around = page.ancestors(id).take(LEVELS);
    around.any(|up| is_quote(page, up))
}

/// Whether an element holds what somebody else wrote.
pub(super) fn is_quote(page: &Page, id: NodeId) -> bool {
    page.tag(id) == Some(Tag::Blockquote)
        || page.hints(id).has(Hint::Quotes) && says(page, id, &local_name!("class"), &QUOTE_WORDS)
}

/// Whether a block is one: no button to quote, no signature, and no text of a post that can be selected to quote it.
pub(super) fn is_quotation(page: &Page, id: NodeId) -> bool {
    const SELECTED: AnyOf = AnyOf::new(&["select"]);
    let is_called = |class: &str| holds(class, &QUOTE_WORDS) && !SELECTED.are_in(class);
    let class = page.attribute(id, &local_name!("class"));
    let is_box = page.tag(id).is_some_and(|tag| tag.is_block() && tag != Tag::Li) && page.chars(id) > MAX_NAME;
    is_box && class.map_or(page.tag(id) == Some(Tag::Blockquote), is_called)
}

/// Whether it is that of the last post ("last reply by Ann, 3 May"), which is shown at the head of the first.
fn is_last(page: &Page, id: NodeId) -> bool {
    let above = page.parent(id);
    page.live(above).take(MAX_NODES).take_while(|&before| before < id).filter_map(|before| page.text(before)).any(
        |text| {
            let start = text.trim_start().get(..4);
            start.is_some_and(|start| start.eq_ignore_ascii_case("last"))
        },
    )
}

/// The link in a sign, where there is one: what stands beside it is a rank, or a number of posts.
fn inner_link(page: &Page, id: NodeId) -> NodeId {
    page.live(id).find(|&inside| page.tag(inside) == Some(Tag::A) && page.chars(inside) > 0).unwrap_or(id)
}

/// The first text of an element that holds one short line.
fn only_line(page: &Page, id: NodeId, max_chars: usize) -> Option<NodeId> {
    let (mut chars, mut first) = (0, None);
    for (number, inside) in page.live(id).enumerate() {
        let ends_line = inside != id && page.tag(inside).is_some_and(|tag| tag.is_block() || tag == Tag::Br);
        chars += page.own_chars(inside);
        if ends_line || chars > max_chars || number > MAX_NODES {
            return None;
        }
        if first.is_none() && page.own_chars(inside) > 0 {
            first = Some(inside);
        }
    }
    first
}

/// How sure an element is to be a name. `marks_authors`: whether any element of the page is marked as one.
fn name_rank(page: &Page, id: NodeId, marks_authors: bool) -> Option<u8> {
    let is_link = page.tag(id) == Some(Tag::A);
    let may_be_marked = marks_authors && is_link;
    if !may_be_marked && !page.hints(id).has_any(NAME_SIGNS) {
        return None;
    }
    let (mut is_author, mut is_named) = (false, false);
    page.each_attribute(id, |name, value| match *name {
        local_name!("class") => is_named = holds(value, &NAMES),
        _ => is_author |= is_author_mark(name, value),
    });
    let marked_around = || {
        let mut above = page.ancestors(id).take(LEVELS);
        above.any(|up| {
            let mut is_marked = false;
            page.each_attribute(up, |name, value| is_marked |= is_author_mark(name, value));
            is_marked
        })
    };
    if is_author || marks_authors && is_link && marked_around() {
        return Some(0);
    }
    if is_named {
        return Some(1);
    }
    (is_link && page.hints(id).has(Hint::Profile)).then_some(2)
}

/// `itemprop=author`, `rel=author` and the like.
fn is_author_mark(name: &LocalName, value: &str) -> bool {
    matches!(*name, local_name!("itemprop") | local_name!("rel"))
        && value.split_ascii_whitespace().any(|word| matches!(word, "author" | "creator"))
}

/// Words in the class of a name, and of a quotation.
const NAMES: HintWords = HintWords::new(POSTERS);
const QUOTE_WORDS: HintWords = HintWords::new(QUOTES);

/// How sure an element is to be a date.
fn date_rank(page: &Page, id: NodeId) -> Option<u8> {
    const CLASSES: HintWords = HintWords::new(DATES[0]);
    const PROPERTIES: HintWords = HintWords::new(DATES[1]);
    // When somebody came here is no date of what they wrote.
    const OTHERS: HintWords = HintWords::new(&["join", "joined", "joindate", "registered", "regdate"]);
    if page.tag(id) == Some(Tag::Time) {
        return Some(0);
    }
    if !page.hints(id).has_any(DATE_SIGNS) {
        return None;
    }
    let is_date =
        says(page, id, &local_name!("itemprop"), &PROPERTIES) || says(page, id, &local_name!("class"), &CLASSES);
    let has_digit =
        || page.live(id).take(20).filter_map(|id| page.text(id)).any(|text| text.contains(|c: char| c.is_numeric()));
    if is_date && says(page, id, &local_name!("class"), &OTHERS) {
        return None;
    }
    if is_date && has_digit() {
        let is_time = |id| page.tag(id) == Some(Tag::Time) && page.chars(id) > 0;
        return Some(u8::from(!page.live(id).take(MAX_NODES).any(is_time)));
    }
    // "4 days ago", and the day where the pointer rests.
    let title = page.attribute(id, &local_name!("title"));
    (title.is_some_and(is_written_date) && has_digit()).then_some(2)
}

/// Words of names in attributes.
struct HintWords {
    list: &'static [&'static str],
    /// Nearly no element has one, and to cut a name into words costs more.
    parts: AnyOf,
}

impl HintWords {
    const fn new(list: &'static [&'static str]) -> HintWords {
        HintWords { list, parts: AnyOf::new(list) }
    }
}

/// Whether an attribute holds one of these words.
fn says(page: &Page, id: NodeId, name: &LocalName, wanted: &HintWords) -> bool {
    page.attribute(id, name).is_some_and(|value| holds(value, wanted))
}

fn holds(value: &str, wanted: &HintWords) -> bool {
    wanted.parts.are_in(value) && words_of_identifier(value).any(|word| wanted.list.contains(&word.as_str()))
}

/// Bytes of a date that only its writing tells, and how sure it is.
const MAX_BYTES: usize = 120;
const WRITTEN: u8 = 3;
const LABELLED: u8 = 4;

/// Adds the short texts that are written like a date, outside of the marked ones.
fn add_written(page: &Page, blocks: &TextBlocks, dates: &mut Vec<Mention>) {
    const MAX_WORDS: f32 = 14.0;
    let mut more = Vec::new();
    for block in blocks.list.iter().filter(|block| block.stats.words <= MAX_WORDS) {
        for &id in blocks.texts(block) {
            let Some(text) = page.text(id) else { continue };
            let text = text.trim();
            if (1..=MAX_BYTES).contains(&text.len()) && is_written_date(text) && !tells_change(page, id) {
                let digit = text.find(char::is_numeric).unwrap_or(0);
                let is_labelled = text[..digit].contains([':', '：']);
                let rank = if is_labelled { LABELLED } else { WRITTEN };
                more.push(Mention { element: id, rank, text: id, is_aside: false });
            }
        }
    }
    more.retain(|mention: &Mention| {
        let next = dates.partition_point(|date| date.element <= mention.element);
        let before = next.checked_sub(1).map(|at| dates[at].element);
        !before.is_some_and(|before| page.contains(before, mention.element))
    });
    dates.extend(more);
    dates.sort_by_key(|mention| mention.element);
}

/// Whether a text holds a clock, a day of numbers, or a year with another number.
pub(crate) fn is_written_date(text: &str) -> bool {
    // Most texts have no digit at all.
    if text.is_ascii() && text.bytes().filter(u8::is_ascii_digit).count() < 2 {
        return false;
    }
    let numbers: Vec<Number> = numbers(text).take(12).collect();
    let pairs = || numbers.windows(2);
    let is_day = |three: &[Number]| {
        let is_mark = |c: Option<char>| matches!(c, Some('-' | '/' | '.' | '年' | '月' | '년' | '월'));
        let lengths = [three[0].digits, three[1].digits, three[2].digits];
        is_mark(three[0].gap)
            && is_mark(three[1].gap)
            && lengths[1] <= 2
            && matches!((lengths[0], lengths[2]), (4, 1..=2) | (1..=2, 2 | 4))
    };
    let has_year = numbers.iter().any(|number| number.digits == 4);
    let has_day = numbers.iter().any(|number| number.digits <= 2);
    pairs().any(is_clock) || numbers.windows(3).any(is_day) || has_year && has_day && text.contains(char::is_alphabetic)
}

/// Whether two numbers are the hour and the minute.
fn is_clock(pair: &[Number]) -> bool {
    pair[0].gap == Some(':') && pair[0].digits <= 2 && pair[1].digits == 2
}

/// Digits in a row, and what stands between them and the next where that is one character, spaces aside.
struct Number {
    digits: usize,
    gap: Option<char>,
}

fn numbers(text: &str) -> impl Iterator<Item = Number> + '_ {
    let mut rest = text;
    iter::from_fn(move || {
        let start = rest.find(char::is_numeric)?;
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len());
        let digits = rest[..end].chars().count();
        rest = &rest[end..];
        let until = rest.find(char::is_numeric).unwrap_or(rest.len());
        let mut between = rest[..until].chars().filter(|c| !c.is_whitespace());
        let gap = between.next().filter(|_| between.next().is_none());
        Some(Number { digits, gap })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_told_by_its_numbers_in_every_script() {
        for text in [
            "01-05-2026, 10:12 AM",
            "发表于 2026-3-1 10:12:33",
            "2026年3月1日",
            "» ד' אפריל 01, 2026 10:12 am",
            "01 Мая 2026, 10:12:33",
            "۱۱ اسفند ۱۴۰۲",
            "3 Mar 2024",
            "12/05/26",
        ] {
            assert!(is_written_date(text), "{text}");
        }
        for text in ["#7", "1,024", "5 Likes", "Posts: 312", "v1.2", "Junior Member"] {
            assert!(!is_written_date(text), "{text}");
        }
    }
}
