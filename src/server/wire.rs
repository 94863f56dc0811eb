//! What a request looks like on the wire, judged before the HTTP library reads it: syntax, framing,
//! bounds. Whatever two readers could take for two different messages is refused.
//!
//! The library is lenient where the standard allows it (it drops one of `Content-Length` and
//! `Transfer-Encoding`, and merges lengths that are repeated); a proxy in front of other servers must
//! not be. Nothing is changed here: a head passes as it came, or not at all.

mod again;
mod chunks;
mod classes;
mod fields;
mod request_line;

pub(super) use self::{
    again::Last,
    chunks::Chunks,
    classes::is_token,
    request_line::{MAX_METHOD, MAX_TARGET},
};
use self::{classes::until_control, fields::Fields, request_line::RequestLine};
use crate::{
    headers::{Kinds, MAX_FIELDS},
    spelling::{Name, Spelling},
};

/// Longest head: as much as the most generous of the common servers take. Raising it lets every
/// connection hold more memory.
const MAX_HEAD: usize = 64 * 1024;

/// Why a request was not read. After any of them nothing more is read from the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the request is not valid HTTP: {0}")]
    Malformed(&'static str),
    #[error("the request's address is too long")]
    TargetTooLong,
    #[error("the request's header fields are longer than {MAX_HEAD} bytes together")]
    HeadTooLarge,
    #[error("the request has more than {MAX_FIELDS} header fields")]
    TooManyFields,
    #[error("the request's method or transfer coding is not known here")]
    NotImplemented,
    #[error("this version of HTTP is not spoken here")]
    Version,
    #[error("the request did not arrive in time")]
    TooSlow,
}

/// How the bytes after a head belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
}

/// A head that can be read in one way only.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) bytes: usize,
    pub(super) framing: Framing,
    /// OPTIONS of an address without a path, which the library does not tell from `/`.
    pub(super) whole_server: bool,
    /// Where a version above 1.1 has its last digit. RFC 9110 § 2.5 has such a message read as the highest
    /// version that is known, which the library does not do.
    newer: Option<usize>,
    /// How its names are written.
    pub(super) spelling: Spelling,
    /// Of which kinds its fields are.
    pub(super) kinds: Kinds,
}

impl Head {
    /// Writes 1.1 in place of a newer version; these bytes begin with the head.
    pub(super) fn take_known_version(&self, bytes: &mut [u8]) {
        if let Some(digit) = self.newer {
            bytes[digit] = b'1';
        }
    }
}

/// Looks for a whole head at the start of these bytes; none while it is not complete. `last` is what the same connection keeps of
/// the head before.
pub(super) fn head(bytes: &[u8], last: &mut Last) -> Result<Option<Head>, Refusal> {
    // RFC 9112 § 2.2: empty lines in front of a request are ignored.
    let mut lines = Lines(bytes);
    for _ in 0..4 {
        lines.0 = lines.0.strip_prefix(b"\r\n").unwrap_or(lines.0);
    }
    let start = bytes.len() - lines.0.len();
    let line = match lines.next_line()? {
        Some(line) => line,
        None if lines.0.len() > MAX_METHOD + MAX_TARGET => return Err(Refusal::TargetTooLong),
        None => return Ok(None),
    };
    let request = RequestLine::parse(line)?;
    let newer = (request.minor > b'1').then_some(start + line.len() - 1);
    // Together with the longest line what is kept is far shorter than the bound.
    let fields = if let Some((fields, after)) = last.find(lines.0) {
        lines.0 = after;
        fields
    } else {
        let begun = lines.0;
        let mut fields = Fields::default();
        loop {
            if bytes.len() - lines.0.len() > MAX_HEAD {
                return Err(Refusal::HeadTooLarge);
            }
            match lines.next_field()? {
                Some(Line { bytes: [], .. }) => break,
                Some(line) => fields.take(&line)?,
                None if bytes.len() > MAX_HEAD => return Err(Refusal::HeadTooLarge),
                None => return Ok(None),
            }
        }
        last.keep(&begun[..begun.len() - lines.0.len()], fields)
    };
    Ok(Some(Head {
        bytes: bytes.len() - lines.0.len(),
        spelling: fields.spelling.clone(),
        kinds: fields.kinds,
        framing: fields.framing(&request)?,
        whole_server: request.is_for_whole_server(),
        newer,
    }))
}

struct Lines<'a>(&'a [u8]);

/// A line after the first.
struct Line<'a> {
    bytes: &'a [u8],
    name: Name,
    /// Whether it is a name, a colon and nothing that is forbidden after it.
    is_field: bool,
}

impl<'a> Lines<'a> {
    /// A field's name and its end are found on one way through its bytes; only where that finds no field they are looked at
    /// again.
    fn next_field(&mut self) -> Result<Option<Line<'a>>, Refusal> {
        let name = Name::of(self.0);
        if name.length > 0
            && let Some([b':', value @ ..]) = self.0.get(name.length..)
        {
            let length = until_control(value);
            if let Some([b'\r', b'\n', after @ ..]) = value.get(length..) {
                let bytes = &self.0[..name.length + 1 + length];
                self.0 = after;
                return Ok(Some(Line {
                    bytes,
                    name,
                    is_field: true,
                }));
            }
        }
        let line = self.next_line()?.map(|bytes| Line {
            bytes,
            name: Name::of(bytes),
            is_field: false,
        });
        Ok(line)
    }

    /// RFC 9112 § 2.2: lines end with CRLF; a lone LF or CR is where readers begin to differ.
    fn next_line(&mut self) -> Result<Option<&'a [u8]>, Refusal> {
        let Some(end) = memchr::memchr2(b'\r', b'\n', self.0) else {
            return Ok(None);
        };
        match (self.0[end], self.0.get(end + 1)) {
            (b'\r', None) => Ok(None),
            (b'\r', Some(b'\n')) => {
                let line = &self.0[..end];
                self.0 = &self.0[end + 2..];
                Ok(Some(line))
            }
            _ => Err(Refusal::Malformed("a line does not end with CR LF")),
        }
    }
}

#[cfg(test)]
mod tests;
