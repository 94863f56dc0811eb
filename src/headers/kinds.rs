//! Which kinds of fields a message has, of those that a proxy asks for.
//!
//! Nearly no request has any of the rare ones, and to look for a field that is not there takes some 90 instructions, for each of
//! eight. Of a request over HTTP/1.1 its kinds are noted where its names are judged, once for all that come with the same
//! fields.

use http::HeaderMap;

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u16);

impl Kinds {
    pub(crate) const HOST: Self = Self(1);
    pub(crate) const VIA: Self = Self(1 << 1);
    pub(crate) const EXPECT: Self = Self(1 << 2);
    /// It is of one hop too.
    pub(crate) const UPGRADE: Self = Self(1 << 3 | Self::ONE_HOP.0);
    /// Fields that mean one hop only, whether `Connection` names them or not (RFC 9110 § 7.6.1 and RFC 9112 § 9.6). All of
    /// `Proxy-*` is treated alike: it is between the client and us.
    pub(crate) const ONE_HOP: Self = Self(1 << 4);
    /// All that `rewrite::RequestInfo` keeps of a request.
    pub(crate) const OF_PAGES: Self = Self(1 << 5);
    pub(crate) const ALT_SVC: Self = Self(1 << 6);
    pub(crate) const CONTENT_LENGTH: Self = Self(1 << 7);
    /// It is of one hop too.
    pub(crate) const TRANSFER_ENCODING: Self = Self(1 << 8 | Self::ONE_HOP.0);

    /// Those of these fields.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut kinds = Self::default();
        for name in headers.keys() {
            kinds.note(name.as_str().as_bytes());
        }
        kinds
    }

    /// Notes a field by its name, in capitals or small letters.
    pub(crate) fn note(&mut self, name: &[u8]) {
        self.add(Self::of_name(name));
    }

    /// The kind of a field by its name, in capitals or small letters.
    pub(crate) fn of_name(name: &[u8]) -> Self {
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        // Of most names the length and the first letter say enough.
        let first = name.first().map_or(0, u8::to_ascii_lowercase);
        match (name.len(), first) {
            (2, b't') if is(b"te") => Self::ONE_HOP,
            (3, b'v') if is(b"via") => Self::VIA,
            (4, b'h') if is(b"host") => Self::HOST,
            (6, b'e') if is(b"expect") => Self::EXPECT,
            (7, b'u') if is(b"upgrade") => Self::UPGRADE,
            (7, b'a') if is(b"alt-svc") => Self::ALT_SVC,
            (8, b'i') if is(b"if-range") => Self::OF_PAGES,
            (10, b'c' | b'k') if is(b"connection") || is(b"keep-alive") => Self::ONE_HOP,
            (13, b'c' | b'i') if is(b"cache-control") || is(b"if-none-match") => Self::OF_PAGES,
            (14, b'c') if is(b"content-length") => Self::CONTENT_LENGTH,
            (14, b'h') if is(b"http2-settings") => Self::ONE_HOP,
            (14, b's') if is(b"sec-fetch-dest") => Self::OF_PAGES,
            (15, b'a') if is(b"accept-encoding") => Self::OF_PAGES,
            (16, b'x') if is(b"x-requested-with") => Self::OF_PAGES,
            (17, b't') if is(b"transfer-encoding") => Self::TRANSFER_ENCODING,
            (6.., b'p') if name[..6].eq_ignore_ascii_case(b"proxy-") => Self::ONE_HOP,
            _ => Self::default(),
        }
    }

    pub(crate) fn add(&mut self, kind: Self) {
        self.0 |= kind.0;
    }

    /// Whether there are fields of this kind.
    pub(crate) fn has(self, kind: Self) -> bool {
        self.0 & kind.0 == kind.0
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    #[test]
    fn every_field_of_one_hop_is_known_as_one_however_it_is_written() {
        for name in [
            "connection",
            "keep-alive",
            "te",
            "transfer-encoding",
            "upgrade",
            "http2-settings",
            "proxy-connection",
            "proxy-authorization",
            "proxy-x",
            "proxy-",
        ] {
            for name in [name.to_owned(), name.to_ascii_uppercase()] {
                let mut kinds = Kinds::default();
                kinds.note(name.as_bytes());
                assert!(kinds.has(Kinds::ONE_HOP), "{name}");
                assert_eq!(
                    kinds.has(Kinds::UPGRADE),
                    name.eq_ignore_ascii_case("upgrade")
                );
            }
        }
    }

    #[test]
    fn each_name_is_of_its_kind_however_it_is_written() {
        let kinds = [
            ("host", Kinds::HOST),
            ("via", Kinds::VIA),
            ("expect", Kinds::EXPECT),
            ("alt-svc", Kinds::ALT_SVC),
            ("content-length", Kinds::CONTENT_LENGTH),
            ("transfer-encoding", Kinds::TRANSFER_ENCODING),
            ("if-range", Kinds::OF_PAGES),
            ("if-none-match", Kinds::OF_PAGES),
            ("cache-control", Kinds::OF_PAGES),
            ("sec-fetch-dest", Kinds::OF_PAGES),
            ("accept-encoding", Kinds::OF_PAGES),
            ("x-requested-with", Kinds::OF_PAGES),
        ];
        for (name, kind) in kinds {
            assert_eq!(Kinds::of_name(name.as_bytes()), kind, "{name}");
            let name = name.to_ascii_uppercase();
            assert_eq!(Kinds::of_name(name.as_bytes()), kind, "{name}");
        }
    }

    #[test]
    fn other_fields_are_of_no_kind_that_is_asked_for() {
        let headers = HeaderMap::from_iter(
            ["user-agent", "accept", "cookie", "prox-a", "proxy", "x-via"]
                .map(|name| (HeaderName::from_static(name), "a".parse().unwrap())),
        );
        assert_eq!(Kinds::of(&headers), Kinds::default());
    }
}
