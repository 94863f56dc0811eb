//! A parsed page: kuchikiki's tree laid out as one flat table in document order, and the only doors through which a
//! filter may change it.
//!
//! Row `i` of the table is a node, rows `i + 1 .. end` are its descendants, so that a walk is a loop, a subtree is a
//! range, a measure is one pass backwards, and nothing recurses however deep the page is. Filters never touch the
//! tree: they give a node a [`Fate`], and the serializer acts on it. What a filter has taken out is invisible to the
//! filters after it ([`Page::live`]).
//!
//! Only this room knows kuchikiki and html5ever's tree builder.

mod grow;
pub(crate) mod parse;
pub(crate) mod serialize;
pub(crate) mod tag;

use std::{cell::Ref, sync::Arc};

use html5ever::{LocalName, local_name, ns};
use kuchikiki::{ExpandedName, NodeData, NodeRef};
use url::Url;

use crate::{
    dom::visible_chars, domain::Domain, error::PageError, filter::genre::Preset, metadata::Metadata,
};
use tag::Tag;

/// A row of the page's table. Document order is the order of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document node.
    pub(crate) const DOCUMENT: NodeId = NodeId(0);

    /// Rows are fewer than `u32::MAX`: [`lay_out`] sees to it.
    pub(crate) fn from_row(row: usize) -> NodeId {
        NodeId(u32::try_from(row).unwrap_or(u32::MAX))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Document,
    Element(Tag),
    Text,
    Comment,
    Doctype,
    ProcessingInstruction,
}

/// What the serializer will do with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Written as it is.
    Keep,
    /// Left out with all its descendants.
    Removed,
    /// Its tags are left out, its children stay.
    Unwrapped,
    /// Its alternative text (`alt`) is written in its place.
    AltText,
}

struct Row {
    node: NodeRef,
    parent: NodeId,
    end: u32,
    /// Text nodes: visible characters, white space not counted; 0 where the text is never shown.
    chars: u32,
    kind: Kind,
    fate: Fate,
    in_link: bool,
}

/// A text link that some filter removed, for the filter that keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemovedLink {
    /// Where it stood.
    pub(crate) node: NodeId,
    /// The filter that removed it, by its YAML name.
    pub(crate) filter: &'static str,
    pub(crate) url: Url,
    /// As it is written in the list: absolute for pages of the web.
    pub(crate) shown: String,
    pub(crate) text: String,
}

/// Links appended at the end of the page, under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkGroup {
    pub(crate) heading: &'static str,
    /// Their texts and addresses.
    pub(crate) links: Vec<(String, String)>,
}

/// What the page is about, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headline {
    pub(crate) text: String,
    /// The heading that says so, where there is one.
    pub(crate) node: Option<NodeId>,
}

/// Longest `<base href>` in bytes. Servers refuse addresses of more than about 8,000; the base is repeated in the absolute
/// form of every link, so a megabyte of it and 100,000 links would be 100 GB. Raising it costs time on hostile pages.
const MAX_BASE_BYTES: usize = 2048;

/// Bytes that a base may add to an address that is told outside of the page, for the same reason.
const MAX_ADDED_BYTES: usize = 500;

/// Nodes of a removed link that are read for its text. Links can be nested (in table cells, in SVG), so that all of a
/// long text would belong to each of hundreds. Raising it costs time on hostile pages.
const MAX_LINK_NODES: usize = 1000;

/// Bytes of a removed link's text, read from the page; the rest is cut off. Raising it costs memory on hostile pages.
const MAX_LINK_TEXT_BYTES: usize = 1000;

/// Bytes of all removed links that are kept, addresses and texts together: twenty times what 2,000 ordinary links take. Those after them
/// are not kept. Raising it costs memory on hostile pages.
const MAX_KEPT_LINK_BYTES: usize = 4 * 1024 * 1024;

/// What a filter took out; `Chain` turns it into the filter's report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removals {
    /// Subtrees, not nodes.
    pub(crate) nodes: usize,
    /// Visible characters in them.
    pub(crate) chars: usize,
}

/// A parsed page.
pub(crate) struct Page {
    rows: Vec<Row>,
    url: Url,
    base: Url,
    html: Option<NodeId>,
    head: Option<NodeId>,
    body: Option<NodeId>,
    noscript_is_text: bool,
    /// `<title>`, `<meta>`, `<link>` and `<base>`, wherever they stand: an image in the head moves the rest of it into the
    /// body.
    about: Vec<NodeId>,
    pub(crate) removals: Removals,
    pub(crate) removed_links: Vec<RemovedLink>,
    pub(crate) collect_links: bool,
    /// Bytes in `removed_links`.
    kept_link_bytes: usize,
    /// Set by the retainer, written after the page's own content.
    pub(crate) appended: Vec<LinkGroup>,
    /// The page's headline, read before any filter ran.
    pub(crate) headline: Headline,
    /// What the page says about itself, read at the same time.
    pub(crate) metadata: Metadata,
    /// Subtrees that were removed, and by which filter.
    removed_roots: Vec<(NodeId, &'static str)>,
    /// The block that `main_block` chose, if it chose one; the innermost element around the parts of a choice.
    pub(crate) main_block: Option<NodeId>,
    /// What the caller knows of other pages of the same domain.
    pub(crate) domain: Option<Arc<Domain>>,
    /// What the page's genre changes in the filters to come.
    pub(crate) preset: Option<Preset>,
}

impl Page {
    /// Lays the tree out as a table. `max_depth` bounds nesting exactly (the parser's own look is approximate);
    /// `scripting` is what the parser was told.
    pub(crate) fn new(
        document: NodeRef,
        url: &Url,
        scripting: bool,
        max_depth: usize,
    ) -> Result<Page, PageError> {
        let rows = lay_out(document, scripting, max_depth)?;
        let mut page = Page {
            rows,
            url: url.clone(),
            base: url.clone(),
            html: None,
            head: None,
            body: None,
            noscript_is_text: scripting,
            about: Vec::new(),
            removals: Removals::default(),
            removed_links: Vec::new(),
            collect_links: false,
            kept_link_bytes: 0,
            appended: Vec::new(),
            headline: Headline::default(),
            metadata: Metadata::default(),
            removed_roots: Vec::new(),
            main_block: None,
            domain: None,
            preset: None,
        };
        page.html = page.child_with_tag(NodeId::DOCUMENT, Tag::Html);
        if let Some(html) = page.html {
            page.head = page.child_with_tag(html, Tag::Head);
            page.body = page.child_with_tag(html, Tag::Body);
            if page.body.is_none() && page.child_with_tag(html, Tag::Frameset).is_some() {
                return Err(PageError::Frameset);
            }
        }
        page.about = page
            .live(NodeId::DOCUMENT)
            .filter(|&id| {
                matches!(
                    page.tag(id),
                    Some(Tag::Title | Tag::Meta | Tag::Link | Tag::Base)
                )
            })
            .collect();
        page.base = page.find_base()?.unwrap_or_else(|| url.clone());
        Ok(page)
    }

    // ----- reading ------------------------------------------------------------------------------------------------

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// What relative addresses are relative to: `<base href>` where there is one.
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

    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.rows[id.index()].kind
    }

    /// The element's tag; `None` for anything that is not an element.
    pub(crate) fn tag(&self, id: NodeId) -> Option<Tag> {
        match self.rows[id.index()].kind {
            Kind::Element(tag) => Some(tag),
            _ => None,
        }
    }

    pub(crate) fn fate(&self, id: NodeId) -> Fate {
        self.rows[id.index()].fate
    }

    /// The parent; the document is its own.
    pub(crate) fn parent(&self, id: NodeId) -> NodeId {
        self.rows[id.index()].parent
    }

    /// Parent, grandparent and so on, the document last.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = id;
        std::iter::from_fn(move || {
            (at != NodeId::DOCUMENT).then(|| {
                at = self.parent(at);
                at
            })
        })
    }

    /// Whether neither the node nor anything around it was removed.
    pub(crate) fn is_live(&self, id: NodeId) -> bool {
        self.fate(id) != Fate::Removed
            && self
                .ancestors(id)
                .all(|ancestor| self.fate(ancestor) != Fate::Removed)
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
    pub(crate) fn own_chars(&self, id: NodeId) -> usize {
        self.rows[id.index()].chars as usize
    }

    /// Whether the node is, or is inside, `<a href>`.
    pub(crate) fn in_link(&self, id: NodeId) -> bool {
        self.rows[id.index()].in_link
    }

    /// The node and its descendants in document order, without what filters have removed.
    pub(crate) fn live(&self, root: NodeId) -> Live<'_> {
        Live {
            page: self,
            next: root.0,
            end: self.rows[root.index()].end,
        }
    }

    /// Children in document order, without what filters have removed.
    pub(crate) fn live_children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.live_rows(parent.0 + 1, self.rows[parent.index()].end)
    }

    /// From row to row, over the descendants of each.
    fn live_rows(&self, mut at: u32, end: u32) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::from_fn(move || {
            while at < end {
                let id = NodeId(at);
                at = self.rows[id.index()].end;
                if self.fate(id) != Fate::Removed {
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

    fn child_with_tag(&self, parent: NodeId, tag: Tag) -> Option<NodeId> {
        self.live_children(parent)
            .find(|&child| self.tag(child) == Some(tag))
    }

    /// The text of a text node, as written in the page.
    pub(crate) fn text(&self, id: NodeId) -> Option<Ref<'_, String>> {
        self.rows[id.index()]
            .node
            .as_text()
            .map(std::cell::RefCell::borrow)
    }

    /// The value of an attribute without a namespace. Attributes are few, so a scan that compares atoms beats hashing.
    pub(crate) fn attribute(&self, id: NodeId, name: &LocalName) -> Option<Ref<'_, str>> {
        let element = self.rows[id.index()].node.as_element()?;
        Ref::filter_map(element.attributes.borrow(), |attributes| {
            attributes
                .map
                .iter()
                .find(|(key, _)| key.local == *name && key.ns == ns!())
                .map(|(_, attribute)| attribute.value.as_str())
        })
        .ok()
    }

    pub(crate) fn has_attribute(&self, id: NodeId, name: &LocalName) -> bool {
        self.attribute(id, name).is_some()
    }

    /// An attribute that holds an address, made absolute. `None` where it is missing or no address.
    pub(crate) fn address(&self, id: NodeId, name: &LocalName) -> Option<Url> {
        self.attribute(id, name)
            .and_then(|value| self.base.join(value.trim()).ok())
    }

    /// An address as it is told outside of the page: absolute where the page's own is on the web; otherwise as it is
    /// written, because a file's neighbours may have moved.
    pub(crate) fn shown_address(&self, id: NodeId, name: &LocalName) -> Option<String> {
        let written = self.attribute(id, name)?.trim().to_owned();
        if !matches!(self.base.scheme(), "http" | "https") {
            return (!written.is_empty()).then_some(written);
        }
        let absolute = self.base.join(&written).ok()?;
        let is_reasonable = absolute.as_str().len() <= written.len() + MAX_ADDED_BYTES;
        Some(if is_reasonable {
            absolute.into()
        } else {
            written
        })
    }

    /// The nodes that one filter took out and no other.
    pub(crate) fn cut_by(&self, filter: &'static str) -> impl Iterator<Item = NodeId> + '_ {
        self.removed_roots
            .iter()
            .filter(move |(_, by)| *by == filter)
            .flat_map(|&(root, _)| {
                let inside = Live {
                    page: self,
                    next: root.0 + 1,
                    end: self.rows[root.index()].end,
                };
                std::iter::once(root).chain(inside)
            })
    }

    /// The beginning of the live text below a node that a reader sees, white space as written: that of `max_nodes` nodes, cut at `max_bytes`.
    /// There is no way to ask for all of it: nodes can be nested, and then all of it is far more than the page.
    pub(crate) fn start_of_text(&self, root: NodeId, max_nodes: usize, max_bytes: usize) -> String {
        let mut out = String::new();
        for id in self.live(root).take(max_nodes) {
            if let Some(text) = self.text(id)
                && (self.own_chars(id) > 0 || visible_chars(&text) == 0)
            {
                let left = max_bytes.saturating_sub(out.len()).min(text.len());
                out.push_str(&text[..text.floor_char_boundary(left)]);
                if left < text.len() {
                    break;
                }
            }
        }
        out
    }

    /// The text below a node whatever it is and whether or not it was removed, such as that of `<title>`.
    pub(crate) fn raw_text(&self, root: NodeId, max_bytes: usize) -> String {
        let mut out = String::new();
        for row in root.0..self.end(root).0 {
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

    // ----- changing -----------------------------------------------------------------------------------------------

    /// Takes a subtree out of the page: the only way to do so. Counts it, keeps its text links for the retainer, and
    /// refuses `html`, `head` and `body`.
    pub(crate) fn remove(&mut self, id: NodeId, filter: &'static str) {
        if self.is_skeleton(id) || self.fate(id) == Fate::Removed {
            return;
        }
        self.removals.nodes += 1;
        self.removals.chars += self.chars(id);
        if self.collect_links {
            self.keep_links(id, filter);
        }
        self.removed_roots.push((id, filter));
        self.rows[id.index()].fate = Fate::Removed;
    }

    /// As [`Page::remove`], and its links are forgotten: for advertisements.
    pub(crate) fn remove_with_links(&mut self, id: NodeId, filter: &'static str) {
        let collect = std::mem::replace(&mut self.collect_links, false);
        self.remove(id, filter);
        self.collect_links = collect;
    }

    /// Takes out what the look of the output has no use for: not counted, because no filter decided it.
    pub(crate) fn drop_silently(&mut self, id: NodeId) {
        if !self.is_skeleton(id) {
            self.rows[id.index()].fate = Fate::Removed;
        }
    }

    /// Leaves the element's tags out and its children in.
    pub(crate) fn unwrap_element(&mut self, id: NodeId) {
        if !self.is_skeleton(id) && self.fate(id) == Fate::Keep {
            self.rows[id.index()].fate = Fate::Unwrapped;
        }
    }

    /// Puts an image's alternative text in its place.
    pub(crate) fn replace_by_alt(&mut self, id: NodeId) {
        if self.fate(id) == Fate::Keep {
            self.removals.nodes += 1;
            self.rows[id.index()].fate = Fate::AltText;
        }
    }

    /// Removes everything below `within` that is not in, around or below the given nodes (ascending, not nested).
    pub(crate) fn keep_only(&mut self, within: NodeId, kept: &[NodeId], filter: &'static str) {
        if kept.contains(&within) {
            return;
        }
        let mut at = within.0 + 1;
        let mut kept = kept.iter().copied().peekable();
        let end = self.rows[within.index()].end;
        while at < end {
            let id = NodeId(at);
            match kept.peek() {
                Some(&next) if next == id => {
                    at = self.rows[id.index()].end;
                    kept.next();
                }
                Some(&next) if self.contains(id, next) => at += 1,
                _ => {
                    at = self.rows[id.index()].end;
                    self.remove(id, filter);
                }
            }
        }
    }

    /// Sets an attribute, in place where the element has it already.
    pub(crate) fn set_attribute(&mut self, id: NodeId, name: LocalName, value: String) {
        if let Some(element) = self.rows[id.index()].node.as_element() {
            element.attributes.borrow_mut().insert(name, value);
        }
    }

    /// Drops the attributes for which `unwanted` is true and says how many they were.
    pub(crate) fn drop_attributes(
        &mut self,
        id: NodeId,
        unwanted: impl Fn(&LocalName, &str) -> bool,
    ) -> usize {
        let Some(element) = self.rows[id.index()].node.as_element() else {
            return 0;
        };
        let mut attributes = element.attributes.borrow_mut();
        let before = attributes.map.len();
        attributes
            .map
            .retain(|name: &ExpandedName, attribute| !unwanted(&name.local, &attribute.value));
        before - attributes.map.len()
    }

    fn is_skeleton(&self, id: NodeId) -> bool {
        id == NodeId::DOCUMENT
            || Some(id) == self.html
            || Some(id) == self.head
            || Some(id) == self.body
    }

    fn keep_links(&mut self, root: NodeId, filter: &'static str) {
        let mut found = Vec::new();
        let mut bytes = self.kept_link_bytes;
        for id in self.live(root) {
            if self.tag(id) != Some(Tag::A) {
                continue;
            }
            if bytes > MAX_KEPT_LINK_BYTES {
                break;
            }
            let Some(url) = self.address(id, &local_name!("href")) else {
                continue;
            };
            // Of a saved page, the links to its neighbours are links too.
            let is_page =
                matches!(url.scheme(), "http" | "https") || url.scheme() == self.url.scheme();
            if self.own_or_inner_text(id)
                && is_page
                && let Some(shown) = self.shown_address(id, &local_name!("href"))
            {
                let text = self.start_of_text(id, MAX_LINK_NODES, MAX_LINK_TEXT_BYTES);
                let text = crate::text::one_line(&text);
                bytes += url.as_str().len() + shown.len() + text.len();
                found.push(RemovedLink {
                    node: id,
                    filter,
                    url,
                    shown,
                    text,
                });
            }
        }
        self.kept_link_bytes = bytes;
        self.removed_links.append(&mut found);
    }

    /// Whether a reader sees text in the node, among its first nodes.
    fn own_or_inner_text(&self, id: NodeId) -> bool {
        self.live(id)
            .take(MAX_LINK_NODES)
            .any(|inside| self.own_chars(inside) > 0)
    }

    /// The nearest element or text before a node below the same parent, white space aside.
    pub(crate) fn element_before(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.parent(id);
        let mut at = id;
        while at.0 > parent.0 + 1 {
            // The row before is the end of the brother before, or of something inside it.
            let mut brother = NodeId(at.0 - 1);
            while self.parent(brother) != parent {
                brother = self.parent(brother);
            }
            if self.fate(brother) != Fate::Removed
                && !(self.kind(brother) == Kind::Text && self.own_chars(brother) == 0)
            {
                return Some(brother);
            }
            at = brother;
        }
        None
    }

    /// The elements of one kind that tell about the page, removed or not.
    pub(crate) fn about(&self, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
        let is_wanted = move |id: &NodeId| self.tag(*id) == Some(tag);
        self.about.iter().copied().filter(is_wanted)
    }

    fn find_base(&self) -> Result<Option<Url>, PageError> {
        let name = local_name!("href");
        let href = self
            .about(Tag::Base)
            .find_map(|id| self.attribute(id, &name));
        match href {
            Some(href) if href.len() > MAX_BASE_BYTES => Err(PageError::BaseTooLong {
                limit: MAX_BASE_BYTES,
            }),
            href => Ok(href.and_then(|href| self.url.join(href.trim()).ok())),
        }
    }

    /// Whether `<noscript>` was parsed as a browser with scripts does: one text node of markup.
    pub(crate) fn noscript_is_text(&self) -> bool {
        self.noscript_is_text
    }

    pub(crate) fn data(&self, id: NodeId) -> &NodeData {
        self.rows[id.index()].node.data()
    }
}

/// Nodes in document order, skipping what was removed.
pub(crate) struct Live<'a> {
    page: &'a Page,
    next: u32,
    end: u32,
}

impl Iterator for Live<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        while self.next < self.end {
            let id = NodeId(self.next);
            let row = &self.page.rows[id.index()];
            if row.fate == Fate::Removed {
                self.next = row.end;
            } else {
                self.next += 1;
                return Some(id);
            }
        }
        None
    }
}

/// One walk over the tree with an explicit stack: first children down, siblings across, ends filled in on the way up.
fn lay_out(document: NodeRef, scripting: bool, max_depth: usize) -> Result<Vec<Row>, PageError> {
    let mut rows: Vec<Row> = Vec::with_capacity(1024);
    // Ancestors of the node at hand: their row, and whether text below them is shown and linked.
    let mut open: Vec<Open> = Vec::with_capacity(64);
    let mut next = Some(document);
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
        // A formula that a script would set stands in the place of the script.
        let formula = if scripting {
            None
        } else {
            grow::formula(&node)
        };
        let (kind, chars) = describe(formula.as_ref().unwrap_or(&node), hidden);
        let tag = match kind {
            Kind::Element(tag) => Some(tag),
            _ => None,
        };
        in_link |= tag == Some(Tag::A) && is_link(&node);
        rows.push(Row {
            parent: above.map_or(NodeId::DOCUMENT, |a| a.id),
            end: id.0 + 1,
            chars,
            kind,
            fate: Fate::Keep,
            in_link,
            node: formula.clone().unwrap_or_else(|| node.clone()),
        });
        if formula.is_none()
            && let Some(child) = first_child(&node)
        {
            open.push(Open {
                id,
                hidden: hidden
                    || tag.is_some_and(Tag::hides_text)
                    || scripting && tag == Some(Tag::Noscript),
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
    Ok(rows)
}

struct Open {
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

fn describe(node: &NodeRef, hidden: bool) -> (Kind, u32) {
    match node.data() {
        NodeData::Element(element) => (Kind::Element(Tag::of(&element.name)), 0),
        NodeData::Text(text) if !hidden => (
            Kind::Text,
            u32::try_from(visible_chars(&text.borrow())).unwrap_or(u32::MAX),
        ),
        NodeData::Text(_) => (Kind::Text, 0),
        NodeData::Comment(_) => (Kind::Comment, 0),
        NodeData::ProcessingInstruction(_) => (Kind::ProcessingInstruction, 0),
        NodeData::Doctype(_) => (Kind::Doctype, 0),
        NodeData::Document(_) | NodeData::DocumentFragment => (Kind::Document, 0),
    }
}

fn is_link(node: &NodeRef) -> bool {
    node.as_element().is_some_and(|element| {
        element
            .attributes
            .borrow()
            .map
            .keys()
            .any(|name| name.local == local_name!("href"))
    })
}
