//! Work on all cores with results in input order.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Items that may be under way beyond the oldest one that is not finished: bounds memory when one item is slow.
const WINDOW: usize = 1024;

struct State<I, R> {
    items: I,
    /// Number of the item that is taken next.
    taken: usize,
    /// Number of the result that is handed on next.
    handed: usize,
    done: BTreeMap<usize, R>,
    exhausted: bool,
    stopped: bool,
}

/// Calls `work` on every item, on all cores, and `hand_on` with each result in the order of the items, on the calling
/// thread. Ends early when `hand_on` fails.
pub fn in_order<T, R, E>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    mut hand_on: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    R: Send,
{
    let state =
        Mutex::new(State { items, taken: 0, handed: 0, done: BTreeMap::new(), exhausted: false, stopped: false });
    let changed = Condvar::new();
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((number, item)) = take(&state, &changed) {
                    let result = work(item);
                    lock(&state).done.insert(number, result);
                    changed.notify_all();
                }
            });
        }
        while let Some(result) = next_result(&state, &changed) {
            if let Err(error) = hand_on(result) {
                lock(&state).stopped = true;
                changed.notify_all();
                return Err(error);
            }
        }
        Ok(())
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs under the lock but the iterator's, and its numbers stay right.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take<T, I: Iterator<Item = T>, R>(state: &Mutex<State<I, R>>, changed: &Condvar) -> Option<(usize, T)> {
    let mut state = changed
        .wait_while(lock(state), |s| !s.stopped && !s.exhausted && s.taken >= s.handed + WINDOW)
        .unwrap_or_else(PoisonError::into_inner);
    if state.stopped || state.exhausted {
        return None;
    }
    let Some(item) = state.items.next() else {
        state.exhausted = true;
        changed.notify_all();
        return None;
    };
    let number = state.taken;
    state.taken += 1;
    Some((number, item))
}

fn next_result<I, R>(state: &Mutex<State<I, R>>, changed: &Condvar) -> Option<R> {
    let mut state = changed
        .wait_while(lock(state), |s| {
            let is_over = s.exhausted && s.handed == s.taken;
            !(is_over || s.done.contains_key(&s.handed))
        })
        .unwrap_or_else(PoisonError::into_inner);
    let number = state.handed;
    let result = state.done.remove(&number)?;
    state.handed += 1;
    changed.notify_all();
    Some(result)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let mut results = Vec::new();
        let Ok(()) = in_order(
            0..5_000u64,
            |n| {
                if n % 97 == 0 {
                    thread::yield_now();
                }
                n * 2
            },
            |result| {
                results.push(result);
                Ok::<(), Infallible>(())
            },
        );
        assert_eq!(results, (0..5_000).map(|n| n * 2).collect::<Vec<_>>());
    }

    #[test]
    fn ends_when_the_results_are_no_longer_wanted() {
        let mut seen = 0;
        let ended = in_order(
            0..,
            |n: u64| n,
            |n| {
                seen += 1;
                if n == 10 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!(ended, Err("enough"));
        assert_eq!(seen, 11);
    }
}
