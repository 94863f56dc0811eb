//! Options of every TCP connection, to clients and to origins.

use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tracing::debug;

/// Silence after which the kernel asks whether the peer is still there. Tunnels, `WebSocket`s, downloads and paused
/// players may be silent for long, so nothing else notices a peer that lost its power or its network (RFC 9293
/// § 3.8.4, RFC 1122 § 4.2.3.6). Lowering it wakes sleeping phones more often.
const KEEPALIVE_IDLE: Duration = Duration::from_mins(1);

/// Time between probes without an answer, and their number: after two minutes in all the peer is gone. A phone that
/// changes cells is back within seconds.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
#[cfg(unix)]
const KEEPALIVE_PROBES: u32 = 4;

/// Small writes go out at once, and a peer that is gone is noticed. A refusal by the kernel changes nothing else.
pub(crate) fn configure(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_IDLE).with_interval(KEEPALIVE_INTERVAL);
    #[cfg(unix)]
    let keepalive = keepalive.with_retries(KEEPALIVE_PROBES);
    let done = stream.set_nodelay(true).and_then(|()| SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = done {
        debug!(%error, "a connection's options could not be set");
    }
}
