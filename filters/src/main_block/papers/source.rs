//! The page as a sequence of tags and texts, for algorithms that look at the source and not at the tree.
//!
//! The parser has read the source already, so it is written again from the tree: every element is a start tag and, unless it
//! is void, an end tag. Line breaks are those of the texts, where nearly all of a source's line breaks are; the ones
//! inside a tag, between its attributes, are lost.

use crate::html::{NodeId, NodeKind, NodeState, Page};

/// A piece of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A start tag.
    Start(NodeId),
    /// The end tag of an element.
    End(NodeId),
    /// A text node.
    Text(NodeId),
}

/// All pieces below a node, itself included, in order. Comments are no pieces: every algorithm removes them first.
pub(super) fn pieces(page: &Page, root: NodeId) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in page.live(root) {
        while let Some(&outer) = open.last()
            && id >= page.end(outer)
        {
            open.pop();
            pieces.push(Piece::End(outer));
        }
        match page.kind(id) {
            NodeKind::Text => pieces.push(Piece::Text(id)),
            // What an earlier filter has taken the tags off has no tags.
            NodeKind::Element(tag) if page.state(id) == NodeState::Keep => {
                pieces.push(Piece::Start(id));
                if !tag.is_void() {
                    open.push(id);
                }
            }
            _ => {}
        }
    }
    pieces.extend(open.into_iter().rev().map(Piece::End));
    pieces
}
