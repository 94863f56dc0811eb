//! A parsed page: kuchikiki's tree laid out as one flat table in document order, and the only methods by which a
//! filter may change it.
//!
//! Row `i` of the table is a node, rows `i + 1 .. end` are its descendants, so that a walk is a loop, a subtree is a
//! range, a measure is one pass backwards, and nothing recurses however deep the page is. Filters never touch the
//! tree: they give a node a [`NodeState`], and the serializer acts on it. What a filter has taken out is invisible to the
//! filters after it ([`Page::live`]).
//!
//! Only this module changes kuchikiki's tree and uses html5ever's tree builder; `outline`, `blocking::element` and `papers::ccb` read
//! the data of its nodes.

pub(crate) mod address;
pub(crate) mod attribute_hints;
mod attributes;
pub(crate) mod budget;
mod changing;
mod client_rendered;
mod inject_text;
mod layout;
mod live;
pub(crate) mod page_encoding;
pub(crate) mod parse;
mod reading;
mod removals;
pub(crate) mod serialize;
pub(crate) mod style_sheets;
pub(crate) mod tag;
pub(crate) mod word_gaps;

use std::{cell::OnceCell, rc::Rc};

use html5ever::local_name;
use kuchikiki::NodeRef;
use url::Url;

use crate::{
    error::PageError,
    hashing::Set,
    html::{budget::Budget, style_sheets::Sheets},
};
use attributes::{Attributes, Stretch};
use layout::{Layout, lay_out};
use parse::Parsed;
pub(crate) use removals::{Removals, RemovedLink};
use tag::Tag;

/// A row of the page's table. Document order is the order of these numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document node.
    pub(crate) const DOCUMENT: NodeId = NodeId(0);

    /// Rows are fewer than `u32::MAX`: `layout` sees to it.
    pub(crate) fn from_row(row: usize) -> NodeId {
        NodeId(u32::try_from(row).unwrap_or(u32::MAX))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Document,
    Element(Tag),
    Text,
    Comment,
    Doctype,
    ProcessingInstruction,
}

/// How the serializer writes a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    /// Written as it is.
    Keep,
    /// Left out with all its descendants.
    Removed,
    /// Its tags are left out, its children stay.
    Unwrapped,
    /// Its alternative text (`alt`) is written in its place.
    AltText,
}

struct NodeRow {
    node: NodeRef,
    parent: NodeId,
    end: u32,
    /// Text nodes: visible characters, white space not counted; 0 where the text is never shown.
    chars: u32,
    kind: NodeKind,
    state: NodeState,
    in_link: bool,
    attributes: Stretch,
}

/// Longest `<base href>` in bytes. Servers refuse addresses of more than about 8,000; the base is repeated in the absolute
/// form of every link, so a megabyte of it and 100,000 links would be 100 GB. Raising it costs time on hostile pages.
const MAX_BASE_BYTES: usize = 2048;

/// A parsed page.
pub(crate) struct Page {
    rows: Vec<NodeRow>,
    attributes: Attributes,
    url: Url,
    base: Url,
    canonical: Option<Url>,
    html: Option<NodeId>,
    head: Option<NodeId>,
    body: Option<NodeId>,
    noscript_is_text: bool,
    /// The elements that [`layout::is_about`] names, wherever they stand: an image in the head moves the rest of it into the
    /// body.
    about: Vec<NodeId>,
    /// The elements whose attributes may have what a rule looks for, with the bits of that: in document order, then those that got an
    /// attribute since.
    hinted: Vec<(NodeId, u32)>,
    /// Which tags the page had when it was laid out, by their numbers.
    tags: [bool; Tag::COUNT],
    /// What was removed.
    pub(crate) removals: Removals,
    /// Nodes behind which a space is written in markup.
    pub(crate) spaces_after: Set<NodeId>,
    /// Panels that a script showed one at a time and the names of their tabs, in the order of the page.
    pub(crate) panels: Vec<(NodeId, String)>,
    /// The page's style sheets, read when they are first needed.
    pub(crate) sheets: OnceCell<Rc<Sheets>>,
    /// The time that is left.
    pub(crate) budget: Budget,
}

impl Page {
    /// Lays the tree out as a table. `max_depth` bounds nesting exactly (the parser's own look is approximate);
    /// `scripting` is the parser's setting.
    pub(crate) fn new(mut parsed: Parsed, url: &Url, scripting: bool, max_depth: usize) -> Result<Page, PageError> {
        if !scripting {
            client_rendered::compose(&mut parsed);
        }
        let Layout { rows, about, hinted, tags } = lay_out(&parsed, scripting, max_depth)?;
        let mut page = Page {
            rows,
            attributes: parsed.attributes,
            url: url.clone(),
            base: url.clone(),
            canonical: None,
            html: None,
            head: None,
            body: None,
            noscript_is_text: scripting,
            about,
            hinted,
            tags,
            removals: Removals::default(),
            spaces_after: Set::default(),
            sheets: OnceCell::new(),
            panels: Vec::new(),
            budget: Budget::endless(),
        };
        page.html = page.child_with_tag(NodeId::DOCUMENT, Tag::Html);
        if let Some(html) = page.html {
            page.head = page.child_with_tag(html, Tag::Head);
            page.body = page.child_with_tag(html, Tag::Body);
            if page.body.is_none() && page.child_with_tag(html, Tag::Frameset).is_some() {
                return Err(PageError::Frameset);
            }
        }
        page.base = page.find_base()?.unwrap_or_else(|| url.clone());
        page.canonical = page.find_canonical();
        Ok(page)
    }

    /// The address that the page says is its own (`<link rel=canonical>`, RFC 6596).
    fn find_canonical(&self) -> Option<Url> {
        self.about(Tag::Link)
            .find(|&id| {
                self.attribute(id, &local_name!("rel")).is_some_and(|rel| rel.trim().eq_ignore_ascii_case("canonical"))
            })
            .and_then(|id| self.address(id, &local_name!("href")))
            .filter(|url| matches!(url.scheme(), "http" | "https"))
    }

    fn find_base(&self) -> Result<Option<Url>, PageError> {
        let name = local_name!("href");
        let href = self.about(Tag::Base).find_map(|id| self.attribute(id, &name));
        match href {
            Some(href) if href.len() > MAX_BASE_BYTES => Err(PageError::BaseTooLong { limit: MAX_BASE_BYTES }),
            href => Ok(href.and_then(|href| self.url.join(href.trim()).ok())),
        }
    }
}
