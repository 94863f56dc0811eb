//! Divides what pages take (places, memory, turns at the processors) between clients and sites, so that no client and no site
//! takes so much that nothing is left for another.
//!
//! Whoever takes more may have a multiple of what is still free, and no more (dynamic thresholds: Choudhury, Hahne, *Dynamic
//! queue length thresholds in a shared-memory packet switch*, 1998): one owner alone gets nearly everything, many get
//! equal parts, and a reserve stays for the next.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gleaner_filters::registrable_domain;
use tokio::sync::{Notify, oneshot};

use crate::net::addresses::client_network;

/// Whose a page is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    /// The network of one client, as connections are counted.
    pub(super) client: IpAddr,
    /// The registrable domain of its host.
    site: Box<str>,
}

impl Owner {
    pub(super) fn new(client: IpAddr, host: &str) -> Arc<Self> {
        Arc::new(Self { client: client_network(client), site: registrable_domain(host).into() })
    }
}

/// How much of what is free an owner may have in use before it takes more; a client, with all of its sites, may have twice as
/// much and one part.
pub(super) type Multiple = u64;

/// For what pages take while they are in work: one owner alone gets three quarters, and leaves one.
pub(super) const IN_WORK: Multiple = 3;

/// For what pages reserve before they begin: one owner alone gets half of all.
pub(super) const TO_BEGIN: Multiple = 1;

/// For what belongs to one client and is not divided between its sites.
pub(super) const UNDIVIDED: Multiple = u64::MAX;

/// A number of units that owners take and give back.
#[derive(Debug)]
pub(super) struct Shares {
    all: u64,
    usage: Mutex<Usage>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Usage {
    total: u64,
    owners: Count<Arc<Owner>>,
    clients: Count<IpAddr>,
}

impl Shares {
    pub(super) fn new(all: u64) -> Arc<Self> {
        Arc::new(Self { all, usage: Mutex::default(), freed: Notify::new() })
    }

    /// Units in use, and all.
    pub(super) fn used(&self) -> (u64, u64) {
        (lock(&self.usage).total, self.all)
    }

    /// Takes units, where that is the owner's due and no more than `most` are in use afterwards.
    pub(super) fn take(self: &Arc<Self>, owner: &Arc<Owner>, units: u64, most: u64, times: Multiple) -> Option<Share> {
        let mut usage = lock(&self.usage);
        let free = self.all.saturating_sub(usage.total);
        let is_due = usage.owners.get(owner) < times.saturating_mul(free)
            && usage.clients.get(&owner.client) < times.saturating_mul(2).saturating_add(1).saturating_mul(free);
        if !is_due || usage.total.saturating_add(units) > most.min(self.all) {
            return None;
        }
        usage.total += units;
        usage.owners.add(Arc::clone(owner), units);
        usage.clients.add(owner.client, units);
        Some(Share { of: Arc::clone(self), owner: Arc::clone(owner), units })
    }

    /// Waits until [`Shares::take`] is possible.
    pub(super) async fn wait(self: &Arc<Self>, owner: &Arc<Owner>, units: u64, most: u64, times: Multiple) -> Share {
        loop {
            let freed = self.freed.notified();
            if let Some(share) = self.take(owner, units, most, times) {
                return share;
            }
            freed.await;
        }
    }
}

/// Units in use; given back when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    of: Arc<Shares>,
    owner: Arc<Owner>,
    pub(super) units: u64,
}

impl Share {
    /// Takes more for the same owner; false where that is not its due.
    pub(super) fn grow(&mut self, units: u64, times: Multiple) -> bool {
        let more = self.of.take(&self.owner, units, u64::MAX, times);
        more.is_some_and(|mut more| {
            self.units += std::mem::take(&mut more.units);
            true
        })
    }

    /// Gives back what is more than so many units.
    pub(super) fn shrink_to(&mut self, units: u64) {
        let less = self.units.saturating_sub(units);
        self.units -= less;
        drop(Self { of: Arc::clone(&self.of), owner: Arc::clone(&self.owner), units: less });
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut usage = lock(&self.of.usage);
        usage.total -= self.units;
        usage.owners.remove(&self.owner, self.units);
        usage.clients.remove(&self.owner.client, self.units);
        drop(usage);
        self.of.freed.notify_waiters();
    }
}

/// Turns at the processors: so many pages are worked on at once. Next is a page of the client with the fewest pages in work, and
/// among those one of the owner with the fewest. An owner that has none in work need not wait for those of other sites, up to
/// twice as many turns, nor a client that has none for those of other clients: one client with pages of many sites has one turn
/// more than there are, and no more.
#[derive(Debug)]
pub(super) struct Turns {
    most: u64,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    total: u64,
    running: Count<Arc<Owner>>,
    clients: Count<IpAddr>,
    waiting: Vec<(Arc<Owner>, oneshot::Sender<Turn>)>,
}

impl Turns {
    pub(super) fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, queue: Mutex::default() })
    }

    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Waits for a turn. It should be short: others wait meanwhile.
    pub(super) async fn take(self: &Arc<Self>, owner: &Arc<Owner>) -> Turn {
        let waiting = {
            let mut queue = lock(&self.queue);
            if self.is_due(&queue, owner) {
                return self.start(&mut queue, owner);
            }
            let (start, waiting) = oneshot::channel();
            queue.waiting.push((Arc::clone(owner), start));
            waiting
        };
        // The sender is dropped with its turn in it or not at all.
        waiting.await.unwrap_or_else(|_| self.start(&mut lock(&self.queue), owner))
    }

    fn is_due(&self, queue: &Queue, owner: &Arc<Owner>) -> bool {
        let of_client = queue.clients.get(&owner.client);
        queue.total < self.most
            || queue.running.get(owner) == 0 && of_client <= self.most && queue.total < 2 * self.most
            || of_client == 0 && queue.total <= 2 * self.most
    }

    fn start(self: &Arc<Self>, queue: &mut Queue, owner: &Arc<Owner>) -> Turn {
        queue.total += 1;
        queue.running.add(Arc::clone(owner), 1);
        queue.clients.add(owner.client, 1);
        Turn { of: Arc::clone(self), owner: Arc::clone(owner) }
    }

    /// Starts whoever may by now.
    fn start_next(self: &Arc<Self>) {
        loop {
            let mut queue = lock(&self.queue);
            // Whose page is given up waits no longer.
            queue.waiting.retain(|(_, start)| !start.is_closed());
            let Some(next) = self.next(&queue) else {
                return;
            };
            let (owner, start) = queue.waiting.remove(next);
            let turn = self.start(&mut queue, &owner);
            drop(queue);
            // One that nobody takes ends here.
            drop(start.send(turn));
        }
    }

    fn next(&self, queue: &Queue) -> Option<usize> {
        let (mut owners, mut clients) = (Count::default(), Count::default());
        for (owner, _) in &queue.waiting {
            owners.add(Arc::clone(owner), 1);
            clients.add(owner.client, 1);
        }
        let due = queue.waiting.iter().enumerate().filter(|(_, (owner, _))| self.is_due(queue, owner));
        let next = due.min_by_key(|(_, (owner, _))| {
            let of_owner = owners.get(owner) + queue.running.get(owner);
            (queue.clients.get(&owner.client), of_owner, clients.get(&owner.client))
        });
        next.map(|(at, _)| at)
    }
}

/// A turn at a processor, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    of: Arc<Turns>,
    owner: Arc<Owner>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = lock(&self.of.queue);
        queue.total -= 1;
        queue.running.remove(&self.owner, 1);
        queue.clients.remove(&self.owner.client, 1);
        drop(queue);
        self.of.start_next();
    }
}

/// Numbers of things that are not zero.
#[derive(Debug)]
struct Count<T>(HashMap<T, u64>);

impl<T> Default for Count<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Eq + Hash> Count<T> {
    fn get(&self, key: &T) -> u64 {
        self.0.get(key).copied().unwrap_or(0)
    }

    fn add(&mut self, of: T, more: u64) {
        *self.0.entry(of).or_default() += more;
    }

    fn remove(&mut self, of: &T, less: u64) {
        if let Some(count) = self.0.get_mut(of) {
            *count = count.saturating_sub(less);
            if *count == 0 {
                self.0.remove(of);
            }
        }
    }
}

/// What a panic left behind is still a number of units.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn owner(client: u8, site: &str) -> Arc<Owner> {
        Owner::new(IpAddr::from([192, 168, 1, client]), site)
    }

    /// What an owner gets, one by one.
    fn fill(shares: &Arc<Shares>, owner: &Arc<Owner>) -> Vec<Share> {
        std::iter::from_fn(|| shares.take(owner, 1, u64::MAX, IN_WORK)).collect()
    }

    #[test]
    fn something_is_left_for_the_next_site_and_for_the_next_client() {
        let shares = Shares::new(64);
        let first = fill(&shares, &owner(1, "a.example"));
        assert_eq!(first.len(), 48);
        // Hosts of one site are one, and so are its pages for other clients.
        assert!(fill(&shares, &owner(1, "www.a.example")).is_empty());
        let same_client = fill(&shares, &owner(1, "b.example"));
        assert!((4..14).contains(&same_client.len()), "{}", same_client.len());
        let other = fill(&shares, &owner(2, "c.example"));
        assert!(other.len() > 1, "{}", other.len());
        drop((first, same_client, other));
        assert_eq!(shares.used(), (0, 64));
        assert_eq!(fill(&Shares::new(1), &owner(1, "a.example")).len(), 1);
        assert_eq!(fill(&Shares::new(0), &owner(1, "a.example")).len(), 0);
    }

    #[tokio::test]
    async fn whoever_has_none_in_work_is_next() {
        let turns = Turns::new(1);
        let (many, one, another) = (owner(1, "a.example"), owner(1, "b.example"), owner(1, "c.example"));
        let running = turns.take(&many).now_or_never().unwrap();
        let mut waiting: Vec<_> = (0..5).map(|_| Box::pin(turns.take(&many))).collect();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        // It need not wait at all; after it there are twice as many as there should be.
        let beside = turns.take(&one).now_or_never().unwrap();
        let mut last = Box::pin(turns.take(&another));
        assert!((&mut last).now_or_never().is_none());
        // Those that are given up are skipped.
        drop(waiting.remove(0));
        drop(beside);
        let _beside = last.now_or_never().unwrap();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        drop(running);
        let begun: Vec<bool> = waiting.iter_mut().map(|turn| turn.now_or_never().is_some()).collect();
        // A turn that is not kept ends at once, so that the next begins.
        assert_eq!(begun, [true; 4]);
    }

    /// A page with frames of many sites.
    #[tokio::test]
    async fn a_client_with_pages_of_many_sites_leaves_a_turn_to_the_next_client() {
        let turns = Turns::new(2);
        let sites: Vec<_> = (0..24).map(|number| owner(1, &format!("a{number}.example"))).collect();
        let mut waiting: Vec<_> = sites.iter().map(|site| Box::pin(turns.take(site))).collect();
        let running: Vec<_> = waiting.iter_mut().filter_map(FutureExt::now_or_never).collect();
        assert_eq!(running.len(), 3);
        let other = owner(2, "b.example");
        let first = turns.take(&other).now_or_never().expect("a client that has none begins at once");
        let mut second = Box::pin(turns.take(&other));
        assert!((&mut second).now_or_never().is_none());
        drop(first);
        let _second = second.now_or_never().expect("its next page is before those that waited for longer");
    }
}
