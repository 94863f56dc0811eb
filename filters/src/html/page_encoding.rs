//! Queries of a page in another encoding than UTF-8, in which we write every page: browsers encode what stands behind the `?` of
//! an address, and the fields of a form, in the encoding of the page (URL Standard, "query state"; HTML Standard, "selecting a form
//! submission encoding"). So they are encoded here, and forms name their encoding.

use encoding_rs::Encoding;
use html5ever::local_name;

use super::{NodeId, Page, tag::Tag};

/// Gives addresses and forms of a page what a browser would have made of them in this encoding.
pub(crate) fn keep_queries(page: &mut Page, encoding: &'static Encoding) {
    for id in page.live(NodeId::DOCUMENT).collect::<Vec<_>>() {
        if page.tag(id) == Some(Tag::Form) && !page.has_attribute(id, &local_name!("accept-charset")) {
            page.set_attribute(id, local_name!("accept-charset"), encoding.name().to_owned());
        }
        let mut encoded = Vec::new();
        page.each_attribute(id, |name, value| {
            let is_address = matches!(
                &**name,
                "href" | "src" | "action" | "formaction" | "poster" | "data" | "srcset" | "data-src" | "data-srcset"
            );
            if is_address && !value.is_ascii() && value.contains('?') {
                let addresses = value.split_inclusive(char::is_whitespace);
                encoded.push((name.clone(), addresses.map(|address| with_query(address, encoding)).collect()));
            }
        });
        for (name, value) in encoded {
            page.set_attribute(id, name, value);
        }
    }
}

/// An address of the web, also a relative one, with its query in this encoding.
fn with_query(address: &str, encoding: &'static Encoding) -> String {
    let (written, fragment) = address.split_at(address.find('#').unwrap_or(address.len()));
    let has_other_scheme = written.split_once(':').is_some_and(|(scheme, _)| {
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
            && !["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
    });
    let Some((path, query)) = written.split_once('?').filter(|_| !has_other_scheme) else {
        return address.to_owned();
    };
    let mut out = format!("{path}?");
    for piece in query.split_inclusive(|char: char| !char.is_ascii()) {
        let at = piece.find(|char: char| !char.is_ascii()).unwrap_or(piece.len());
        out.push_str(&piece[..at]);
        // As a browser writes what its encoding lacks: a numeric reference, with its signs encoded too.
        match encoding.encode(&piece[at..]) {
            (_, _, true) => out.extend(piece[at..].chars().map(|char| format!("%26%23{}%3B", u32::from(char)))),
            (bytes, ..) => out.extend(bytes.iter().map(|byte| format!("%{byte:02X}"))),
        }
    }
    out + fragment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, shown_of};

    #[test]
    fn queries_are_encoded_as_the_page_was() {
        let kept = |label: &str, html: &str| {
            let mut page = page(html);
            keep_queries(&mut page, Encoding::for_label(label.as_bytes()).unwrap());
            shown_of(&page)
        };
        for (label, html, wanted) in [
            ("windows-1251", "<a href=\"/мир?q=привет#мир\">x</a>", "<a href=\"/мир?q=%EF%F0%E8%E2%E5%F2#мир\">x</a>"),
            ("koi8-r", "<img src=\"a.png?мир\">", "<img src=\"a.png?%CD%C9%D2\">"),
            (
                "shift_jis",
                "<a href=\"HTTPS://x.example/?q=日&amp;p=1\">x</a>",
                "<a href=\"HTTPS://x.example/?q=%93%FA&amp;p=1\">x</a>",
            ),
            ("windows-1251", "<a href=\"?q=日\">x</a>", "<a href=\"?q=%26%2326085%3B\">x</a>"),
            (
                "windows-1251",
                "<a href=\"mailto:a@b.c?subject=мир\">x</a>",
                "<a href=\"mailto:a@b.c?subject=мир\">x</a>",
            ),
            ("windows-1251", "<img srcset=\"a?м 1x, b?р 2x\">", "<img srcset=\"a?%EC 1x, b?%F0 2x\">"),
            ("windows-1251", "<form></form>", "<form accept-charset=\"windows-1251\"></form>"),
            ("windows-1251", "<form accept-charset=\"utf-8\"></form>", "<form accept-charset=\"utf-8\"></form>"),
        ] {
            assert_eq!(kept(label, html), wanted);
        }
    }
}
