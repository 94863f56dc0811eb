//! `Accept-Encoding`: narrowed upstream to what we can decode, and read to choose what to send back.

use http::{
    HeaderMap, HeaderValue,
    header::{self, Entry},
};

use super::members_of;
use crate::rewrite::coding::Coding;

/// Narrows a document request's `Accept-Encoding`, whose values these are, to codings we decode. The client's own weights
/// stay; where nothing is left, the plain form is asked for. No field stays no field.
pub(crate) fn narrow(accepts: &[HeaderValue], headers: &mut HeaderMap) {
    /// What browsers and programs send today; all of it can be undone.
    const USUAL: [&str; 4] = [
        "gzip, deflate",
        "gzip, deflate, br",
        "gzip, deflate, br, zstd",
        "gzip",
    ];
    let is_usual = match accepts {
        [] => true,
        [value] => USUAL.iter().any(|usual| value == usual),
        _ => false,
    };
    if is_usual {
        return;
    }
    let is_decoded = |member: &&str| {
        let name = split_weight(member).0;
        Coding::parse(name).is_some() || name.eq_ignore_ascii_case("identity")
    };
    let is_text = |value: &HeaderValue| value.to_str().is_ok();
    if accepts.iter().all(is_text) && members_of(accepts).all(|member| is_decoded(&member)) {
        return;
    }
    let kept: Vec<&str> = members_of(accepts).filter(is_decoded).collect();
    let value = if kept.is_empty() {
        "identity".to_owned()
    } else {
        kept.join(", ")
    };
    // Where `Connection` named it, it has gone.
    if let Ok(value) = HeaderValue::from_str(&value)
        && let Entry::Occupied(mut field) = headers.entry(header::ACCEPT_ENCODING)
    {
        field.insert(value);
    }
}

/// The coding to send to this client: the one it weighs most, and of several the one that is best for a reader nearby.
pub(crate) fn choose(accepts: &[HeaderValue]) -> Option<Coding> {
    /// A rewritten page is made once, for one reader in the same network: zstd takes a seventh of brotli's time and makes it 5 %
    /// longer (2026-11-22, docs/performance.md). deflate is left out, because
    /// clients disagree on what it is (RFC 9110 § 8.4.1.2).
    const OFFERED: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];
    let mut any = 0.0;
    // Of a coding that is named twice the first weight counts.
    let mut weights = [None; OFFERED.len()];
    for member in members_of(accepts) {
        let (name, weight) = split_weight(member);
        if name == "*" {
            any = weight;
        } else if let Some(coding) = Coding::parse(name)
            && let Some(at) = OFFERED.iter().position(|offered| *offered == coding)
        {
            weights[at].get_or_insert(weight);
        }
    }
    let mut best: Option<(Coding, f32)> = None;
    for (coding, weight) in OFFERED.into_iter().zip(weights) {
        // `*` means gzip to every client that ever sent it; newer codings are asked for by name.
        let unnamed = if coding == Coding::Gzip { any } else { 0.0 };
        let weight = weight.unwrap_or(unnamed);
        if weight > best.map_or(0.0, |(_, weight)| weight) {
            best = Some((coding, weight));
        }
    }
    best.map(|(coding, _)| coding)
}

/// `gzip;q=0.5` → (`gzip`, 0.5). A weight that cannot be read counts as none (RFC 9110 § 12.4.2).
fn split_weight(member: &str) -> (&str, f32) {
    let (name, params) = member.split_once(';').unwrap_or((member, ""));
    let weight = params
        .trim()
        .strip_prefix("q=")
        .or_else(|| params.trim().strip_prefix("Q="));
    (
        name.trim(),
        weight
            .and_then(|weight| weight.trim().parse().ok())
            .unwrap_or(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))])
    }

    fn values(value: &'static str) -> [HeaderValue; 1] {
        [HeaderValue::from_static(value)]
    }

    fn narrowed(value: &'static str) -> HeaderValue {
        let mut headers = headers(value);
        narrow(&values(value), &mut headers);
        headers[header::ACCEPT_ENCODING].clone()
    }

    #[test]
    fn codings_we_cannot_decode_are_taken_out_and_weights_stay() {
        assert_eq!(
            narrowed("gzip;q=0.8, br, dcb, zstd"),
            "gzip;q=0.8, br, zstd"
        );
        assert_eq!(narrowed("dcz, *"), "identity");
    }

    #[test]
    fn no_field_stays_no_field() {
        let mut headers = HeaderMap::new();
        narrow(&[], &mut headers);
        assert!(headers.is_empty());
        // What a hop kept for itself is not put back.
        narrow(&values("dcz"), &mut headers);
        assert!(headers.is_empty());
    }

    #[test]
    fn the_heaviest_coding_is_chosen_and_of_equals_the_quickest() {
        assert_eq!(
            choose(&values("gzip, deflate, br, zstd")),
            Some(Coding::Zstd)
        );
        assert_eq!(choose(&values("gzip, br")), Some(Coding::Brotli));
        assert_eq!(choose(&values("gzip;q=1, br;q=0.5")), Some(Coding::Gzip));
        assert_eq!(choose(&values("br;q=0, *")), Some(Coding::Gzip));
        assert_eq!(choose(&values("identity")), None);
        assert_eq!(choose(&[]), None);
    }
}
