//! Dates that only an attribute tells: `<a class="timeago" title="2024-11-27T15:50:23Z"></a>`, `<time datetime="2021-03-03"></time>`. A
//! script writes there how long that is ago; without it a reader never learns when a post was written. What the attribute says is
//! written into the element: as it stands where it is written for people ("Mar 3, 2021, 4:22 PM"), the day and the clock of what is
//! written for machines.
//!
//! Not where the page means it for machines alone (`itemprop`), or says of it that it is the day of a change, and not beside numbers:
//! there the date stands in words already.
//!
//! On 19 of the 1,497 pages of WCXB dev elements say a date and show none; on three of them they are the dates of posts, and these
//! three show them now (2026-11-22).

use html5ever::{LocalName, local_name};
use kuchikiki::NodeRef;

use super::attribute;
use crate::{
    page::attributes::{Attributes, Stretch},
    parts::Parts,
};

/// Bytes of a date, at most.
const MAX_BYTES: usize = 40;

/// Words of one for people, at most: "Wednesday, 3 March 2021 at 4:22 PM UTC".
const MAX_WORDS: usize = 9;

/// Nodes beside an element that are looked at, and above it: a bound on the work.
const MAX_BESIDE: usize = 12;

/// Words of the class of the day of a change.
const CHANGES: Parts = Parts::new(&["updated", "modified", "edited"]);

/// Whether an element of a name may show a date. `has_title`: whether it has such an attribute.
pub(in crate::page) fn may_be(name: &LocalName, has_title: bool) -> bool {
    match *name {
        local_name!("time") => true,
        local_name!("a") | local_name!("span") | local_name!("abbr") | local_name!("small") => has_title,
        _ => false,
    }
}

/// Writes the dates.
pub(super) fn write(attributes: &Attributes, elements: &[NodeRef]) {
    for element in elements {
        if is_empty(element)
            && let Some(date) = date(attributes, element)
            && !is_told(element)
        {
            element.append(NodeRef::new_text(date));
        }
    }
}

/// What is to be shown.
fn date(attributes: &Attributes, element: &NodeRef) -> Option<String> {
    let mut found = None;
    for attribute in attributes.of(Stretch::of(element)) {
        let value = attribute.value.trim();
        match attribute.name.local {
            local_name!("itemprop") => return None,
            local_name!("class") if CHANGES.are_in(value) => return None,
            local_name!("datetime") | local_name!("title") if found.is_none() => {
                found = machines(value).or_else(|| peoples(value));
            }
            _ => {}
        }
    }
    let is_hidden = attribute(attributes, element, &local_name!("hidden")).is_some();
    found.filter(|_| !is_hidden)
}

/// `2024-11-27T15:50:23.066Z`: the day, and hour and minute where they are told.
fn machines(value: &str) -> Option<String> {
    let is = |pattern: &[u8]| {
        let bytes = value.as_bytes();
        bytes.len() >= pattern.len()
            && bytes.iter().zip(pattern).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                b'T' => matches!(byte, b'T' | b' '),
                wanted => byte == wanted,
            })
    };
    if value.len() > MAX_BYTES || !is(b"0000-00-00") {
        return None;
    }
    if is(b"0000-00-00T00:00") {
        return Some(format!("{} {}", &value[..10], &value[11..16]));
    }
    (value.len() == 10).then(|| value.to_owned())
}

/// A day with a year and a clock, and little beside.
fn peoples(value: &str) -> Option<String> {
    if value.len() > MAX_BYTES {
        return None;
    }
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = || {
        let words = value.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty() && is_number(word))
    };
    let has_year = || numbers().any(|number| number.len() == 4);
    let is_clock = value.as_bytes().windows(4).any(|four| {
        four[0].is_ascii_digit() && four[1] == b':' && four[2].is_ascii_digit() && four[3].is_ascii_digit()
    });
    let is_date = is_clock && has_year() && numbers().count() >= 4 && value.split_whitespace().count() <= MAX_WORDS;
    is_date.then(|| value.to_owned())
}

fn is_empty(element: &NodeRef) -> bool {
    element.children().take(MAX_BESIDE).all(|child| {
        child.as_text().is_some_and(|text| text.borrow().trim().is_empty()) || child.as_comment().is_some()
    })
}

/// Whether a number stands beside it.
fn is_told(element: &NodeRef) -> bool {
    let Some(above) = element.parent() else {
        return true;
    };
    let has_number = |node: &NodeRef| {
        let text = node.as_text();
        text.is_some_and(|text| text.borrow().contains(|c: char| c.is_numeric()))
    };
    above
        .children()
        .take(MAX_BESIDE)
        .any(|beside| has_number(&beside) || beside.children().take(2).any(|one| has_number(&one)))
}

#[cfg(test)]
mod tests {
    use crate::testing::shown;

    fn text(html: &str) -> String {
        let shown = shown(&format!("<p>{html}</p>"));
        let parts = shown.split('<').filter_map(|part| part.split_once('>'));
        parts.map(|(_, text)| text).collect()
    }

    #[test]
    fn a_date_that_only_an_attribute_tells_is_written() {
        let cases = [
            ("wrote on <a href=/p/1 class=timeago title=2024-11-27T15:50:23.066Z></a>", "wrote on 2024-11-27 15:50"),
            ("<time datetime=2021-03-03></time>", "2021-03-03"),
            ("<time datetime='2021-03-03 16:22:09+01:00'> </time>", "2021-03-03 16:22"),
            ("<span title='Mar 3, 2021, 4:22 PM'></span>", "Mar 3, 2021, 4:22 PM"),
            ("<abbr title='3 марта 2021 г., 16:22'></abbr>", "3 марта 2021 г., 16:22"),
        ];
        for (html, wanted) in cases {
            assert_eq!(text(html).trim(), wanted);
        }
    }

    #[test]
    fn what_is_told_already_or_meant_for_machines_is_not() {
        for (html, wanted) in [
            ("<time datetime=2021-03-03>3 March</time>", "3 March"),
            ("<b>3 March</b> <time datetime=2021-03-03></time>", "3 March "),
            ("<time itemprop=dateCreated datetime=2021-03-03></time>", ""),
            ("<time class='dt-updated updated' datetime=2021-03-03></time>", ""),
            ("<span title='Edited Invalid Date'></span>", ""),
            ("<a href=/x title='Room 2021, 4 seats'></a>", ""),
            ("<i title='2021-03-03'></i>", ""),
            ("<time datetime=PT20M></time>", ""),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }
}
