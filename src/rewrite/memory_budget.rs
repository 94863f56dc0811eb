//! A memory budget for all pages that are being rewritten: a page waits until there is enough to begin, and passes unchanged
//! where there is none to continue.
//!
//! A limit of pages would not bound memory: a short page takes some kilobytes, and one megabyte of nothing but markup takes
//! twenty. So the size of the trees is counted, as they grow.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{
    eligibility::PassReason,
    shares::{Owner, Share, Shares, TO_BEGIN},
};

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

/// The memory for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget(Arc<Shares>);

impl MemoryBudget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(Shares::new(units(bytes)))
    }

    /// Bytes that are reserved, and all.
    pub(super) fn used(&self) -> (u64, u64) {
        let (used, all) = self.0.used();
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
        let factor = if is_encoded { DECODED_FACTOR * EXPECTED_FACTOR } else { EXPECTED_FACTOR };
        // The last quarter is for pages that have begun, so that they can finish.
        let (_, all) = self.0.used();
        let most = (all - all / 4).max(1);
        let units = units(bytes.unwrap_or(DEFAULT_BYTES).saturating_mul(factor)).min(most);
        let share = timeout(TIMEOUT, self.0.wait(owner, units, most, TO_BEGIN)).await;
        share.map(Reservation).map_err(|_| PassReason::BUSY)
    }
}

fn units(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(UNIT_BYTES)
}

/// The memory of one page; released when this is dropped.
#[derive(Debug)]
pub(super) struct Reservation(Share);

impl Reservation {
    /// Reserves more for a page that takes this many bytes by now. An error where there is no more, or not for its owner.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), PassReason> {
        let more = units(bytes).saturating_sub(self.0.units);
        if more == 0 || self.0.grow(more) { Ok(()) } else { Err(PassReason::BUSY) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of pages that may begin at once.
    const PAGES: usize = 100_000;

    fn budget() -> MemoryBudget {
        MemoryBudget::new(PAGES * EXPECTED_FACTOR / 3 * 4)
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
        while let Ok(mut page) = budget.reserve(&one, Some(PAGES / 40), false).await {
            let _ = page.grow_to(PAGES * EXPECTED_FACTOR / 10);
            many.push(page);
        }
        let mut page = budget.reserve(&other, Some(PAGES / 40), false).await.unwrap();
        page.grow_to(PAGES * EXPECTED_FACTOR / 12).unwrap();
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_memory() {
        let budget = budget();
        let begun = PAGES * EXPECTED_FACTOR;
        // The second time shows that everything was released.
        for _ in 0..2 {
            let mut page = budget.reserve(&owner("a.example"), Some(PAGES / 2), false).await.unwrap();
            page.grow_to(1).unwrap();
            page.grow_to(begun + begun / 4).unwrap();
            assert_eq!(page.grow_to(begun * 2), Err(PassReason::BUSY));
        }
    }
}
