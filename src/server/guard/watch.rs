//! What the guard and the service of one connection tell each other.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
    task::{Context, Poll, Waker},
};

use bytes::BytesMut;
use http::{Extensions, HeaderMap, StatusCode};
use tokio::time::Instant;

use crate::{
    error_pages,
    headers::Kinds,
    server::wire::{self, Refusal},
    spelling::Spelling,
};

/// Messages that one connection may end in a row.
const TURNS: usize = 8;

/// Marks a request for the whole server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeServer;

/// What is known of a request when it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) at: Instant,
    /// Of which kinds its fields are.
    pub(crate) kinds: Kinds,
    /// Whether the runtime told of it, so that it knows of all that had arrived before that anywhere.
    pub(crate) just_told: bool,
}

/// What the guard and the service of one connection tell each other.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    progress: Mutex<Progress>,
    /// Whether there may be interim responses. Changed under the lock only.
    informs: AtomicBool,
    /// An answer is there, and its head is written next.
    is_answered: AtomicBool,
    /// The connection is at work. It stops under the lock only.
    driven: AtomicBool,
    /// While it was, a message was done, and the guard has not looked since.
    unseen: AtomicBool,
    /// The guard has looked in this turn, and need not again before something comes or its clock rings. Of use to the
    /// connection's own task only.
    rests: AtomicBool,
    /// The runtime told of what was read last just before it was; it was not waiting here.
    just_told: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) begun: usize,
    pub(super) done: usize,
    pub(super) refused: Option<(usize, Refusal)>,
    /// What the head that was let through last asks for.
    pub(super) whole_server: bool,
    /// How its names are written.
    pub(super) asked: Spelling,
    /// Of which kinds its fields are.
    kinds: Kinds,
    /// How the names of the answer are to be written: from when that is known,
    spelled: Spelling,
    /// and from when it is there until it is written.
    answered: Spelling,
    /// The connection was taken over: bytes are no messages any more.
    pub(super) opaque: bool,
    /// Interim responses on their way to the client.
    interim: BytesMut,
    waker: Option<Waker>,
    /// When the last message was done, where the guard was not told.
    pub(super) idle_since: Option<Instant>,
    /// When the last message began, until the guard knows.
    pub(super) begun_at: Option<Instant>,
}

impl Progress {
    /// This task is woken when the next message is done.
    pub(super) fn waits(&mut self, waker: &Waker) {
        // Nearly always it is there already.
        match &mut self.waker {
            Some(there) => there.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }
}

impl Watch {
    pub(super) fn lock(&self) -> MutexGuard<'_, Progress> {
        // Nothing in here can be left half done.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Interim responses that wait to be written.
    pub(super) fn take_interim(&self) -> Option<BytesMut> {
        // Nearly never there is any, and this is asked at every write.
        if !self.informs.load(Acquire) {
            return None;
        }
        let mut progress = self.lock();
        self.informs.store(false, Release);
        Some(progress.interim.split())
    }

    /// A request came to the service: tells it what the library does not. A refusal if it is the one that
    /// stands for a refused one.
    pub(in crate::server) fn begin(&self, extensions: &mut Extensions, just_told: bool) -> Begun {
        let at = Instant::now();
        let mut progress = self.lock();
        progress.begun_at = Some(at);
        let number = progress.begun;
        progress.begun += 1;
        progress.interim.clear();
        progress.spelled = Spelling::default();
        std::mem::take(&mut progress.asked).go_with(extensions);
        if let Some((_, refusal)) = progress.refused.filter(|(refused, _)| *refused == number) {
            extensions.insert(refusal);
        } else if progress.whole_server {
            extensions.insert(WholeServer);
        }
        Begun {
            at,
            kinds: progress.kinds,
            just_told,
        }
    }

    /// A message on the connection lasts as long as this is kept.
    pub(in crate::server) fn in_flight(self: &Arc<Self>) -> InFlight {
        InFlight(Arc::clone(self))
    }

    /// Whether the runtime told of what was read last just before it was read.
    pub(in crate::server) fn just_told(&self) -> bool {
        self.just_told.load(Acquire)
    }

    /// Something was read, and the runtime told of it or not.
    pub(in crate::server) fn tell(&self, just_told: bool) {
        self.just_told.store(just_told, Release);
    }

    /// A head is let through.
    pub(super) fn let_through(&self, head: wire::Head, just_told: bool) {
        self.tell(just_told);
        let mut progress = self.lock();
        progress.whole_server = head.whole_server;
        progress.asked = head.spelling;
        progress.kinds = head.kinds;
    }

    /// How the names of the answer are written.
    pub(crate) fn spell(&self, spelling: Spelling) {
        // Nearly always it is known already that there is nothing to be told.
        if !spelling.is_usual() {
            self.lock().spelled = spelling;
        }
    }

    /// The answer is there: its head is written next.
    pub(in crate::server) fn answer(&self) {
        let mut progress = self.lock();
        progress.answered = std::mem::take(&mut progress.spelled);
        self.is_answered.store(true, Release);
    }

    /// How the names of an answer are written whose head comes next.
    pub(super) fn take_answered(&self) -> Option<Spelling> {
        if !self.is_answered.load(Acquire) {
            return None;
        }
        self.is_answered.store(false, Release);
        Some(std::mem::take(&mut self.lock().answered))
    }

    /// The guard looks whether messages are done.
    pub(super) fn look(&self) -> MutexGuard<'_, Progress> {
        let progress = self.lock();
        self.unseen.store(false, Relaxed);
        self.rests.store(false, Relaxed);
        progress
    }

    /// The guard has looked in this turn; whether it need not again.
    pub(super) fn rest(&self, rests: bool) {
        self.rests.store(rests, Relaxed);
    }

    /// Lets the connection work. It ends most messages by itself, and would wake its own task for each: where it has not
    /// noticed by then, it works once more instead, unless there is nothing to work on.
    pub(in crate::server) fn drive<T>(
        &self,
        cx: &mut Context<'_>,
        mut work: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        for _ in 0..TURNS {
            // Before it is at work: a message that is done from then on must be noticed.
            self.unseen.store(false, Relaxed);
            self.rests.store(false, Relaxed);
            self.driven.store(true, Release);
            let polled = work(cx);
            let mut progress = self.lock();
            self.driven.store(false, Relaxed);
            if polled.is_ready() || !self.unseen.load(Relaxed) {
                return polled;
            }
            if self.rests.load(Relaxed) {
                progress.idle_since = Some(Instant::now());
                return polled;
            }
        }
        // A client that sends one request after the other must not keep others waiting.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// From here on bytes are no messages.
    pub(in crate::server) fn take_over(&self) {
        self.lock().opaque = true;
    }

    /// Whether bytes are no messages any more.
    pub(in crate::server) fn is_taken_over(&self) -> bool {
        self.lock().opaque
    }

    /// Sends an interim response before the final one (RFC 9110 § 15.2).
    pub(crate) fn inform(&self, status: StatusCode, headers: &HeaderMap) {
        let mut progress = self.lock();
        self.informs.store(true, Release);
        let out = &mut progress.interim;
        let reason = status.canonical_reason().unwrap_or("Information");
        out.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).as_bytes());
        error_pages::write_fields(headers, out);
    }

    /// Messages begun and done so far.
    pub(in crate::server) fn counts(&self) -> (usize, usize) {
        let progress = self.lock();
        (progress.begun, progress.done)
    }
}

/// One message on its way.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Watch>);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut progress = self.0.lock();
        progress.done += 1;
        // Looked at first: what was seen before the connection began to work does not count.
        let driven = self.0.driven.load(Acquire);
        self.0.unseen.store(true, Relaxed);
        if driven {
            return;
        }
        if let Some(waker) = progress.waker.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering::Relaxed},
        task::Wake,
    };

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn a_message_that_ends_at_work_is_noticed_without_waking_anyone() {
        let (watch, count) = (Arc::<Watch>::default(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut cx = Context::from_waker(&waker);
        watch.lock().waits(&waker);
        let (mut turns, mut held) = (0, Some(watch.in_flight()));
        let polled: Poll<()> = watch.drive(&mut cx, |_| {
            turns += 1;
            drop(held.take());
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((turns, count.0.load(Relaxed)), (2, 0));
        // Seen in the same turn.
        let mut held = Some(watch.in_flight());
        let polled: Poll<()> = watch.drive(&mut cx, |_| {
            turns += 1;
            drop(held.take());
            drop(watch.look());
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((turns, count.0.load(Relaxed)), (3, 0));
        // Elsewhere.
        drop(watch.in_flight());
        assert_eq!(count.0.load(Relaxed), 1);
    }

    #[test]
    fn a_connection_that_ends_messages_without_end_lets_others_work() {
        let (watch, count) = (Arc::<Watch>::default(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut turns = 0;
        let polled: Poll<()> = watch.drive(&mut Context::from_waker(&waker), |_| {
            turns += 1;
            drop(watch.in_flight());
            Poll::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((turns, count.0.load(Relaxed)), (TURNS, 1));
    }
}
