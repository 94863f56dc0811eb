//! A later page of an article in parts, written to stand behind the first one: its content and nothing else.
//!
//! Headline, author and date stand in the first page. Relative addresses become absolute, because `<base>` and the head are the first
//! page's. Places on the page that its own links lead to, such as footnotes, get the number of the
//! page into their names, because every page may have a first footnote.

use std::collections::HashSet;

use html5ever::{LocalName, local_name};

use super::{additions, headline::headline_in, interface::Interface, reader, tidy};
use crate::{
    analysis::AnalysedPage,
    filter::lazy_images::source_set::candidates,
    html::{
        NodeId,
        serialize::{self, Rules},
        tag::Tag,
    },
    metadata::{pages::is_headline_of_both, start_of_line},
};

/// Attributes that hold one address. Others that do are not written ([`reader::keep_attribute`]).
const ADDRESSES: [LocalName; 6] = [
    local_name!("href"),
    local_name!("src"),
    local_name!("poster"),
    local_name!("cite"),
    local_name!("action"),
    local_name!("formaction"),
];

/// Which page of which article one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The headline of the first page.
    pub article: String,
    /// From 2 up.
    pub number: u32,
}

/// Takes out what says the headline of the whole article once more, who wrote it and when, and makes names and addresses
/// those of the whole. A thread goes on with its next post, of which nothing has been said.
pub(crate) fn prepare(page: &mut AnalysedPage, part: &Part) {
    if let Some(heading) = headline_in(page)
        && is_headline_of_both(&start_of_line(page, heading), &part.article)
    {
        page.drop_silently(heading);
    }
    // It stands above.
    page.metadata.previous_page = None;
    if !tidy::records::mark_first_post(page) {
        additions::drop_byline(page);
    }
    let elements: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id).is_some()).collect();
    number_places(page, &elements, part.number);
    for id in elements {
        for name in ADDRESSES {
            let absolute = page
                .attribute(id, &name)
                .filter(|value| !value.trim_start().starts_with('#'))
                .and_then(|_| page.address(id, &name));
            if let Some(absolute) = absolute {
                page.set_attribute(id, name, absolute.into());
            }
        }
        let name = local_name!("srcset");
        let absolute = page.attribute(id, &name).map(|value| absolute_set(page, value));
        if let Some(absolute) = absolute {
            page.set_attribute(id, name, absolute);
        }
    }
}

/// Gives the places that links of the page lead to names that no other page of the article has.
fn number_places(page: &mut AnalysedPage, elements: &[NodeId], number: u32) {
    let href = local_name!("href");
    let place = |page: &AnalysedPage, id| {
        let (before, place) = page.attribute(id, &href)?.trim().split_once('#')?;
        let is_here = || {
            let address = page.address(id, &href)?;
            let url = page.url();
            let end = url::Position::AfterQuery;
            Some(address[..end] == url[..end])
        };
        let leads_down = !place.is_empty() && (before.is_empty() || is_here() == Some(true));
        leads_down.then(|| place.to_owned())
    };
    let wanted: HashSet<String> = elements.iter().filter_map(|&id| place(page, id)).collect();
    if wanted.is_empty() {
        return;
    }
    let mut named = HashSet::new();
    for &id in elements {
        for name in [local_name!("id"), local_name!("name")] {
            let is_place = name == local_name!("id") || page.tag(id) == Some(Tag::A);
            let known = page.attribute(id, &name).filter(|_| is_place);
            if let Some(known) = known.filter(|known| wanted.contains(*known)) {
                let numbered = format!("{known}-page-{number}");
                named.insert(known.to_owned());
                page.set_attribute(id, name, numbered);
            }
        }
    }
    for &id in elements {
        if let Some(place) = place(page, id).filter(|place| named.contains(place)) {
            page.set_attribute(id, href.clone(), format!("#{place}-page-{number}"));
        }
    }
}

/// A `srcset` with absolute addresses.
fn absolute_set(page: &AnalysedPage, set: &str) -> String {
    let absolute = candidates(set).filter_map(|(address, descriptor)| {
        let url = page.base().join(address).ok()?;
        Some(format!("{url} {descriptor}").trim_end().to_owned())
    });
    absolute.collect::<Vec<_>>().join(", ")
}

/// The content, and the way to the page after it.
pub(super) fn write(page: &AnalysedPage) -> super::Written {
    let mut content = String::with_capacity(16 * 1024);
    let rules = Rules { keep_attribute: Some(reader::keep_attribute), comments: false, ..Rules::VERBATIM };
    for child in page.live_children(page.body()) {
        serialize::write(page, child, rules, &mut content);
    }
    let words = Interface::for_language(page.metadata.language.as_deref());
    let next_page_link = additions::write_next_page(page, words, &mut content);
    super::Written { content, next_page_link }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page_at};

    fn written(html: &str) -> String {
        let mut page = page_at("https://example.org/clocks/2/", html);
        prepare(&mut page, &second());
        write(&page).content
    }

    fn second() -> Part {
        Part { article: "All about clocks".to_owned(), number: 2 }
    }

    #[test]
    fn footnotes_of_each_page_are_its_own() {
        assert_eq!(
            written(
                "<p id=top>Springs<a href=#fn1 id=r1>1</a> <a href=#elsewhere>x</a></p><p><a name=fn1>1</a> Of steel. <a href=#r1>Back</a></p>"
            ),
            "<p id=\"top\">Springs<a href=\"#fn1-page-2\" id=\"r1-page-2\">1</a> <a href=\"#elsewhere\">x</a></p>\
             <p><a name=\"fn1-page-2\">1</a> Of steel. <a href=\"#r1-page-2\">Back</a></p>"
        );
    }

    #[test]
    fn a_thread_goes_on_with_a_post_that_keeps_its_head() {
        let post = |id: &str, text: &str| {
            let text = format!("{text} and the springs and the hands. ").repeat(5);
            format!("<div id={id}><p>Ann Lee</p><p>20 November 2026</p><p>{text}</p></div>")
        };
        let html = [post("a", "The wheels"), post("b", "The saucers")].concat();
        let mut page = page_at("https://example.org/clocks/2/", &html);
        page.metadata.author = Some("Ann Lee".to_owned());
        page.metadata.date = Some("2026-11-20".to_owned());
        page.outcome.posts = vec![by_id(&page, "a"), by_id(&page, "b")];
        tidy::records::mark_posts(&mut page);
        prepare(&mut page, &second());
        let content = write(&page).content;
        assert_eq!(content.matches("20 November").count(), 2, "{content}");
        assert_eq!(content.matches("=\"post\"").count(), 2, "{content}");
    }

    #[test]
    fn what_stands_beside_another_page_is_found_from_the_first_one() {
        for (part, expected) in [
            ("<a href=../tick>x</a>", "<a href=\"https://example.org/clocks/tick\">x</a>"),
            ("<a href=#a>x</a>", "<a href=\"#a\">x</a>"),
            (
                "<img src=a.png srcset='a.png, b,c.png 2x,/d.png 3x'>",
                "<img src=\"https://example.org/clocks/2/a.png\" srcset=\"https://example.org/clocks/2/a.png, \
                 https://example.org/clocks/2/b,c.png 2x, https://example.org/d.png 3x\">",
            ),
        ] {
            assert_eq!(written(part), expected);
        }
    }

    #[test]
    fn the_headline_is_not_said_again() {
        assert_eq!(written("<h1>All about clocks</h1><p>On springs."), "<p>On springs.</p>");
        assert_eq!(written("<h1>All about clocks - page 2</h1><p>On springs."), "<p>On springs.</p>");
        assert_eq!(written("<h1>Springs</h1><p>On them."), "<h1>Springs</h1><p>On them.</p>");
    }

    #[test]
    fn who_wrote_it_when_is_not_said_again() {
        let text =
            "Ann Lee took the clock apart in 2026, and put all of its wheels into saucers, each with a number on it. "
                .repeat(2);
        let html = format!(
            "<div><p>By <a>Ann Lee</a></p><p>20 November 2026</p><p>Photographs: Tom Reed</p><p>{text}</p><p>Ann Lee</p></div>"
        );
        let mut page = page_at("https://example.org/clocks/2/", &html);
        page.metadata.author = Some("Ann Lee".to_owned());
        page.metadata.date = Some("2026-11-20".to_owned());
        prepare(&mut page, &second());
        let text = text.trim();
        let left = format!("<div><p>Photographs: Tom Reed</p><p>{text} </p><p>Ann Lee</p></div>");
        assert_eq!(write(&page).content, left);
    }

    #[test]
    fn every_attribute_with_an_address_is_known() {
        // Those of the HTML Standard's index of attributes; the name of a map is none.
        for name in ["action", "cite", "data", "formaction", "href", "itemid", "ping", "poster", "src", "srcset"] {
            let name = LocalName::from(name);
            let is_known = ADDRESSES.contains(&name) || name == local_name!("srcset");
            assert!(is_known || !reader::keep_attribute(Tag::Div, &name), "{name}");
        }
    }
}
