//! What is kept of a head to compare the next one with, once for many connections.
//!
//! The heads of one origin are alike on all its connections. Each kept its own, of 200 bytes or more, and what a request touches of a
//! connection's own is nearly never in the processor's near memory any more where many connections are at work. So a connection
//! that has nothing like a head looks whether its thread met the like last, and keeps the same.

use std::{cell::RefCell, sync::Arc, thread::LocalKey};

/// What a thread met last.
pub(super) type Latest<T> = RefCell<Option<Arc<T>>>;

/// What one connection keeps.
#[derive(Debug)]
pub(super) struct Kept<T: 'static> {
    own: Option<Arc<T>>,
    latest: &'static LocalKey<Latest<T>>,
}

impl<T> Kept<T> {
    pub(super) fn new(latest: &'static LocalKey<Latest<T>>) -> Self {
        Self { own: None, latest }
    }

    /// What is found in what the connection keeps, or in what the thread met last, which it keeps then.
    pub(super) fn find<R>(&mut self, mut look: impl FnMut(&T) -> Option<R>) -> Option<R> {
        if let Some(found) = self.own.as_deref().and_then(&mut look) {
            return Some(found);
        }
        // A thread that ends has none any more.
        let latest = self.latest.try_with(|latest| latest.borrow().clone());
        let latest = latest.ok().flatten()?;
        if self
            .own
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, &latest))
        {
            return None;
        }
        let found = look(&latest)?;
        self.own = Some(latest);
        Some(found)
    }

    pub(super) fn keep(&mut self, kept: T) {
        let kept = Arc::new(kept);
        let _ = self
            .latest
            .try_with(|latest| latest.replace(Some(Arc::clone(&kept))));
        self.own = Some(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static LATEST: Latest<u8> = Latest::default();
    }

    #[test]
    fn what_one_connection_keeps_is_found_by_another_and_outlives_what_comes_after() {
        let [mut one, mut other] = [Kept::new(&LATEST), Kept::new(&LATEST)];
        let find = |kept: &mut Kept<u8>, wanted| kept.find(|it| (*it == wanted).then_some(()));
        assert_eq!(find(&mut one, 1), None);
        one.keep(1);
        assert_eq!(find(&mut other, 2), None);
        assert_eq!(find(&mut other, 1), Some(()));
        one.keep(2);
        assert_eq!((find(&mut one, 1), find(&mut one, 2)), (None, Some(())));
        assert_eq!(find(&mut other, 1), Some(()));
        assert_eq!(find(&mut other, 2), Some(()));
        assert_eq!(find(&mut other, 1), None);
    }
}
