//! A task that waits for a call, found by whoever calls it.
//!
//! To register a waker takes two operations that the cores must agree on, and more where it was used. A connection would do it at
//! every turn, nearly always with the waker that was registered last: here that one stays, and a flag says that it waits again.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicBool,
            Ordering::{AcqRel, Acquire},
        },
    },
    task::Waker,
};

/// The side of whoever calls.
#[derive(Default)]
pub(crate) struct Waiter {
    /// Nobody has called since the task began to wait.
    waits: AtomicBool,
    /// The one that waited last.
    task: Mutex<Option<Waker>>,
}

/// The side of the task: the waker it registered last.
#[derive(Default)]
pub(crate) struct Registered(Option<Waker>);

impl Waiter {
    /// From here on a call wakes this task. What it calls for is to be looked at after this.
    pub(crate) fn wait(&self, registered: &mut Registered, waker: &Waker) {
        let is_same = registered.0.as_ref().is_some_and(|it| it.will_wake(waker));
        if !is_same {
            let before = self.task().replace(waker.clone());
            // Not while it is locked.
            drop(before);
            registered.0 = Some(waker.clone());
        } else if self.waits.load(Acquire) {
            return;
        }
        // Not only stored: a call comes either before this, and what it is for is seen after this, or finds that the task waits.
        self.waits.swap(true, AcqRel);
    }

    /// Wakes the task, if it waits. What it is called for must be there before this.
    pub(crate) fn call(&self) {
        if self.waits.swap(false, AcqRel)
            && let Some(waker) = &*self.task()
        {
            // It stays: the task may have begun to wait again, and relies on being found here.
            waker.wake_by_ref();
        }
    }

    /// Nobody waits any more.
    pub(crate) fn leave(&self, registered: &mut Registered) {
        let before = self.task().take();
        drop(before);
        registered.0 = None;
    }

    fn task(&self) -> MutexGuard<'_, Option<Waker>> {
        // Nothing in here can be left half done.
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::Ordering::SeqCst};

    use super::*;
    use crate::testing::{Count, every_call_is_heard};

    #[test]
    fn the_task_that_waits_last_is_woken_once_for_each_wait() {
        let counts = [Arc::<Count>::default(), Arc::<Count>::default()];
        let [first, second] = counts.clone().map(Waker::from);
        let woken = || counts.each_ref().map(|count| count.0.load(SeqCst));
        let (waiter, mut registered) = (Waiter::default(), Registered::default());
        for times in 1..4 {
            waiter.wait(&mut registered, &first);
            waiter.wait(&mut registered, &first);
            waiter.call();
            waiter.call();
            assert_eq!(woken(), [times, 0]);
        }
        waiter.wait(&mut registered, &first);
        waiter.wait(&mut registered, &second);
        waiter.call();
        assert_eq!(woken(), [3, 1]);
        waiter.wait(&mut registered, &second);
        waiter.leave(&mut registered);
        waiter.call();
        assert_eq!(woken(), [3, 1]);
        waiter.wait(&mut registered, &second);
        waiter.call();
        assert_eq!(woken(), [3, 2]);
    }

    #[test]
    fn no_call_from_another_thread_is_lost() {
        let (waiter, mut registered) = (Arc::<Waiter>::default(), Registered::default());
        let calls = Arc::clone(&waiter);
        every_call_is_heard(
            move || calls.call(),
            |cx, look| {
                waiter.wait(&mut registered, cx.waker());
                look()
            },
        );
    }
}
