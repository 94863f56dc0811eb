//! A memory budget for all pages that are being rewritten: a page waits until there is enough to begin, and passes unchanged
//! where there is none to continue.
//!
//! A limit of pages would not bound memory: a short page takes some kilobytes, and one megabyte of nothing but markup takes
//! twenty. So the size of the trees is counted, as they grow.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::eligibility::PassReason;

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

/// The memory for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    /// Three quarters: for pages that begin.
    begin: Arc<Semaphore>,
    begin_units: u32,
    /// The last quarter is for pages that have begun, so that they can finish.
    growth: Arc<Semaphore>,
    growth_units: u32,
}

impl MemoryBudget {
    pub(super) fn new(bytes: usize) -> Self {
        let all = units(bytes);
        let begin_units = (all - all / 4).max(1);
        let semaphore = |units: u32| Arc::new(Semaphore::new(units as usize));
        Self { begin: semaphore(begin_units), begin_units, growth: semaphore(all / 4), growth_units: all / 4 }
    }

    /// Bytes that are reserved, and all.
    pub(super) fn used(&self) -> (u64, u64) {
        let bytes = |units: usize| (units * UNIT_BYTES) as u64;
        let all = self.begin_units as usize + self.growth_units as usize;
        (bytes(all - (self.begin.available_permits() + self.growth.available_permits()).min(all)), bytes(all))
    }

    /// Waits for the memory that a page of this length is expected to need. One that needs all of it waits until no other page
    /// is in work.
    pub(super) async fn reserve(&self, bytes: Option<usize>, is_encoded: bool) -> Result<Reservation, PassReason> {
        let factor = if is_encoded { DECODED_FACTOR * EXPECTED_FACTOR } else { EXPECTED_FACTOR };
        let units = units(bytes.unwrap_or(DEFAULT_BYTES).saturating_mul(factor)).min(self.begin_units);
        let (begin, growth) = (Arc::clone(&self.begin), Arc::clone(&self.growth));
        match timeout(TIMEOUT, Arc::clone(&begin).acquire_many_owned(units)).await {
            Ok(Ok(permit)) => Ok(Reservation { begin, growth, permits: vec![permit], units }),
            _ => Err(PassReason::BUSY),
        }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

/// The memory of one page; released when this is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    begin: Arc<Semaphore>,
    growth: Arc<Semaphore>,
    permits: Vec<OwnedSemaphorePermit>,
    units: u32,
}

impl Reservation {
    /// Reserves more for a page that takes this many bytes by now. An error where there is no more.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), PassReason> {
        let more = units(bytes).saturating_sub(self.units);
        if more == 0 {
            return Ok(());
        }
        let take = |from: &Arc<Semaphore>| Arc::clone(from).try_acquire_many_owned(more);
        let permit = take(&self.begin).or_else(|_| take(&self.growth));
        self.permits.push(permit.map_err(|_| PassReason::BUSY)?);
        self.units += more;
        Ok(())
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

    #[tokio::test(start_paused = true)]
    async fn a_page_waits_for_memory_to_begin_but_not_for_ever() {
        let budget = budget();
        let first = budget.reserve(Some(PAGES * 2 / 3), false).await.unwrap();
        let second = budget.reserve(Some(PAGES * 2 / 3), false).await;
        assert_eq!(second.unwrap_err(), PassReason::BUSY);
        let release = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (third, ()) = tokio::join!(budget.reserve(Some(PAGES * 2 / 3), false), release);
        third.unwrap();
        // One that would take more than all begins alone.
        budget.reserve(Some(PAGES * 100), true).await.unwrap();
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_memory() {
        let budget = budget();
        let begun = PAGES * EXPECTED_FACTOR;
        // The second time shows that everything was released.
        for _ in 0..2 {
            let mut page = budget.reserve(Some(PAGES), false).await.unwrap();
            page.grow_to(1).unwrap();
            page.grow_to(begun + begun / 4).unwrap();
            assert_eq!(page.grow_to(begun * 2), Err(PassReason::BUSY));
        }
    }
}
