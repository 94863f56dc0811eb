//! When an HTTP/2 connection is asked by PING whether it lives: while a request waits for its answer, and no more often
//! than its servers allow.
//!
//! hyper sends PINGs in an even row, while there is any stream or always. gRPC servers end a connection whose client asks
//! more often than every five minutes (gRPC, "Client-side Keepalive": `too_many_pings` after two PINGs too many), although
//! its streams rest by design. hyper waits with the timer that it is given, so a timer decides here.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};
use tokio::{sync::watch, time::sleep_until};

/// Most PINGs from one answer to the next: a first, and the two too many that gRPC servers forgive. Answers to them have
/// shown that the connection lives; later on the kernel notices (see `tcp`).
const MAX_PINGS: usize = 3;

/// The requests of one connection that wait for the heads of their responses, and the timer of its PINGs.
#[derive(Clone, Debug)]
pub(super) struct PingTimer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waiting: watch::Sender<usize>,
    /// Sleeps that have ended since the last answer: each for a PING to be sent, or for the connection to be given up.
    ended: AtomicUsize,
    /// A sleep has ended, and the next one is for the answer to the PING that follows.
    is_asking: AtomicBool,
}

impl PingTimer {
    pub(super) fn new() -> Self {
        let (waiting, ended, is_asking) = (watch::Sender::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        Self(Arc::new(Shared { waiting, ended, is_asking }))
    }

    /// A request is sent, and waits for its answer while this lives.
    pub(super) fn request(&self) -> WaitingRequest {
        self.0.waiting.send_modify(|waiting| *waiting += 1);
        WaitingRequest(self.clone())
    }
}

/// A request that waits for the head of its response.
#[derive(Debug)]
pub(super) struct WaitingRequest(PingTimer);

impl WaitingRequest {
    /// The answer has come.
    pub(super) fn answered(self) {
        self.0.0.ended.store(0, Relaxed);
    }
}

impl Drop for WaitingRequest {
    fn drop(&mut self) {
        self.0.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

impl Timer for PingTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let this = self.clone();
        let is_asking = this.0.is_asking.swap(false, Relaxed);
        Box::pin(SleepWhileWaiting(Box::pin(async move {
            sleep_until(deadline.into()).await;
            let mut waiting = this.0.waiting.subscribe();
            let may_end = |waiting: &usize| *waiting > 0 && (is_asking || this.0.ended.load(Relaxed) < MAX_PINGS);
            // The sender is in `this`.
            let _ = waiting.wait_for(may_end).await;
            this.0.ended.fetch_add(1, Relaxed);
            this.0.is_asking.store(true, Relaxed);
        })))
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

/// A sleep that goes on while no request waits.
struct SleepWhileWaiting(Pin<Box<dyn Future<Output = ()> + Send + Sync>>);

impl Sleep for SleepWhileWaiting {}

impl Future for SleepWhileWaiting {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_secs(15);
    const HOUR: Duration = Duration::from_hours(1);

    /// Waits as hyper does after an answer to a PING, for this long at most. Whether a PING was due.
    async fn is_due(timer: &PingTimer, most: Duration) -> bool {
        let slept = tokio::time::timeout(most, timer.sleep(INTERVAL)).await.is_ok();
        if slept {
            // The answer to the PING comes at once.
            drop(timer.sleep(INTERVAL));
        }
        slept
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_request_that_waits_for_its_answer_lets_a_ping_be_sent() {
        let timer = PingTimer::new();
        assert!(!is_due(&timer, HOUR).await, "nothing was asked");
        let request = timer.request();
        assert!(is_due(&timer, HOUR).await);
        request.answered();
        assert!(!is_due(&timer, HOUR).await, "the answer rests");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_was_idle_is_asked_at_once() {
        let timer = PingTimer::new();
        let mut sleep = timer.sleep(INTERVAL);
        assert!(tokio::time::timeout(HOUR, &mut sleep).await.is_err());
        let _request = timer.request();
        tokio::time::timeout(Duration::from_millis(1), sleep).await.expect("it is due");
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_pings_than_servers_forgive_go_to_one_that_takes_its_time() {
        let timer = PingTimer::new();
        let slow = timer.request();
        for _ in 0..MAX_PINGS {
            assert!(is_due(&timer, HOUR).await);
        }
        let another = timer.request();
        assert!(!is_due(&timer, HOUR).await);
        another.answered();
        assert!(is_due(&timer, HOUR).await);
        drop(slow);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_ping_too_is_waited_for() {
        let timer = PingTimer::new();
        let _request = timer.request();
        for _ in 1..MAX_PINGS {
            assert!(is_due(&timer, HOUR).await);
        }
        timer.sleep(INTERVAL).await;
        tokio::time::timeout(HOUR, timer.sleep(INTERVAL)).await.expect("the connection is given up");
    }
}
