//! Frames, pictures and plug-ins in a page's source whose address is refused: rules of a style sheet that close up their boxes. Tags
//! are read one by one, wherever they are written, because scripts have them in their texts too.

use std::{cell::Cell, collections::BTreeSet, fmt::Write as _};

use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use url::Url;

use super::Resource;

/// The tags, with the attribute that has the address, and one whose presence says that another address counts.
const TAGS: [(&str, &str, &str, Resource); 5] = [
    ("base", "href", "", Resource::Other),
    ("iframe", "src", "srcdoc", Resource::Frame),
    ("img", "src", "srcset", Resource::Image),
    ("embed", "src", "", Resource::Object),
    ("object", "data", "", Resource::Object),
];

/// Most bytes of a tag that is read.
const MOST_OF_TAG: usize = 4096;

/// Most bytes of an address that becomes a rule; what is longer is hardly the same twice.
const MOST_OF_ADDRESS: usize = 1024;

/// Most rules.
const MOST_RULES: usize = 100;

/// Most tags that are read: a page of nothing but tags that never end takes no longer.
const MOST_TAGS: usize = 2000;

/// Appends the rules, and counts them.
pub(crate) fn write_css(css: &mut String, html: &[u8], page: &Url, refuses: impl Fn(&Url, Resource) -> bool) -> usize {
    let (mut base, mut known, mut count) = (None, BTreeSet::new(), 0);
    let tag_here = |at| {
        let source = &html[at..html.len().min(at + MOST_OF_TAG)];
        TAGS.into_iter().find(|(name, ..)| begins(source, name)).map(|kind| (source, kind))
    };
    for (source, kind) in memchr::memchr_iter(b'<', html).filter_map(tag_here).take(MOST_TAGS) {
        let (name, attribute, other, resource) = kind;
        let Some(tag) = first_tag(source) else { continue };
        let value =
            |wanted: &str| tag.attrs.iter().find(|found| &*found.name.local == wanted).map(|found| &*found.value);
        // In every encoding that the page may have, ASCII means the same.
        let Some(address) = value(attribute).filter(|address| address.is_ascii() && value(other).is_none()) else {
            continue;
        };
        let Ok(url) = base.as_ref().unwrap_or(page).join(address) else { continue };
        if name == "base" {
            base.get_or_insert(url);
        } else if url.has_host() && address.len() <= MOST_OF_ADDRESS && known.insert((name, address.to_owned())) {
            if !refuses(&url, resource) {
                continue;
            }
            let _ = write!(css, "{name}[{attribute}=\"");
            for c in address.chars() {
                let is_plain = c.is_ascii_alphanumeric() || "-._~:/?=%+,;".contains(c);
                let _ = if is_plain { css.write_char(c) } else { write!(css, "\\{:x} ", u32::from(c)) };
            }
            css.push_str("\"]{display:none!important}\n");
            count += 1;
            if count == MOST_RULES {
                break;
            }
        }
    }
    count
}

/// Whether a tag with this name begins here.
fn begins(source: &[u8], name: &str) -> bool {
    let is_it = source.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
    is_it && source.get(1 + name.len()).is_some_and(|next| next.is_ascii_whitespace() || *next == b'/')
}

/// The tag at the beginning, if it ends.
fn first_tag(source: &[u8]) -> Option<Tag> {
    let tokenizer = Tokenizer::new(FirstTag::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    // Values may have the sign that ends a tag.
    for part in source.split_inclusive(|byte| *byte == b'>') {
        input.push_back(String::from_utf8_lossy(part).as_ref().into());
        let _ = tokenizer.feed(&input);
        if let Some(tag) = tokenizer.sink.0.take() {
            return Some(tag);
        }
    }
    None
}

#[derive(Default)]
struct FirstTag(Cell<Option<Tag>>);

impl TokenSink for FirstTag {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && tag.kind == TagKind::StartTag
        {
            self.0.set(Some(tag));
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn css(html: &str) -> String {
        let (mut css, page) = (String::new(), "https://news.example/a/".parse().unwrap());
        let refuses = |url: &Url, _| url.host_str() == Some("ads.example") || url.path().starts_with("/a/ad");
        let count = write_css(&mut css, html.as_bytes(), &page, refuses);
        assert_eq!(css.lines().count(), count);
        css.replace("{display:none!important}\n", ";")
    }

    #[test]
    fn refused_addresses_become_selectors_as_the_page_has_them() {
        for (html, selectors) in [
            ("<iframe src=https://ads.example/x>", "iframe[src=\"https://ads.example/x\"];"),
            ("<p><IMG alt='a>b' SRC='//ads.example/?a&amp;b=1'/>", "img[src=\"//ads.example/?a\\26 b=1\"];"),
            ("<object data='ad/x'></object><embed src=ad>", "object[data=\"ad/x\"];embed[src=\"ad\"];"),
            ("x = '<iframe src=\"//ads.example/\">'", "iframe[src=\"//ads.example/\"];"),
            ("<img src=ad><img src=ad>", "img[src=\"ad\"];"),
            ("<img src='ad\"]</style>\\\n'>", "img[src=\"ad\\22 \\5d \\3c /style\\3e \\5c \\a \"];"),
            ("<base href=/b/><img src=ad>", ""),
            ("<base href='//ads.example/'><base href=/b/><img src=x>", "img[src=\"x\"];"),
            ("<img srcset='x 2x' src=ad><iframe srcdoc src=ad></iframe>", ""),
            ("<image src=ad><imgx src=ad><img data-src=ad><img src=adé><img src='ad", ""),
            ("<iframe src=/x><img src=data:,x><img src><img", ""),
        ] {
            assert_eq!(css(html), selectors, "{html}");
        }
        let late = format!("{}<img src=ad>", "<img/>".repeat(MOST_TAGS));
        assert_eq!(css(&late), "");
        let many = (0..2 * MOST_RULES).map(|number| format!("<img src=ad{number}>")).collect::<Vec<_>>().concat();
        assert_eq!(css(&many).matches(';').count(), MOST_RULES);
        assert_eq!(css(&format!("<img src=ad{}>", "x".repeat(MOST_OF_ADDRESS))), "");
    }
}
