//! The publication date that a page shows: microdata, `<time>`, and short texts near the headline.

use html5ever::{LocalName, local_name};

use super::{
    byline::{self, Places},
    date, language, start_of_line,
};
use crate::html::{
    NodeId, Page,
    attribute_hints::{Hint, class_hints::ClassHint},
    tag::Tag,
};
use crate::vocabulary::lists::{WordList, words};

/// The day on which the page says that it was published: microdata, `<time pubdate>`, else the first `<time>` near the headline,
/// or on a page that has few (a list of posts has one each), else a text near the headline that is a day.
pub(super) fn date(page: &Page, headline: Option<NodeId>) -> Option<String> {
    const FEW: usize = 3;
    let itemprop = local_name!("itemprop");
    let language = language::from_page(page);
    let places = headline.map(|headline| Places::new(page, Some(headline)));
    let mut times = Vec::new();
    let mut near_headline = None;
    let is_changed = |id| CHANGED.iter().any(|word| text_before(page, id).to_lowercase().contains(word));
    let is_near = |id| places.as_ref().is_some_and(|places| places.is_near(id));
    for id in page.live(page.body()) {
        let property = page.hints(id).has(Hint::Property);
        let property = property.then(|| page.attribute(id, &itemprop)).flatten();
        let is_published = property.is_some_and(|value| matches!(value, "datePublished" | "dateCreated"))
            && !byline::is_of_another(page, id);
        let is_time = page.tag(id) == Some(Tag::Time);
        // `<abbr class=published title=…>`, as hAtom has it.
        let is_abbreviated = || page.tag(id) == Some(Tag::Abbr) && is_called_published(page, id);
        if !is_published && !is_time && !is_abbreviated() {
            continue;
        }
        let title = local_name!("title");
        let value = [local_name!("datetime"), local_name!("content")]
            .iter()
            .find_map(|name| page.attribute(id, name).and_then(date::parse))
            .or_else(|| page.attribute(id, &title).filter(|_| !is_time).and_then(date::parse))
            .or_else(|| date::parse_shown(&start_of_line(page, id), language.as_deref()));
        let is_sure = is_published || page.has_attribute(id, &LocalName::from("pubdate"));
        match value {
            Some(day) if is_sure => return Some(day),
            // "The first mill burnt down on <time>3 May 1905</time>."
            Some(day) if *day < *FIRST_YEAR => {}
            Some(day) if near_headline.is_none() && is_near(id) => near_headline = Some(day),
            Some(day) if times.len() <= FEW && !is_changed(id) && !is_in_comments(page, id, headline) => {
                times.push(day);
            }
            _ => {}
        }
    }
    if near_headline.is_some() {
        return near_headline;
    }
    if times.is_empty() || times.len() > FEW {
        return date_below(page, headline?);
    }
    times.into_iter().next()
}

/// Whether an element is in a part that its name calls comments, below the headline: its day is that of a comment.
fn is_in_comments(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    /// Elements between a day and the name of the comment or of all comments.
    const LEVELS: usize = 8;
    let is_comments = |&up: &NodeId| page.hints(up).class_hints & ClassHint::Comment.bit() != 0;
    let found = page.ancestors(id).take(LEVELS).find(is_comments);
    found.is_some_and(|up| headline.is_none_or(|headline| !page.contains(up, headline)))
}

fn is_called_published(page: &Page, id: NodeId) -> bool {
    let class = page.class(id);
    class.split_ascii_whitespace().any(|class| class == "published")
}

/// The day that a page shows near its headline as that of its publication, where its head names one for publication and change alike:
/// programs that build pages from forms fill in both with the day on which they built it. Only an earlier day.
///
/// WCXB dev, 2026-11-22: five days more are right, none fewer.
pub(super) fn shown_before(page: &Page, headline: Option<NodeId>, built: &str) -> Option<String> {
    date_below(page, headline?).filter(|shown| &**shown < built)
}

/// Whether an element or a text is part of a paragraph: what the text tells of, not when it was written.
fn is_in_text(page: &Page, id: NodeId) -> bool {
    /// Visible characters of a line about a text, at most: who wrote it, when, in which section, how long it takes to read.
    const LINE: usize = 90;
    let is_block = |up: &NodeId| page.tag(*up).is_some_and(Tag::is_block);
    page.ancestors(id)
        .take(LEVELS)
        .find(is_block)
        .is_some_and(|block| page.tag(block) == Some(Tag::P) && page.chars(block) > LINE)
}

/// Elements from a day up to the paragraph that it is in.
const LEVELS: usize = 5;

/// The first year of a page's own: the web began in 1990.
const FIRST_YEAR: &str = "1990";

/// Words that mark a day as that of a person or an announced event, not of a text: beginnings of words in lower case.
static OTHER_DAYS: WordList = words!("other_days");

/// Words that mark a day as that of a change: beginnings of words in lower case.
static CHANGED: WordList = words!("changed");

/// A short text near the headline that is a day. Of two, the one that is not said to be that of a change.
fn date_below(page: &Page, headline: NodeId) -> Option<String> {
    /// "Last updated on Wednesday, 21st November 2026 | 5 min read" is 60.
    const MAX_BYTES: usize = 80;
    let (mut changed, mut owned) = (None, None);
    let language = language::from_page(page);
    for id in Places::new(page, Some(headline)).near() {
        let Some(text) = page.text(id).filter(|text| text.trim().len() <= MAX_BYTES) else {
            continue;
        };
        if page.own_chars(id) == 0 {
            continue;
        }
        if let Some(day) = date::parse_shown(&text, language.as_deref()) {
            let label = format!("{} {text}", text_before(page, id)).to_lowercase();
            let says = |words: &[&str]| words.iter().any(|word| label.contains(word));
            if says(&OTHER_DAYS) || *day < *FIRST_YEAR || is_in_text(page, id) || is_fact(page, id) {
                continue;
            }
            if label.contains('©') {
                owned = owned.or(Some(day));
            } else if !says(&CHANGED) {
                return Some(day);
            } else {
                changed = changed.or(Some(day));
            }
        }
    }
    changed.or(owned)
}

/// Whether a text stands in a row with a head of its own: "Founded: 3 May 1998".
fn is_fact(page: &Page, id: NodeId) -> bool {
    let row = page.ancestors(id).find(|&up| page.tag(up) == Some(Tag::Tr));
    row.is_some_and(|row| page.live_children(row).any(|cell| page.tag(cell) == Some(Tag::Th)))
}

/// The short text that stands before another one and is no day itself: its label.
fn text_before(page: &Page, id: NodeId) -> String {
    const MAX_NODES: usize = 10;
    const MAX_BYTES: usize = 40;
    (page.body().index()..id.index())
        .rev()
        .take(MAX_NODES)
        .map(NodeId::from_row)
        .find(|&before| page.own_chars(before) > 0)
        .and_then(|before| page.text(before).map(|text| text.clone()))
        .filter(|text| text.trim().len() <= MAX_BYTES && date::parse(text).is_none())
        .unwrap_or_default()
}
