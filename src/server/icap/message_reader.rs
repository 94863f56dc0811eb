//! Reads ICAP messages from a connection: heads, and chunked bodies (RFC 3507 § 4.4.1).

use std::{
    io::{self, ErrorKind},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::timeout,
};

/// Longest line of a chunk's size, or of a trailer.
const MAX_LINE: usize = 4096;

/// Most lines of trailers.
const MAX_TRAILERS: usize = 64;

/// Bytes that are read at a time.
const READ_BYTES: usize = 16 * 1024;

/// The reading end of a connection.
pub(super) struct MessageReader<R> {
    io: R,
    buffer: BytesMut,
    /// Bytes of the chunk at hand that are still to come.
    left: u64,
    /// How long the peer may be silent within a head, and within a body.
    head_stall: Duration,
    stall: Duration,
}

/// A piece of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyPiece {
    Data(Bytes),
    /// The end of the body or of its preview; `is_whole` where the preview was all of it (`ieof`, RFC 3507 § 4.5).
    End {
        is_whole: bool,
    },
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(super) fn new(io: R, head_stall: Duration, stall: Duration) -> Self {
        Self { io, buffer: BytesMut::new(), left: 0, head_stall, stall }
    }

    /// The next head, with the empty line at its end; `None` where the peer has closed the connection, or was silent for so long.
    pub(super) async fn head(&mut self, most: usize, idle: Duration) -> io::Result<Option<Bytes>> {
        let mut searched = 0;
        loop {
            // Empty lines between messages are ignored, as in HTTP (RFC 9112 § 2.2).
            while searched == 0 && self.buffer.starts_with(b"\r\n") {
                let _ = self.buffer.split_to(2);
            }
            if let Some(end) = memchr::memmem::find(&self.buffer[searched..], b"\r\n\r\n") {
                return Ok(Some(self.buffer.split_to(searched + end + 4).freeze()));
            }
            if self.buffer.len() > most {
                return Err(malformed("the head is too long"));
            }
            searched = self.buffer.len().saturating_sub(3);
            if self.buffer.is_empty() {
                match timeout(idle, self.read()).await {
                    Ok(Ok(0)) | Err(_) => return Ok(None),
                    Ok(read) => drop(read?),
                }
            } else {
                self.fill(self.head_stall).await?;
            }
        }
    }

    /// So many bytes.
    pub(super) async fn exactly(&mut self, count: usize) -> io::Result<Bytes> {
        while self.buffer.len() < count {
            self.fill(self.head_stall).await?;
        }
        Ok(self.buffer.split_to(count).freeze())
    }

    /// The next piece of a chunked body.
    pub(super) async fn chunk(&mut self) -> io::Result<BodyPiece> {
        if self.left == 0 {
            let line = self.line().await?;
            let (size, extensions) = size_of_chunk(&line)?;
            if size == 0 {
                let is_whole = extensions.split(|byte| *byte == b';').any(|one| one.trim_ascii() == b"ieof");
                for _ in 0..MAX_TRAILERS {
                    if self.line().await?.is_empty() {
                        return Ok(BodyPiece::End { is_whole });
                    }
                }
                return Err(malformed("there are too many trailers"));
            }
            self.left = size;
        }
        if self.buffer.is_empty() {
            self.fill(self.stall).await?;
        }
        let here = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.buffer.len());
        let data = self.buffer.split_to(here).freeze();
        self.left -= here as u64;
        if self.left == 0 && !self.line().await?.is_empty() {
            return Err(malformed("a chunk is longer than its size"));
        }
        Ok(BodyPiece::Data(data))
    }

    /// The next line, without its end.
    async fn line(&mut self) -> io::Result<Bytes> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                let line = self.buffer.split_to(end + 1).freeze();
                let text = line.strip_suffix(b"\r\n").ok_or(malformed("a line does not end with CR LF"))?;
                return Ok(line.slice_ref(text));
            }
            if self.buffer.len() > MAX_LINE {
                return Err(malformed("a line is too long"));
            }
            self.fill(self.stall).await?;
        }
    }

    /// Reads more of a message that has begun.
    async fn fill(&mut self, stall: Duration) -> io::Result<()> {
        match timeout(stall, self.read()).await? {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            read => read.map(drop),
        }
    }

    async fn read(&mut self) -> io::Result<usize> {
        self.buffer.reserve(READ_BYTES);
        self.io.read_buf(&mut self.buffer).await
    }
}

/// The size of a chunk, and what follows it on its line.
fn size_of_chunk(line: &[u8]) -> io::Result<(u64, &[u8])> {
    let end = line.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len());
    let (size, extensions) = line.split_at(end);
    let size = std::str::from_utf8(size).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
    match extensions.trim_ascii_start().first() {
        None | Some(b';') => Ok((size.ok_or(malformed("a chunk has no size"))?, extensions)),
        Some(_) => Err(malformed("a chunk's size is not a number")),
    }
}

pub(super) fn malformed(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
