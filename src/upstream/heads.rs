//! What the heads of responses tell before the HTTP library reads them: how names are written, and interim responses, which it
//! tells only to those who ask for them with every single request.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::interim::Interim;
use crate::{
    headers::MAX_FIELDS,
    spelling::{Name, Reader, Spelling},
};

/// Reads heads as they arrive.
#[derive(Default)]
pub(super) struct Heads {
    state: State,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    spelling: Spelling,
    reader: Reader,
}

#[derive(Default)]
enum State {
    #[default]
    Body,
    FirstLine,
    Final,
    /// None where the library will find something wrong.
    Interim(Option<(StatusCode, HeaderMap)>),
}

impl Heads {
    /// The next bytes begin with the head of a response.
    pub(super) fn follow(&mut self) {
        self.state = State::FirstLine;
        self.line.clear();
        self.spelling = Spelling::default();
    }

    /// Reads on. Interim responses are told there.
    pub(super) fn read(&mut self, bytes: &[u8], told: &Interim) {
        if !matches!(self.state, State::FirstLine) || !self.line.is_empty() {
            self.read_lines(bytes, told);
            return;
        }
        if let Some(spelling) = self.reader.find(bytes) {
            self.state = State::Body;
            self.spelling = spelling;
            return;
        }
        let left = self.read_lines(bytes, told).len();
        let is_whole = matches!(self.state, State::Body);
        if is_whole && bytes.starts_with(b"HTTP/") {
            self.reader
                .keep(&bytes[..bytes.len() - left], &self.spelling);
        }
    }

    /// Gives what follows the head.
    fn read_lines<'a>(&mut self, mut bytes: &'a [u8], told: &Interim) -> &'a [u8] {
        while !matches!(self.state, State::Body) {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.line.extend_from_slice(bytes);
                return &[];
            };
            let (line, after) = bytes.split_at(end);
            bytes = after.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.take(line, told);
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                self.take(&line, told);
            }
        }
        bytes
    }

    fn take(&mut self, line: &[u8], told: &Interim) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match &mut self.state {
            State::Body => {}
            // Empty lines in front are ignored, as the library does.
            State::FirstLine if line.is_empty() => {}
            State::FirstLine => {
                let status = line
                    .get(9..12)
                    .and_then(|digits| StatusCode::from_bytes(digits).ok());
                self.state = match status {
                    Some(status)
                        if status.is_informational()
                            && status != StatusCode::SWITCHING_PROTOCOLS =>
                    {
                        State::Interim(Some((status, HeaderMap::new())))
                    }
                    _ => State::Final,
                };
            }
            State::Final if line.is_empty() => self.state = State::Body,
            State::Final => self.spelling.note(line, Name::of(line)),
            State::Interim(head) if line.is_empty() => {
                if let Some((status, fields)) = head.take() {
                    told.tell(status, fields);
                }
                self.state = State::FirstLine;
            }
            State::Interim(head) => {
                if let Some((_, fields)) = head {
                    match field(line) {
                        Some((name, value)) if fields.len() < MAX_FIELDS => {
                            fields.append(name, value);
                        }
                        _ => *head = None,
                    }
                }
            }
        }
    }

    /// How the names of the final head were written.
    pub(super) fn spelling(&mut self) -> Spelling {
        std::mem::take(&mut self.spelling)
    }
}

fn field(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = memchr::memchr(b':', line)?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn names_are_told_of_every_head_whatever_the_one_before_was_like() {
        let mut one = Heads::default();
        for head in [
            "HTTP/1.1 200 OK\r\nETag: a\r\nx-a: b\r\n\r\nX-A: body",
            "HTTP/1.1 200 OK\r\nETag: other\r\nx-a: b\r\n\r\n",
            "HTTP/1.1 404 No\r\nETag: x-a\r\nX-A: b\r\n\r\n",
            "HTTP/1.1 404 No\r\nETag: x-a\r\nX-A: b\r\nx-b: c\r\n\r\n",
            "HTTP/1.1 103 No\r\nx-b: c\r\n\r\nHTTP/1.1 200 OK\r\nETag: a\r\n\r\n",
            "HTTP/1.1 103 No\r\nx-b: d\r\n\r\nHTTP/1.1 200 OK\r\nEtag: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\nLink: a\r\n\r\n",
            "HTTP/1.1 103 Hint\r\nLink: b\r\n\r\nHTTP/1.1 200 OK\r\nlink: c\r\n\r\n",
            "HTTP/1.0 103 Hint\r\nLink: b\r\n\r\nHTTP/1.1 200 OK\r\nlink: c\r\n\r\n",
            "HTTP/1.0 103 Hint\r\nLink: d\r\n\r\nHTTP/1.1 200 OK\r\nlink: c\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "\r\n\r\nHTTP/1.1 200 OK\r\nETag: c\r\n\r\n",
            "\r\nHTTP/1.1 200 OK\r\nx-b: a\r\n\r\n",
            "\r\nHTTP/1.1 200 OK\r\nx-c: a\r\n\r\n",
        ] {
            let read = move |heads: &mut Heads| {
                let told = Interim::default();
                heads.follow();
                heads.read(head.as_bytes(), &told);
                heads.read(b"x-d: no head any more\r\n", &told);
                let is_told = told.poll_own().is_ready();
                assert_eq!(is_told, head.contains(" 103 "), "{head}");
                heads.spelling()
            };
            // On a thread that has met no other.
            let alone = std::thread::spawn(move || read(&mut Heads::default()));
            let alone = alone.join().unwrap();
            assert_eq!(read(&mut one), alone, "{head}");
            assert_eq!(read(&mut Heads::default()), alone, "{head}");
        }
    }

    #[test]
    fn names_of_the_final_head_and_interim_responses_are_told_however_they_arrive() {
        let bytes = b"\r\nHTTP/1.1 103 Early Hints\r\nLINK: x\r\nlink:y \r\n\r\nHTTP/1.1 102 Wrong\r\nno name\r\n\r\n\
            HTTP/1.1 200 OK\r\netag: a\r\nDate: b\r\nX-XSS-Protection: 0\r\n\r\nbody: x\r\n";
        for size in 1..bytes.len() {
            let (mut heads, told) = (Heads::default(), Interim::default());
            heads.read(b"lower: not asked for\r\n", &told);
            heads.follow();
            let pieces = bytes.chunks(size);
            pieces.for_each(|piece| heads.read(piece, &told));
            let mut noted = Spelling::default();
            for name in ["etag", "X-XSS-Protection"] {
                noted.note(name.as_bytes(), Name::of(name.as_bytes()));
            }
            assert_eq!(heads.spelling(), noted, "{size}");
            let mut cx = Context::from_waker(Waker::noop());
            let Poll::Ready((status, fields)) = told.poll_next(&mut cx) else {
                panic!("no interim response");
            };
            assert_eq!(status, StatusCode::EARLY_HINTS);
            let links: Vec<_> = fields.get_all("link").iter().collect();
            assert_eq!(links, ["x", "y"]);
            assert!(told.poll_next(&mut cx).is_pending());
        }
    }
}
