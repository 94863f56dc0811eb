//! A request as it was written to its connection, for the case that it must be sent again.
//!
//! A kept connection may be closed by the origin just as it is used. What can be sent again is sent again then, which needs
//! the request a second time. That is rare, and keeping the bytes costs far less than a copy of the request would.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderName, HeaderValue, Request};

use crate::body::Body;

/// Bytes that a connection keeps room for between requests.
const ROOM: usize = 4096;

/// What was written since the beginning; shared between a connection and whoever uses it.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<Record>>);

#[derive(Default)]
struct Record {
    is_kept: bool,
    bytes: Vec<u8>,
}

impl Written {
    /// From here on it is kept.
    pub(super) fn begin(&self) {
        let mut record = self.lock();
        record.is_kept = true;
        record.bytes.clear();
        record.bytes.shrink_to(ROOM);
    }

    /// Up to here.
    pub(super) fn end(&self) -> &Self {
        self.lock().is_kept = false;
        self
    }

    /// So many bytes of these went out.
    pub(super) fn add<'a>(&self, bytes: impl IntoIterator<Item = &'a [u8]>, mut count: usize) {
        let mut record = self.lock();
        if !record.is_kept {
            return;
        }
        for piece in bytes {
            let piece = &piece[..piece.len().min(count)];
            record.bytes.extend_from_slice(piece);
            count -= piece.len();
        }
    }

    /// The request, which has no body. `None` where not all of it was written.
    pub(super) fn read(&self) -> Option<Request<Body>> {
        read(&self.lock().bytes)
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // Nothing in here can be left half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let written = Written::default();
        written.add([&b"not kept"[..]], 8);
        written.begin();
        written.add(
            [&b"GET /a?b HTT"[..], b"P/1.1\r\nHost: a.example\r\nxxx"],
            38,
        );
        assert!(written.read().is_none(), "not whole yet");
        written.add([&b"COOKIE: \xe9=1\r\n"[..], b"cookie: two\r\n\r\n"], 28);
        written.end();
        written.add([&b"nor this"[..]], 8);
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
