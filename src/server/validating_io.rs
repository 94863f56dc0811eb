//! The stream between a client and hyper's HTTP/1.1 server: hands over one validated request at a time.
//!
//! `request_parser` judges every head and chunk before hyper sees it. A rejected request becomes a synthetic GET;
//! the service maps its index to the stored rejection, so that responses keep their order and `error_pages` stays
//! the only place that makes statuses. After it nothing more is read.
//!
//! While a request is answered the next one is held back, but the socket is still read, so that a client that
//! leaves is noticed although it pipelines: at once where the connection breaks, after a while where the
//! client has shut down its side, which may only mean that no more requests follow. hyper stops reading at a
//! pipelined request, and cannot tell the two ends apart.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::io::poll_read_buf;

use super::{
    connection_state::ConnectionState,
    connection_timer::{ConnectionTimer, HALF_CLOSED_CHECKS, Wait},
    request_parser::{ChunkParser, Framing, ParseRejection, parse_head},
};
use crate::{config::Timeouts, server::connection_limits::ConnectionLimits};

/// Bytes of a body read at once.
const READ_SIZE: usize = 16 * 1024;

/// Bytes read at once where a head is expected: nearly all are shorter, and a buffer is made for each.
const HEAD_READ_SIZE: usize = 4 * 1024;

/// Bytes of later requests kept while one is answered; the client's further bytes stay in the kernel.
const MAX_PIPELINED: usize = 64 * 1024;

/// The request that stands for a rejected one.
const SYNTHETIC: &[u8] = b"GET / HTTP/1.1\r\nHost: rejected.invalid\r\nConnection: close\r\n\r\n";

/// A client connection of which only valid messages are read.
pub(super) struct ValidatingIo<I> {
    io: I,
    state: Arc<ConnectionState>,
    limits: Arc<ConnectionLimits>,
    phase: Phase,
    /// Read and not handed to hyper.
    buffer: BytesMut,
    /// Heads handed to hyper.
    heads: usize,
    timer: ConnectionTimer,
    /// Interim responses that are being written.
    informational: BytesMut,
    /// Everything that hyper wrote has gone out.
    is_flushed: bool,
    /// Bytes of the buffer in which no whole head was found.
    parsed: usize,
    /// The client has shut down its side.
    eof: bool,
    /// Checks since then in which the response made no progress.
    half_closed_checks: u32,
}

#[derive(Debug)]
enum Phase {
    /// Between messages.
    Head,
    /// So many bytes of a valid head are still to be handed over.
    Handover(usize, Framing),
    Length(u64),
    Chunked(ChunkParser),
    /// The request is handed over; its response is not done.
    AwaitingResponse,
    Rejected,
    Upgraded,
}

impl<I: AsyncRead + AsyncWrite + Unpin> ValidatingIo<I> {
    pub(super) fn new(io: I, state: Arc<ConnectionState>, limits: Arc<ConnectionLimits>, timeouts: Timeouts) -> Self {
        Self {
            io,
            state,
            limits,
            phase: Phase::Head,
            buffer: BytesMut::new(),
            heads: 0,
            timer: ConnectionTimer::new(timeouts),
            informational: BytesMut::new(),
            is_flushed: true,
            parsed: 0,
            eof: false,
            half_closed_checks: 0,
        }
    }

    /// Reads more into the buffer; zero at the end.
    fn fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.eof {
            return Poll::Ready(Ok(0));
        }
        let is_body = matches!(self.phase, Phase::Length(_) | Phase::Chunked(_));
        self.buffer.reserve(if is_body { READ_SIZE } else { HEAD_READ_SIZE });
        let polled = poll_read_buf(Pin::new(&mut self.io), cx, &mut self.buffer);
        if polled.is_pending() && self.buffer.is_empty() && self.buffer.capacity() > HEAD_READ_SIZE {
            // An idle connection holds no large buffer.
            self.buffer = BytesMut::new();
        }
        let count = ready!(polled)?;
        self.eof = count == 0;
        Poll::Ready(Ok(count))
    }

    /// Between messages: waits for a whole head.
    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            if !self.buffer.is_empty() && self.take_head() {
                return Poll::Ready(Ok(true));
            }
            match self.fill(cx)? {
                Poll::Ready(0) => return Poll::Ready(Ok(false)),
                Poll::Ready(_) => continue,
                Poll::Pending => {}
            }
            let wait = match self.buffer.is_empty() {
                true if self.heads == 0 => Wait::FirstRequest,
                true => Wait::Request,
                false => Wait::Head,
            };
            ready!(self.timer.poll_expired(wait, cx));
            if wait == Wait::Head {
                self.reject(ParseRejection::Timeout);
            }
            return Poll::Ready(Ok(wait == Wait::Head));
        }
    }

    /// Parses a head at the start of the buffer; whether there was one, valid or not.
    fn take_head(&mut self) -> bool {
        // Parsed again only where a line or much more has come, so that heads sent byte by byte cost linear time.
        let length = self.buffer.len();
        let has_line = memchr::memchr2(b'\r', b'\n', &self.buffer[self.parsed..]).is_some();
        if !has_line && length / 4096 == self.parsed / 4096 {
            return false;
        }
        self.parsed = length;
        match parse_head(&self.buffer) {
            Ok(None) => return false,
            Ok(Some(mut head)) => {
                if let Some((range, line)) = head.replaced_line {
                    let rest = self.buffer.split_off(range.end);
                    self.buffer.truncate(range.start);
                    self.buffer.extend_from_slice(&line);
                    self.buffer.unsplit(rest);
                    head.bytes = head.bytes - range.len() + line.len();
                }
                self.state.progress.lock().whole_server = head.whole_server;
                self.phase = Phase::Handover(head.bytes, head.framing);
                self.heads += 1;
            }
            Err(rejection) => self.reject(rejection),
        }
        self.parsed = 0;
        self.timer.reset();
        true
    }

    fn reject(&mut self, rejection: ParseRejection) {
        self.state.progress.lock().rejection = Some((self.heads, rejection));
        self.heads += 1;
        self.buffer = BytesMut::from(SYNTHETIC);
        self.phase = Phase::Handover(SYNTHETIC.len(), Framing::Length(0));
    }

    /// The request is handed over: waits for its response to be done, or for the client to leave.
    fn poll_response(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        self.state.task.register(cx.waker());
        loop {
            let next = {
                let progress = self.state.progress.lock();
                if progress.upgraded {
                    Some(Phase::Upgraded)
                } else if progress.rejection.is_some() {
                    Some(Phase::Rejected)
                } else if progress.is_answered(self.heads) && !self.is_flushed {
                    // The client takes it slowly: hyper would take an end for a break.
                    return Poll::Pending;
                } else {
                    progress.is_answered(self.heads).then_some(Phase::Head)
                }
            };
            if let Some(next) = next {
                self.phase = next;
                self.timer.reset();
                return Poll::Ready(Ok(true));
            }
            if self.eof {
                return self.poll_half_closed(cx);
            }
            if self.buffer.len() >= MAX_PIPELINED {
                return Poll::Pending;
            }
            ready!(self.fill(cx))?;
        }
    }

    /// Everything has gone out: if that was a whole response, waits for the next request from here on. hyper reads again
    /// when the client sends something, because `poll_response` has asked for it.
    fn on_flushed(&mut self, cx: &mut Context<'_>) {
        self.is_flushed = true;
        if !matches!(self.phase, Phase::AwaitingResponse) || !self.state.progress.lock().is_answered(self.heads) {
            return;
        }
        self.phase = Phase::Head;
        self.timer.reset();
        if self.eof || !self.buffer.is_empty() {
            cx.waker().wake_by_ref();
        } else {
            // The timer was armed just now, so it cannot be ready; this poll only registers the waker.
            let _ = self.timer.poll_expired(Wait::Request, cx);
        }
    }

    /// The client has shut down its side and may wait for its response: waits until it is taken for gone.
    fn poll_half_closed(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        while self.timer.poll_expired(Wait::HalfClosed, cx).is_ready() {
            self.timer.reset();
            self.half_closed_checks += 1;
            // The first interval may include time before the last write; count only from the second.
            let is_quiet = self.half_closed_checks > 1;
            if self.half_closed_checks >= HALF_CLOSED_CHECKS || is_quiet && self.limits.are_short() {
                return Poll::Ready(Ok(false));
            }
            // The end is read again, or what has come after it: a reset.
            if let Poll::Ready(Err(error)) = Pin::new(&mut self.io).poll_read(cx, &mut ReadBuf::new(&mut [0])) {
                return Poll::Ready(Err(error));
            }
        }
        Poll::Pending
    }

    /// Hands bytes of the buffer over, at most so many.
    fn hand_over(&mut self, most: u64, buf: &mut ReadBuf<'_>) -> usize {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = most.min(self.buffer.len()).min(buf.remaining());
        buf.put_slice(&self.buffer[..count]);
        self.buffer.advance(count);
        count
    }

    fn hand_over_head(&mut self, left: usize, framing: Framing, buf: &mut ReadBuf<'_>) {
        let left = left - self.hand_over(left as u64, buf);
        self.phase = match framing {
            _ if left > 0 => Phase::Handover(left, framing),
            Framing::Length(0) => Phase::AwaitingResponse,
            Framing::Length(length) => Phase::Length(length),
            Framing::Chunked => Phase::Chunked(ChunkParser::default()),
        };
    }

    /// A body's bytes; an error at the first that cannot belong to one.
    fn poll_body(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.buffer.is_empty() && ready!(self.fill(cx))? == 0 {
            return Poll::Ready(Ok(()));
        }
        let most = self.buffer.len().min(buf.remaining());
        let is_end = match &mut self.phase {
            Phase::Length(left) => {
                let count = most.min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= count as u64;
                let is_end = *left == 0;
                self.hand_over(count as u64, buf);
                is_end
            }
            Phase::Chunked(chunks) => match chunks.advance(&self.buffer[..most]) {
                Ok(count) => {
                    let is_end = chunks.is_end();
                    self.hand_over(count as u64, buf);
                    is_end
                }
                Err(problem) => {
                    self.phase = Phase::Rejected;
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, problem)));
                }
            },
            _ => false,
        };
        if is_end {
            self.phase = Phase::AwaitingResponse;
        }
        Poll::Ready(Ok(()))
    }

    /// Writes interim responses where no other message is half written.
    fn poll_informational(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let waiting = self.state.progress.lock().informational.split();
        if self.is_flushed {
            // Later they would come in the middle of the final response.
            self.informational.unsplit(waiting);
        }
        while !self.informational.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, &self.informational))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.informational.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    /// After the last response: reads on for a while where the client may still be sending.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.timer.poll_expired(Wait::Linger, cx).is_pending() {
            self.buffer.clear();
            match ready!(self.fill(cx)) {
                Ok(1..) => {}
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncRead for ValidatingIo<I> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let more = match this.phase {
                Phase::Head => ready!(this.poll_head(cx))?,
                Phase::AwaitingResponse => ready!(this.poll_response(cx))?,
                Phase::Handover(left, framing) => {
                    this.hand_over_head(left, framing, buf);
                    return Poll::Ready(Ok(()));
                }
                Phase::Length(_) | Phase::Chunked(_) => return this.poll_body(cx, buf),
                Phase::Rejected => return Poll::Pending,
                Phase::Upgraded if this.buffer.is_empty() => {
                    return Pin::new(&mut this.io).poll_read(cx, buf);
                }
                Phase::Upgraded => {
                    this.hand_over(u64::MAX, buf);
                    return Poll::Ready(Ok(()));
                }
            };
            if !more {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ValidatingIo<I> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[io::IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_informational(cx))?;
        this.is_flushed = false;
        let written = ready!(Pin::new(&mut this.io).poll_write_vectored(cx, bufs));
        // Progress on the response restarts the half-close check: the client is still reading.
        this.half_closed_checks = 0;
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// hyper flushes when it has written all it had.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_flushed {
            ready!(this.poll_informational(cx))?;
        }
        ready!(Pin::new(&mut this.io).poll_flush(cx))?;
        this.on_flushed(cx);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
        let client_may_send = matches!(this.phase, Phase::Length(_) | Phase::Chunked(_) | Phase::Rejected)
            || this.state.progress.lock().rejection.is_some();
        if client_may_send {
            ready!(this.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}
