//! What the [`ValidatingIo`](super::validating_io::ValidatingIo) and the service of one client connection share:
//! how many requests were begun and answered, the rejected one, and interim responses to write.

use std::sync::Arc;

use bytes::BytesMut;
use futures_util::task::AtomicWaker;
use http::{Extensions, HeaderMap, StatusCode, Version};
use parking_lot::Mutex;

use super::request_parser::ParseRejection;
use crate::http::headers;

/// Marks a request for the whole server (`OPTIONS *`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeServer;

/// The shared state of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionState {
    pub(super) progress: Mutex<RequestProgress>,
    /// The connection's task, which is polled again when an interim response is to be written.
    pub(super) task: AtomicWaker,
}

#[derive(Debug, Default)]
pub(super) struct RequestProgress {
    /// Requests that the service received, and those whose response body has ended or was dropped.
    pub(super) begun: usize,
    pub(super) done: usize,
    /// The index of the request that stands for a rejected one, and why it was rejected.
    pub(super) rejection: Option<(usize, ParseRejection)>,
    /// Whether the current head is for the whole server.
    pub(super) whole_server: bool,
    /// The connection became a tunnel: bytes are no messages any more.
    pub(super) upgraded: bool,
    /// Interim responses that are not written yet.
    pub(super) informational: BytesMut,
}

impl RequestProgress {
    /// Whether so many requests have been answered, and the next may come.
    pub(super) fn is_answered(&self, requests: usize) -> bool {
        self.done >= requests && !self.upgraded && self.rejection.is_none()
    }
}

impl ConnectionState {
    /// A request came to the service: marks it with what hyper does not tell.
    pub(super) fn begin(self: &Arc<Self>, extensions: &mut Extensions) -> InFlight {
        let mut progress = self.progress.lock();
        let index = progress.begun;
        progress.begun += 1;
        progress.informational.clear();
        if let Some((_, rejection)) = progress.rejection.filter(|(rejected, _)| *rejected == index) {
            extensions.insert(rejection);
        } else if progress.whole_server {
            extensions.insert(WholeServer);
        }
        InFlight(Arc::clone(self))
    }

    /// Requests begun and done so far.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let progress = self.progress.lock();
        (progress.begun, progress.done)
    }

    /// The request that is being served on an HTTP/1.1 connection, to send interim responses to.
    pub(crate) fn informer(self: &Arc<Self>, version: Version) -> Informer {
        Informer { request: self.progress.lock().begun, state: (version == Version::HTTP_11).then(|| Arc::clone(self)) }
    }
}

/// Bytes of interim responses from which no further ones wait to be written.
const MAX_INFORMATIONAL: usize = 16 * 1024;

/// Sends interim responses (RFC 9110 § 15.2) for one request. hyper's server cannot; over HTTP/1.1 they are written
/// in front of the final response, to other versions they are not sent.
#[derive(Debug)]
pub(crate) struct Informer {
    /// The request's number, counted from one.
    request: usize,
    state: Option<Arc<ConnectionState>>,
}

impl Informer {
    /// Writes it, unless the request has been answered.
    pub(crate) fn send(&self, status: StatusCode, headers: &HeaderMap) {
        let Some(state) = &self.state else { return };
        let mut progress = state.progress.lock();
        let is_waiting = progress.begun == self.request && progress.done < self.request;
        // A client that reads none of them does not miss one.
        if is_waiting && progress.informational.len() < MAX_INFORMATIONAL {
            let reason = status.canonical_reason().unwrap_or("Information");
            let line = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16());
            progress.informational.extend_from_slice(line.as_bytes());
            headers::write_fields(headers, &mut progress.informational);
            drop(progress);
            state.task.wake();
        }
    }
}

/// A request whose response is not done; held by the response's body.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<ConnectionState>);

impl Drop for InFlight {
    /// The connection's own task drops it, and flushes the response then.
    fn drop(&mut self) {
        self.0.progress.lock().done += 1;
    }
}
