//! Writes the addresses of a rewritten page in clear, for clients that cannot speak today's TLS (`secure: plain` of a profile).
//!
//! It works on the markup that the filters have written, whatever the style, so that no address of it is missed: those of the page, of
//! the bar, and those that filters have added.

use std::sync::Arc;

use url::Url;

use crate::{
    http::headers::in_clear::{policy_in_clear, refresh_in_clear},
    net::{
        secure_hosts::SecureHosts,
        target::{Scheme, Target},
    },
};

/// Attributes that hold addresses. A page of ours has them in lower case.
const ADDRESSES: [&str; 12] = [
    "href",
    "src",
    "srcset",
    "action",
    "formaction",
    "poster",
    "background",
    "cite",
    "data",
    "lowsrc",
    "longdesc",
    "imagesrcset",
];

/// Elements whose content is no markup.
const RAW: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// A client in clear, and the hosts that are asked over TLS for it.
#[derive(Clone)]
pub(crate) struct ClearClient {
    pub(crate) hosts: Arc<SecureHosts>,
    /// Whether this response came over TLS.
    pub(crate) is_secure: bool,
}

impl ClearClient {
    /// The client of a response that comes from this target.
    pub(crate) fn new(hosts: &Arc<SecureHosts>, target: &Target) -> Self {
        Self { hosts: Arc::clone(hosts), is_secure: target.scheme == Scheme::Https }
    }

    /// The page with its addresses in clear.
    pub(super) fn page(&self, html: &str) -> String {
        let mut out = String::with_capacity(html.len());
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let name_end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |end| end + 1);
            let name = rest[1..name_end].to_ascii_lowercase();
            let end = if rest.starts_with("<!--") {
                rest.find("-->").map_or(rest.len(), |end| end + 3)
            } else if name.is_empty() {
                1
            } else {
                tag_end(rest)
            };
            let tag = &rest[..end];
            if name.is_empty() {
                out.push_str(tag);
            } else {
                self.tag(&name, tag, &mut out);
            }
            rest = &rest[end..];
            if RAW.contains(&name.as_str()) {
                let end = find_end_tag(rest, &name);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
        out.push_str(rest);
        out
    }

    /// A tag: its pieces between quotes are names and values in turn.
    fn tag(&self, element: &str, tag: &str, out: &mut String) {
        let mut name = "";
        for (number, piece) in tag.split('"').enumerate() {
            if number > 0 {
                out.push('"');
            }
            let written = (number % 2 == 1).then(|| self.value((element, tag), name, piece)).flatten();
            out.push_str(written.as_deref().unwrap_or(piece));
            name = piece.trim_end_matches('=').rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
        }
    }

    /// The value of an attribute, where it has an address that is written otherwise.
    fn value(&self, (element, tag): (&str, &str), name: &str, value: &str) -> Option<String> {
        if element == "meta" && name == "content" {
            if tag.to_ascii_lowercase().contains("\"content-security-policy\"") {
                return Some(policy_in_clear(value));
            }
            return refresh_in_clear(value, &self.hosts);
        }
        if !ADDRESSES.contains(&name) {
            return None;
        }
        if !name.ends_with("srcset") {
            return self.address(value.trim());
        }
        let each = value.split(", ").map(|each| self.address(each).unwrap_or_else(|| each.to_owned()));
        Some(each.collect::<Vec<_>>().join(", "))
    }

    fn address(&self, address: &str) -> Option<String> {
        if self.is_secure && address.starts_with("//") {
            self.hosts.learn(&Url::parse(&format!("https:{address}")).ok()?);
            return None;
        }
        self.hosts.in_clear(address)
    }
}

/// The bytes of the tag that a text begins with. The filters write values in double quotes.
fn tag_end(text: &str) -> usize {
    let mut is_quoted = false;
    let end = text.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(text.len(), |end| end + 1)
}

/// Where the content of an element ends that is no markup.
fn find_end_tag(text: &str, name: &str) -> usize {
    let mut ends = text.match_indices("</");
    let is_end = |at: usize| text.get(at + 2..at + 2 + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name));
    ends.find(|(at, _)| is_end(*at)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_in_clear_and_texts_stay() {
        let page = "<!DOCTYPE html><base href=\"https://a.example/\"><title>\"https://t.example/\" <a href=\"https://t.example/\"></title>\
            <meta http-equiv=\"refresh\" content=\"0; url=https://m.example/\"><meta name=\"d\" content=\"see https://n.example/\">\
            <meta http-equiv=\"Content-Security-Policy\" content=\"upgrade-insecure-requests; img-src *\">\
            <script>x = '<a href=\"https://s.example/\">'</script><!-- <a href=\"https://c.example/\"> \" -->\
            <a title=\"https://t.example/\" href=\"https://l.example/?a=1&amp;u=https://o.example/\" class=\"a > b\">1 < 2 &lt;a href=\"https://o.example/\"&gt;</a>\
            <img src=\"//p.example/i.png\" srcset=\"https://q.example/1,2.png 1x, //r.example/2.png 2x\" alt=\"https://t.example/\">\
            <form action=\"https://f.example/\"><input checked value=\"https://t.example/\"></form><a href=\"/x\">x</a><a href=\"";
        let wanted = page
            .replace("base href=\"https:", "base href=\"http:")
            .replace("upgrade-insecure-requests; ", "")
            .replace("https://m.", "http://m.")
            .replace("https://l.", "http://l.")
            .replace("https://q.", "http://q.")
            .replace("https://f.", "http://f.");
        let hosts = Arc::new(SecureHosts::new());
        let client = ClearClient { hosts: Arc::clone(&hosts), is_secure: true };
        assert_eq!(client.page(page), wanted);
        let known =
            |host: &&str| hosts.knows(&Target::from_authority(Scheme::Http, &format!("{host}.example")).unwrap());
        let all = ["a", "c", "f", "l", "m", "n", "o", "p", "q", "r", "s", "t"];
        assert_eq!(all.into_iter().filter(known).collect::<String>(), "aflmpqr");
        let hosts = Arc::new(SecureHosts::new());
        ClearClient { hosts: Arc::clone(&hosts), is_secure: false }.page("<img src=\"//p.example/i.png\">");
        assert!(!hosts.knows(&Target::from_authority(Scheme::Http, "p.example").unwrap()));
    }
}
