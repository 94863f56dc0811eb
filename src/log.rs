//! What is told: the subscriber, and one line per request.
//!
//! A query string, a cookie, a credential or page text never gets here: `RequestLog` has no place for
//! them.

mod fields;
mod line;
mod lines;

use std::{
    io::{self, IsTerminal},
    sync::{Arc, LazyLock, atomic::Ordering::Relaxed},
    time::Instant,
};

use tracing::info;
use tracing_subscriber::EnvFilter;

pub use self::lines::flush;
use self::{line::PlainLine, lines::Lines};
use crate::{
    body::ByteCount,
    config::{Log, LogFormat},
};

/// Starts logging to standard error. `RUST_LOG`, where set, wins over the level. A second call does
/// nothing.
pub fn init(log: Log) {
    // Libraries below us are quiet unless they are asked for by name.
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("warn,gleaner={}", log.level.as_str())));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Lines);
    let done = match log.format {
        LogFormat::Text if io::stderr().is_terminal() => builder.with_target(false).try_init(),
        LogFormat::Text => builder
            .event_format(PlainLine)
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
    client: Arc<str>,
    method: http::Method,
    started: Instant,
    pub(crate) host: Arc<str>,
    pub(crate) route: &'static str,
    /// 0 until there is a response.
    pub(crate) status: u16,
    received: Option<ByteCount>,
    sent: Option<ByteCount>,
    /// What went out of one body, which nobody else counts.
    pub(crate) body_bytes: u64,
    pub(crate) broke_off: bool,
    /// What the chain did, or why it did nothing.
    pub(crate) action: String,
    silent: bool,
}

impl RequestLog {
    pub(crate) fn new(client: Arc<str>, method: http::Method) -> Self {
        Self {
            client,
            method,
            started: Instant::now(),
            host: Arc::clone(&NOWHERE),
            route: "none",
            status: 0,
            received: None,
            sent: None,
            body_bytes: 0,
            broke_off: false,
            action: String::new(),
            silent: false,
        }
    }

    /// Counts what the client sends.
    pub(crate) fn received(&mut self) -> ByteCount {
        Arc::clone(self.received.get_or_insert_default())
    }

    /// Counts what is sent to the client.
    pub(crate) fn sent(&mut self) -> ByteCount {
        Arc::clone(self.sent.get_or_insert_default())
    }

    /// Hands the entry on; nothing is written for what stays behind.
    pub(crate) fn take(&mut self) -> Self {
        let mut blank = Self::new(Arc::clone(&self.client), self.method.clone());
        blank.silent = true;
        std::mem::replace(self, blank)
    }
}

/// The host of a request that has none.
static NOWHERE: LazyLock<Arc<str>> = LazyLock::new(|| "".into());

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
        let count =
            |count: &Option<ByteCount>| count.as_ref().map_or(0, |count| count.load(Relaxed));
        info!(
            client = %self.client,
            method = %self.method,
            host = &*self.host,
            route = self.route,
            status,
            bytes_in = count(&self.received),
            bytes_out = self.body_bytes + count(&self.sent),
            elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            broke_off = self.broke_off,
            action,
            "request"
        );
    }
}
