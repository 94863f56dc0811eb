//! A request's fields, one line after the other, and what they say about its framing and its host.

use super::{
    Framing, Line, Refusal,
    classes::{ANY_HOST, is_token, length_of, until_control},
    request_line::RequestLine,
};
use crate::{
    headers::{Kinds, MAX_FIELDS},
    spelling::Spelling,
};

/// What the fields say about framing.
#[derive(Debug, Default)]
pub(super) struct Fields {
    count: usize,
    hosts: usize,
    length: Option<u64>,
    codings: Vec<Vec<u8>>,
    pub(super) spelling: Spelling,
    pub(super) kinds: Kinds,
}

impl Fields {
    /// RFC 9112 § 5: `name ":" OWS value OWS`.
    pub(super) fn take(&mut self, line: &Line<'_>) -> Result<(), Refusal> {
        self.count += 1;
        if self.count > MAX_FIELDS {
            return Err(Refusal::TooManyFields);
        }
        // RFC 9112 § 5.2: a folded line is refused.
        if matches!(line.bytes.first(), Some(b' ' | b'\t')) {
            return Err(Refusal::Malformed("a header field goes over two lines"));
        }
        if !line.is_field {
            check(line)?;
        }
        self.spelling.note(line.bytes, line.name);
        let (name, value) = line.bytes.split_at(line.name.length);
        let value = value[1..].trim_ascii();
        self.kinds.note(name);
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
            // RFC 9112 § 3.2: an invalid value is refused like a missing or repeated field.
            if !is_host(value) {
                return Err(Refusal::Malformed("its Host field is malformed"));
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            if self.length.is_some() {
                return Err(Refusal::Malformed("its length is given more than once"));
            }
            self.length = Some(length(value)?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.codings.push(value.to_ascii_lowercase());
        }
        Ok(())
    }

    pub(super) fn framing(&self, request: &RequestLine<'_>) -> Result<Framing, Refusal> {
        // RFC 9112 § 3.2: exactly one Host field; HTTP/1.0 may have none.
        if self.hosts > 1 || self.hosts == 0 && request.minor != b'0' {
            return Err(Refusal::Malformed("it must have one Host field"));
        }
        let framing = match (self.length, &self.codings[..]) {
            (length, []) => Framing::Length(length.unwrap_or(0)),
            // RFC 9112 § 6.1: both together are an attempt to smuggle, or a mistake.
            (Some(_), _) => return Err(Refusal::Malformed("its length is given in two ways")),
            (None, _) if request.minor == b'0' => {
                return Err(Refusal::Malformed("HTTP/1.0 has no transfer codings"));
            }
            (None, [coding]) if coding == b"chunked" => Framing::Chunked,
            // RFC 9112 § 6.1: a coding that is not understood is answered with 501.
            (None, [coding]) if coding.iter().copied().all(is_token) => {
                return Err(Refusal::NotImplemented);
            }
            _ => return Err(Refusal::Malformed("its transfer coding is not `chunked`")),
        };
        // RFC 9110 § 9.3.6 and § 9.3.8: no content; what would follow a CONNECT is the tunnel's.
        if framing != Framing::Length(0) && matches!(request.method, b"CONNECT" | b"TRACE") {
            return Err(Refusal::Malformed("this method has no content"));
        }
        Ok(framing)
    }
}

/// Whether a line is a field after all.
fn check(line: &Line<'_>) -> Result<(), Refusal> {
    // RFC 9112 § 5.1: a space before the colon is refused too.
    let Some([b':', value @ ..]) = line
        .bytes
        .get(line.name.length..)
        .filter(|_| line.name.length > 0)
    else {
        return Err(Refusal::Malformed(if line.bytes.contains(&b':') {
            "a header field's name has forbidden signs"
        } else {
            "a header field has no colon"
        }));
    };
    // RFC 9110 § 5.5: no control characters, NUL before all.
    if until_control(value) < value.len() {
        return Err(Refusal::Malformed(
            "a header field's value has forbidden signs",
        ));
    }
    Ok(())
}

/// RFC 9110 § 8.6: digits and nothing else; 18 of them are more than any disk.
fn length(value: &[u8]) -> Result<u64, Refusal> {
    let malformed = Refusal::Malformed("its length is not a number");
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return Err(malformed);
    }
    Ok(value
        .iter()
        .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// RFC 9110 § 7.2: a host and a port, if any. Whether there is such a host is asked where it counts.
fn is_host(value: &[u8]) -> bool {
    let (host, port) = if let [b'[', rest @ ..] = value {
        let Some(end) = rest.iter().position(|byte| *byte == b']') else {
            return false;
        };
        let (address, port) = (&rest[..end], &rest[end + 1..]);
        let address = std::str::from_utf8(address).unwrap_or_default();
        if address.parse::<std::net::Ipv6Addr>().is_err() || !matches!(port, [] | [b':', ..]) {
            return false;
        }
        (&b"[]"[..], port.get(1..).unwrap_or_default())
    } else {
        let colon = value.iter().position(|byte| *byte == b':');
        let (host, port) = value.split_at(colon.unwrap_or(value.len()));
        (host, port.get(1..).unwrap_or_default())
    };
    !host.is_empty() && length_of(host, ANY_HOST) == host.len() && is_port(port)
}

/// RFC 3986 § 3.2.3 lets a port be empty.
fn is_port(port: &[u8]) -> bool {
    let number = port.iter().try_fold(0_u16, |sum, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        sum.checked_mul(10)?.checked_add(u16::try_from(digit).ok()?)
    });
    number.is_some()
}
