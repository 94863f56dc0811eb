//! A request's first line.

use super::{
    Refusal,
    classes::{DIGIT, HOST, PATH, is_token, length_of},
};

/// Longest method: the longest registered one has 17 letters (RFC 9110 § 16.1). Longer is no method
/// that any server knows.
pub(in crate::server) const MAX_METHOD: usize = 64;

/// Longest target: RFC 9112 § 3 asks for at least 8,000 bytes; browsers stop far below this.
pub(in crate::server) const MAX_TARGET: usize = 32 * 1024;

/// Its three parts.
pub(super) struct RequestLine<'a> {
    pub(super) method: &'a [u8],
    pub(super) target: &'a [u8],
    /// The last digit of its version, the first being 1.
    pub(super) minor: u8,
}

impl<'a> RequestLine<'a> {
    /// RFC 9112 § 3: method, target and version, one space between them.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, Refusal> {
        let mut spaces = memchr::memchr_iter(b' ', line);
        let (Some(first), Some(second), None) = (spaces.next(), spaces.next(), spaces.next())
        else {
            return Err(Refusal::Malformed("its first line has not three parts"));
        };
        let (method, target) = (&line[..first], &line[first + 1..second]);
        let version = &line[second + 1..];
        if method.is_empty() || !method.iter().copied().all(is_token) {
            return Err(Refusal::Malformed(
                "its method has other signs than letters",
            ));
        }
        if method.len() > MAX_METHOD {
            return Err(Refusal::NotImplemented);
        }
        if target.len() > MAX_TARGET {
            return Err(Refusal::TargetTooLong);
        }
        check_target(method, target)?;
        let minor = match version {
            [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
                if major.is_ascii_digit() && minor.is_ascii_digit() =>
            {
                if *major != b'1' {
                    return Err(Refusal::Version);
                }
                *minor
            }
            _ => {
                return Err(Refusal::Malformed(
                    "its first line does not end with a version",
                ));
            }
        };
        Ok(Self {
            method,
            target,
            minor,
        })
    }

    /// OPTIONS of an absolute address that ends with its authority (RFC 9112 § 3.2.4).
    pub(super) fn is_for_whole_server(&self) -> bool {
        if self.method != b"OPTIONS" {
            return false;
        }
        let target = self.target;
        let start = target.windows(3).position(|three| three == b"://");
        let has_no_path =
            |start: usize| !target[start + 3..].iter().any(|byte| b"/?".contains(byte));
        start.is_some_and(has_no_path)
    }
}

/// RFC 9112 § 3.2: each method has its forms of address.
fn check_target(method: &[u8], target: &[u8]) -> Result<(), Refusal> {
    if is_plain(target) {
        return Ok(());
    }
    // An address with signs that must be encoded is refused, not corrected. Asked of the library's own parser,
    // which would refuse it without a word to the reader.
    let parsed = http::Uri::try_from(target)
        .ok()
        .filter(|_| target.is_ascii());
    let uri = parsed.ok_or(Refusal::Malformed(
        "its address has signs that must be encoded",
    ))?;
    // The parser leaves it out without a word; another reader may not.
    if target.contains(&b'#') {
        return Err(Refusal::Malformed("its address has a fragment"));
    }
    let fits = match target {
        _ if method == b"CONNECT" => true,
        [b'/', ..] => true,
        b"*" => method == b"OPTIONS",
        _ => uri.scheme().is_some(),
    };
    if fits {
        Ok(())
    } else {
        Err(Refusal::Malformed(
            "its address has a form that does not fit the method",
        ))
    }
}

/// Whether this is a path, or an `http` address with one, of such letters only as no reader of addresses minds: nearly all are,
/// and need not be parsed to be judged.
fn is_plain(target: &[u8]) -> bool {
    let path = match target.strip_prefix(b"http://") {
        None => target,
        Some(rest) => {
            let (host, after) = rest.split_at(length_of(rest, HOST));
            if host.is_empty() {
                return false;
            }
            match after.strip_prefix(b":") {
                None => after,
                Some(port) => match length_of(port, DIGIT) {
                    digits @ 1..=5 => &port[digits..],
                    _ => return false,
                },
            }
        }
    };
    path.first() == Some(&b'/') && length_of(path, PATH) == path.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_plain_is_an_address_to_the_library_too() {
        let mut seen = 0;
        for address in [
            "/",
            "http://a.example/",
            "http://127.0.0.1:8080/",
            "http://a:99999/b?c",
        ] {
            for byte in 0..=u8::MAX {
                let target = [address.as_bytes(), &[byte], b"x"].concat();
                if is_plain(&target) {
                    assert!(http::Uri::try_from(&target[..]).is_ok(), "{target:?}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 4 * 70, "{seen}");
        for address in [
            "",
            "*",
            "a:80",
            "http://",
            "http://a",
            "http://A/",
            "http://a:/",
            "http://u@a/",
            "https://a/",
            "http://a:123456/",
            "/ä",
        ] {
            assert!(!is_plain(address.as_bytes()), "{address}");
        }
    }
}
