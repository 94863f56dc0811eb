//! When a body may go on, and when it has stood still for too long.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long a request body waits for `100 Continue` before it is sent all the same: servers may ignore the
/// expectation, so nobody waits for ever (RFC 9110 § 10.1.1).
const CONTINUE_TIMEOUT: Duration = Duration::from_secs(1);

/// A timeout that runs only while somebody waits. Where the receiver is slow, nobody asks for the next piece, and
/// no time passes.
#[derive(Debug)]
pub(crate) struct IdleTimer {
    timeout: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
    runs: bool,
}

impl IdleTimer {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self { timeout, sleep: None, runs: false }
    }

    /// Whether a wait that goes on has lasted too long.
    pub(crate) fn poll_expired(&mut self, waits: bool, cx: &mut Context<'_>) -> bool {
        if !waits {
            self.runs = false;
            return false;
        }
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(self.timeout)));
        if !self.runs {
            sleep.as_mut().reset(Instant::now() + self.timeout);
            self.runs = true;
        }
        sleep.as_mut().poll(cx).is_ready()
    }
}

/// Holds back the body of a request with `Expect: 100-continue` until the server has asked for it.
#[derive(Debug)]
pub(crate) struct ContinueGate {
    asked: Pin<Box<WaitForCancellationFutureOwned>>,
    timeout: Pin<Box<Sleep>>,
}

impl ContinueGate {
    /// A gate that opens when this is cancelled.
    pub(crate) fn new(asked: CancellationToken) -> Self {
        Self { asked: Box::pin(asked.cancelled_owned()), timeout: Box::pin(sleep(CONTINUE_TIMEOUT)) }
    }

    pub(super) fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.asked.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.timeout.as_mut().poll(cx),
        }
    }
}
