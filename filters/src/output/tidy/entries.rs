//! Marks the entries of a list, so that the style puts space between them and keeps picture, name and price together, and
//! says once what an entry says twice: pages show one picture on phones and another on screens, and link both, the name and
//! the first lines to the same place.

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    analysis::AnalysedPage,
    html::{Fate, NodeId, Page, tag::Tag},
    metadata::start_of_line,
};

/// Links of an entry that are compared with each other: it, its author, its topic, its comments, each with a picture.
const MAX_LINKS: usize = 8;

/// Visible characters from which a link behind the name is some lines of the text, and not a word such as "More".
const LINES: usize = 60;

pub(super) fn mark(page: &mut AnalysedPage) {
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
        page.tag(*id) == Some(Tag::Img) && page.fate(*id) == Fate::Keep && !page.has_attribute(*id, &mark)
    };
    let picture = page.live(entry).find(is_picture);
    if let Some(picture) = picture {
        page.set_attribute(picture, mark, "thumb".to_owned());
    }
}

/// A link of an entry.
struct Link {
    id: NodeId,
    place: String,
    text: String,
    has_picture: bool,
    is_heading: bool,
}

impl Link {
    fn of(page: &Page, id: NodeId) -> Option<Link> {
        let place = page.attribute(id, &local_name!("href"))?.trim().to_owned();
        let is_heading = |id: NodeId| page.tag(id).is_some_and(Tag::is_heading);
        let pictures = page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::Img));
        // Where pictures are not wanted, their descriptions stand for them.
        let (described, shown): (Vec<_>, Vec<_>) = pictures.partition(|&picture| page.fate(picture) == Fate::AltText);
        let mut text = start_of_line(page, id);
        if let Some(&picture) = described.first().filter(|_| text.is_empty()) {
            page.attribute(picture, &local_name!("alt")).unwrap_or_default().trim().clone_into(&mut text);
        }
        Some(Link {
            id,
            place,
            text,
            has_picture: !shown.is_empty(),
            is_heading: page.live(id).any(is_heading) || page.ancestors(id).take(2).any(is_heading),
        })
    }

    /// Whether another link to the same place says all that this one says.
    fn is_said_by(&self, other: &Link) -> bool {
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
    let links: Vec<Link> = links.filter_map(|id| Link::of(page, id)).take(MAX_LINKS).collect();
    for (at, link) in links.iter().enumerate() {
        if links.iter().any(|other| page.is_live(other.id) && link.is_said_by(other)) {
            page.drop_silently(link.id);
        } else if link.text.len() >= LINES
            && !link.is_heading
            && links[..at].iter().any(|name| name.place == link.place && !name.text.is_empty())
        {
            // Lines of text below a name that leads there already: they need not be blue and underlined.
            page.set_attribute(link.id, LocalName::from(MARK), "card".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::Arc};

    use crate::{Chain, ChainConfig, HostList, PageLimits};

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
}
