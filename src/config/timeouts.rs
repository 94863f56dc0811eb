//! Section `timeouts`: how long to wait for what. All defaults are under a minute, so that a person
//! sees an honest error before the browser gives up by itself.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parse::BadValue;

/// Section `timeouts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawTimeouts {
    /// Seconds to resolve a name and connect to one of its addresses.
    #[schemars(range(min = 1, max = 86400))]
    pub connect_seconds: u64,
    /// Seconds for a TLS handshake, on either side.
    #[schemars(range(min = 1, max = 86400))]
    pub tls_handshake_seconds: u64,
    /// Seconds from the last byte of a request to the first of its response.
    #[schemars(range(min = 1, max = 86400))]
    pub first_byte_seconds: u64,
    /// Seconds that a response's body may stand still. Event streams are exempt.
    #[schemars(range(min = 1, max = 86400))]
    pub body_stall_seconds: u64,
    /// Seconds for a client to send a request's head.
    #[schemars(range(min = 1, max = 86400))]
    pub request_head_seconds: u64,
    /// Seconds that a request's body may stand still.
    #[schemars(range(min = 1, max = 86400))]
    pub request_body_seconds: u64,
    /// Seconds that a client may take not one byte of an answer that waits for it. Tunnels and web
    /// sockets are exempt.
    #[schemars(range(min = 1, max = 86400))]
    pub client_stall_seconds: u64,
    /// Seconds that a client connection is kept for its next request.
    #[schemars(range(min = 1, max = 86400))]
    pub client_idle_seconds: u64,
    /// Seconds that a tunnel may stay without a single byte after CONNECT. One that has moved may
    /// be silent for as long as it likes.
    #[schemars(range(min = 1, max = 86400))]
    pub connect_silence_seconds: u64,
    /// Seconds that an unused connection to a web server is kept for the next request.
    #[schemars(range(min = 1, max = 86400))]
    pub idle_seconds: u64,
}

impl Default for RawTimeouts {
    fn default() -> Self {
        Self {
            connect_seconds: 10,
            tls_handshake_seconds: 10,
            first_byte_seconds: 50,
            body_stall_seconds: 50,
            request_head_seconds: 30,
            request_body_seconds: 30,
            client_stall_seconds: 50,
            client_idle_seconds: 55,
            connect_silence_seconds: 50,
            idle_seconds: 50,
        }
    }
}

impl RawTimeouts {
    pub(super) fn parse(self) -> Result<Timeouts, BadValue> {
        Ok(Timeouts {
            connect: seconds("timeouts.connect_seconds", self.connect_seconds)?,
            tls_handshake: seconds("timeouts.tls_handshake_seconds", self.tls_handshake_seconds)?,
            first_byte: seconds("timeouts.first_byte_seconds", self.first_byte_seconds)?,
            body_stall: seconds("timeouts.body_stall_seconds", self.body_stall_seconds)?,
            request_head: seconds("timeouts.request_head_seconds", self.request_head_seconds)?,
            request_body: seconds("timeouts.request_body_seconds", self.request_body_seconds)?,
            client_stall: seconds("timeouts.client_stall_seconds", self.client_stall_seconds)?,
            client_idle: seconds("timeouts.client_idle_seconds", self.client_idle_seconds)?,
            connect_silence: seconds(
                "timeouts.connect_silence_seconds",
                self.connect_silence_seconds,
            )?,
            idle: seconds("timeouts.idle_seconds", self.idle_seconds)?,
        })
    }
}

fn seconds(key: &'static str, seconds: u64) -> Result<Duration, BadValue> {
    /// A day: longer is a typing error.
    const MOST: u64 = 86_400;
    if (1..=MOST).contains(&seconds) {
        Ok(Duration::from_secs(seconds))
    } else {
        Err(BadValue::new(
            key,
            format!("{seconds} is out of range"),
            "1 to 86400 seconds",
        ))
    }
}

/// Waiting times.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// To resolve and connect.
    pub connect: Duration,
    /// For a TLS handshake.
    pub tls_handshake: Duration,
    /// For the first byte of a response.
    pub first_byte: Duration,
    /// For the next piece of a response's body.
    pub body_stall: Duration,
    /// For a request's head.
    pub request_head: Duration,
    /// For the next piece of a request's body.
    pub request_body: Duration,
    /// For a client to take some of what waits for it.
    pub client_stall: Duration,
    /// Life of an unused client connection.
    pub client_idle: Duration,
    /// For the first byte of a tunnel.
    pub connect_silence: Duration,
    /// Life of an unused upstream connection.
    pub idle: Duration,
}
