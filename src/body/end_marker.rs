//! When h2 has written all that a body gave it, which hyper does not tell.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::Frame;
use tokio::sync::oneshot;

/// A last frame without data, and its end: h2 writes the frames of a stream in their order and drops each one then.
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
