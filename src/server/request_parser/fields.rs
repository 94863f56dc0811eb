//! The fields of a request head: syntax, `Host`, and what they say about framing.

use super::{Framing, ParseRejection, is_field_value, is_token, request_line::RequestLine};
use crate::{http::headers::MAX_FIELDS, net::target};

/// Framing and host, as the fields give them.
#[derive(Debug, Default)]
pub(super) struct HeadFields {
    count: usize,
    hosts: usize,
    /// A value of `Host` that is more than a host and a port.
    odd_host: Option<Vec<u8>>,
    length: Option<u64>,
    codings: Vec<Vec<u8>>,
}

impl HeadFields {
    /// RFC 9112 § 5: `name ":" OWS value OWS`.
    pub(super) fn add(&mut self, line: &[u8]) -> Result<(), ParseRejection> {
        self.count += 1;
        if self.count > MAX_FIELDS {
            return Err(ParseRejection::TooManyFields);
        }
        let (name, value) = split(line).map_err(ParseRejection::Malformed)?;
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
            if !is_host_and_port(value) {
                self.odd_host = Some(value.to_vec());
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            if self.length.is_some() {
                return Err(ParseRejection::Malformed("its length is given more than once"));
            }
            self.length = Some(length(value)?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.codings.push(value.to_ascii_lowercase());
        }
        Ok(())
    }

    pub(super) fn framing(&self, request: &RequestLine<'_>) -> Result<Framing, ParseRejection> {
        let malformed = |problem| Err(ParseRejection::Malformed(problem));
        // RFC 9112 § 3.2: exactly one Host field; HTTP/1.0 may have none. Links sends none with CONNECT, whose target is a
        // host and nothing else, so that nothing is in doubt.
        if self.hosts > 1 || self.hosts == 0 && !request.is_http_1_0() && !request.is_connect() {
            return malformed("it must have one Host field");
        }
        // RFC 9112 § 3.2: an invalid value is refused like a missing or repeated field. Python's urllib repeats the name and
        // password of `http://user:password@host/` there; the address counts (§ 3.2.2), which can be read in one way only.
        if self.odd_host.is_some() && self.odd_host.as_deref() != request.authority() {
            return malformed("its Host field is malformed");
        }
        let framing = match (self.length, &self.codings[..]) {
            (length, []) => Framing::Length(length.unwrap_or(0)),
            // RFC 9112 § 6.1: both together are an attempt to smuggle, or a mistake.
            (Some(_), _) => return malformed("its length is given in two ways"),
            (None, _) if request.is_http_1_0() => {
                return malformed("HTTP/1.0 has no transfer codings");
            }
            (None, [coding]) if coding == b"chunked" => Framing::Chunked,
            // RFC 9112 § 6.1: a coding that is not understood is answered with 501.
            (None, [coding]) if coding.iter().copied().all(is_token) => {
                return Err(ParseRejection::NotImplemented);
            }
            _ => return malformed("its transfer coding is not `chunked`"),
        };
        // RFC 9110 § 9.3.6 and § 9.3.8: no content; what would follow a CONNECT is the tunnel's.
        if framing != Framing::Length(0) && matches!(request.method, b"CONNECT" | b"TRACE") {
            return malformed("this method has no content");
        }
        Ok(framing)
    }
}

/// Splits a line into name and trimmed value.
fn split(line: &[u8]) -> Result<(&[u8], &[u8]), &'static str> {
    // RFC 9112 § 5.2.
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Err("a header field goes over two lines");
    }
    let colon = memchr::memchr(b':', line).ok_or("a header field has no colon")?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    // RFC 9112 § 5.1: a space before the colon is refused too.
    if name.is_empty() || !name.iter().copied().all(is_token) {
        return Err("a header field's name has forbidden characters");
    }
    // Without an early end, so that many bytes are looked at at once.
    if !value.iter().fold(true, |valid, byte| valid & is_field_value(*byte)) {
        return Err("a header field's value has forbidden characters");
    }
    Ok((name, value.trim_ascii()))
}

/// RFC 9110 § 8.6: digits and nothing else; 18 of them are more than any disk.
fn length(value: &[u8]) -> Result<u64, ParseRejection> {
    let digits = std::str::from_utf8(value)
        .ok()
        .filter(|digits| digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or(ParseRejection::Malformed("its length is not a number"))
}

/// RFC 9110 § 7.2: a host and a port, if any. Whether the host exists is found out when it is resolved.
fn is_host_and_port(value: &[u8]) -> bool {
    value.is_ascii() && std::str::from_utf8(value).is_ok_and(|value| target::host_of(value).is_ok())
}
