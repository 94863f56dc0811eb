//! What readers wrote below an article: the sections that the page calls so, by their names or by a heading over them ("24 comments"),
//! with comments that are signed and dated (`records/comments.rs`). It is worth having, and it is no part of the article.
//!
//! A thread is none: there the answers look like what they answer.

use std::ops::Range;

use html5ever::local_name;

use super::{
    Scored,
    blocks::{TextBlock, TextBlocks},
    records::{CommentEntry, Records, innermost},
};
use crate::{
    analysis::{AnalysedPage, CommentNode},
    hosts::is_same_site,
    html::{NodeId, Page, attribute_hints::class_hints::ClassHint, tag::Tag},
    measure::outermost,
    metadata::day_in,
    vocabulary::{
        self, Class,
        words::{one_line, words_of_identifier},
    },
};

/// Words of a heading over comments, of a line with a name and a date, and of a link to answer, at most.
const HEADING_WORDS: f32 = 6.0;
const HEAD_WORDS: f32 = 14.0;
const LINK_WORDS: f32 = 4.0;

/// Probability of a text from which it is of the article.
const OF_ARTICLE: f64 = 0.5;

/// Words of an article with more words of comments, at least; and of one that the page claims to be an article. Chosen on two forum pages of
/// WCXB dev (2026-11-28) whose questions are taken for articles, not cross-validated: a longer question is still taken for one.
const ARTICLE_WORDS: f32 = 300.0;
const CLAIMED_WORDS: f32 = 150.0;

/// Sections of a page that are looked into, each of which may be one comment: a bound on the work.
const MAX_SECTIONS: usize = 5000;

/// Bytes of a date, at most.
const MAX_DATE: usize = 80;

/// The comments of a page.
#[derive(Default)]
pub(super) struct CommentSection {
    pub(super) comments: Vec<CommentNode>,
    /// Nodes among them that are none: forms, links to answer.
    pub(super) beside: Vec<NodeId>,
    /// The blocks of their sections.
    blocks: Vec<Range<usize>>,
}

impl CommentSection {
    pub(super) fn from_page(
        page: &AnalysedPage,
        blocks: &TextBlocks,
        records: &Records,
        scored: &[Scored],
    ) -> CommentSection {
        let sections = sections(page, blocks, scored);
        let mut found = CommentSection::default();
        if sections.is_empty() || records.is_thread_of(page, &sections) {
            return found;
        }
        let entries = records.comments(page, blocks, &sections);
        let holds_one = |&section: &NodeId| {
            let next = entries.get(entries.partition_point(|entry| entry.element < section));
            next.is_some_and(|entry| entry.element < page.end(section))
        };
        for section in sections.into_iter().filter(holds_one) {
            let mut own = blocks.inside(page, section);
            // The heading may stand above the list.
            let above = own.start.checked_sub(1).filter(|&at| says_comments(page, blocks, at));
            own.start = above.unwrap_or(own.start);
            found.blocks.push(own);
        }
        if !found.are_below_article(page, blocks, scored) {
            return CommentSection::default();
        }
        found.add(page, blocks, &entries);
        found
    }

    /// Whether what stands above them is an article, and not the first post of a thread that looks unlike its answers.
    fn are_below_article(&self, page: &AnalysedPage, blocks: &TextBlocks, scored: &[Scored]) -> bool {
        let Some(start) = self.blocks.first().map(|own| own.start) else {
            return false;
        };
        let words = |at: usize| blocks.list[at].stats.words;
        let article: f32 = (0..start).filter(|&at| scored[at].probability >= OF_ARTICLE).map(words).sum();
        let comments: f32 = self.blocks.iter().cloned().flatten().map(words).sum();
        let least = if page.claims.is_text() { CLAIMED_WORDS } else { ARTICLE_WORDS };
        comments <= article || article >= least
    }

    /// Takes them out of what is kept of the article.
    pub(super) fn settle(&self, page: &AnalysedPage, blocks: &TextBlocks, kept: &mut [bool]) {
        let is_headline =
            |at: usize| page.headline.node.is_some_and(|node| page.contains(node, blocks.list[at].container));
        for at in self.blocks.iter().cloned().flatten().filter(|&at| !is_headline(at)) {
            kept[at] = false;
        }
    }

    fn add(&mut self, page: &AnalysedPage, blocks: &TextBlocks, entries: &[CommentEntry]) {
        let elements: Vec<NodeId> = entries.iter().map(|entry| entry.element).collect();
        self.comments = entries
            .iter()
            .map(|entry| CommentNode {
                element: entry.element,
                author: entry.author(page),
                date: entry.date.and_then(|date| day(page, date.element)),
                ..CommentNode::default()
            })
            .collect();
        let owners = innermost(page, &elements);
        for outer in outermost(page, elements.clone()) {
            self.beside.extend(page.live(outer).filter(|&id| page.tag(id) == Some(Tag::Form)));
            for block in &blocks.list[blocks.over(page, outer)] {
                let Ok(at) = elements.binary_search(&owners[block.container.index()]) else { continue };
                let texts = blocks.texts(block).iter().copied().filter(|&text| page.own_chars(text) > 0);
                let mentions = [entries[at].name, entries[at].date].into_iter().flatten();
                let is_mentioned = |text: NodeId| mentions.clone().any(|mention| page.contains(mention.element, text));
                if texts.clone().any(is_mentioned) {
                    let is_line = block.stats.words <= HEAD_WORDS;
                    self.comments[at].head.extend(texts.filter(|&text| is_line || is_mentioned(text)));
                } else if is_beside(page, blocks, block) {
                    self.beside.extend(texts);
                }
            }
        }
    }
}

/// The elements that the page calls comments, below a text of the article, outermost; without any, those under a heading that says so.
fn sections(page: &AnalysedPage, blocks: &TextBlocks, scored: &[Scored]) -> Vec<NodeId> {
    const NAMED: u32 = ClassHint::Comment.bit() | ClassHint::Message.bit();
    let heading = page.headline.node;
    let holds_headline = |id: NodeId| heading.is_some_and(|node| page.contains(id, node));
    let is_of_article = |at: &usize| blocks.list[*at].is_long() && scored[*at].probability >= OF_ARTICLE;
    let Some(first) = (0..blocks.list.len()).find(is_of_article) else {
        return Vec::new();
    };
    let is_below = |own: &Range<usize>| first < own.start && !own.is_empty();
    let mut sections = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for id in page.live(page.body()).skip(1) {
        let hints = page.hints(id).class_hints & NAMED;
        if id < over || hints == 0 || page.tag(id).is_none_or(|tag| !tag.is_block()) {
            continue;
        }
        let own = blocks.inside(page, id);
        let is_named = || hints & ClassHint::Comment.bit() != 0 || says_comments(page, blocks, own.start);
        if is_below(&own) && !holds_headline(id) && is_named() && !is_list_of_latest(page, id) {
            over = page.end(id);
            sections.push(id);
        }
    }
    if sections.is_empty() {
        let says = |at: &usize| {
            let tag = page.tag(blocks.list[*at].container);
            tag.is_some_and(Tag::is_heading) && says_comments(page, blocks, *at)
        };
        let around = |at: usize| {
            let parent = page.parent(blocks.list[at].container);
            (is_below(&blocks.inside(page, parent)) && !holds_headline(parent)).then_some(parent)
        };
        sections.extend((first..blocks.list.len()).filter(says).filter_map(around));
        sections = outermost(page, sections);
    }
    sections.truncate(MAX_SECTIONS);
    sections
}

/// Whether a short text says that comments follow.
fn says_comments(page: &Page, blocks: &TextBlocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.stats.words <= HEADING_WORDS && vocabulary::hits(blocks.text(page, block)).any & Class::Comments.bit() != 0
}

/// Whether an element lists the latest comments of a site, as beside its articles.
fn is_list_of_latest(page: &Page, id: NodeId) -> bool {
    const WORDS: [&str; 3] = ["recent", "latest", "widget"];
    let names = [local_name!("class"), local_name!("id")];
    let words = names.iter().filter_map(|name| page.attribute(id, name)).flat_map(words_of_identifier);
    words.into_iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a text in a comment is none of it: a link to answer, to report or to this comment, a word of its buttons.
fn is_beside(page: &AnalysedPage, blocks: &TextBlocks, block: &TextBlock) -> bool {
    const CLASSES: u32 = Class::Comments.bit() | Class::Share.bit() | Class::Tools.bit() | Class::Action.bit();
    if block.stats.words > LINK_WORDS {
        return false;
    }
    let leads_here = |link: NodeId| {
        let to = page.address(link, &local_name!("href"));
        to.is_none_or(|to| is_same_site(page.web_url(), &to))
    };
    block.link_density() >= 0.8 && blocks.links(page, block).all(leads_here)
        || vocabulary::hits(blocks.text(page, block)).whole & CLASSES != 0
}

/// The day that an element tells, or its words.
fn day(page: &AnalysedPage, id: NodeId) -> Option<String> {
    let language = page.metadata.language.as_deref();
    let marked = |at: NodeId| page.attribute(at, &local_name!("datetime")).and_then(|value| day_in(value, None));
    let around = page.self_and_ancestors(id).take(2).chain(page.live(id).take(20));
    let shown = one_line(&page.start_of_text(id, 20, MAX_DATE));
    around
        .into_iter()
        .find_map(marked)
        .or_else(|| day_in(&shown, language))
        .or(Some(shown))
        .filter(|day| !day.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Chain, ChainConfig, Extract, HostList, PageLimits};

    const TEXT: &str =
        "The tide was out and the boats lay on the sand below the church, where the women mend the nets. ";

    fn extracted(comments: &str) -> Extract {
        let text = TEXT.repeat(4);
        let html = format!(
            "<html lang=en><meta property=og:type content=article><title>The tide</title><body><article><h1>The tide</h1>\
             <p>{text}</p><p>{text}</p></article>{comments}</body></html>"
        );
        let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default()).unwrap();
        Arc::new(chain).extract(&html, &"https://example.org/tide".parse().unwrap()).unwrap()
    }

    fn told(comments: &str) -> Vec<(Option<String>, Option<String>, String)> {
        let comments = extracted(comments).comments.into_iter();
        comments.map(|comment| (comment.author, comment.date, comment.text)).collect()
    }

    #[test]
    fn a_comment_has_an_author_a_day_and_its_own_words() {
        let head = |who: &str, day: u8| {
            format!(
                "<div class=comment-author><b class=fn>{who}</b> <i>says:</i></div><time datetime=2026-05-0{day}T10:00>{day} May</time>"
            )
        };
        let comments = format!(
            "<div id=comments><h2>3 comments</h2><ol><li class=comment id=c1>{}<p>I saw it.</p><p>Twice, to be exact.</p>\
             <a href=?reply=1>Reply</a><ol><li class=comment id=c2>{}<p>So did I.</p></ol></li>\
             <li class=comment id=c3>{}<p>I saw nothing at all.</p></ol><form><textarea></textarea></form></div>",
            head("Ann", 1),
            head("Ben", 2),
            head("Cleo", 3),
        );
        let comment =
            |who: &str, day: u8, text: &str| (Some(who.to_owned()), Some(format!("2026-05-0{day}")), text.to_owned());
        let expected = [
            comment("Ann", 1, "I saw it.\n\nTwice, to be exact."),
            comment("Ben", 2, "So did I."),
            comment("Cleo", 3, "I saw nothing at all."),
        ];
        assert_eq!(told(&comments), expected);
    }

    #[test]
    fn one_comment_is_told_and_comments_of_every_other_look_are_counted_each() {
        let comment = |number: usize, class: &str| {
            format!(
                "<li class=\"{class}\" id=comment-{number}><cite class=author>Reader {number}</cite> <small class=date>May {number}, \
                 2026 at 10:00</small><p>I saw it, and I was not alone on the pier.</p></li>"
            )
        };
        let one = format!("<div id=comments><h3>One comment</h3><ol class=commentlist>{}</ol></div>", comment(1, ""));
        assert_eq!(told(&one).len(), 1);
        let alternating: String =
            (1..=5).map(|number| comment(number, if number % 2 == 0 { "alt" } else { "" })).collect();
        assert_eq!(told(&format!("<ol class=commentlist>{alternating}</ol>")).len(), 5);
        let alone: String = (1..=3).map(|number| comment(number, "comment")).collect();
        assert_eq!(told(&format!("<ul>{alone}</ul>")).len(), 3);
    }

    #[test]
    fn what_only_mentions_comments_is_left_alone() {
        for other in [
            "<div class=comment-respond><h3>Leave a reply</h3><form><textarea></textarea></form></div>",
            "<div class=widget_recent_comments><ul><li><a class=author href=/u/ann>Ann</a> <time>3 May 2026</time> on boats and nets</ul></div>",
            "<section><h2>Why we wrote this</h2><p class=date>3 May 2026</p><p class=author>Ann</p><p>The tide is not what it was.</p></section>",
        ] {
            assert_eq!(told(other), [], "{other}");
        }
    }
}
