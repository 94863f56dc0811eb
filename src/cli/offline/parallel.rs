//! Work on all cores with results in input order.

use std::{num::NonZero, sync::mpsc, thread};

use parking_lot::Mutex;

/// Items that may be started beyond the oldest unfinished one: bounds memory when one item is slow.
const WINDOW: usize = 1024;

/// Calls `work` on every item, on all cores, and `hand_on` with each result in the order of the items, on the calling
/// thread. Ends early when `hand_on` fails.
pub fn in_order<T, R: Send, E>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    mut hand_on: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // A channel of channels: each item's own one is queued in the order of the items, and its result sent when it is done.
    let (queue, queued) = mpsc::sync_channel(WINDOW);
    let items = Mutex::new(items);
    // Queued under the lock, so that the order is the items'. An error means that the results are no longer wanted.
    let take = |queue: &mpsc::SyncSender<_>| {
        let mut items = items.lock();
        let item = items.next()?;
        let (done, result) = mpsc::sync_channel(1);
        queue.send(result).ok()?;
        Some((item, done))
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            let (queue, take, work) = (queue.clone(), &take, &work);
            scope.spawn(move || {
                while let Some((item, done)) = take(&queue) {
                    let _ = done.send(work(item));
                }
            });
        }
        drop(queue);
        // An item without result is one on which `work` panicked; the scope passes the panic on.
        queued.into_iter().filter_map(|result| result.recv().ok()).try_for_each(&mut hand_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_until_they_are_no_longer_wanted() {
        let work = |n: u64| {
            if n.is_multiple_of(97) {
                thread::yield_now();
            }
            n * 2
        };
        let mut results = Vec::new();
        let hand_on = |result| {
            results.push(result);
            if result == 10_000 { Err("enough") } else { Ok(()) }
        };
        assert_eq!(in_order(0.., work, hand_on), Err("enough"));
        assert_eq!(results, (0..=5_000).map(|n| n * 2).collect::<Vec<_>>());
        assert_eq!(in_order(0..5, work, |_| Ok::<(), &str>(())), Ok(()));
    }
}
