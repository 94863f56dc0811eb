//! Marks on what a page has many of, for the style: cards, entries of a list, posts of a thread.
//!
//! - A link around a whole card: picture, heading, a few lines. All of it would be blue and underlined. The link is marked `card` and
//!   looks like text; the heading in it, or its first line where it has none, is marked `name` and looks like a link. A link whose words
//!   stand in one box stays as it is. WCXB dev, 2026-11-22: 252 of 1,497 pages have links around boxes, 5,390 in all.
//! - An entry of a list: the style puts space between entries and keeps picture, name and price together. What an entry says twice is said
//!   once: pages show one picture on phones and another on screens, and link both, the name and the first lines to the same place.
//! - A post of a thread: the style sets each apart from what stands above it.

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    analysis::AnalysedPage,
    hashing::Table,
    html::{NodeId, NodeState, Page, tag::Tag},
    metadata::start_of_line,
    output::headline::headline_in,
};

/// Marks links around whole cards and the names in them.
pub(super) fn mark_cards(page: &mut Page, links: &[NodeId]) {
    let mark = LocalName::from(MARK);
    for &link in links {
        if let Some(name) = name_of_card(page, link, &mark)
            && page.is_live(link)
        {
            let is_post = page.attribute(link, &mark).is_some_and(|known| known.ends_with("post"));
            let kind = if is_post { "card post" } else { "card" };
            page.set_attribute(link, mark.clone(), kind.to_owned());
            page.set_attribute(name, mark.clone(), "name".to_owned());
        }
    }
}

/// Nodes of a link that are looked at: a card has some 20. Higher: more time on hostile pages, whose links can be nested in tables.
const CARD_NODES: usize = 100;

/// The box that names a card, if a link is one. `mark` is our attribute.
fn name_of_card(page: &Page, link: NodeId, mark: &LocalName) -> Option<NodeId> {
    if !page.has_attribute(link, &local_name!("href")) {
        return None;
    }
    let mut first = None;
    let mut heading = None;
    let mut chars = 0;
    // The innermost box that the walk is in.
    let mut boxes: Vec<NodeId> = Vec::new();
    let mut unseen_end = NodeId::DOCUMENT;
    for id in page.live(link).skip(1).take(CARD_NODES) {
        let is_heard = || page.attribute(id, mark) == Some("heard");
        if id < unseen_end || is_heard() {
            unseen_end = unseen_end.max(page.end(id));
            continue;
        }
        while boxes.last().is_some_and(|&last| id >= page.end(last)) {
            boxes.pop();
        }
        if let Some(tag) = page.tag(id) {
            if tag.is_block() {
                boxes.push(id);
            }
        } else if page.own_chars(id) > 0 {
            chars += page.own_chars(id);
            let Some(&around) = boxes.last() else {
                // Words of the link itself: they may be its name.
                return None;
            };
            first = first.or(Some(around));
            heading = heading.or_else(|| {
                let is_heading = |up: &&NodeId| page.tag(**up).is_some_and(Tag::is_heading);
                boxes.iter().rev().find(is_heading).copied()
            });
        }
    }
    let name = heading.or(first)?;
    let is_more = chars > page.live(name).take(CARD_NODES).map(|id| page.own_chars(id)).sum();
    (is_more && !page.has_attribute(name, mark)).then_some(name)
}

/// Links of an entry that are compared with each other: it, its author, its topic, its comments, each with a picture.
const ENTRY_LINKS: usize = 8;

/// Visible characters from which a link behind the name is some lines of the text, and not a word such as "More".
const LINE_BYTES: usize = 60;

/// Marks them.
pub(super) fn mark_entries(page: &mut AnalysedPage) {
    for entry in std::mem::take(&mut page.outcome.entries) {
        let has_more_than_text = page.live(entry).any(|id| matches!(page.tag(id), Some(Tag::A | Tag::Img)));
        if page.is_live(entry) && has_more_than_text {
            let mark = LocalName::from(MARK);
            let value =
                page.attribute(entry, &mark).map_or_else(|| "entry".to_owned(), |known| format!("{known} entry"));
            page.set_attribute(entry, mark, value);
            say_once(page, entry);
            mark_picture(page, entry);
        }
    }
}

/// The picture that the text stands beside: one, or they leave it no room.
fn mark_picture(page: &mut Page, entry: NodeId) {
    let mark = LocalName::from(MARK);
    let is_picture = |id: &NodeId| {
        page.tag(*id) == Some(Tag::Img) && page.state(*id) == NodeState::Keep && !page.has_attribute(*id, &mark)
    };
    let picture = page.live(entry).find(is_picture);
    if let Some(picture) = picture {
        page.set_attribute(picture, mark, "thumb".to_owned());
    }
}

/// A link of an entry.
struct EntryLink {
    id: NodeId,
    place: String,
    text: String,
    has_picture: bool,
    is_heading: bool,
}

impl EntryLink {
    fn from_link(page: &Page, id: NodeId) -> Option<EntryLink> {
        let place = page.attribute(id, &local_name!("href"))?.trim().to_owned();
        let is_heading = |id: NodeId| page.tag(id).is_some_and(Tag::is_heading);
        let pictures = page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::Img));
        // Where pictures are not wanted, their descriptions stand for them.
        let (described, shown): (Vec<_>, Vec<_>) =
            pictures.partition(|&picture| page.state(picture) == NodeState::AltText);
        let mut text = start_of_line(page, id);
        if let Some(&picture) = described.first().filter(|_| text.is_empty()) {
            page.attribute(picture, &local_name!("alt")).unwrap_or_default().trim().clone_into(&mut text);
        }
        Some(EntryLink {
            id,
            place,
            text,
            has_picture: !shown.is_empty(),
            is_heading: page.live(id).any(is_heading) || page.ancestors(id).take(2).any(is_heading),
        })
    }

    /// Whether another link to the same place says all that this one says.
    fn is_said_by(&self, other: &EntryLink) -> bool {
        if self.id == other.id || self.place != other.place || self.has_picture && !other.has_picture {
            return false;
        }
        let is_before = other.id < self.id;
        match (self.text.is_empty(), other.text == self.text) {
            (true, _) => self.has_picture && is_before,
            (false, true) => other.is_heading && !self.is_heading || other.is_heading == self.is_heading && is_before,
            (false, false) => !self.is_heading && other.text.starts_with(&self.text),
        }
    }
}

fn say_once(page: &mut Page, entry: NodeId) {
    let links = page.live(entry).filter(|&id| page.tag(id) == Some(Tag::A));
    let links: Vec<EntryLink> = links.filter_map(|id| EntryLink::from_link(page, id)).take(ENTRY_LINKS).collect();
    for (at, link) in links.iter().enumerate() {
        if links.iter().any(|other| page.is_live(other.id) && link.is_said_by(other)) {
            page.drop_silently(link.id);
        } else if link.text.len() >= LINE_BYTES
            && !link.is_heading
            && links[..at].iter().any(|name| name.place == link.place && !name.text.is_empty())
        {
            // Lines of text below a name that leads there already: they need not be blue and underlined.
            page.set_attribute(link.id, LocalName::from(MARK), "card".to_owned());
        }
    }
}

/// Visible characters above the first post, the headline aside, from which it is set apart too: a question without a name.
/// A way up and a list of tags are shorter.
const TEXT_ABOVE: usize = 150;

/// Marks all posts but one at the top of the page.
pub(crate) fn mark_posts(page: &mut AnalysedPage) {
    let mut posts = std::mem::take(&mut page.outcome.posts);
    posts.retain(|&post| page.is_live(post) && page.chars(post) > 0);
    let Some(&first) = posts.first() else { return };
    let begins = chars_before(page, first) < TEXT_ABOVE;
    let mut last: Option<NodeId> = None;
    for &post in posts.iter().skip(usize::from(begins)) {
        let is_start = |last| page.contains(last, post) && !has_text_between(page, last, post);
        if last.is_some_and(is_start) {
            continue;
        }
        last = Some(post);
        set_apart(page, post);
    }
    page.outcome.posts = posts;
}

/// A line across the page at the beginning of posts, for browsers without styles; others draw one of their own in its place.
pub(crate) fn post_rules(page: &AnalysedPage) -> Table<NodeId, String> {
    let mark = LocalName::from(MARK);
    let is_marked = |id| page.attribute(id, &mark).is_some_and(|marks| marks.ends_with("post"));
    let can_hold = |id| matches!(page.tag(id), Some(Tag::Div | Tag::Article | Tag::Section | Tag::Li | Tag::Dd));
    let posts = page.outcome.posts.iter().map(|&post| with_its_term(page, post));
    posts.filter(|&post| can_hold(post) && is_marked(post)).map(|post| (post, "<hr>".to_owned())).collect()
}

/// Marks the first post too, where posts stand above the page. Says whether there is one.
pub(crate) fn mark_first_post(page: &mut AnalysedPage) -> bool {
    let first = page.outcome.posts.first().copied();
    if let Some(post) = first {
        set_apart(page, post);
    }
    first.is_some()
}

/// Marks a post that is set apart from what stands above it.
pub(crate) fn set_apart(page: &mut Page, post: NodeId) {
    let post = with_its_term(page, post);
    let mark = LocalName::from(MARK);
    let value = match page.attribute(post, &mark) {
        Some(known) if known.split(' ').any(|word| word == "post") => return,
        Some(known) => format!("{known} post"),
        None => "post".to_owned(),
    };
    page.set_attribute(post, mark, value);
}

/// Nodes between a term and its description that are looked at.
const NODES_BETWEEN: usize = 4;

/// The `<dt>` above a post that is a `<dd>`: who wrote it, most often, and part of it.
fn with_its_term(page: &Page, post: NodeId) -> NodeId {
    if page.tag(post) != Some(Tag::Dd) {
        return post;
    }
    let around = page.parent(post);
    let sibling_before = |id: NodeId| {
        let before = NodeId::from_row(id.index().checked_sub(1)?);
        page.self_and_ancestors(before).find(|&up| page.parent(up) == around)
    };
    // White space stands between the two.
    std::iter::successors(sibling_before(post), |&id| sibling_before(id))
        .take(NODES_BETWEEN)
        .find(|&id| page.is_live(id) && page.tag(id).is_some())
        .filter(|&id| page.tag(id) == Some(Tag::Dt))
        .unwrap_or(post)
}

/// Whether something is written in a post before one inside of it: one line above both is enough.
fn has_text_between(page: &Page, outer: NodeId, inner: NodeId) -> bool {
    page.live(outer).take_while(|&id| id < inner).any(|id| page.own_chars(id) > 0)
}

fn chars_before(page: &AnalysedPage, post: NodeId) -> usize {
    let headline = headline_in(page);
    let is_headline = |id| headline.is_some_and(|headline| page.contains(headline, id));
    let above = page.live(page.body()).take_while(|&id| id < post);
    above.filter(|&id| !is_headline(id)).map(|id| page.own_chars(id)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fmt::Write as _, sync::Arc};

    use crate::{
        Chain, ChainConfig, HostList, PageLimits,
        testing::{by_id, page},
    };

    fn shelf(item: impl Fn(usize) -> String) -> String {
        let mut html = "<title>Boots</title><h1>Boots for walking in the hills</h1><p>".to_owned()
            + &"All that keeps feet dry and warm, from a morning in the park to a week in the hills. ".repeat(4)
            + "</p><div class=shelf>";
        for number in 1..=12 {
            let _ = write!(html, "<div class=item>{}</div>", item(number));
        }
        let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default()).unwrap();
        Arc::new(chain).run(&html, &"https://example.org/boots".parse().unwrap()).unwrap().content
    }

    fn entries_of(item: impl Fn(usize) -> String) -> usize {
        shelf(item).matches("data-gleaner=\"entry\"").count()
    }

    #[test]
    fn entries_lead_somewhere_and_are_no_lists_themselves() {
        let card =
            |number| format!("<img src=/{number}.jpg><a href=/{number}>Boot {number}</a><div>$ {number}9.90</div>");
        assert_eq!(entries_of(card), 12);
        assert_eq!(entries_of(|number| format!("<div>Boot {number}</div><div>$ {number}9.90</div>")), 0);
        let list = |number: usize| {
            let links = (0..5).map(|link| format!("<div><a href=/{number}/{link}>Boot {link}</a></div>"));
            format!("<h3>Shelf {number}</h3>{}", links.collect::<String>())
        };
        assert_eq!(entries_of(list), 0);
    }

    #[test]
    fn a_linked_heading_with_a_text_is_an_entry_and_a_section_or_a_picture_is_none() {
        let text = "It keeps the feet dry in the worst of weathers and on the longest of ways. ".repeat(5);
        let teaser = |number| format!("<h3><a href=/{number}>Boot {number}</a></h3><p>{text}</p>");
        assert_eq!(entries_of(teaser), 12);
        let section = |number| format!("<h3><a href=#{number}>Boot {number}</a></h3><p>{text}</p>");
        assert_eq!(entries_of(section), 0);
        // The heading of a section is none itself.
        let names = |number| format!("<h3><a href=/{number}>Boot {number}</a></h3>");
        assert_eq!(entries_of(|number| names(number) + "</div>" + &text + "<div>"), 0);
        // The pictures of an article, whose captions lead nowhere.
        let picture = |number| format!("<a href=/{number}.jpg><img src=/{number}.jpg></a>Boot {number} in the rain");
        assert_eq!(entries_of(picture), 0);
    }

    #[test]
    fn an_entry_has_one_picture_and_one_link_for_each_thing() {
        let html = shelf(|number| {
            format!(
                "<a href=/{number}>Boot {number}</a><a href=/{number}><img src=/{number}.jpg></a>\
                 <a href=/{number}><img src=/{number}-small.jpg></a><h3><a href=/{number}>Boot {number}</a></h3>\
                 <a href=/{number}>Of leather from the best of cows, sewn twice, for all who walk far.</a><b>$ {number}9</b>"
            )
        });
        for (part, count) in
            [("data-gleaner=\"thumb\"", 12), ("<img", 12), (">Boot 7<", 1), ("data-gleaner=\"card\"", 12)]
        {
            assert_eq!(html.matches(part).count(), count, "{part}: {html}");
        }
    }

    #[test]
    fn a_rule_stands_above_the_name_of_a_post_and_not_below_it() {
        let text = "A reply. ".repeat(30);
        let html = format!("<dl><dt id=ann>Ann<dd id=one>{text}<dt id=ben>Ben<dd id=two>{text}</dl>");
        let mut page = page(&html);
        page.outcome.posts = vec![by_id(&page, "one"), by_id(&page, "two")];
        mark_posts(&mut page);
        let marked = |id| page.attribute(by_id(&page, id), &LocalName::from(MARK));
        assert_eq!(marked("ben"), Some("post"));
        assert_eq!(marked("two"), None);
    }
}
