//! Writing a page's live nodes as HTML (HTML Standard § 13.3), in one pass over its table into one buffer.
//!
//! kuchikiki's own serializer recurses, loses `<template>` contents and the doctype's identifiers, and costs as much
//! as parsing. This one closes elements when the walk passes their last row.

use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use kuchikiki::NodeData;
use memchr::{memchr, memchr3};

use super::{NodeId, NodeKind, NodeState, Page, tag::Tag};
use crate::hashing::Table;

/// How a subtree is written.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// Attributes to keep; `None` keeps all.
    pub(crate) keep_attribute: Option<fn(Tag, &LocalName) -> bool>,
    /// Whether comments are written.
    pub(crate) comments: bool,
    /// Markup written directly after `<head>`.
    pub(crate) after_head_start: &'a str,
    /// Markup written directly before `</head>`.
    pub(crate) before_head_end: &'a str,
    /// Markup written directly before `</body>`.
    pub(crate) before_body_end: &'a str,
    /// Markup written directly after one element.
    pub(crate) after: Option<(NodeId, &'a str)>,
    /// An element that is left out.
    pub(crate) without: Option<NodeId>,
    /// Markup written at the beginning of nodes: inside an element, before a text and an element that shows no markup in it.
    pub(crate) inside: Option<&'a Table<NodeId, String>>,
}

impl Rules<'_> {
    /// Everything as it is in the page.
    pub(crate) const VERBATIM: Rules<'static> = Rules {
        keep_attribute: None,
        comments: true,
        after_head_start: "",
        before_head_end: "",
        before_body_end: "",
        after: None,
        without: None,
        inside: None,
    };
}

/// Writes the live nodes from `root` on.
pub(crate) fn write(page: &Page, root: NodeId, rules: Rules<'_>, out: &mut String) {
    let mut writer = HtmlWriter { page, rules, out };
    let mut open: Vec<NodeId> = Vec::with_capacity(64);
    let is_left_out = |id| rules.without.is_some_and(|without| page.contains(without, id));
    for id in page.live(root).filter(|&id| !is_left_out(id)) {
        while let Some(&top) = open.last()
            && id >= page.end(top)
        {
            open.pop();
            writer.end(top);
        }
        if writer.start(id) {
            open.push(id);
        }
    }
    while let Some(top) = open.pop() {
        writer.end(top);
    }
}

struct HtmlWriter<'a, 'b> {
    page: &'a Page,
    rules: Rules<'a>,
    out: &'b mut String,
}

impl HtmlWriter<'_, '_> {
    /// Writes a start tag or a leaf; true where an end tag is owed.
    fn start(&mut self, id: NodeId) -> bool {
        match self.page.data(id) {
            NodeData::Element(element) => {
                let Some(tag) = self.page.tag(id) else {
                    return false;
                };
                match self.page.state(id) {
                    NodeState::AltText => {
                        if let Some(alt) = self.page.attribute(id, &local_name!("alt")) {
                            escape_text(alt, self.out);
                        }
                        return false;
                    }
                    NodeState::Unwrapped | NodeState::Removed => return false,
                    NodeState::Keep => {}
                }
                if shows_no_markup(tag) {
                    self.beginning(id);
                }
                self.start_tag(&element.name, tag, self.page.attributes(id));
                if !shows_no_markup(tag) {
                    self.beginning(id);
                }
                if tag == Tag::Head {
                    self.out.push_str(self.rules.after_head_start);
                }
                !tag.is_void() || element.name.ns != ns!(html)
            }
            NodeData::Text(text) => {
                self.beginning(id);
                self.text(id, &text.borrow());
                self.space_after(id);
                false
            }
            NodeData::Comment(text) => {
                if self.rules.comments {
                    self.out.push_str("<!--");
                    self.out.push_str(&text.borrow());
                    self.out.push_str("-->");
                }
                false
            }
            NodeData::Doctype(doctype) => {
                self.doctype(doctype);
                false
            }
            NodeData::ProcessingInstruction(_) | NodeData::Document(_) | NodeData::DocumentFragment => false,
        }
    }

    fn beginning(&mut self, id: NodeId) {
        if let Some(markup) = self.rules.inside.and_then(|inside| inside.get(&id)) {
            self.out.push_str(markup);
        }
    }

    fn start_tag(&mut self, name: &QualName, tag: Tag, attributes: &[Attribute]) {
        self.out.push('<');
        self.out.push_str(written_name(tag, &name.local));
        for Attribute { name, value } in attributes {
            if self.rules.keep_attribute.is_some_and(|keep| !keep(tag, &name.local)) {
                continue;
            }
            self.out.push(' ');
            if let Some(prefix) = name.prefix.as_ref().filter(|p| !p.is_empty()) {
                self.out.push_str(prefix);
                self.out.push(':');
            }
            self.out.push_str(&name.local);
            self.out.push_str("=\"");
            escape_attribute(value, self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn end(&mut self, id: NodeId) {
        let NodeData::Element(element) = self.page.data(id) else {
            return;
        };
        match self.page.tag(id) {
            Some(Tag::Head) => self.out.push_str(self.rules.before_head_end),
            Some(Tag::Body) => self.out.push_str(self.rules.before_body_end),
            _ => {}
        }
        self.out.push_str("</");
        let name = &element.name.local;
        let written = self.page.tag(id).map_or(&**name, |tag| written_name(tag, name));
        self.out.push_str(written);
        self.out.push('>');
        self.space_after(id);
        if let Some((_, markup)) = self.rules.after.filter(|(after, _)| *after == id) {
            self.out.push_str(markup);
        }
    }

    fn space_after(&mut self, id: NodeId) {
        if self.page.spaces_after.contains(&id) {
            self.out.push(' ');
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        let parent = self.page.parent(id);
        let NodeKind::Element(tag) = self.page.kind(parent) else {
            return escape_text(text, self.out);
        };
        if tag.is_raw_text() && self.is_html(parent) {
            return self.raw_text(tag, text);
        }
        if tag == Tag::Noscript && self.page.noscript_is_text() && self.is_html(parent) {
            self.out.push_str(text);
            return;
        }
        // The parser drops one line feed after these start tags, so one that was kept needs another before it.
        if matches!(tag, Tag::Pre | Tag::Textarea | Tag::Listing) && text.starts_with('\n') && id.0 == parent.0 + 1 {
            self.out.push('\n');
        }
        escape_text(text, self.out);
    }

    /// Text that is written as it is, because references mean nothing in it. A browser may read it as markup all the same: a
    /// form inside a form is dropped when the page is parsed again, and what stood in both of them can become a part of
    /// `<math>`, where a style sheet is no raw text (Heiderich et al., *mXSS Attacks*, CCS 2013; Bentkowski, *Mutation XSS via
    /// namespace confusion*, 2020). So what would be a tag then is written so that it never is one.
    fn raw_text(&mut self, tag: Tag, text: &str) {
        match tag {
            Tag::Style => escape_style(text, self.out),
            // Shown by no browser that shows frames.
            Tag::Iframe | Tag::Noembed | Tag::Noframes if text.contains('<') => {}
            Tag::Xmp | Tag::Plaintext => {
                if text.starts_with('\n') {
                    self.out.push('\n');
                }
                escape_text(text, self.out);
            }
            _ => self.out.push_str(text),
        }
    }

    /// `<style>` inside `<svg>` is no raw text: what looks like tags in it would become tags.
    fn is_html(&self, id: NodeId) -> bool {
        matches!(self.page.data(id), NodeData::Element(element) if element.name.ns == ns!(html))
    }

    fn doctype(&mut self, doctype: &kuchikiki::Doctype) {
        self.out.push_str("<!DOCTYPE ");
        self.out.push_str(&doctype.name);
        if !doctype.public_id.is_empty() {
            self.out.push_str(" PUBLIC ");
            self.quoted(&doctype.public_id);
        } else if !doctype.system_id.is_empty() {
            self.out.push_str(" SYSTEM");
        }
        if !doctype.system_id.is_empty() {
            self.out.push(' ');
            self.quoted(&doctype.system_id);
        }
        self.out.push_str(">\n");
    }

    fn quoted(&mut self, identifier: &str) {
        // An identifier was read between quotes of one kind, so it holds at most the other kind.
        let quote = if identifier.contains('"') { '\'' } else { '"' };
        self.out.push(quote);
        self.out.push_str(identifier);
        self.out.push(quote);
    }
}

/// Whether markup in an element would not be seen: pictures, frames, fields.
fn shows_no_markup(tag: Tag) -> bool {
    tag.is_void() || tag.is_raw_text() || tag.is_media() || matches!(tag, Tag::Select | Tag::Textarea)
}

/// `<xmp>` and `<plaintext>` are preformatted text (HTML Standard § 16.2: "use `pre` and `code` instead"), and their text can be
/// escaped there.
fn written_name(tag: Tag, name: &str) -> &str {
    match tag {
        Tag::Xmp | Tag::Plaintext => "pre",
        // What was made one (`filter::lazy_images`).
        Tag::Iframe => "iframe",
        Tag::Img => "img",
        Tag::Video => "video",
        Tag::Audio => "audio",
        // What is the main part of a page that is shown within another (`chain::why`).
        Tag::Section => "section",
        _ => name,
    }
}

/// A style sheet in which nothing looks like a tag: `<svg` in an address is written as CSS escapes it (CSS Syntax § 4.3.7).
fn escape_style(css: &str, out: &mut String) {
    let mut rest = css;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let is_tag = after[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        out.push_str(if is_tag { "\\3c " } else { "<" });
        rest = &after[1..];
    }
    out.push_str(rest);
}

/// Escapes text content.
pub(crate) fn escape_text(text: &str, out: &mut String) {
    escape_markup(text, out, |text, out| out.push_str(text));
}

/// Escapes the value of an attribute that stands in double quotes.
pub(crate) fn escape_attribute(value: &str, out: &mut String) {
    escape_markup(value, out, |mut text, out| {
        while let Some(at) = memchr(b'"', text.as_bytes()) {
            out.push_str(&text[..at]);
            out.push_str("&quot;");
            text = &text[at + 1..];
        }
        out.push_str(text);
    });
}

/// Escapes what could be taken for markup, and gives the stretches between to `write`. All that is replaced is ASCII, so
/// these are character boundaries.
fn escape_markup(mut text: &str, out: &mut String, write: impl Fn(&str, &mut String)) {
    while let Some(at) = memchr3(b'&', b'<', b'>', text.as_bytes()) {
        write(&text[..at], out);
        out.push_str(match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        text = &text[at + 1..];
    }
    write(text, out);
}
