//! Places on the page that its own links lead to: each is marked where it stands, and once.

use std::collections::HashSet;

use html5ever::local_name;
use percent_encoding::percent_decode_str;

use super::{Dialect, PortableWriter};
use crate::html::{NodeId, NodeState, Page, tag::Tag};

impl PortableWriter<'_> {
    /// Notes the place that an element is, where a link leads to it.
    pub(super) fn place(&mut self, id: NodeId, tag: Tag) {
        let named = || self.page.attribute(id, &local_name!("name")).filter(|_| tag == Tag::A);
        let Some(name) = self.page.attribute(id, &local_name!("id")).or_else(named) else { return };
        let is_wanted = self.places.contains(name) || tag.is_heading() && self.dialect == Dialect::Html;
        if is_wanted && !name.is_empty() && self.named.insert(name.to_owned()) {
            self.marks.push(name.to_owned());
        }
    }

    /// The name of a place in this dialect: names of XML begin with a letter, and EPUB wants each once.
    pub(super) fn place_name(&self, name: &str) -> String {
        if self.dialect != Dialect::Xhtml {
            return name.to_owned();
        }
        name.bytes().fold("at".to_owned(), |out, byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => out + char::from(byte).encode_utf8(&mut [0]),
            _ => format!("{out}_{byte:x}"),
        })
    }

    pub(super) fn write_marks(&mut self) {
        // A link holds no other.
        if self.marks.is_empty() || self.inline.iter().any(|element| element.end == "a") {
            return;
        }
        for name in std::mem::take(&mut self.marks) {
            let name = self.place_name(&name);
            let (start, end) = match self.dialect {
                Dialect::Plain => ("<a name=\"", "\"></a>"),
                Dialect::Html | Dialect::Xhtml => ("<span id=\"", "\"></span>"),
            };
            self.out.push_str(start);
            self.attribute(&name);
            self.out.push_str(end);
        }
    }
}

/// The places on the page that its links lead to, and that are there.
pub(super) fn linked(page: &Page) -> HashSet<String> {
    let wanted: HashSet<String> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::A))
        .filter_map(|id| place_of_link(page, id))
        .collect();
    if wanted.is_empty() {
        return wanted;
    }
    let names = [local_name!("id"), local_name!("name")];
    let mut there = HashSet::new();
    for id in page.live(page.body()).filter(|&id| page.state(id) == NodeState::Keep) {
        let found = names.iter().filter_map(|name| page.attribute(id, name)).filter(|name| wanted.contains(*name));
        there.extend(found.map(str::to_owned));
    }
    there
}

/// The place on its own page that a link leads to.
pub(super) fn place_of_link(page: &Page, id: NodeId) -> Option<String> {
    let written = page.attribute(id, &local_name!("href"))?.trim();
    let (before, place) = written.split_once('#')?;
    let is_here = || {
        let url = page.address(id, &local_name!("href"))?;
        let end = url::Position::AfterQuery;
        Some(url[..end] == page.url()[..end])
    };
    let is_here = before.is_empty() || is_here() == Some(true);
    (is_here && !place.is_empty()).then(|| percent_decode_str(place).decode_utf8_lossy().into_owned())
}
