//! A headline that is a link to the page it stands on: boards and blogs write theirs so. It would be blue, underlined and lead
//! nowhere. WCXB dev, 2026-11-22: 59 of 1,497 pages, 31 of them threads.

use html5ever::local_name;
use url::Url;

use crate::html::{NodeId, Page, tag::Tag};

/// Levels between a heading and its link, above or below.
const LEVELS: usize = 3;

/// Nodes of a heading that are looked at.
const MAX_NODES: usize = 30;

/// Takes the link off the headline; what else it holds stays.
pub(super) fn unwrap(page: &mut Page, headline: NodeId) {
    let is_link = |id: &NodeId| page.tag(*id) == Some(Tag::A);
    let inside = page.live(headline).skip(1).take(MAX_NODES).filter(is_link);
    let around = page.ancestors(headline).take(LEVELS).filter(is_link);
    let links: Vec<NodeId> = inside.chain(around).filter(|&link| leads_here(page, link)).collect();
    for link in links {
        page.unwrap_element(link);
    }
}

fn leads_here(page: &Page, link: NodeId) -> bool {
    let Some(href) = page.attribute(link, &local_name!("href")) else {
        return false;
    };
    if href.trim().is_empty() {
        return true;
    }
    let Some(to) = page.address(link, &local_name!("href")) else {
        return false;
    };
    is_same_page(&to, page.url()) || page.canonical().is_some_and(|own| is_same_page(&to, own))
}

/// Whether an address is that of a page, or of the first of its parts: `/t/oven/17` of `/t/oven/17/3`, `/oven/` of `/oven/page/2`.
fn is_same_page(to: &Url, here: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    if host(to) != host(here) {
        return false;
    }
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let (to_path, here_path) = (path(to), path(here));
    if to_path == here_path {
        // Of `/index.php?topic=5`, `/index.php` is another page; of `/oven?from=mail`, `/oven` is not.
        let is_program = to_path.rsplit('/').next().is_none_or(|name| name.is_empty() || name.contains('.'));
        return to.query() == here.query() || to.query().is_none() && !is_program;
    }
    let Some(rest) = here_path.strip_prefix(&to_path) else {
        return false;
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let part = rest.strip_prefix('/').unwrap_or_default();
    let number = part.strip_prefix("page/").unwrap_or(part);
    to_path.len() > 1 && to.query().is_none() && is_number(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    fn links_left(html: &str) -> usize {
        links_left_at("https://www.example.org/t/oven/17/3?x=1", html)
    }

    fn links_left_at(address: &str, html: &str) -> usize {
        let mut page = page_at(address, html);
        let headline = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H1)).unwrap();
        unwrap(&mut page, headline);
        let is_link = |id: &NodeId| page.tag(*id) == Some(Tag::A) && page.fate(*id) == crate::html::Fate::Keep;
        page.live(page.body()).filter(is_link).count()
    }

    #[test]
    fn a_headline_that_leads_to_its_own_page_is_no_link() {
        for html in [
            "<h1><a href=/t/oven/17/3>Oven</a></h1>",
            "<h1><span><a href=http://example.org/t/oven/17/3/?x=1#top>Oven</a></span></h1>",
            "<h1><a href=/t/oven/17>Oven</a></h1>",
            "<a href=''><span><h1>Oven</h1></span></a>",
        ] {
            assert_eq!(links_left(html), 0, "{html}");
        }
    }

    #[test]
    fn a_headline_that_leads_elsewhere_stays_a_link() {
        for html in [
            "<h1><a href=/t/oven>Oven</a></h1>",
            "<h1><a href=/>Oven</a></h1>",
            "<h1><a href=/t/oven/17/3?x=2>Oven</a></h1>",
            "<h1><a href=https://other.example/t/oven/17/3>Oven</a></h1>",
        ] {
            assert_eq!(links_left(html), 1, "{html}");
        }
        let board = "https://example.org/index.php?topic=5";
        let home = "<h1><a href=/index.php>Oven</a></h1>";
        assert_eq!(links_left_at(board, home), 1);
    }
}
