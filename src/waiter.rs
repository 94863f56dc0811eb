//! A task that waits for a call, found by whoever calls it.
//!
//! To register a waker takes two operations that the cores must agree on. A connection would do it at every turn, nearly always
//! with the waker that is registered already: here it is done again only where that one was used, or another task waits.

use std::{
    sync::atomic::{
        AtomicBool,
        Ordering::{Acquire, Release},
    },
    task::Waker,
};

use futures_util::task::AtomicWaker;

/// The side of whoever calls.
#[derive(Default)]
pub(crate) struct Waiter {
    task: AtomicWaker,
    /// The waker that was registered last is there still, or is being woken.
    is_there: AtomicBool,
}

/// The side of the task: the waker it registered last.
#[derive(Default)]
pub(crate) struct Registered(Option<Waker>);

impl Waiter {
    /// From here on a call wakes this task. What it calls for is to be looked at after this.
    pub(crate) fn wait(&self, registered: &mut Registered, waker: &Waker) {
        let is_same = registered.0.as_ref().is_some_and(|it| it.will_wake(waker));
        if is_same && self.is_there.load(Acquire) {
            return;
        }
        // First: whoever takes the waker says so after it was taken.
        self.is_there.store(true, Release);
        self.task.register(waker);
        if !is_same {
            registered.0 = Some(waker.clone());
        }
    }

    /// Wakes the task. What it is called for must be there before this.
    pub(crate) fn call(&self) {
        let waker = self.task.take();
        // Before it is woken, so that it registers itself again.
        self.is_there.store(false, Release);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Nobody waits any more.
    pub(crate) fn leave(&self, registered: &mut Registered) {
        drop(self.task.take());
        registered.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        task::Wake,
        thread,
    };

    use super::*;
    use crate::testing::Count;

    #[test]
    fn the_task_that_waits_last_is_woken_once_for_each_wait() {
        let counts = [Arc::<Count>::default(), Arc::<Count>::default()];
        let [first, second] = counts.clone().map(Waker::from);
        let woken = || counts.each_ref().map(|count| count.0.load(SeqCst));
        let (waiter, mut registered) = (Waiter::default(), Registered::default());
        waiter.wait(&mut registered, &first);
        waiter.wait(&mut registered, &first);
        waiter.call();
        waiter.call();
        assert_eq!(woken(), [1, 0]);
        waiter.wait(&mut registered, &first);
        waiter.wait(&mut registered, &second);
        waiter.call();
        assert_eq!(woken(), [1, 1]);
        waiter.wait(&mut registered, &second);
        waiter.leave(&mut registered);
        waiter.call();
        assert_eq!(woken(), [1, 1]);
        waiter.wait(&mut registered, &second);
        waiter.call();
        assert_eq!(woken(), [1, 2]);
    }

    /// Unparks the thread that waits.
    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    #[test]
    fn no_call_from_another_thread_is_lost() {
        const CALLS: usize = 20_000;
        let (waiter, called) = (Arc::<Waiter>::default(), Arc::<AtomicUsize>::default());
        let callers: Vec<_> = (0..2)
            .map(|_| {
                let (waiter, called) = (Arc::clone(&waiter), Arc::clone(&called));
                thread::spawn(move || {
                    for _ in 0..CALLS {
                        called.fetch_add(1, SeqCst);
                        waiter.call();
                    }
                })
            })
            .collect();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut registered = Registered::default();
        let mut seen = 0;
        while seen < 2 * CALLS {
            waiter.wait(&mut registered, &waker);
            let now = called.load(SeqCst);
            if now == seen {
                // A call that is lost leaves this waiting for good: no later one comes after the last.
                thread::park();
            }
            seen = now;
        }
        for caller in callers {
            caller.join().unwrap();
        }
    }
}
