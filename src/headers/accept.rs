//! `Accept` and `Accept-Encoding`: what a client would rather have.

use http::{HeaderMap, HeaderValue, header};

use super::members;
use crate::rewrite::coding::Coding;

/// Narrows `Accept-Encoding` of a request for a page to the codings that can be decoded. The client's own weights stay; where
/// nothing is left, the plain form is asked for. No field stays no field.
pub(crate) fn narrow_codings(headers: &mut HeaderMap) {
    if !headers.contains_key(header::ACCEPT_ENCODING) {
        return;
    }
    let is_decoded = |member: &&str| {
        let name = split_weight(member).0;
        Coding::parse(name).is_some() || name.eq_ignore_ascii_case("identity")
    };
    let kept: Vec<&str> = members(headers, &header::ACCEPT_ENCODING).filter(is_decoded).collect();
    let value = if kept.is_empty() { "identity".to_owned() } else { kept.join(", ") };
    if let Ok(value) = HeaderValue::from_str(&value) {
        headers.insert(header::ACCEPT_ENCODING, value);
    }
}

/// The coding to send to a client: the one it weighs most, and of several the one that is best for a reader nearby.
pub(crate) fn choose_coding(headers: &HeaderMap) -> Option<Coding> {
    /// A rewritten page is made once, for one reader in the same network: zstd takes a seventh of brotli's time and makes it
    /// 5 % longer (2026-11-22, docs/performance.md). deflate is left out, because clients disagree on what it is
    /// (RFC 9110 § 8.4.1.2).
    const OFFERED: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];
    let mut best = (None, 0.0);
    for offered in OFFERED {
        let weight_of = |wanted: &dyn Fn(&str) -> bool| {
            members(headers, &header::ACCEPT_ENCODING)
                .map(split_weight)
                .find_map(|(name, weight)| wanted(name).then_some(weight))
        };
        let named = weight_of(&|name| Coding::parse(name) == Some(offered));
        // `*` means gzip to every client that ever sent it; newer codings are asked for by name.
        let any = || weight_of(&|name| name == "*" && offered == Coding::Gzip);
        let weight = named.or_else(any).unwrap_or(0.0);
        if weight > best.1 {
            best = (Some(offered), weight);
        }
    }
    best.0
}

/// Whether a client wants a page no less than anything else: browsers and people's tools do, package managers, readers of feeds
/// and scripts do not. Without a field it takes whatever comes.
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let accepted: Vec<_> = members(headers, &header::ACCEPT)
        .map(|member| {
            let (name, weight) = split_weight(member);
            (name.to_ascii_lowercase(), weight)
        })
        .collect();
    let weight_of = |wanted: &str| {
        let found = accepted.iter().find(|(name, _)| name == wanted);
        found.map(|(_, weight)| *weight)
    };
    let html = weight_of("text/html").into_iter();
    let named = html.chain(weight_of("application/xhtml+xml")).reduce(f32::max);
    let wildcard = || weight_of("text/*").or_else(|| weight_of("*/*"));
    // A script that names data and takes the rest (`application/json, text/plain, */*`) means the data.
    let names_data = accepted.iter().any(|(name, _)| name.ends_with("json") || name.ends_with("xml"));
    let weight = match named {
        None if names_data => 0.0,
        None => wildcard().unwrap_or(0.0),
        Some(weight) => weight,
    };
    accepted.is_empty() || weight > 0.0 && accepted.iter().all(|(_, other)| *other <= weight)
}

/// `gzip;q=0.5` → (`gzip`, 0.5). A weight that cannot be read counts as none (RFC 9110 § 12.4.2).
fn split_weight(member: &str) -> (&str, f32) {
    let mut params = member.split(';').map(str::trim);
    let name = params.next().unwrap_or_default();
    let weight = params.find_map(|param| {
        let (name, weight) = param.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then_some(weight)?;
        weight.trim().parse().ok()
    });
    (name, weight.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))])
    }

    fn narrowed(value: &'static str) -> HeaderValue {
        let mut headers = headers(value);
        narrow_codings(&mut headers);
        headers[header::ACCEPT_ENCODING].clone()
    }

    #[test]
    fn codings_that_cannot_be_decoded_are_taken_out_and_weights_stay() {
        assert_eq!(narrowed("gzip;q=0.8, br, dcb, zstd"), "gzip;q=0.8, br, zstd");
        assert_eq!(narrowed("dcz, *"), "identity");
        assert_eq!(narrowed("gzip, deflate, br"), "gzip, deflate, br");
    }

    #[test]
    fn no_field_stays_no_field() {
        let mut headers = HeaderMap::new();
        narrow_codings(&mut headers);
        assert!(headers.is_empty());
    }

    #[test]
    fn the_heaviest_coding_is_chosen_and_of_equals_the_quickest() {
        let choose = |value| choose_coding(&headers(value));
        assert_eq!(choose("gzip, deflate, br, zstd"), Some(Coding::Zstd));
        assert_eq!(choose("gzip, br"), Some(Coding::Brotli));
        assert_eq!(choose("gzip;q=1, br;q=0.5"), Some(Coding::Gzip));
        assert_eq!(choose("br;q=0, *"), Some(Coding::Gzip));
        assert_eq!(choose("identity"), None);
        assert_eq!(choose_coding(&HeaderMap::new()), None);
    }
}
