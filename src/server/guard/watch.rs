//! What the guard and the service of one connection tell each other.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use bytes::BytesMut;
use http::{Extensions, HeaderMap, StatusCode};

use crate::{respond, server::wire::Refusal, spelling::Spelling};

/// Marks a request for the whole server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeServer;

/// What the guard and the service of one connection tell each other.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Progress>);

#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) begun: usize,
    pub(super) done: usize,
    pub(super) refused: Option<(usize, Refusal)>,
    /// What the head that was let through last asks for.
    pub(super) whole_server: bool,
    /// How its names are written.
    pub(super) asked: Spelling,
    /// How the names of the answer are to be written, from when it is there until it is written.
    pub(super) answered: Option<Spelling>,
    /// The connection was taken over: bytes are no messages any more.
    pub(super) opaque: bool,
    /// Interim responses on their way to the client.
    pub(super) interim: BytesMut,
    pub(super) waker: Option<Waker>,
}

impl Watch {
    pub(super) fn lock(&self) -> MutexGuard<'_, Progress> {
        // Nothing in here can be left half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request came to the service: tells it what the library does not. A refusal if it is the one that
    /// stands for a refused one.
    pub(in crate::server) fn begin(&self, extensions: &mut Extensions) {
        let mut progress = self.lock();
        let number = progress.begun;
        progress.begun += 1;
        progress.interim.clear();
        std::mem::take(&mut progress.asked).go_with(extensions);
        if let Some((_, refusal)) = progress.refused.filter(|(refused, _)| *refused == number) {
            extensions.insert(refusal);
        } else if progress.whole_server {
            extensions.insert(WholeServer);
        }
    }

    /// A message on the connection lasts as long as this is kept.
    pub(in crate::server) fn in_flight(self: &Arc<Self>) -> InFlight {
        InFlight(Arc::clone(self))
    }

    /// The answer is there: its head is written next.
    pub(in crate::server) fn answer(&self, extensions: &mut Extensions) {
        self.lock().answered = Some(Spelling::of_message(extensions));
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
        let out = &mut progress.interim;
        let reason = status.canonical_reason().unwrap_or("Information");
        out.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).as_bytes());
        respond::write_fields(headers, out);
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
        if let Some(waker) = progress.waker.take() {
            waker.wake();
        }
    }
}
