//! What others write below a text, and other texts of the site: comments, the latest news. Both are entries built alike, each with a
//! day and a link (who wrote it, or where it is to be read), and the text has been told before they begin. No class needs to
//! say what they are, and no language.
//!
//! A list of publications has years, not days; a table has rows; a talk is no article, and of a live report or a page of news
//! the entries are most.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: docs/quality.md. None of the bounds matters much: with half or twice of each the
//! same pages gain.

use std::ops::Range;

use super::super::{blocks::Blocks, called::words};
use crate::{
    kind::{Kind, KindNow},
    metadata,
    page::{NodeId, Page, tag::Tag},
};

/// Entries from which they are a list.
const LEAST: usize = 3;

/// Share of the brothers of an entry that must be entries too.
const SHARE: f32 = 0.7;

/// Words of a text that shows a day, at most: "by Ann on 21 November 2026 at 2 pm".
const MAX_WORDS: f32 = 10.0;

/// Elements around a day among which the entry is looked for.
const LEVELS: usize = 12;

/// Words of the text above, in long paragraphs, at least.
const MIN_TEXT: f32 = 100.0;

/// Words of the entries, as a multiple of those, at most.
const MOST: f32 = 1.6;

/// Words of long paragraphs below the entries, as a share of those above, at most.
const MOST_BELOW: f32 = 0.5;

/// Drops the entries from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let has_times = page.about(Tag::Time).next().is_some();
    let days: Vec<NodeId> = (0..kept.len())
        .filter(|&at| {
            blocks.list[at].stats.words <= MAX_WORDS && is_dated(page, blocks, at, has_times)
        })
        .map(|at| blocks.list[at].container)
        .collect();
    if days.len() < LEAST {
        return;
    }
    let mut over = NodeId::DOCUMENT;
    for &day in &days {
        if day < over {
            continue;
        }
        let Some(list) = list_around(page, blocks, &days, day) else {
            continue;
        };
        over = list.end;
        let inside = list.blocks;
        if is_below_a_text(blocks, kept, &inside) && kind.get() == Some(Kind::Article) {
            kept[inside].fill(false);
        }
    }
}

/// Whether one of its texts is a day, or stands in a `<time>`, if the page has any. A heading that is one begins a chapter of a diary.
fn is_dated(page: &Page, blocks: &Blocks, at: usize, has_times: bool) -> bool {
    // To the end whatever is found, because that is done many bytes at once.
    let may_hold_number = |text: &str| {
        let may_be = |byte: u8| byte.is_ascii_digit() || !byte.is_ascii();
        text.bytes().fold(false, |found, byte| found | may_be(byte))
    };
    let is_day = |text: &str| {
        may_hold_number(text) && text.contains(char::is_numeric) && metadata::is_day(text)
    };
    blocks.texts(&blocks.list[at]).iter().any(|&id| {
        let is_in = |wanted: fn(Tag) -> bool| {
            let mut around = page.ancestors(id).take(3);
            around.any(|up| page.tag(up).is_some_and(wanted))
        };
        let is_day = page.text(id).is_some_and(|text| is_day(text.trim()));
        (is_day || has_times && is_in(|tag| tag == Tag::Time)) && !is_in(Tag::is_heading)
    })
}

/// A list of entries.
struct List {
    blocks: Range<usize>,
    /// The first node behind it.
    end: NodeId,
}

/// The innermost list around a day.
fn list_around(page: &Page, blocks: &Blocks, days: &[NodeId], day: NodeId) -> Option<List> {
    let entries = std::iter::once(day).chain(page.ancestors(day)).take(LEVELS);
    let has_day = |id: NodeId| {
        let first = days.partition_point(|&day| day < id);
        days.get(first).is_some_and(|&day| day < page.end(id))
    };
    for entry in entries {
        if entry == page.body() {
            break;
        }
        let parent = page.parent(entry);
        // Only what holds as many days as a list has.
        let inside = days.partition_point(|&day| day < page.end(parent))
            - days.partition_point(|&day| day < parent);
        let tag = page.tag(entry).filter(|tag| may_be_entry(*tag));
        if inside < LEAST || tag.is_none() {
            continue;
        }
        let (mut all, mut good) = (0.0_f32, 0);
        let mut list: Option<List> = None;
        for brother in page.live_children(parent).filter(|&id| page.tag(id) == tag) {
            let own = blocks.inside(page, brother);
            if own.is_empty() {
                continue;
            }
            all += 1.0;
            let has_link = blocks.list[own.clone()]
                .iter()
                .any(|block| block.link_density() >= 0.5);
            good += usize::from(own.len() > 1 && has_link && has_day(brother));
            let begin = list.map_or(own.start, |list| list.blocks.start);
            list = Some(List {
                blocks: begin..own.end,
                end: page.end(brother),
            });
        }
        if good >= LEAST && good as f32 >= SHARE * all {
            return list;
        }
    }
    None
}

fn may_be_entry(tag: Tag) -> bool {
    !matches!(
        tag,
        Tag::Tr | Tag::Td | Tag::Th | Tag::P | Tag::Span | Tag::Br
    )
}

/// Whether the page has told its text where the entries begin.
fn is_below_a_text(blocks: &Blocks, kept: &[bool], entries: &Range<usize>) -> bool {
    let long = |range: Range<usize>| -> f32 {
        let run = blocks.list[range.clone()].iter().zip(&kept[range]);
        run.filter(|(block, kept)| **kept && block.is_long())
            .map(|(block, _)| block.stats.words)
            .sum()
    };
    let above = long(0..entries.start);
    let own = words(blocks, kept, entries.clone());
    above >= MIN_TEXT
        && (f32::MIN_POSITIVE..=MOST * above).contains(&own)
        && long(entries.end..kept.len()) <= MOST_BELOW * above
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words as text},
    };

    const COMMENT: &str = "<li><a href=/u/#>Ann #</a> <div>3 May 2026 at 2:06 pm</div><p>Thank you, it worked for me.</p></li>";
    const TEASER: &str = "<div><a href=/n/#><h3>Bath # closed</h3></a><span><time>3 hours ago</time></span>\
        <div>It stays closed until…</div></div>";

    /// How many texts are left of an article of so many words with entries below it, and of how many.
    fn left(words: usize, entry: &str, count: usize, says: &str) -> (usize, usize) {
        let entry = |number: usize| entry.replace('#', &number.to_string());
        let html = format!(
            "<p>{}</p><section><ol>{}</ol></section>",
            text(words),
            (0..count).map(entry).collect::<String>()
        );
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        (kept.iter().filter(|&&kept| kept).count(), kept.len())
    }

    #[test]
    fn comments_and_other_news_below_an_article_go() {
        assert_eq!(left(120, COMMENT, 5, "NewsArticle"), (1, 16));
        assert_eq!(left(120, TEASER, 3, "NewsArticle"), (1, 10));
        let japanese = COMMENT.replace("3 May 2026 at 2:06 pm", "2026年5月3日 14:06");
        assert_eq!(left(120, &japanese, 5, "NewsArticle"), (1, 16));
    }

    #[test]
    fn entries_that_are_most_of_the_page_stay() {
        assert_eq!(left(90, COMMENT, 5, "NewsArticle"), (16, 16));
        assert_eq!(left(120, COMMENT, 50, "NewsArticle"), (151, 151));
        assert_eq!(left(120, COMMENT, 5, "DiscussionForumPosting"), (16, 16));
    }

    #[test]
    fn two_are_no_list_and_publications_have_years() {
        assert_eq!(left(120, COMMENT, 2, "NewsArticle"), (7, 7));
        let paper = "<li><a href=/p/#>On bread #</a><div>Journal of Bread 3 (2019)</div></li>";
        assert_eq!(left(120, paper, 5, "Article"), (11, 11));
    }

    #[test]
    fn the_days_of_a_diary_are_headings() {
        let day = "<div><h3><a href=/d/#>3 May 2026</a></h3><p>To the ford, and back.</p></div>";
        assert_eq!(left(120, day, 5, "BlogPosting"), (11, 11));
    }

    #[test]
    fn a_chapter_below_the_entries_keeps_them() {
        let html = format!(
            "<p>{}</p><ol>{}</ol><p>{}</p>",
            text(120),
            COMMENT.repeat(5),
            text(70)
        );
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims.types = vec!["NewsArticle".to_owned()];
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        assert!(kept.iter().all(|&kept| kept));
    }
}
