//! Whether a connection is worth reading from.
//!
//! The HTTP library asks for bytes at every turn of a connection, and both sides of a request take several: of eleven reads of an
//! intercepted request nine came to nothing, and each asked TLS, the runtime and its locks (2026-11-21, callgrind: 4,000 of
//! 70,000 instructions). Where a read came to nothing, the runtime says when the next is worth it; until then none is made.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

use crate::waiter::{Registered, Waiter};

/// What one connection's reads have come to.
pub(crate) struct Arrivals {
    signal: Arc<Signal>,
    /// Of the signal, made once.
    waker: Waker,
    registered: Registered,
    /// The last read came to nothing.
    is_dry: bool,
    was_told: bool,
}

#[derive(Default)]
struct Signal {
    task: Waiter,
    /// A read is worth it.
    came: AtomicBool,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.came.store(true, SeqCst);
        self.task.call();
    }
}

impl Default for Arrivals {
    fn default() -> Self {
        let signal = Arc::<Signal>::default();
        Self {
            waker: Waker::from(Arc::clone(&signal)),
            signal,
            registered: Registered::default(),
            is_dry: false,
            was_told: false,
        }
    }
}

impl Arrivals {
    /// Reads, where that is worth it.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        read: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        // First, so that whatever comes from here on wakes this task.
        self.signal.task.wait(&mut self.registered, cx.waker());
        if self.is_dry && !self.signal.came.load(SeqCst) {
            return Poll::Pending;
        }
        // Before the read, so that what comes beside it is not forgotten.
        if self.signal.came.load(SeqCst) {
            self.signal.came.store(false, SeqCst);
        }
        self.was_told = self.is_dry;
        let polled = read(&mut Context::from_waker(&self.waker));
        self.is_dry = polled.is_pending();
        polled
    }

    /// Whether the runtime told of what the last read gave, rather than that it was waiting already.
    pub(crate) fn was_told(&self) -> bool {
        self.was_told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Count, every_call_is_heard};

    #[test]
    fn a_read_that_came_to_nothing_is_repeated_only_when_something_came() {
        let counts = [Arc::<Count>::default(), Arc::<Count>::default()];
        let [first, second] = counts.clone().map(Waker::from);
        let (mut arrivals, mut reads, mut kept) = (Arrivals::default(), 0, None);
        let mut poll = |waker: &Waker, answer: Poll<()>| {
            let polled = arrivals.poll(&mut Context::from_waker(waker), |cx| {
                reads += 1;
                kept = Some(cx.waker().clone());
                answer
            });
            (polled, reads, kept.clone().unwrap())
        };
        let (_, _, arrived) = poll(&first, Poll::Pending);
        for _ in 0..3 {
            assert_eq!(poll(&first, Poll::Ready(())).1, 1);
        }
        // Another task asks, and it is the one that is woken.
        assert_eq!(poll(&second, Poll::Ready(())).1, 1);
        arrived.wake();
        assert_eq!(counts.each_ref().map(|count| count.0.load(SeqCst)), [0, 1]);
        assert_eq!(poll(&second, Poll::Ready(())).1, 2);
        // After a read that gave something the next is made at once.
        let (polled, reads, arrived) = poll(&second, Poll::Pending);
        assert_eq!((polled, reads), (Poll::Pending, 3));
        // What comes while nobody asks is not forgotten.
        arrived.wake();
        assert_eq!(poll(&first, Poll::Pending).1, 4);
        assert_eq!(poll(&first, Poll::Pending).1, 4);
    }

    #[test]
    fn what_is_read_was_told_of_only_after_a_read_that_came_to_nothing() {
        let mut arrivals = Arrivals::default();
        let mut cx = Context::from_waker(Waker::noop());
        let mut poll = |answer: Poll<()>| {
            let _ = arrivals.poll(&mut cx, |cx| {
                cx.waker().wake_by_ref();
                answer
            });
            arrivals.was_told()
        };
        assert!(!poll(Poll::Ready(())));
        assert!(!poll(Poll::Pending));
        assert!(poll(Poll::Ready(())));
        assert!(!poll(Poll::Ready(())));
    }

    #[test]
    fn what_comes_beside_a_read_is_not_forgotten() {
        let mut arrivals = Arrivals::default();
        let mut cx = Context::from_waker(Waker::noop());
        let polled: Poll<()> = arrivals.poll(&mut cx, |cx| {
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert!(arrivals.poll(&mut cx, |_| Poll::Ready(())).is_ready());
    }

    #[test]
    fn nothing_that_comes_from_another_thread_is_lost() {
        let mut arrivals = Arrivals::default();
        let comes = arrivals.waker.clone();
        every_call_is_heard(
            move || comes.wake_by_ref(),
            |cx, look| arrivals.poll(cx, |_| look()),
        );
    }
}
