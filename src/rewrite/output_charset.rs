//! The encoding in which a page is sent: UTF-8, or that of a browser that does not know it. Characters that the
//! encoding lacks are replaced by similar ones that it has, never by `?`.

use std::borrow::Cow;

use deunicode::deunicode_char;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use http::{HeaderMap, header};

use crate::{http::headers::members, net::client_program};

/// Bytes at the beginning of a page in which it names its encoding.
const HEAD_BYTES: usize = 400;

/// The encoding for a client; `configured` is `auto`, or a name that was checked.
pub(super) fn choose(configured: &str, headers: &HeaderMap) -> &'static Encoding {
    if configured != "auto" {
        return Encoding::for_label(configured.as_bytes()).unwrap_or(UTF_8);
    }
    let names: Vec<&str> = members(headers, &header::ACCEPT_CHARSET)
        .map(|member| member.split(';').next().unwrap_or_default().trim())
        .collect();
    if names.iter().any(|name| *name == "*" || name.eq_ignore_ascii_case("utf-8")) {
        return UTF_8;
    }
    let accepted = names.iter().find_map(|name| Encoding::for_label(name.as_bytes()));
    let is_writable = |encoding: &&'static Encoding| encoding.output_encoding() == *encoding;
    let of_old_browser = || if is_before_utf_8(client_program::user_agent(headers)) { WINDOWS_1252 } else { UTF_8 };
    accepted.filter(is_writable).unwrap_or_else(of_old_browser)
}

/// Whether a browser is of a time before UTF-8 was shown well: Netscape and Internet Explorer up to version 4, Mosaic, `MacWeb`.
fn is_before_utf_8(user_agent: &str) -> bool {
    let is = |start: &str| user_agent.starts_with(start);
    let old_explorer = ["MSIE 2", "MSIE 3", "MSIE 4"].iter().any(|version| user_agent.contains(version));
    is("Mozilla/1.")
        || is("Mozilla/2.")
        || is("Mozilla/3.")
        || old_explorer
        || is("Mozilla/4.") && !user_agent.contains("compatible")
        || user_agent.contains("Mosaic")
        || user_agent.contains("MacWeb")
}

/// The page in this encoding, which it names.
pub(super) fn encode(page: String, encoding: &'static Encoding) -> Vec<u8> {
    if encoding == UTF_8 {
        return page.into_bytes();
    }
    let named = with_name(&page, encoding);
    let mut out = Vec::with_capacity(named.len());
    let mut written = [0; 4];
    for c in named.chars() {
        if c.is_ascii() {
            // Of all encodings that are written, these bytes mean the same there.
            out.push(c as u8);
            continue;
        }
        let (bytes, _, is_missing) = encoding.encode(c.encode_utf8(&mut written));
        if is_missing { out.extend(in_plain_letters(c).as_bytes()) } else { out.extend(&*bytes) }
    }
    out
}

fn with_name(page: &str, encoding: &'static Encoding) -> String {
    let end = page.floor_char_boundary(HEAD_BYTES.min(page.len()));
    let (head, rest) = page.split_at(end);
    let name = encoding.name().to_ascii_lowercase();
    let head = head.replacen("charset=utf-8", &format!("charset={name}"), 1);
    head.replacen("charset=\"utf-8\"", &format!("charset=\"{name}\""), 1) + rest
}

/// A character in ASCII, as it may stand in text and in attributes.
fn in_plain_letters(c: char) -> Cow<'static, str> {
    let plain = deunicode_char(c).unwrap_or("");
    if plain.contains(['<', '>', '&', '"', '\'']) {
        let escaped = plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        return escaped.replace('\'', "&#39;").into();
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn old_browsers_get_what_they_know() {
        for (name, value, wanted) in [
            ("accept-charset", "iso-8859-1,*,utf-8", "UTF-8"),
            ("accept-charset", "windows-1251;q=0.7", "windows-1251"),
            ("user-agent", "Mozilla/3.01 (Win95; I)", "windows-1252"),
            ("user-agent", "Mozilla/4.79 [en] (X11; U; Linux)", "windows-1252"),
            ("user-agent", "Mozilla/4.0 (compatible; MSIE 4.01; Windows 98)", "windows-1252"),
            ("user-agent", "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)", "UTF-8"),
            ("user-agent", "Mozilla/5.0 (X11)", "UTF-8"),
        ] {
            let headers =
                HeaderMap::from_iter([(name.parse::<http::HeaderName>().unwrap(), HeaderValue::from_static(value))]);
            assert_eq!(choose("auto", &headers).name(), wanted, "{value}");
        }
        assert_eq!(choose("iso-8859-5", &HeaderMap::new()).name(), "ISO-8859-5");
    }

    #[test]
    fn no_character_is_lost_and_none_becomes_markup() {
        let page = "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"><p>Größe – Москва \u{ff1c}b\u{ff1e} \u{2039}x\u{203a}</p>";
        let out = encode(page.to_owned(), WINDOWS_1252);
        let text = WINDOWS_1252.decode(&out).0.into_owned();
        assert!(text.contains("charset=windows-1252") && text.contains("Größe – Moskva"), "{text}");
        assert!(!text.contains('?') && !text.contains("<b>") && text.contains("&lt;b&gt;"), "{text}");
    }
}
