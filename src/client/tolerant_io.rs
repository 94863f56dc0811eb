//! The stream between hyper's HTTP/1.1 client and an origin: brings responses that every browser reads into the form
//! that hyper reads.
//!
//! Heads: any version, several spaces in the status line, obs-fold, lines that are no field, spaces around
//! names, control characters, `Transfer-Encoding: identity`, lines ended by LF alone, chunks beside a length (see
//! [`normalized_head`]).
//! Chunked bodies: lines ended by LF alone. What could be framed in two ways stays as it is and is refused later
//! (`response_framing`). A connection that ends without `close_notify` has ended: RFC 9112 § 9.8 takes such an end of
//! a close-delimited body for a break, but so many servers do it that browsers take it for the end (Chromium,
//! `net/socket/ssl_client_socket_impl.cc`, `DoPayloadRead`).

mod head;

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use http::HeaderMap;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_util::io::poll_read_buf;

use self::head::{head_end, normalized_head};

/// Longest head of a response in bytes: as much as Chromium reads (`kMaxHeaderBufSize`).
pub(super) const MAX_HEAD: usize = 256 * 1024;

/// Longest line of a chunk or trailer.
const MAX_LINE: usize = 16 * 1024;

/// Bytes of a body read at once.
const READ_SIZE: usize = 16 * 1024;

/// Most bytes read at once into hyper's buffer, which grows with what is read: a client that does not read its response holds
/// several of these. Raising it saves calls of the kernel.
const BODY_READ_SIZE: u64 = 256 * 1024;

/// Bytes read at once where a head is expected: most are shorter, and what follows is read straight into hyper's buffer.
const HEAD_READ_SIZE: usize = 4 * 1024;

/// Fields of the last head beyond those that hyper has room for. More room would be allocated at every head.
pub(super) type ExtraFields = Arc<Mutex<HeaderMap>>;

/// A connection to an origin.
pub(super) struct TolerantIo<I> {
    io: I,
    /// Whether the server has sent bytes, or an end, that were not read.
    has_unread: fn(&mut I) -> bool,
    /// Set before a request on a connection that was used before; as long as it is, nothing of the request was written.
    check_unread: Arc<AtomicBool>,
    state: State,
    /// Read and not looked at.
    raw: BytesMut,
    /// Ready for hyper.
    out: BytesMut,
    /// The current request has the method HEAD, so that its response has no body.
    is_head: bool,
    /// The connection was reset while the request was written.
    was_reset: bool,
    surplus: ExtraFields,
}

#[derive(Debug)]
enum State {
    /// No request was written yet. What a server sends unasked may be its response all the same.
    New,
    /// The last response is done, and no request is under way.
    Idle,
    Head,
    /// So many bytes of body, then the response is done.
    Length(u64),
    Chunked(Chunk),
    /// Until the connection ends: bodies without a length, other protocols, and what we do not understand.
    Raw,
}

#[derive(Clone, Copy, Debug)]
enum Chunk {
    Size,
    Data(u64),
    /// The line end after the data.
    DataEnd,
    Trailer,
}

impl<I: AsyncRead + AsyncWrite + Unpin> TolerantIo<I> {
    pub(super) fn new(
        io: I,
        has_unread: fn(&mut I) -> bool,
        check_unread: Arc<AtomicBool>,
        surplus: ExtraFields,
    ) -> Self {
        let (raw, out) = (BytesMut::new(), BytesMut::new());
        Self { io, has_unread, check_unread, state: State::New, raw, out, is_head: false, was_reset: false, surplus }
    }

    /// Whether the origin sent something since the last response, asked until it has not, before each request.
    fn received_unasked(&mut self) -> bool {
        let asks = matches!(self.state, State::Idle) && self.check_unread.load(Relaxed);
        let received = asks && (self.has_unread)(&mut self.io);
        if asks && !received {
            self.check_unread.store(false, Relaxed);
        }
        received
    }

    /// Handles the result of a write. A server that answers before it has read the whole request, and then closes, resets the
    /// connection. The kernel still has its response then, but at an error of a write hyper gives up without reading
    /// it. So the write waits, and the read that finds nothing more ends the connection.
    fn wrote<T>(&mut self, polled: Poll<io::Result<T>>, cx: &Context<'_>) -> Poll<io::Result<T>> {
        let is_reset =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset);
        if matches!(&polled, Poll::Ready(Err(error)) if is_reset(error)) {
            if !std::mem::replace(&mut self.was_reset, true) {
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
        polled
    }

    /// A request is written: its response begins with a head.
    fn request_written(&mut self, bytes: &[u8]) {
        self.check_unread.store(false, Relaxed);
        if matches!(self.state, State::New | State::Idle) && !bytes.is_empty() {
            self.state = State::Head;
            self.is_head = bytes.starts_with(b"HEAD ");
        }
    }

    /// Moves what can be moved from `raw` to `out`.
    fn process(&mut self) {
        while !self.raw.is_empty() {
            let waits = match self.state {
                State::New => true,
                State::Head => self.process_head(),
                State::Chunked(Chunk::Data(left)) => {
                    let left = left - self.forward(left);
                    self.state = State::Chunked(if left == 0 { Chunk::DataEnd } else { Chunk::Data(left) });
                    false
                }
                State::Chunked(chunk) => self.process_chunk_line(chunk),
                State::Length(left) => {
                    let left = left - self.forward(left);
                    self.state = if left == 0 { State::Idle } else { State::Length(left) };
                    false
                }
                // Bytes without a request: hyper closes the connection.
                State::Idle | State::Raw => {
                    self.forward(u64::MAX);
                    false
                }
            };
            if waits {
                return;
            }
        }
    }

    /// Reads a body of known length straight into hyper's buffer.
    fn poll_read_body(&mut self, left: u64, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // Not a byte of what follows the body.
        let mut io = (&mut self.io).take(left.min(BODY_READ_SIZE));
        let before = buf.filled().len();
        let polled = ready!(Pin::new(&mut io).poll_read(cx, buf));
        let left = left - (buf.filled().len() - before) as u64;
        self.state = if left == 0 { State::Idle } else { State::Length(left) };
        match polled {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(())),
            polled => Poll::Ready(polled),
        }
    }

    fn forward(&mut self, most: u64) -> u64 {
        let count = self.raw.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        if self.out.is_empty() && count == self.raw.len() {
            std::mem::swap(&mut self.raw, &mut self.out);
        } else {
            self.out.extend_from_slice(&self.raw[..count]);
            self.raw.advance(count);
        }
        count as u64
    }

    fn process_head(&mut self) -> bool {
        // RFC 9112 § 2.2: empty lines in front are skipped.
        let start = self.raw.iter().position(|byte| !b"\r\n".contains(byte));
        let Some(start) = start else {
            self.raw.clear();
            return true;
        };
        self.raw.advance(start);
        let Some(end) = head_end(&self.raw) else {
            if self.raw.len() > MAX_HEAD {
                self.state = State::Raw;
            }
            return !matches!(self.state, State::Raw);
        };
        let head = &self.raw[..end];
        let mut surplus = HeaderMap::new();
        let normalized = normalized_head(head, self.is_head, &mut surplus);
        let (normalized, state) = normalized.unwrap_or((head.into(), State::Raw));
        if !surplus.is_empty() {
            *self.surplus.lock() = surplus;
        }
        self.out.extend_from_slice(&normalized);
        self.state = state;
        self.raw.advance(end);
        false
    }

    /// Passes one line of chunk framing on, with CR LF at its end.
    fn process_chunk_line(&mut self, chunk: Chunk) -> bool {
        let Some(end) = memchr::memchr(b'\n', &self.raw) else {
            if self.raw.len() > MAX_LINE {
                self.state = State::Raw;
            }
            return !matches!(self.state, State::Raw);
        };
        let line = self.raw[..end].trim_ascii_end();
        self.state = match chunk {
            Chunk::Size => match chunk_size(line) {
                Some(0) => State::Chunked(Chunk::Trailer),
                Some(size) => State::Chunked(Chunk::Data(size)),
                None => State::Raw,
            },
            Chunk::DataEnd if line.is_empty() => State::Chunked(Chunk::Size),
            Chunk::Trailer if line.is_empty() => State::Idle,
            Chunk::Trailer => State::Chunked(Chunk::Trailer),
            // hyper will refuse it.
            Chunk::DataEnd | Chunk::Data(_) => State::Raw,
        };
        self.out.extend_from_slice(line);
        self.out.extend_from_slice(b"\r\n");
        self.raw.advance(end + 1);
        false
    }
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let size = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let size = std::str::from_utf8(size).ok()?;
    let is_hex = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(size, 16).ok().filter(|_| is_hex)
}

/// For the fuzz targets: what hyper would read of a response in pieces of this size; it must not depend on the size.
#[cfg(feature = "fuzzing")]
#[allow(clippy::missing_panics_doc, reason = "a panic is what the fuzzer looks for")]
pub fn read_in_pieces(bytes: &[u8], piece: usize) {
    let read = |piece: usize| {
        let mut io = TolerantIo::new(tokio::io::empty(), |_| false, Arc::default(), Arc::default());
        io.request_written(b"GET /");
        let mut out = Vec::new();
        for piece in bytes.chunks(piece.max(1)) {
            io.raw.extend_from_slice(piece);
            io.process();
            out.extend_from_slice(&io.out.split());
        }
        out.extend_from_slice(&io.raw);
        out
    };
    assert_eq!(read(piece), read(bytes.len()));
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncRead for TolerantIo<I> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.raw.is_empty()
            && this.out.is_empty()
            && let State::Length(left) = this.state
        {
            return this.poll_read_body(left, cx, buf);
        }
        while this.out.is_empty() {
            let is_body = matches!(this.state, State::Chunked(_) | State::Raw);
            this.raw.reserve(if is_body { READ_SIZE } else { HEAD_READ_SIZE });
            let polled = poll_read_buf(Pin::new(&mut this.io), cx, &mut this.raw);
            if polled.is_pending() && this.raw.is_empty() {
                // An idle connection holds no large buffer.
                if this.raw.capacity() > HEAD_READ_SIZE {
                    this.raw = BytesMut::new();
                }
                // hyper reads once more before it sends a request. What arrived just before, which tokio may not know
                // yet, must not be taken for its response (RFC 9112 § 9.2): the request goes on another connection.
                if this.received_unasked() {
                    return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
            match ready!(polled) {
                // A server that has answered unasked and closed: its response is read once the request is written.
                Ok(0) if matches!(this.state, State::New) && !this.raw.is_empty() => return Poll::Pending,
                Ok(_) if matches!(this.state, State::New) && this.raw.len() > MAX_HEAD => {
                    return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
                }
                Ok(0) if this.was_reset => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
                Ok(0) => this.forward(u64::MAX),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !this.was_reset => this.forward(u64::MAX),
                Err(error) => return Poll::Ready(Err(error)),
                Ok(_) => {
                    this.process();
                    continue;
                }
            };
            break;
        }
        let count = this.out.len().min(buf.remaining());
        buf.put_slice(&this.out[..count]);
        this.out.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TolerantIo<I> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[io::IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.received_unasked() {
            // hyper took the request after its read.
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let polled = match bufs {
            // A cheaper call of the kernel.
            [only] => Pin::new(&mut this.io).poll_write(cx, only),
            _ => Pin::new(&mut this.io).poll_write_vectored(cx, bufs),
        };
        let written = ready!(this.wrote(polled, cx))?;
        this.request_written(bufs.first().map_or(&[], |buf| buf));
        if !this.raw.is_empty() {
            // Sent before the request; hyper is to read it now.
            this.process();
            cx.waker().wake_by_ref();
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_flush(cx);
        this.wrote(polled, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
