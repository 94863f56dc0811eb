//! The methods of `Page` that change it: remove, unwrap, replace, restore.

use html5ever::LocalName;

use super::{NodeId, NodeKind, NodeState, Page, RemovedLink, tag::Tag};

/// Nodes of a removed link that are read for its text. Links can be nested (in table cells, in SVG), so that all of a
/// long text would belong to each of hundreds. Raising it costs time on hostile pages.
const MAX_LINK_NODES: usize = 1000;

/// Bytes of a removed link's text, read from the page; the rest is cut off. Raising it costs memory on hostile pages.
const MAX_LINK_TEXT_BYTES: usize = 1000;

/// Bytes of all removed links that are kept, addresses and texts together: twenty times what 2,000 ordinary links take. Those after them
/// are not kept. Raising it costs memory on hostile pages.
const MAX_KEPT_LINK_BYTES: usize = 4 * 1024 * 1024;

impl Page {
    /// Takes a subtree out of the page: the only way to do so. Counts it, keeps its text links for the retainer, and
    /// refuses `html`, `head` and `body`.
    pub(crate) fn remove(&mut self, id: NodeId, filter: &'static str) {
        if self.is_skeleton(id) || self.state(id) == NodeState::Removed {
            return;
        }
        self.removals.nodes += 1;
        self.removals.chars += self.chars(id);
        if self.removals.collects_links {
            self.keep_links(id, filter);
        }
        self.removals.roots.push((id, filter));
        self.rows[id.index()].state = NodeState::Removed;
    }

    /// Removes a node without collecting its links: for advertisements.
    pub(crate) fn remove_with_links(&mut self, id: NodeId, filter: &'static str) {
        let collect = std::mem::replace(&mut self.removals.collects_links, false);
        self.remove(id, filter);
        self.removals.collects_links = collect;
    }

    /// Takes out what the look of the output has no use for: not counted, because no filter decided it.
    pub(crate) fn drop_silently(&mut self, id: NodeId) {
        if !self.is_skeleton(id) {
            self.rows[id.index()].state = NodeState::Removed;
        }
    }

    /// The state of each row as it is now, for [`Page::restore`].
    pub(crate) fn states(&self) -> Vec<NodeState> {
        self.rows.iter().map(|row| row.state).collect()
    }

    /// Brings back what was in force when the states were taken: for tools that look at a page in several states.
    pub(crate) fn restore(&mut self, states: &[NodeState]) {
        for (row, state) in self.rows.iter_mut().zip(states) {
            row.state = *state;
        }
    }

    /// Leaves the element's tags out and its children in.
    pub(crate) fn unwrap_element(&mut self, id: NodeId) {
        if !self.is_skeleton(id) && self.state(id) == NodeState::Keep {
            self.rows[id.index()].state = NodeState::Unwrapped;
        }
    }

    /// Puts an image's alternative text in its place.
    pub(crate) fn replace_by_alt(&mut self, id: NodeId) {
        if self.state(id) == NodeState::Keep {
            self.removals.nodes += 1;
            self.rows[id.index()].state = NodeState::AltText;
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
        if self.tag(id).is_some() {
            let row = &mut self.rows[id.index()];
            row.attributes = self.attributes.set(row.attributes, name, value);
            let hints = self.attributes.hints(row.attributes).hints();
            if hints != 0 {
                self.hinted.push((id, hints));
            }
        }
    }

    /// Drops the attributes for which `unwanted` is true and says how many they were.
    pub(crate) fn drop_attributes(&mut self, id: NodeId, unwanted: impl Fn(&LocalName, &str) -> bool) -> usize {
        let own = self.rows[id.index()].attributes;
        self.attributes.retain(own, |name, value| !unwanted(name, value))
    }

    /// Puts a space behind a text.
    pub(crate) fn append_space(&mut self, id: NodeId) {
        if let Some(text) = self.rows[id.index()].node.as_text() {
            text.borrow_mut().push(' ');
        }
    }

    /// Puts line breaks behind a text.
    pub(crate) fn append_lines(&mut self, id: NodeId, count: usize) {
        if let Some(text) = self.rows[id.index()].node.as_text() {
            text.borrow_mut().extend(std::iter::repeat_n('\n', count));
        }
    }

    /// Treats an element as one with another tag, in text and Markdown; markup has its own.
    pub(crate) fn retag(&mut self, id: NodeId, tag: Tag) {
        self.rows[id.index()].kind = NodeKind::Element(tag);
        self.tags[tag as usize] = true;
    }

    fn is_skeleton(&self, id: NodeId) -> bool {
        id == NodeId::DOCUMENT || Some(id) == self.html || Some(id) == self.head || Some(id) == self.body
    }

    fn keep_links(&mut self, root: NodeId, filter: &'static str) {
        let mut found = Vec::new();
        let mut bytes = self.removals.link_bytes;
        for id in self.live(root) {
            if self.tag(id) != Some(Tag::A) {
                continue;
            }
            if bytes > MAX_KEPT_LINK_BYTES {
                break;
            }
            if !self.own_or_inner_text(id) {
                continue;
            }
            let Some((address, shown)) = self.link(id) else {
                continue;
            };
            // Of a saved page, the links to its neighbours are links too.
            let scheme = address.scheme();
            let is_page = matches!(scheme, "http" | "https") || scheme == self.url.scheme();
            if is_page {
                let text = self.start_of_text(id, MAX_LINK_NODES, MAX_LINK_TEXT_BYTES);
                let text = crate::vocabulary::words::into_line(text);
                let length = address.as_str().len();
                bytes += length + shown.as_ref().map_or(length, String::len) + text.len();
                found.push(RemovedLink { node: id, filter, address, shown, text });
            }
        }
        self.removals.link_bytes = bytes;
        self.removals.links.append(&mut found);
    }

    /// Whether a reader sees text in the node, among its first nodes.
    fn own_or_inner_text(&self, id: NodeId) -> bool {
        self.live(id).take(MAX_LINK_NODES).any(|inside| self.own_chars(inside) > 0)
    }
}
