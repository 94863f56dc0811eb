//! Name resolution by the operating system, bounded so that a dead name server delays only who asks it. What was found is kept for a
//! minute: the system's own function keeps nothing, and a page asks for the same few names again and again.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::UpstreamError;
use crate::{
    net::addresses::client_network,
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Lookups at once, in total and for one client. Each takes a thread until the system gives up, also after the
/// request that needed it has timed out; tokio has 512 threads for all blocking work. Raising them lets a client with
/// many dead names wait less, and costs threads.
const MAX_LOOKUPS: usize = 320;
const MAX_LOOKUPS_PER_CLIENT: usize = 64;

/// Clients that are remembered although they have no lookup under way.
const REMEMBERED_CLIENTS: usize = 256;

/// Names whose addresses are kept, and those that were not found.
const MAX_NAMES: usize = 4096;

/// How long addresses are kept. Name servers say how long they may be (RFC 1035 § 3.2.1), often for a minute or more, but the system
/// does not tell it. Raising it saves lookups; an address that does not answer is asked for anew in any case.
const KEPT: Duration = Duration::from_mins(1);

/// How long it is kept that a name was not found: a page asks for a dead name many times at once, and a person tries again.
const NOT_FOUND_KEPT: Duration = Duration::from_secs(5);

/// Resolves names.
pub(super) struct Resolver {
    found: ExpiringMap<String, Arc<[IpAddr]>>,
    not_found: ExpiringMap<String, Arc<str>>,
    /// How many changes of the network were followed.
    network_changes: AtomicUsize,
    total: Arc<Semaphore>,
    clients: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl Resolver {
    pub(super) fn new() -> Self {
        Self {
            found: ExpiringMap::new(MAX_NAMES, Lifetime::SinceInsertion(KEPT)),
            not_found: ExpiringMap::new(MAX_NAMES, Lifetime::SinceInsertion(NOT_FOUND_KEPT)),
            network_changes: AtomicUsize::default(),
            total: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            clients: Mutex::default(),
        }
    }

    /// Forgets everything where the network has changed since: another network may have other addresses for a name.
    pub(super) fn follow_network(&self, changes: usize) {
        if self.network_changes.swap(changes, Relaxed) != changes {
            self.found.clear();
            self.not_found.clear();
        }
    }

    /// Forgets the addresses of a name, because none of them can be connected to.
    pub(super) fn forget(&self, host: &str) {
        self.found.remove(host);
    }

    /// The addresses of a host; no lookup for one that is an address, or whose addresses are kept.
    pub(super) async fn resolve(
        &self,
        host: &str,
        port: u16,
        client: IpAddr,
    ) -> Result<Vec<SocketAddr>, UpstreamError> {
        let with_port = |addresses: &[IpAddr]| addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect();
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(with_port(&[address]));
        }
        if let Some(addresses) = self.found.get(host) {
            return Ok(with_port(&addresses));
        }
        if let Some(problem) = self.not_found.get(host) {
            return Err(UpstreamError::Dns(problem.to_string()));
        }
        let changes = self.network_changes.load(Relaxed);
        let looked_up = self.look_up(host, client).await.map_err(|error| UpstreamError::from_lookup(&error));
        let looked_up = looked_up.and_then(|addresses| {
            let problem = || UpstreamError::Dns("the name has no address".to_owned());
            if addresses.is_empty() { Err(problem()) } else { Ok(addresses) }
        });
        // What was asked in another network says nothing of this one.
        let is_kept = self.network_changes.load(Relaxed) == changes;
        match &looked_up {
            Ok(addresses) if is_kept => {
                self.found.insert(host.to_owned(), addresses.as_slice().into());
            }
            Err(UpstreamError::Dns(problem)) if is_kept => {
                self.not_found.insert(host.to_owned(), problem.as_str().into());
            }
            _ => {}
        }
        looked_up.map(|addresses| with_port(&addresses))
    }

    async fn look_up(&self, host: &str, client: IpAddr) -> io::Result<Vec<IpAddr>> {
        let closed = |_| io::Error::other("the resolver was shut down");
        let own = self.limit_of(client).acquire_owned().await.map_err(closed)?;
        let total = Arc::clone(&self.total).acquire_owned().await.map_err(closed)?;
        let host = host.to_owned();
        let lookup = spawn_blocking(move || {
            // Held until the thread is free again, not only until somebody has stopped waiting for it.
            let _permits = (own, total);
            (host.as_str(), 0).to_socket_addrs().map(|addresses| addresses.map(|addr| addr.ip()).collect())
        });
        lookup.await.map_err(io::Error::other)?
    }

    fn limit_of(&self, client: IpAddr) -> Arc<Semaphore> {
        let mut clients = self.clients.lock();
        if clients.len() >= REMEMBERED_CLIENTS {
            clients.retain(|_, limit| limit.available_permits() < MAX_LOOKUPS_PER_CLIENT);
        }
        let new = || Arc::new(Semaphore::new(MAX_LOOKUPS_PER_CLIENT));
        Arc::clone(clients.entry(client_network(client)).or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_with_many_lookups_leaves_threads_to_others() {
        let resolver = Resolver::new();
        let client = |last: u8| IpAddr::from([10, 0, 0, last]);
        let limit = resolver.limit_of(client(1));
        let all = u32::try_from(MAX_LOOKUPS_PER_CLIENT).unwrap();
        let _busy = limit.acquire_many(all).await.unwrap();
        assert!(resolver.limit_of(client(1)).try_acquire().is_err());
        let found = resolver.resolve("localhost", 80, client(2)).await.unwrap();
        assert!(found.iter().all(|addr| addr.ip().is_loopback() && addr.port() == 80));
        assert!(!found.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_kept_for_a_minute_a_failure_for_seconds_and_neither_in_another_network() {
        let resolver = Resolver::new();
        let client = IpAddr::from([10, 0, 0, 1]);
        // Only a lookup needs a permit, and there is none.
        let _busy = Arc::clone(&resolver.total).acquire_many_owned(u32::try_from(MAX_LOOKUPS).unwrap()).await.unwrap();
        let address = IpAddr::from([192, 0, 2, 7]);
        let keep = || {
            resolver.found.insert("a.example".to_owned(), [address].as_slice().into());
            resolver.not_found.insert("b.example".to_owned(), "no such name".into());
        };
        let resolve =
            async |host| tokio::time::timeout(Duration::from_millis(1), resolver.resolve(host, 80, client)).await;
        keep();
        assert_eq!(resolve("a.example").await.unwrap(), Ok(vec![SocketAddr::new(address, 80)]));
        assert_eq!(resolve("b.example").await.unwrap(), Err(UpstreamError::Dns("no such name".to_owned())));
        tokio::time::advance(NOT_FOUND_KEPT).await;
        assert!(resolve("b.example").await.is_err(), "it is looked up again");
        assert!(resolve("a.example").await.is_ok());
        tokio::time::advance(KEPT).await;
        assert!(resolve("a.example").await.is_err(), "it is looked up again");
        keep();
        resolver.forget("a.example");
        assert!(resolve("a.example").await.is_err());
        keep();
        resolver.follow_network(1);
        assert!(resolve("a.example").await.is_err() && resolve("b.example").await.is_err());
        keep();
        resolver.follow_network(1);
        assert!(resolve("a.example").await.is_ok(), "nothing has changed since");
    }
}
