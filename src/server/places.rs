//! How many connections may be open, in total and for each client.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The places of all connections.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    /// Only clients that have one; so it stays as small as the number of connections.
    clients: HashMap<IpAddr, usize>,
}

/// A place, free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    client: IpAddr,
}

impl Places {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: Mutex::default(),
        })
    }

    /// A place for a connection of this client, if it has fewer than so many and the proxy has any.
    pub(crate) fn take(self: &Arc<Self>, client: IpAddr, per_client: usize) -> Option<Place> {
        let client = client.to_canonical();
        let mut taken = self.lock();
        let own = taken.clients.get(&client).copied().unwrap_or(0);
        if taken.total >= self.most || own >= per_client {
            return None;
        }
        taken.total += 1;
        taken.clients.insert(client, own + 1);
        Some(Place {
            places: Arc::clone(self),
            client,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Both numbers are changed without anything in between that could panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.total -= 1;
        if let Some(own) = taken.clients.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                taken.clients.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_cannot_take_every_place() {
        let places = Places::new(3);
        let (one, two) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        let kept: Vec<_> = (0..2).map(|_| places.take(one, 2).unwrap()).collect();
        assert!(places.take(one, 2).is_none());
        let other = places.take(two, 2).unwrap();
        assert!(places.take(two, 2).is_none(), "the total is reached");
        drop((kept, other));
        assert!(places.lock().clients.is_empty());
        assert!(places.take(one, 2).is_some());
    }
}
