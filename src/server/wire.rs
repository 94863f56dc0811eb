//! What a request looks like on the wire, judged before the HTTP library reads it: syntax, framing,
//! bounds. Whatever two readers could take for two different messages is refused.
//!
//! The library is lenient where the standard allows it (it drops one of `Content-Length` and
//! `Transfer-Encoding`, and merges lengths that are repeated); a proxy in front of other servers must
//! not be. Nothing is changed here: a head passes as it came, or not at all.

use crate::{
    headers::MAX_FIELDS,
    spelling::{Name, Spelling},
};

/// Longest method: the longest registered one has 17 letters (RFC 9110 § 16.1). Longer is no method
/// that any server knows.
const MAX_METHOD: usize = 64;

/// Longest target: RFC 9112 § 3 asks for at least 8,000 bytes; browsers stop far below this.
const MAX_TARGET: usize = 32 * 1024;

/// Longest head: as much as the most generous of the common servers take. Raising it lets every
/// connection hold more memory.
const MAX_HEAD: usize = 64 * 1024;

/// Most bytes of one chunk's line, extensions included (RFC 9112 § 7.1.1 asks for a bound).
const MAX_CHUNK_LINE: usize = 4096;

/// Most bytes of trailers, and most fields in them.
const MAX_TRAILERS: usize = 16 * 1024;

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
    pub(super) spelling: Spelling,
}

/// Looks for a whole head at the start of these bytes; none while it is not complete.
pub(super) fn head(bytes: &[u8]) -> Result<Option<Head>, Refusal> {
    // RFC 9112 § 2.2: empty lines in front of a request are ignored.
    let start = bytes
        .chunks(2)
        .take_while(|line| *line == b"\r\n")
        .take(4)
        .count()
        * 2;
    let mut lines = Lines(&bytes[start..]);
    let line = match lines.next_line()? {
        Some(line) => line,
        None if lines.0.len() > MAX_METHOD + MAX_TARGET => return Err(Refusal::TargetTooLong),
        None => return Ok(None),
    };
    let request = RequestLine::parse(line)?;
    let mut fields = Fields::default();
    loop {
        if bytes.len() - lines.0.len() > MAX_HEAD {
            return Err(Refusal::HeadTooLarge);
        }
        match lines.next_line()? {
            Some([]) => break,
            Some(line) => fields.take(line)?,
            None if bytes.len() > MAX_HEAD => return Err(Refusal::HeadTooLarge),
            None => return Ok(None),
        }
    }
    Ok(Some(Head {
        bytes: bytes.len() - lines.0.len(),
        spelling: std::mem::take(&mut fields.spelling),
        framing: fields.framing(&request)?,
        whole_server: request.method == b"OPTIONS" && has_no_path(request.target),
    }))
}

struct Lines<'a>(&'a [u8]);

impl<'a> Lines<'a> {
    /// RFC 9112 § 2.2: lines end with CRLF; a lone LF or CR is where readers begin to differ.
    fn next_line(&mut self) -> Result<Option<&'a [u8]>, Refusal> {
        let Some(end) = memchr::memchr(b'\n', self.0) else {
            return Ok(None);
        };
        let Some(line) = self.0[..end].strip_suffix(b"\r") else {
            return Err(Refusal::Malformed("a line does not end with CR LF"));
        };
        // A CR within a line is a sign that is forbidden in every part of one.
        self.0 = &self.0[end + 1..];
        Ok(Some(line))
    }
}

struct RequestLine<'a> {
    method: &'a [u8],
    target: &'a [u8],
    is_1_0: bool,
}

impl<'a> RequestLine<'a> {
    /// RFC 9112 § 3: method, target and version, one space between them.
    fn parse(line: &'a [u8]) -> Result<Self, Refusal> {
        let mut parts = line.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Refusal::Malformed("its first line has not three parts"));
        };
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
        // RFC 9112 § 3.2: an address with signs that must be encoded is refused, not corrected. Asked of the
        // library's own parser, which would refuse it without a word to the reader.
        if !is_plain(target) && (!target.is_ascii() || http::Uri::try_from(target).is_err()) {
            return Err(Refusal::Malformed(
                "its address has signs that must be encoded",
            ));
        }
        match version {
            b"HTTP/1.1" => Ok(Self {
                method,
                target,
                is_1_0: false,
            }),
            b"HTTP/1.0" => Ok(Self {
                method,
                target,
                is_1_0: true,
            }),
            [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
                if major.is_ascii_digit() && minor.is_ascii_digit() =>
            {
                Err(Refusal::Version)
            }
            _ => Err(Refusal::Malformed(
                "its first line does not end with a version",
            )),
        }
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

/// Whether this is an absolute address that ends with its authority.
fn has_no_path(target: &[u8]) -> bool {
    let start = target.windows(3).position(|three| three == b"://");
    start.is_some_and(|start| !target[start + 3..].iter().any(|byte| b"/?#".contains(byte)))
}

/// What the fields say about framing.
#[derive(Default)]
struct Fields {
    count: usize,
    hosts: usize,
    length: Option<u64>,
    codings: Vec<Vec<u8>>,
    spelling: Spelling,
}

impl Fields {
    /// RFC 9112 § 5: `name ":" OWS value OWS`.
    fn take(&mut self, line: &[u8]) -> Result<(), Refusal> {
        self.count += 1;
        if self.count > MAX_FIELDS {
            return Err(Refusal::TooManyFields);
        }
        // RFC 9112 § 5.2: a folded line is refused.
        if matches!(line.first(), Some(b' ' | b'\t')) {
            return Err(Refusal::Malformed("a header field goes over two lines"));
        }
        let (name, value) = field(line)?;
        self.spelling.note(line, name);
        let name = &line[..name.length];
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

    fn framing(self, request: &RequestLine<'_>) -> Result<Framing, Refusal> {
        // RFC 9112 § 3.2: exactly one Host field; HTTP/1.0 may have none.
        if self.hosts > 1 || self.hosts == 0 && !request.is_1_0 {
            return Err(Refusal::Malformed("it must have one Host field"));
        }
        let framing = match (self.length, &self.codings[..]) {
            (length, []) => Framing::Length(length.unwrap_or(0)),
            // RFC 9112 § 6.1: both together are an attempt to smuggle, or a mistake.
            (Some(_), _) => return Err(Refusal::Malformed("its length is given in two ways")),
            (None, _) if request.is_1_0 => {
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

fn field(line: &[u8]) -> Result<(Name, &[u8]), Refusal> {
    let name = Name::of(line);
    let end = name.length;
    // RFC 9112 § 5.1: a space before the colon is refused too.
    if end == 0 || line.get(end) != Some(&b':') {
        return Err(Refusal::Malformed(if line.contains(&b':') {
            "a header field's name has forbidden signs"
        } else {
            "a header field has no colon"
        }));
    }
    let value = &line[end + 1..];
    // RFC 9110 § 5.5: no control characters, NUL before all.
    // Asked of all of them without a way out between, which compilers turn into few instructions.
    let forbidden = |byte: u8| byte.is_ascii_control() && byte != b'\t';
    if value.iter().fold(false, |any, byte| any | forbidden(*byte)) {
        return Err(Refusal::Malformed(
            "a header field's value has forbidden signs",
        ));
    }
    Ok((name, value.trim_ascii()))
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

fn is_host(value: &[u8]) -> bool {
    !value.is_empty()
        && value.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-._~:[]!$&'()*+;=%".contains(byte)
        })
}

/// What a byte may be part of: a token (RFC 9110 § 5.6.2), and what of hosts and paths (RFC 3986 § 3) is never doubtful.
const TOKEN: u8 = 1;
const HOST: u8 = 2;
const DIGIT: u8 = 4;
const PATH: u8 = 8;

/// As a table: every byte of a head is asked for.
const CLASSES: [u8; 256] = {
    const fn with<const N: usize>(mut table: [u8; 256], bytes: &[u8; N], class: u8) -> [u8; 256] {
        let mut at = 0;
        while at < N {
            table[bytes[at] as usize] |= class;
            at += 1;
        }
        table
    }
    let mut table = [0; 256];
    table = with(table, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", TOKEN | PATH);
    table = with(table, b"abcdefghijklmnopqrstuvwxyz", TOKEN | PATH | HOST);
    table = with(table, b"0123456789", TOKEN | PATH | HOST | DIGIT);
    table = with(table, b"!#$%&'*+-.^_`|~", TOKEN);
    table = with(table, b"-.", HOST);
    with(table, b"-._~!$&'()*+,;=:@/%?", PATH)
};

/// How many bytes at the start are of a class.
fn length_of(bytes: &[u8], class: u8) -> usize {
    let other = |byte: &u8| CLASSES[usize::from(*byte)] & class == 0;
    bytes.iter().position(other).unwrap_or(bytes.len())
}

fn is_token(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & TOKEN != 0
}

/// Where a chunked body stands (RFC 9112 § 7.1).
#[derive(Debug, Default)]
pub(super) struct Chunks {
    state: ChunkState,
    /// Bytes of the line, or of the trailers, so far.
    line: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChunkState {
    #[default]
    SizeStart,
    Size(u64),
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf,
    EndLf,
    End,
}

impl Chunks {
    pub(super) fn is_end(&self) -> bool {
        self.state == ChunkState::End
    }

    /// How many of these bytes belong to the body; an error at the first that cannot.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, &'static str> {
        let mut taken = 0;
        while taken < bytes.len() && !self.is_end() {
            if let ChunkState::Data(left) = self.state {
                let here = usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len() - taken);
                taken += here;
                let left = left - here as u64;
                self.state = if left == 0 {
                    ChunkState::DataCr
                } else {
                    ChunkState::Data(left)
                };
            } else {
                self.state = self.step(bytes[taken])?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    fn step(&mut self, byte: u8) -> Result<ChunkState, &'static str> {
        use ChunkState as S;
        self.line += 1;
        let next = match (self.state, byte) {
            (S::SizeStart, _) => S::Size(digit(byte).ok_or("a chunk has no size")?),
            (S::Size(size) | S::Extension(size), b'\r') => S::SizeLf(size),
            (S::Size(size), b';') | (S::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => {
                S::Extension(size)
            }
            (S::Size(size), _) => {
                let digit = digit(byte).ok_or("a chunk's size is not a number")?;
                // Sixteen digits would still fit; no one sends 2^60 bytes.
                if size >> 56 != 0 {
                    return Err("a chunk's size is too large");
                }
                S::Size(size << 4 | digit)
            }
            (S::SizeLf(0) | S::TrailerLf, b'\n') => S::TrailerStart,
            (S::SizeLf(size), b'\n') => S::Data(size),
            (S::DataCr, b'\r') => S::DataLf,
            (S::DataLf, b'\n') => S::SizeStart,
            (S::TrailerStart, b'\r') => S::EndLf,
            (S::TrailerStart | S::Trailer, b'\t' | b' '..=b'~' | 0x80..) => S::Trailer,
            (S::Trailer, b'\r') => S::TrailerLf,
            (S::EndLf, b'\n') => S::End,
            _ => return Err("a chunk is malformed"),
        };
        let most = match next {
            S::Size(_) | S::Extension(_) => MAX_CHUNK_LINE,
            _ => MAX_TRAILERS,
        };
        if self.line > most {
            return Err("a chunk's line or the trailers are too long");
        }
        if matches!(next, S::Data(_)) || self.state == S::SizeLf(0) {
            self.line = 0;
        }
        Ok(next)
    }
}

fn digit(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
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

    fn chunks(body: &str) -> Result<usize, &'static str> {
        // Byte by byte and at once must agree.
        let mut whole = Chunks::default();
        let taken = whole.take(body.as_bytes());
        let mut pieces = Chunks::default();
        let sum = body
            .as_bytes()
            .chunks(1)
            .try_fold(0, |sum, byte| Ok(sum + pieces.take(byte)?));
        assert_eq!(taken, sum, "{body:?}");
        taken
    }

    #[test]
    fn a_head_is_complete_with_its_empty_line_only() {
        let text = b"\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
        for end in 0..text.len() - 3 {
            assert_eq!(head(&text[..end]), Ok(None), "{end}");
        }
        let found = head(text).unwrap().unwrap();
        assert_eq!(
            (found.bytes, found.framing),
            (text.len() - 3, Framing::Length(3))
        );
    }

    #[test]
    fn a_chunked_body_ends_where_it_ends() {
        for body in [
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "00a;x=\"y\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
        ] {
            assert_eq!(chunks(&format!("{body}GET /")), Ok(body.len()), "{body:?}");
        }
    }

    #[test]
    fn malformed_chunks_are_errors() {
        for body in [
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "0x3\r\n",
            " 3\r\n",
            "3 \r\n",
            "3\nabc",
            "3\r\nabcd",
            "3\r\nabc\n",
            "3\r\nabc\r0",
            "fffffffffffffffff\r\n",
            "3;a\nb\r\n",
            "3;a\0\r\n",
            "0\r\nX: y\n",
            "0\r\nX:\0",
        ] {
            assert!(chunks(body).is_err(), "{body:?}");
        }
        assert!(chunks(&format!("3;{}\r\n", "x".repeat(5000))).is_err());
        assert!(chunks(&format!("0\r\n{}\r\n", "x: y\r\n".repeat(5000))).is_err());
    }
}
