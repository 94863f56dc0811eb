//! Dates that only their writing tells: "01-05-2026, 10:12", "3 Mar 2024", "2026年3月1日". Months are written in every language,
//! numbers in few ways: a clock, a day of numbers, or a year beside another number.

use std::iter;

use html5ever::{LocalName, local_name};

use crate::{
    filter::main_block::auto::{blocks::Blocks, thread::posts::signs::Sign},
    page::{NodeId, Page, said::Hint, tag::Tag},
};

/// Bytes and words of such a text. Higher: sentences that mention a day are taken for one.
const MAX_BYTES: usize = 120;
const MAX_WORDS: f32 = 14.0;

/// How sure such a date is, and one behind a label ("Joined: 3 May 2010"), after those of `posts/signs.rs`.
const WRITTEN: u8 = 3;
pub(super) const LABELLED: u8 = 4;

/// How sure one is that nobody sees.
const UNSEEN: u8 = 2;

/// Nodes of such an element that are looked at.
const MAX_NODES: usize = 20;

/// Adds the texts that are written like a date to the dates, in document order.
pub(super) fn add(page: &Page, blocks: &Blocks, dates: &mut Vec<Sign>) {
    let mut more = Vec::new();
    for block in blocks
        .list
        .iter()
        .filter(|block| block.stats.words <= MAX_WORDS)
    {
        let mut label = false;
        for &id in blocks.texts(block) {
            let Some(text) = page.text(id) else {
                label = false;
                continue;
            };
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if text.len() <= MAX_BYTES && is_date(text) {
                let has_label = label || starts_with_label(text);
                more.push(Sign {
                    element: id,
                    rank: if has_label { LABELLED } else { WRITTEN },
                    text: id,
                });
            }
            label = text.ends_with([':', '：']);
        }
    }
    let is_within = |sign: &Sign| {
        let next = dates.partition_point(|date| date.element <= sign.element);
        let before = next.checked_sub(1).map(|at| dates[at].element);
        before.is_some_and(|before| page.contains(before, sign.element))
    };
    more.retain(|sign| !is_within(sign));
    dates.extend(more);
    dates.sort_by_key(|sign| sign.element);
}

/// Elements without a text that say a date: a script writes there how long that is ago.
pub(super) fn unseen(page: &Page) -> Vec<Sign> {
    let is_unseen = |&id: &NodeId| {
        let tells = |name: &LocalName| page.attribute(id, name).is_some_and(is_date);
        (tells(&local_name!("datetime")) || tells(&local_name!("title")))
            && page
                .live(id)
                .take(MAX_NODES)
                .all(|id| page.own_chars(id) == 0)
    };
    let may_tell = page.telling(Hint::Title.bit(), &[Tag::Time]).into_iter();
    may_tell
        .filter(is_unseen)
        .map(|id| Sign {
            element: id,
            rank: UNSEEN,
            text: id,
        })
        .collect()
}

fn starts_with_label(text: &str) -> bool {
    let digit = text.find(char::is_numeric).unwrap_or(text.len());
    text[..digit].contains([':', '：'])
}

/// Whether a text holds a clock, a day of numbers, or a year with another number.
pub(in super::super) fn is_date(text: &str) -> bool {
    let numbers: Vec<Number> = numbers(text).take(12).collect();
    let pairs = || numbers.windows(2);
    let is_day = |three: &[Number]| {
        let is_mark =
            |c: Option<char>| matches!(c, Some('-' | '/' | '.' | '年' | '月' | '년' | '월'));
        let lengths = [three[0].digits, three[1].digits, three[2].digits];
        is_mark(three[0].gap)
            && is_mark(three[1].gap)
            && lengths[1] <= 2
            && matches!((lengths[0], lengths[2]), (4, 1..=2) | (1..=2, 2 | 4))
    };
    let has_year = numbers.iter().any(|number| number.digits == 4);
    let has_day = numbers.iter().any(|number| number.digits <= 2);
    pairs().any(is_time)
        || numbers.windows(3).any(is_day)
        || has_year && has_day && text.contains(char::is_alphabetic)
}

/// Whether two numbers are the hour and the minute.
fn is_time(pair: &[Number]) -> bool {
    pair[0].gap == Some(':') && pair[0].digits <= 2 && pair[1].digits == 2
}

/// Whether a text tells a clock.
pub(in super::super) fn has_clock(text: &str) -> bool {
    let numbers: Vec<Number> = numbers(text).take(12).collect();
    numbers.windows(2).any(is_time)
}

/// Whether a text tells a clock and nothing else.
pub(super) fn is_clock(text: &str) -> bool {
    let numbers: Vec<Number> = numbers(text).take(4).collect();
    let is_pair = matches!(numbers.len(), 2 | 3);
    is_pair && numbers[0].gap == Some(':') && numbers.iter().all(|number| number.digits <= 2)
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
            assert!(is_date(text), "{text}");
        }
        for text in [
            "#7",
            "1,024",
            "5 Likes",
            "Posts: 312",
            "v1.2",
            "Junior Member",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
