//! Links that lead nowhere, and those that a page keeps around its content and no style sheet hides any more.
//!
//! - A headline that is a link to the page it stands on: boards and blogs write theirs so. It would be blue, underlined and lead
//!   nowhere. WCXB dev, 2026-11-22: 59 of 1,497 pages, 31 of them threads.
//! - A link to a place on the page that is not there any more, or that a script would have made: its words stay, without a link.
//! - Signs in headings and terms that link to the heading, known by where they lead, a link into the page without a letter, and by the
//!   class names of the tools that make documentation.
//! - Links over the head of the page, the way up to the site's sections, logos, links that share the page: known by where they lead,
//!   which is alike in every language, or by class names of common frameworks.

mod sharing;

use std::collections::HashSet;

use html5ever::local_name;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::{
    html::{NodeId, NodeState, Page, tag::Tag},
    measure::pictures::is_logo,
    metadata::start_of_line,
};
use sharing::Sharing;

/// A link without an address that nothing leads to: a script made it one.
pub(super) fn is_no_link(page: &Page, id: NodeId) -> bool {
    [local_name!("href"), local_name!("id"), local_name!("name")].iter().all(|name| !page.has_attribute(id, name))
}

/// A link directly behind another one: the page's style kept the two apart.
pub(super) fn touches_link(page: &Page, id: NodeId) -> bool {
    let before = NodeId(id.0 - 1);
    let sibling = page.self_and_ancestors(before).find(|&up| page.parent(up) == page.parent(id));
    sibling.is_some_and(|sibling| {
        sibling < id && page.tag(sibling) == Some(Tag::A) && page.state(sibling) == NodeState::Keep
    })
}

/// Levels between a heading and its link, above or below.
const HEADLINE_LEVELS: usize = 3;

/// Nodes of a heading that are looked at.
const HEADLINE_NODES: usize = 30;

/// Takes the link off the headline; what else it holds stays.
pub(super) fn unwrap_headline(page: &mut Page, headline: NodeId) {
    let is_link = |id: &NodeId| page.tag(*id) == Some(Tag::A);
    let inside = page.live(headline).skip(1).take(HEADLINE_NODES).filter(is_link);
    let around = page.ancestors(headline).take(HEADLINE_LEVELS).filter(is_link);
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

/// Takes the links from around their words.
pub(super) fn unwrap_lost_fragments(page: &mut Page, links: &[NodeId]) {
    let mut lost: Vec<(NodeId, String)> = links.iter().filter_map(|&id| Some((id, fragment(page, id)?))).collect();
    if lost.is_empty() {
        return;
    }
    let named: &Page = page;
    let attributes = [local_name!("id"), local_name!("name")];
    let of = |id| attributes.iter().filter_map(move |name| named.attribute(id, name));
    let places: HashSet<&str> = named.live(named.body()).flat_map(of).collect();
    // The top of the page is always there (HTML § 7.4.6.4).
    lost.retain(|(_, fragment)| !places.contains(&**fragment) && !fragment.eq_ignore_ascii_case("top"));
    for (id, _) in lost {
        page.unwrap_element(id);
    }
}

/// The name of the place on the page that a link leads to.
pub(super) fn fragment(page: &Page, link: NodeId) -> Option<String> {
    let fragment = page.attribute(link, &local_name!("href"))?.trim().strip_prefix('#')?;
    (!fragment.is_empty()).then(|| percent_decode_str(fragment).decode_utf8_lossy().into_owned())
}

/// Visible characters up to which a link of a tool may go: "View page source".
const SIGN_CHARS: usize = 20;

/// Levels between the heading and its sign.
const SIGN_LEVELS: usize = 5;

/// Whether an element in a heading or a term is such a sign.
pub(super) fn is_sign(page: &Page, id: NodeId, tag: Tag) -> bool {
    if tag != Tag::A {
        return is_edit_section(page, id);
    }
    let Some(heading) = page
        .ancestors(id)
        .take(SIGN_LEVELS)
        .find(|&up| page.tag(up).is_some_and(|tag| tag.is_heading() || tag == Tag::Dt))
    else {
        return false;
    };
    let is_place = || {
        page.end(id).0 == id.0 + 1
            && [local_name!("id"), local_name!("name")].iter().any(|name| page.has_attribute(id, name))
    };
    let holds_picture = || page.live(id).any(|inside| page.tag(inside) == Some(Tag::Img));
    let chars = first_chars(page, id, SIGN_CHARS);
    // Not all that the heading says.
    let is_part = || first_chars(page, heading, chars) > chars;
    if chars > SIGN_CHARS || holds_picture() || !is_part() || is_place() {
        return false;
    }
    let leads_inside = page.attribute(id, &local_name!("href")).is_some_and(|href| href.contains('#'));
    leads_inside && !start_of_line(page, id).contains(char::is_alphanumeric) || is_permalink(page, id)
}

/// Visible characters of an element, counted until there are more than `most`.
fn first_chars(page: &Page, id: NodeId, most: usize) -> usize {
    const MAX_NODES: usize = 500;
    let mut chars = 0;
    for inside in page.live(id).take(MAX_NODES) {
        chars += page.own_chars(inside);
        if chars > most {
            break;
        }
    }
    chars
}

/// Signs that link to a heading: Sphinx (`headerlink`, `viewcode-link`), Docusaurus (`hash-link`), `AnchorJS`, `VitePress`
/// (`header-anchor`), Hugo and Jekyll themes (`anchor`, `heading-anchor`, `permalink`), rustdoc (`src`).
fn is_permalink(page: &Page, id: NodeId) -> bool {
    page.has_class(id, |class| {
        matches!(
            class,
            "headerlink"
                | "viewcode-link"
                | "hash-link"
                | "anchorjs-link"
                | "header-anchor"
                | "heading-anchor"
                | "heading-link"
                | "anchor"
                | "anchor-link"
                | "permalink"
                | "src"
                | "srclink"
        )
    })
}

/// The links of `MediaWiki` that edit a section.
fn is_edit_section(page: &Page, id: NodeId) -> bool {
    page.has_class(id, |class| matches!(class, "mw-editsection" | "editsection"))
}

/// Rows of links that lead up from a page: Bootstrap, Foundation, `WordPress`, schema.org.
fn is_breadcrumb(page: &Page, id: NodeId) -> bool {
    let is_name = |word: &str| {
        let word = word.to_ascii_lowercase();
        matches!(word.rsplit('/').next(), Some("breadcrumb" | "breadcrumbs" | "breadcrumblist"))
    };
    page.has_class(id, is_name)
        || [local_name!("aria-label"), local_name!("itemtype"), local_name!("id")]
            .iter()
            .any(|name| page.attribute(id, name).is_some_and(|value| value.split_ascii_whitespace().any(is_name)))
}

/// Visible characters beside the links up to which a row of links is nothing else: "Share this article on".
const LABEL_CHARS: usize = 24;

/// Elements that are climbed from a link to find the whole row.
const LEVELS: usize = 6;

/// Links that are looked at; rows are looked at as a whole for each. Raising it costs time on hostile pages.
const MAX_LINKS: usize = 2000;

/// Drops all of it. `headline` is the heading that is the page's headline.
pub(super) fn drop_page_chrome(page: &mut Page, headline: Option<NodeId>) {
    let links: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::A))
        .filter(|&id| page.has_attribute(id, &local_name!("href")))
        .take(MAX_LINKS)
        .collect();
    let sharing = Sharing::from_page(page);
    let mut unwanted = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for &id in &links {
        if id < over {
            continue;
        }
        let is_above = headline.is_some_and(|headline| id < headline);
        let above = || if skips(page, id, headline) { Some(id) } else { way_up(page, id, headline) };
        let found = is_above.then(above).flatten();
        if let Some(id) = found.or_else(|| sharing.row(page, id)) {
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
    let Some(name) = fragment(page, id) else {
        return false;
    };
    let names_it = |up: NodeId| page.attribute(up, &local_name!("id")).is_some_and(|id| *id == *name);
    headline.is_some_and(|headline| page.self_and_ancestors(headline).any(names_it))
}

/// The row of links above the headline that is called the way up.
fn way_up(page: &Page, id: NodeId, headline: Option<NodeId>) -> Option<NodeId> {
    let is_outside = |up: NodeId| headline.is_none_or(|headline| page.end(up) <= headline);
    page.ancestors(id).take(LEVELS).find(|&up| is_breadcrumb(page, up) && is_outside(up))
}

fn links_in(page: &Page, id: NodeId) -> Vec<NodeId> {
    const MOST: usize = 50;
    page.live(id).filter(|&id| page.tag(id) == Some(Tag::A)).take(MOST).collect()
}

/// Pictures above the headline that stand for the site.
fn logos(page: &Page, headline: Option<NodeId>) -> Vec<NodeId> {
    let Some(headline) = headline else {
        return Vec::new();
    };
    page.live(page.body())
        .take_while(|&id| id < headline)
        .filter(|&id| matches!(page.tag(id), Some(Tag::Img | Tag::Svg)))
        .filter(|&id| is_logo(page, id))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, page_at};

    fn links_left(html: &str) -> usize {
        links_left_at("https://www.example.org/t/oven/17/3?x=1", html)
    }

    fn links_left_at(address: &str, html: &str) -> usize {
        let mut page = page_at(address, html);
        let headline = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H1)).unwrap();
        unwrap_headline(&mut page, headline);
        let is_link = |id: &NodeId| page.tag(*id) == Some(Tag::A) && page.state(*id) == NodeState::Keep;
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

    fn is_sign_in(html: &str) -> bool {
        let page = page(html);
        let id = by_id(&page, "s");
        is_sign(&page, id, page.tag(id).unwrap())
    }

    #[test]
    fn signs_of_tools_are_known_in_headings_and_terms() {
        for html in [
            "<h2>Options<a id=s href=#options>¶</a></h2>",
            "<h2>Options <a id=s href=/page#options>⚓</a></h2>",
            "<dl><dt><code>open()</code><a id=s href=#open>#</a></dt></dl>",
            "<div><h2>History</h2><span id=s class=mw-editsection>[<a href=/w>edit</a>]</span></div>",
            "<h4>fn open() <a id=s class='src rightside' href=../src/open.html>Source</a></h4>",
        ] {
            assert!(is_sign_in(html), "{html}");
        }
    }

    #[test]
    fn words_of_headings_stay() {
        for html in [
            "<h2><a id=s href=#options>Options</a></h2>",
            // Shows nothing, and a table of contents leads to it.
            "<h2><a id=s href=#s></a>Options</h2>",
            "<h2>The <a id=s href=/c>C</a> language</h2>",
            "<h2>Growth<span id=s>[1]</span></h2>",
            "<p>See <a id=s href=#x>#</a></p>",
            "<h2>All about <a id=s href=/edit-distance>editing</a></h2>",
            "<h2><a id=s href=#a>§</a></h2>",
            "<h2>The array <span id=s>[first, last]</span></h2>",
        ] {
            assert!(!is_sign_in(html), "{html}");
        }
    }
}
