//! What every connection is set to, whichever side it is on, and how it is written to.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tracing::debug;

/// Silence after which a peer is asked whether it is still there. Tunnels, web sockets and event streams may
/// be silent for as long as they like, so nothing else would notice one whose peer lost its power or its
/// network (RFC 9293 § 3.8.4, RFC 1122 § 4.2.3.6). Lowering it wakes sleeping phones more often.
const QUIET: Duration = Duration::from_mins(1);

/// Time between questions without an answer, and how many there are: after two minutes in all the peer is
/// gone. A phone that changes cells is back within seconds.
const AGAIN: Duration = Duration::from_secs(15);
const QUESTIONS: u32 = 4;

/// Small writes go out at once, and a peer that is gone without a word is noticed. A refusal of the operating
/// system changes nothing else.
pub(crate) fn set_up(stream: &TcpStream) {
    let keep_alive = TcpKeepalive::new().with_time(QUIET).with_interval(AGAIN);
    #[cfg(unix)]
    let keep_alive = keep_alive.with_retries(QUESTIONS);
    let done = stream
        .set_nodelay(true)
        .and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keep_alive));
    if let Err(error) = done {
        debug!(%error, "a connection could not be set up as wanted");
    }
}

/// Writes pieces. One that is alone is sent as such: TLS says of each of its own that there may be more, and the system takes a
/// list of one a little slower (2026-11-22, `turns`).
pub(crate) fn write_pieces(
    stream: &mut TcpStream,
    cx: &mut Context<'_>,
    bufs: &[IoSlice<'_>],
) -> Poll<io::Result<usize>> {
    match bufs {
        [one] => Pin::new(stream).poll_write(cx, one),
        many => Pin::new(stream).poll_write_vectored(cx, many),
    }
}

/// A connection under TLS, which is written to in this way.
#[derive(Debug)]
pub(crate) struct UnderTls(pub(crate) TcpStream);

impl AsyncRead for UnderTls {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for UnderTls {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        write_pieces(&mut self.0, cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
