//! The methods of `Page` that read it: structure, text, attributes.

use std::cell::Ref;

use html5ever::{Attribute, LocalName, local_name, ns};
use kuchikiki::NodeData;
use url::Url;

use super::{
    NodeId, NodeKind, NodeState, Page,
    address::Address,
    attributes::is_named,
    live::{Live, Steps},
    tag::Tag,
};
use crate::{
    html::word_gaps::{self, Gap},
    vocabulary::words::{text_size, trim, visible_chars},
};

/// Bytes that a base may add to an address that is shown outside of the page, for the same reason as the limit of the base
/// itself.
const MAX_ADDED_BYTES: usize = 500;

impl Page {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The address that the page says is its own, on the web.
    pub(crate) fn canonical(&self) -> Option<&Url> {
        self.canonical.as_ref()
    }

    /// URL used for decisions: the page's own, or for a local file its canonical link. Relative links use [`Page::base`].
    pub(crate) fn web_url(&self) -> &Url {
        let canonical = self.canonical().filter(|_| !self.url.has_host());
        canonical.unwrap_or(&self.url)
    }

    /// The base of relative addresses: `<base href>` where there is one.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    pub(crate) fn html(&self) -> Option<NodeId> {
        self.html
    }

    /// The body; the document where the parser made none.
    pub(crate) fn body(&self) -> NodeId {
        self.body.unwrap_or(NodeId::DOCUMENT)
    }

    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        self.rows[id.index()].kind
    }

    /// The element's tag; `None` for anything that is not an element.
    #[inline]
    pub(crate) fn tag(&self, id: NodeId) -> Option<Tag> {
        match self.rows[id.index()].kind {
            NodeKind::Element(tag) => Some(tag),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn state(&self, id: NodeId) -> NodeState {
        self.rows[id.index()].state
    }

    /// The parent; the document is its own.
    #[inline]
    pub(crate) fn parent(&self, id: NodeId) -> NodeId {
        self.rows[id.index()].parent
    }

    /// A node, then its ancestors, the innermost first.
    pub(crate) fn self_and_ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::once(id).chain(self.ancestors(id))
    }

    /// Parent, grandparent and so on, the document last.
    #[inline]
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut steps = Steps::short(self);
        let mut at = id;
        std::iter::from_fn(move || {
            (at != NodeId::DOCUMENT).then(|| {
                steps.step();
                at = self.parent(at);
                at
            })
        })
    }

    /// Whether neither the node nor anything around it was removed.
    pub(crate) fn is_live(&self, id: NodeId) -> bool {
        self.state(id) != NodeState::Removed
            && self.ancestors(id).all(|ancestor| self.state(ancestor) != NodeState::Removed)
    }

    /// One past the last descendant.
    pub(crate) fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.rows[id.index()].end)
    }

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.end(outer)
    }

    /// Visible characters of a text node itself, white space not counted.
    #[inline]
    pub(crate) fn own_chars(&self, id: NodeId) -> usize {
        self.rows[id.index()].chars as usize
    }

    /// Whether the node is, or is inside, `<a href>`.
    pub(crate) fn in_link(&self, id: NodeId) -> bool {
        self.rows[id.index()].in_link
    }

    /// The node and its descendants in document order, without what filters have removed.
    #[inline]
    pub(crate) fn live(&self, root: NodeId) -> Live<'_> {
        Live::new(self, root.0, self.rows[root.index()].end)
    }

    /// So many steps over the page, or over what was made of it, are made: here a page that takes too long is left. Whatever goes
    /// over a page without the walks of this file calls it.
    #[inline]
    pub(crate) fn charge(&self, steps: u32) {
        self.budget.charge(steps);
    }

    /// Children in document order, without what filters have removed.
    pub(crate) fn live_children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.live_rows(parent.0 + 1, self.rows[parent.index()].end)
    }

    /// From row to row, over the descendants of each.
    fn live_rows(&self, mut at: u32, end: u32) -> impl Iterator<Item = NodeId> + '_ {
        let mut steps = Steps::short(self);
        std::iter::from_fn(move || {
            while at < end {
                steps.step();
                let id = NodeId(at);
                at = self.rows[id.index()].end;
                if self.state(id) != NodeState::Removed {
                    return Some(id);
                }
            }
            None
        })
    }

    /// The siblings after a node in document order, without what filters have removed.
    pub(crate) fn live_siblings_after(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.rows[self.parent(id).index()].end;
        self.live_rows(self.end(id).0, end)
    }

    pub(super) fn child_with_tag(&self, parent: NodeId, tag: Tag) -> Option<NodeId> {
        self.live_children(parent).find(|&child| self.tag(child) == Some(tag))
    }

    /// The text of a text node, as written in the page.
    #[inline]
    pub(crate) fn text(&self, id: NodeId) -> Option<Ref<'_, String>> {
        self.rows[id.index()].node.as_text().map(std::cell::RefCell::borrow)
    }

    /// The texts of some nodes, one after the other.
    pub(crate) fn joined(&self, nodes: impl Iterator<Item = NodeId>) -> String {
        let mut joined = String::new();
        for text in nodes.filter_map(|id| self.text(id)) {
            joined.push_str(&text);
        }
        joined
    }

    /// All attributes in the order in which they were written.
    #[inline]
    pub(crate) fn attributes(&self, id: NodeId) -> &[Attribute] {
        self.attributes.in_stretch(self.rows[id.index()].attributes)
    }

    /// The names in an element's `class`, as they are written.
    pub(crate) fn class(&self, id: NodeId) -> &str {
        self.attribute(id, &local_name!("class")).unwrap_or_default()
    }

    /// Whether one of an element's class names is wanted.
    pub(crate) fn has_class(&self, id: NodeId, is_wanted: impl FnMut(&str) -> bool) -> bool {
        self.class(id).split_ascii_whitespace().any(is_wanted)
    }

    /// The value of an attribute without a namespace. Attributes are few, so a scan that compares atoms beats hashing.
    #[inline]
    pub(crate) fn attribute(&self, id: NodeId, name: &LocalName) -> Option<&str> {
        self.attributes(id).iter().find(|attribute| is_named(attribute, name)).map(|attribute| &*attribute.value)
    }

    /// Tells all attributes without a namespace.
    pub(crate) fn each_attribute<'a>(&'a self, id: NodeId, mut tell: impl FnMut(&'a LocalName, &'a str)) {
        for attribute in self.attributes(id) {
            if attribute.name.ns == ns!() {
                tell(&attribute.name.local, &attribute.value);
            }
        }
    }

    /// The first class of an element; empty where it has none.
    pub(crate) fn first_class(&self, id: NodeId) -> &str {
        let class = self.class(id);
        class.split_ascii_whitespace().next().unwrap_or_default()
    }

    /// Whether an element has this name, whatever it is a part of.
    pub(crate) fn has_local_name(&self, id: NodeId, name: &str) -> bool {
        matches!(self.data(id), NodeData::Element(element) if &*element.name.local == name)
    }

    pub(crate) fn has_attribute(&self, id: NodeId, name: &LocalName) -> bool {
        self.attribute(id, name).is_some()
    }

    /// An attribute that holds an address, made absolute. `None` where it is missing or no address.
    pub(crate) fn address(&self, id: NodeId, name: &LocalName) -> Option<Url> {
        self.attribute(id, name).and_then(|value| self.base.join(value.trim()).ok())
    }

    /// An address as it is shown outside of the page: absolute where the page's own is on the web; otherwise as it is
    /// written, because a file's neighbours may have moved.
    pub(crate) fn shown_address(&self, id: NodeId, name: &LocalName) -> Option<String> {
        let written = self.attribute(id, name)?.trim();
        if !self.is_on_web() {
            return (!written.is_empty()).then(|| written.to_owned());
        }
        Some(shown(written, Address::parse(&self.base, written)?.into()))
    }

    /// An attribute that holds an address, as the text of the absolute one. `None` where it is missing or no address.
    pub(crate) fn absolute(&self, id: NodeId, name: &LocalName) -> Option<Address> {
        Address::parse(&self.base, trim(self.attribute(id, name)?))
    }

    /// A link's address, and how it is shown outside of the page where that differs.
    pub(super) fn link(&self, id: NodeId) -> Option<(Address, Option<String>)> {
        let written = trim(self.attribute(id, &local_name!("href"))?);
        let absolute = Address::parse(&self.base, written)?;
        if !self.is_on_web() {
            return (!written.is_empty()).then(|| (absolute, Some(written.to_owned())));
        }
        let is_longer = absolute.as_str().len() > written.len() + MAX_ADDED_BYTES;
        Some((absolute, is_longer.then(|| written.to_owned())))
    }

    fn is_on_web(&self) -> bool {
        matches!(self.base.scheme(), "http" | "https")
    }

    /// The nodes that one filter took out and no other.
    pub(crate) fn cut_by(&self, filter: &'static str) -> impl Iterator<Item = NodeId> + '_ {
        self.removals.roots.iter().filter(move |(_, by)| *by == filter).flat_map(|&(root, _)| {
            let inside = Live::new(self, root.0 + 1, self.rows[root.index()].end);
            std::iter::once(root).chain(inside)
        })
    }

    /// The subtrees that filters took out, with the filters, in the order in which they went.
    pub(crate) fn removed_roots(&self) -> &[(NodeId, &'static str)] {
        &self.removals.roots
    }

    /// The beginning of the live text below a node that a reader sees, a space in place of white space and where words stand
    /// apart without any: that of `max_nodes` nodes, cut at `max_bytes`.
    /// There is no way to ask for all of it: nodes can be nested, and then all of it is far more than the page.
    pub(crate) fn start_of_text(&self, root: NodeId, max_nodes: usize, max_bytes: usize) -> String {
        self.start(root, max_nodes, max_bytes, false)
    }

    /// The beginning of a text as [`Page::start_of_text`] reads it, with white space as it was written: the lines of code.
    pub(crate) fn start_as_written(&self, root: NodeId, max_nodes: usize, max_bytes: usize) -> String {
        self.start(root, max_nodes, max_bytes, true)
    }

    fn start(&self, root: NodeId, max_nodes: usize, max_bytes: usize, is_as_written: bool) -> String {
        let mut out = String::new();
        let mut last = None;
        for id in self.live(root).take(max_nodes) {
            if let Some(text) = self.text(id)
                && (self.own_chars(id) > 0 || visible_chars(&text) == 0)
            {
                if self.own_chars(id) > 0 {
                    if last.is_some_and(|last| word_gaps::gap(self, last, id) != Gap::None) {
                        out.push(' ');
                    }
                    last = Some(id);
                }
                for c in text.chars() {
                    let is_space = c.is_ascii_whitespace() && !is_as_written;
                    let c = if is_space { ' ' } else { c };
                    if is_space && (out.is_empty() || out.ends_with(' ')) {
                        continue;
                    }
                    if out.len() + c.len_utf8() > max_bytes {
                        return out;
                    }
                    out.push(c);
                }
            }
        }
        out
    }

    /// The text below a node whatever it is and whether or not it was removed, such as that of `<title>`.
    pub(crate) fn raw_text(&self, root: NodeId, max_bytes: usize) -> String {
        let mut out = String::new();
        let mut steps = Steps::short(self);
        for row in root.0..self.end(root).0 {
            steps.step();
            if let Some(text) = self.text(NodeId(row)) {
                let left = max_bytes.saturating_sub(out.len()).min(text.len());
                out.push_str(&text[..text.floor_char_boundary(left)]);
            }
        }
        out
    }

    /// Visible characters of all live text below a node, white space not counted.
    pub(crate) fn chars(&self, root: NodeId) -> usize {
        self.live(root).map(|id| self.own_chars(id)).sum()
    }

    /// How much the text of a node and its descendants says ([`text_size`]): what thresholds in characters are compared
    /// with. Reads the text again, so it is asked for only where the characters alone are too few.
    pub(crate) fn size(&self, root: NodeId) -> usize {
        self.live(root).map(|id| self.own_size(id)).sum()
    }

    /// How much the node's own text says ([`text_size`]).
    pub(crate) fn own_size(&self, id: NodeId) -> usize {
        match self.text(id) {
            Some(text) if self.own_chars(id) > 0 => text_size(&text),
            _ => self.own_chars(id),
        }
    }

    /// The nearest element or text before a node below the same parent, white space aside.
    pub(crate) fn element_before(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.parent(id);
        let mut steps = Steps::short(self);
        let mut at = id;
        while at.0 > parent.0 + 1 {
            // The row before is the end of the sibling before, or of something inside it.
            let mut sibling = NodeId(at.0 - 1);
            while self.parent(sibling) != parent {
                steps.step();
                sibling = self.parent(sibling);
            }
            if self.state(sibling) != NodeState::Removed
                && !(self.kind(sibling) == NodeKind::Text && self.own_chars(sibling) == 0)
            {
                return Some(sibling);
            }
            steps.step();
            at = sibling;
        }
        None
    }

    /// The elements of one kind that tell about the page, removed or not; of other kinds than [`super::layout::is_about`] names there are
    /// none here.
    pub(crate) fn about(&self, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
        let mut steps = Steps::short(self);
        let is_wanted = move |id: &NodeId| {
            steps.step();
            self.tag(*id) == Some(tag)
        };
        self.about.iter().copied().filter(is_wanted)
    }

    /// Whether the page has such elements, or had them before they were removed: what is about none of them need not be begun.
    pub(crate) fn has_any(&self, tags: &[Tag]) -> bool {
        tags.iter().any(|&tag| self.tags[tag as usize])
    }

    /// Whether `<noscript>` was parsed as a browser with scripts does: one text node of markup.
    pub(crate) fn noscript_is_text(&self) -> bool {
        self.noscript_is_text
    }

    pub(crate) fn data(&self, id: NodeId) -> &NodeData {
        self.rows[id.index()].node.data()
    }
}

fn shown(written: &str, absolute: String) -> String {
    if absolute.len() <= written.len() + MAX_ADDED_BYTES { absolute } else { written.to_owned() }
}
