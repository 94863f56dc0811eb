//! What a page keeps around its content and no style sheet hides any more: links over the head of the page, the way up to
//! the site's sections, logos, links that share the page.
//!
//! Each is known by where its links lead, which is alike in every language, or by class names of common frameworks.

mod sharing;

use html5ever::local_name;

use super::{names, places::place};
use crate::html::{NodeId, Page, tag::Tag};
use sharing::Sharing;

/// Visible characters beside the links up to which a row of links is nothing else: "Share this article on".
const LABEL_CHARS: usize = 24;

/// Elements that are climbed from a link to find the whole row.
const LEVELS: usize = 6;

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
    let Some(name) = place(page, id) else {
        return false;
    };
    let names_it = |up: NodeId| page.attribute(up, &local_name!("id")).is_some_and(|id| *id == *name);
    headline.is_some_and(|headline| std::iter::once(headline).chain(page.ancestors(headline)).any(names_it))
}

/// The row of links above the headline that is called the way up.
fn way_up(page: &Page, id: NodeId, headline: Option<NodeId>) -> Option<NodeId> {
    let is_outside = |up: NodeId| headline.is_none_or(|headline| page.end(up) <= headline);
    page.ancestors(id).take(LEVELS).find(|&up| names::is_breadcrumb(page, up) && is_outside(up))
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
        .filter(|&id| names::is_logo(page, id))
        .collect()
}
