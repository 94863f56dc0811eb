//! To which post a name belongs.

use super::signs::Sign;
use crate::page::{NodeId, Page};

/// By row: the innermost post around it. Replies stand inside the posts that they answer.
pub(in super::super) struct Owners {
    by_row: Vec<NodeId>,
    /// How many posts there are.
    pub(in super::super) posts: usize,
}

impl Owners {
    pub(in super::super) fn of(page: &Page, posts: &[NodeId]) -> Owners {
        let mut owners = vec![NodeId::DOCUMENT; page.len()];
        let mut around: Vec<NodeId> = Vec::new();
        let mut next = posts.iter().copied().peekable();
        for (row, owner) in owners.iter_mut().enumerate() {
            let id = NodeId::from_row(row);
            while around.last().is_some_and(|&post| id >= page.end(post)) {
                around.pop();
            }
            around.extend(next.next_if_eq(&id));
            *owner = around.last().copied().unwrap_or(NodeId::DOCUMENT);
        }
        Owners {
            by_row: owners,
            posts: posts.len(),
        }
    }

    /// The innermost post around a node, or the node where it is one.
    pub(in super::super) fn of_node(&self, id: NodeId) -> Option<NodeId> {
        Some(self.by_row[id.index()]).filter(|&post| post != NodeId::DOCUMENT)
    }

    /// The signs of a post, without those of the posts inside it.
    pub(in super::super) fn signs<'a>(
        &'a self,
        page: &'a Page,
        post: NodeId,
        signs: &'a [Sign],
    ) -> impl Iterator<Item = &'a Sign> {
        let start = signs.partition_point(|sign| sign.element < post);
        signs[start..]
            .iter()
            .take_while(move |sign| page.contains(post, sign.element))
            .filter(move |sign| self.by_row[sign.element.index()] == post)
    }

    /// The surest name of a post, and of equals the first; rather none before its start, which is its headline where it has one.
    pub(in super::super) fn name<'a>(
        &'a self,
        page: &'a Page,
        post: NodeId,
        names: &'a [Sign],
        start: NodeId,
    ) -> Option<&'a Sign> {
        self.signs(page, post, names)
            .min_by_key(|sign| (sign.element < start, sign.rank, sign.element))
    }

    /// The surest sign of a post; of equals the one that stands nearest to a place.
    pub(in super::super) fn best<'a>(
        &'a self,
        page: &'a Page,
        post: NodeId,
        signs: &'a [Sign],
        near: NodeId,
    ) -> Option<&'a Sign> {
        self.signs(page, post, signs)
            .min_by_key(|sign| (sign.rank, sign.element.0.abs_diff(near.0)))
    }
}
