//! A request as it was written to its connection, for the case that it must be sent again.
//!
//! A kept connection may be closed by the origin just as it is used. What can be sent again is sent again then, which needs
//! the request a second time. That is rare, and keeping the bytes costs far less than a copy of the request would.

use http::{HeaderName, HeaderValue, Request};

use crate::body::Body;

/// Bytes that a connection keeps room for between requests.
const ROOM: usize = 4096;

/// What was written since the beginning.
#[derive(Debug, Default)]
pub(super) struct Written {
    is_kept: bool,
    bytes: Vec<u8>,
}

impl Written {
    /// From here on it is kept, or not.
    pub(super) fn begin(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
        self.bytes.clear();
        self.bytes.shrink_to(ROOM);
    }

    /// So many bytes of these went out.
    pub(super) fn add<'a>(&mut self, bytes: impl IntoIterator<Item = &'a [u8]>, mut count: usize) {
        if !self.is_kept {
            return;
        }
        for piece in bytes {
            let piece = &piece[..piece.len().min(count)];
            self.bytes.extend_from_slice(piece);
            count -= piece.len();
        }
    }

    /// The request, which has no body. `None` where not all of it was written.
    pub(super) fn read(&self) -> Option<Request<Body>> {
        read(&self.bytes)
    }
}

/// Reads what the library wrote: it needs no lenience.
fn read(bytes: &[u8]) -> Option<Request<Body>> {
    let mut lines = bytes
        .strip_suffix(b"\r\n\r\n")?
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let mut first = lines.next()?.split(|byte| *byte == b' ');
    let mut request = Request::builder()
        .method(first.next()?)
        .uri(first.next()?)
        .body(Body::default())
        .ok()?;
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii_start());
        let name = HeaderName::from_bytes(name).ok()?;
        let value = HeaderValue::from_bytes(value).ok()?;
        request.headers_mut().append(name, value);
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_reads_as_the_request_it_was() {
        let mut written = Written::default();
        written.add([&b"not kept"[..]], 8);
        written.begin(true);
        written.add(
            [&b"GET /a?b HTT"[..], b"P/1.1\r\nHost: a.example\r\nxxx"],
            36,
        );
        assert!(written.read().is_none(), "not whole yet");
        written.add([&b"COOKIE: \xe9=1\r\n"[..], b"cookie: two\r\n\r\n"], 28);
        let request = written.read().unwrap();
        assert_eq!(
            (request.method(), request.uri().to_string().as_str()),
            (&http::Method::GET, "/a?b")
        );
        let fields: Vec<_> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        let expected = [
            ("host", &b"a.example"[..]),
            ("cookie", b"\xe9=1"),
            ("cookie", b"two"),
        ];
        assert_eq!(fields, expected);
    }
}
