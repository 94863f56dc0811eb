//! The timer of an HTTP/1.1 client connection: what is waited for, and for how long at most.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

use crate::config::Timeouts;

/// How long a connection is read after its last response while the client still sends: closed at once, it would be
/// reset, which can destroy the response on its way (RFC 9112 § 9.6).
const LINGER: Duration = Duration::from_secs(5);

/// How long a response may make no progress after the client has shut down its side. RFC 9112 § 9.6 lets a client do
/// that and wait for its response (`nc -N` does), but a client that is gone looks the same until something is
/// written to it. Raising it lets slower responses through to such clients, and unwanted fetches go on for longer.
const HALF_CLOSED: Duration = Duration::from_secs(5);

/// How often a connection is looked at in that time, because nothing wakes its task when it is reset after all or when
/// connections run short.
pub(super) const HALF_CLOSED_CHECKS: u32 = 20;

/// The event that the connection waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The first byte of the first request, which is what a connection is opened for.
    FirstRequest,
    /// The first byte of the next request.
    Request,
    /// The rest of a head.
    Head,
    /// One check of a response whose client has shut down its side.
    HalfClosed,
    /// The end of what the client still sends.
    Linger,
}

/// One timer, set for one wait at a time.
pub(super) struct ConnectionTimer {
    timeouts: Timeouts,
    sleep: Pin<Box<Sleep>>,
    /// The event that the timer is set for.
    wait: Option<Wait>,
}

impl ConnectionTimer {
    pub(super) fn new(timeouts: Timeouts) -> Self {
        Self { sleep: Box::pin(sleep(timeouts.request_head)), timeouts, wait: None }
    }

    /// Ready when this wait has lasted too long, counted from the first call for it.
    pub(super) fn poll_expired(&mut self, wait: Wait, cx: &mut Context<'_>) -> Poll<()> {
        if self.wait != Some(wait) {
            self.wait = Some(wait);
            let timeout = match wait {
                Wait::FirstRequest | Wait::Head => self.timeouts.request_head,
                Wait::Request => self.timeouts.client_idle,
                Wait::HalfClosed => HALF_CLOSED / HALF_CLOSED_CHECKS,
                Wait::Linger => LINGER,
            };
            self.sleep.as_mut().reset(Instant::now() + timeout);
        }
        self.sleep.as_mut().poll(cx)
    }

    /// Resets the timer: the awaited event has come, and the next wait begins anew.
    pub(super) fn reset(&mut self) {
        self.wait = None;
    }
}
