//! A clock for one wait after the other on one connection.
//!
//! Each wait has its end, nearly none comes to it, and to move a timer of the runtime costs more than all else that a wait
//! needs. So the end is a number, and the timer is moved only when it rings before its time, or would ring after it.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    task::coop,
    time::{Instant, Sleep, sleep_until},
};

/// Rings from its time on, until it is set again.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    due: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Whom the timer wakes.
    wakes: Option<Waker>,
}

impl Clock {
    /// Rings after this time, and not when it would have rung before.
    pub(crate) fn set(&mut self, patience: Duration) {
        self.set_since(Instant::now(), patience);
    }

    /// The same for a wait that began at this time.
    pub(crate) fn set_since(&mut self, since: Instant, patience: Duration) {
        self.due = Some(since + patience);
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
        } else if !timer.is_elapsed()
            && self
                .wakes
                .as_ref()
                .is_some_and(|it| it.will_wake(cx.waker()))
        {
            // As nearly always: it would be told once more whom to wake.
            return Poll::Pending;
        }
        loop {
            // A task that has used up its turn is put off by the timer, and not noted there.
            let is_noted = coop::has_budget_remaining();
            if timer.as_mut().poll(cx).is_pending() {
                self.wakes = is_noted.then(|| cx.waker().clone());
                return Poll::Pending;
            }
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            timer.as_mut().reset(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        pin::pin,
        sync::{Arc, atomic::Ordering::SeqCst},
    };

    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::testing::Count;

    /// Of one turn of a task, by tokio.
    const BUDGET: usize = 128;

    async fn rings(clock: &mut Clock) -> bool {
        poll_fn(|cx| Poll::Ready(clock.poll(cx).is_ready())).await
    }

    #[tokio::test]
    async fn it_rings_when_it_was_set_to_last() {
        let mut clock = Clock::default();
        let (soon, later) = (Duration::from_millis(20), Duration::from_millis(60));
        clock.set(Duration::from_hours(1));
        assert!(!rings(&mut clock).await);
        // Earlier than the timer beneath, which is moved.
        clock.set(soon);
        poll_fn(|cx| clock.poll(cx)).await;
        // Later than it, which rings for nothing.
        let begun = Instant::now();
        clock.set(soon);
        assert!(!rings(&mut clock).await);
        clock.set(later);
        poll_fn(|cx| clock.poll(cx)).await;
        assert!(begun.elapsed() >= later);
        assert!(rings(&mut clock).await, "until it is set again");
    }

    #[tokio::test]
    async fn whoever_looked_last_is_woken_and_hears_it_ring() {
        let counts = [Arc::<Count>::default(), Arc::<Count>::default()];
        let [first, second] = counts.clone().map(Waker::from);
        let mut clock = Clock::default();
        clock.set(Duration::from_millis(20));
        for waker in [&first, &first, &second, &second] {
            assert!(clock.poll(&mut Context::from_waker(waker)).is_pending());
        }
        sleep(Duration::from_millis(40)).await;
        assert_eq!(counts.each_ref().map(|count| count.0.load(SeqCst)), [0, 1]);
        assert!(clock.poll(&mut Context::from_waker(&second)).is_ready());
    }

    #[tokio::test]
    async fn a_task_that_has_used_up_its_turn_is_woken_all_the_same() {
        // With nothing left of it, with just enough to hear the timer ring for nothing, and with more.
        for left in 0..5 {
            let waiting = tokio::spawn(async move {
                let mut clock = Clock::default();
                clock.set(Duration::from_millis(10));
                let _ = rings(&mut clock).await;
                sleep(Duration::from_millis(20)).await;
                clock.set(Duration::from_millis(20));
                let mut is_first = true;
                poll_fn(|cx| {
                    // What is asked after the turn's budget is put off until the next one.
                    let spent = if is_first { BUDGET - left } else { 0 };
                    is_first = false;
                    for _ in 0..spent {
                        let _ = pin!(coop::consume_budget()).poll(cx);
                    }
                    clock.poll(cx)
                })
                .await;
            });
            let waited = timeout(Duration::from_secs(5), waiting).await;
            assert!(matches!(waited, Ok(Ok(()))), "{left}");
        }
    }

    #[tokio::test]
    async fn a_clock_that_was_stopped_does_not_ring() {
        let mut clock = Clock::default();
        clock.set(Duration::from_millis(1));
        let _ = rings(&mut clock).await;
        clock.stop();
        sleep(Duration::from_millis(20)).await;
        assert!(!rings(&mut clock).await);
    }
}
