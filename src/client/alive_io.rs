//! A connection to an origin that asks the kernel, where nothing was heard for a while, whether the other end is still there:
//! what is sent to one that is gone is never acknowledged.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::Instant,
};
use tokio_util::either::Either;

use super::connector::{self, Io};

/// Silence after which an end may be gone. One that was heard within it costs no call of the kernel.
const SILENCE: Duration = Duration::from_millis(100);

/// How long what is sent may stay unacknowledged (`TCP_USER_TIMEOUT`, RFC 5482) before the connection is given up: three
/// retransmissions, and twice the round trip of a satellite; the kernel takes up to half a second more. Raising it makes the
/// first page after a change of networks slower; lowering it gives up connections over bad radio.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_millis(1500);

/// The connection.
pub(super) struct AliveIo {
    io: Io,
    /// Set before a request that may be sent again elsewhere.
    asks: Arc<AtomicBool>,
    heard: Instant,
    is_limited: bool,
}

impl AliveIo {
    pub(super) fn new(io: Io, asks: Arc<AtomicBool>) -> Self {
        Self { io, asks, heard: Instant::now(), is_limited: false }
    }

    pub(super) fn get_mut(&mut self) -> &mut Io {
        &mut self.io
    }

    /// Before a write.
    fn ask(&mut self) {
        if self.asks.load(Relaxed) && self.asks.swap(false, Relaxed) && self.heard.elapsed() > SILENCE {
            self.is_limited = true;
            limit(&self.io, Some(ACKNOWLEDGED_WITHIN));
        }
    }

    /// The other end has been heard. The limit must not stay: it would also end the upload to an origin that reads slowly.
    fn heard(&mut self) {
        self.heard = Instant::now();
        if std::mem::take(&mut self.is_limited) {
            limit(&self.io, None);
        }
    }
}

/// A refusal by the kernel leaves the timeouts above it.
fn limit(io: &Io, time: Option<Duration>) {
    let tcp: &TcpStream = connector::tcp_of(match io {
        Either::Left(transport) => transport,
        Either::Right(tls) => tls.get_ref().0,
    });
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = SockRef::from(tcp).set_tcp_user_timeout(time);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = (SockRef::from(tcp), time);
}

impl AsyncRead for AliveIo {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let read = ready!(Pin::new(&mut this.io).poll_read(cx, buf));
        this.heard();
        Poll::Ready(read)
    }
}

impl AsyncWrite for AliveIo {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.ask();
        Pin::new(&mut this.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.ask();
        Pin::new(&mut this.io).poll_write_vectored(cx, bufs)
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
