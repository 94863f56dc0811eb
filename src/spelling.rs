//! How the names of fields are written. HTTP/1.1 takes capitals and small letters for the same (RFC 9110 § 5.1); bot walls do
//! not: they know how each browser writes. So names go on as they came.
//!
//! The HTTP library can keep them too, in a second map beside the fields; that cost a tenth of a forwarded request
//! (2026-11-21, callgrind: 10,000 of 94,000 instructions). Nearly all names are written in the usual way, `Like-This`, so only the
//! others are noted here, the library writes small letters, and the head is put right on its way to the socket.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::Extensions;
use tokio::io::AsyncWrite;

/// Pieces of one write; the library makes three of a message with chunks.
const PIECES: usize = 8;

/// The names of one message that are not written in the usual way, each followed by a colon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling(Vec<u8>);

impl Spelling {
    /// Notes how a name is written.
    pub(crate) fn note(&mut self, name: &[u8]) {
        if !is_usual(name) && self.of(name).is_none() {
            self.0.extend_from_slice(name);
            self.0.push(b':');
        }
    }

    /// Whether all names are written in the usual way.
    pub(crate) fn is_usual(&self) -> bool {
        self.0.is_empty()
    }

    /// Goes along with a message.
    pub(crate) fn go_with(self, extensions: &mut Extensions) {
        // Nearly always there is nothing to be told.
        if !self.is_usual() {
            extensions.insert(self);
        }
    }

    /// The names of a message.
    pub(crate) fn of_message(extensions: &mut Extensions) -> Self {
        extensions.remove().unwrap_or_default()
    }

    fn of(&self, name: &[u8]) -> Option<&[u8]> {
        self.0
            .split(|byte| *byte == b':')
            .find(|noted| noted.eq_ignore_ascii_case(name))
    }

    /// Writes a name of a head in place.
    fn write(&self, name: &mut [u8]) {
        if !self.is_usual()
            && let Some(noted) = self.of(name)
        {
            name.copy_from_slice(noted);
            return;
        }
        let mut begins = true;
        for byte in name {
            if begins {
                byte.make_ascii_uppercase();
            }
            begins = *byte == b'-';
        }
    }
}

/// `Like-This`.
fn is_usual(name: &[u8]) -> bool {
    let mut begins = true;
    name.iter().all(|byte| {
        let usual = if begins {
            !byte.is_ascii_lowercase()
        } else {
            !byte.is_ascii_uppercase()
        };
        begins = *byte == b'-';
        usual
    })
}

/// Puts heads right on their way out.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    head: Option<Spelling>,
    /// What is to be written in place of the bytes that were given.
    instead: Vec<u8>,
}

impl Writer {
    /// The next bytes begin with a head.
    pub(crate) fn head_follows(&mut self, spelling: Spelling) {
        self.head = Some(spelling);
    }

    pub(crate) fn poll_write(
        &mut self,
        mut io: impl AsyncWrite + Unpin,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let (Some(spelling), Some(first)) = (self.head.take(), bufs.first()) {
            self.instead.clear();
            self.instead.extend_from_slice(&first[..length(first)]);
            put_right(&mut self.instead, &spelling);
        }
        let Some(mut covered) = Some(self.instead.len()).filter(|covered| *covered > 0) else {
            return match bufs {
                [one] => Pin::new(&mut io).poll_write(cx, one),
                many => Pin::new(&mut io).poll_write_vectored(cx, many),
            };
        };
        let mut pieces = [IoSlice::new(&[]); PIECES];
        pieces[0] = IoSlice::new(&self.instead);
        for (piece, buf) in pieces[1..].iter_mut().zip(bufs) {
            let here = covered.min(buf.len());
            covered -= here;
            *piece = IoSlice::new(&buf[here..]);
        }
        let written = ready!(
            Pin::new(&mut io).poll_write_vectored(cx, &pieces[..PIECES.min(bufs.len() + 1)])
        )?;
        self.instead.drain(..written.min(self.instead.len()));
        Poll::Ready(Ok(written))
    }
}

/// How long the heads at the start are, interim ones before the final one too.
fn length(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(found) = memchr::memmem::find(&bytes[end..], b"\r\n\r\n") {
        let is_interim = bytes[end..].starts_with(b"HTTP/1.1 1");
        end += found + 4;
        if !is_interim {
            break;
        }
    }
    end
}

fn put_right(mut heads: &mut [u8], spelling: &Spelling) {
    while let Some(end) = memchr::memchr(b'\n', heads) {
        let (line, after) = heads.split_at_mut(end + 1);
        // A first line has a space before any colon, a name has none.
        if let Some(at) = memchr::memchr2(b':', b' ', line)
            && line[at] == b':'
        {
            spelling.write(&mut line[..at]);
        }
        heads = after;
    }
}

/// Notes how the names of a head are written, as it arrives.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    spelling: Spelling,
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Body,
    FirstLine,
    Fields {
        is_interim: bool,
    },
}

impl Reader {
    /// The next bytes begin with the head of a response.
    pub(crate) fn head_follows(&mut self) {
        *self = Self {
            state: State::FirstLine,
            ..Self::default()
        };
    }

    pub(crate) fn read(&mut self, mut bytes: &[u8]) {
        while self.state != State::Body {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.line.extend_from_slice(bytes);
                return;
            };
            let (line, after) = bytes.split_at(end);
            bytes = after.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.take(line);
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                self.take(&line);
            }
        }
    }

    fn take(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.state = match self.state {
            // Empty lines in front are ignored, as the library does.
            State::FirstLine if line.is_empty() => State::FirstLine,
            State::FirstLine => {
                let is_interim = line.get(8..10) == Some(b" 1") && line.get(9..12) != Some(b"101");
                State::Fields { is_interim }
            }
            State::Fields { is_interim } if line.is_empty() => {
                if is_interim {
                    self.spelling = Spelling::default();
                    State::FirstLine
                } else {
                    State::Body
                }
            }
            state => {
                if let Some(colon) = memchr::memchr(b':', line) {
                    self.spelling.note(&line[..colon]);
                }
                state
            }
        };
    }

    /// How they were written.
    pub(crate) fn spelling(&mut self) -> Spelling {
        std::mem::take(&mut self.spelling)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncReadExt;

    use super::*;

    fn noted(names: &[&str]) -> Spelling {
        let mut spelling = Spelling::default();
        for name in names {
            spelling.note(name.as_bytes());
        }
        spelling
    }

    #[test]
    fn usual_names_need_no_note() {
        assert!(noted(&["Host", "User-Agent", "X-1-A", "Accept"]).is_usual());
        for name in [
            "host",
            "DNT",
            "sec-ch-ua",
            "ETag",
            "X-xss-Protection",
            "Sec-CH-UA",
        ] {
            assert!(!noted(&[name]).is_usual(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_head_goes_out_as_its_names_were_written_and_the_rest_as_it_is() {
        const GIVEN: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\netag: a:b\r\nx-a: c d\r\nset-cookie: e\r\n\r\nx-a: body\r\n";
        const BODY: &[u8] = b"etag: more\r\n\r\n";
        let expected = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag: a:b\r\nx-a: c d\r\nSet-Cookie: e\r\n\r\nx-a: body\r\netag: more\r\n\r\n";
        // The smallest pipe forces every kind of partial write.
        for room in [1, 7, 60, 4096] {
            let (mut ours, mut theirs) = tokio::io::duplex(room);
            let mut writer = Writer::default();
            writer.head_follows(noted(&["ETag", "x-a", "Other"]));
            let writing = async move {
                let (mut given, mut body) = (GIVEN, BODY);
                while !given.is_empty() || !body.is_empty() {
                    let bufs = [IoSlice::new(given), IoSlice::new(body)];
                    let bufs = if given.is_empty() {
                        &bufs[1..]
                    } else {
                        &bufs[..]
                    };
                    let written = poll_fn(|cx| writer.poll_write(&mut ours, cx, bufs))
                        .await
                        .unwrap();
                    let of_given = written.min(given.len());
                    given = &given[of_given..];
                    body = &body[written - of_given..];
                }
            };
            let mut got = String::new();
            let (_, read) = tokio::join!(writing, theirs.read_to_string(&mut got));
            read.unwrap();
            assert_eq!(got, expected, "{room}");
        }
    }

    #[test]
    fn the_names_of_the_final_head_are_noted_however_it_arrives() {
        let bytes = b"\r\nHTTP/1.1 103 Early Hints\r\nLINK: x\r\n\r\nHTTP/1.1 200 OK\r\netag: a\r\nDate: b\r\nX-XSS-Protection: 0\r\n\r\nbody: x\r\n";
        for size in 1..bytes.len() {
            let mut reader = Reader::default();
            reader.read(b"lower: not asked for\r\n");
            reader.head_follows();
            bytes.chunks(size).for_each(|piece| reader.read(piece));
            assert_eq!(
                reader.spelling(),
                noted(&["etag", "X-XSS-Protection"]),
                "{size}"
            );
        }
    }
}
