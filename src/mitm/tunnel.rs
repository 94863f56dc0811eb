//! Bytes both ways: CONNECT tunnels and upgraded connections. Once bytes have moved there is no time limit while both ends
//! are open; after one has closed, the other may be silent for minutes.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes},
    time::sleep,
};
use tokio_util::{io::InspectReader, sync::CancellationToken};
use tracing::debug;

use crate::{
    config::Timeouts,
    http::{body::ByteCount, log::RequestLog},
    util::settle,
};

/// Bytes of the buffer for each way. Raising it makes bulk transfer cheaper and idle tunnels larger.
const BUFFER: usize = 16 * 1024;

/// When the program ends, a tunnel in which nothing has moved for so long is closed at once, unless the client spoke
/// last: browsers keep many idle ones, and each end would last for the whole grace period. A client that spoke last
/// may be waiting for a slow response.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// How long a tunnel may be silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SilenceLimits {
    /// Before its first byte; `None` where bytes have moved already.
    first_byte: Option<Duration>,
    /// After one end has closed.
    half_closed: Duration,
}

impl SilenceLimits {
    /// The limits of a tunnel in which bytes have moved.
    pub(crate) fn in_use(timeouts: &Timeouts) -> Self {
        Self { first_byte: None, half_closed: timeouts.half_closed }
    }

    /// The limits of a tunnel that may never be used.
    pub(crate) fn unused(timeouts: &Timeouts) -> Self {
        Self { first_byte: Some(timeouts.tunnel_first_byte), ..Self::in_use(timeouts) }
    }
}

/// Ends when a tunnel must not go on.
pub(crate) type Closing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs a tunnel until then, if that comes before its own end.
pub(crate) async fn until(closing: Option<Closing>, tunnel: impl Future<Output = ()>) {
    let Some(closing) = closing else { return tunnel.await };
    tokio::select! {
        () = tunnel => {}
        () = closing => debug!("a tunnel was closed: its host is blocked now"),
    }
}

/// Copies until both sides have ended; the end of one is passed to the other. Counts into the log entry, which is
/// written then.
pub(crate) async fn copy(
    draining: &CancellationToken,
    client: impl AsyncRead + AsyncWrite + Unpin,
    upstream: impl AsyncRead + AsyncWrite + Unpin,
    log: RequestLog,
    limits: SilenceLimits,
) {
    let moved = [&log.received, &log.sent].map(Arc::clone);
    let client_spoke_last = AtomicBool::new(false);
    let half_closed = CancellationToken::new();
    let inspect = |count: &ByteCount, is_client: bool| {
        let count = Arc::clone(count);
        let (client_spoke_last, half_closed) = (&client_spoke_last, &half_closed);
        move |bytes: &[u8]| {
            if bytes.is_empty() {
                // The end of this side.
                return half_closed.cancel();
            }
            count.fetch_add(bytes.len() as u64, Relaxed);
            client_spoke_last.store(is_client, Relaxed);
        }
    };
    let mut client = InspectReader::new(client, inspect(&moved[0], true));
    let mut upstream = InspectReader::new(upstream, inspect(&moved[1], false));
    let copied = tokio::select! {
        copied = copy_bidirectional_with_sizes(&mut client, &mut upstream, BUFFER, BUFFER) => copied,
        () = drained(draining, &moved, &client_spoke_last) => return,
        () = never_used(&moved, limits.first_byte) => return debug!("a tunnel was never used"),
        () = forgotten(&half_closed, &moved, limits.half_closed) => return debug!("a half-closed tunnel was silent"),
    };
    if let Err(error) = copied {
        debug!(%error, "a tunnel broke off");
    }
}

/// Returns if nothing has moved by then, else never.
async fn never_used(moved: &[ByteCount; 2], timeout: Option<Duration>) {
    if let Some(timeout) = timeout {
        sleep(timeout).await;
        if total(moved) == 0 {
            return;
        }
    }
    std::future::pending::<()>().await;
}

/// Waits for one end to close, and then for so much time without a byte from the other.
async fn forgotten(half_closed: &CancellationToken, moved: &[ByteCount; 2], timeout: Duration) {
    half_closed.cancelled().await;
    settle::unchanged(timeout, || Some(total(moved))).await;
}

/// Waits for the program to end, and then for the tunnel to be quiet with no question of the client open.
async fn drained(draining: &CancellationToken, moved: &[ByteCount; 2], client_spoke_last: &AtomicBool) {
    draining.cancelled().await;
    loop {
        let before = total(moved);
        sleep(QUIET_TIME).await;
        if total(moved) == before && !client_spoke_last.load(Relaxed) {
            return;
        }
    }
}

fn total(moved: &[ByteCount; 2]) -> u64 {
    moved.iter().map(|count| count.load(Relaxed)).sum()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn both_ways_are_counted() {
        // Eight bytes of buffer force partial reads.
        let (mut client, client_side) = duplex(8);
        let (mut server, server_side) = duplex(8);
        let token = CancellationToken::new();
        let log = RequestLog::new(
            ([127, 0, 0, 1], 1).into(),
            &token,
            http::Method::CONNECT,
            tokio::time::Instant::now(),
            &std::sync::Arc::new(crate::http::history::RequestHistory::new()),
        );
        let [bytes_in, bytes_out] = [&log.received, &log.sent].map(Arc::clone);
        let copied = copy(&token, client_side, server_side, log, SilenceLimits::in_use(&Timeouts::default()));
        let talk = async {
            client.write_all(b"twelve bytes").await.unwrap();
            let mut got = [0; 12];
            server.read_exact(&mut got).await.unwrap();
            server.write_all(b"four").await.unwrap();
            client.read_exact(&mut got[..4]).await.unwrap();
            drop((client, server));
        };
        tokio::join!(copied, talk);
        assert_eq!((bytes_in.load(Relaxed), bytes_out.load(Relaxed)), (12, 4));
    }
}
