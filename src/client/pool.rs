//! Connections to origins that are kept for the next request: bounded in number, age and use.
//!
//! hyper-util's pool has no bound on the total, keeps one HTTP/2 connection per origin however busy it is, and
//! cannot be told which connection belongs to one client; so this is our own, around hyper's connections.

use std::{
    collections::HashSet,
    net::IpAddr,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use hyper::client::conn::http2;
use parking_lot::Mutex;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep, timeout},
};

use super::{
    UpstreamError, http1_connection::Http1Connection, keep_alive::KeepAliveTimes, origin::Origin, ping_timer::PingTimer,
};
use crate::http::body::{Body, Lease, Place};

/// HTTP/1.1 connections kept per origin: as many as ten browsers open to one (six each). Raising it saves
/// handshakes and costs descriptors.
const IDLE_PER_ORIGIN: usize = 64;

/// Requests at once on one HTTP/2 connection, where its server takes as many: browsers open as many streams (Chromium 100).
/// Together with the windows in `http2_connection` it keeps downloads that nobody reads from using up the connection's
/// window.
pub(super) const STREAMS_PER_CONNECTION: u32 = 128;

/// HTTP/2 connections to one origin. Browsers open one; servers that take few streams on each get more from a household, and
/// servers that take few connections of one address (nginx, `limit_conn`) often take 20.
const HTTP2_PER_ORIGIN: usize = 16;

/// Requests on an HTTP/2 connection until the server's settings have come, which say how many it takes.
pub(super) const INITIAL_STREAMS: usize = 1;

/// How long a second request waits for them before it goes on a connection of its own.
pub(super) const SETTINGS_TIMEOUT: Duration = Duration::from_secs(1);

/// Idle connections of one client's own, see [`PinnedConnections`].
const PINNED_IDLE: usize = 8;

/// The kept connections, and those that are being opened for more than one request.
pub(super) struct Pool {
    kept: Mutex<Connections>,
    max_idle: usize,
    idle_timeout: Duration,
    keep_alive_times: KeepAliveTimes,
    /// Notified when a place on a connection has been given back.
    pub(super) released: Arc<Notify>,
    /// How many changes of the network were followed.
    network_changes: AtomicUsize,
}

/// With a hash that takes a hundredth less of a forwarded request than the standard one.
type ByOrigin<V> = foldhash::HashMap<Origin, V>;

#[derive(Default)]
struct Connections {
    http1: ByOrigin<Vec<KeptHttp1>>,
    http2: ByOrigin<Vec<Http2Connection>>,
    opening: ByOrigin<Opening>,
}

/// Tells what has become of a connection that is being opened: it is in the pool, unless its server wants a certificate of
/// the client and nobody but a tunnel asked for it.
pub(super) type Opening = watch::Receiver<Option<Result<Opened, UpstreamError>>>;

/// A connection that was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    /// The server has asked for a client certificate, which it did not get.
    pub(super) wants_client_certificate: bool,
}

/// An HTTP/1.1 connection that is ready for a request, or will be once its response has been read.
pub(super) struct KeptHttp1 {
    pub(super) connection: Http1Connection,
    /// When it was kept, as its last response began.
    pub(super) since: Instant,
    /// When its last response ended; none while it is read.
    pub(super) ended: Arc<OnceLock<Instant>>,
    /// For how long the server keeps it, as it says itself.
    pub(super) server_timeout: Option<Duration>,
    /// Its last request was all sent. Else it goes on beside the response, or after it.
    pub(super) request_ended: bool,
    /// The origin has answered on it after it was kept, or says that it keeps it: there are origins that close it after every
    /// response and do not say so.
    pub(super) is_proven: bool,
}

/// Kinds of connections that a request may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Any connection: the request may be sent twice.
    Any,
    /// One that the origin is not closing just now: the request may not be sent twice.
    Proven,
    /// One that was opened since then: others may be dead.
    OpenedSince(Instant),
}

impl KeptHttp1 {
    /// How long nothing has been read or written; none while a response is read.
    pub(super) fn idle(&self, now: Instant) -> Option<Duration> {
        self.ended.get().map(|ended| now.saturating_duration_since(*ended))
    }

    /// Whether it could take a request now.
    pub(super) fn is_open(&self) -> bool {
        let has_ended = self.request_ended && self.ended.get().is_some();
        !self.connection.sender.is_closed() && (has_ended || self.connection.sender.is_ready())
    }

    /// How long it has been since the last response began: the server has been waiting for no longer than that.
    pub(super) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }

    fn is_kept_at(&self, now: Instant, idle_timeout: Duration) -> bool {
        let is_over = self.server_timeout.is_some_and(|timeout| self.age(now) >= timeout);
        let is_kept = |idle| idle < idle_timeout && !is_over;
        !self.connection.sender.is_closed() && self.idle(now).is_none_or(is_kept)
    }
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
    opened: Instant,
    last_used: Mutex<Instant>,
    retired: AtomicBool,
    /// See [`AliveIo`](super::alive_io::AliveIo).
    asks: Arc<AtomicBool>,
    /// Held by each request with a body, until its response.
    uploads: Arc<()>,
    local: Option<IpAddr>,
}

impl Http2Connection {
    pub(super) fn new(
        sender: http2::SendRequest<Body>,
        server_limit: watch::Receiver<usize>,
        pings: PingTimer,
        asks: Arc<AtomicBool>,
        local: Option<IpAddr>,
    ) -> Self {
        let shared = Http2Shared {
            streams: Arc::new(Semaphore::new(STREAMS_PER_CONNECTION as usize)),
            server_limit,
            settled: AtomicBool::default(),
            opened: Instant::now(),
            last_used: Mutex::new(Instant::now()),
            retired: AtomicBool::default(),
            asks,
            uploads: Arc::default(),
            local,
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

    /// The address of this machine that it was opened from.
    pub(super) fn local(&self) -> Option<IpAddr> {
        self.shared.local
    }

    /// Held by a request with a body: the origin may read it slowly.
    pub(super) fn upload(&self) -> Arc<()> {
        Arc::clone(&self.shared.uploads)
    }

    /// Has the kernel watch whether the next request arrives.
    pub(super) fn ask(&self) {
        if Arc::strong_count(&self.shared.uploads) == 1 {
            self.shared.asks.store(true, Relaxed);
        }
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
        let pool = Arc::new(Self {
            kept: Mutex::default(),
            max_idle,
            idle_timeout,
            keep_alive_times: KeepAliveTimes::new(),
            released: Arc::default(),
            network_changes: AtomicUsize::default(),
        });
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(sweep(Arc::downgrade(&pool), idle_timeout / 4));
        }
        pool
    }

    /// Connections that are kept.
    pub(super) fn idle(&self) -> usize {
        self.kept.lock().count()
    }

    /// The idle connection that was used last: the origin is the least likely to be closing it just now. What is written on one
    /// that the origin is closing may be lost.
    pub(super) fn take_http1(&self, origin: &Origin, wants: Wants) -> Option<Http1Connection> {
        let now = Instant::now();
        let mut all = self.kept.lock();
        let kept = all.http1.get_mut(origin)?;
        let last = match wants {
            // Others are left to the sweep: there may be hundreds, and each request comes here.
            Wants::Any => kept.iter().rposition(|kept| kept.is_open() && kept.is_kept_at(now, self.idle_timeout)),
            Wants::OpenedSince(_) => None,
            Wants::Proven => {
                kept.retain(|kept| kept.is_kept_at(now, self.idle_timeout));
                let found = self.keep_alive_times.find(origin, kept, now);
                if found.is_none() {
                    // What cannot be used is closed, except the one that shows for how long this origin keeps them.
                    let mut is_first = true;
                    kept.retain(|kept| kept.idle(now).is_none() || std::mem::take(&mut is_first));
                }
                found
            }
        }?;
        Some(kept.remove(last).connection)
    }

    /// Keeps a connection whose response is being read, and can be taken once that has ended.
    pub(super) fn put_http1(&self, origin: Origin, new: KeptHttp1) {
        let mut all = self.kept.lock();
        if all.count() >= self.max_idle {
            all.close_oldest();
        }
        let kept = all.http1.entry(origin).or_default();
        if kept.len() >= IDLE_PER_ORIGIN {
            kept.retain(|kept| !kept.connection.sender.is_closed());
        }
        if kept.len() >= IDLE_PER_ORIGIN {
            // Where its response is still being read, hyper closes it afterwards.
            kept.remove(0);
        }
        kept.push(new);
    }

    /// Keeps a connection that has had no request.
    pub(super) fn put_new_http1(&self, origin: Origin, connection: Http1Connection) {
        let (since, ended) = (Instant::now(), Arc::new(OnceLock::from(Instant::now())));
        let new = KeptHttp1 { connection, since, ended, server_timeout: None, request_ended: true, is_proven: true };
        self.put_http1(origin, new);
    }

    /// A request was lost on a connection that its origin seemed to keep.
    pub(super) fn was_closed(&self, origin: &Origin) {
        self.keep_alive_times.lost(origin);
    }

    /// An HTTP/2 connection with room for one more request.
    pub(super) fn http2(&self, origin: &Origin, wants: Wants) -> Option<(Http2Connection, OwnedSemaphorePermit)> {
        let kept = self.kept.lock();
        kept.http2.get(origin)?.iter().find_map(|connection| {
            let is_new = !matches!(wants, Wants::OpenedSince(since) if connection.shared.opened < since);
            let permit = connection.reserve().filter(|_| is_new)?;
            Some((connection.clone(), permit))
        })
    }

    /// The connection that is being opened to this origin for all who wait for one, which is begun with `open` where there is
    /// none; `None` where there are enough.
    pub(super) fn join(
        &self,
        origin: &Origin,
        open: impl FnOnce(watch::Sender<Option<Result<Opened, UpstreamError>>>),
    ) -> Option<Opening> {
        let mut kept = self.kept.lock();
        if let Some(opening) = kept.opening.get(origin)
            && opening.borrow().is_none()
            && opening.has_changed().is_ok()
        {
            return Some(opening.clone());
        }
        let live = kept.http2.get(origin).map_or(0, |all| all.iter().filter(|one| !one.is_gone()).count());
        if live >= HTTP2_PER_ORIGIN {
            return None;
        }
        let (tell, opening) = watch::channel(None);
        kept.opening.insert(origin.clone(), opening.clone());
        drop(kept);
        open(tell);
        Some(opening)
    }

    /// The end of an opening; what it gave is in the pool.
    pub(super) fn opened(&self, origin: &Origin) {
        self.kept.lock().opening.remove(origin);
    }

    /// The place of a response on a connection.
    pub(super) fn lease(&self, place: Option<Place>, ended: Arc<OnceLock<Instant>>) -> Lease {
        Lease::new(place, ended, Arc::clone(&self.released))
    }

    /// Gives up what is idle where the network has changed since: it leads nowhere, or may.
    pub(super) fn follow_network(&self, changes: usize) {
        if self.network_changes.swap(changes, Relaxed) != changes {
            let mut kept = self.kept.lock();
            kept.http1.clear();
            kept.http2.values().flatten().for_each(Http2Connection::retire);
            kept.http2.clear();
        }
    }

    /// An HTTP/2 connection whose server has not said yet how many requests it takes.
    pub(super) fn unsettled(&self, origin: &Origin) -> Option<Http2Connection> {
        let kept = self.kept.lock();
        let is_unsettled =
            |connection: &&Http2Connection| !connection.is_gone() && !connection.shared.settled.load(Relaxed);
        kept.http2.get(origin)?.iter().find(is_unsettled).cloned()
    }

    pub(super) fn put_http2(&self, origin: Origin, connection: Http2Connection) {
        self.kept.lock().http2.entry(origin).or_default().push(connection);
    }

    /// Whether a request to this origin would find a connection.
    pub(super) fn has(&self, origin: &Origin) -> bool {
        let kept = self.kept.lock();
        let http1 = kept.http1.get(origin).is_some_and(|kept| kept.iter().any(KeptHttp1::is_open));
        let live = |all: &Vec<Http2Connection>| all.iter().any(|connection| !connection.is_gone());
        http1 || kept.http2.get(origin).is_some_and(live)
    }

    /// Closes the idle connections to one origin: one of them was dead.
    pub(super) fn close(&self, origin: &Origin) {
        self.kept.lock().http1.remove(origin);
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
            idle.retain(|kept| kept.is_kept_at(now, self.idle_timeout));
            !idle.is_empty()
        });
        kept.retain_http2(|connection| connection.is_kept_at(now, self.idle_timeout));
    }
}

impl Connections {
    fn count(&self) -> usize {
        let http1: usize = self.http1.values().map(Vec::len).sum();
        let http2 = self.http2.values().flatten();
        http1 + http2.filter(|connection| connection.in_use() == 0).count()
    }

    fn close_oldest(&mut self) {
        let age = |(origin, idle): (&Origin, &Vec<KeptHttp1>)| Some((idle.first()?.since, origin.clone()));
        if let Some((_, origin)) = self.http1.iter().filter_map(age).min_by_key(|(since, _)| *since)
            && let Some(idle) = self.http1.get_mut(&origin)
        {
            idle.remove(0);
            if idle.is_empty() {
                self.http1.remove(&origin);
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
    origins: Mutex<HashSet<Origin>>,
    pool: OnceLock<Arc<Pool>>,
}

impl PinnedConnections {
    /// The client's own pool for this origin, once it is pinned.
    pub(super) fn pool(&self, origin: &Origin) -> Option<&Arc<Pool>> {
        self.origins.lock().contains(origin).then(|| self.pool.get())?
    }

    /// From here on this client has connections of its own to this origin.
    pub(super) fn pin(&self, origin: &Origin, idle_timeout: Duration) -> &Arc<Pool> {
        self.origins.lock().insert(origin.clone());
        self.pool.get_or_init(|| Pool::new(PINNED_IDLE, idle_timeout))
    }
}
