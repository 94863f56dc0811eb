//! What is told: the subscriber, and one line per request.
//!
//! A query string, a cookie, a credential or page text never gets here: `RequestLog` has no place for
//! them.

mod fields;

use std::{
    io::{self, IsTerminal},
    net::SocketAddr,
    sync::atomic::Ordering::Relaxed,
    time::Instant,
};

use tracing::info;
use tracing_subscriber::EnvFilter;

use crate::{
    body::ByteCount,
    config::{Log, LogFormat},
};

/// Starts logging to standard error. `RUST_LOG`, where set, wins over the level. A second call does
/// nothing.
pub fn init(log: Log) {
    // Libraries below us are quiet unless they are asked for by name: what they have to say of a failure lacks the host,
    // and we say it with the host where we handle it.
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| {
        let level = log.level.as_str();
        EnvFilter::new(format!("off,gleaner={level},gleaner_filters={level}"))
    });
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let done = match log.format {
        LogFormat::Text if io::stderr().is_terminal() => builder.with_target(false).try_init(),
        LogFormat::Text => builder
            .with_target(false)
            .with_ansi(false)
            .fmt_fields(fields::PlainFields)
            .try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // Only a second call can fail, and the first one's subscriber is as good.
    drop(done);
}

/// The entry of one request: filled in on its way, written when its last byte is gone, or when the
/// client has left.
#[derive(Debug)]
pub(crate) struct RequestLog {
    client: SocketAddr,
    method: http::Method,
    started: Instant,
    pub(crate) host: String,
    pub(crate) route: &'static str,
    /// 0 until there is a response.
    pub(crate) status: u16,
    pub(crate) bytes_in: ByteCount,
    pub(crate) bytes_out: ByteCount,
    pub(crate) broke_off: bool,
    /// What the chain did, or why it did nothing.
    pub(crate) action: String,
    silent: bool,
}

impl RequestLog {
    pub(crate) fn new(client: SocketAddr, method: http::Method) -> Self {
        Self {
            client,
            method,
            started: Instant::now(),
            host: String::new(),
            route: "none",
            status: 0,
            bytes_in: ByteCount::default(),
            bytes_out: ByteCount::default(),
            broke_off: false,
            action: String::new(),
            silent: false,
        }
    }
}

impl RequestLog {
    /// Hands the entry on; nothing is written for what stays behind.
    pub(crate) fn take(&mut self) -> Self {
        let mut blank = Self::new(self.client, self.method.clone());
        blank.silent = true;
        std::mem::replace(self, blank)
    }
}

/// What a client that left before there was a response is logged with: no status of HTTP, but what other
/// proxies write too.
const CLIENT_LEFT: u16 = 499;

impl Drop for RequestLog {
    fn drop(&mut self) {
        if self.silent {
            return;
        }
        let (status, action) = match self.status {
            0 => (CLIENT_LEFT, "the client left"),
            status => (status, self.action.as_str()),
        };
        info!(
            client = %self.client,
            method = %self.method,
            host = self.host,
            route = self.route,
            status,
            bytes_in = self.bytes_in.load(Relaxed),
            bytes_out = self.bytes_out.load(Relaxed),
            elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            broke_off = self.broke_off,
            action,
            "request"
        );
    }
}
