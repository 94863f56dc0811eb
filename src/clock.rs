//! A clock for one wait after the other on one connection.
//!
//! Each wait has its end, nearly none comes to it, and to move a timer of the runtime costs more than all else that a wait
//! needs. So the end is a number, and the timer is moved only when it rings before its time, or would ring after it.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

/// Rings from its time on, until it is set again.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    due: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Clock {
    /// Rings after this time, and not when it would have rung before.
    pub(crate) fn set(&mut self, patience: Duration) {
        self.due = Some(Instant::now() + patience);
    }

    /// Does not ring.
    pub(crate) fn stop(&mut self) {
        self.due = None;
    }

    /// Ready when it rings.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(due) = self.due else {
            return Poll::Pending;
        };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if timer.deadline() > due {
            timer.as_mut().reset(due);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn it_rings_when_it_was_set_to_last() {
        let mut clock = Clock::default();
        let begun = Instant::now();
        // Later than before, and earlier than before: the timer beneath is moved in one of the two only.
        for seconds in [1, 5, 2] {
            clock.set(seconds * SECOND);
            assert!(poll_fn(|cx| Poll::Ready(clock.poll(cx))).await.is_pending());
        }
        poll_fn(|cx| clock.poll(cx)).await;
        assert_eq!(begun.elapsed().as_secs(), 2);
        clock.set(3 * SECOND);
        poll_fn(|cx| clock.poll(cx)).await;
        assert_eq!(begun.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_was_stopped_does_not_ring() {
        let mut clock = Clock::default();
        clock.set(SECOND);
        assert!(poll_fn(|cx| Poll::Ready(clock.poll(cx))).await.is_pending());
        clock.stop();
        tokio::time::sleep(2 * SECOND).await;
        assert!(poll_fn(|cx| Poll::Ready(clock.poll(cx))).await.is_pending());
    }
}
