//! Clients that do not take what waits for them: a connection on which not one byte of an answer can be
//! written for long enough is given up, so that an answer nobody reads holds no memory for ever.
//!
//! Connections that were taken over (tunnels, web sockets) have no time limit, as in `tunnel`.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Watch;
use crate::body::Stall;

/// A connection whose client must take what is written to it.
pub(super) struct Unread<I> {
    io: I,
    watch: Arc<Watch>,
    stall: Stall,
}

impl<I> Unread<I> {
    pub(super) fn new(io: I, watch: Arc<Watch>, patience: Duration) -> Self {
        Self {
            io,
            watch,
            stall: Stall::new(patience),
        }
    }

    pub(super) fn into_inner(self) -> I {
        self.io
    }

    /// Lets the clock run while a write waits; what waits for too long has failed.
    fn judge<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        let waits = polled.is_pending() && !self.watch.is_taken_over();
        if self.stall.is_over(waits, cx) {
            let problem = "the client does not take its answer";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, problem)));
        }
        polled
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Unread<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Unread<I> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_write(cx, buf);
        this.judge(polled, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_write_vectored(cx, bufs);
        this.judge(polled, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_flush(cx);
        this.judge(polled, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_shutdown(cx);
        this.judge(polled, cx)
    }
}
