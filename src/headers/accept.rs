//! `Accept-Encoding`: narrowed upstream to what we can decode, and read to choose what to send back.

use http::{
    HeaderMap, HeaderValue,
    header::{self, Entry},
};

use super::members_of;
use crate::rewrite::coding::Coding;

/// What a request's `Accept-Encoding` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accepts {
    first: Option<HeaderValue>,
    /// Of further fields, of which there are nearly never any.
    more: Vec<HeaderValue>,
}

impl Accepts {
    pub(crate) fn push(&mut self, value: HeaderValue) {
        match self.first {
            None => self.first = Some(value),
            Some(_) => self.more.push(value),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &HeaderValue> {
        self.first.iter().chain(&self.more)
    }

    /// Narrows the field of a document request to codings we decode. The client's own weights stay; where nothing is left, the
    /// plain form is asked for. No field stays no field.
    pub(crate) fn narrow(&self, headers: &mut HeaderMap) {
        /// What browsers and programs send today; all of it can be undone.
        const USUAL: [&str; 4] = [
            "gzip, deflate",
            "gzip, deflate, br",
            "gzip, deflate, br, zstd",
            "gzip",
        ];
        let Some(first) = &self.first else {
            return;
        };
        if self.more.is_empty() && USUAL.iter().any(|usual| first == usual) {
            return;
        }
        let is_decoded = |member: &&str| {
            let name = split_weight(member).0;
            Coding::parse(name).is_some() || name.eq_ignore_ascii_case("identity")
        };
        let is_text = |value: &HeaderValue| value.to_str().is_ok();
        if self.iter().all(is_text) && members_of(self.iter()).all(|member| is_decoded(&member)) {
            return;
        }
        let kept: Vec<&str> = members_of(self.iter()).filter(is_decoded).collect();
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
    pub(crate) fn choose(&self) -> Option<Coding> {
        /// A rewritten page is made once, for one reader in the same network: zstd takes a seventh of brotli's time and makes it
        /// 5 % longer (2026-11-22, docs/performance.md). deflate is left out, because clients disagree on what it is
        /// (RFC 9110 § 8.4.1.2).
        const OFFERED: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];
        let mut any = 0.0;
        // Of a coding that is named twice the first weight counts.
        let mut weights = [None; OFFERED.len()];
        for member in members_of(self.iter()) {
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

    fn accepts(value: &'static str) -> Accepts {
        let mut accepts = Accepts::default();
        accepts.push(HeaderValue::from_static(value));
        accepts
    }

    fn narrowed(value: &'static str) -> HeaderValue {
        let mut headers = headers(value);
        accepts(value).narrow(&mut headers);
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
        Accepts::default().narrow(&mut headers);
        assert!(headers.is_empty());
        // What a hop kept for itself is not put back.
        accepts("dcz").narrow(&mut headers);
        assert!(headers.is_empty());
    }

    #[test]
    fn the_heaviest_coding_is_chosen_and_of_equals_the_quickest() {
        assert_eq!(
            accepts("gzip, deflate, br, zstd").choose(),
            Some(Coding::Zstd)
        );
        assert_eq!(accepts("gzip, br").choose(), Some(Coding::Brotli));
        assert_eq!(accepts("gzip;q=1, br;q=0.5").choose(), Some(Coding::Gzip));
        assert_eq!(accepts("br;q=0, *").choose(), Some(Coding::Gzip));
        assert_eq!(accepts("identity").choose(), None);
        assert_eq!(Accepts::default().choose(), None);
    }
}
