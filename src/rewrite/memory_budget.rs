//! A memory budget for all pages that are being rewritten or that their clients have not read yet: a page waits until there is
//! enough to begin, and passes unchanged where there is none to continue.
//!
//! A limit of pages would not bound memory: a short page takes some kilobytes, and one megabyte of nothing but markup takes
//! twenty. So the size of the trees is counted, as they grow, and divided between clients and sites. The bytes that a page
//! came as, and those that it is sent as, also count against a share of its client, until the last byte is read: a client
//! that reads none of its pages takes no room from the others.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::time::timeout;

use super::shares::{IN_WORK, Multiple, Owner, Share, Shares, TO_BEGIN, UNDIVIDED};
use crate::http::outcome::PassReason;

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

/// Memory is counted in KiB.
const UNIT_BYTES: u64 = 1024;

/// The part of the budget that the pages of one client may hold, their trees not counted: by default 16 MiB of 256, which is two
/// of the largest pages that are accepted, or a hundred of usual ones (WCXB dev: 140 KB). Raising it filters more of many pages
/// that one device opens at once, and lets one that reads none hold more.
const CLIENT_PART: usize = 16;

/// The memory for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    all: Arc<Shares>,
    client_units: u64,
    /// The shares of clients that hold any.
    clients: Mutex<HashMap<IpAddr, Weak<Shares>>>,
}

impl MemoryBudget {
    /// A budget of so many bytes; the share of a client is enough for the original and the result of one page of `largest_page`.
    pub(super) fn new(bytes: usize, largest_page: usize) -> Self {
        let client_units = units((bytes / CLIENT_PART).max(largest_page.saturating_mul(2)));
        Self { all: Shares::new(units(bytes)), client_units, clients: Mutex::default() }
    }

    /// Bytes that are reserved, and all.
    pub(super) fn used(&self) -> (u64, u64) {
        let (used, all) = self.all.used();
        (used * UNIT_BYTES, all * UNIT_BYTES)
    }

    /// Waits for the memory that a page of this length is expected to need. One that needs all of it waits until no other page
    /// is in work.
    pub(super) async fn reserve(
        &self,
        owner: &Arc<Owner>,
        bytes: Option<usize>,
        is_encoded: bool,
    ) -> Result<Reservation, PassReason> {
        let bytes = bytes.unwrap_or(DEFAULT_BYTES);
        let factor = if is_encoded { DECODED_FACTOR * EXPECTED_FACTOR } else { EXPECTED_FACTOR };
        // The last quarter is for pages that have begun, so that they can finish.
        let (_, all) = self.all.used();
        let most = (all - all / 4).max(1);
        let tree = units(bytes.saturating_mul(factor)).min(most);
        let client = self.client(owner);
        let taking = async {
            let content = client.wait(owner, units(bytes).min(self.client_units), u64::MAX, UNDIVIDED).await;
            Reserved { content, tree: self.all.wait(owner, tree, most, TO_BEGIN).await, is_done: false }
        };
        let taken = timeout(TIMEOUT, taking).await.map_err(|_| PassReason::BUSY)?;
        Ok(Reservation(Arc::new(Mutex::new(taken))))
    }

    fn client(&self, owner: &Owner) -> Arc<Shares> {
        let mut clients = self.clients.lock();
        if let Some(share) = clients.get(&owner.client).and_then(Weak::upgrade) {
            return share;
        }
        let share = Shares::new(self.client_units);
        clients.retain(|_, share| share.strong_count() > 0);
        clients.insert(owner.client, Arc::downgrade(&share));
        share
    }
}

fn units(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(UNIT_BYTES)
}

/// The memory of one page; released when the last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct Reservation(Arc<Mutex<Reserved>>);

#[derive(Debug)]
struct Reserved {
    /// Memory for the work on the page, and for its content.
    tree: Share,
    /// The content alone, of the client's share.
    content: Share,
    /// Nothing works on the page any more.
    is_done: bool,
}

impl Reservation {
    /// Reserves more for a page that takes this many bytes by now. An error where there is no more, or not for its owner.
    pub(super) fn grow_to(&self, bytes: usize) -> Result<(), PassReason> {
        let mut reserved = self.0.lock();
        if reserved.is_done { Err(PassReason::BUSY) } else { grow(&mut reserved.tree, bytes, IN_WORK) }
    }

    /// Reserves more for a page of which so many bytes are kept. An error where its client holds too many.
    pub(super) fn keep(&self, bytes: usize) -> Result<(), PassReason> {
        grow(&mut self.0.lock().content, bytes, UNDIVIDED)
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
        reserved.content.shrink_to(units(bytes));
        reserved.tree.shrink_to(units(bytes));
        reserved.is_done = true;
    }

    /// These bytes, with which the memory is released once they are sent.
    pub(super) fn attach(&self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held { bytes, _reservation: self.clone() })
    }
}

fn grow(share: &mut Share, bytes: usize, times: Multiple) -> Result<(), PassReason> {
    let more = units(bytes).saturating_sub(share.units);
    if more == 0 || share.grow(more, times) { Ok(()) } else { Err(PassReason::BUSY) }
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

    fn owner(site: &str) -> Arc<Owner> {
        Owner::new([192, 168, 1, 1].into(), site)
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_waits_for_memory_to_begin_but_not_for_ever() {
        let (budget, one, other) = (budget(), owner("a.example"), owner("b.example"));
        let first = budget.reserve(&one, Some(PAGES * 2 / 3), false).await.unwrap();
        let second = budget.reserve(&other, Some(PAGES * 2 / 3), false).await;
        assert_eq!(second.unwrap_err(), PassReason::BUSY);
        let release = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (third, ()) = tokio::join!(budget.reserve(&other, Some(PAGES * 2 / 3), false), release);
        third.unwrap();
        // One that would take more than all begins alone.
        budget.reserve(&one, Some(PAGES * 100), true).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn one_site_leaves_memory_for_another() {
        let (budget, one, other) = (budget(), owner("a.example"), owner("b.example"));
        let mut many = Vec::new();
        while let Ok(page) = budget.reserve(&one, Some(PAGES / 40), false).await {
            let _ = page.grow_to(PAGES * EXPECTED_FACTOR / 10);
            many.push(page);
        }
        let page = budget.reserve(&other, Some(PAGES / 40), false).await.unwrap();
        page.grow_to(PAGES * EXPECTED_FACTOR / 12).unwrap();
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_memory() {
        let budget = budget();
        let begun = PAGES * EXPECTED_FACTOR;
        // The second time shows that everything was released.
        for _ in 0..2 {
            let page = budget.reserve(&owner("a.example"), Some(PAGES / 2), false).await.unwrap();
            page.grow_to(1).unwrap();
            page.grow_to(begun + begun / 4).unwrap();
            assert_eq!(page.grow_to(begun * 2), Err(PassReason::BUSY));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_none_of_its_pages_keeps_only_itself_from_more() {
        let budget = MemoryBudget::new(PAGES * 100, PAGES / 2);
        let (client, other) = (owner("a.example"), Owner::new([192, 168, 1, 2].into(), "a.example"));
        let mut unread = Vec::new();
        while let Ok(page) = budget.reserve(&client, Some(PAGES), false).await {
            page.keep(PAGES).unwrap();
            assert_eq!(page.keep(PAGES * 100), Err(PassReason::BUSY));
            page.finish(PAGES / 2).unwrap();
            let body = page.attach(Bytes::from(vec![0; PAGES / 2]));
            unread.push(body.slice(1..));
        }
        let most = PAGES * 100 / CLIENT_PART;
        assert!((most - PAGES..=most).contains(&(unread.len() * PAGES / 2)), "{}", unread.len());
        assert!(budget.used().0 < 2 * most as u64, "trees are released");
        budget.reserve(&other, Some(PAGES), false).await.unwrap();
        unread.truncate(1);
        budget.reserve(&client, Some(PAGES), false).await.unwrap();
        drop(unread);
        assert_eq!(budget.used().0, 0);
    }
}
