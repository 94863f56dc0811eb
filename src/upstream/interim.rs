//! Interim responses on their way from the connection's task to whoever waits for the final one.
//!
//! Nearly no request has any, so nothing is made ready for them with each request: a channel would cost more than the rest of a
//! small one.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
    task::{Context, Poll},
};

use futures_util::task::AtomicWaker;
use http::{HeaderMap, StatusCode};

use super::framing::MAX_INTERIM;

/// Those that were not taken yet, in order.
#[derive(Default)]
pub(super) struct Interim {
    /// Whether there may be any. Changed under the lock only.
    is_any: AtomicBool,
    told: Mutex<Vec<(StatusCode, HeaderMap)>>,
    waker: AtomicWaker,
}

impl Interim {
    pub(super) fn tell(&self, status: StatusCode, headers: HeaderMap) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // One more than allowed is how a row without end is noticed; more than that need not be kept.
        if told.len() <= MAX_INTERIM {
            told.push((status, headers));
        }
        self.is_any.store(true, Release);
        drop(told);
        self.waker.wake();
    }

    /// What was told of another request is forgotten.
    pub(super) fn clear(&self) {
        while self.poll_own().is_ready() {}
    }

    /// The next one. Where there is none, only one task may wait for it.
    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<(StatusCode, HeaderMap)> {
        self.waker.register(cx.waker());
        self.poll_own()
    }

    /// The same for a task that drives the connection itself, and need not be woken.
    pub(super) fn poll_own(&self) -> Poll<(StatusCode, HeaderMap)> {
        if !self.is_any.load(Acquire) {
            return Poll::Pending;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_empty() {
            self.is_any.store(false, Release);
            return Poll::Pending;
        }
        Poll::Ready(told.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn interim_responses_come_in_order_and_no_more_than_one_too_many_is_kept() {
        let interim = Interim::default();
        for _ in 0..MAX_INTERIM {
            interim.tell(StatusCode::PROCESSING, HeaderMap::new());
        }
        for _ in 0..3 {
            interim.tell(StatusCode::EARLY_HINTS, HeaderMap::new());
        }
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = || interim.poll_next(&mut cx).map(|(status, _)| status);
        for _ in 0..MAX_INTERIM {
            assert_eq!(next(), Poll::Ready(StatusCode::PROCESSING));
        }
        assert_eq!(next(), Poll::Ready(StatusCode::EARLY_HINTS));
        assert_eq!(next(), Poll::Pending);
        interim.tell(StatusCode::PROCESSING, HeaderMap::new());
        interim.tell(StatusCode::PROCESSING, HeaderMap::new());
        assert_eq!(next(), Poll::Ready(StatusCode::PROCESSING));
        interim.clear();
        assert_eq!(next(), Poll::Pending);
        interim.tell(StatusCode::EARLY_HINTS, HeaderMap::new());
        assert_eq!(next(), Poll::Ready(StatusCode::EARLY_HINTS));
    }
}
