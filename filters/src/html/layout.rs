//! From kuchikiki's tree to the table of rows.

use html5ever::local_name;
use kuchikiki::{NodeData, NodeRef};

use super::{NodeId, NodeKind, NodeRow, NodeState, attributes::Stretch, inject_text, parse::Parsed, tag::Tag};
use crate::{error::PageError, vocabulary::words::visible_chars};

/// A page laid out.
pub(super) struct Layout {
    pub(super) rows: Vec<NodeRow>,
    /// The elements that are about the page.
    pub(super) about: Vec<NodeId>,
    /// The elements whose attributes may have what a rule looks for, with the bits of that.
    pub(super) hinted: Vec<(NodeId, u32)>,
    /// Which tags it has, by their numbers.
    pub(super) tags: [bool; Tag::COUNT],
}

/// One walk over the tree with an explicit stack: first children down, siblings across, ends filled in on the way up.
pub(super) fn lay_out(parsed: &Parsed, scripting: bool, max_depth: usize) -> Result<Layout, PageError> {
    let attributes = &parsed.attributes;
    let mut rows: Vec<NodeRow> = Vec::with_capacity(parsed.nodes);
    let (mut about, mut hinted) = (Vec::new(), Vec::new());
    let mut tags = [false; Tag::COUNT];
    // Ancestors of the node at hand: their row, and whether text below them is shown and linked.
    let mut open: Vec<OpenElement> = Vec::with_capacity(64);
    let mut next = Some(parsed.document.clone());
    while let Some(node) = next {
        let id = NodeId::from_row(rows.len());
        if open.len() > max_depth {
            return Err(PageError::TooDeep { limit: max_depth });
        }
        if id.0 == u32::MAX {
            return Err(PageError::TooManyNodes { limit: id.index() });
        }
        let above = open.last();
        let (hidden, mut in_link) = above.map_or((false, false), |a| (a.hidden, a.in_link));
        let (mut kind, mut chars) = describe(&node, hidden);
        // A formula that a script would set stands in the place of the script.
        let mut formula = None;
        if kind == NodeKind::Element(Tag::Script) && !scripting {
            formula = inject_text::formula(&node, attributes);
            if let Some(formula) = &formula {
                (kind, chars) = describe(formula, hidden);
            }
        }
        let tag = match kind {
            NodeKind::Element(tag) => Some(tag),
            _ => None,
        };
        let stretch = Stretch::from_node(&node);
        let leads_on = || {
            let mut own = attributes.in_stretch(stretch).iter();
            own.any(|attribute| attribute.name.local == local_name!("href"))
        };
        in_link |= tag == Some(Tag::A) && leads_on();
        if let Some(tag) = tag {
            tags[tag as usize] = true;
            if is_about(tag) {
                about.push(id);
            }
            let hints = attributes.hints(stretch).hints();
            if hints != 0 {
                hinted.push((id, hints));
            }
        }
        rows.push(NodeRow {
            parent: above.map_or(NodeId::DOCUMENT, |a| a.id),
            end: id.0 + 1,
            chars,
            kind,
            state: NodeState::Keep,
            in_link,
            attributes: stretch,
            node: formula.clone().unwrap_or_else(|| node.clone()),
        });
        if formula.is_none()
            && let Some(child) = first_child(&node)
        {
            open.push(OpenElement {
                id,
                hidden: hidden || tag.is_some_and(Tag::hides_text) || scripting && tag == Some(Tag::Noscript),
                in_link,
                node,
            });
            next = Some(child);
            continue;
        }
        let mut at = node;
        next = loop {
            if let Some(sibling) = at.next_sibling() {
                break Some(sibling);
            }
            let Some(parent) = open.pop() else {
                break None;
            };
            rows[parent.id.index()].end = NodeId::from_row(rows.len()).0;
            at = parent.node;
        };
    }
    Ok(Layout { rows, about, hinted, tags })
}

/// Whether an element describes the page, or is looked up by its tag alone.
fn is_about(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Title
            | Tag::Meta
            | Tag::Link
            | Tag::Base
            | Tag::Script
            | Tag::Style
            | Tag::H1
            | Tag::Hr
            | Tag::Iframe
            | Tag::Math
            | Tag::Time
            | Tag::Nav
            | Tag::Dialog
            | Tag::Blockquote
            | Tag::Dl
            | Tag::Table
    )
}

struct OpenElement {
    id: NodeId,
    hidden: bool,
    in_link: bool,
    node: NodeRef,
}

/// A template's contents hang beside it, not below it (HTML Standard § 4.12.3); in the table they are its children.
fn first_child(node: &NodeRef) -> Option<NodeRef> {
    match node.as_element().and_then(|e| e.template_contents.as_ref()) {
        Some(contents) => contents.first_child(),
        None => node.first_child(),
    }
}

fn describe(node: &NodeRef, hidden: bool) -> (NodeKind, u32) {
    match node.data() {
        NodeData::Element(element) => (NodeKind::Element(Tag::from_qual_name(&element.name)), 0),
        NodeData::Text(text) if !hidden => {
            (NodeKind::Text, u32::try_from(visible_chars(&text.borrow())).unwrap_or(u32::MAX))
        }
        NodeData::Text(_) => (NodeKind::Text, 0),
        NodeData::Comment(_) => (NodeKind::Comment, 0),
        NodeData::ProcessingInstruction(_) => (NodeKind::ProcessingInstruction, 0),
        NodeData::Doctype(_) => (NodeKind::Doctype, 0),
        NodeData::Document(_) | NodeData::DocumentFragment => (NodeKind::Document, 0),
    }
}
