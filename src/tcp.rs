//! What every connection is set to, whichever side it is on.

use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
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
