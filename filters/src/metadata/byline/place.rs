//! Whether a name stands near the headline, or is one of many similar ones.

use std::sync::LazyLock;

use html5ever::local_name;

use super::NamedAuthor;
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::lists::{WordList, words},
    vocabulary::{any_of::AnyOf, words::words_of_identifier},
};

/// Visible characters between the headline and a byline above or below it: a summary, a category, a day, buttons to share.
const ABOVE: usize = 150;
const BELOW: usize = 500;

/// The part of the page that is near the headline.
pub(in crate::metadata) struct Places {
    from: NodeId,
    until: NodeId,
}

impl Places {
    pub(in crate::metadata) fn new(page: &Page, headline: Option<NodeId>) -> Places {
        let Some(headline) = headline else {
            let (from, until) = (NodeId::DOCUMENT, NodeId::DOCUMENT);
            return Places { from, until };
        };
        let body_end = page.end(page.body()).index();
        let (mut from, mut chars) = (headline.index(), 0);
        while from > page.body().index() + 1 && chars <= ABOVE {
            from -= 1;
            chars += page.own_chars(NodeId::from_row(from));
        }
        let (mut until, mut chars) = (page.end(headline).index(), 0);
        while until < body_end && chars <= BELOW {
            chars += page.own_chars(NodeId::from_row(until));
            until += 1;
        }
        Places { from: NodeId::from_row(from), until: NodeId::from_row(until) }
    }

    /// The nodes in it.
    pub(in crate::metadata) fn near(&self) -> impl Iterator<Item = NodeId> {
        (self.from.index()..self.until.index()).map(NodeId::from_row)
    }

    pub(in crate::metadata) fn is_near(&self, id: NodeId) -> bool {
        self.from <= id && id < self.until
    }
}

/// Whether a name is in one of several siblings that are built alike, of which another names somebody else; or in
/// what is called an answer, a comment, a list of other pages. Looked at up to what holds the headline too.
pub(super) fn is_one_of_many(page: &Page, mark: &NamedAuthor, marks: &[NamedAuthor], headline: Option<NodeId>) -> bool {
    let mut at = mark.element;
    for up in page.ancestors(mark.element) {
        if headline.is_some_and(|headline| page.contains(at, headline)) || at == page.body() {
            return false;
        }
        if is_apart(page, at) || has_likes(page, at, up, mark, marks) {
            return true;
        }
        at = up;
    }
    false
}

fn has_likes(page: &Page, at: NodeId, up: NodeId, mark: &NamedAuthor, marks: &[NamedAuthor]) -> bool {
    let first = marks.partition_point(|other| other.element < up);
    let mut others = marks[first..]
        .iter()
        .take_while(|other| page.contains(up, other.element))
        .filter(|other| !page.contains(at, other.element) && other.name != mark.name);
    others.any(|other| {
        let sibling = page.self_and_ancestors(other.element).find(|&id| page.parent(id) == up);
        sibling.is_some_and(|sibling| are_alike(page, at, sibling))
    }) && !super::is_short(page, up, super::MAX_CHARS)
}

fn are_alike(page: &Page, one: NodeId, other: NodeId) -> bool {
    page.tag(one).is_some() && page.tag(one) == page.tag(other) && page.first_class(one) == page.first_class(other)
}

/// Words in the classes and names of what is not the text: what others say of it, and the way to other texts.
static APART: WordList = words!("apart_from_text");
static ARE_APART: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(&APART));

fn is_apart(page: &Page, id: NodeId) -> bool {
    // The name below a picture is that of whoever took it.
    if matches!(page.tag(id), Some(Tag::Nav | Tag::Blockquote | Tag::Figcaption)) {
        return true;
    }
    [local_name!("class"), local_name!("id")].iter().any(|name| {
        page.attribute(id, name).is_some_and(|value| {
            // Nearly no element does, and words cost more.
            ARE_APART.are_in(value) && words_of_identifier(value).any(|word| APART.contains(&word.as_str()))
        })
    })
}
