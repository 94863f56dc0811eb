//! Between the socket and the HTTP/1 library: lets through one message at a time, and only such as can be
//! read in one way (`wire` judges them).
//!
//! What is refused is never seen by the library. In its place goes a small request of our own, which the
//! service recognises by its number and answers with the refusal, so that answers keep their order and
//! `respond` stays the only place that makes statuses. After it nothing more is read.
//!
//! While a request is being answered the next one is not let through, but the socket is still read, so
//! that a client that leaves is noticed, pipelined requests or not: at once where the connection breaks, and
//! after [`HALF_CLOSED`] where it ends in good order, which may only mean that no more requests follow.

mod answer;
mod watch;

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

use super::wire::{self, Chunks, Framing, Last, Refusal};
use crate::{arrivals::Arrivals, clock::Clock, spelling::Writer};
pub(crate) use watch::{Begun, InFlight, Watch, WholeServer};

/// Bytes read at once,
const PIECE: usize = 16 * 1024;

/// and where probably nothing is there: room on the stack is touched even where it stays empty.
const SMALL_PIECE: usize = 1024;

/// Bytes of later requests that are kept while one is answered; then the client must wait.
const MAX_AHEAD: usize = 64 * 1024;

/// The request that stands for a refused one.
const REFUSED: &[u8] = b"GET / HTTP/1.1\r\nHost: refused.invalid\r\nConnection: close\r\n\r\n";

/// How long a connection is read after its last answer, if the client may still be sending: closed at
/// once, the rest would be answered with a reset, which can destroy the answer on its way
/// (RFC 9112 § 9.6).
const LINGER: Duration = Duration::from_secs(1);

/// How long an answer may stand still after the client has closed its side. RFC 9112 § 9.6 lets a client do
/// that and wait for its answer (`nc -N` does), but a client that is gone looks the same until something
/// is sent to it. Raising it lets slower answers through to such clients, and makes fetches that nobody
/// wants any more go on for longer.
const HALF_CLOSED: Duration = Duration::from_secs(5);

/// How long to wait for what, on one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) head: Duration,
    pub(super) idle: Duration,
}

/// A connection of which only sound messages are read.
pub(super) struct Guard<I> {
    io: I,
    arrivals: Arrivals,
    watch: Arc<Watch>,
    patience: Patience,
    state: State,
    read: BytesMut,
    last: Last,
    /// Heads let through.
    released: usize,
    clock: Clock,
    timer_since: Option<Waiting>,
    /// When the last message was done, if that is not now,
    idle_since: Option<Instant>,
    /// and when the one that is answered began.
    begun_at: Option<Instant>,
    out: BytesMut,
    writer: Writer,
    /// Whether everything written so far has gone out.
    clean: bool,
    /// Who waits for that.
    unwritten: Option<Waker>,
    read_after_end: usize,
    /// Nothing more comes from the client.
    ended: bool,
    /// The runtime told of the last bytes that were read, just before they were.
    just_told: bool,
}

#[derive(Debug)]
enum State {
    /// Between messages.
    Head,
    /// A head is let through; so many bytes of it are left.
    Release(usize, Framing),
    Length(u64),
    Chunked(Chunks),
    /// The message is through; its answer is not.
    Hold,
    /// Not one more byte is a message.
    Refused,
    Opaque,
}

/// What a timer is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Idle,
    Head,
    /// For an answer, as long as it takes. The clock rings all the same, because the connection may be idle by then.
    Answer,
    HalfClosed,
    Linger,
}

impl<I: AsyncRead + AsyncWrite + Unpin> Guard<I> {
    pub(super) fn new(io: I, watch: Arc<Watch>, patience: Patience) -> Self {
        Self {
            io,
            arrivals: Arrivals::default(),
            watch,
            patience,
            state: State::Head,
            read: BytesMut::new(),
            last: Last::default(),
            released: 0,
            clock: Clock::default(),
            timer_since: None,
            idle_since: None,
            begun_at: None,
            out: BytesMut::new(),
            writer: Writer::default(),
            clean: true,
            unwritten: None,
            read_after_end: 0,
            ended: false,
            just_told: false,
        }
    }

    /// The connection, and what was read of it and not given out.
    pub(super) fn into_inner(self) -> (I, BytesMut) {
        (self.io, self.read)
    }

    /// Reads; zero at the end.
    fn poll_io(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        if self.ended {
            return Poll::Ready(Ok(0));
        }
        let before = buf.filled().len();
        let io = Pin::new(&mut self.io);
        ready!(self.arrivals.poll(cx, |cx| io.poll_read(cx, buf)))?;
        let count = buf.filled().len() - before;
        self.ended = count == 0;
        self.just_told = self.arrivals.was_told();
        Poll::Ready(Ok(count))
    }

    /// Reads more into the buffer; zero at the end.
    #[inline(never)]
    fn fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.fill_piece::<PIECE>(cx)
    }

    /// The same, so many bytes at once.
    fn fill_piece<const SIZE: usize>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // Not cleared first: that would cost more than all else that is done here.
        let mut piece = [const { MaybeUninit::uninit() }; SIZE];
        let mut buf = ReadBuf::uninit(&mut piece);
        let count = ready!(self.poll_io(cx, &mut buf))?;
        self.read.extend_from_slice(buf.filled());
        Poll::Ready(Ok(count))
    }

    /// Reads into the library's own room, where nothing else waits. A whole request without content is left there, as nearly all
    /// are that come; anything else goes into the buffer.
    fn fill_in_place(
        &mut self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        let before = buf.filled().len();
        let count = ready!(self.poll_io(cx, buf))?;
        let came = &mut buf.filled_mut()[before..];
        match wire::head(came, &mut self.last) {
            Ok(Some(head)) if head.bytes == count && head.framing == Framing::Length(0) => {
                head.take_known_version(came);
                self.let_through(head);
                self.state = State::Hold;
            }
            _ => {
                self.read.extend_from_slice(came);
                buf.set_filled(before);
            }
        }
        Poll::Ready(Ok(count))
    }

    /// A head is for the library.
    fn let_through(&mut self, head: wire::Head) {
        self.released += 1;
        self.timer_since = None;
        self.watch.let_through(head, self.just_told);
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.watch.lock().refused = Some((self.released, refusal));
        self.released += 1;
        self.read = BytesMut::from(REFUSED);
        self.state = State::Release(REFUSED.len(), Framing::Length(0));
    }

    fn is_refused(&self) -> bool {
        self.watch.lock().refused.is_some()
    }

    /// Whether a wait of this kind has lasted too long.
    fn is_late(&mut self, waiting: Waiting, cx: &mut Context<'_>) -> bool {
        if self.timer_since != Some(waiting) {
            let patience = match waiting {
                // The first request is what a connection is opened for.
                Waiting::Idle if self.released == 0 => self.patience.head,
                Waiting::Idle | Waiting::Answer => self.patience.idle,
                Waiting::Head => self.patience.head,
                Waiting::HalfClosed => HALF_CLOSED,
                Waiting::Linger => LINGER,
            };
            let since = match waiting {
                Waiting::Idle => self.idle_since.take(),
                Waiting::Answer => self.begun_at.take(),
                _ => None,
            };
            match since {
                Some(since) => self.clock.set_since(since, patience),
                None => self.clock.set(patience),
            }
            self.timer_since = Some(waiting);
        }
        self.clock.poll(cx).is_ready()
    }

    /// Between messages: waits for a whole head. `false` at the end.
    fn poll_head(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<bool>> {
        loop {
            let filled = if self.read.is_empty() {
                self.fill_in_place(cx, buf)?
            } else {
                match wire::head(&self.read, &mut self.last) {
                    Ok(Some(head)) => {
                        head.take_known_version(&mut self.read);
                        self.state = State::Release(head.bytes, head.framing);
                        self.let_through(head);
                        return Poll::Ready(Ok(true));
                    }
                    Err(refusal) => {
                        self.refuse(refusal);
                        return Poll::Ready(Ok(true));
                    }
                    Ok(None) => self.fill(cx)?,
                }
            };
            if matches!(self.state, State::Hold) {
                return Poll::Ready(Ok(true));
            }
            let ends_or_idles = match filled {
                Poll::Ready(read) => read == 0,
                Poll::Pending => self.read.is_empty(),
            };
            if ends_or_idles && !self.clean {
                // A client may take the last answer slowly: until it has gone out the library takes an end
                // for a break, and the connection is not idle.
                self.timer_since = None;
                self.unwritten = Some(cx.waker().clone());
                return Poll::Pending;
            }
            match filled {
                Poll::Ready(0) => return Poll::Ready(Ok(false)),
                Poll::Ready(_) => {}
                Poll::Pending if self.read.is_empty() => {
                    let late = self.is_late(Waiting::Idle, cx);
                    return if late {
                        Poll::Ready(Ok(false))
                    } else {
                        Poll::Pending
                    };
                }
                Poll::Pending => {
                    if !self.is_late(Waiting::Head, cx) {
                        return Poll::Pending;
                    }
                    self.refuse(Refusal::TooSlow);
                    return Poll::Ready(Ok(true));
                }
            }
        }
    }

    /// The message is through: waits for its answer to be, or for the client to leave (`false`).
    fn poll_hold(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            {
                let mut progress = self.watch.look();
                if progress.opaque {
                    self.state = State::Opaque;
                    return Poll::Ready(Ok(true));
                }
                if progress.refused.is_some() {
                    self.state = State::Refused;
                    return Poll::Ready(Ok(true));
                }
                self.idle_since = progress.idle_since.take();
                self.begun_at = progress.begun_at.take();
                if progress.done >= self.released {
                    // What was read by now has been waiting.
                    self.just_told = false;
                    self.state = State::Head;
                    return Poll::Ready(Ok(true));
                }
                progress.waits(cx.waker());
            }
            if self.ended {
                return if self.is_late(Waiting::HalfClosed, cx) {
                    Poll::Ready(Ok(false))
                } else {
                    Poll::Pending
                };
            }
            if self.read.len() >= MAX_AHEAD {
                return Poll::Pending;
            }
            let filled = if self.read.is_empty() {
                self.fill_piece::<SMALL_PIECE>(cx)
            } else {
                self.fill(cx)
            };
            if filled?.is_pending() {
                let mut rings = !self.is_late(Waiting::Answer, cx);
                if !rings {
                    self.timer_since = None;
                    rings = !self.is_late(Waiting::Answer, cx);
                }
                self.watch.rest(rings && self.read.is_empty());
                return Poll::Pending;
            }
        }
    }

    /// Gives bytes of the buffer out, at most so many.
    fn give(&mut self, most: u64, buf: &mut ReadBuf<'_>) -> usize {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = most.min(self.read.len()).min(buf.remaining());
        buf.put_slice(&self.read[..count]);
        self.read.advance(count);
        count
    }

    /// A body's bytes; an error at the first that cannot belong to one.
    fn poll_body(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.read.is_empty() && ready!(self.fill(cx))? == 0 {
            return Poll::Ready(Ok(()));
        }
        let most = self.read.len().min(buf.remaining());
        self.state = match std::mem::replace(&mut self.state, State::Refused) {
            State::Length(left) => {
                let left = left - self.give(left, buf) as u64;
                if left == 0 {
                    State::Hold
                } else {
                    State::Length(left)
                }
            }
            State::Chunked(mut chunks) => match chunks.take(&self.read[..most]) {
                Ok(taken) => {
                    self.give(taken as u64, buf);
                    if chunks.is_end() {
                        State::Hold
                    } else {
                        State::Chunked(chunks)
                    }
                }
                Err(problem) => {
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, problem)));
                }
            },
            other => other,
        };
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncRead for Guard<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        loop {
            let goes_on = match this.state {
                State::Head => ready!(this.poll_head(cx, buf))?,
                State::Hold => ready!(this.poll_hold(cx))?,
                State::Release(left, framing) => {
                    let left = left - this.give(left as u64, buf);
                    this.state = match framing {
                        _ if left > 0 => State::Release(left, framing),
                        Framing::Length(0) => State::Hold,
                        Framing::Length(length) => State::Length(length),
                        Framing::Chunked => State::Chunked(Chunks::default()),
                    };
                    return Poll::Ready(Ok(()));
                }
                State::Length(_) | State::Chunked(_) => return this.poll_body(cx, buf),
                State::Refused => return Poll::Pending,
                State::Opaque if this.read.is_empty() => {
                    return Pin::new(&mut this.io).poll_read(cx, buf);
                }
                State::Opaque => {
                    this.give(u64::MAX, buf);
                    return Poll::Ready(Ok(()));
                }
            };
            if !goes_on || buf.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests;
