//! What a connection rings when it can go on, for a task that drives it along with other work.
//!
//! A connection and its request wake each other at every step. Between two tasks that is what wakers are for; within one task
//! each would have the task run once more for nothing. Here it only has the turn repeated.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::task::AtomicWaker;

/// Turns in a row. More and other tasks would wait: the library yields after 16 of its own for the same reason.
const TURNS: usize = 16;

/// Wakes the task that drives, unless it is driving.
#[derive(Default)]
struct Bell {
    task: AtomicWaker,
    driving: AtomicBool,
    rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, SeqCst);
        if !self.driving.load(SeqCst) {
            self.task.wake();
        }
    }
}

/// One connection's bell, and its waker, made once.
pub(super) struct Driver {
    bell: Arc<Bell>,
    waker: Waker,
}

impl Driver {
    pub(super) fn new() -> Self {
        let bell = Arc::<Bell>::default();
        let waker = Waker::from(Arc::clone(&bell));
        Self { bell, waker }
    }

    /// Repeats a turn until it is done, or until there is nothing to go on with.
    pub(super) fn drive<T>(
        &self,
        cx: &mut Context<'_>,
        mut turn: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.bell.task.register(cx.waker());
        let mut inner = Context::from_waker(&self.waker);
        for _ in 0..TURNS {
            self.bell.driving.store(true, SeqCst);
            self.bell.rung.store(false, SeqCst);
            let polled = turn(&mut inner);
            self.bell.driving.store(false, SeqCst);
            // Looked at last: whoever rings from here on wakes the task.
            if polled.is_ready() || !self.bell.rung.load(SeqCst) {
                return polled;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Nobody drives any more, and nobody is to be woken.
    pub(super) fn rest(&self) {
        drop(self.bell.task.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Count;

    #[test]
    fn ringing_repeats_the_turn_and_wakes_the_task_only_when_nobody_drives() {
        let (driver, count) = (Driver::new(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut cx = Context::from_waker(&waker);
        let (mut turns, mut kept) = (0, None);
        let polled: Poll<()> = driver.drive(&mut cx, |inner| {
            turns += 1;
            if turns < 3 {
                inner.waker().wake_by_ref();
            }
            kept = Some(inner.waker().clone());
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((turns, count.0.load(SeqCst)), (3, 0));
        let kept = kept.unwrap();
        kept.wake_by_ref();
        assert_eq!(count.0.load(SeqCst), 1);
        let _: Poll<()> = driver.drive(&mut cx, |_| Poll::Pending);
        driver.rest();
        kept.wake_by_ref();
        assert_eq!(count.0.load(SeqCst), 1);
    }

    #[test]
    fn a_turn_that_always_rings_lets_others_run() {
        let (driver, count) = (Driver::new(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut turns = 0;
        let polled: Poll<()> = driver.drive(&mut Context::from_waker(&waker), |inner| {
            turns += 1;
            inner.waker().wake_by_ref();
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((turns, count.0.load(SeqCst)), (TURNS, 1));
    }
}
