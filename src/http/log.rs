//! The log on standard error: the subscriber, and one line per request where `log.requests` is set.
//!
//! Query strings, cookies, credentials and page text are
//! never logged: `RequestLog` has no field for them.

mod queue;

use std::{
    env,
    io::{self, IsTerminal},
    net::SocketAddr,
    panic,
    sync::{Arc, OnceLock, atomic::Ordering::Relaxed},
    time::{Duration, SystemTime},
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use self::queue::LogQueue;
use crate::{
    config::{Log, LogFormat},
    http::{
        body::ByteCount,
        history::{PageEffect, Record, RequestHistory},
        outcome::Outcome,
    },
    net::route::Route,
};

static WRITER: OnceLock<LogQueue> = OnceLock::new();

/// The target of the line per request, so that it can be switched on and off by itself.
const REQUEST: &str = "gleaner::request";

/// Starts logging to standard error. `RUST_LOG`, where set, overrides the levels. A second call does nothing.
pub(crate) fn init(log: Log) {
    let filter: Option<Targets> = env::var("RUST_LOG").ok().and_then(|directives| directives.parse().ok());
    let filter = filter.unwrap_or_else(|| configured_filter(log));
    let queue = WRITER.get_or_init(LogQueue::start);
    let builder = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(queue)
        .with_ansi(io::stderr().is_terminal());
    let started = match log.format {
        LogFormat::Text => builder.with_target(false).finish().with(filter).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).finish().with(filter).try_init(),
    };
    if started.is_ok() {
        // The default hook writes to standard error itself and could block.
        panic::set_hook(Box::new(|panic| error!(%panic, "a thread panicked")));
    }
}

/// Dependencies do not log unless `RUST_LOG` names them: their errors lack the host and are logged again here.
fn configured_filter(log: Log) -> Targets {
    let requests = if log.requests { LevelFilter::INFO } else { LevelFilter::OFF };
    Targets::new()
        .with_targets(["gleaner", "gleaner_filters"].map(|target| (target, LevelFilter::from(log.level))))
        .with_target(REQUEST, requests)
}

/// Writes the queued lines, for a second at most. To be called before the program ends.
pub(crate) fn flush() {
    if let Some(queue) = WRITER.get() {
        queue.flush(Duration::from_secs(1));
    }
}

/// The log entry of one request, written when it is dropped: after the last byte, or when the client has disconnected.
#[derive(Debug)]
pub(crate) struct RequestLog {
    client: SocketAddr,
    /// Cancelled when the shutdown timeout is up.
    aborted: CancellationToken,
    method: http::Method,
    pub(crate) started: Instant,
    /// Where users are configured.
    pub(crate) user: Option<Arc<str>>,
    pub(crate) host: Option<Arc<str>>,
    /// The site whose page asked, where it is another and known.
    pub(crate) asked_by: Option<Box<str>>,
    pub(crate) route: Route,
    /// The way to the origin, where the configuration has rules for it.
    pub(crate) via: Option<Arc<str>>,
    /// 0 until there is a response.
    pub(crate) status: u16,
    /// Bytes from the client, and to it.
    pub(crate) received: ByteCount,
    pub(crate) sent: ByteCount,
    broken_by: Option<BrokenBy>,
    /// Whether the end of the body is still to come.
    body_unfinished: bool,
    pub(crate) outcome: Outcome,
    /// Effect of the filters in numbers, for a page that was rewritten.
    pub(crate) page: Option<PageEffect>,
    /// Where it is kept for the panel.
    records: Arc<RequestHistory>,
    /// Its entry was handed over; this one is not written.
    handed_over: bool,
}

impl RequestLog {
    pub(crate) fn new(
        client: SocketAddr,
        aborted: &CancellationToken,
        method: http::Method,
        started: Instant,
        records: &Arc<RequestHistory>,
    ) -> Self {
        Self {
            client,
            aborted: aborted.clone(),
            method,
            started,
            user: None,
            host: None,
            asked_by: None,
            route: Route::default(),
            via: None,
            status: 0,
            received: ByteCount::default(),
            sent: ByteCount::default(),
            broken_by: None,
            body_unfinished: false,
            outcome: Outcome::default(),
            page: None,
            records: Arc::clone(records),
            handed_over: false,
        }
    }

    /// The response has a body; an entry that is written before its end says that it broke off. A response to HEAD has none,
    /// whatever its fields say (RFC 9110 § 9.3.2).
    pub(crate) fn expect_end(&mut self) {
        self.body_unfinished = self.method != http::Method::HEAD;
    }

    pub(crate) fn ended(&mut self) {
        self.body_unfinished = false;
    }

    pub(crate) fn broken_by(&mut self, who: BrokenBy) {
        self.broken_by = Some(who);
        self.body_unfinished = false;
    }

    /// The entry is not written.
    pub(crate) fn discard(&mut self) {
        self.handed_over = true;
    }

    /// Hands the entry over.
    pub(crate) fn take(&mut self) -> Self {
        let blank = self.unwritten();
        std::mem::replace(self, blank)
    }

    /// An entry that is not written, for a request of our own that belongs to this one.
    pub(crate) fn unwritten(&self) -> Self {
        let mut blank = Self::new(self.client, &self.aborted, self.method.clone(), self.started, &self.records);
        blank.handed_over = true;
        blank
    }
}

/// Who ended a response early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenBy {
    /// The client disconnected.
    Client,
    /// The origin disconnected or stalled.
    Origin,
    /// The shutdown timeout was up.
    Shutdown,
}

impl BrokenBy {
    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Origin => "origin",
            Self::Shutdown => "shutdown",
        }
    }
}

/// Logged as the status where the client disconnected before the response: not of HTTP, but nginx logs it too.
const CLIENT_LEFT: u16 = 499;

impl Drop for RequestLog {
    fn drop(&mut self) {
        if self.handed_over {
            return;
        }
        if self.status == 0 || self.body_unfinished {
            self.broken_by = Some(if self.aborted.is_cancelled() { BrokenBy::Shutdown } else { BrokenBy::Client });
        }
        let (status, outcome) = match self.status {
            0 if self.broken_by == Some(BrokenBy::Shutdown) => (0, Outcome::ProgramEnded),
            0 => (CLIENT_LEFT, Outcome::ClientLeft),
            status => (status, std::mem::take(&mut self.outcome)),
        };
        // Nothing is formatted where the target is switched off.
        info!(
            target: REQUEST,
            client = %self.client,
            method = %self.method,
            host = self.host.as_deref().unwrap_or_default(),
            route = self.route.as_str(),
            via = self.via.as_deref(),
            status,
            bytes_in = self.received.load(Relaxed),
            bytes_out = self.sent.load(Relaxed),
            elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            broke_off = self.broken_by.is_some(),
            by = self.broken_by.map(BrokenBy::name),
            action = outcome.to_string(),
            "request"
        );
        self.records.add(Record {
            ended: SystemTime::now(),
            client: self.client.ip().to_canonical(),
            user: self.user.take(),
            method: self.method.clone(),
            host: self.host.take(),
            asked_by: self.asked_by.take(),
            route: self.route,
            via: self.via.take(),
            status,
            received: self.received.load(Relaxed),
            sent: self.sent.load(Relaxed),
            elapsed: self.started.elapsed(),
            outcome,
            page: self.page,
        });
    }
}
