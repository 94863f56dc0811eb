//! What is told: the subscriber, and one line per request.
//!
//! A query string, a cookie, a credential or page text never gets here: `RequestLog` has no place for
//! them.

mod fields;
mod line;
mod lines;

use std::{
    env,
    io::{self, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use tokio::time::Instant;
use tracing::{Level, enabled, info};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

pub use self::lines::flush;
use self::{line::PlainLine, lines::Lines};
use crate::{
    body::ByteCount,
    config::{Log, LogFormat},
    server::Cut,
};

/// Starts logging to standard error. `RUST_LOG`, where set, wins over the level. A second call does
/// nothing.
pub fn init(log: Log) {
    // Libraries below us are quiet unless they are asked for by name: what they have to say of a failure lacks the host,
    // and we say it with the host where we handle it.
    let filter: Targets = env::var("RUST_LOG")
        .ok()
        .and_then(|directives| directives.parse().ok())
        .unwrap_or_else(|| {
            let level: LevelFilter = log.level.into();
            Targets::new().with_targets([("gleaner", level), ("gleaner_filters", level)])
        });
    let builder = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(|| Lines);
    let is_plain = log.format == LogFormat::Text && !io::stderr().is_terminal();
    let done = match log.format {
        LogFormat::Text if !is_plain => {
            let subscriber = builder.with_target(false).finish();
            subscriber.with(filter).try_init()
        }
        LogFormat::Text => {
            let builder = builder.event_format(PlainLine);
            let subscriber = builder.fmt_fields(fields::PlainFields).finish();
            subscriber.with(filter).try_init()
        }
        LogFormat::Json => {
            let subscriber = builder.json().flatten_event(true).finish();
            subscriber.with(filter).try_init()
        }
    };
    // Only a second call can fail, and the first one's subscriber is as good.
    if done.is_ok() {
        let is_usual = enabled!(Level::INFO) && LevelFilter::current() <= LevelFilter::INFO;
        PLAIN.store(is_plain && is_usual, Relaxed);
    }
}

/// Who asks on one connection. Made once for all its requests.
#[derive(Debug)]
pub(crate) struct Caller {
    name: String,
    /// Whether the program ends and takes requests with it.
    cut: Cut,
}

impl Caller {
    pub(crate) fn new(name: String, cut: &Cut) -> Arc<Self> {
        let cut = Arc::clone(cut);
        Arc::new(Self { name, cut })
    }
}

/// The entry of one request: filled in on its way, written when its last byte is gone, or when the
/// client has left.
#[derive(Debug)]
pub(crate) struct RequestLog {
    caller: Arc<Caller>,
    method: http::Method,
    pub(crate) started: Instant,
    pub(crate) host: Option<Arc<str>>,
    pub(crate) route: &'static str,
    /// 0 until there is a response.
    pub(crate) status: u16,
    received: Option<ByteCount>,
    sent: Option<ByteCount>,
    /// What went out of one body, which nobody else counts.
    pub(crate) body_bytes: u64,
    /// Who broke the answer off before its end, if anybody did.
    broken_by: Option<BrokenBy>,
    /// Whether the end of the answer is still to come.
    unended: bool,
    /// What the chain did, or why it did nothing.
    pub(crate) action: String,
    silent: bool,
}

impl RequestLog {
    pub(crate) fn new(caller: Arc<Caller>, method: http::Method, started: Instant) -> Self {
        Self {
            caller,
            method,
            started,
            host: None,
            route: "none",
            status: 0,
            received: None,
            sent: None,
            body_bytes: 0,
            broken_by: None,
            unended: false,
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

    /// The answer has a body whose end is to come; an entry that is written before it tells of a break. That to a HEAD has
    /// none, whatever its fields say (RFC 9110 § 9.3.2).
    pub(crate) fn expect_end(&mut self) {
        self.unended = self.method != http::Method::HEAD;
    }

    /// The end has come.
    pub(crate) fn ended(&mut self) {
        self.unended = false;
    }

    /// The answer will not go on.
    pub(crate) fn broken_by(&mut self, who: BrokenBy) {
        self.broken_by = Some(who);
        self.unended = false;
    }

    /// Hands the entry on; nothing is written for what stays behind.
    pub(crate) fn take(&mut self) -> Self {
        let caller = Arc::clone(&self.caller);
        let mut blank = Self::new(caller, self.method.clone(), self.started);
        blank.silent = true;
        std::mem::replace(self, blank)
    }
}

/// Who left an answer unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrokenBy {
    /// The client did not take it to its end.
    Client,
    /// The origin did not send it to its end, or stopped sending.
    Origin,
    /// The program ended, and the time that it gives to answers in flight was up.
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
            self.broken_by = Some(if self.caller.cut.load(Relaxed) {
                BrokenBy::Shutdown
            } else {
                BrokenBy::Client
            });
        }
        if PLAIN.load(Relaxed) {
            lines::add(&self.plain());
        } else {
            self.tell();
        }
    }
}

impl RequestLog {
    fn outcome(&self) -> (u16, &str) {
        match self.status {
            0 if self.broken_by == Some(BrokenBy::Shutdown) => (0, "the program ended"),
            0 => (CLIENT_LEFT, "the client left"),
            status => (status, self.action.as_str()),
        }
    }

    /// Empty where there is none.
    fn host(&self) -> &str {
        self.host.as_deref().unwrap_or_default()
    }

    fn bytes_in(&self) -> u64 {
        self.received
            .as_ref()
            .map_or(0, |count| count.load(Relaxed))
    }

    fn bytes_out(&self) -> u64 {
        self.body_bytes + self.sent.as_ref().map_or(0, |count| count.load(Relaxed))
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn tell(&self) {
        let (status, action) = self.outcome();
        info!(
            client = %self.caller.name,
            method = %self.method,
            host = self.host(),
            route = self.route,
            status,
            bytes_in = self.bytes_in(),
            bytes_out = self.bytes_out(),
            elapsed_ms = self.elapsed_ms(),
            broke_off = self.broken_by.is_some(),
            by = self.broken_by.map(BrokenBy::name),
            action,
            "request"
        );
    }

    /// The same line, written by hand: the one line that every request writes cost 5,000 instructions by way of the subscriber
    /// (2026-11-21, callgrind, of 72,000 per forwarded request).
    fn plain(&self) -> String {
        let (status, action) = self.outcome();
        let mut line = String::with_capacity(fields::ROOM);
        // Writing to a string cannot fail.
        let _ = line::write_now(&mut line);
        line += "  INFO request client=";
        line += &self.caller.name;
        line += " method=";
        line += self.method.as_str();
        line += " host=";
        fields::quote(&mut line, self.host());
        // A word of ours.
        line += " route=\"";
        line += self.route;
        line += "\" status=";
        fields::push_number(&mut line, status.into());
        line += " bytes_in=";
        fields::push_number(&mut line, self.bytes_in());
        line += " bytes_out=";
        fields::push_number(&mut line, self.bytes_out());
        line += " elapsed_ms=";
        fields::push_number(&mut line, self.elapsed_ms());
        line += " broke_off=";
        match self.broken_by {
            Some(by) => {
                line += "true by=";
                fields::quote(&mut line, by.name());
            }
            None => line += "false",
        }
        line += " action=";
        fields::quote(&mut line, action);
        line += "\n";
        line
    }
}

/// Whether requests are logged, in plain lines, and without the spans that stand before them where more is logged.
static PLAIN: AtomicBool = AtomicBool::new(false);

#[cfg(test)]
mod tests {
    use tracing_subscriber::fmt::SubscriberBuilder;

    use super::{fields::tests::Kept, *};

    #[test]
    fn a_line_by_hand_reads_as_that_of_the_subscriber() {
        let kept = Kept::default();
        let subscriber = SubscriberBuilder::default()
            .event_format(PlainLine)
            .fmt_fields(fields::PlainFields)
            .with_writer(kept.clone())
            .finish();
        let mut log = RequestLog::new(
            Caller::new("[::1]:99".to_owned(), &Cut::default()),
            http::Method::POST,
            Instant::now(),
        );
        log.host = Some("a.example:80".into());
        log.route = "forward";
        log.status = 200;
        log.received().store(7, Relaxed);
        log.body_bytes = 1234;
        log.broken_by(BrokenBy::Client);
        log.action = "passed; reason=\"x\"".to_owned();
        let by_hand = log.plain();
        // Its end is written by the subscriber.
        tracing::subscriber::with_default(subscriber, || drop(log));
        let theirs = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let after_the_time = |line: &str| {
            line.split_at("2026-11-21T17:46:01.123456Z".len())
                .1
                .to_owned()
        };
        let without_elapsed = |line: String| {
            let (before, after) = line.split_once("elapsed_ms=").unwrap();
            format!(
                "{before}{}",
                after.trim_start_matches(|c: char| c.is_ascii_digit())
            )
        };
        let [ours, theirs] = [by_hand, theirs].map(|line| without_elapsed(after_the_time(&line)));
        assert_eq!(ours, theirs);
        assert!(ours.contains("bytes_in=7 bytes_out=1234"), "{ours}");
    }
}
