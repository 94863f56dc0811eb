//! The feed that a page names in its head (HTML Standard § 4.6.7.1, `alternate`).

use std::cell::{Cell, RefCell};

use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use http::HeaderMap;
use url::Url;

use super::{charset, page};

/// The media types of feeds.
const TYPES: [&str; 4] =
    ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"];

/// The address of the first feed that a page names: where it has several, the others are those of its comments.
pub(crate) fn linked(bytes: &[u8], headers: &HeaderMap, address: &Url) -> Option<Url> {
    let text = charset::from_page(bytes, charset::declared(headers), address.host_str()).decode(bytes).0;
    let tokenizer = Tokenizer::new(FeedLinks::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(text.as_ref().into());
    // The result says whether a script interrupts; the sink runs none.
    let _ = tokenizer.feed(&input);
    let base = tokenizer.sink.base.take().and_then(|base| address.join(&base).ok());
    page(&tokenizer.sink.feed.take()?, base.as_ref().unwrap_or(address))
}

#[derive(Default)]
struct FeedLinks {
    base: RefCell<Option<String>>,
    feed: RefCell<Option<String>>,
    is_over: Cell<bool>,
}

impl TokenSink for FeedLinks {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        let value = |name: &str| tag.attrs.iter().find(|it| &*it.name.local == name).map(|it| it.value.to_string());
        if tag.kind != TagKind::StartTag || self.is_over.get() {
            return TokenSinkResult::Continue;
        }
        match &*tag.name {
            "base" if self.base.borrow().is_none() => *self.base.borrow_mut() = value("href"),
            "link" if names_feed(&tag) && self.feed.borrow().is_none() => *self.feed.borrow_mut() = value("href"),
            // What people write below an article is none of its head.
            "body" => self.is_over.set(true),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn names_feed(link: &Tag) -> bool {
    let value = |name: &str| {
        let found = link.attrs.iter().find(|it| &*it.name.local == name);
        found.map(|it| it.value.to_ascii_lowercase()).unwrap_or_default()
    };
    let kind = value("type");
    let kind = kind.split(';').next().unwrap_or_default().trim();
    value("rel").split_ascii_whitespace().any(|rel| rel == "alternate") && TYPES.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_feed_of_the_head_counts() {
        let address: Url = "https://a.example/blog/".parse().unwrap();
        for (html, wanted) in [
            ("<link rel=alternate type=application/rss+xml href=feed.xml>", Some("https://a.example/blog/feed.xml")),
            (
                "<link rel=stylesheet href=x><link REL='Alternate home' TYPE='application/atom+xml; charset=utf-8' href=/a?x&amp;y>\
                 <link rel=alternate type=application/rss+xml href=comments>",
                Some("https://a.example/a?x&y"),
            ),
            (
                "<base href=//b.example/x/><link rel=alternate type=application/feed+json href=f>",
                Some("https://b.example/x/f"),
            ),
            (
                "<!-- <link rel=alternate type=application/rss+xml href=x> --><link rel=alternate hreflang=de href=/de>",
                None,
            ),
            ("<body><p><link rel=alternate type=application/rss+xml href=x>", None),
            ("<link rel=alternate type=application/rss+xml href=javascript:x>", None),
            ("", None),
        ] {
            let found = linked(html.as_bytes(), &HeaderMap::new(), &address);
            assert_eq!(found.as_ref().map(Url::as_str), wanted, "{html}");
        }
    }
}
