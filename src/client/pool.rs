//! Connections to origins that are kept for the next request: bounded in number, age and use.
//!
//! hyper-util's pool has no bound on the total, keeps one HTTP/2 connection per origin however busy it is, and
//! cannot be told which connection belongs to one client; so this is our own, around hyper's connections.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

// Half the time of the standard library's hasher; the keys are bounded in number.
use foldhash::fast::RandomState;
use hyper::client::conn::http2;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep, timeout},
};

use super::{http1_connection::Http1Connection, ping_timer::PingTimer};
use crate::{authority::Target, body::Body};

/// HTTP/1.1 connections kept per origin: as many as ten browsers open to one (six each). Raising it saves
/// handshakes and costs descriptors.
const IDLE_PER_ORIGIN: usize = 64;

/// How long a connection may have been idle to take a request that cannot be sent twice: the longer, the likelier the
/// origin is closing it just now. Raising it saves handshakes and costs errors.
const FRESH: Duration = Duration::from_millis(500);

/// Requests at once on one HTTP/2 connection; for more another connection is opened. Together with the windows in
/// `http2_connection` it keeps downloads that nobody reads from using up the connection's window.
pub(super) const STREAMS_PER_CONNECTION: u32 = 32;

/// Requests on an HTTP/2 connection until the server's settings have come, which say how many it takes.
pub(super) const INITIAL_STREAMS: usize = 1;

/// How long a second request waits for them before it goes on a connection of its own.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(1);

/// Idle connections of one client's own, see [`PinnedConnections`].
const PINNED_IDLE: usize = 8;

/// The kept connections.
pub(super) struct Pool {
    kept: Mutex<Kept>,
    max_idle: usize,
    idle_timeout: Duration,
}

#[derive(Default)]
struct Kept {
    http1: HashMap<Arc<Target>, Vec<KeptHttp1>, RandomState>,
    http2: HashMap<Arc<Target>, Vec<Http2Connection>, RandomState>,
}

/// An HTTP/1.1 connection that is ready for a request, or will be once its response has been read.
struct KeptHttp1 {
    connection: Http1Connection,
    /// When its last response began.
    since: Instant,
    until: Instant,
    /// The origin has answered on it after it was kept: there are origins that close it after every response and do not say so.
    is_proven: bool,
}

/// An HTTP/2 connection, which takes several requests at once.
#[derive(Clone)]
pub(super) struct Http2Connection {
    pub(super) sender: http2::SendRequest<Body>,
    pub(super) pings: PingTimer,
    shared: Arc<Http2Shared>,
}

struct Http2Shared {
    streams: Arc<Semaphore>,
    /// The server's `SETTINGS_MAX_CONCURRENT_STREAMS`; one until it has told.
    server_limit: watch::Receiver<usize>,
    /// Nobody needs to wait for the settings any more.
    settled: AtomicBool,
    last_used: Mutex<Instant>,
    retired: AtomicBool,
}

impl Http2Connection {
    pub(super) fn new(
        sender: http2::SendRequest<Body>,
        server_limit: watch::Receiver<usize>,
        pings: PingTimer,
    ) -> Self {
        let shared = Http2Shared {
            streams: Arc::new(Semaphore::new(STREAMS_PER_CONNECTION as usize)),
            server_limit,
            settled: AtomicBool::default(),
            last_used: Mutex::new(Instant::now()),
            retired: AtomicBool::default(),
        };
        Self { sender, pings, shared: Arc::new(shared) }
    }

    /// Makes room for one more request, if the connection takes any.
    pub(super) fn reserve(&self) -> Option<OwnedSemaphorePermit> {
        let is_full = self.in_use() >= *self.shared.server_limit.borrow();
        if is_full || self.is_gone() {
            return None;
        }
        *self.shared.last_used.lock() = Instant::now();
        Arc::clone(&self.shared.streams).try_acquire_owned().ok()
    }

    /// Waits for the server's settings, if it has not sent them.
    pub(super) async fn settings(&self) {
        let mut server_limit = self.shared.server_limit.clone();
        // An error means that the connection has ended.
        let _ = timeout(SETTINGS_TIMEOUT, server_limit.changed()).await;
        self.shared.settled.store(true, Relaxed);
    }

    /// Takes no further request; those on it go on.
    pub(super) fn retire(&self) {
        self.shared.retired.store(true, Relaxed);
    }

    fn is_gone(&self) -> bool {
        self.sender.is_closed() || self.shared.retired.load(Relaxed)
    }

    fn in_use(&self) -> usize {
        STREAMS_PER_CONNECTION as usize - self.shared.streams.available_permits()
    }

    fn is_kept_at(&self, now: Instant, idle_timeout: Duration) -> bool {
        let idle = now.saturating_duration_since(*self.shared.last_used.lock());
        !self.is_gone() && (self.in_use() > 0 || idle < idle_timeout)
    }
}

impl Pool {
    /// A pool of at most so many connections.
    pub(super) fn new(max_idle: usize, idle_timeout: Duration) -> Arc<Self> {
        let pool = Arc::new(Self { kept: Mutex::default(), max_idle, idle_timeout });
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(sweep(Arc::downgrade(&pool), idle_timeout / 4));
        }
        pool
    }

    /// Connections that are kept.
    pub(super) fn idle(&self) -> usize {
        self.kept.lock().count()
    }

    /// The idle connection that was used last: the origin is the least likely to be closing it just now. For a request that
    /// cannot be sent twice it must be more likely still that it stays open.
    pub(super) fn take_http1(&self, target: &Arc<Target>, is_idempotent: bool) -> Option<Http1Connection> {
        let now = Instant::now();
        let suits = |kept: &KeptHttp1| {
            let is_safe = kept.is_proven && now.saturating_duration_since(kept.since) <= FRESH;
            now < kept.until && kept.connection.sender.is_ready() && (is_idempotent || is_safe)
        };
        let mut all = self.kept.lock();
        let kept = all.http1.get_mut(target)?;
        let last = kept.iter().rposition(suits)?;
        Some(kept.remove(last).connection)
    }

    /// Keeps a connection whose response is being read; it can be taken once hyper is ready for another request.
    pub(super) fn put_http1(
        &self,
        target: Arc<Target>,
        connection: Http1Connection,
        server_timeout: Option<Duration>,
        is_proven: bool,
    ) {
        let since = Instant::now();
        let timeout = server_timeout.map_or(self.idle_timeout, |limit| limit.min(self.idle_timeout));
        let mut all = self.kept.lock();
        if all.count() >= self.max_idle {
            all.close_oldest();
        }
        let kept = all.http1.entry(target).or_default();
        if kept.len() >= IDLE_PER_ORIGIN {
            kept.retain(|kept| !kept.connection.sender.is_closed());
        }
        if kept.len() >= IDLE_PER_ORIGIN {
            // Where its response is still being read, hyper closes it afterwards.
            kept.remove(0);
        }
        kept.push(KeptHttp1 { connection, since, until: since + timeout, is_proven });
    }

    /// An HTTP/2 connection with room for one more request.
    pub(super) fn http2(&self, target: &Arc<Target>) -> Option<(Http2Connection, OwnedSemaphorePermit)> {
        let kept = self.kept.lock();
        kept.http2.get(target)?.iter().find_map(|connection| {
            let permit = connection.reserve()?;
            Some((connection.clone(), permit))
        })
    }

    /// An HTTP/2 connection whose server has not said yet how many requests it takes.
    pub(super) fn unsettled(&self, target: &Arc<Target>) -> Option<Http2Connection> {
        let kept = self.kept.lock();
        let is_unsettled =
            |connection: &&Http2Connection| !connection.is_gone() && !connection.shared.settled.load(Relaxed);
        kept.http2.get(target)?.iter().find(is_unsettled).cloned()
    }

    pub(super) fn put_http2(&self, target: Arc<Target>, connection: Http2Connection) {
        self.kept.lock().http2.entry(target).or_default().push(connection);
    }

    /// Whether a request to this origin would find a connection.
    pub(super) fn has(&self, target: &Arc<Target>) -> bool {
        let kept = self.kept.lock();
        let http1 = kept.http1.get(target).is_some_and(|idle| !idle.is_empty());
        let live = |all: &Vec<Http2Connection>| all.iter().any(|connection| !connection.is_gone());
        http1 || kept.http2.get(target).is_some_and(live)
    }

    /// Closes the idle connections to one origin: one of them was dead.
    pub(super) fn close(&self, target: &Arc<Target>) {
        self.kept.lock().http1.remove(target);
    }

    /// Closes all idle connections: descriptors have run out.
    pub(super) fn close_idle(&self) {
        let mut kept = self.kept.lock();
        kept.http1.clear();
        kept.retain_http2(|connection| connection.in_use() > 0);
    }

    fn close_expired(&self) {
        let now = Instant::now();
        let mut kept = self.kept.lock();
        kept.http1.retain(|_, idle| {
            idle.retain(|kept| now < kept.until && !kept.connection.sender.is_closed());
            !idle.is_empty()
        });
        kept.retain_http2(|connection| connection.is_kept_at(now, self.idle_timeout));
    }
}

impl Kept {
    fn count(&self) -> usize {
        let http1: usize = self.http1.values().map(Vec::len).sum();
        let http2 = self.http2.values().flatten();
        http1 + http2.filter(|connection| connection.in_use() == 0).count()
    }

    fn close_oldest(&mut self) {
        let age = |(target, idle): (&Arc<Target>, &Vec<KeptHttp1>)| Some((idle.first()?.since, Arc::clone(target)));
        if let Some((_, target)) = self.http1.iter().filter_map(age).min_by_key(|(since, _)| *since)
            && let Some(idle) = self.http1.get_mut(&target)
        {
            idle.remove(0);
            if idle.is_empty() {
                self.http1.remove(&target);
            }
        } else {
            self.retain_http2(|connection| connection.in_use() > 0);
        }
    }

    fn retain_http2(&mut self, keep: impl Fn(&Http2Connection) -> bool) {
        self.http2.retain(|_, connections| {
            connections.retain(&keep);
            !connections.is_empty()
        });
    }
}

/// Closes expired connections now and then; those that the origin closed have closed themselves.
async fn sweep(pool: Weak<Pool>, interval: Duration) {
    loop {
        sleep(interval).await;
        let Some(pool) = pool.upgrade() else { return };
        pool.close_expired();
    }
}

/// Upstream connections of one client connection alone. NTLM and Negotiate authenticate a connection, not a request
/// (RFC 4559), so a connection on which they were used must never serve anybody else.
#[derive(Default)]
pub(crate) struct PinnedConnections {
    origins: Mutex<HashSet<Arc<Target>>>,
    pool: OnceLock<Arc<Pool>>,
}

impl PinnedConnections {
    /// The client's own pool for this origin, once it is pinned.
    pub(super) fn pool(&self, target: &Arc<Target>) -> Option<&Arc<Pool>> {
        self.origins.lock().contains(target).then(|| self.pool.get())?
    }

    /// From here on this client has connections of its own to this origin.
    pub(super) fn pin(&self, target: &Arc<Target>, idle_timeout: Duration) -> &Arc<Pool> {
        self.origins.lock().insert(Arc::clone(target));
        self.pool.get_or_init(|| Pool::new(PINNED_IDLE, idle_timeout))
    }
}
