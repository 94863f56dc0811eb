//! Puts the text of their pages into the items of feeds: RSS, RDF (RSS 1.0), Atom (RFC 4287) and JSON Feed 1.1.
//!
//! A feed of XML stays as it was written: the text alone is put into an item, so that its id, its dates and whatever else it has
//! remain. Its declaration names the encoding in which it is sent, and style sheets go, because they could write a page.

mod json;
mod link;
mod xml;

use std::sync::Arc;

use http::HeaderMap;
use url::Url;

pub(crate) use self::link::linked;
use super::charset;

/// Characters from which a summary is taken for a whole text.
const LONG_SUMMARY: usize = 2000;

/// Characters below which what an item has as its text is taken for a summary.
const SHORT_TEXT: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeedKind {
    Rss,
    Rdf,
    Atom,
    Json,
}

pub(crate) struct Feed {
    pub(crate) kind: FeedKind,
    pub(crate) items: Vec<FeedItem>,
    source: FeedSource,
}

enum FeedSource {
    Xml(xml::XmlFeed),
    Json(serde_json::Value),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FeedItem {
    /// The page that it leads to.
    pub(crate) page: Option<Url>,
    /// Characters that a reader of the feed sees of it.
    pub(crate) chars: usize,
    /// Whether it has its whole text by itself.
    pub(crate) is_whole: bool,
}

impl FeedKind {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Rdf => "application/rdf+xml; charset=utf-8",
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Json => "application/feed+json",
        }
    }
}

impl Feed {
    /// None if it is no feed. `base` is its address.
    pub(crate) fn parse(bytes: &[u8], headers: &HeaderMap, base: &Url) -> Option<Self> {
        let encoding = charset::from_page(bytes, charset::declared(headers), base.host_str());
        let text = encoding.decode(bytes).0;
        if text.trim_start().starts_with('{') {
            let (feed, items) = json::parse(&text, base)?;
            return Some(Self { kind: FeedKind::Json, items, source: FeedSource::Json(feed) });
        }
        let (kind, feed, items) = xml::parse(text.into_owned(), base)?;
        Some(Self { kind, items, source: FeedSource::Xml(feed) })
    }

    /// The feed with these texts, HTML, for its items.
    pub(crate) fn with_texts(self, texts: &[Option<Arc<str>>]) -> String {
        match self.source {
            FeedSource::Xml(feed) => feed.with_texts(self.kind, texts),
            FeedSource::Json(feed) => json::with_texts(feed, texts),
        }
    }
}

impl FeedItem {
    /// `summary` and `text` are HTML as the feed has it.
    fn new(page: Option<Url>, summary: &str, text: &str) -> Self {
        let (summary, text) = (SeenText::from_html(summary), SeenText::from_html(text));
        let is_whole = !text.is_cut && text.chars >= SHORT_TEXT || !summary.is_cut && summary.chars >= LONG_SUMMARY;
        Self { page, chars: summary.chars.max(text.chars), is_whole }
    }
}

/// What a reader sees of a piece of HTML, roughly.
struct SeenText {
    chars: usize,
    /// Whether its end says that there is more.
    is_cut: bool,
}

impl SeenText {
    fn from_html(html: &str) -> Self {
        const END: usize = 60;
        const MARKS: [&str; 8] =
            ["…", "...", "&hellip;", "&#8230;", "read more", "continue reading", "weiterlesen", "lire la suite"];
        let (mut in_tag, mut is_space) = (false, true);
        let mut seen = String::new();
        let mut chars = 0;
        for c in html.chars() {
            match c {
                '<' => in_tag = true,
                '>' => in_tag = false,
                _ if in_tag => {}
                c if c.is_whitespace() => {
                    if !is_space {
                        seen.push(' ');
                    }
                    is_space = true;
                }
                c => {
                    (chars, is_space) = (chars + 1, false);
                    seen.extend(c.to_lowercase());
                }
            }
        }
        // WordPress writes "The post … appeared first on …" below.
        let seen = seen
            .rsplit_once("the post ")
            .filter(|(_, end)| end.contains("appeared first on"))
            .map_or(&*seen, |(seen, _)| seen);
        let end = seen.trim_end_matches(|c: char| c.is_whitespace() || "]→»›>)".contains(c));
        let from = end.char_indices().rev().nth(END).map_or(0, |(at, _)| at);
        Self { chars, is_cut: MARKS.iter().any(|mark| end[from..].ends_with(mark)) }
    }
}

/// Characters that a reader sees of a piece of HTML.
pub(crate) fn seen_chars(html: &str) -> usize {
    SeenText::from_html(html).chars
}

/// The content of a chapter without its headline, which an item has as its title.
pub(crate) fn fragment(chapter: &str) -> &str {
    let body = chapter.split_once("<body>").map_or(chapter, |(_, body)| body);
    let body = body.rsplit_once("</body>").map_or(body, |(body, _)| body).trim();
    match body.strip_prefix("<h1>").and_then(|rest| rest.split_once("</h1>")) {
        Some((_, rest)) => rest.trim(),
        None => body,
    }
}

/// An address of a page in a feed.
fn page(address: &str, base: &Url) -> Option<Url> {
    let address = address.trim();
    let url = base.join(address).ok().filter(|_| !address.is_empty())?;
    ["http", "https"].contains(&url.scheme()).then_some(url)
}

#[cfg(test)]
mod tests;
