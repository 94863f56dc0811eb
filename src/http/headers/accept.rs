//! `Accept` and `Accept-Encoding`: what a client prefers.

use http::{HeaderMap, HeaderValue, header};

use super::members;
use crate::http::headers::Coding;

/// The media types of HTML.
const HTML: [&str; 2] = ["text/html", "application/xhtml+xml"];

const MARKDOWN: &str = "text/markdown";

/// Narrows `Accept-Encoding` to the codings that can be decoded, with the client's own weights; `identity` where none is left.
pub(crate) fn narrow_codings(headers: &mut HeaderMap) {
    let is_decoded = |member: &&str| {
        let name = split_weight(member).0;
        Coding::parse(name).is_some() || name.eq_ignore_ascii_case("identity")
    };
    if members(headers, &header::ACCEPT_ENCODING).all(|member| is_decoded(&member)) {
        return;
    }
    let kept: Vec<&str> = members(headers, &header::ACCEPT_ENCODING).filter(is_decoded).collect();
    let value = if kept.is_empty() { "identity".to_owned() } else { kept.join(", ") };
    if let Ok(value) = HeaderValue::from_str(&value) {
        headers.insert(header::ACCEPT_ENCODING, value);
    }
}

/// Takes these media types out of `Accept`; what is left is at least everything else.
pub(crate) fn drop_media(headers: &mut HeaderMap, media: &[&str]) {
    let is_dropped = |member: &&str| media.iter().any(|name| split_weight(member).0.eq_ignore_ascii_case(name));
    if !members(headers, &header::ACCEPT).any(|member| is_dropped(&member)) {
        return;
    }
    let kept: Vec<&str> = members(headers, &header::ACCEPT).filter(|member| !is_dropped(member)).collect();
    let value = if kept.is_empty() { "*/*".to_owned() } else { kept.join(", ") };
    if let Ok(value) = HeaderValue::from_str(&value) {
        headers.insert(header::ACCEPT, value);
    }
}

/// The coding for a client: the one with the highest weight, and of equals the fastest.
pub(crate) fn choose_coding(headers: &HeaderMap) -> Option<Coding> {
    /// A rewritten page is made once, for one reader in the same network: zstd takes a seventh of brotli's time and makes it
    /// 5 % longer (2026-11-22, docs/performance.md), and brotli's encoder is 1.4 MB of the program. deflate is left out, because
    /// clients disagree on what it is (RFC 9110 § 8.4.1.2).
    const OFFERED: [Coding; 2] = [Coding::Zstd, Coding::Gzip];
    let accepted: Vec<_> = members(headers, &header::ACCEPT_ENCODING).map(split_weight).collect();
    let mut best = (None, 0.0);
    for offered in OFFERED {
        let named = accepted.iter().find(|(name, _)| Coding::parse(name) == Some(offered));
        // `*` stands for gzip only: clients name newer codings.
        let any = || accepted.iter().find(|(name, _)| *name == "*" && offered == Coding::Gzip);
        let weight = named.or_else(any).map_or(0.0, |(_, weight)| *weight);
        if weight > best.1 {
            best = (Some(offered), weight);
        }
    }
    best.0
}

/// Whether a client names Markdown, with whatever weight.
pub(crate) fn names_markdown(headers: &HeaderMap) -> bool {
    members(headers, &header::ACCEPT).any(|member| split_weight(member).0.eq_ignore_ascii_case(MARKDOWN))
}

/// The media types that a client accepts, with their weights.
pub(crate) struct AcceptedMedia<'a>(Vec<(&'a str, f32)>);

impl<'a> AcceptedMedia<'a> {
    pub(crate) fn from_headers(headers: &'a HeaderMap) -> Self {
        Self(members(headers, &header::ACCEPT).map(split_weight).collect())
    }

    /// Whether a client gives HTML the highest weight: browsers and command-line tools do; package managers, feed readers and
    /// scripts do not. Without the field everything is accepted.
    pub(crate) fn prefers_html(&self) -> bool {
        let named = HTML.into_iter().filter_map(|name| self.weight(name)).reduce(f32::max);
        let wildcard = || self.weight("text/*").or_else(|| self.weight("*/*"));
        // A script that names data and accepts the rest (`application/json, text/plain, */*`) wants the data.
        let is_data = |name: String| name.ends_with("json") || name.ends_with("xml");
        let names_data = || self.0.iter().any(|(name, _)| is_data(name.to_ascii_lowercase()));
        let weight = named.or_else(|| if names_data() { None } else { wildcard() }).unwrap_or(0.0);
        self.0.is_empty() || weight > 0.0 && self.0.iter().all(|(_, other)| *other <= weight)
    }

    /// Whether a client names Markdown, with a weight not below that of HTML: programs that read for a language model.
    pub(crate) fn prefers_markdown(&self) -> bool {
        let html = || ["text/html", "text/*", "*/*"].into_iter().find_map(|name| self.weight(name));
        self.weight(MARKDOWN).is_some_and(|weight| weight > 0.0 && weight >= html().unwrap_or(0.0))
    }

    /// Whether a client names HTML among what it accepts.
    pub(crate) fn names_html(&self) -> bool {
        HTML.into_iter().any(|name| self.weight(name).is_some())
    }

    fn weight(&self, media: &str) -> Option<f32> {
        self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(media)).map(|(_, weight)| *weight)
    }
}

/// `gzip;q=0.5` → (`gzip`, 0.5). A weight that cannot be read is ignored (RFC 9110 § 12.4.2).
fn split_weight(member: &str) -> (&str, f32) {
    let Some((name, params)) = member.split_once(';') else { return (member, 1.0) };
    let weight = params.split(';').find_map(|param| {
        let (name, weight) = param.split_once('=')?;
        name.trim_ascii().eq_ignore_ascii_case("q").then_some(weight)?;
        weight.trim_ascii().parse().ok()
    });
    (name.trim_ascii_end(), weight.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))])
    }

    #[test]
    fn codings_that_cannot_be_decoded_are_removed_and_weights_stay() {
        for (value, narrowed) in [
            ("gzip;q=0.8, br, dcb, zstd", "gzip;q=0.8, br, zstd"),
            ("dcz, *", "identity"),
            ("gzip, deflate, br", "gzip, deflate, br"),
        ] {
            let mut headers = headers(value);
            narrow_codings(&mut headers);
            assert_eq!(headers[header::ACCEPT_ENCODING], narrowed);
        }
        let mut none = HeaderMap::new();
        narrow_codings(&mut none);
        assert!(none.is_empty());
    }

    #[test]
    fn programs_for_language_models_name_markdown_first_or_as_high() {
        for (value, wanted) in [
            ("text/markdown, text/html;q=0.9, */*;q=0.8", true),
            ("text/markdown, text/html, */*", true),
            ("text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1", true),
            ("text/markdown", true),
            ("text/html, text/markdown;q=0.5", false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false),
            ("*/*", false),
            ("text/markdown;q=0", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(value))]);
            assert_eq!(AcceptedMedia::from_headers(&headers).prefers_markdown(), wanted, "{value}");
        }
    }

    #[test]
    fn the_coding_with_the_highest_weight_is_chosen_and_of_equals_the_fastest() {
        for (value, chosen) in [
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip, br", Some(Coding::Gzip)),
            ("gzip;q=1, br;q=0.5", Some(Coding::Gzip)),
            ("br;q=0, *", Some(Coding::Gzip)),
            ("identity", None),
            ("", None),
        ] {
            assert_eq!(choose_coding(&headers(value)), chosen, "{value}");
        }
    }
}
