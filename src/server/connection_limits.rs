//! How many client connections may be open, in total and per client.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use parking_lot::Mutex;

use crate::net::addresses::client_network;

#[derive(Debug)]
pub(crate) struct ConnectionLimits {
    total: usize,
    open: Mutex<Open>,
    accept_failed: AtomicBool,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    /// Only clients with a connection, so it stays as small as their number.
    clients: HashMap<IpAddr, usize>,
}

/// A connection that is counted until this is dropped; owned by its socket.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limits: Arc<ConnectionLimits>,
    client: IpAddr,
}

impl ConnectionLimits {
    pub(crate) fn new(total: usize) -> Arc<Self> {
        Arc::new(Self { total, open: Mutex::default(), accept_failed: AtomicBool::default() })
    }

    /// A permit for a connection of this client, while it has fewer than so many and the total is not reached.
    pub(crate) fn acquire(self: &Arc<Self>, client: IpAddr, per_client: usize) -> Option<ConnectionPermit> {
        let client = client_network(client);
        let mut open = self.open.lock();
        let own = open.clients.get(&client).copied().unwrap_or(0);
        if open.total >= self.total || own >= per_client {
            return None;
        }
        open.total += 1;
        open.clients.insert(client, own + 1);
        Some(ConnectionPermit { limits: Arc::clone(self), client })
    }

    /// Connections that are open, and how many may be.
    pub(crate) fn open(&self) -> (usize, usize) {
        (self.open.lock().total, self.total)
    }

    /// Remembers whether the last connection could not be accepted, most likely for want of a descriptor.
    pub(crate) fn accept_failed(&self, failed: bool) {
        self.accept_failed.store(failed, Relaxed);
    }

    /// Whether new clients are refused, or soon will be: three quarters of the total are in use.
    pub(crate) fn are_short(&self) -> bool {
        self.accept_failed.load(Relaxed) || self.open.lock().total >= self.total - self.total / 4
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.limits.open.lock();
        open.total -= 1;
        if let Some(own) = open.clients.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                open.clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_network_are_one_client() {
        let limits = ConnectionLimits::new(9);
        let address = |text: &str| text.parse().unwrap();
        let _kept = limits.acquire(address("2001:db8::1"), 1).unwrap();
        assert!(limits.acquire(address("2001:db8::ffff:2"), 1).is_none());
        assert!(limits.acquire(address("2001:db8:0:1::1"), 1).is_some());
        let _kept = limits.acquire(address("::ffff:10.0.0.1"), 1).unwrap();
        assert!(limits.acquire(address("10.0.0.1"), 1).is_none());
        assert!(limits.acquire(address("10.0.0.2"), 1).is_some());
    }
}
