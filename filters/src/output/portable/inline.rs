//! Inline elements: written when their first text comes, and ended where a block ends, so that they stand inside of every block of
//! theirs and around none.

use html5ever::local_name;

use super::{Block, Dialect, PortableWriter, attribute_value, places::place_of_link};
use crate::html::{NodeId, tag::Tag};

/// An inline element around what is written.
pub(super) struct InlineElement {
    start: String,
    /// Its name.
    pub(super) end: &'static str,
}

impl InlineElement {
    pub(super) fn named(name: &'static str) -> InlineElement {
        InlineElement { start: format!("<{name}>"), end: name }
    }

    pub(super) fn link(address: &str) -> InlineElement {
        InlineElement { start: format!("<a href=\"{}\">", attribute_value(address)), end: "a" }
    }
}

impl PortableWriter<'_> {
    pub(super) fn inline_of(&self, id: NodeId, tag: Tag) -> Option<InlineElement> {
        let is_plain = self.dialect == Dialect::Plain;
        let name = match tag {
            Tag::A => return Some(InlineElement::link(&self.link_address(id)?)),
            Tag::B => "b",
            Tag::Strong => "strong",
            Tag::Em => "em",
            Tag::I => "i",
            Tag::Cite => "cite",
            Tag::Var => "var",
            Tag::Dfn => "dfn",
            Tag::Tt if is_plain => "tt",
            Tag::Code | Tag::Tt => "code",
            Tag::Kbd => "kbd",
            Tag::Samp => "samp",
            Tag::Sub if self.may_change_size() => "sub",
            Tag::Sup if self.may_change_size() => "sup",
            Tag::Small if self.may_change_size() => "small",
            Tag::U => "u",
            Tag::S | Tag::Strike | Tag::Del if is_plain => "strike",
            Tag::S | Tag::Strike => "s",
            Tag::Del => "del",
            Tag::Ins if !is_plain => "ins",
            Tag::Mark if is_plain => "b",
            Tag::Mark => "mark",
            _ => return None,
        };
        Some(InlineElement::named(name))
    }

    /// HTML 3.2 has no sizes in code.
    fn may_change_size(&self) -> bool {
        self.dialect != Dialect::Plain || self.block != Block::Code
    }

    /// The address of a link, where it leads to the web, to a place on the page, or to a person.
    fn link_address(&self, id: NodeId) -> Option<String> {
        if let Some(place) = place_of_link(self.page, id) {
            return self.places.contains(&place).then(|| format!("#{}", self.place_name(&place)));
        }
        let url = self.page.address(id, &local_name!("href"))?;
        match url.scheme() {
            "http" | "https" | "mailto" | "tel" => self.page_address(&url),
            _ => None,
        }
    }

    /// False where one of this name is open already: none of them means more twice, and links must not be nested.
    pub(super) fn open_inline(&mut self, element: InlineElement) -> bool {
        let is_new = self.inline.iter().all(|open| open.end != element.end);
        if is_new {
            self.inline.push(element);
        }
        is_new
    }

    pub(super) fn close_inline(&mut self) {
        let Some(element) = self.inline.pop() else { return };
        if self.inline_written > self.inline.len() {
            self.inline_written = self.inline.len();
            self.out.extend(["</", element.end, ">"]);
        }
    }

    /// Opens whatever must stand around a text, and writes the space before it.
    pub(super) fn open_text(&mut self) {
        self.open_leaf();
        if std::mem::take(&mut self.space) {
            self.out.push(' ');
        }
        self.write_marks();
        for element in &self.inline[self.inline_written..] {
            self.out.push_str(&element.start);
        }
        self.inline_written = self.inline.len();
    }

    /// Ends the inline elements of a block; those that are still open go on in the next one.
    pub(super) fn end_inline(&mut self) {
        for element in self.inline[..self.inline_written].iter().rev() {
            self.out.extend(["</", element.end, ">"]);
        }
        self.inline_written = 0;
        self.space = false;
    }
}
