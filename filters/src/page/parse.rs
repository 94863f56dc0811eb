//! Feeding html5ever piece by piece, with the bounds checked as the tree grows.
//!
//! html5ever's tree builder takes time in proportion to the depth of nesting for many tokens and has no bound of its
//! own (servo/html5ever#788), so a short page can cost seconds; and it copies formatting elements with all their
//! attributes into every paragraph that follows (HTML Standard § 13.2.4.3), so a short page can cost gigabytes. A
//! [`Guard`] looks at depth, nodes and attributes after every token, a [`TagScan`] at a tag that does not end. Time is
//! the caller's business ([`crate::chain`]).

mod guard;
mod tag_scan;

use std::{borrow::Cow, cell::Cell, cell::RefCell, collections::HashMap};

use html5ever::{
    Attribute, ExpandedName, QualName, TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tokenizer, TokenizerOpts},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink},
};
use kuchikiki::NodeRef;

use self::{guard::Guard, tag_scan::TagScan};
use crate::error::PageError;

/// Bytes parsed between two looks at the clock. Larger: fewer looks, a costlier worst case.
pub(crate) const PIECE: usize = 4096;

/// Most attributes of one element. The parser compares each with all others, so the cost grows with the square: a
/// thousand cost a millisecond. Of the elements of 1,497 saved pages none has more than 185 (WCXB dev, 2026-11-21). Raising it lets one tag
/// cost more.
const MAX_ATTRIBUTES_OF_ELEMENT: usize = 1000;

/// Most attributes of a page, those of copied elements included; about 100 bytes of memory each. A page of the
/// largest size that is accepted, all of it ordinary markup, has about a quarter of that. Raising it costs memory.
const MAX_ATTRIBUTES: usize = 1_000_000;

/// Most bytes of attribute values of a page, those of copied elements included: four times the largest page that is
/// accepted by default. Raising it costs memory.
const MAX_ATTRIBUTE_BYTES: usize = 32 * 1024 * 1024;

/// A document that is arriving.
pub(crate) struct Parser {
    tokenizer: Tokenizer<Guard>,
    input: BufferQueue,
    tag: TagScan,
}

impl Parser {
    /// `scripting` false parses the contents of `<noscript>` as elements, which is right whenever the page's scripts
    /// will not run.
    pub(crate) fn new(scripting: bool, max_depth: usize, max_nodes: usize) -> Parser {
        let options = TreeBuilderOpts {
            scripting_enabled: scripting,
            ..TreeBuilderOpts::default()
        };
        let builder = TreeBuilder::new(GuardedSink::new(), options);
        let guard = Guard::new(builder, max_depth, max_nodes);
        Parser {
            tokenizer: Tokenizer::new(guard, TokenizerOpts::default()),
            input: BufferQueue::default(),
            tag: TagScan::default(),
        }
    }

    /// Parses one piece, at most [`PIECE`] bytes of it being sensible.
    pub(crate) fn feed(&mut self, piece: &str) -> Result<(), PageError> {
        let mut rest = piece;
        while !rest.is_empty() {
            // `<` goes alone: what the tokenizer tells at it belongs to the text before it, not to the tag it begins.
            let end = match rest.find('<') {
                Some(0) => 1,
                Some(at) => at,
                None => rest.len(),
            };
            let (part, after) = rest.split_at(end);
            rest = after;
            self.feed_part(part)?;
        }
        self.tokenizer.sink.check()
    }

    /// The document node, after the last piece.
    pub(crate) fn finish(self) -> Result<NodeRef, PageError> {
        self.run();
        self.tokenizer.end();
        let guard = &self.tokenizer.sink;
        guard.check()?;
        Ok(guard.builder.sink.tree.document_node.clone())
    }

    fn feed_part(&mut self, part: &str) -> Result<(), PageError> {
        let before = self.tokenizer.sink.tokens.get();
        self.input.push_back(StrTendril::from_slice(part));
        self.run();
        let told = self.tokenizer.sink.tokens.get() != before;
        if told {
            self.tag.end();
        }
        if (!told || part == "<") && self.tag.read(part) > MAX_ATTRIBUTES_OF_ELEMENT {
            return Err(PageError::TooManyAttributes {
                limit: MAX_ATTRIBUTES_OF_ELEMENT,
            });
        }
        Ok(())
    }

    fn run(&self) {
        // Scripts are not run, so what follows one is parsed at once.
        while let TokenizerResult::Script(_) = self.tokenizer.feed(&self.input) {}
    }
}

/// kuchikiki's sink, counting what it is given and remembering the node that was appended last.
struct GuardedSink {
    tree: kuchikiki::Sink,
    nodes: Cell<usize>,
    attributes: Cell<usize>,
    attribute_bytes: Cell<usize>,
    last: RefCell<NodeRef>,
    /// The templates by their contents, which hang beside them and know no parent.
    templates: RefCell<HashMap<*const kuchikiki::Node, NodeRef>>,
}

impl GuardedSink {
    fn new() -> GuardedSink {
        let tree = kuchikiki::Sink::default();
        let last = RefCell::new(tree.document_node.clone());
        GuardedSink {
            tree,
            nodes: Cell::new(0),
            attributes: Cell::new(0),
            attribute_bytes: Cell::new(0),
            last,
            templates: RefCell::default(),
        }
    }

    fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
    }

    /// Counts the attributes and gives them back; none once they are too many. One token can copy hundreds of elements,
    /// and the guard looks only after it.
    fn counted(&self, attributes: Vec<Attribute>) -> Vec<Attribute> {
        let count = self.attributes.get() + attributes.len();
        let bytes: usize = attributes
            .iter()
            .map(|attribute| attribute.value.len())
            .sum();
        let bytes = self.attribute_bytes.get() + bytes;
        self.attributes.set(count);
        self.attribute_bytes.set(bytes);
        if count > MAX_ATTRIBUTES || bytes > MAX_ATTRIBUTE_BYTES {
            Vec::new()
        } else {
            attributes
        }
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
        let templates = self.templates.borrow();
        let mut depth = 0;
        let mut node = self.last.borrow().clone();
        while let Some(above) = node
            .parent()
            .or_else(|| templates.get(&std::ptr::from_ref(&*node)).cloned())
        {
            node = above;
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
        let attributes = self.counted(attributes);
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
        let contents = self.tree.get_template_contents(target);
        self.templates
            .borrow_mut()
            .entry(std::ptr::from_ref(&*contents))
            .or_insert_with(|| target.clone());
        contents
    }

    fn same_node(&self, x: &NodeRef, y: &NodeRef) -> bool {
        self.tree.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &NodeRef, attributes: Vec<Attribute>) {
        let attributes = self.counted(attributes);
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeRef) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeRef, new_parent: &NodeRef) {
        self.tree.reparent_children(node, new_parent);
    }
}
