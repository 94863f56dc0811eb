//! How the names of fields are written. HTTP/1.1 takes capitals and small letters for the same (RFC 9110 § 5.1); bot walls do
//! not: they know how each browser writes. So names go on as they came.
//!
//! The HTTP library can keep them too, in a second map beside the fields; that cost a tenth of a forwarded request
//! (2026-11-21, callgrind: 10,000 of 94,000 instructions). Many names are written in the usual way, `Like-This`; only the others are
//! noted here, and the head is put right on its way to the socket.

mod alike;

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::{Extensions, HeaderValue};
use tokio::io::AsyncWrite;

/// Pieces of one write; the library makes three of a message with chunks.
const PIECES: usize = 8;

/// Bytes behind a head that are copied and go out in one piece with it: the system takes one piece faster than several.
const SMALL: usize = 1024;

/// The names of one message that are not written in the usual way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// Each followed by a colon.
    names: Vec<u8>,
    /// A bit for each of their lengths, so that most other names need not be compared with any.
    lengths: u64,
}

impl Spelling {
    /// Notes how the name at the start of a line is written.
    pub(crate) fn note(&mut self, line: &[u8], name: Name) {
        if !name.is_usual && self.of(&line[..name.length]).is_none() {
            self.names.extend_from_slice(&line[..name.length]);
            self.names.push(b':');
            self.lengths |= bit(name.length);
        }
    }

    /// Whether all names are written in the usual way.
    pub(crate) fn is_usual(&self) -> bool {
        self.names.is_empty()
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
        if self.lengths & bit(name.len()) == 0 {
            return None;
        }
        self.names
            .split(|byte| *byte == b':')
            .find(|noted| noted.eq_ignore_ascii_case(name))
    }
}

fn bit(length: usize) -> u64 {
    1 << (length % 64)
}

/// The name at the start of a line, as far as it is one (RFC 9110 § 5.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) length: usize,
    /// Whether it is written in the usual way, `Like-This`.
    is_usual: bool,
}

impl Name {
    pub(crate) fn of(line: &[u8]) -> Self {
        let mut state = BEGINS;
        for (length, byte) in line.iter().enumerate() {
            let next = STEPS[(usize::from(state) + usize::from(*byte)) % STEPS.len()];
            if next == ENDS {
                let is_usual = state != UNUSUAL;
                return Self { length, is_usual };
            }
            state = next;
        }
        Self {
            length: line.len(),
            is_usual: state != UNUSUAL,
        }
    }
}

/// A word of a usual name begins, or goes on. The numbers are places in the table.
const BEGINS: u16 = 0;
const GOES_ON: u16 = 256;
const UNUSUAL: u16 = 512;
const ENDS: u16 = 768;

/// What follows after which state with which byte. As a table: every byte of every name is asked for.
const STEPS: [u16; 1024] = {
    const fn step(state: u16, byte: u8) -> u16 {
        let is_unusual = match byte {
            // A capital only where a word begins, a small letter only where none does.
            b'a'..=b'z' => state == BEGINS,
            b'A'..=b'Z' => state == GOES_ON,
            b'0'..=b'9'
            | b'!'
            | b'#'..=b'\''
            | b'*'
            | b'+'
            | b'-'
            | b'.'
            | b'^'..=b'`'
            | b'|'
            | b'~' => false,
            _ => return ENDS,
        };
        if is_unusual || state == UNUSUAL {
            UNUSUAL
        } else if byte == b'-' {
            BEGINS
        } else {
            GOES_ON
        }
    }
    let mut table = [ENDS; 1024];
    let mut state = BEGINS;
    while state < ENDS {
        let mut byte = 0;
        while byte < u8::MAX {
            table[state as usize + byte as usize] = step(state, byte);
            byte += 1;
        }
        state += 256;
    }
    table
};

/// Most bytes of a head that are kept to compare the next one with. Every connection, idle or not, may hold as many, twice where
/// its heads are written.
const MOST: usize = 2048;

/// Tells the spelling of heads that come one after the other on a connection.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The head that was read last. Empty where none is kept.
    last: Vec<u8>,
    spelling: Spelling,
}

impl Reader {
    /// How the names of the head at the start of these bytes are written, if they are those of the head before.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<Spelling> {
        // Empty lines may stand in front of it.
        if self.last.is_empty() || !bytes.starts_with(b"HTTP/") {
            return None;
        }
        alike::compare(&self.last, bytes, |_, _| {})?;
        Some(self.spelling.clone())
    }

    /// This is a whole head.
    pub(crate) fn keep(&mut self, head: &[u8], spelling: &Spelling) {
        self.last.clear();
        if head.len() <= MOST && !alike::is_interim(head) {
            self.last.extend_from_slice(head);
            self.spelling.clone_from(spelling);
        }
    }
}

/// Puts heads right on their way out.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    head: Option<Head>,
    last: Last,
    /// What is to be written in place of bytes that were given,
    instead: Vec<u8>,
    /// and of how many.
    covered: usize,
}

/// What a head is to be like.
#[derive(Debug)]
struct Head {
    spelling: Spelling,
    /// A field to stand before all others.
    host: Option<HeaderValue>,
}

impl Writer {
    /// The next bytes begin with a head. A host goes before all fields.
    pub(crate) fn head_follows(&mut self, spelling: Spelling, host: Option<HeaderValue>) {
        self.head = Some(Head { spelling, host });
    }

    pub(crate) fn poll_write(
        &mut self,
        mut io: impl AsyncWrite + Unpin,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let (Some(head), Some(first)) = (self.head.take(), bufs.first()) {
            self.instead.clear();
            self.covered = head
                .write(first, &mut self.instead, &mut self.last)
                .unwrap_or(0);
            let given: usize = bufs.iter().map(|buf| buf.len()).sum();
            if self.covered > 0 && given - self.covered <= SMALL {
                let mut skipped = self.covered;
                for buf in bufs {
                    let here = skipped.min(buf.len());
                    skipped -= here;
                    self.instead.extend_from_slice(&buf[here..]);
                }
                self.covered = given;
            }
        }
        while self.covered > 0 {
            let mut pieces = [IoSlice::new(&[]); PIECES];
            pieces[0] = IoSlice::new(&self.instead);
            let mut covered = self.covered;
            for (piece, buf) in pieces[1..].iter_mut().zip(bufs) {
                let here = covered.min(buf.len());
                covered -= here;
                *piece = IoSlice::new(&buf[here..]);
            }
            let pieces = &pieces[..PIECES.min(bufs.len() + 1)];
            let is_all = pieces[1..].iter().all(|piece| piece.is_empty());
            let written = ready!(if is_all {
                Pin::new(&mut io).poll_write(cx, &self.instead)
            } else {
                Pin::new(&mut io).poll_write_vectored(cx, pieces)
            })?;
            if written >= self.instead.len() {
                let after = written - self.instead.len();
                return Poll::Ready(Ok(std::mem::take(&mut self.covered) + after));
            }
            self.instead.drain(..written);
            // The last of the bytes that were given counts as written only when all in place of them are.
            let told = written.min(self.covered - 1);
            self.covered -= told;
            if told > 0 || written == 0 {
                return Poll::Ready(Ok(told));
            }
        }
        match bufs {
            [one] => Pin::new(&mut io).poll_write(cx, one),
            many => Pin::new(&mut io).poll_write_vectored(cx, many),
        }
    }
}

impl Head {
    /// Writes what is to stand in place of the head at the start of these bytes. How many of them that is; `None` where they
    /// are no whole head.
    fn write(&self, given: &[u8], instead: &mut Vec<u8>, last: &mut Last) -> Option<usize> {
        let after_first_line = || memchr::memchr(b'\n', given).map(|end| end + 1);
        let covered = if self.spelling.is_usual() && self.host.is_some() {
            // The library writes names in the usual way where it is told a host.
            let covered = after_first_line()?;
            instead.extend_from_slice(&given[..covered]);
            covered
        } else if let Some(covered) = last.write(given, &self.spelling, instead) {
            covered
        } else {
            instead.clear();
            instead.extend_from_slice(given);
            let covered = put_right(instead, &self.spelling)?;
            instead.truncate(covered);
            last.keep(&given[..covered], &self.spelling, instead);
            covered
        };
        if let Some(host) = &self.host {
            let at = after_first_line()?;
            let line = [b"Host: ", host.as_bytes(), b"\r\n"];
            instead.splice(at..at, line.into_iter().flatten().copied());
        }
        Some(covered)
    }
}

/// The head that was put right last.
#[derive(Debug, Default)]
struct Last {
    /// As it was given. Empty where none is kept.
    given: Vec<u8>,
    /// As it was written: as long, because only capitals change.
    right: Vec<u8>,
    spelling: Spelling,
}

impl Last {
    /// Writes the head at the start of these bytes as the last one was written, if it has the same names.
    fn write(&self, given: &[u8], spelling: &Spelling, instead: &mut Vec<u8>) -> Option<usize> {
        if self.given.is_empty() || self.spelling != *spelling {
            return None;
        }
        alike::compare(&self.given, given, |same, value| {
            instead.extend_from_slice(&self.right[same]);
            instead.extend_from_slice(&given[value]);
        })
    }

    fn keep(&mut self, given: &[u8], spelling: &Spelling, right: &[u8]) {
        self.given.clear();
        self.right.clear();
        if given.len() <= MOST && !alike::is_interim(given) {
            self.given.extend_from_slice(given);
            self.right.extend_from_slice(right);
            self.spelling.clone_from(spelling);
        }
    }
}

/// Writes the names of the head at the start of these bytes, and of interim ones before it, in place. How long they are; `None`
/// where that is no whole head.
fn put_right(bytes: &mut [u8], spelling: &Spelling) -> Option<usize> {
    let line_after = |bytes: &[u8], at| Some(at + memchr::memchr(b'\n', bytes.get(at..)?)? + 1);
    let mut at = 0;
    loop {
        let is_interim = bytes[at..].starts_with(b"HTTP/1.1 1");
        at = line_after(bytes, at)?;
        while !bytes[at..].starts_with(b"\r\n") {
            let mut begins = true;
            let mut length = 0;
            for byte in bytes[at..].iter_mut().take_while(|byte| **byte != b':') {
                if begins {
                    byte.make_ascii_uppercase();
                }
                begins = *byte == b'-';
                length += 1;
            }
            let name = &mut bytes[at..at + length];
            if !spelling.is_usual()
                && let Some(noted) = spelling.of(name)
            {
                name.copy_from_slice(noted);
            }
            at = line_after(bytes, at + length)?;
        }
        at += 2;
        if !is_interim {
            return Some(at);
        }
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
            spelling.note(name.as_bytes(), Name::of(name.as_bytes()));
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
        const GIVEN: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\netag: a:b\r\nX-A: c d\r\nset-cookie: e\r\n\r\nX-A: body\r\n";
        const HEAD: &str = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag: a:b\r\nx-a: c d\r\nSet-Cookie: e\r\n\r\nX-A: body\r\n";
        // The smallest pipe forces every kind of partial write; what is small goes out with the head.
        for (room, copies) in [1, 7, 60, 4096]
            .into_iter()
            .flat_map(|room| [(room, 1), (room, SMALL)])
        {
            let body_text = "etag: more\r\n\r\n".repeat(copies);
            let expected = format!("{HEAD}{body_text}");
            let (mut ours, mut theirs) = tokio::io::duplex(room);
            let mut writer = Writer::default();
            writer.head_follows(noted(&["ETag", "x-a", "Other"]), None);
            let writing = async move {
                let (mut given, mut body) = (GIVEN, body_text.as_bytes());
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
            let ((), read) = tokio::join!(writing, theirs.read_to_string(&mut got));
            read.unwrap();
            assert_eq!(got, expected, "{room} {copies}");
        }
    }

    async fn written(writer: &mut Writer, head: &str, spelling: &Spelling) -> Vec<u8> {
        let given = format!("{head}etag: of the body");
        let mut out = Vec::new();
        writer.head_follows(spelling.clone(), None);
        let bufs = [IoSlice::new(given.as_bytes())];
        let count = poll_fn(|cx| writer.poll_write(&mut out, cx, &bufs)).await;
        assert_eq!(count.unwrap(), given.len());
        out
    }

    #[tokio::test]
    async fn a_head_is_written_like_the_one_before_only_where_it_has_the_same_names_spelled_the_same()
     {
        let etag = noted(&["ETag"]);
        let small = noted(&["etag", "x-a"]);
        let heads = [
            ("HTTP/1.1 200 OK\r\netag: 1\r\nx-a: 2\r\n\r\n", &etag),
            ("HTTP/1.1 200 OK\r\netag: 345\r\nx-a: 2\r\n\r\n", &etag),
            ("HTTP/1.1 200 OK\r\netag: 3\r\nx-a: \r\n\r\n", &small),
            (
                "HTTP/1.1 404 No\r\netag: x-a: 3\r\nx-a: etag:\r\n\r\n",
                &small,
            ),
            ("HTTP/1.1 404 No\r\nx-a: 3\r\nx-a: etag:\r\n\r\n", &small),
            (
                "HTTP/1.1 103 Hint\r\nx-a: 3\r\n\r\nHTTP/1.1 200 OK\r\netag: 1\r\n\r\n",
                &etag,
            ),
            (
                "HTTP/1.1 103 Hint\r\nx-a: 4\r\n\r\nHTTP/1.1 200 OK\r\nx-a: 1\r\n\r\n",
                &etag,
            ),
            ("HTTP/1.1 200 OK\r\netag: 1\r\nx-a: 2\r\n\r\n", &etag),
        ];
        let mut one = Writer::default();
        for (head, spelling) in heads {
            let fresh = written(&mut Writer::default(), head, spelling).await;
            assert_eq!(written(&mut one, head, spelling).await, fresh, "{head}");
        }
    }

    #[tokio::test]
    async fn a_host_goes_before_all_fields_however_little_is_taken_at_once() {
        const GIVEN: &[u8] = b"GET / HTTP/1.1\r\nX-A: b\r\nDnt: 1\r\n\r\n";
        for (names, expected) in [
            (
                &[][..],
                "GET / HTTP/1.1\r\nHost: a.example\r\nX-A: b\r\nDnt: 1\r\n\r\n",
            ),
            (
                &["DNT"],
                "GET / HTTP/1.1\r\nHost: a.example\r\nX-A: b\r\nDNT: 1\r\n\r\n",
            ),
        ] {
            for room in [1, 7, 16, 17, 4096] {
                let (mut ours, mut theirs) = tokio::io::duplex(room);
                let mut writer = Writer::default();
                let host = HeaderValue::from_static("a.example");
                writer.head_follows(noted(names), Some(host));
                let writing = async move {
                    let mut given = GIVEN;
                    while !given.is_empty() {
                        let bufs = [IoSlice::new(given)];
                        let written = poll_fn(|cx| writer.poll_write(&mut ours, cx, &bufs)).await;
                        given = &given[written.unwrap()..];
                    }
                };
                let mut got = String::new();
                let ((), read) = tokio::join!(writing, theirs.read_to_string(&mut got));
                read.unwrap();
                assert_eq!(got, expected, "{room}");
            }
        }
    }
}
