//! Marks the posts of a thread, so that the style sets each apart from what stands above it.

use html5ever::LocalName;

use super::{super::headline::headline_in, MARK};
use crate::{
    analysis::AnalysedPage,
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
};

/// Visible characters above the first post, the headline aside, from which it is set apart too: a question without a name.
/// A way up and a list of tags are shorter.
const TEXT_ABOVE: usize = 150;

/// Marks all posts but one at the top of the page.
pub(crate) fn mark(page: &mut AnalysedPage) {
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
pub(crate) fn rules(page: &AnalysedPage) -> Table<NodeId, String> {
    let mark = LocalName::from(MARK);
    let is_marked = |id| page.attribute(id, &mark).is_some_and(|marks| marks.ends_with("post"));
    let can_hold = |id| matches!(page.tag(id), Some(Tag::Div | Tag::Article | Tag::Section | Tag::Li | Tag::Dd));
    let posts = page.outcome.posts.iter().map(|&post| with_its_term(page, post));
    posts.filter(|&post| can_hold(post) && is_marked(post)).map(|post| (post, "<hr>".to_owned())).collect()
}

/// Marks the first post too, where posts stand above the page. Says whether there is one.
pub(crate) fn mark_first(page: &mut AnalysedPage) -> bool {
    let first = page.outcome.posts.first().copied();
    if let Some(post) = first {
        set_apart(page, post);
    }
    first.is_some()
}

fn set_apart(page: &mut Page, post: NodeId) {
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
        std::iter::once(before).chain(page.ancestors(before)).find(|&up| page.parent(up) == around)
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
    use crate::testing::{by_id, page};

    #[test]
    fn a_rule_stands_above_the_name_of_a_post_and_not_below_it() {
        let text = "A reply. ".repeat(30);
        let html = format!("<dl><dt id=ann>Ann<dd id=one>{text}<dt id=ben>Ben<dd id=two>{text}</dl>");
        let mut page = page(&html);
        page.outcome.posts = vec![by_id(&page, "one"), by_id(&page, "two")];
        mark(&mut page);
        let marked = |id| page.attribute(by_id(&page, id), &LocalName::from(MARK));
        assert_eq!(marked("ben"), Some("post"));
        assert_eq!(marked("two"), None);
    }
}
