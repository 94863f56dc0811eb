//! Feeds of XML. What is not an item's link, summary or text is not looked at; where the markup breaks off, what came before
//! counts.

use std::{ops::Range, sync::Arc};

use quick_xml::{
    Reader, XmlVersion,
    escape::{escape, unescape},
    events::{BytesStart, Event},
};
use url::Url;

use super::{FeedItem, FeedKind, page};

/// The namespace of `content:encoded` (RDF Site Summary 1.0, module Content).
const CONTENT: &str = "http://purl.org/rss/1.0/modules/content/";

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

pub(super) struct XmlFeed {
    text: String,
    /// Its declaration and style sheets.
    dropped: Vec<Range<usize>>,
    /// Where the text of each item goes: what it has instead, or before its end.
    places: Vec<Range<usize>>,
    /// Before the names of Atom's elements, with its colon.
    prefix: String,
}

/// A part of an item that counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemPart {
    Link,
    Id,
    Summary,
    Text,
}

/// An item that is being read.
struct OpenItem {
    depth: usize,
    name: String,
    link: String,
    id: String,
    summary: String,
    text: String,
    place: Option<Range<usize>>,
}

/// A part of an item that is being read: its depth, where it begins and where its content begins.
struct OpenPart {
    part: ItemPart,
    depth: usize,
    start: usize,
    content: usize,
}

struct FeedWalk<'a> {
    text: &'a str,
    base: &'a Url,
    kind: Option<FeedKind>,
    prefix: String,
    depth: usize,
    item: Option<OpenItem>,
    part: Option<OpenPart>,
    items: Vec<FeedItem>,
    places: Vec<Range<usize>>,
}

pub(super) fn parse(text: String, base: &Url) -> Option<(FeedKind, XmlFeed, Vec<FeedItem>)> {
    let mut reader = Reader::from_str(&text);
    let settings = reader.config_mut();
    settings.check_end_names = false;
    settings.allow_unmatched_ends = true;
    settings.allow_dangling_amp = true;
    let mut walk = FeedWalk {
        text: &text,
        base,
        kind: None,
        prefix: String::new(),
        depth: 0,
        item: None,
        part: None,
        items: Vec::new(),
        places: Vec::new(),
    };
    let mut dropped = Vec::new();
    let mut start = 0;
    while let Ok(event) = reader.read_event() {
        let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        match event {
            Event::Eof => break,
            Event::Decl(_) => dropped.push(start..end),
            Event::PI(instruction) if instruction.target() == "xml-stylesheet" => dropped.push(start..end),
            Event::Start(element) => {
                walk.open(&element, start..end)?;
                walk.depth += 1;
            }
            Event::Empty(element) => {
                walk.open(&element, start..end)?;
                walk.close(element.name().as_ref(), end..end, true);
                // An item without content.
                if walk.item.as_ref().is_some_and(|item| item.depth == walk.depth) {
                    walk.item = None;
                }
            }
            Event::End(element) => {
                walk.depth = walk.depth.saturating_sub(1);
                walk.close(element.name().as_ref(), start..end, false);
            }
            _ => {}
        }
        start = end;
    }
    let FeedWalk { kind, prefix, items, places, .. } = walk;
    Some((kind?, XmlFeed { text, dropped, places, prefix }, items))
}

impl FeedWalk<'_> {
    /// None if the first element is not that of a feed.
    fn open(&mut self, element: &BytesStart<'_>, at: Range<usize>) -> Option<()> {
        let (name, local) = (element.name(), element.local_name());
        let (name, local): (&str, &str) = (name.as_ref(), local.as_ref());
        let Some(kind) = self.kind else {
            let kind = match local {
                "rss" => FeedKind::Rss,
                "RDF" => FeedKind::Rdf,
                "feed" => FeedKind::Atom,
                _ => return None,
            };
            if kind == FeedKind::Atom {
                name[..name.len() - local.len()].clone_into(&mut self.prefix);
            }
            self.kind = Some(kind);
            return Some(());
        };
        let is_own = name.strip_prefix(&*self.prefix) == Some(local);
        let item_name = if kind == FeedKind::Atom { "entry" } else { "item" };
        let Some(item) = &mut self.item else {
            if is_own && local == item_name {
                self.item = Some(OpenItem {
                    depth: self.depth,
                    name: name.to_owned(),
                    link: String::new(),
                    id: String::new(),
                    summary: String::new(),
                    text: String::new(),
                    place: None,
                });
            }
            return Some(());
        };
        if self.part.is_some() || self.depth != item.depth + 1 {
            return Some(());
        }
        let part = match (kind, local) {
            (FeedKind::Atom, "link") if is_own => {
                let rel = attribute(element, "rel").unwrap_or_default();
                if rel.is_empty() || rel == "alternate" {
                    let is_page = attribute(element, "type").is_none_or(|kind| kind.contains("html"));
                    if item.link.is_empty() || is_page {
                        item.link = attribute(element, "href").unwrap_or_default();
                    }
                }
                return Some(());
            }
            (FeedKind::Atom, "summary") | (FeedKind::Rss | FeedKind::Rdf, "description") if is_own => ItemPart::Summary,
            (FeedKind::Atom, "content") if is_own => ItemPart::Text,
            (FeedKind::Rss | FeedKind::Rdf, "link") if is_own => ItemPart::Link,
            (FeedKind::Rss, "guid") if is_own => {
                if attribute(element, "isPermaLink").is_some_and(|is| is == "false") {
                    return Some(());
                }
                ItemPart::Id
            }
            (FeedKind::Rss | FeedKind::Rdf, "encoded") if name == "content:encoded" => ItemPart::Text,
            _ => return Some(()),
        };
        self.part = Some(OpenPart { part, depth: self.depth, start: at.start, content: at.end });
        Some(())
    }

    fn close(&mut self, name: &str, at: Range<usize>, is_empty: bool) {
        let Some(item) = &mut self.item else { return };
        if let Some(part) = self.part.take_if(|part| part.depth == self.depth) {
            let content = if is_empty { "" } else { self.text.get(part.content..at.start).unwrap_or_default() };
            match part.part {
                ItemPart::Link => item.link = plain(content),
                ItemPart::Id => item.id = plain(content),
                ItemPart::Summary => item.summary = plain(content),
                ItemPart::Text => {
                    item.text = plain(content);
                    item.place = Some(part.start..at.end);
                }
            }
        }
        if name == item.name
            && !is_empty
            && let Some(item) = self.item.take()
        {
            self.depth = item.depth;
            self.part = None;
            let link = page(&item.link, self.base).or_else(|| page(&item.id, self.base));
            self.items.push(FeedItem::new(link, &item.summary, &item.text));
            self.places.push(item.place.unwrap_or(at.start..at.start));
        }
    }
}

impl XmlFeed {
    pub(super) fn with_texts(self, kind: FeedKind, texts: &[Option<Arc<str>>]) -> String {
        let filled = self.places.into_iter().zip(texts).filter_map(|(place, text)| {
            let text: String = text.as_ref()?.chars().filter(|c| is_allowed(*c)).collect();
            let written = if kind == FeedKind::Atom {
                let prefix = &self.prefix;
                format!("<{prefix}content type=\"html\">{}</{prefix}content>", escape(text))
            } else {
                let text = text.replace("]]>", "]]]]><![CDATA[>");
                format!("<content:encoded xmlns:content=\"{CONTENT}\"><![CDATA[{text}]]></content:encoded>")
            };
            Some((place, written))
        });
        let mut changes: Vec<_> = self.dropped.into_iter().map(|place| (place, String::new())).chain(filled).collect();
        changes.sort_by_key(|(place, _)| place.start);
        let mut out = DECLARATION.to_owned();
        let mut done = 0;
        for (place, written) in changes {
            // A style sheet within a text that was replaced went with it.
            if place.start >= done {
                out.push_str(&self.text[done..place.start]);
                out.push_str(&written);
                done = place.end;
            }
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        out
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.html_attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// The text of an element's content: without its sections of CDATA, and its entities as what they stand for. Markup in it stays.
fn plain(content: &str) -> String {
    let mut out = String::new();
    let mut rest = content;
    let unescaped = |text: &str| unescape(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned);
    while let Some((before, section)) = rest.split_once("<![CDATA[") {
        out.push_str(&unescaped(before));
        let (section, after) = section.split_once("]]>").unwrap_or((section, ""));
        out.push_str(section);
        rest = after;
    }
    out.push_str(&unescaped(rest));
    out
}

/// Characters of XML 1.0 § 2.2.
fn is_allowed(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}') || matches!(c, '\t' | '\n' | '\r')
}
