//! Which list of entries is the page's own: the talks of a society, the releases of a program, the programme of a festival, the books that
//! an article names. It is built as the latest news below an article are, with a day and a link each. One of these says that it is
//! meant:
//!
//! - it stands among the paragraphs of the text, as their brother;
//! - the heading above it, or the headline where the entries have titles, is the name of such a list;
//! - its entries have versions, hours from and to, or days that go forward, or their titles lead to places of this page.
//!
//! Latest news go backward, and comments have no titles.
//!
//! WCXB dev, 2026-11-22: none of the lists that went before is one by these signs. Written for readers: eight lists of our own went.

use super::{super::super::blocks::Blocks, List, SHARE, names::NAMES};
use crate::{
    metadata,
    page::{Page, tag::Tag},
    text::one_line,
};
use html5ever::local_name;

/// Entries from which the order of their days is no chance.
const IN_ORDER: usize = 4;

/// Share of the long paragraphs above that are brothers of the list, at least.
const AMONG: f32 = 0.5;

/// Words of a link from which it is a title: a name has fewer.
const TITLE: f32 = 4.0;

/// Words of a heading that is the name of a list, at most.
const HEADING_WORDS: f32 = 4.0;

pub(super) fn is_own(page: &Page, blocks: &Blocks, list: &List) -> bool {
    let most = |is_it: &dyn Fn(usize) -> bool| {
        let mut entries = list.entries.iter().map(|entry| entry.clone().any(is_it));
        let all = entries.len() as f32;
        entries.by_ref().filter(|it| *it).count() as f32 >= SHARE * all
    };
    let text = |at: usize| one_line(&blocks.text(page, &blocks.list[at]));
    is_named(page, blocks, list)
        || stands_among_paragraphs(page, blocks, list)
        || most(&|at| is_span_of_time(&text(at)))
        || list.has_titles
            && (most(&|at| is_version(page, blocks, at))
                || most(&|at| is_title(page, blocks, at) && leads_here(page, blocks, at))
                || goes_forward(page, blocks, list))
}

/// Whether a text is the headline of an entry: a heading, or a link of some words.
pub(super) fn is_title(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    // The link to a comment is its day, beside the name: "Ann 3 May 2026 at 2:06 pm".
    page.tag(block.container).is_some_and(Tag::is_heading)
        || block.stats.words >= TITLE
            && block.link_density() >= 0.8
            && !super::is_dated(page, blocks, at)
}

/// Whether the heading above the list is the name of one, or, where the entries have titles, a word of the headline.
fn is_named(page: &Page, blocks: &Blocks, list: &List) -> bool {
    let is_heading = |at: &usize| {
        let block = &blocks.list[*at];
        page.tag(block.container).is_some_and(Tag::is_heading)
    };
    let is_name = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        NAMES.contains(&line)
    };
    let lower = |text: &str| one_line(text).to_lowercase();
    let heading = (0..list.blocks.start).rev().find(is_heading);
    let by_heading = heading.map(|at| &blocks.list[at]).is_some_and(|block| {
        block.stats.words <= HEADING_WORDS && {
            let line = lower(&blocks.text(page, block));
            is_name(&line) || line.split_whitespace().next().is_some_and(is_name)
        }
    });
    let in_headline = || {
        let line = lower(&page.headline.text);
        is_name(&line) || line.split_whitespace().any(is_name)
    };
    by_heading || list.has_titles && in_headline()
}

/// Whether the text above the list stands in the element around it, a paragraph beside the next. A box with a heading of its own is no such
/// list.
fn stands_among_paragraphs(page: &Page, blocks: &Blocks, list: &List) -> bool {
    if blocks.inside(page, list.parent) != list.blocks {
        return false;
    }
    let (mut all, mut beside) = (0.0, 0.0);
    let around = page.parent(list.parent);
    for block in &blocks.list[..list.blocks.start] {
        if block.is_long() {
            all += block.stats.words;
            if block.container == around || page.parent(block.container) == around {
                beside += block.stats.words;
            }
        }
    }
    beside > 0.0 && beside >= AMONG * all
}

/// "10:00 – 10:45", "18.30-20.00 Uhr".
fn is_span_of_time(text: &str) -> bool {
    let is_time = |part: &str| {
        let bytes = part.as_bytes();
        let sign = bytes
            .iter()
            .position(|byte| matches!(byte, b':' | b'.' | b'h'));
        sign.is_some_and(|at| {
            let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
            (1..=2).contains(&at)
                && bytes.len() == at + 3
                && digits(&bytes[..at])
                && digits(&bytes[at + 1..])
        })
    };
    let mut times = text
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '〜' | '～' | ','))
        .filter(|part| !part.is_empty())
        .map(is_time);
    let mut before = false;
    times.any(|is_time| std::mem::replace(&mut before, is_time) && is_time)
}

/// "Version 4.2.1", "Loombook v2.0": a title with numbers and dots that are no day.
fn is_version(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    let is_short = block.stats.words <= HEADING_WORDS + 2.0;
    is_short && is_title(page, blocks, at) && has_version(&blocks.text(page, block))
}

fn has_version(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = word.split('.');
        let are_numbers = parts.clone().take(2).all(|part| {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            (1..=3).contains(&digits)
        });
        are_numbers && parts.by_ref().count() >= 2 && !metadata::is_day(word)
    })
}

/// Whether a title leads to a place of this page.
fn leads_here(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let texts = blocks.texts(&blocks.list[at]).iter();
    let mut links = texts.filter_map(|&id| {
        let mut around = page.ancestors(id).take(4);
        around.find(|&up| page.tag(up) == Some(Tag::A))
    });
    links.any(|link| {
        page.attribute(link, &local_name!("href"))
            .is_some_and(|href| href.len() > 1 && href.starts_with('#'))
    })
}

/// Whether the days of the entries go forward.
fn goes_forward(page: &Page, blocks: &Blocks, list: &List) -> bool {
    let language = page
        .html()
        .and_then(|id| page.attribute(id, &local_name!("lang")));
    let day = |entry: &std::ops::Range<usize>| {
        entry.clone().find_map(|at| {
            let texts = blocks.texts(&blocks.list[at]).iter();
            texts
                .filter_map(|&id| page.text(id))
                .find_map(|text| metadata::day_in(&text, language))
        })
    };
    let days: Vec<String> = list.entries.iter().filter_map(day).collect();
    days.len() >= IN_ORDER && days.is_sorted() && days.first() != days.last()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{LEAST, is_dated, list_around},
        *,
    };
    use crate::{
        page::NodeId,
        testing::{page_at, words},
    };

    /// Whether the entries below a text are its own, below a heading.
    fn is_own(headline: &str, heading: &str, entry: impl Fn(usize) -> String) -> bool {
        let entries: String = (1..=LEAST + 2).map(entry).collect();
        of(
            &format!(
                "<div><p>{}</p></div><section><h2>{heading}</h2><div>{entries}</div></section>",
                words(40)
            ),
            headline,
        )
    }

    fn of(html: &str, headline: &str) -> bool {
        let mut page = page_at("https://example.org/mill", html);
        page.headline.text = headline.to_owned();
        let blocks = Blocks::of(&page, &[]);
        let days: Vec<NodeId> = (0..blocks.list.len())
            .filter(|&at| is_dated(&page, &blocks, at))
            .map(|at| blocks.list[at].container)
            .collect();
        let list = list_around(&page, &blocks, &days, days[0]).expect("a list");
        super::is_own(&page, &blocks, &list)
    }

    fn teaser(number: usize) -> String {
        format!(
            "<article><h3><a href=/n/{number}>Bath closed</a></h3><p>{} May 2026</p></article>",
            30 - number
        )
    }

    #[test]
    fn latest_news_are_not() {
        assert!(!is_own("The mill", "Latest news", teaser));
    }

    #[test]
    fn a_list_is_own_by_its_name() {
        for heading in [
            "Programme",
            "Sources:",
            "Quellen",
            "Références",
            "Literatura i źródła",
            "참고문헌",
        ] {
            let is_known = heading != "Literatura i źródła";
            assert_eq!(is_own("The mill", heading, teaser), is_known, "{heading}");
        }
        assert!(is_own("Talks in 2027", "Spring", teaser));
        assert!(!is_own(
            "The mill",
            "News from the valley and its sources",
            teaser
        ));
    }

    #[test]
    fn a_list_is_own_by_its_versions_and_hours_and_places() {
        let of = |more: &dyn Fn(usize) -> String| {
            is_own("The mill", "2026", |number| {
                teaser(number).replace("Bath closed", &more(number))
            })
        };
        assert!(of(&|number| format!("Loom 4.{number}.1")));
        assert!(of(&|number| format!(
            "1{number}:00 – 1{number}:45 On looms"
        )));
        assert!(!of(&|number| format!(
            "{number} of 30 baths closed at 14:00"
        )));
        let here = |number: usize| teaser(number).replace("/n/", "#u");
        assert!(is_own("The mill", "2026", here));
    }

    #[test]
    fn days_that_go_forward_are_a_programme_and_comments_have_no_titles() {
        let forward = |number: usize| teaser(30 - number);
        assert!(is_own("The mill", "2026", forward));
        let comment = |number: usize| {
            format!("<article><a href=/u/{number}>Ann</a><p>{number} May 2026</p></article>")
        };
        assert!(!is_own("The mill", "2026", comment));
    }

    #[test]
    fn a_list_among_the_paragraphs_is_own() {
        let list: String = (1..5).map(teaser).collect();
        let text = words(40);
        assert!(of(
            &format!("<div><p>{text}</p><div>{list}</div></div>"),
            "The mill"
        ));
        assert!(!of(
            &format!("<div><p>{text}</p><div><b>New</b>{list}</div></div>"),
            "The mill"
        ));
        assert!(!of(
            &format!("<div><div><p>{text}</p></div><div>{list}</div></div>"),
            "The mill"
        ));
    }
}
