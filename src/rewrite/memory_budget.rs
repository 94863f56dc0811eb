//! Memory for all pages in work together: a page waits until there is enough to begin, and passes as it was where there is none
//! to go on.
//!
//! The number of pages is no bound on memory: a short page takes some kilobytes, and the largest of one megabyte that is all
//! markup takes twenty. So what is counted is what the trees take, as they grow.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::eligibility::PassReason;

/// How long a page waits before it begins. Its reader waits with it; a page in work needs some tenths of a second.
/// Raising it filters more pages of a burst and makes their readers wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// Memory of a page in bytes for each byte of its text: the mean of real pages (WCXB dev, 2026-11-21) is under half of
/// it. Raising it lets fewer pages begin at once, and fewer of them be given up half-way.
const EXPECTED_FACTOR: usize = 12;

/// How much longer a page is than its transfer, where it is compressed.
const UNPACKED_FACTOR: usize = 5;

/// Bytes of transfer of a page that does not say how many it has.
const UNTOLD_BYTES: usize = 64 * 1024;

/// Bytes of one permit: a semaphore counts in 32 bits.
const UNIT_BYTES: usize = 1024;

/// The memory for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    /// Three quarters: what pages begin with.
    begin: Arc<Semaphore>,
    begin_units: u32,
    /// The last quarter is for pages that have begun, so that they can end.
    growth: Arc<Semaphore>,
}

impl MemoryBudget {
    pub(super) fn new(bytes: usize) -> Self {
        let all = units(bytes);
        let begin_units = (all - all / 4).max(1);
        Self {
            begin: Arc::new(Semaphore::new(begin_units as usize)),
            begin_units,
            growth: Arc::new(Semaphore::new((all / 4) as usize)),
        }
    }

    /// Waits for the memory that a page of so many bytes is expected to need. One that needs more than there is begins when no
    /// other page is in work.
    pub(super) async fn reserve(&self, bytes: Option<usize>, is_packed: bool) -> Result<Reservation, PassReason> {
        let unpacked = if is_packed { UNPACKED_FACTOR } else { 1 };
        let bytes = bytes.unwrap_or(UNTOLD_BYTES);
        let expected = units(bytes.saturating_mul(unpacked * EXPECTED_FACTOR)).min(self.begin_units);
        let begin = Arc::clone(&self.begin).acquire_many_owned(expected);
        match timeout(PATIENCE, begin).await {
            Ok(Ok(permit)) => Ok(Reservation {
                begin: Arc::clone(&self.begin),
                growth: Arc::clone(&self.growth),
                permits: vec![permit],
                units: expected,
            }),
            _ => Err(PassReason::BUSY),
        }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

/// The share of one page; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    begin: Arc<Semaphore>,
    growth: Arc<Semaphore>,
    permits: Vec<OwnedSemaphorePermit>,
    units: u32,
}

impl Reservation {
    /// The page takes so many bytes by now. An error where there is no more memory.
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

    fn budget() -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget::new(PAGES * EXPECTED_FACTOR / 3 * 4))
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_waits_for_memory_to_begin_and_not_for_ever() {
        let budget = budget();
        let first = budget.reserve(Some(PAGES * 2 / 3), false).await.unwrap();
        let second = budget.reserve(Some(PAGES * 2 / 3), false).await;
        assert_eq!(second.unwrap_err(), PassReason::BUSY);
        let waiting = tokio::spawn({
            let budget = Arc::clone(&budget);
            async move { budget.reserve(Some(PAGES * 2 / 3), false).await }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_memory() {
        let budget = budget();
        let mut first = budget.reserve(Some(PAGES), false).await.unwrap();
        let begun = PAGES * EXPECTED_FACTOR;
        first.grow_to(1).unwrap();
        first.grow_to(begun + begun / 4).unwrap();
        assert_eq!(first.grow_to(begun * 2), Err(PassReason::BUSY));
        drop(first);
        // What was grown by is given back.
        let mut second = budget.reserve(Some(PAGES), false).await.unwrap();
        second.grow_to(begun + begun / 4).unwrap();
    }

    #[tokio::test]
    async fn a_page_that_would_take_all_the_memory_begins_alone() {
        let budget = MemoryBudget::new(1000);
        assert!(budget.reserve(Some(1_000_000), true).await.is_ok());
    }
}
