//! Name resolution by the operating system, bounded so that a dead name server delays only who asks it.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::net::addresses::client_network;

/// Lookups at once, in total and for one client. Each takes a thread until the system gives up, also after the
/// request that needed it has timed out; tokio has 512 threads for all blocking work. Raising them lets a client with
/// many dead names wait less, and costs threads.
const MAX_LOOKUPS: usize = 320;
const MAX_LOOKUPS_PER_CLIENT: usize = 64;

/// Clients that are remembered although they have no lookup under way.
const REMEMBERED_CLIENTS: usize = 256;

/// Resolves names.
pub(super) struct Resolver {
    total: Arc<Semaphore>,
    clients: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl Resolver {
    pub(super) fn new() -> Self {
        Self { total: Arc::new(Semaphore::new(MAX_LOOKUPS)), clients: Mutex::default() }
    }

    /// The addresses of a host; no lookup for one that is an address.
    pub(super) async fn resolve(&self, host: &str, port: u16, client: IpAddr) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let closed = |_| io::Error::other("the resolver was shut down");
        let own = self.limit_of(client).acquire_owned().await.map_err(closed)?;
        let total = Arc::clone(&self.total).acquire_owned().await.map_err(closed)?;
        let host = host.to_owned();
        let lookup = spawn_blocking(move || {
            // Held until the thread is free again, not only until somebody has stopped waiting for it.
            let _permits = (own, total);
            (host.as_str(), port).to_socket_addrs().map(Iterator::collect)
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
}
