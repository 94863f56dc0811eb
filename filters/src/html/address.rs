//! Addresses of links, made absolute.
//!
//! Most are written as the URL Standard would write them already: `/path/page`, `https://host/path`, `#place`. For these the text is
//! put together as it stands; every other goes through the parser, which takes some 1,500 instructions. Tests compare the two.

use std::ops::Range;

use url::{Position, Url};

/// An absolute address as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    text: String,
    /// Where its host stands.
    host: Option<Range<usize>>,
}

impl Address {
    /// An address without white space around it, as it is written on a page with this base.
    pub(crate) fn parse(base: &Url, written: &str) -> Option<Address> {
        plain(base, written).or_else(|| base.join(written).ok().map(Address::from))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Up to the colon.
    pub(crate) fn scheme(&self) -> &str {
        let end = self.text.bytes().position(|byte| byte == b':');
        &self.text[..end.unwrap_or(self.text.len())]
    }

    pub(crate) fn host(&self) -> Option<&str> {
        self.host.clone().and_then(|host| self.text.get(host))
    }
}

impl From<Url> for Address {
    fn from(url: Url) -> Address {
        let host = url.host_str().map(|host| {
            let start = url[..Position::BeforeHost].len();
            start..start + host.len()
        });
        Address { text: url.into(), host }
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.text
    }
}

/// An address that needs no parser; `None` for any other, and for bases that are not on the web.
fn plain(base: &Url, written: &str) -> Option<Address> {
    if !matches!(base.scheme(), "http" | "https") {
        return None;
    }
    let root = base[..Position::BeforePath].len();
    let of_base = |end: usize| {
        // A user and a port stand beside the host.
        let host = base.host_str()?;
        let start = base[..Position::BeforeHost].len();
        let mut text = String::with_capacity(end + written.len());
        text.push_str(&base.as_str()[..end]);
        text.push_str(written);
        Some(Address { text, host: Some(start..start + host.len()) })
    };
    match written.as_bytes() {
        [b'#', ..] => is_plain_end(written).then(|| of_base(base[..Position::AfterQuery].len()))?,
        [b'/', b'/' | b'\\', ..] => None,
        [b'/', ..] => is_plain_path(written).then(|| of_base(root))?,
        [b'h', ..] => {
            let after = written.strip_prefix("https://").or_else(|| written.strip_prefix("http://"))?;
            let path_at = after.bytes().position(|byte| byte == b'/')?;
            let (host, path) = after.split_at(path_at);
            let start = written.len() - after.len();
            (is_plain_host(host) && is_plain_path(path))
                .then(|| Address { text: written.to_owned(), host: Some(start..start + path_at) })
        }
        _ => None,
    }
}

/// Names of small letters and digits, the last of letters alone: no number, nothing encoded.
fn is_plain_host(host: &str) -> bool {
    let mut last_dot = None;
    for (at, byte) in host.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => {}
            b'.' if at > 0 && last_dot != Some(at - 1) => last_dot = Some(at),
            _ => return false,
        }
    }
    let Some(dot) = last_dot else { return false };
    let last = &host[dot + 1..];
    host.len() < 64
        && last.len() >= 2
        && last.bytes().all(|byte| byte.is_ascii_lowercase())
        && memchr::memmem::find(host.as_bytes(), b"xn--").is_none()
}

/// A path with what follows it, in which nothing is encoded, and no name is `.` or `..` or may be read so.
fn is_plain_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        if PLAIN[usize::from(byte)] && byte != b'.' {
            continue;
        }
        match byte {
            b'?' | b'#' => return is_plain_end(&path[at..]),
            b'.' if at > 0 && bytes[at - 1] == b'/' => return false,
            // `%2e` is a dot.
            b'%' if bytes.get(at + 1) == Some(&b'2') => return false,
            b'.' | b'%' => {}
            _ => return false,
        }
    }
    true
}

/// A query and a fragment, or one of them.
fn is_plain_end(end: &str) -> bool {
    let mut in_fragment = false;
    end.bytes().all(|byte| match byte {
        b'#' => !std::mem::replace(&mut in_fragment, true),
        b'?' | b'%' => true,
        byte => PLAIN[usize::from(byte)],
    })
}

/// Characters that stand for themselves everywhere behind a host (WHATWG URL § 1.3).
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        plain[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'~' | b'.' | b'/' | b'=' | b'&' | b'+' | b',' | b':' | b';' | b'@' | b'!');
        byte += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::*;

    const BASES: [&str; 6] = [
        "https://example.org/",
        "https://example.org/a/b.html?c=d#e",
        "http://user:word@example.org:8080/a/?b",
        "https://[::1]/a",
        "file:///a/b.html",
        "about:blank",
    ];

    fn parsed(base: &Url, written: &str) -> Option<(String, String, Option<String>)> {
        let url = base.join(written).ok()?;
        let host = url.host_str().map(str::to_owned);
        Some((url.as_str().to_owned(), url.scheme().to_owned(), host))
    }

    fn ours(base: &Url, written: &str) -> Option<(String, String, Option<String>)> {
        let address = Address::parse(base, written)?;
        let host = address.host().map(str::to_owned);
        Some((address.as_str().to_owned(), address.scheme().to_owned(), host))
    }

    #[test]
    fn addresses_are_those_of_the_parser() {
        for base in BASES {
            let base: Url = base.parse().unwrap();
            for written in [
                "",
                "#",
                "#a",
                "#a#b",
                "#a b",
                "#a?b/../c",
                "?a",
                "/",
                "//",
                "//other.example/a",
                "/\\other.example/a",
                "/a/b-c_d~e.html?f=g&h=%20i#j",
                "/a/../b",
                "/a/./b",
                "/a/.b",
                "/a..b/c.",
                "/%2e%2E/a",
                "/%c3%a4",
                "/a\\b",
                "/a b",
                "/ä",
                "/a|b^c'd\"e`f{g}h",
                "/a?b'c",
                "/a//b",
                "/a\tb",
                "a/b",
                "https://other.example",
                "https://other.example/",
                "https://other.example?a",
                "https://Other.example/a",
                "https://other.example:443/a",
                "https://other.example:8443/a",
                "https://user@other.example/a",
                "https://1.2.3.4/a",
                "https://1.2.3/a",
                "https://0x7f.1/a",
                "https://other.1e/a",
                "https://xn--a/a",
                "https://xn--bcher-kva.example/a",
                "https://a..example/a",
                "https://.example/a",
                "https://example./a",
                "https://example/a",
                "https://a_b.example/a",
                "https://a-.-b.example/a",
                "https://ab--cd.example/a",
                "https:///other.example/a",
                "https:/a",
                "https:a",
                "http://other.example/a?b#c",
                "HTTP://other.example/a",
                "http:",
                "h",
                "mailto:a@b.example",
                "javascript:a()",
                "ftp://other.example/a",
            ] {
                let what = format!("{written} on {base}");
                assert_eq!(ours(&base, written), parsed(&base, written), "{what}");
            }
        }
    }

    #[test]
    fn addresses_of_all_signs_are_those_of_the_parser() {
        let base: Url = BASES[1].parse().unwrap();
        let signs = (1..0xffu8).map(char::from);
        for sign in signs.chain(['\u{2028}', '\u{fe0f}', '例']) {
            for written in [
                format!("/a{sign}b/c?d{sign}e#f{sign}g"),
                format!("/{sign}/a"),
                format!("/{sign}./a{sign}"),
                format!("#{sign}"),
                format!("https://a{sign}b.example/c"),
                format!("https://a.b{sign}/c"),
                format!("https://{sign}.ex/c"),
                format!("{sign}a/b"),
            ] {
                assert_eq!(ours(&base, &written), parsed(&base, &written), "{written}");
            }
        }
    }

    #[test]
    fn what_is_plain_is_not_parsed() {
        let base: Url = BASES[1].parse().unwrap();
        for written in ["/a/b.html", "https://a.example/b?c=d#e", "#f"] {
            assert!(plain(&base, written).is_some(), "{written}");
        }
        assert!(plain(&base, "/a/../b").is_none());
    }
}
