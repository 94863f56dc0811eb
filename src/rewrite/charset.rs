//! Which characters the bytes mean, found as browsers do (WHATWG HTML § 13.2.3.2): byte order mark,
//! then the header, then the page's own first 1,024 bytes, then a guess over the whole page.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
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
pub(super) fn sniff(
    start: &[u8],
    declared: Option<&'static Encoding>,
) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(start).map(|(encoding, _)| encoding);
    marked
        .or(declared)
        .or_else(|| prescan(&start[..start.len().min(PRESCAN_BYTES)]))
}

/// How much of some bytes is UTF-8.
pub(super) struct Utf8Beginning {
    pub(super) length: usize,
    /// Whether what follows cannot be UTF-8, rather than a character that has not ended.
    pub(super) is_broken: bool,
}

pub(super) fn utf8_beginning(bytes: &[u8]) -> Utf8Beginning {
    match std::str::from_utf8(bytes) {
        Ok(_) => Utf8Beginning {
            length: bytes.len(),
            is_broken: false,
        },
        Err(error) => Utf8Beginning {
            length: error.valid_up_to(),
            is_broken: error.error_len().is_some(),
        },
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
    let domain = host
        .and_then(|host| host.rsplit('.').next())
        .map(str::as_bytes);
    // The detector panics on anything but a lower-case ASCII label.
    let domain = domain.filter(|domain| {
        !domain.is_empty()
            && domain
                .iter()
                .all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
    });
    detector.guess(domain, Utf8Detection::Allow)
}

/// Whether text can come out: the replacement encoding stands for labels that are attacks.
pub(super) fn can_be_read(encoding: &'static Encoding) -> bool {
    encoding != REPLACEMENT
}

/// "Prescan a byte stream to determine its encoding."
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scanner {
        bytes: start,
        at: 0,
    };
    if let Some(encoding) = xml_declaration(start) {
        return Some(encoding);
    }
    while scan.at < start.len() {
        if scan.looking_at(b"<!--") {
            scan.skip_comment();
        } else if scan.looking_at_tag(b"<meta") {
            scan.at += 5;
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if scan.looking_at_any_tag() {
            scan.skip_while(|byte| !byte.is_ascii_whitespace() && byte != b'>');
            while scan.attribute().is_some() {}
        } else if [b"<!".as_slice(), b"</", b"<?"]
            .iter()
            .any(|start| scan.looking_at(start))
        {
            scan.skip_while(|byte| byte != b'>');
        }
        scan.at += 1;
    }
    None
}

/// The declaration of an XHTML page: `<?xml version="1.0" encoding="…"?>`.
fn xml_declaration(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|byte| *byte == b'>')?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\''))?;
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

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn looking_at(&self, start: &[u8]) -> bool {
        self.bytes
            .get(self.at..self.at + start.len())
            .is_some_and(|bytes| bytes.eq_ignore_ascii_case(start))
    }

    fn looking_at_tag(&self, start: &[u8]) -> bool {
        let after = self.bytes.get(self.at + start.len());
        self.looking_at(start)
            && after.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
    }

    fn looking_at_any_tag(&self) -> bool {
        let letter = |offset: usize| {
            self.bytes
                .get(self.at + offset)
                .is_some_and(u8::is_ascii_alphabetic)
        };
        self.looking_at(b"<") && (letter(1) || (self.looking_at(b"</") && letter(2)))
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&skip) {
            self.at += 1;
        }
    }

    /// Moves to the last byte of `-->`; its dashes may be those of `<!--`.
    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        let end = rest.windows(3).position(|bytes| bytes == b"-->");
        self.at = end.map_or(self.bytes.len(), |end| self.at + 2 + end + 2);
    }

    /// The attributes of a `meta`, and what they declare together.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut pragma, mut need_pragma, mut found) = (false, None, None);
        let mut seen: Vec<Vec<u8>> = Vec::new();
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => pragma |= value == b"content-type",
                b"content" if found.is_none() => {
                    if let Some(encoding) = from_content(&value) {
                        (found, need_pragma) = (Some(encoding), Some(true));
                    }
                }
                b"charset" => {
                    (found, need_pragma) = (Encoding::for_label(&value), Some(false));
                }
                _ => {}
            }
            seen.push(name);
        }
        // Cut off inside the tag: nothing is known.
        self.byte()?;
        let counts = need_pragma == Some(false) || (need_pragma == Some(true) && pragma);
        found.filter(|_| counts).map(as_declared_in_page)
    }

    /// "Get an attribute": name and value in lower case; none at the tag's end, where it stays.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip_while(|byte| byte.is_ascii_whitespace() || byte == b'/');
        if self.byte()? == b'>' {
            return None;
        }
        let start = self.at;
        // A `=` as the first character belongs to the name.
        self.at += 1;
        self.skip_while(|byte| !byte.is_ascii_whitespace() && !b"=/>".contains(&byte));
        let name = self.bytes[start..self.at].to_ascii_lowercase();
        self.skip_while(|byte| byte.is_ascii_whitespace());
        if self.byte() != Some(b'=') {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip_while(|byte| byte.is_ascii_whitespace());
        Some((name, self.value()?))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.byte().filter(|byte| b"\"'".contains(byte));
        if let Some(quote) = quote {
            self.at += 1;
            let start = self.at;
            self.skip_while(|byte| byte != quote);
            let value = self.bytes[start..self.at].to_ascii_lowercase();
            // Cut off inside the value: nothing is known.
            self.byte()?;
            self.at += 1;
            return Some(value);
        }
        let start = self.at;
        self.skip_while(|byte| !byte.is_ascii_whitespace() && byte != b'>');
        Some(self.bytes[start..self.at].to_ascii_lowercase())
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
                _ => label
                    .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
                    .next()
                    .unwrap_or_default(),
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
            (
                "<meta http-equiv=Content-Type content=\"text/html; charset=koi8-r\">",
                Some(KOI8_R),
            ),
            (
                "<meta content='text/html; charset = \"koi8-r\"' http-equiv=content-type>",
                Some(KOI8_R),
            ),
            ("<meta content='text/html; charset=koi8-r'>", None),
            ("<meta charset=utf-16>", Some(UTF_8)),
            ("<meta charset=x-user-defined>", Some(WINDOWS_1252)),
            (
                "<!-- <meta charset=gbk> --><meta charset=koi8-r>",
                Some(KOI8_R),
            ),
            ("<!--><meta charset=koi8-r>", Some(KOI8_R)),
            (
                "<a title='<meta charset=gbk>'></a><meta charset=koi8-r>",
                Some(KOI8_R),
            ),
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
