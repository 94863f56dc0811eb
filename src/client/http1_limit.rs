//! HTTP/1.1 connections to one origin that a client with HTTP/2 has in use at once: six, as browsers open to a host.
//!
//! A browser that speaks HTTP/2 with the proxy sends all requests of a page at once, on one connection or several, and leaves
//! their number to its server. Clients with HTTP/1.1 have chosen their number themselves.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    pin::pin,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

use super::origin::Origin;

/// Connections that count; see above.
const LIMIT: usize = 6;

/// Where nobody has got a connection for so long, the one in use for longest counts no more: it may carry an event stream or a
/// long poll, beside which a browser's page would wait without end. Lowering it opens more connections to slow servers.
const STANDSTILL: Duration = Duration::from_secs(1);

/// The limits in use.
#[derive(Default)]
pub(super) struct Http1Limits {
    limits: Mutex<HashMap<LimitKey, Arc<Http1Limit>>>,
}

/// A client and an origin.
type LimitKey = (IpAddr, Origin);

/// The limit for one client and origin.
pub(super) struct Http1Limit {
    free: Arc<Semaphore>,
    in_use: Mutex<InUse>,
}

struct InUse {
    /// The oldest first; they may have ended.
    permits: VecDeque<Weak<PlacePermit>>,
    /// When somebody got a permit, or the oldest stopped counting.
    moved: Instant,
}

/// Empty when it counts no more.
type PlacePermit = Mutex<Option<OwnedSemaphorePermit>>;

/// The right to one connection, for one request and its response.
#[derive(Debug)]
pub(crate) struct Http1Permit {
    _permit: Arc<PlacePermit>,
}

impl Http1Limits {
    pub(super) fn get(&self, client: IpAddr, origin: &Origin) -> Arc<Http1Limit> {
        let mut limits = self.limits.lock();
        let key = (client, origin.clone());
        if let Some(limit) = limits.get(&key) {
            return Arc::clone(limit);
        }
        limits.retain(|_, limit| limit.is_in_use());
        Arc::clone(limits.entry(key).or_insert_with(Http1Limit::new))
    }

    /// Whether the client is using connections to this origin.
    pub(super) fn are_in_use(&self, client: IpAddr, origin: &Origin) -> bool {
        self.limits.lock().get(&(client, origin.clone())).is_some_and(Http1Limit::is_in_use)
    }
}

impl Http1Limit {
    fn new() -> Arc<Self> {
        let in_use = InUse { permits: VecDeque::with_capacity(LIMIT), moved: Instant::now() };
        Arc::new(Self { free: Arc::new(Semaphore::new(LIMIT)), in_use: Mutex::new(in_use) })
    }

    /// A permit, if there is one now.
    pub(super) fn try_acquire(&self) -> Option<Http1Permit> {
        Arc::clone(&self.free).try_acquire_owned().ok().map(|permit| self.hand_out(permit))
    }

    /// Waits for a permit.
    pub(super) async fn acquire(&self) -> Option<Http1Permit> {
        let mut acquired = pin!(Arc::clone(&self.free).acquire_owned());
        loop {
            match timeout(STANDSTILL, &mut acquired).await {
                Ok(permit) => return permit.ok().map(|permit| self.hand_out(permit)),
                Err(_) => self.in_use.lock().give_up_oldest(),
            }
        }
    }

    fn hand_out(&self, permit: OwnedSemaphorePermit) -> Http1Permit {
        let permit = Arc::new(Mutex::new(Some(permit)));
        let mut in_use = self.in_use.lock();
        in_use.permits.retain(|permit| permit.strong_count() > 0);
        in_use.permits.push_back(Arc::downgrade(&permit));
        in_use.moved = Instant::now();
        Http1Permit { _permit: permit }
    }

    fn is_in_use(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1 || self.free.available_permits() < LIMIT
    }
}

impl InUse {
    /// At most one for each time of standstill, however many wait.
    fn give_up_oldest(&mut self) {
        if self.moved.elapsed() < STANDSTILL {
            return;
        }
        while let Some(oldest) = self.permits.pop_front() {
            if let Some(oldest) = oldest.upgrade() {
                self.moved = Instant::now();
                drop(oldest.lock().take());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::Ipv4Addr,
        sync::atomic::{AtomicUsize, Ordering::Relaxed},
    };

    use futures_util::{FutureExt, future::join_all};
    use tokio::time::sleep;

    use super::*;
    use crate::{
        config::Via,
        net::target::{Scheme, Target},
    };

    #[tokio::test(start_paused = true)]
    async fn a_page_of_slow_answers_has_six_connections() {
        let limit = Http1Limit::new();
        let (most, now) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let answer = async || {
            let permit = limit.acquire().await;
            most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
            sleep(STANDSTILL * 9 / 10).await;
            now.fetch_sub(1, Relaxed);
            drop(permit);
        };
        join_all((0..120).map(|_| answer())).await;
        assert_eq!(most.into_inner(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn event_streams_delay_one_request_each_by_the_time_of_standstill() {
        let limit = Http1Limit::new();
        let begun = Instant::now();
        let mut streams = Vec::new();
        for _ in 0..LIMIT * 2 {
            streams.push(limit.acquire().await);
        }
        let waited = begun.elapsed();
        assert!(waited >= STANDSTILL * 6 && waited < STANDSTILL * 7, "{waited:?}");
        let others = join_all((0..3).map(|_| limit.acquire()));
        let begun = Instant::now();
        let others = others.await;
        assert!(begun.elapsed() >= STANDSTILL * 3, "{:?}", begun.elapsed());
        drop(others);
        assert!(limit.try_acquire().is_some(), "streams that stopped counting take no place from the next request");
        drop(streams);
        let all: Vec<_> = std::iter::from_fn(|| limit.try_acquire()).collect();
        assert_eq!(all.len(), LIMIT, "their ends make no further place");
    }

    #[tokio::test]
    async fn a_limit_is_one_clients_for_one_origin_while_it_is_in_use() {
        let limits = Http1Limits::default();
        let client = |last| IpAddr::V4(Ipv4Addr::new(192, 168, 1, last));
        let target = |host: &str| {
            let target = Arc::new(Target::from_authority(Scheme::Http, host).unwrap());
            Origin::new(&target, client(1), &Via::default()).unwrap()
        };
        let one = limits.get(client(1), &target("one.example"));
        let all: Vec<_> = std::iter::from_fn(|| one.try_acquire()).collect();
        drop(one);
        assert!(!limits.are_in_use(client(2), &target("one.example")));
        assert!(limits.are_in_use(client(1), &target("one.example")));
        assert!(limits.get(client(1), &target("one.example")).acquire().now_or_never().is_none());
        assert!(limits.get(client(2), &target("one.example")).try_acquire().is_some());
        assert!(limits.get(client(1), &target("other.example")).try_acquire().is_some());
        drop(all);
        drop(limits.get(client(3), &target("one.example")));
        assert!(limits.limits.lock().len() <= 2, "what is not in use is forgotten");
    }
}
