//! Timers and signals of bodies: the idle timeout, waiting for `100 Continue`, and when h2 has written a whole body.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::Frame;
use tokio::{
    sync::oneshot,
    time::{Instant, Sleep, Timeout, sleep, timeout},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long a request body waits for `100 Continue` before it is sent all the same: servers may ignore the
/// expectation (RFC 9110 § 10.1.1).
const CONTINUE_TIMEOUT: Duration = Duration::from_secs(1);

/// A timeout that runs only while the source is polled: a slow receiver does not poll, and no time passes.
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

    /// Whether the source has been pending for too long.
    pub(crate) fn poll_expired(&mut self, pending: bool, cx: &mut Context<'_>) -> bool {
        if !pending {
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

/// Holds back the body of a request with `Expect: 100-continue` until the server has sent the 100.
#[derive(Debug)]
pub(crate) struct ContinueGate(Pin<Box<Timeout<WaitForCancellationFutureOwned>>>);

impl ContinueGate {
    /// A gate that opens when this token is cancelled.
    pub(crate) fn new(continued: CancellationToken) -> Self {
        Self(Box::pin(timeout(CONTINUE_TIMEOUT, continued.cancelled_owned())))
    }

    pub(super) fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx).map(drop)
    }
}

/// When h2 has written all that a body gave it, which hyper does not tell: a last frame without data, and its end. h2
/// writes the frames of a stream in their order and drops each one then.
#[derive(Debug, Default)]
pub(crate) struct EndMarker(Option<oneshot::Receiver<Infallible>>);

/// The content of the frame.
struct Empty(#[allow(dead_code, reason = "its end is what counts")] oneshot::Sender<Infallible>);

impl AsRef<[u8]> for Empty {
    fn as_ref(&self) -> &[u8] {
        &[]
    }
}

impl EndMarker {
    /// The frame at first, and nothing once it was written.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame<Bytes>>> {
        if let Some(written) = &mut self.0 {
            return Pin::new(written).poll(cx).map(|_| None);
        }
        let (sender, written) = oneshot::channel();
        self.0 = Some(written);
        Poll::Ready(Some(Frame::data(Bytes::from_owner(Empty(sender)))))
    }
}
