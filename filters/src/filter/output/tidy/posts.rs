//! Marks the posts of a thread, so that the style sets each apart from what stands above it.

use html5ever::LocalName;

use super::{super::reader::headline_in, MARK};
use crate::page::{NodeId, Page};

/// Visible characters above the first post, the headline aside, from which it is set apart too: a question without a name.
/// A way up and a list of tags are shorter.
const TEXT_ABOVE: usize = 150;

/// Marks all posts but one at the top of the page.
pub(super) fn mark(page: &mut Page) {
    let mut posts = std::mem::take(&mut page.posts);
    posts.retain(|&post| page.is_live(post) && page.chars(post) > 0);
    let Some(&first) = posts.first() else { return };
    let begins = chars_before(page, first) < TEXT_ABOVE;
    let mut last: Option<NodeId> = None;
    for post in posts.into_iter().skip(usize::from(begins)) {
        let is_start = |last| page.contains(last, post) && !has_text_between(page, last, post);
        if last.is_some_and(is_start) {
            continue;
        }
        last = Some(post);
        let mark = LocalName::from(MARK);
        let value = match page.attribute(post, &mark) {
            Some(known) => format!("{known} post"),
            None => "post".to_owned(),
        };
        page.set_attribute(post, mark, value);
    }
}

/// Whether something is written in a post before one inside of it: one line above both is enough.
fn has_text_between(page: &Page, outer: NodeId, inner: NodeId) -> bool {
    page.live(outer)
        .take_while(|&id| id < inner)
        .any(|id| page.own_chars(id) > 0)
}

fn chars_before(page: &Page, post: NodeId) -> usize {
    let headline = headline_in(page);
    let is_headline = |id| headline.is_some_and(|headline| page.contains(headline, id));
    let above = page.live(page.body()).take_while(|&id| id < post);
    above
        .filter(|&id| !is_headline(id))
        .map(|id| page.own_chars(id))
        .sum()
}
