//! Wraps kuchikiki's `TreeSink`, and counts nodes, depth and attributes for the guard.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashMap,
};

use html5ever::{
    Attribute, ExpandedName, LocalName, QualName,
    tendril::StrTendril,
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};
use kuchikiki::NodeRef;

use super::{MAX_ATTRIBUTE_BYTES, MAX_ATTRIBUTES};
use crate::html::attributes::{Attributes, Stretch};

/// kuchikiki's sink, counting what it is given and remembering the node that was appended last. Attributes are kept beside
/// the tree.
pub(super) struct GuardedSink {
    pub(super) tree: kuchikiki::Sink,
    pub(super) nodes: Cell<usize>,
    pub(super) attribute_count: Cell<usize>,
    pub(super) attribute_bytes: Cell<usize>,
    pub(super) attributes: RefCell<Attributes>,
    /// Attributes that do not go through the tree builder.
    pub(super) waiting: RefCell<Waiting>,
    last: RefCell<NodeRef>,
    /// The templates by their contents, which hang beside them and know no parent.
    templates: RefCell<HashMap<*const kuchikiki::Node, NodeRef>>,
    /// The templates in the order in which they came.
    pub(super) templates_in_order: RefCell<Vec<NodeRef>>,
}

/// The attributes of the tag that is being processed. The tree builder copies those of every tag and looks at hardly any;
/// where it looks at none ([`super::tokens::Plain`]) it is given none, and the element takes them from here.
#[derive(Default)]
pub(super) struct Waiting {
    /// The element that they are for: the first one of this name that is made.
    pub(super) owner: Option<LocalName>,
    pub(super) attributes: Vec<Attribute>,
}

impl GuardedSink {
    pub(super) fn new() -> GuardedSink {
        let tree = kuchikiki::Sink::default();
        let last = RefCell::new(tree.document_node.clone());
        GuardedSink {
            tree,
            nodes: Cell::new(0),
            attribute_count: Cell::new(0),
            attribute_bytes: Cell::new(0),
            attributes: RefCell::new(Attributes::new()),
            waiting: RefCell::default(),
            last,
            templates: RefCell::default(),
            templates_in_order: RefCell::default(),
        }
    }

    fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
    }

    /// Counts attributes; whether there is room for them. One token can copy hundreds of elements, and the guard looks only
    /// after it.
    fn has_room(&self, attributes: &[Attribute]) -> bool {
        let count = self.attribute_count.get() + attributes.len();
        let bytes: usize = attributes.iter().map(|attribute| attribute.value.len()).sum();
        let bytes = self.attribute_bytes.get() + bytes;
        self.attribute_count.set(count);
        self.attribute_bytes.set(bytes);
        count <= MAX_ATTRIBUTES && bytes <= MAX_ATTRIBUTE_BYTES
    }

    /// The attributes of an element that is being made.
    fn stretch(&self, name: &QualName, attributes: Vec<Attribute>) -> Stretch {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.owner.as_ref() == Some(&name.local) {
            waiting.owner = None;
            if self.has_room(&waiting.attributes) {
                return self.attributes.borrow_mut().add(waiting.attributes.drain(..));
            }
        } else if !attributes.is_empty() && self.has_room(&attributes) {
            return self.attributes.borrow_mut().add(attributes);
        }
        Stretch::default()
    }

    fn note(&self, child: &NodeOrText<NodeRef>) {
        if let NodeOrText::AppendNode(node) = child {
            self.last.replace(node.clone());
        } else {
            // Text may join the text before it; counting it anyway errs on the safe side.
            self.count();
        }
    }

    pub(super) fn depth_of_last(&self) -> usize {
        let templates = self.templates.borrow();
        let mut depth = 0;
        let mut node = self.last.borrow().clone();
        while let Some(above) = node.parent().or_else(|| templates.get(&std::ptr::from_ref(&*node)).cloned()) {
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

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeRef {
        self.count();
        let stretch = self.stretch(&name, attributes);
        let is_template = flags.template;
        let node = self.tree.create_element(name, Vec::new(), flags);
        stretch.note(&node);
        if is_template {
            self.templates_in_order.borrow_mut().push(node.clone());
        }
        node
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

    fn append_based_on_parent_node(&self, element: &NodeRef, prev_element: &NodeRef, child: NodeOrText<NodeRef>) {
        self.note(&child);
        self.tree.append_based_on_parent_node(element, prev_element, child);
    }

    fn append_before_sibling(&self, sibling: &NodeRef, child: NodeOrText<NodeRef>) {
        self.note(&child);
        self.tree.append_before_sibling(sibling, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.tree.append_doctype_to_document(name, public_id, system_id);
    }

    fn mark_script_already_started(&self, node: &NodeRef) {
        self.tree.mark_script_already_started(node);
    }

    fn get_template_contents(&self, target: &NodeRef) -> NodeRef {
        let contents = self.tree.get_template_contents(target);
        self.templates.borrow_mut().entry(std::ptr::from_ref(&*contents)).or_insert_with(|| target.clone());
        contents
    }

    fn same_node(&self, x: &NodeRef, y: &NodeRef) -> bool {
        self.tree.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &NodeRef, attributes: Vec<Attribute>) {
        let mut all = self.attributes.borrow_mut();
        let known = all.in_stretch(Stretch::from_node(target));
        let is_new = |new: &Attribute| known.iter().all(|known| known.name != new.name);
        let mut more: Vec<Attribute> = attributes.into_iter().filter(is_new).collect();
        if more.is_empty() {
            return;
        }
        let mut attributes = known.to_vec();
        attributes.append(&mut more);
        // The copies count too: a page can be nothing but start tags of `body`.
        if self.has_room(&attributes) {
            all.add(attributes).note(target);
        }
    }

    fn remove_from_parent(&self, target: &NodeRef) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeRef, new_parent: &NodeRef) {
        self.tree.reparent_children(node, new_parent);
    }
}
