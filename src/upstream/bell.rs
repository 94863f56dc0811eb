//! What a connection rings when it can go on, for a task that drives it along with other work.
//!
//! A connection and its request wake each other at every step. Between two tasks that is what wakers are for; within one task
//! each would have the task run once more for nothing. Here it only has the turn repeated.

use std::{
    sync::{
        Arc,
        atomic::{
            AtomicU8,
            Ordering::{AcqRel, Acquire, Relaxed},
        },
    },
    task::{Context, Poll, Wake, Waker},
};

use crate::waiter::{Registered, Waiter};

/// Turns in a row. More and other tasks would wait: the library yields after 16 of its own for the same reason.
const TURNS: usize = 16;

/// Wakes the task that drives, unless it is driving.
#[derive(Default)]
struct Bell {
    task: Waiter,
    state: AtomicU8,
}

/// States of a bell: nobody drives; somebody does; it was rung beside that. Who rings while nobody drives adds the last
/// bit too, for which nobody looks.
const IDLE: u8 = 0;
const DRIVEN: u8 = 1;
const RUNG: u8 = 2;

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.fetch_or(RUNG, AcqRel) & DRIVEN == 0 {
            self.task.call();
        }
    }
}

/// One connection's bell, and its waker, made once.
pub(super) struct Driver {
    bell: Arc<Bell>,
    waker: Waker,
    registered: Registered,
}

impl Driver {
    pub(super) fn new() -> Self {
        let bell = Arc::<Bell>::default();
        let waker = Waker::from(Arc::clone(&bell));
        Self {
            bell,
            waker,
            registered: Registered::default(),
        }
    }

    /// Repeats a turn until it is done, or until there is nothing to go on with.
    pub(super) fn drive<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut turn: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.bell.task.wait(&mut self.registered, cx.waker());
        let state = &self.bell.state;
        let mut inner = Context::from_waker(&self.waker);
        // Nobody drove before: whoever rang did not rely on this.
        state.store(DRIVEN, Relaxed);
        for _ in 0..TURNS {
            let polled = turn(&mut inner);
            if polled.is_ready() {
                state.store(IDLE, Relaxed);
                return polled;
            }
            // Whoever rings from here on wakes the task.
            if state
                .compare_exchange(DRIVEN, IDLE, AcqRel, Acquire)
                .is_ok()
            {
                return polled;
            }
            state.swap(DRIVEN, AcqRel);
        }
        state.store(IDLE, Relaxed);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Nobody drives any more, and nobody is to be woken.
    pub(super) fn rest(&mut self) {
        self.bell.task.leave(&mut self.registered);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;
    use crate::testing::{Count, every_call_is_heard};

    #[test]
    fn ringing_repeats_the_turn_and_wakes_the_task_only_when_nobody_drives() {
        let (mut driver, count) = (Driver::new(), Arc::<Count>::default());
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
        let (mut driver, count) = (Driver::new(), Arc::<Count>::default());
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

    #[test]
    fn no_ring_from_another_thread_is_lost() {
        let mut driver = Driver::new();
        let rings = driver.waker.clone();
        every_call_is_heard(
            move || rings.wake_by_ref(),
            |cx, look| driver.drive(cx, |_| look()),
        );
    }
}
