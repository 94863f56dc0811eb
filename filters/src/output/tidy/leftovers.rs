//! What a page keeps around its content and no style sheet hides any more: links over the head of the page, the way up to
//! the site's sections, logos, links that share the page, lists of its languages.
//!
//! Each is known by where its links lead, which is alike in every language; class names of common frameworks help.

mod sharing;

use html5ever::local_name;

use super::names;
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure::leads_to_log_in,
    metadata::{is_same, start_of_line},
};
use sharing::Sharing;

/// Visible characters beside the links up to which a row of links is nothing else: "Share this article on".
const LABEL_CHARS: usize = 24;

/// Elements that are climbed from a link to find the whole row.
const LEVELS: usize = 6;

/// Fewest links of a list of languages.
const MIN_LANGUAGES: usize = 3;

/// Links that are looked at; rows are looked at as a whole for each. Raising it costs time on hostile pages.
const MAX_LINKS: usize = 2000;

/// Drops all of it. `headline` is the heading that is the page's headline.
pub(super) fn drop_all(page: &mut Page, headline: Option<NodeId>) {
    let links: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::A))
        .filter(|&id| page.has_attribute(id, &local_name!("href")))
        .take(MAX_LINKS)
        .collect();
    let sharing = Sharing::of(page);
    let mut unwanted = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for &id in &links {
        if id < over {
            continue;
        }
        let is_above = headline.is_some_and(|headline| id < headline);
        let found = if is_above && skips(page, id, headline) {
            Some(id)
        } else {
            is_above
                .then(|| way_up(page, id, headline))
                .flatten()
                .or_else(|| sharing.row(page, id))
                .or_else(|| log_in(page, id))
                .or_else(|| languages(page, id))
        };
        if let Some(id) = found {
            over = over.max(page.end(id));
            unwanted.push(id);
        }
    }
    unwanted.extend(logos(page, headline));
    for id in unwanted {
        page.drop_silently(id);
    }
}

/// A link over the head of the page: to an element around the headline.
fn skips(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    let Some(name) = page.attribute(id, &local_name!("href")).and_then(|href| {
        let name = href.trim().strip_prefix('#')?;
        (!name.is_empty()).then(|| name.to_owned())
    }) else {
        return false;
    };
    let names_it = |up: NodeId| page.attribute(up, &local_name!("id")).is_some_and(|id| *id == *name);
    headline.is_some_and(|headline| std::iter::once(headline).chain(page.ancestors(headline)).any(names_it))
}

/// The row of links above the headline that lead to the folders above the page.
fn way_up(page: &Page, id: NodeId, headline: Option<NodeId>) -> Option<NodeId> {
    let is_outside = |up: NodeId| headline.is_none_or(|headline| page.end(up) <= headline);
    let named = page.ancestors(id).take(LEVELS).find(|&up| names::is_breadcrumb(page, up) && is_outside(up));
    if named.is_some() {
        return named;
    }
    if !leads_up(page, id) {
        return None;
    }
    let rows = page.ancestors(id).take(LEVELS).take_while(|&up| up != page.body() && is_outside(up));
    let mut best = None;
    for up in rows {
        let links = links_in(page, up);
        let is_all_up = links.iter().all(|&link| leads_up(page, link));
        if !is_all_up || !is_way(page, up, &links) {
            break;
        }
        if links.len() > 1 {
            best = Some(up);
        }
    }
    best
}

/// Whether there is nothing beside the links but signs and the name of the page itself.
fn is_way(page: &Page, row: NodeId, links: &[NodeId]) -> bool {
    page.live(row)
        .filter(|&id| page.own_chars(id) > 0)
        .filter(|&id| !links.iter().any(|&link| page.contains(link, id)))
        .all(|id| {
            page.text(id)
                .is_some_and(|text| !text.contains(char::is_alphanumeric) || is_same(&text, &page.headline.text))
        })
}

/// Whether a link leads to a folder in which the page is.
fn leads_up(page: &Page, id: NodeId) -> bool {
    // Neither can be in such an address; to read it costs more.
    let has_more = |href: &str| href.contains(['?', '#']);
    if page.attribute(id, &local_name!("href")).is_none_or(has_more) {
        return false;
    }
    let Some(to) = page.address(id, &local_name!("href")) else {
        return false;
    };
    let here = page.url();
    let is_web = matches!(here.scheme(), "http" | "https");
    is_web
        && to.host_str() == here.host_str()
        && to.query().is_none()
        && to.fragment().is_none()
        && to.path() != here.path()
        && here.path().strip_prefix(to.path().trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

fn links_in(page: &Page, id: NodeId) -> Vec<NodeId> {
    const MOST: usize = 50;
    page.live(id).filter(|&id| page.tag(id) == Some(Tag::A)).take(MOST).collect()
}

/// A heading that is nothing but the way to a log-in: what stood around it is not kept.
fn log_in(page: &Page, id: NodeId) -> Option<NodeId> {
    let heading = page.ancestors(id).take(LEVELS).find(|&up| page.tag(up).is_some_and(Tag::is_heading))?;
    let is_all = page.chars(heading) == page.chars(id) && page.tag(heading) != Some(Tag::H1);
    (is_all && leads_to_log_in(page, id)).then_some(heading)
}

/// The list that holds this link, with its label, where most of its links say that they lead to another language.
fn languages(page: &Page, id: NodeId) -> Option<NodeId> {
    let language = |id| [local_name!("hreflang"), local_name!("lang")].iter().find_map(|name| page.attribute(id, name));
    language(id)?;
    let list =
        page.ancestors(id).take(LEVELS).find(|&up| matches!(page.tag(up), Some(Tag::Ul | Tag::Ol | Tag::Nav)))?;
    let links = links_in(page, list);
    let mut told: Vec<&str> = links.iter().filter_map(|&link| language(link)).collect();
    let count = told.len();
    told.sort_unstable();
    told.dedup();
    let linked: usize = links.iter().map(|&link| page.chars(link)).sum();
    let is_row = |row| page.chars(row) <= linked + LABEL_CHARS;
    let is_list = told.len() >= MIN_LANGUAGES && count * 10 >= links.len() * 6 && is_row(list);
    is_list.then(|| {
        page.ancestors(list).take(LEVELS).take_while(|&up| up != page.body() && is_row(up)).last().unwrap_or(list)
    })
}

/// Pictures above the headline that stand for the site.
fn logos(page: &Page, headline: Option<NodeId>) -> Vec<NodeId> {
    let Some(headline) = headline else {
        return Vec::new();
    };
    page.live(page.body())
        .take_while(|&id| id < headline)
        .filter(|&id| matches!(page.tag(id), Some(Tag::Img | Tag::Svg)))
        .filter(|&id| names::is_logo(page, id) || leads_home(page, id))
        .collect()
}

fn leads_home(page: &Page, id: NodeId) -> bool {
    page.in_link(id)
        && page
            .ancestors(id)
            .take(LEVELS)
            .find(|&up| page.tag(up) == Some(Tag::A))
            .filter(|&link| start_of_line(page, link).is_empty())
            .and_then(|link| page.address(link, &local_name!("href")))
            .is_some_and(|to| to.host_str() == page.url().host_str() && to.path() == "/" && to.query().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        html::{Page, parse::Parser},
        measure::text::of_subtree,
    };

    /// What is left of a page at `https://example.org/docs/guide/start`.
    fn left(html: &str) -> String {
        let mut parser = Parser::new(false, 512, 10_000);
        parser.feed(html).unwrap();
        let url = "https://example.org/docs/guide/start".parse().unwrap();
        let mut page = Page::new(parser.finish().unwrap(), &url, false, 512).unwrap();
        "Start".clone_into(&mut page.headline.text);
        let headline = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H1));
        drop_all(&mut page, headline);
        let pictures = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Img)).count();
        let text = of_subtree(&page, page.body(), 1).replace('\n', "|");
        format!("{}{}", text.trim_end_matches('|'), "+img".repeat(pictures))
    }

    #[test]
    fn a_link_to_what_is_around_the_headline_goes() {
        assert_eq!(left("<a href=#m>Zum Inhalt</a><main id=m><h1>Start</h1></main>"), "Start");
        assert_eq!(left("<a href=#b>Below</a><main id=m><h1>Start</h1><h2 id=b>b</h2></main>"), "Below|Start|b");
    }

    #[test]
    fn the_way_up_goes_and_other_links_above_the_headline_stay() {
        let h1 = "<h1>Start</h1><p>text";
        let up = "<div><a href=/>Heim</a> / <a href=/docs>Papiere</a> › <span>Start</span></div>";
        assert_eq!(left(&format!("{up}{h1}")), "Start|text");
        let named = "<ol class=breadcrumb><li><a href=/x>Any</a><li>where</ol>";
        assert_eq!(left(&format!("{named}{h1}")), "Start|text");
        let other = "<div><a href=/>Home</a> / <a href=/news>News</a></div>";
        assert_eq!(left(&format!("{other}{h1}")), "Home / News|Start|text");
        let section = "<p><a href=/docs>Docs</a></p>";
        assert_eq!(left(&format!("{section}{h1}")), "Docs|Start|text");
    }

    #[test]
    fn rows_that_share_the_page_go_and_a_sentence_that_cites_it_stays() {
        let address = "https%3A%2F%2Fexample.org%2Fdocs%2Fguide%2Fstart";
        let row = format!(
            "<h1>Start</h1><div><b>Teilen</b><ul><li><a href='https://social.example/s?u={address}'>A</a>\
             <li><a href='https://other.example/?t=Start&url={address}'>B</a><li><a href='mailto:?body={address}'>C</a></ul></div>"
        );
        assert_eq!(left(&row), "Start");
        let cited = format!(
            "<h1>Start</h1><p>This page was looked at by <a href='https://check.example/?u={address}'>the checker</a> last week.</p>"
        );
        assert!(left(&cited).contains("the checker"));
        let counted =
            "<h1>Start</h1><p class=share-buttons>Share <a href=/share/f>Post 214</a><a href=/share/t>Mail</a></p>";
        assert_eq!(left(counted), "Start");
        for other in [
            "<p class=share-price><a href=/a>ABC 12.10</a> <a href=/b>XYZ 9.80</a></p>",
            "<p class=share><a href=/a>one</a> and what was written of it elsewhere <a href=/b>two</a></p>",
            "<div class=share><a href=/a>a file that somebody shares, by its long name</a> <a href=/b>b</a></div>",
        ] {
            let text = left(&format!("<h1>Start</h1>{other}"));
            assert!(text.len() > 12, "{text}");
        }
        let own = "<h1>Start</h1><p><a href='/login?to=/docs/guide/start'>Log in</a></p>";
        assert!(left(own).contains("Log in"));
    }

    #[test]
    fn a_heading_that_only_leads_to_the_log_in_goes() {
        let html = "<h1>Start</h1>text<h3><a href=/users/login?a=1>log in</a></h3>";
        assert_eq!(left(html), "Start|text");
        let other = "<h1>Start</h1>text<h3><a href=/docs/logins>Logins</a> of 2020</h3>";
        assert_eq!(left(other), "Start|text|Logins of 2020");
    }

    #[test]
    fn a_list_of_languages_goes() {
        let list = "<ul><li><a hreflang=de href=/de>Deutsch</a><li><a hreflang=fr href=/fr>Français</a>\
                    <li><a hreflang=ja href=/ja>日本語</a></ul>";
        assert_eq!(left(&format!("<h1>Start</h1>{list}")), "Start");
        let labelled = "<div><div>Other languages:</div><ul><li>English<li><a lang=de href=/de>Deutsch</a>\
                        <li><a lang=fr href=/fr>Français</a><li><a lang=ja href=/ja>日本語</a></ul></div>";
        assert_eq!(left(&format!("<h1>Start</h1>{labelled}<p>text")), "Start|text");
        let one_language = list.replace("=fr", "=de").replace("=ja", "=de");
        assert!(left(&one_language).contains("Deutsch"));
        let cited = "<ul><li><a hreflang=de href=/de>Deutsch</a><li><a href=/fr>one</a><li><a href=/ja>two</a></ul>";
        assert!(left(cited).contains("Deutsch"));
    }

    #[test]
    fn the_logo_above_the_headline_goes_and_pictures_of_the_article_stay() {
        let html = "<img src=/img/logo.png><a href=/><img src=/x.png></a><img src=/photo.jpg><h1>Start</h1><img src=/logo.png>";
        assert_eq!(left(html), "Start+img+img");
    }
}
