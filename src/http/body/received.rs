//! The body of a request as it arrives: read by hyper, or from a message of ICAP.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::{Notify, mpsc};

use super::BodyError;

/// A body on its way in, from whichever protocol.
#[derive(Debug, Default)]
pub(crate) enum ReceivedBody {
    Http(Incoming),
    Encapsulated(EncapsulatedBody),
    #[default]
    Empty,
}

/// A body within a message of ICAP (RFC 3507 § 4.4), read by the task of its connection.
#[derive(Debug)]
pub(crate) struct EncapsulatedBody {
    chunks: mpsc::Receiver<Result<Bytes, BodyError>>,
    wanted: Arc<Notify>,
    /// Bytes that are still to come, where that is known: how a body was cut off is not told over ICAP.
    left: Option<u64>,
    has_ended: bool,
}

/// The other end of an [`EncapsulatedBody`].
#[derive(Debug)]
pub(crate) struct EncapsulatedSender {
    pub(crate) chunks: mpsc::Sender<Result<Bytes, BodyError>>,
    /// Notified when the reader waits for more.
    pub(crate) wanted: Arc<Notify>,
}

impl EncapsulatedBody {
    pub(crate) fn new() -> (EncapsulatedSender, Self) {
        // The task reads one chunk ahead.
        let (sender, chunks) = mpsc::channel(1);
        let wanted = Arc::new(Notify::new());
        let body = Self { chunks, wanted: Arc::clone(&wanted), left: None, has_ended: false };
        (EncapsulatedSender { chunks: sender, wanted }, body)
    }

    /// The body of a message that names its length.
    pub(crate) fn with_length(self, length: Option<u64>) -> Self {
        Self { left: length, ..self }
    }
}

impl HttpBody for EncapsulatedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = self.chunks.poll_recv(cx).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)));
        match &polled {
            Poll::Pending => self.wanted.notify_one(),
            Poll::Ready(None) => self.has_ended = true,
            Poll::Ready(Some(frame)) => {
                let bytes = frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len);
                self.left = self.left.map(|left| left.saturating_sub(bytes as u64));
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended && self.left.is_none_or(|left| left == 0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl HttpBody for ReceivedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut *self {
            Self::Http(incoming) => Pin::new(incoming).poll_frame(cx).map_err(BodyError::from),
            Self::Encapsulated(body) => Pin::new(body).poll_frame(cx),
            Self::Empty => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Http(incoming) => incoming.is_end_stream(),
            Self::Encapsulated(body) => body.is_end_stream(),
            Self::Empty => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Http(incoming) => incoming.size_hint(),
            Self::Encapsulated(body) => body.size_hint(),
            Self::Empty => SizeHint::with_exact(0),
        }
    }
}

impl From<Incoming> for ReceivedBody {
    fn from(incoming: Incoming) -> Self {
        Self::Http(incoming)
    }
}
