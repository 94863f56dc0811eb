//! The bytes of an HTTP/2 connection, read only where that is worth it.
//!
//! The library asks for bytes at every turn of a connection, and each stream that has something to send makes it turn. For requests it
//! is noted whether the runtime told of them, as the guard does over HTTP/1.1.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Watch;
use crate::arrivals::Arrivals;

/// A connection of many requests at once.
pub(super) struct Multiplexed<I> {
    io: I,
    arrivals: Arrivals,
    watch: Arc<Watch>,
}

impl<I> Multiplexed<I> {
    pub(super) fn new(io: I, watch: Arc<Watch>) -> Self {
        let arrivals = Arrivals::default();
        Self {
            io,
            arrivals,
            watch,
        }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Multiplexed<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let io = Pin::new(&mut this.io);
        ready!(this.arrivals.poll(cx, |cx| io.poll_read(cx, buf)))?;
        // Of several reads in a row the last one counts: what only that gave may have come later than what the runtime told of.
        this.watch.tell(this.arrivals.was_told());
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Multiplexed<I> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn only_what_the_first_read_gives_was_told_of_just_now() {
        let (mut client, io) = duplex(1024);
        let watch = Arc::<Watch>::default();
        let mut io = Multiplexed::new(io, Arc::clone(&watch));
        let mut room = [0; 4];
        // What is there when a connection begins.
        client.write_all(b"here").await.unwrap();
        io.read_exact(&mut room).await.unwrap();
        assert!(!watch.just_told());
        for _ in 0..2 {
            assert!(poll!(std::pin::pin!(io.read(&mut room))).is_pending());
            client.write_all(b"toldmore").await.unwrap();
            io.read_exact(&mut room).await.unwrap();
            assert_eq!((&room, watch.just_told()), (b"told", true));
            // May have come after that.
            io.read_exact(&mut room).await.unwrap();
            assert_eq!((&room, watch.just_told()), (b"more", false));
        }
    }
}
