//! The side of a guarded connection on which answers go out: interim responses where nothing else is half written, heads with
//! the names as the origin wrote them, and at the end what a client still sends is taken until it has read all.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Buf;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Guard, State, Waiting};

impl<I: AsyncRead + AsyncWrite + Unpin> Guard<I> {
    /// Writes bytes of a final response.
    fn poll_message(
        &mut self,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_interim(cx))?;
        let answered = self.watch.take_answered();
        // Where something is left of the answer before, nobody knows where in these bytes the head begins; its names stay
        // in small letters, as the library writes them.
        if let Some(spelling) = answered
            && self.clean
        {
            self.writer.head_follows(spelling, None);
        }
        self.clean = false;
        let polled = self.writer.poll_write(&mut self.io, cx, bufs);
        self.moved(&polled);
        polled
    }

    /// An answer that moves does not stand still.
    fn moved(&mut self, written: &Poll<io::Result<usize>>) {
        if self.timer_since == Some(Waiting::HalfClosed) && written.is_ready() {
            self.timer_since = None;
        }
    }

    /// Writes interim responses where nothing else is half written.
    fn poll_interim(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(interim) = self.watch.take_interim()
            && self.clean
        {
            // Once the final response has begun they would come too late.
            self.out.unsplit(interim);
        }
        while !self.out.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, &self.out))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guard<I> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.poll_message(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.poll_message(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// The library flushes when it has written all it had, so nothing is half written then.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.clean {
            ready!(this.poll_interim(cx))?;
        }
        ready!(Pin::new(&mut this.io).poll_flush(cx))?;
        this.clean = true;
        if let Some(waker) = this.unwritten.take() {
            waker.wake();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
        let sending = matches!(
            this.state,
            State::Length(_) | State::Chunked(_) | State::Refused
        );
        if !sending && !this.is_refused() {
            return Poll::Ready(Ok(()));
        }
        loop {
            this.read.clear();
            if this.is_late(Waiting::Linger, cx) || this.read_after_end > (1 << 20) {
                return Poll::Ready(Ok(()));
            }
            match ready!(this.fill(cx)) {
                Ok(1..) => this.read_after_end += this.read.len(),
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
