//! Section `timeouts`: how long to wait for what.
//!
//! Where a person waits for an answer, the default is under a minute, so that an error page arrives before the browser
//! gives up. Where both sides may be alive and silent (a log, a camera, a paused player), it is minutes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Seconds;

/// Section `timeouts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// Seconds to resolve a name and connect to one of its addresses.
    #[serde(rename = "connect_seconds", with = "Seconds")]
    pub connect: Duration,
    /// Seconds for a proxy of `upstream.via` to connect to a web server, once it is asked.
    #[serde(rename = "parent_seconds", with = "Seconds")]
    pub parent: Duration,
    /// Seconds for a TLS handshake, on either side.
    #[serde(rename = "tls_handshake_seconds", with = "Seconds")]
    pub tls_handshake: Duration,
    /// Seconds from the last byte of a request, its body included, to the first of its response.
    #[serde(rename = "first_byte_seconds", with = "Seconds")]
    pub first_byte: Duration,
    /// Seconds of silence within a response's body while both sides are alive.
    #[serde(rename = "body_stall_seconds", with = "Seconds")]
    pub body_stall: Duration,
    /// Seconds for a client to send a request's head.
    #[serde(rename = "request_head_seconds", with = "Seconds")]
    pub request_head: Duration,
    /// Seconds of silence within a request's body while both sides are alive.
    #[serde(rename = "request_body_seconds", with = "Seconds")]
    pub request_body: Duration,
    /// Seconds in which a client may accept no byte of a response that is ready for it. Tunnels and web
    /// sockets are exempt.
    #[serde(rename = "client_stall_seconds", with = "Seconds")]
    pub client_stall: Duration,
    /// Seconds that a client connection is kept for its next request.
    #[serde(rename = "client_idle_seconds", with = "Seconds")]
    pub client_idle: Duration,
    /// Seconds that a tunnel may be without a single byte after CONNECT. After the first byte it may be silent
    /// without limit.
    #[serde(rename = "tunnel_first_byte_seconds", with = "Seconds")]
    pub tunnel_first_byte: Duration,
    /// Seconds that a tunnel or web socket may be silent after one of its ends has closed.
    #[serde(rename = "half_closed_seconds", with = "Seconds")]
    pub half_closed: Duration,
    /// Seconds that an unused connection to a web server is kept for the next request.
    #[serde(rename = "server_idle_seconds", with = "Seconds")]
    pub server_idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            // Tor builds a new circuit in up to 20 seconds, and tries another then.
            parent: Duration::from_secs(30),
            tls_handshake: Duration::from_secs(10),
            first_byte: Duration::from_mins(5),
            body_stall: Duration::from_mins(10),
            request_head: Duration::from_secs(30),
            request_body: Duration::from_mins(10),
            client_stall: Duration::from_mins(10),
            client_idle: Duration::from_secs(55),
            tunnel_first_byte: Duration::from_secs(50),
            half_closed: HALF_CLOSED,
            server_idle: Duration::from_secs(50),
        }
    }
}

/// RFC 5382 § 5 has address translators keep connections of which one end has closed for at least four minutes; longer
/// ones would be cut there. Raising it lets clients that close half of a tunnel and forget it hold their place for longer.
const HALF_CLOSED: Duration = Duration::from_mins(4);
