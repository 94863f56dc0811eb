//! The character encoding of a page, found as browsers do (WHATWG HTML § 13.2.3.2): byte order mark, then the header,
//! then the page's own first 1,024 bytes, then a guess over the whole page. But a page that is UTF-8 throughout is read
//! as UTF-8 although it declares another encoding: templates and saved files keep old declarations.

use std::cell::Cell;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED, mem::decode_latin1};
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use http::{HeaderMap, header};

/// Bytes of the page that may declare its encoding (WHATWG HTML § 4.2.5.5).
pub(super) const PRESCAN_BYTES: usize = 1024;

/// The encoding that `Content-Type` names. Unknown labels are ignored, as in browsers.
pub(super) fn declared(headers: &HeaderMap) -> Option<&'static Encoding> {
    let value = headers.get(header::CONTENT_TYPE)?;
    in_media_type(&value.as_bytes().to_ascii_lowercase())
}

pub(super) fn from_page(page: &[u8], declared: Option<&'static Encoding>, host: Option<&str>) -> &'static Encoding {
    match sniff(page, declared) {
        Some(encoding) if is_certain(encoding) => encoding,
        Some(encoding) if is_utf8_all_the_same(page, encoding) => UTF_8,
        Some(encoding) => encoding,
        None => detect(page, host),
    }
}

/// Whether the rest of the page cannot show another encoding than its beginning.
pub(super) fn is_certain(encoding: &'static Encoding) -> bool {
    [UTF_8, UTF_16LE, UTF_16BE, REPLACEMENT].contains(&encoding)
}

/// Whether a page that declares another encoding is UTF-8.
fn is_utf8_all_the_same(page: &[u8], declared: &'static Encoding) -> bool {
    // A few characters of two bytes may be valid UTF-8 by chance; one letter beyond ASCII, among ASCII, never is.
    let enough = if declared.is_single_byte() { 1 } else { 4 };
    utf8(page).is_some_and(|text| text.chars().filter(|c| !c.is_ascii()).nth(enough - 1).is_some())
}

/// The page as UTF-8, if it is that; its last character may be cut off.
fn utf8(page: &[u8]) -> Option<&str> {
    match std::str::from_utf8(page) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&page[..error.valid_up_to()]).ok(),
        Err(_) => None,
    }
}

/// The encoding that byte order mark, header or page declare; `None` means that it must be guessed.
pub(super) fn sniff(start: &[u8], declared: Option<&'static Encoding>) -> Option<&'static Encoding> {
    let mark = Encoding::for_bom(start).map(|(encoding, _)| encoding);
    mark.or(declared).or_else(|| prescan(&start[..start.len().min(PRESCAN_BYTES)]))
}

/// Guesses from the whole page. UTF-8 may be the answer: browsers exclude it to make authors declare it, which does not
/// help a reader.
fn detect(page: &[u8], host: Option<&str>) -> &'static Encoding {
    if utf8(page).is_some() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(page, true);
    let label = host.and_then(|host| host.rsplit('.').next()).unwrap_or_default().as_bytes();
    // The detector panics on anything but a lower-case ASCII label.
    let is_label = !label.is_empty() && label.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    detector.guess(is_label.then_some(label), Utf8Detection::Allow)
}

/// "Prescan a byte stream to determine its encoding" (WHATWG HTML), with html5ever's tokenizer.
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = xml_declaration(start) {
        return Some(encoding);
    }
    let tokenizer = Tokenizer::new(Declarations::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    // Tags are ASCII in every encoding that a page can declare.
    input.push_back(decode_latin1(start).as_ref().into());
    // The result says whether a script interrupts; the sink runs none.
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
            self.first.set(self.first.get().or_else(|| from_meta(&tag)));
        }
        TokenSinkResult::Continue
    }
}

fn from_meta(tag: &Tag) -> Option<&'static Encoding> {
    let value = |name: &str| {
        let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
        Some(found.value.to_ascii_lowercase())
    };
    let encoding = match value("charset") {
        Some(label) => Encoding::for_label(label.as_bytes()),
        None if value("http-equiv")? == "content-type" => in_media_type(value("content")?.as_bytes()),
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
    let label = rest.trim_start().strip_prefix('=')?.split(['"', '\'']).nth(1)?;
    Encoding::for_label(label.as_bytes()).map(as_declared_in_page)
}

/// A declaration that was read as ASCII is not in UTF-16, whatever it says; and "user-defined" means windows-1252.
fn as_declared_in_page(encoding: &'static Encoding) -> &'static Encoding {
    if [UTF_16LE, UTF_16BE].contains(&encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// "Extracting a character encoding from a meta element" (WHATWG HTML): the `charset` of a media type in lower case.
fn in_media_type(mut rest: &[u8]) -> Option<&'static Encoding> {
    loop {
        let at = rest.windows(7).position(|bytes| bytes == b"charset")?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(label) = rest.strip_prefix(b"=") {
            let label = label.trim_ascii_start();
            let label = match label.first()? {
                quote @ (b'"' | b'\'') => label[1..].split(|byte| byte == quote).next(),
                _ => label.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next(),
            };
            return Encoding::for_label(label?);
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, KOI8_R};

    use super::*;

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
    fn a_declaration_that_is_cut_off_or_after_the_first_kilobyte_is_not_seen() {
        let page = b"<!-- x --><meta http-equiv='content-type' content='text/html; charset=gbk'>";
        for end in 0..page.len() {
            assert_eq!(sniff(&page[..end], None), None, "{end}");
        }
        let page = [&[b' '; PRESCAN_BYTES][..], page].concat();
        assert_eq!(sniff(&page, None), None);
    }

    #[test]
    fn a_few_characters_that_look_like_utf_8_do_not_outweigh_the_declaration() {
        let page = |bytes: &[u8]| [b"<meta charset=gb2312><p>", bytes].concat();
        // Two characters of GB 2312, and two of UTF-8.
        assert_eq!(from_page(&page(b"\xc4\xa3\xca\xbd"), None, None), GBK);
        assert_eq!(from_page(&page("海峡上的桥".as_bytes()), None, None), UTF_8);
        assert_eq!(from_page(&page(b"plain"), None, None), GBK);
        assert_eq!(from_page(b"<meta charset=iso-8859-1>\xe9", None, None), WINDOWS_1252);
        assert_eq!(from_page("<meta charset=iso-8859-1>é".as_bytes(), None, None), UTF_8);
    }
}
