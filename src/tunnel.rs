//! Bytes both ways: CONNECT tunnels and upgraded connections.
//!
//! Moving tunnels have no time limit; what is inside is none of our business.

mod copy;

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::sleep,
};
use tracing::debug;

use crate::{
    body::ByteCount,
    log::RequestLog,
    server::{Life, Taken},
};

/// When the program ends, a tunnel in which nothing has moved for this long is closed at once, unless the
/// client spoke last: browsers keep many idle ones, and waiting for them would make every end last as long
/// as it may. A client that spoke last may be waiting for a slow answer; it has the whole grace.
const QUIET: Duration = Duration::from_secs(1);

/// Joins a client that sent CONNECT with its target.
pub(crate) fn spawn_connect(
    life: &Life,
    client: OnUpgrade,
    upstream: TcpStream,
    log: RequestLog,
    silence: Duration,
) {
    let draining = life.clone();
    life.spawn(async move {
        match client.await {
            Ok(client) => {
                let moved = [log.received(), log.sent()];
                tokio::select! {
                    () = join(&draining, Taken::new(client), upstream, log) => {}
                    () = nothing_moved(&moved, silence) => debug!("a tunnel was never used"),
                }
            }
            Err(error) => debug!(%error, "the client left before its tunnel began"),
        }
    });
}

/// Joins the two sides of an upgraded connection.
pub(crate) fn spawn_upgrade(life: &Life, client: OnUpgrade, upstream: OnUpgrade, log: RequestLog) {
    let draining = life.clone();
    life.spawn(async move {
        match tokio::try_join!(client, upstream) {
            Ok((client, upstream)) => {
                join(&draining, Taken::new(client), TokioIo::new(upstream), log).await;
            }
            Err(error) => debug!(%error, "an upgrade was not completed"),
        }
    });
}

/// Copies until both sides have ended, counting into the log entry, which is written then.
pub(crate) async fn join(
    life: &Life,
    client: impl AsyncRead + AsyncWrite + Unpin,
    upstream: impl AsyncRead + AsyncWrite + Unpin,
    log: RequestLog,
) {
    let asking = AtomicBool::new(false);
    let moved = [log.received(), log.sent()];
    let mut client = Counted {
        io: client,
        read: &moved[0],
        is_client: true,
        asking: &asking,
    };
    let mut upstream = Counted {
        io: upstream,
        read: &moved[1],
        is_client: false,
        asking: &asking,
    };
    let copied = tokio::select! {
        copied = copy::both_ways(&mut client, &mut upstream) => copied,
        () = quiet_end(life, &moved, &asking) => return,
    };
    if let Err(error) = copied {
        debug!(%error, "a tunnel broke off");
    }
}

/// Ends if nothing has moved by then; else never.
async fn nothing_moved(moved: &[ByteCount; 2], silence: Duration) {
    sleep(silence).await;
    if moved.iter().any(|bytes| bytes.load(Relaxed) > 0) {
        std::future::pending::<()>().await;
    }
}

/// Waits for the program to end, and then for the tunnel to be quiet with no question open.
async fn quiet_end(life: &Life, counts: &[ByteCount; 2], asking: &AtomicBool) {
    life.draining.cancelled().await;
    let moved = || counts.iter().map(|count| count.load(Relaxed)).sum::<u64>();
    loop {
        let before = moved();
        sleep(QUIET).await;
        if moved() == before && !asking.load(Relaxed) {
            return;
        }
    }
}

/// Counts what is read, and remembers whose the last bytes were.
struct Counted<'a, T> {
    io: T,
    read: &'a ByteCount,
    is_client: bool,
    /// Whether the client spoke last.
    asking: &'a AtomicBool,
}

impl<T: AsyncRead + Unpin> AsyncRead for Counted<'_, T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buf))?;
        let bytes = buf.filled().len() - before;
        if bytes > 0 {
            self.read.fetch_add(bytes as u64, Relaxed);
            self.asking.store(self.is_client, Relaxed);
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Counted<'_, T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// A stream of which some bytes were read already and must be read again.
pub(crate) struct Rewound<T> {
    read: Bytes,
    io: T,
}

impl<T> Rewound<T> {
    pub(crate) fn new(read: Bytes, io: T) -> Self {
        Self { read, io }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Rewound<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            return Pin::new(&mut self.io).poll_read(cx, buf);
        }
        let length = self.read.len().min(buf.remaining());
        buf.put_slice(&self.read[..length]);
        self.read.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Rewound<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn bytes_that_were_read_are_read_again_first() {
        let (mut far, near) = duplex(8);
        far.write_all(b"lo").await.unwrap();
        drop(far);
        let mut text = String::new();
        let mut rewound = Rewound::new(Bytes::from_static(b"hel"), near);
        rewound.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
    }

    #[tokio::test]
    async fn both_ways_are_counted() {
        // Eight bytes of buffer force partial reads.
        let (mut client, client_side) = duplex(8);
        let (mut server, server_side) = duplex(8);
        let life = Life::for_tests();
        let log = RequestLog::new(
            ([127, 0, 0, 1], 1).into(),
            &life.ended,
            http::Method::CONNECT,
            tokio::time::Instant::now(),
        );
        let (bytes_in, bytes_out) = (log.received(), log.sent());
        let joined = join(&life, client_side, server_side, log);
        let talk = async {
            client.write_all(b"twelve bytes").await.unwrap();
            let mut got = [0; 12];
            server.read_exact(&mut got).await.unwrap();
            server.write_all(b"four").await.unwrap();
            client.read_exact(&mut got[..4]).await.unwrap();
            drop((client, server));
        };
        tokio::join!(joined, talk);
        assert_eq!((bytes_in.load(Relaxed), bytes_out.load(Relaxed)), (12, 4));
    }
}
