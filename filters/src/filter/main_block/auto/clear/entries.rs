//! What others write below a text, and other texts of the site: comments, the latest news. Both are entries built alike, each with a
//! day and a link (who wrote it, or where it is to be read), and the text has been told before they begin. No class needs to
//! say what they are, and no language.
//!
//! A list of publications has years, not days; a table has rows; a talk is no article, and of a live report or a page of news
//! the entries are most. A list that the page is for (talks, releases, sources) is built alike: `entries/own.rs` tells it.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: docs/quality.md. None of the bounds matters much: with half or twice of each the
//! same pages gain.

mod names;
mod own;

use std::{iter, ops::Range};

use html5ever::local_name;

use super::super::{
    blocks::{Block, Blocks},
    called::{Names, words},
};
use crate::{
    kind::{Kind, KindNow},
    metadata,
    page::{NodeId, Page, said::Hint, tag::Tag},
    text::trim,
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

/// The same of entries with headlines of their own, where nothing names them as other articles: there it takes a long one above.
const MIN_ARTICLE: f32 = 150.0;
const MOST_TEASERS: f32 = 0.6;

/// The same of what is called comments: twice what was seen (some 1,300 words below 190 on WCXB dev's 4449).
const MOST_COMMENTS: f32 = 16.0;

/// Links to profiles in few comments, at least, and the part of what is kept that they are, at most: one may be whom a box quotes, and more
/// than that is a talk. Our choice.
const PEOPLE: usize = 2;
const FEW: f32 = 0.6;

/// What comments are called, as a class or an id by itself: "expert-comments", "live-comments" and "no-comments" are something else.
const COMMENTS: [&str; 7] = [
    "comment",
    "comments",
    "commentlist",
    "comment-list",
    "comments-list",
    "comments-area",
    "comment-body",
];

/// Names of lists of other articles.
const OTHERS: Names = Names::new(&[
    "related",
    "recent",
    "latest",
    "recommended",
    "popular",
    "trending",
    "widget",
    "sidebar",
    "teaser",
    "teasers",
    "carousel",
    "slider",
    "feed",
    "news",
    "blog",
    "post",
    "posts",
    "articles",
    "stories",
]);

/// Words of long paragraphs below the entries, as a share of those above, at most.
const MOST_BELOW: f32 = 0.5;

/// Drops the entries from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    drop_few(page, blocks, kind, kept);
    let days: Vec<NodeId> = (0..kept.len())
        .filter(|&at| blocks.list[at].stats.words <= MAX_WORDS && is_dated(page, blocks, at))
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
        if is_below_a_text(page, blocks, kept, &list)
            && kind.get() == Some(Kind::Article)
            && !own::is_own(page, blocks, &list)
        {
            kept[list.blocks].fill(false);
        }
    }
}

/// Drops comments that are no list of days yet, because they are two, or programs write "8d" in place of a day: an element that is called
/// so, and leads to the profiles of people. What experts or editors have to say is called otherwise, or leads to nobody's profile.
fn drop_few(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let people = page.telling(Hint::Profile.bit(), &[]);
    let (mut parts, mut links): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    let mut over = NodeId::DOCUMENT;
    for &link in &people {
        if link >= over {
            let around = page.ancestors(link).take(2 * LEVELS);
            let Some(part) = around.filter(|&up| is_comment(page, up)).last() else {
                continue;
            };
            over = page.end(part);
            parts.push(blocks.inside(page, part));
        }
        links += 1;
    }
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return;
    };
    // All of them together: where they are most of the page it is a talk, whoever signs it.
    let own: f32 = parts
        .iter()
        .map(|part| words(blocks, kept, part.clone()))
        .sum();
    if links >= PEOPLE
        && own <= FEW * words(blocks, kept, 0..kept.len())
        && is_behind(blocks, kept, &(first.start..last.end), MIN_TEXT, MOST)
    {
        for part in parts {
            kept[part].fill(false);
        }
    }
}

/// Whether one of its texts is a day, or stands in a `<time>`. A heading that is one begins a chapter of a diary.
fn is_dated(page: &Page, blocks: &Blocks, at: usize) -> bool {
    // To the end whatever is found, because that is done many bytes at once.
    let may_hold_number = |text: &str| {
        let may_be = |byte: u8| byte.is_ascii_digit() || !byte.is_ascii();
        text.bytes().fold(false, |found, byte| found | may_be(byte))
    };
    let is_day = |text: &str| {
        may_hold_number(text) && text.contains(char::is_numeric) && metadata::is_day(trim(text))
    };
    blocks.texts(&blocks.list[at]).iter().any(|&id| {
        let is_in = |wanted: fn(Tag) -> bool| {
            let mut around = page.ancestors(id).take(3);
            around.any(|up| page.tag(up).is_some_and(wanted))
        };
        let is_in_time = || page.has_any(&[Tag::Time]) && is_in(|tag| tag == Tag::Time);
        let is_day = || page.text(id).is_some_and(|text| is_day(&text));
        (is_in_time() || is_day()) && !is_in(Tag::is_heading)
    })
}

/// A list of entries.
struct List {
    /// The element around them.
    parent: NodeId,
    /// The texts of each.
    entries: Vec<Range<usize>>,
    blocks: Range<usize>,
    /// The first node behind it.
    end: NodeId,
    /// Whether most entries have a headline of their own: they are other texts, and no comments.
    has_titles: bool,
}

/// The innermost list around a day.
fn list_around(page: &Page, blocks: &Blocks, days: &[NodeId], day: NodeId) -> Option<List> {
    let entries = iter::once(day).chain(page.ancestors(day)).take(LEVELS);
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
        let (mut good, mut titles) = (0, 0);
        let mut entries: Vec<Range<usize>> = Vec::new();
        let mut end = parent;
        for brother in page.live_children(parent).filter(|&id| page.tag(id) == tag) {
            let own = blocks.inside(page, brother);
            if own.is_empty() {
                continue;
            }
            let has_link = blocks.list[own.clone()]
                .iter()
                .any(|block| block.link_density() >= 0.5);
            good += usize::from(own.len() > 1 && has_link && has_day(brother));
            titles += usize::from(own.clone().any(|at| own::is_title(page, blocks, at)));
            entries.push(own);
            end = page.end(brother);
        }
        if good >= LEAST && good as f32 >= SHARE * entries.len() as f32 {
            let blocks = entries.first()?.start..entries.last()?.end;
            let has_titles = titles as f32 >= SHARE * entries.len() as f32;
            return Some(List {
                parent,
                entries,
                blocks,
                end,
                has_titles,
            });
        }
    }
    None
}

/// Whether the page calls a list one of other articles: what holds long paragraphs above it is no longer the list.
fn is_named(page: &Page, blocks: &Blocks, list: &List, is_name: impl Fn(NodeId) -> bool) -> bool {
    let first = blocks.list[list.blocks.start].container;
    let around = iter::once(first).chain(page.ancestors(first));
    let mut around = around.take(2 * LEVELS).take_while(|&up| {
        let above = blocks.inside(page, up).start..list.blocks.start;
        above.is_empty() || !blocks.list[above].iter().any(Block::is_long)
    });
    around.any(is_name)
}

fn is_comment(page: &Page, id: NodeId) -> bool {
    [local_name!("class"), local_name!("id")]
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .flat_map(str::split_ascii_whitespace)
        .any(|word| COMMENTS.contains(&word))
}

fn may_be_entry(tag: Tag) -> bool {
    !matches!(
        tag,
        Tag::Tr | Tag::Td | Tag::Th | Tag::P | Tag::Span | Tag::Br
    )
}

/// Whether the page has told its text where the entries begin.
fn is_below_a_text(page: &Page, blocks: &Blocks, kept: &[bool], list: &List) -> bool {
    let entries = &list.blocks;
    let (least, most) =
        if list.has_titles && !is_named(page, blocks, list, |up| OTHERS.name(page, up)) {
            (MIN_ARTICLE, MOST_TEASERS)
        } else if is_named(page, blocks, list, |up| is_comment(page, up)) {
            (MIN_TEXT, MOST_COMMENTS)
        } else {
            (MIN_TEXT, MOST)
        };
    is_behind(blocks, kept, entries, least, most)
}

/// Whether so many words of long paragraphs stand above some texts, at most so many times as many in them, and few below.
fn is_behind(
    blocks: &Blocks,
    kept: &[bool],
    entries: &Range<usize>,
    least: f32,
    most: f32,
) -> bool {
    let long = |range: Range<usize>| -> f32 {
        let run = blocks.list[range.clone()].iter().zip(&kept[range]);
        run.filter(|(block, kept)| **kept && block.is_long())
            .map(|(block, _)| block.stats.words)
            .sum()
    };
    let above = long(0..entries.start);
    let own = words(blocks, kept, entries.clone());
    above >= least
        && (f32::MIN_POSITIVE..=most * above).contains(&own)
        && long(entries.end..kept.len()) <= MOST_BELOW * above
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page_at, page_saying, words as text};

    const COMMENT: &str = "<li><a href=/u/#>Ann #</a> <div>3 May 2026 at 2:06 pm</div><p>Thank you, it worked for me.</p></li>";
    const TEASER: &str = "<div><a href=/n/#><h3>Bath # closed</h3></a><span><time>3 hours ago</time></span>\
        <div>It stays closed until…</div></div>";

    /// Which texts are left of a page that says it is this.
    fn kept(html: &str, says: &str) -> Vec<bool> {
        let page = page_saying(says, "https://example.org/news/bread", html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    /// How many texts are left of an article of so many words with entries below it, and of how many.
    fn left(words: usize, entry: &str, count: usize, says: &str) -> (usize, usize) {
        let entry = |number: usize| entry.replace('#', &number.to_string());
        let html = format!(
            "<p>{}</p><section><ol>{}</ol></section>",
            text(words),
            (0..count).map(entry).collect::<String>()
        );
        let kept = kept(&html, says);
        (kept.iter().filter(|&&kept| kept).count(), kept.len())
    }

    #[test]
    fn comments_and_other_news_below_an_article_go() {
        assert_eq!(left(120, COMMENT, 5, "NewsArticle"), (1, 16));
        assert_eq!(left(220, TEASER, 3, "NewsArticle"), (1, 10));
        let named = TEASER.replacen("<div>", "<div class=latest-news>", 1);
        assert_eq!(left(120, &named, 3, "NewsArticle"), (1, 10));
        let japanese = COMMENT.replace("3 May 2026 at 2:06 pm", "2026年5月3日 14:06");
        assert_eq!(left(120, &japanese, 5, "NewsArticle"), (1, 16));
    }

    #[test]
    fn what_is_called_comments_goes_however_many_they_are() {
        let named = COMMENT.replacen("<li>", "<li class=comment>", 1);
        assert_eq!(left(120, &named, 50, "NewsArticle"), (1, 151));
        let live = COMMENT.replacen("<li>", "<li class=live-comments>", 1);
        assert_eq!(left(120, &live, 50, "NewsArticle"), (151, 151));
    }

    #[test]
    fn two_comments_go_by_what_they_are_called_and_whose_they_are() {
        let comment = "<div><a href=/profile/ann>Ann</a> <span>8d</span><p>Thank you, it worked for me.</p></div>";
        let two = |class: &str, comment: &str| {
            let html = format!(
                "<p>{}</p><div class='{class}'>{}</div>",
                text(220),
                comment.repeat(2)
            );
            kept(&html, "NewsArticle")
        };
        let gone = [true, false, false, false, false];
        assert_eq!(two("comment-list", comment), gone);
        assert_eq!(two("expert-comments", comment), [true; 5]);
        let of_no_one = comment.replace("/profile/", "/poems/");
        assert_eq!(two("comments", &of_no_one), [true; 5]);
    }

    #[test]
    fn a_talk_whose_posts_are_called_comments_stays() {
        let post = |number: usize| {
            let said = text(60);
            format!(
                "<div class=comment><a href=/u/{number}>☺</a> <a href=/u/{number}>Ann {number}</a><p>{said}</p></div>"
            )
        };
        let html: String = (0..6).map(post).collect();
        assert!(!kept(&html, "NewsArticle").contains(&false));
    }

    #[test]
    fn entries_that_are_most_of_the_page_stay() {
        assert_eq!(left(90, COMMENT, 5, "NewsArticle"), (16, 16));
        assert_eq!(left(120, COMMENT, 50, "NewsArticle"), (151, 151));
        assert_eq!(left(120, COMMENT, 5, "DiscussionForumPosting"), (16, 16));
    }

    #[test]
    fn titles_below_a_short_text_that_nothing_names_as_others_stay() {
        assert_eq!(left(120, TEASER, 3, "NewsArticle"), (10, 10));
        assert_eq!(left(220, TEASER, 30, "NewsArticle"), (91, 91));
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
