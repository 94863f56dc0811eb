//! A client's socket: owns the connection's permit, gives up clients that do not read, and closes with a reset
//! where an orderly end would make a short response look whole.

use std::{
    io,
    pin::Pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::{
    http::body::IdleTimer,
    server::{Connection, connection_limits::ConnectionPermit},
};

/// The socket. Its permit lives as long as it: a tunnel is a connection too.
pub(crate) struct ClientSocket {
    stream: TcpStream,
    connection: Arc<Connection>,
    /// Runs while a write waits, so that a response that nobody reads does not hold memory for ever. Tunnels are
    /// exempt.
    write_timer: IdleTimer,
    _permit: ConnectionPermit,
}

impl ClientSocket {
    pub(super) fn new(
        stream: TcpStream,
        connection: Arc<Connection>,
        write_timeout: Duration,
        permit: ConnectionPermit,
    ) -> Self {
        Self { stream, connection, write_timer: IdleTimer::new(write_timeout), _permit: permit }
    }

    fn check_progress<T>(&mut self, polled: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let waits = polled.is_pending() && !self.connection.is_tunnel.load(Relaxed);
        if self.write_timer.poll_expired(waits, cx) {
            let problem = "the client does not read its response";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, problem)));
        }
        polled
    }
}

impl Drop for ClientSocket {
    fn drop(&mut self) {
        // RFC 9112 § 8: a body that ends with the connection is incomplete if the connection does not end in order.
        if self.connection.reset_on_close.load(Relaxed) {
            // If the kernel refuses, the ordinary end is what there would be without this.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for ClientSocket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for ClientSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.check_progress(polled, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.check_progress(polled, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
