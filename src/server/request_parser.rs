//! Strict parser of HTTP/1.1 request heads and chunked bodies, in front of hyper.
//!
//! A message that two readers could frame in two ways is rejected (RFC 9112 § 11.2, request smuggling). hyper is
//! lenient where the standard allows it: it drops `Content-Length` beside `Transfer-Encoding` and merges repeated
//! lengths; a proxy in front of other servers must not. A head passes unchanged, except for its first line, where
//! characters are percent-encoded that clients send raw and browsers encode (`RequestLine::rewritten`).

mod chunk_parser;
mod fields;
mod request_line;

pub(super) use self::{
    chunk_parser::ChunkParser,
    request_line::{MAX_METHOD, MAX_TARGET},
};
use self::{fields::HeadFields, request_line::RequestLine};
use crate::http::headers::MAX_FIELDS;

/// Longest head in bytes: as much as the most generous common servers take. Raising it lets every connection hold
/// more memory.
const MAX_HEAD: usize = 64 * 1024;

/// Empty lines skipped in front of a request (RFC 9112 § 2.2).
const MAX_EMPTY_LINES: usize = 4;

/// Why a request was rejected. Nothing more is read from the connection after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseRejection {
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
    Timeout,
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
    /// Its length in bytes, empty lines in front and at the end included.
    pub(super) bytes: usize,
    pub(super) framing: Framing,
    /// `OPTIONS` of an address without a path, which hyper does not tell from `/`.
    pub(super) whole_server: bool,
    /// Replacement for the first line, and where that line is.
    pub(super) replaced_line: Option<(std::ops::Range<usize>, Vec<u8>)>,
}

/// Parses a whole head at the start of these bytes; `None` while it is incomplete.
pub(super) fn parse_head(bytes: &[u8]) -> Result<Option<Head>, ParseRejection> {
    let mut lines = Lines(bytes);
    for _ in 0..MAX_EMPTY_LINES {
        lines.0 = lines.0.strip_prefix(b"\r\n").unwrap_or(lines.0);
    }
    let start = bytes.len() - lines.0.len();
    let line = match lines.next_line()? {
        Some(line) => line,
        None if lines.0.len() > MAX_METHOD + MAX_TARGET => {
            return Err(ParseRejection::TargetTooLong);
        }
        None => return Ok(None),
    };
    let request = RequestLine::parse(line)?;
    let mut fields = HeadFields::default();
    loop {
        if bytes.len() - lines.0.len() > MAX_HEAD {
            return Err(ParseRejection::HeadTooLarge);
        }
        match lines.next_line()? {
            Some([]) => break,
            Some(line) => fields.add(line)?,
            None if bytes.len() > MAX_HEAD => return Err(ParseRejection::HeadTooLarge),
            None => return Ok(None),
        }
    }
    Ok(Some(Head {
        bytes: bytes.len() - lines.0.len(),
        framing: fields.framing(&request)?,
        whole_server: request.is_for_whole_server(),
        replaced_line: request.rewritten().map(|rewritten| (start..start + line.len(), rewritten)),
    }))
}

struct Lines<'a>(&'a [u8]);

impl<'a> Lines<'a> {
    /// RFC 9112 § 2.2: lines end with CRLF; readers differ about a lone LF or CR.
    fn next_line(&mut self) -> Result<Option<&'a [u8]>, ParseRejection> {
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
            _ => Err(ParseRejection::Malformed("a line does not end with CR LF")),
        }
    }
}

/// RFC 9110 § 5.6.2. A table, because each byte of each name is looked up.
static TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~');
        byte += 1;
    }
    table
};

pub(super) fn is_token(byte: u8) -> bool {
    TOKEN[usize::from(byte)]
}

/// RFC 9110 § 5.5: no control character but a tab.
fn is_field_value(byte: u8) -> bool {
    !byte.is_ascii_control() || byte == b'\t'
}
