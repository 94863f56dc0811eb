//! A page written from a list of what may be written, for places where its own markup cannot go: an address of ours where all sites
//! share one origin, browsers that know HTML 3.2, and books.
//!
//! Nothing of the page's markup passes. The walk over the page knows a few kinds of blocks and inline elements, and writes its own
//! tags for them, with texts and addresses that it escapes; whatever it does not know is text, or nothing. So no script, handler, frame,
//! style or drawing can come through, and the content models of HTML 3.2 and XHTML hold by construction.

mod boxes;
mod controls;
mod inline;
pub(super) mod pages;
mod places;

use std::{collections::HashSet, fmt, mem, sync::Arc};

use html5ever::{LocalName, local_name};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Host, Url};

use self::{
    boxes::{Block, BoxKind, OpenBox},
    inline::InlineElement,
};
use super::{markdown::embedded, tidy};
use crate::{
    html::{
        NodeId, NodeState, Page,
        serialize::{escape_attribute, escape_text},
        tag::Tag,
    },
    measure,
};

/// What the web's addresses may have and those of books may not (RFC 3986 § 2).
const NOT_IN_URIS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'[')
    .add(b']');

/// Where the addresses of a page lead when it is shown elsewhere than at its own.
pub trait Addresses: fmt::Debug + Send + Sync {
    /// The address that a link to a page, or to a file, leads to.
    fn page(&self, url: &Url) -> String;
    /// The address of a picture; none where its alternative text stands in its place.
    fn picture(&self, url: &Url) -> Option<String>;
    /// Where a form is sent that asks for this address, and a hidden field that names it; none where it leads there itself.
    fn form(&self, action: &Url) -> Option<(String, (String, String))>;
    /// The address of another part of the page, where it is shown in parts.
    fn part(&self, number: usize) -> String;
}

/// Addresses of a page, where they are not its own.
pub type SharedAddresses = Arc<dyn Addresses>;

/// The markup that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// For today's browsers.
    Html,
    /// HTML 3.2 (W3C Recommendation of 14 January 1997).
    Plain,
    /// XHTML, as EPUB has it.
    Xhtml,
}

/// Writes a page.
pub(super) struct PortableWriter<'a> {
    page: &'a Page,
    dialect: Dialect,
    addresses: Option<&'a dyn Addresses>,
    out: String,
    /// What was written before the last cut.
    parts: Vec<String>,
    /// Bytes from which a part ends.
    part_bytes: usize,
    boxes: Vec<OpenBox>,
    /// The end tag of the block of text that is open.
    leaf: Option<&'static str>,
    /// The block that the next text begins.
    block: Block,
    inline: Vec<InlineElement>,
    /// How many of them are written.
    inline_written: usize,
    /// White space is to be written before the next word.
    space: bool,
    /// The places on the page that its links lead to.
    places: HashSet<String>,
    named: HashSet<String>,
    /// Whether it is said that forms do not work here.
    is_form_noted: bool,
    /// Places whose mark is still to be written.
    marks: Vec<String>,
}

/// What is done when the walk leaves an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    Over,
    Inside,
    Block,
    /// To this many boxes.
    Box(usize),
    Inline,
    Reading,
    Quotation,
    /// A space, where two words would touch.
    Gap,
}

impl<'a> PortableWriter<'a> {
    pub(super) fn new(page: &'a Page, dialect: Dialect, addresses: Option<&'a dyn Addresses>) -> Self {
        PortableWriter {
            page,
            dialect,
            addresses,
            out: String::with_capacity(16 * 1024),
            parts: Vec::new(),
            part_bytes: usize::MAX,
            boxes: Vec::new(),
            leaf: None,
            block: Block::Paragraph,
            inline: Vec::new(),
            inline_written: 0,
            space: false,
            places: places::linked(page),
            named: HashSet::new(),
            is_form_noted: false,
            marks: Vec::new(),
        }
    }

    /// Cuts the page into parts of about so many bytes.
    pub(super) fn cut_at(&mut self, bytes: Option<usize>) {
        self.part_bytes = bytes.unwrap_or(usize::MAX);
    }

    /// The parts, in their order.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.close_boxes(0);
        if !self.marks.is_empty() {
            self.open_leaf();
            self.close_leaf();
        }
        self.parts.push(self.out);
        self.parts.retain(|part| !part.is_empty());
        self.parts
    }

    // ----- what is not of the page's tree --------------------------------------------------------------------------

    pub(super) fn heading(&mut self, level: u8, text: &str) {
        self.begin(Block::Heading(level));
        self.words(text);
        self.begin(Block::Paragraph);
    }

    /// A paragraph in small type.
    pub(super) fn note(&mut self, text: &str) {
        self.begin(Block::Paragraph);
        self.open_inline(InlineElement::named("small"));
        self.words(text);
        self.close_inline();
        self.begin(Block::Paragraph);
    }

    pub(super) fn picture(&mut self, address: &str, alt: &str) {
        self.begin(Block::Paragraph);
        match Url::parse(address) {
            Ok(url) => self.image(&url, alt, None),
            Err(_) => self.words(alt),
        }
        self.begin(Block::Paragraph);
    }

    pub(super) fn rule(&mut self) {
        self.begin(Block::Paragraph);
        self.open_boxes();
        self.out.push_str(if self.dialect == Dialect::Xhtml { "<hr/>" } else { "<hr>" });
    }

    /// A link in a paragraph of its own.
    pub(super) fn link(&mut self, text: &str, address: &str) {
        self.begin(Block::Paragraph);
        self.open_inline(InlineElement::link(address));
        self.words(text);
        self.close_inline();
        self.begin(Block::Paragraph);
    }

    /// A list of links below its name.
    pub(super) fn links<'b>(&mut self, name: &str, links: impl Iterator<Item = (&'b str, String)>) {
        self.heading(2, name);
        self.boxes.push(OpenBox::new(BoxKind::List));
        for (text, address) in links {
            self.close_boxes(1);
            self.boxes.push(OpenBox::new(BoxKind::Item));
            self.open_inline(InlineElement::link(&address));
            self.words(text);
            self.close_inline();
        }
        self.close_boxes(0);
    }

    /// The address that a link to this one gets; none where a book cannot have it.
    pub(super) fn page_address(&self, url: &Url) -> Option<String> {
        let address = self.addresses.filter(|_| is_on_web(url)).map_or_else(|| url.to_string(), |it| it.page(url));
        if self.dialect == Dialect::Xhtml { uri(url, &address) } else { Some(address) }
    }

    // ----- the walk --------------------------------------------------------------------------------------------------

    /// Writes the live nodes below one that was taken out itself.
    pub(super) fn inside(&mut self, id: NodeId) {
        let page = self.page;
        let nodes = page.live_children(id).flat_map(|child| page.live(child));
        self.walk(nodes, None, None, |_| {}, |_| false);
    }

    /// Writes the live nodes of the body. `below` is called behind one of them.
    pub(super) fn body(
        &mut self,
        without: Option<NodeId>,
        after: Option<NodeId>,
        below: impl FnMut(&mut Self),
        is_ruled: impl Fn(NodeId) -> bool,
    ) {
        let page = self.page;
        self.walk(page.live(page.body()).skip(1), without, after, below, is_ruled);
    }

    fn walk(
        &mut self,
        nodes: impl Iterator<Item = NodeId>,
        without: Option<NodeId>,
        after: Option<NodeId>,
        mut below: impl FnMut(&mut Self),
        is_ruled: impl Fn(NodeId) -> bool,
    ) {
        let page = self.page;
        let mut open: Vec<(NodeId, Leave)> = Vec::new();
        let mut over = NodeId::DOCUMENT;
        let mut below_at = after.map(|after| page.end(after));
        for id in nodes {
            while let Some(&(end, leave)) = open.last()
                && id >= end
            {
                open.pop();
                self.leave(leave);
            }
            if below_at.is_some_and(|at| id >= at) {
                below_at = None;
                below(self);
            }
            if id < over {
                continue;
            }
            if without == Some(id) {
                over = page.end(id);
                continue;
            }
            if is_ruled(id) {
                self.rule();
            }
            let Some(tag) = page.tag(id) else {
                self.text_node(id);
                continue;
            };
            match page.state(id) {
                NodeState::Unwrapped | NodeState::Removed => continue,
                NodeState::AltText => {
                    let alt = page.attribute(id, &local_name!("alt")).unwrap_or_default();
                    self.words(alt);
                    over = page.end(id);
                    continue;
                }
                NodeState::Keep => {}
            }
            self.place(id, tag);
            if page.spaces_after.contains(&id) {
                open.push((page.end(id), Leave::Gap));
            }
            match self.enter(id, tag) {
                Leave::Over => over = page.end(id),
                Leave::Inside => {}
                leave => open.push((page.end(id), leave)),
            }
        }
        while let Some((_, leave)) = open.pop() {
            self.leave(leave);
        }
        if below_at.is_some() {
            below(self);
        }
        self.close_boxes(0);
    }

    fn enter(&mut self, id: NodeId, tag: Tag) -> Leave {
        match tag {
            Tag::Br => self.line_break(),
            Tag::Hr => self.rule(),
            Tag::Wbr | Tag::Rp | Tag::Svg | Tag::Noscript => {}
            Tag::Img => self.image_element(id),
            Tag::Math => self.formula(id),
            Tag::Video | Tag::Audio | Tag::Iframe | Tag::Embed | Tag::Object => self.embedded(id),
            Tag::Input | Tag::Select | Tag::Textarea | Tag::Button => return self.control(id, tag),
            Tag::Form => return self.form(id),
            _ if tag.hides_text() || tag.is_raw_text() && !tag.preserves_space() => {}
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.begin(Block::Heading(tag.heading_level().unwrap_or(6)));
                return Leave::Block;
            }
            Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext => {
                self.begin(Block::Code);
                return Leave::Block;
            }
            Tag::Rt => {
                self.words("(");
                return Leave::Reading;
            }
            Tag::Q => {
                self.words("\u{201c}");
                return Leave::Quotation;
            }
            _ => {
                if let Some(opened) = self.box_of(id, tag) {
                    return opened;
                }
                if let Some(element) = self.inline_of(id, tag) {
                    return if self.open_inline(element) { Leave::Inline } else { Leave::Inside };
                }
                if tag.is_block() {
                    self.begin(Block::Paragraph);
                    return Leave::Block;
                }
                return Leave::Inside;
            }
        }
        Leave::Over
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Over | Leave::Inside => {}
            Leave::Block => self.begin(Block::Paragraph),
            Leave::Box(count) => self.close_boxes(count),
            Leave::Inline => self.close_inline(),
            Leave::Reading => self.closing_sign(")"),
            Leave::Gap => self.space |= self.leaf.is_some(),
            Leave::Quotation => self.closing_sign("\u{201d}"),
        }
    }

    fn text_node(&mut self, id: NodeId) {
        let Some(text) = self.page.text(id) else { return };
        self.words(&text);
        self.space |= self.page.spaces_after.contains(&id) && self.leaf.is_some();
    }

    /// A text, its white space as in HTML: all of it in code, else one space between words.
    fn words(&mut self, text: &str) {
        if self.block == Block::Code {
            if !text.is_empty() && (self.leaf.is_some() || !text.trim().is_empty()) {
                let text = if self.leaf.is_none() { text.trim_start_matches(['\n', '\r']) } else { text };
                self.open_text();
                self.escaped(text);
            }
            return;
        }
        let is_space = |c: char| c.is_ascii_whitespace();
        for word in text.split_inclusive(is_space) {
            let ended = word.ends_with(is_space);
            let word = word.trim_end_matches(is_space);
            if !word.is_empty() {
                self.open_text();
                self.escaped(word);
            }
            self.space |= ended && self.leaf.is_some();
        }
    }

    fn closing_sign(&mut self, sign: &str) {
        self.space = false;
        self.words(sign);
    }

    /// Text without the characters that XML forbids (XML 1.0 § 2.2), which no page shows either.
    fn escaped(&mut self, text: &str) {
        let is_bad = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
        if text.contains(is_bad) {
            escape_text(&text.replace(is_bad, ""), &mut self.out);
        } else {
            escape_text(text, &mut self.out);
        }
    }

    fn line_break(&mut self) {
        self.space = false;
        if self.leaf.is_none() {
            return;
        }
        if self.block == Block::Code {
            self.out.push('\n');
        } else {
            self.out.push_str(if self.dialect == Dialect::Xhtml { "<br/>" } else { "<br>" });
        }
    }

    fn formula(&mut self, id: NodeId) {
        let line = measure::formula_source(self.page, id).or_else(|| measure::formula::in_a_line(self.page, id));
        self.words(&line.unwrap_or_default());
    }

    /// A film, a sound or a frame: a link to it.
    fn embedded(&mut self, id: NodeId) {
        let Some((name, address)) = embedded::link(self.page, id) else { return };
        let Ok(url) = Url::parse(&address) else { return };
        if let Some(address) = self.page_address(&url).filter(|_| is_on_web(&url)) {
            self.link(&name, &address);
        }
    }

    fn image_element(&mut self, id: NodeId) {
        let alt = self.page.attribute(id, &local_name!("alt")).unwrap_or_default();
        match self.page.address(id, &local_name!("src")) {
            Some(url) => self.image(&url, alt, Some(id)),
            None => self.words(alt),
        }
    }

    fn image(&mut self, url: &Url, alt: &str, element: Option<NodeId>) {
        let address = match url.scheme() {
            "http" | "https" => match self.addresses {
                Some(addresses) => addresses.picture(url),
                None => Some(url.to_string()),
            },
            "data" if self.dialect == Dialect::Html && is_bitmap(url) => Some(url.to_string()),
            _ => None,
        };
        let Some(address) = address.filter(|_| self.block != Block::Code || self.dialect != Dialect::Plain) else {
            return self.words(alt);
        };
        self.open_text();
        self.out.push_str("<img src=\"");
        self.attribute(&address);
        self.out.push_str("\" alt=\"");
        self.attribute(alt);
        self.out.push('"');
        for name in [local_name!("width"), local_name!("height")] {
            let size = element.and_then(|id| self.page.attribute(id, &name)?.trim().parse::<u16>().ok());
            if let Some(size) = size.filter(|size| *size > 0) {
                self.out.extend([" ", &*name, "=\"", &size.to_string(), "\""]);
            }
        }
        let mark = element.and_then(|id| self.page.attribute(id, &LocalName::from(tidy::MARK)));
        if let Some(mark) = mark.filter(|_| self.dialect == Dialect::Html) {
            self.out.extend([" ", tidy::MARK, "=\""]);
            self.attribute(mark);
            self.out.push('"');
        }
        self.out.push_str(if self.dialect == Dialect::Xhtml { "/>" } else { ">" });
    }

    fn attribute(&mut self, value: &str) {
        self.out.push_str(&attribute_value(value));
    }
}

/// A value of an attribute. HTML 3.2 has no name for a quotation mark.
fn attribute_value(value: &str) -> String {
    let is_bad = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let mut out = String::with_capacity(value.len());
    escape_attribute(&value.replace(is_bad, " "), &mut out);
    out.replace("&quot;", "&#34;")
}

/// The address of a link as RFC 3986 has it. None where its host has a label that no name on the web has, or where nothing follows the
/// scheme: that cannot be escaped.
fn uri(url: &Url, address: &str) -> Option<String> {
    let is_label = |label: &str| {
        label.starts_with(|c: char| c.is_ascii_alphanumeric())
            && label.ends_with(|c: char| c.is_ascii_alphanumeric())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let is_name = |name: &str| {
        let name = name.strip_suffix('.').unwrap_or(name);
        let last = name.rsplit('.').next().unwrap_or(name);
        last.starts_with(|c: char| c.is_ascii_alphabetic()) && name.split('.').all(is_label)
    };
    let host_end = match url.host() {
        Some(Host::Domain(name)) if !is_name(name) => return None,
        Some(Host::Ipv6(_)) => address.find(']').map_or(0, |at| at + 1),
        None if url.path().is_empty() && url.query().is_none() => return None,
        _ => 0,
    };
    let (host, rest) = address.split_at(host_end);
    let escaped = utf8_percent_encode(rest, NOT_IN_URIS).to_string();
    let mut out = host.to_owned();
    let mut has_fragment = false;
    for (at, c) in escaped.char_indices() {
        let digits = escaped.as_bytes().get(at + 1..at + 3);
        match c {
            '%' if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) => out.push_str("%25"),
            '#' if mem::replace(&mut has_fragment, true) => out.push_str("%23"),
            c => out.push(c),
        }
    }
    Some(out)
}

pub(super) fn is_on_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether an address holds a picture in a format in which nothing can run.
fn is_bitmap(url: &Url) -> bool {
    ["image/png", "image/jpeg", "image/gif", "image/webp"].iter().any(|kind| {
        let rest = url.path().strip_prefix(kind);
        rest.is_some_and(|rest| rest.starts_with([';', ',']))
    })
}

#[cfg(test)]
mod tests;
