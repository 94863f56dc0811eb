//! When a body may go on, and when it has stood still for too long.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    sync::oneshot,
    time::{Sleep, sleep},
};

use crate::clock::Clock;

/// How long a request waits for the server's word before its body is sent all the same: servers may
/// ignore the expectation, so no one waits for ever (RFC 9110 § 10.1.1).
const WORD: Duration = Duration::from_secs(1);

/// A clock that runs only while someone waits. Where the receiver is the slow one, nobody asks for the
/// next piece, and no time passes.
#[derive(Debug)]
pub(crate) struct Stall {
    patience: Duration,
    clock: Clock,
    running: bool,
}

impl Stall {
    pub(crate) fn new(patience: Duration) -> Self {
        Self {
            patience,
            clock: Clock::default(),
            running: false,
        }
    }

    /// Whether a wait that goes on has lasted too long.
    pub(crate) fn is_over(&mut self, waiting: bool, cx: &mut Context<'_>) -> bool {
        if !waiting {
            self.running = false;
            return false;
        }
        if !self.running {
            self.clock.set(self.patience);
            self.running = true;
        }
        self.clock.poll(cx).is_ready()
    }
}

/// What keeps the body of a request with `Expect: 100-continue` back.
#[derive(Debug)]
pub(crate) struct Gate {
    word: Option<oneshot::Receiver<()>>,
    timer: Pin<Box<Sleep>>,
}

impl Gate {
    /// The gate, and what opens it.
    pub(crate) fn new() -> (Self, oneshot::Sender<()>) {
        let (open, word) = oneshot::channel();
        let timer = Box::pin(sleep(WORD));
        let word = Some(word);
        (Self { word, timer }, open)
    }

    pub(super) fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(word) = &mut self.word
            && let Poll::Ready(spoken) = Pin::new(word).poll(cx)
        {
            // A sender that is gone says nothing.
            self.word = None;
            if spoken.is_ok() {
                return Poll::Ready(());
            }
        }
        self.timer.as_mut().poll(cx)
    }
}
