//! The log on standard error: the subscriber, its writer, and one line per request.
//!
//! Lines go through a bounded queue to a thread that writes them, so that a standard error nobody reads stops nothing. What
//! finds the queue full is lost, counted, and the count is logged once there is room again. A query string, a cookie, a
//! credential or page text never gets here: `RequestLog` has no field for them.

use std::{
    env,
    fs::File,
    io::{self, BufWriter, IsTerminal, Write},
    net::SocketAddr,
    os::fd::AsFd,
    panic,
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic::Ordering::Relaxed},
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    body::ByteCount,
    config::{Log, LogFormat},
};

/// Lines that wait for the writer, some 250 bytes each. Raising it loses fewer lines of a burst and takes more memory while
/// nobody reads standard error.
const MAX_WAITING_LINES: usize = 16 * 1024;

/// Ends the writer when it is dropped.
static WRITER: Mutex<Option<WorkerGuard>> = Mutex::new(None);

/// Starts logging to standard error. `RUST_LOG`, where set, wins over the level. A second call does
/// nothing.
pub fn init(log: Log) {
    // Dependencies are silent unless `RUST_LOG` names them: what they log of a failure lacks the host, and this program logs
    // it with the host where it is handled.
    let filter: Targets =
        env::var("RUST_LOG").ok().and_then(|directives| directives.parse().ok()).unwrap_or_else(|| {
            let level: LevelFilter = log.level.into();
            Targets::new().with_targets([("gleaner", level), ("gleaner_filters", level)])
        });
    let lost = Arc::default();
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_WAITING_LINES)
        .thread_name("log")
        .finish(StandardError::new(Arc::clone(&lost)));
    // The cell was empty: it is set here only.
    let _ = lost.set(writer.error_counter());
    let builder = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(writer)
        .with_ansi(io::stderr().is_terminal());
    let started = match log.format {
        LogFormat::Text => {
            let subscriber = builder.with_target(false).finish();
            subscriber.with(filter).try_init()
        }
        LogFormat::Json => {
            let subscriber = builder.json().flatten_event(true).finish();
            subscriber.with(filter).try_init()
        }
    };
    if started.is_ok() {
        *WRITER.lock().unwrap_or_else(PoisonError::into_inner) = Some(guard);
        // The default hook writes to standard error itself and would wait for its reader.
        panic::set_hook(Box::new(|panic| error!(%panic, "a thread panicked")));
    }
}

/// Writes the lines that wait, for a second at most, and ends the log: the last thing before the program ends.
pub fn flush() {
    drop(WRITER.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Standard error as the writer's thread sees it.
struct StandardError {
    out: BufWriter<Box<dyn Write + Send>>,
    lost: Arc<OnceLock<ErrorCounter>>,
    /// Lost lines that were logged.
    reported: usize,
}

impl StandardError {
    fn new(lost: Arc<OnceLock<ErrorCounter>>) -> Self {
        // A descriptor of its own: `io::stderr` is locked during a write, and others would wait for the lock.
        let own = io::stderr().as_fd().try_clone_to_owned();
        let out: Box<dyn Write + Send> = match own {
            Ok(own) => Box::new(File::from(own)),
            Err(_) => Box::new(io::stderr()),
        };
        Self { out: BufWriter::new(out), lost, reported: 0 }
    }
}

impl Write for StandardError {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.out.write(line)
    }

    /// Called when no line waits, so that there is room for one more before this thread writes on.
    fn flush(&mut self) -> io::Result<()> {
        let lost = self.lost.get().map_or(0, ErrorCounter::dropped_lines);
        if lost > self.reported {
            let lines = lost - self.reported;
            self.reported = lost;
            warn!(lines, "lines of the log were lost: standard error was not read");
        }
        self.out.flush()
    }
}

/// The entry of one request: filled in on its way, written when its last byte is gone, or when the
/// client has left.
#[derive(Debug)]
pub(crate) struct RequestLog {
    client: SocketAddr,
    /// Cancelled when the program ends and breaks requests off.
    cut: CancellationToken,
    method: http::Method,
    pub(crate) started: Instant,
    pub(crate) host: Option<Arc<str>>,
    pub(crate) route: &'static str,
    /// 0 until there is a response.
    pub(crate) status: u16,
    received: ByteCount,
    sent: ByteCount,
    /// Who broke the response off before its end, if anybody did.
    broken_by: Option<BrokenBy>,
    /// Whether the end of the response is still to come.
    unended: bool,
    /// What the chain did, or why it did nothing.
    pub(crate) action: String,
    silent: bool,
}

impl RequestLog {
    pub(crate) fn new(client: SocketAddr, cut: &CancellationToken, method: http::Method, started: Instant) -> Self {
        Self {
            client,
            cut: cut.clone(),
            method,
            started,
            host: None,
            route: "none",
            status: 0,
            received: ByteCount::default(),
            sent: ByteCount::default(),
            broken_by: None,
            unended: false,
            action: String::new(),
            silent: false,
        }
    }

    /// Counts what the client sends.
    pub(crate) fn received(&self) -> ByteCount {
        Arc::clone(&self.received)
    }

    /// Counts what is sent to the client.
    pub(crate) fn sent(&self) -> ByteCount {
        Arc::clone(&self.sent)
    }

    /// The response has a body whose end is to come; an entry that is written before it says that it broke off. That to a HEAD
    /// has none, whatever its fields say (RFC 9110 § 9.3.2).
    pub(crate) fn expect_end(&mut self) {
        self.unended = self.method != http::Method::HEAD;
    }

    /// The end has come.
    pub(crate) fn ended(&mut self) {
        self.unended = false;
    }

    /// The response will not go on.
    pub(crate) fn broken_by(&mut self, who: BrokenBy) {
        self.broken_by = Some(who);
        self.unended = false;
    }

    /// Hands the entry on; nothing is written for what stays behind.
    pub(crate) fn take(&mut self) -> Self {
        let mut blank = Self::new(self.client, &self.cut, self.method.clone(), self.started);
        blank.silent = true;
        std::mem::replace(self, blank)
    }
}

/// Who left a response unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenBy {
    /// The client did not take it to its end.
    Client,
    /// The origin did not send it to its end, or stopped sending.
    Origin,
    /// The program ended, and the time that it gives to responses in flight was up.
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

/// What a client that left before there was a response is logged with: no status of HTTP, but what other
/// proxies write too.
const CLIENT_LEFT: u16 = 499;

impl Drop for RequestLog {
    fn drop(&mut self) {
        if self.silent {
            return;
        }
        if self.status == 0 || self.unended {
            self.broken_by = Some(if self.cut.is_cancelled() { BrokenBy::Shutdown } else { BrokenBy::Client });
        }
        let (status, action) = match self.status {
            0 if self.broken_by == Some(BrokenBy::Shutdown) => (0, "the program ended"),
            0 => (CLIENT_LEFT, "the client left"),
            status => (status, self.action.as_str()),
        };
        info!(
            client = %self.client,
            method = %self.method,
            host = self.host.as_deref().unwrap_or_default(),
            route = self.route,
            status,
            bytes_in = self.received.load(Relaxed),
            bytes_out = self.sent.load(Relaxed),
            elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            broke_off = self.broken_by.is_some(),
            by = self.broken_by.map(BrokenBy::name),
            action,
            "request"
        );
    }
}
