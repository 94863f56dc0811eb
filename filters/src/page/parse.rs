//! Feeding html5ever piece by piece, with the bounds checked between the pieces.
//!
//! html5ever's tree builder takes time in proportion to the depth of nesting for many tokens and has no bound of its
//! own (servo/html5ever#788), so a short page can cost seconds. A [`Parser`] therefore takes the text in pieces of
//! [`PIECE`] bytes and looks at depth and node count after each one. Time is the caller's business ([`crate::chain`]).

use std::{borrow::Cow, cell::Cell, cell::RefCell};

use html5ever::{
    Attribute, ExpandedName, QualName,
    tendril::{StrTendril, TendrilSink},
    tokenizer::TokenizerOpts,
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilderOpts, TreeSink},
};
use kuchikiki::NodeRef;

use crate::error::PageError;

/// Bytes parsed between two looks at the limits. 4 KiB hold at most 1,365 start tags of three bytes, so depth can
/// pass its limit by no more than that before it is seen. Larger: fewer looks, a costlier worst case.
pub(crate) const PIECE: usize = 4096;

/// A document that is arriving.
pub(crate) struct Parser {
    inner: html5ever::Parser<GuardedSink>,
    max_depth: usize,
    max_nodes: usize,
}

impl Parser {
    /// `scripting` false parses the contents of `<noscript>` as elements, which is right whenever the page's scripts
    /// will not run.
    pub(crate) fn new(scripting: bool, max_depth: usize, max_nodes: usize) -> Parser {
        let options = html5ever::ParseOpts {
            tokenizer: TokenizerOpts::default(),
            tree_builder: TreeBuilderOpts {
                scripting_enabled: scripting,
                ..TreeBuilderOpts::default()
            },
        };
        Parser {
            inner: html5ever::parse_document(GuardedSink::new(), options),
            max_depth,
            max_nodes,
        }
    }

    /// Parses one piece, at most [`PIECE`] bytes of it being sensible.
    pub(crate) fn feed(&mut self, piece: &str) -> Result<(), PageError> {
        self.inner.process(StrTendril::from_slice(piece));
        self.check()
    }

    /// The document node, after the last piece.
    pub(crate) fn finish(self) -> Result<NodeRef, PageError> {
        let nodes = self.inner.tokenizer.sink.sink.nodes.get();
        let max_nodes = self.max_nodes;
        if nodes > max_nodes {
            return Err(PageError::TooManyNodes { limit: max_nodes });
        }
        Ok(self.inner.finish())
    }

    fn check(&self) -> Result<(), PageError> {
        let sink = &self.inner.tokenizer.sink.sink;
        if sink.nodes.get() > self.max_nodes {
            return Err(PageError::TooManyNodes {
                limit: self.max_nodes,
            });
        }
        if sink.depth_of_last() > self.max_depth {
            return Err(PageError::TooDeep {
                limit: self.max_depth,
            });
        }
        Ok(())
    }
}

/// kuchikiki's sink, counting nodes and remembering the node that was appended last.
struct GuardedSink {
    tree: kuchikiki::Sink,
    nodes: Cell<usize>,
    last: RefCell<NodeRef>,
}

impl GuardedSink {
    fn new() -> GuardedSink {
        let tree = kuchikiki::Sink::default();
        let last = RefCell::new(tree.document_node.clone());
        GuardedSink {
            tree,
            nodes: Cell::new(0),
            last,
        }
    }

    fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
    }

    fn note(&self, child: &NodeOrText<NodeRef>) {
        if let NodeOrText::AppendNode(node) = child {
            self.last.replace(node.clone());
        } else {
            // Text may join the text before it; counting it anyway errs on the safe side.
            self.count();
        }
    }

    fn depth_of_last(&self) -> usize {
        let mut depth = 0;
        let mut node = self.last.borrow().clone();
        while let Some(parent) = node.parent() {
            node = parent;
            depth += 1;
        }
        depth
    }
}

impl TreeSink for GuardedSink {
    type Handle = NodeRef;
    type Output = NodeRef;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> NodeRef {
        self.tree.document_node
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeRef {
        self.tree.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeRef) -> ExpandedName<'a> {
        self.tree.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeRef {
        self.count();
        self.tree.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeRef {
        self.count();
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeRef {
        self.count();
        self.tree.create_pi(target, data)
    }

    fn append(&self, parent: &NodeRef, child: NodeOrText<NodeRef>) {
        self.note(&child);
        self.tree.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeRef,
        prev_element: &NodeRef,
        child: NodeOrText<NodeRef>,
    ) {
        self.note(&child);
        self.tree
            .append_based_on_parent_node(element, prev_element, child);
    }

    fn append_before_sibling(&self, sibling: &NodeRef, child: NodeOrText<NodeRef>) {
        self.note(&child);
        self.tree.append_before_sibling(sibling, child);
    }

    fn append_doctype_to_document(
        &self,
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    ) {
        self.tree
            .append_doctype_to_document(name, public_id, system_id);
    }

    fn mark_script_already_started(&self, node: &NodeRef) {
        self.tree.mark_script_already_started(node);
    }

    fn get_template_contents(&self, target: &NodeRef) -> NodeRef {
        self.tree.get_template_contents(target)
    }

    fn same_node(&self, x: &NodeRef, y: &NodeRef) -> bool {
        self.tree.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &NodeRef, attributes: Vec<Attribute>) {
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeRef) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeRef, new_parent: &NodeRef) {
        self.tree.reparent_children(node, new_parent);
    }
}
