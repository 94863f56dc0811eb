//! A request's body that can be given up while nobody polls it.
//!
//! An origin that reads nothing closes the window of an upload, and hyper polls its body no more: the body would end only with
//! the connection, and keep what the client has sent, and the client's window, until then.

use std::{
    pin::Pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::Request;
use http_body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{Body, BodyError, ByteCount};
use crate::util::settle;

/// A request's body on its way to an origin; given up where this is dropped before it was released.
#[derive(Debug)]
pub(crate) struct Upload {
    shared: Arc<SharedBody>,
    count: ByteCount,
    is_released: bool,
}

/// The body that is sent.
#[derive(Debug)]
struct UploadBody(Arc<SharedBody>);

#[derive(Debug)]
struct SharedBody {
    /// `None` once it was given up.
    body: Mutex<Option<Body>>,
    /// Nothing is left to send.
    done: CancellationToken,
}

impl Upload {
    /// Takes hold of the body of a request, if it has one.
    pub(crate) fn from_request(request: &mut Request<Body>) -> Option<Self> {
        if request.body().is_end_stream() {
            return None;
        }
        let mut body = std::mem::take(request.body_mut());
        let count = Arc::clone(body.count.get_or_insert_default());
        let shared = Arc::new(SharedBody { body: Mutex::new(Some(body)), done: CancellationToken::new() });
        *request.body_mut() = Body::new(UploadBody(Arc::clone(&shared)));
        Some(Self { shared, count, is_released: false })
    }

    /// The response has begun, so that nobody else looks after the upload any more: it is given up where it stands still for so
    /// long.
    pub(crate) fn supervise(&self, timeout: Duration) {
        if self.shared.done.is_cancelled() {
            return;
        }
        let (shared, count) = (Arc::clone(&self.shared), Arc::clone(&self.count));
        tokio::spawn(async move {
            let done = shared.done.clone();
            let stands_still = settle::unchanged(timeout, || Some(count.load(Relaxed)));
            if done.run_until_cancelled(stands_still).await.is_some() {
                shared.give_up();
            }
        });
    }

    /// The response has ended, and the upload may go on.
    pub(super) fn release(mut self) {
        self.is_released = true;
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.is_released {
            self.shared.give_up();
        }
    }
}

impl SharedBody {
    fn give_up(&self) {
        let body = self.body.lock().take();
        drop(body);
    }
}

impl Drop for UploadBody {
    fn drop(&mut self) {
        self.0.done.cancel();
    }
}

impl HttpBody for UploadBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut *self.0.body.lock() {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(Some(Err(BodyError::Cut))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.body.lock().as_ref().is_some_and(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.body.lock().as_ref().map(Body::size_hint).unwrap_or_default()
    }
}
