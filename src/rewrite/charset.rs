//! Which characters the bytes mean, found as browsers do (WHATWG HTML § 13.2.3.2): byte order mark,
//! then the header, then the page's own first 1,024 bytes, then a guess over the whole page.

use std::cell::Cell;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED, mem::decode_latin1};
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use http::{HeaderMap, header};

/// Bytes of the page that may declare its encoding (WHATWG HTML § 4.2.5.5).
pub(super) const PRESCAN_BYTES: usize = 1024;

/// The encoding that the header names. Labels that mean nothing are ignored, as browsers do.
pub(super) fn declared(headers: &HeaderMap) -> Option<&'static Encoding> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').skip(1).find_map(|param| {
        let (name, label) = param.split_once('=')?;
        let ours = name.trim().eq_ignore_ascii_case("charset");
        ours.then(|| Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes()))?
    })
}

/// The encoding that mark, header or page declare; none means it must be guessed.
pub(super) fn sniff(start: &[u8], declared: Option<&'static Encoding>) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(start).map(|(encoding, _)| encoding);
    marked.or(declared).or_else(|| prescan(&start[..start.len().min(PRESCAN_BYTES)]))
}

/// How much of some bytes is UTF-8.
pub(super) struct Utf8Beginning {
    pub(super) length: usize,
    /// Whether what follows cannot be UTF-8, rather than a character that has not ended.
    pub(super) is_broken: bool,
}

pub(super) fn utf8_beginning(bytes: &[u8]) -> Utf8Beginning {
    match std::str::from_utf8(bytes) {
        Ok(_) => Utf8Beginning { length: bytes.len(), is_broken: false },
        Err(error) => Utf8Beginning { length: error.valid_up_to(), is_broken: error.error_len().is_some() },
    }
}

/// Guesses from the whole page. UTF-8 may be the answer: browsers refuse it there to make authors
/// declare it, and a reader gains nothing from that.
pub(super) fn detect(page: &[u8], host: Option<&str>) -> &'static Encoding {
    if !utf8_beginning(page).is_broken {
        // The detector says the same, for 350 instructions of each byte (callgrind, 2026-11-23).
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(page, true);
    let domain = host.and_then(|host| host.rsplit('.').next()).map(str::as_bytes);
    // The detector panics on anything but a lower-case ASCII label.
    let domain = domain
        .filter(|domain| !domain.is_empty() && domain.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-'));
    detector.guess(domain, Utf8Detection::Allow)
}

/// Whether text can come out: the replacement encoding stands for labels that are attacks.
pub(super) fn can_be_read(encoding: &'static Encoding) -> bool {
    encoding != REPLACEMENT
}

/// "Prescan a byte stream to determine its encoding", with the tokenizer of the parser. A tag that is cut off declares nothing.
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = xml_declaration(start);
    if declaration.is_some() {
        return declaration;
    }
    let tokenizer = Tokenizer::new(Declarations::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    // The characters of tags are ASCII in every encoding that can be declared like this.
    input.push_back(decode_latin1(start).as_ref().into());
    // No script runs, so it is never interrupted.
    let _ = tokenizer.feed(&input);
    tokenizer.sink.first.get()
}

/// The first encoding that a `meta` declares.
#[derive(Default)]
struct Declarations {
    first: Cell<Option<&'static Encoding>>,
}

impl TokenSink for Declarations {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && tag.kind == TagKind::StartTag
            && &*tag.name == "meta"
        {
            self.first.set(self.first.get().or_else(|| of_meta(&tag)));
        }
        TokenSinkResult::Continue
    }
}

/// What the attributes of a `meta` declare together.
fn of_meta(tag: &Tag) -> Option<&'static Encoding> {
    let value = |name: &str| {
        let mut attributes = tag.attrs.iter();
        let found = attributes.find(|attribute| &*attribute.name.local == name)?;
        Some(found.value.to_ascii_lowercase())
    };
    let encoding = match value("charset") {
        Some(label) => Encoding::for_label(label.as_bytes()),
        None if value("http-equiv")? == "content-type" => from_content(value("content")?.as_bytes()),
        None => None,
    };
    encoding.map(as_declared_in_page)
}

/// The declaration of an XHTML page: `<?xml version="1.0" encoding="…"?>`.
fn xml_declaration(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|byte| *byte == b'>')?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    Encoding::for_label(rest[1..].split(quote).next()?.as_bytes()).map(as_declared_in_page)
}

/// A page that can be read as ASCII so far is not UTF-16, whatever it says; and its user-defined
/// characters mean windows-1252.
fn as_declared_in_page(encoding: &'static Encoding) -> &'static Encoding {
    if [UTF_16LE, UTF_16BE].contains(&encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// "Extracting a character encoding from a meta element": `text/html; charset=…`.
fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|bytes| bytes == b"charset")?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(label) = rest.strip_prefix(b"=") {
            let label = label.trim_ascii_start();
            let label = match label.first() {
                Some(quote @ (b'"' | b'\'')) => {
                    let label = &label[1..];
                    &label[..label.iter().position(|byte| byte == quote)?]
                }
                _ => label.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next().unwrap_or_default(),
            };
            return Encoding::for_label(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, GBK, KOI8_R, SHIFT_JIS};
    use http::HeaderValue;

    use super::*;

    fn header(value: &'static str) -> Option<&'static Encoding> {
        let value = HeaderValue::from_static(value);
        declared(&HeaderMap::from_iter([(header::CONTENT_TYPE, value)]))
    }

    #[test]
    fn the_header_is_read_as_browsers_do() {
        assert_eq!(header("text/html; charset=Shift_JIS"), Some(SHIFT_JIS));
        assert_eq!(header("text/html;charset=\"utf-8\""), Some(UTF_8));
        assert_eq!(header("text/html; charset=UTF-8; utf-8"), Some(UTF_8));
        assert_eq!(header("text/html; charset=nonsense"), None);
        assert_eq!(header("text/html"), None);
    }

    #[test]
    fn the_mark_wins_over_the_header_and_the_header_over_the_page() {
        let page = b"<meta charset=euc-jp>";
        assert_eq!(sniff(b"\xef\xbb\xbf<p>", Some(GBK)), Some(UTF_8));
        assert_eq!(sniff(b"\xff\xfe<\0", Some(GBK)), Some(UTF_16LE));
        assert_eq!(sniff(page, Some(GBK)), Some(GBK));
        assert_eq!(sniff(page, None), Some(EUC_JP));
    }

    #[test]
    fn the_page_declares_in_several_ways() {
        let cases: [(&str, Option<&Encoding>); 12] = [
            ("<meta charset='koi8-r'>", Some(KOI8_R)),
            ("<META CharSet=koi8-r />", Some(KOI8_R)),
            ("<meta http-equiv=Content-Type content=\"text/html; charset=koi8-r\">", Some(KOI8_R)),
            ("<meta content='text/html; charset = \"koi8-r\"' http-equiv=content-type>", Some(KOI8_R)),
            ("<meta content='text/html; charset=koi8-r'>", None),
            ("<meta charset=utf-16>", Some(UTF_8)),
            ("<meta charset=x-user-defined>", Some(WINDOWS_1252)),
            ("<!-- <meta charset=gbk> --><meta charset=koi8-r>", Some(KOI8_R)),
            ("<!--><meta charset=koi8-r>", Some(KOI8_R)),
            ("<a title='<meta charset=gbk>'></a><meta charset=koi8-r>", Some(KOI8_R)),
            ("<?xml version='1.0' encoding='koi8-r'?>", Some(KOI8_R)),
            ("<metaphor charset=gbk>", None),
        ];
        for (page, expected) in cases {
            assert_eq!(sniff(page.as_bytes(), None), expected, "{page}");
        }
    }

    #[test]
    fn a_declaration_after_the_first_kilobyte_is_not_seen() {
        let page = format!("{}<meta charset=koi8-r>", " ".repeat(PRESCAN_BYTES));
        assert_eq!(sniff(page.as_bytes(), None), None);
    }

    #[test]
    fn cut_off_pages_declare_nothing_and_harm_nothing() {
        let page = b"<!-- x --><meta http-equiv='content-type' content='text/html; charset=gbk'>";
        for end in 0..page.len() {
            assert_eq!(sniff(&page[..end], None), None, "{end}");
        }
    }

    #[test]
    fn undeclared_pages_are_guessed() {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(5);
        let (bytes, ..) = KOI8_R.encode(&russian);
        assert_eq!(detect(&bytes, Some("www.example.ru")).name(), "KOI8-U");
        assert_eq!(detect(russian.as_bytes(), Some("xn--p1ai")), UTF_8);
        assert_eq!(detect(b"plain", Some("127.0.0.1")), UTF_8);
    }
}
