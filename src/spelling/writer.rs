//! Heads on their way out: in place of what the library writes go the names as they came.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::HeaderValue;
use tokio::io::AsyncWrite;

use super::{
    MOST, Spelling, alike,
    kept::{Kept, Latest},
};

/// Pieces of one write; the library makes three of a message with chunks.
const PIECES: usize = 8;

/// Bytes behind a head that are copied and go out in one piece with it: the system takes one piece faster than several.
const SMALL: usize = 1024;

/// Puts heads right on their way out.
#[derive(Debug)]
pub(crate) struct Writer {
    head: Option<Head>,
    last: Kept<Written>,
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

thread_local! {
    static LATEST: Latest<Written> = Latest::default();
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            head: None,
            last: Kept::new(&LATEST),
            instead: Vec::new(),
            covered: 0,
        }
    }
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
    fn write(
        &self,
        given: &[u8],
        instead: &mut Vec<u8>,
        last: &mut Kept<Written>,
    ) -> Option<usize> {
        let after_first_line = || memchr::memchr(b'\n', given).map(|end| end + 1);
        let covered = if self.spelling.is_usual() && self.host.is_some() {
            // The library writes names in the usual way where it is told a host.
            let covered = after_first_line()?;
            instead.extend_from_slice(&given[..covered]);
            covered
        } else if let Some(covered) = last.find(|last| last.write(given, &self.spelling, instead)) {
            covered
        } else {
            instead.clear();
            instead.extend_from_slice(given);
            let covered = put_right(instead, &self.spelling)?;
            instead.truncate(covered);
            let given = &given[..covered];
            if covered <= MOST && !alike::is_interim(given) {
                last.keep(Written {
                    given: given.to_owned(),
                    right: instead.clone(),
                    spelling: self.spelling.clone(),
                });
            }
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

/// A head that was put right.
#[derive(Debug)]
struct Written {
    /// As it was given.
    given: Vec<u8>,
    /// As it was written: as long, because only capitals change.
    right: Vec<u8>,
    spelling: Spelling,
}

impl Written {
    /// Writes the head at the start of these bytes as the last one was written, if it has the same names.
    fn write(&self, given: &[u8], spelling: &Spelling, instead: &mut Vec<u8>) -> Option<usize> {
        if self.spelling != *spelling {
            return None;
        }
        instead.clear();
        alike::compare(&self.given, given, |same, value| {
            instead.extend_from_slice(&self.right[same]);
            instead.extend_from_slice(&given[value]);
        })
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

    use super::{super::tests::noted, *};

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
            // What another connection on this thread wrote last is as good.
            let mut fresh = Writer::default();
            let mut expected = format!("{head}etag: of the body").into_bytes();
            put_right(&mut expected, spelling).unwrap();
            assert_eq!(
                written(&mut fresh, head, spelling).await,
                expected,
                "{head}"
            );
            assert_eq!(written(&mut one, head, spelling).await, expected, "{head}");
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
