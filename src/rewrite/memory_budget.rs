//! Memory for the pages in work, all together: a page waits until there is room to begin, and comes as it was where there
//! is none to go on.
//!
//! Pages at once are no bound on memory: a short page takes some kilobytes, and the largest of one megabyte that is all
//! markup takes twenty. So what is counted is what the trees take, as they grow.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

use super::eligibility::PassReason;

/// How long a page waits for room. Its reader waits with it; whoever is in work needs some tenths of a second.
/// Raising it filters more pages of a burst and makes their readers wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// Memory of a page in bytes for each byte of its text: the mean of real pages (WCXB dev, 2026-11-21) is under half of
/// it. Raising it lets fewer pages begin at once, and fewer of them be given up half-way.
const EXPECTED_FACTOR: usize = 12;

/// How much longer a page is than it is on its way, where it is compressed.
const UNPACKED_FACTOR: usize = 5;

/// Bytes on their way of a page that does not say how many it has.
const UNTOLD_BYTES: usize = 64 * 1024;

/// The room for all pages of one configuration.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    used: AtomicUsize,
    bytes: usize,
    freed: Notify,
}

impl MemoryBudget {
    pub(super) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            bytes,
            freed: Notify::new(),
        })
    }

    /// Waits for the room that a page is expected to need, which says that it has so many bytes.
    pub(super) async fn enter(
        self: &Arc<Self>,
        bytes: Option<usize>,
        is_packed: bool,
    ) -> Result<Reservation, PassReason> {
        let bytes = bytes.unwrap_or(UNTOLD_BYTES);
        let unpacked = if is_packed { UNPACKED_FACTOR } else { 1 };
        let expected = bytes.saturating_mul(unpacked * EXPECTED_FACTOR);
        // The last quarter is for those who have begun, so that they can end. Who wants more begins when nobody else is
        // in work.
        let most = self.bytes - self.bytes / 4;
        let expected = expected.min(most);
        let entering = async {
            loop {
                // Before the look, so that what is freed in between is not missed.
                let freed = self.freed.notified();
                if self.take(expected, most) {
                    return;
                }
                freed.await;
            }
        };
        timeout(PATIENCE, entering)
            .await
            .map_err(|_| PassReason::Busy)?;
        Ok(Reservation {
            room: Arc::clone(self),
            bytes: expected,
        })
    }

    fn take(&self, bytes: usize, most: usize) -> bool {
        self.used
            .fetch_update(Relaxed, Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= most)
            })
            .is_ok()
    }
}

/// What one page has of the room; given back with the page.
#[derive(Debug)]
pub(super) struct Reservation {
    room: Arc<MemoryBudget>,
    bytes: usize,
}

impl Reservation {
    /// The page takes so much by now. An error where there is no more room.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), PassReason> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 {
            if !self.room.take(more, self.room.bytes) {
                return Err(PassReason::Busy);
            }
            self.bytes = bytes;
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.room.used.fetch_sub(self.bytes, Relaxed);
        self.room.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_waits_for_room_to_begin_and_not_for_ever() {
        let room = MemoryBudget::new(1000 * EXPECTED_FACTOR);
        let first = room.enter(Some(700), false).await.unwrap();
        let waiting = tokio::spawn({
            let room = Arc::clone(&room);
            async move { room.enter(Some(700), false).await }
        });
        assert_eq!(
            room.enter(Some(700), false).await.unwrap_err(),
            PassReason::Busy
        );
        assert_eq!(waiting.await.unwrap().unwrap_err(), PassReason::Busy);
        let waiting = tokio::spawn({
            let room = Arc::clone(&room);
            async move { room.enter(Some(700), false).await }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_page_grows_as_far_as_there_is_room() {
        let room = MemoryBudget::new(1000 * EXPECTED_FACTOR);
        let mut first = room.enter(Some(100), false).await.unwrap();
        let second = room.enter(Some(20), true).await.unwrap();
        first.grow_to(1).unwrap();
        first.grow_to(900 * EXPECTED_FACTOR).unwrap();
        let more = 900 * EXPECTED_FACTOR + 1;
        assert_eq!(first.grow_to(more), Err(PassReason::Busy));
        drop(second);
        first.grow_to(more).unwrap();
        drop(first);
        assert_eq!(room.used.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn a_page_that_would_fill_all_the_room_begins_alone() {
        let room = MemoryBudget::new(1000);
        assert!(room.enter(Some(1_000_000), true).await.is_ok());
        assert_eq!(room.used.load(Relaxed), 0);
    }
}
