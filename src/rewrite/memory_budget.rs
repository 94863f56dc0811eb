//! A memory budget for all pages that are being rewritten or that their clients have not read yet: a page waits until there is
//! enough to begin, and passes unchanged where there is none to continue.
//!
//! A limit of pages would not bound memory: a short page takes some kilobytes, and one megabyte of nothing but markup takes
//! twenty. So the size of the trees is counted, as they grow. What a page came as, and what it is sent as, also counts against a
//! share of its client, until the last byte is read: a client that reads none of its pages takes no room from the others.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::eligibility::PassReason;
use crate::listener::client_network;

/// How long a page waits to begin; rewriting takes some tenths of a second. Raising it filters more pages of a burst, and their
/// readers wait longer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Expected memory per byte of a page: the mean of real pages (WCXB dev, 2026-11-21) is less than half of it. Raising it
/// lets fewer pages begin at once, and fewer run out of memory.
const EXPECTED_FACTOR: usize = 12;

/// Expected ratio of decoded to encoded length of a compressed page.
const DECODED_FACTOR: usize = 5;

/// Expected length of a page without `Content-Length`.
const DEFAULT_BYTES: usize = 64 * 1024;

/// Bytes per permit: a semaphore counts in 32 bits.
const UNIT_BYTES: usize = 1024;

/// The part of the budget that the pages of one client may hold, their trees not counted: by default 16 MiB of 256, which is two
/// of the largest pages that are accepted, or a hundred of usual ones (WCXB dev: 140 KB). Raising it filters more of many pages
/// that one device opens at once, and lets one that reads none hold more.
const CLIENT_PART: usize = 16;

/// The memory for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    /// Three quarters: for pages that begin.
    begin: Arc<Semaphore>,
    begin_units: u32,
    /// The last quarter is for pages that have begun, so that they can finish.
    growth: Arc<Semaphore>,
    growth_units: u32,
    client_units: u32,
    /// The shares of clients that hold any.
    clients: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl MemoryBudget {
    /// A budget of so many bytes; the share of a client is enough for the original and the result of one page of `largest_page`.
    pub(super) fn new(bytes: usize, largest_page: usize) -> Self {
        let all = units(bytes);
        let begin_units = (all - all / 4).max(1);
        Self {
            begin: semaphore(begin_units),
            begin_units,
            growth: semaphore(all / 4),
            growth_units: all / 4,
            client_units: units((bytes / CLIENT_PART).max(largest_page.saturating_mul(2))),
            clients: Mutex::default(),
        }
    }

    /// Bytes that are reserved, and all.
    pub(super) fn used(&self) -> (u64, u64) {
        let bytes = |units: usize| (units * UNIT_BYTES) as u64;
        let all = self.begin_units as usize + self.growth_units as usize;
        (bytes(all - (self.begin.available_permits() + self.growth.available_permits()).min(all)), bytes(all))
    }

    /// Waits for the memory that a page of this length is expected to need. One that needs all of it waits until no other page
    /// is in work.
    pub(super) async fn reserve(
        &self,
        client: IpAddr,
        bytes: Option<usize>,
        is_encoded: bool,
    ) -> Result<Reservation, PassReason> {
        let bytes = bytes.unwrap_or(DEFAULT_BYTES);
        let factor = if is_encoded { DECODED_FACTOR * EXPECTED_FACTOR } else { EXPECTED_FACTOR };
        let tree = units(bytes.saturating_mul(factor)).min(self.begin_units);
        let taking = async {
            let content = Permits::take(vec![self.share(client)], units(bytes).min(self.client_units)).await?;
            Some((Permits::take(vec![Arc::clone(&self.begin), Arc::clone(&self.growth)], tree).await?, content))
        };
        let taken = timeout(TIMEOUT, taking).await.ok().flatten();
        let (tree, content) = taken.ok_or(PassReason::BUSY)?;
        Ok(Reservation(Arc::new(Mutex::new(Reserved { tree, content, is_done: false }))))
    }

    fn share(&self, client: IpAddr) -> Arc<Semaphore> {
        let mut clients = self.clients.lock();
        let client = client_network(client);
        if let Some(share) = clients.get(&client).and_then(Weak::upgrade) {
            return share;
        }
        let share = semaphore(self.client_units);
        clients.retain(|_, share| share.strong_count() > 0);
        clients.insert(client, Arc::downgrade(&share));
        share
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

fn semaphore(units: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(units as usize))
}

/// Permits of several semaphores; the first one's are taken first.
#[derive(Debug)]
struct Permits {
    from: Vec<Arc<Semaphore>>,
    taken: Vec<OwnedSemaphorePermit>,
    units: u32,
}

impl Permits {
    /// Waits for the first ones.
    async fn take(from: Vec<Arc<Semaphore>>, units: u32) -> Option<Self> {
        let permit = Arc::clone(from.first()?).acquire_many_owned(units).await.ok()?;
        Some(Self { from, taken: vec![permit], units })
    }

    /// Takes more for this many bytes in all. An error where there are no more.
    fn grow_to(&mut self, bytes: usize) -> Result<(), PassReason> {
        let more = units(bytes).saturating_sub(self.units);
        if more > 0 {
            let permit = self.from.iter().find_map(|from| Arc::clone(from).try_acquire_many_owned(more).ok());
            self.taken.push(permit.ok_or(PassReason::BUSY)?);
            self.units += more;
        }
        Ok(())
    }

    /// Gives back what is not needed for this many bytes.
    fn shrink_to(&mut self, bytes: usize) {
        while let Some(excess) = self.units.checked_sub(units(bytes)).filter(|excess| *excess > 0)
            && let Some(mut last) = self.taken.pop()
        {
            let excess = last.num_permits().min(excess as usize);
            // What was split off is given back when it is dropped.
            drop(last.split(excess));
            // A permit counts in 32 bits.
            self.units -= u32::try_from(excess).unwrap_or(self.units);
            if last.num_permits() > 0 {
                self.taken.push(last);
            }
        }
    }
}

/// The memory of one page; released when the last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct Reservation(Arc<Mutex<Reserved>>);

#[derive(Debug)]
struct Reserved {
    /// Memory for the work on the page, and for its content.
    tree: Permits,
    /// The content alone, of the client's share.
    content: Permits,
    /// Nothing works on the page any more.
    is_done: bool,
}

impl Reservation {
    /// Reserves more for a page that takes this many bytes by now. An error where there is no more.
    pub(super) fn grow_to(&self, bytes: usize) -> Result<(), PassReason> {
        let mut reserved = self.0.lock();
        if reserved.is_done { Err(PassReason::BUSY) } else { reserved.tree.grow_to(bytes) }
    }

    /// Reserves more for a page of which so many bytes are kept. An error where its client holds too many.
    pub(super) fn keep(&self, bytes: usize) -> Result<(), PassReason> {
        self.0.lock().content.grow_to(bytes)
    }

    /// The work is done, and so many bytes are left to be sent. An error where that is more than the client may hold.
    pub(super) fn finish(&self, bytes: usize) -> Result<(), PassReason> {
        self.keep(bytes)?;
        self.release_to(bytes);
        Ok(())
    }

    /// The work is done, and no more than these bytes of what is reserved are needed.
    pub(super) fn release_to(&self, bytes: usize) {
        let mut reserved = self.0.lock();
        reserved.content.shrink_to(bytes);
        reserved.tree.shrink_to(bytes);
        reserved.is_done = true;
    }

    /// These bytes, with which the memory is released once they are sent.
    pub(super) fn attach(&self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held { bytes, _reservation: self.clone() })
    }
}

/// Bytes for which memory is reserved.
struct Held {
    bytes: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of pages that may begin at once.
    const PAGES: usize = 100_000;

    fn budget() -> MemoryBudget {
        MemoryBudget::new(PAGES * EXPECTED_FACTOR / 3 * 4, PAGES * 100)
    }

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[tokio::test(start_paused = true)]
    async fn a_page_waits_for_memory_to_begin_but_not_for_ever() {
        let budget = budget();
        let first = budget.reserve(CLIENT, Some(PAGES * 2 / 3), false).await.unwrap();
        let second = budget.reserve(CLIENT, Some(PAGES * 2 / 3), false).await;
        assert_eq!(second.unwrap_err(), PassReason::BUSY);
        let release = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (third, ()) = tokio::join!(budget.reserve(CLIENT, Some(PAGES * 2 / 3), false), release);
        third.unwrap();
        // One that would take more than all begins alone.
        budget.reserve(CLIENT, Some(PAGES * 100), true).await.unwrap();
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_memory() {
        let budget = budget();
        let begun = PAGES * EXPECTED_FACTOR;
        // The second time shows that everything was released.
        for _ in 0..2 {
            let page = budget.reserve(CLIENT, Some(PAGES), false).await.unwrap();
            page.grow_to(1).unwrap();
            page.grow_to(begun + begun / 4).unwrap();
            assert_eq!(page.grow_to(begun * 2), Err(PassReason::BUSY));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_none_of_its_pages_keeps_only_itself_from_more() {
        let budget = MemoryBudget::new(PAGES * 100, PAGES / 2);
        let other = IpAddr::V6(std::net::Ipv6Addr::LOCALHOST);
        let mut unread = Vec::new();
        while let Ok(page) = budget.reserve(CLIENT, Some(PAGES), false).await {
            page.keep(PAGES).unwrap();
            assert_eq!(page.keep(PAGES * 100), Err(PassReason::BUSY));
            page.finish(PAGES / 2).unwrap();
            let body = page.attach(Bytes::from(vec![0; PAGES / 2]));
            unread.push(body.slice(1..));
        }
        let most = PAGES * 100 / CLIENT_PART;
        assert!((most - PAGES..=most).contains(&(unread.len() * PAGES / 2)), "{}", unread.len());
        assert!(budget.used().0 < 2 * most as u64, "trees are released");
        budget.reserve(other, Some(PAGES), false).await.unwrap();
        unread.truncate(1);
        budget.reserve(CLIENT, Some(PAGES), false).await.unwrap();
        drop(unread);
        assert_eq!(budget.used().0, 0);
    }
}
