//! The connections to one origin that wait for the next request, and the pool of all origins.
//!
//! The last one that became free is used first: it is the least likely to be closed by the origin soon, and the others grow old
//! and are closed. Nobody drives an idle connection; a sweep looks now and then whether its origin has closed it.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderValue, uri::Authority};
use hyper::client::conn::http2;
use tokio::time::{Instant, sleep};

use super::line::Line;
use crate::{access_control::Permit, authority::Target, body::Body};

/// Idle connections kept per origin: as many as a browser opens to one (six), ten browsers at once. With
/// fewer than there are requests at a time many of them connect anew (2026-11-21, `road forward`: 45
/// microseconds of processor time per request at 64 connections with 16 kept). Raising it saves
/// handshakes and costs descriptors.
const IDLE_PER_ORIGIN: usize = 64;

/// Time between two looks at idle connections. Raising it lets closed ones hold their descriptors for longer; lowering it
/// wakes the program more often while there are any.
const SWEEP: Duration = Duration::from_secs(1);

/// One origin, which may be connected to.
pub(crate) struct Origin {
    permit: Permit,
    /// As it is written to the origin.
    pub(super) authority: Option<Authority>,
    host: Option<HeaderValue>,
    // In boxes: they move in and out with each request, and are large.
    #[allow(clippy::vec_box)]
    idle: Mutex<Vec<Box<Line>>>,
    http2: Mutex<Option<Http2>>,
    /// It has asked for HTTP/1.1.
    is_http1: AtomicBool,
}

/// An HTTP/2 connection takes any number of requests at once.
struct Http2 {
    shared: Shared,
    used: Instant,
}

/// One of those who use an HTTP/2 connection.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) sender: http2::SendRequest<Body>,
    /// Tells one connection from another.
    identity: Arc<()>,
}

impl Origin {
    fn new(permit: Permit) -> Self {
        let authority = permit.target().authority();
        Self {
            host: HeaderValue::from_str(&authority).ok(),
            authority: authority.parse().ok(),
            permit,
            idle: Mutex::default(),
            http2: Mutex::default(),
            is_http1: AtomicBool::default(),
        }
    }

    pub(crate) fn permit(&self) -> &Permit {
        &self.permit
    }

    /// The `Host` field to send.
    pub(crate) fn host(&self) -> Option<&HeaderValue> {
        self.host.as_ref()
    }

    /// The connection that became free last.
    pub(super) fn take(&self) -> Option<Box<Line>> {
        lock(&self.idle).pop()
    }

    pub(super) fn keep(&self, line: Box<Line>) {
        let mut idle = lock(&self.idle);
        if idle.len() < IDLE_PER_ORIGIN {
            idle.push(line);
        }
    }

    /// The HTTP/2 connection, if there is one that still takes requests.
    pub(super) fn http2(&self) -> Option<Shared> {
        if self.is_http1() {
            return None;
        }
        let mut kept = lock(&self.http2);
        let kept = kept
            .as_mut()
            .filter(|kept| !kept.shared.sender.is_closed())?;
        kept.used = Instant::now();
        Some(kept.shared.clone())
    }

    /// Shares an HTTP/2 connection. Where several were made at once, the first stays.
    pub(super) fn share(&self, sender: http2::SendRequest<Body>) -> Shared {
        if let Some(first) = self.http2() {
            return first;
        }
        let shared = Shared {
            sender,
            identity: Arc::default(),
        };
        *lock(&self.http2) = Some(Http2 {
            shared: shared.clone(),
            used: Instant::now(),
        });
        shared
    }

    /// Speaks HTTP/1.1 with it from now on (RFC 9113 § 7, `HTTP_1_1_REQUIRED`).
    pub(super) fn speak_http1(&self) {
        self.is_http1.store(true, Relaxed);
    }

    pub(super) fn is_http1(&self) -> bool {
        self.is_http1.load(Relaxed)
    }

    /// Gives no more requests to an HTTP/2 connection that has refused one.
    pub(super) fn retire(&self, refused: &Shared) {
        let mut kept = lock(&self.http2);
        if kept
            .as_ref()
            .is_some_and(|kept| Arc::ptr_eq(&kept.shared.identity, &refused.identity))
        {
            *kept = None;
        }
    }

    /// Closes what was closed by the origin or not used for this long. Whether anything is left.
    fn sweep(&self, patience: Duration) -> bool {
        let mut idle = lock(&self.idle);
        idle.retain_mut(|line| {
            let idle_since = line.idle_since.get_or_insert_with(Instant::now);
            idle_since.elapsed() < patience && !line.is_closed()
        });
        let mut http2 = lock(&self.http2);
        if http2
            .as_ref()
            .is_some_and(|kept| kept.shared.sender.is_closed() || kept.used.elapsed() >= patience)
        {
            *http2 = None;
        }
        !idle.is_empty() || http2.is_some()
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("permit", &self.permit)
            .finish_non_exhaustive()
    }
}

/// All origins that are in use.
pub(super) struct Pool {
    origins: Mutex<Origins>,
    /// How long a connection may be idle.
    patience: Duration,
}

#[derive(Default)]
struct Origins {
    by_target: HashMap<Arc<Target>, Arc<Origin>>,
    is_swept: bool,
}

impl Pool {
    pub(super) fn new(patience: Duration) -> Arc<Self> {
        Arc::new(Self {
            origins: Mutex::default(),
            patience,
        })
    }

    pub(super) fn origin(self: &Arc<Self>, permit: Permit) -> Arc<Origin> {
        let mut origins = lock(&self.origins);
        if let Some(origin) = origins.by_target.get(permit.target()) {
            return Arc::clone(origin);
        }
        if !std::mem::replace(&mut origins.is_swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
        let target = Arc::clone(permit.target());
        let origin = Arc::new(Origin::new(permit));
        origins.by_target.insert(target, Arc::clone(&origin));
        origin
    }

    /// Whether there is any need to come again.
    fn sweep(&self) -> bool {
        let mut origins = lock(&self.origins);
        origins
            .by_target
            .retain(|_, origin| origin.sweep(self.patience) || Arc::strong_count(origin) > 1);
        origins.is_swept = !origins.by_target.is_empty();
        origins.is_swept
    }
}

async fn sweep(pool: Weak<Pool>) {
    loop {
        sleep(SWEEP).await;
        if !pool.upgrade().is_some_and(|pool| pool.sweep()) {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each of them is changed in one step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
