//! The first line of a request: method, target, version (RFC 9112 § 3).

use super::{ParseRejection, is_token};

/// Longest method in bytes: the longest registered one has 17 letters (RFC 9110 § 16.1).
pub(in crate::server) const MAX_METHOD: usize = 64;

/// Longest target in bytes: RFC 9112 § 3 asks for at least 8,000; browsers stop far below this.
pub(in crate::server) const MAX_TARGET: usize = 32 * 1024;

/// Its three parts.
pub(super) struct RequestLine<'a> {
    pub(super) method: &'a [u8],
    target: &'a [u8],
    /// The last digit of the version, the first being 1.
    minor: u8,
    /// The target with raw characters percent-encoded, where it has any.
    encoded: Option<Vec<u8>>,
}

impl<'a> RequestLine<'a> {
    /// Method, target and version, one space between them.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, ParseRejection> {
        let malformed = ParseRejection::Malformed;
        let mut parts = line.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed("its first line has not three parts"));
        };
        if method.is_empty() || !method.iter().copied().all(is_token) {
            return Err(malformed("its method has forbidden characters"));
        }
        if method.len() > MAX_METHOD {
            return Err(ParseRejection::NotImplemented);
        }
        if target.len() > MAX_TARGET {
            return Err(ParseRejection::TargetTooLong);
        }
        let encoded = percent_encoded(target);
        check_target(method, encoded.as_deref().unwrap_or(target))?;
        let minor = match version {
            [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit() => {
                if *major != b'1' {
                    return Err(ParseRejection::Version);
                }
                *minor
            }
            _ => return Err(malformed("its first line does not end with a version")),
        };
        Ok(Self { method, target, minor, encoded })
    }

    pub(super) fn is_http_1_0(&self) -> bool {
        self.minor == b'0'
    }

    pub(super) fn is_connect(&self) -> bool {
        self.method == b"CONNECT"
    }

    /// `OPTIONS` of an absolute address that ends with its authority (RFC 9112 § 3.2.4).
    pub(super) fn is_for_whole_server(&self) -> bool {
        self.method == b"OPTIONS"
            && authority_start(self.target)
                .is_some_and(|start| !self.target[start..].iter().copied().any(is_path_start))
    }

    /// The authority of an absolute address (RFC 9112 § 3.2.2), with a user and password if it has them.
    pub(super) fn authority(&self) -> Option<&'a [u8]> {
        let rest = &self.target[authority_start(self.target)?..];
        rest.split(|byte| is_path_start(*byte)).next()
    }

    /// The line to hand to hyper, where it is not the one received: the target encoded, and a version above 1.1
    /// written as 1.1, the highest version we conform to (RFC 9110 § 2.5), which hyper does not do.
    pub(super) fn rewritten(&self) -> Option<Vec<u8>> {
        if self.encoded.is_none() && self.minor <= b'1' {
            return None;
        }
        let target = self.encoded.as_deref().unwrap_or(self.target);
        let version: &[u8] = if self.is_http_1_0() { b"HTTP/1.0" } else { b"HTTP/1.1" };
        Some([self.method, target, version].join(&b' '))
    }
}

fn authority_start(target: &[u8]) -> Option<usize> {
    target.windows(3).position(|three| three == b"://").map(|at| at + 3)
}

fn is_path_start(byte: u8) -> bool {
    b"/?".contains(&byte)
}

/// The target with non-ASCII bytes and `"<>` of its path and query percent-encoded, as browsers and Squid send them (WHATWG
/// URL, query percent-encode set), and backticks of its path, which `http::Uri` does not take; `None` where there are none.
/// A host is left as it is: it is written in ASCII or rejected.
fn percent_encoded(target: &[u8]) -> Option<Vec<u8>> {
    use std::io::Write;
    let path = authority_start(target).unwrap_or(0);
    let path = path + target[path..].iter().copied().position(is_path_start)?;
    let query = memchr::memchr(b'?', target).unwrap_or(target.len());
    let must_encode = |at: usize, byte: u8| !byte.is_ascii() || b"\"<>".contains(&byte) || byte == b'`' && at < query;
    if !(path..target.len()).any(|at| must_encode(at, target[at])) {
        return None;
    }
    let mut encoded = target[..path].to_vec();
    for (at, byte) in target.iter().enumerate().skip(path) {
        if must_encode(at, *byte) {
            write!(encoded, "%{byte:02X}").expect("a vector takes every byte");
        } else {
            encoded.push(*byte);
        }
    }
    Some(encoded)
}

/// RFC 9112 § 3.2: each method has its forms of target.
fn check_target(method: &[u8], target: &[u8]) -> Result<(), ParseRejection> {
    let parsed = http::Uri::try_from(target).ok().filter(|_| target.is_ascii());
    let uri = parsed.ok_or(ParseRejection::Malformed("its address has characters that must be encoded"))?;
    // `http::Uri` drops it without an error; another reader may not.
    if target.contains(&b'#') {
        return Err(ParseRejection::Malformed("its address has a fragment"));
    }
    let fits = match target {
        _ if method == b"CONNECT" => true,
        [b'/', ..] => true,
        b"*" => method == b"OPTIONS",
        _ => uri.scheme().is_some(),
    };
    fits.then_some(()).ok_or(ParseRejection::Malformed("its address has a form that does not fit the method"))
}
