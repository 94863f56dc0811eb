//! HTTP/2 frame by frame (RFC 9113 § 4.1), to send sequences that no library sends.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::{Origin, TestCa, wire::Stream};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// Errors of RFC 9113 § 7.
pub(crate) const NO_ERROR: u32 = 0;
pub(crate) const INTERNAL_ERROR: u32 = 2;
pub(crate) const REFUSED_STREAM: u32 = 7;
pub(crate) const CANCEL: u32 = 8;
pub(crate) const HTTP_1_1_REQUIRED: u32 = 13;

/// `:status: 200`, as RFC 7541 has it.
pub(crate) const STATUS_200: &[u8] = &[0x88];

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// `GOAWAY` with the last stream that was processed.
pub(crate) fn goaway(last: u32) -> Vec<u8> {
    let payload = [last.to_be_bytes(), NO_ERROR.to_be_bytes()].concat();
    frame(GOAWAY, 0, 0, &payload)
}

pub(crate) fn reset(stream: u32, error: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &error.to_be_bytes())
}

/// A frame that arrived.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// One side of a connection.
pub(crate) struct Frames {
    io: Box<dyn Stream>,
}

impl Frames {
    /// Begins as a server does.
    pub(crate) async fn server(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let mut this = Self { io: Box::new(io) };
        this.send(&frame(SETTINGS, 0, 0, &[])).await;
        let mut preface = [0; PREFACE.len()];
        let _ = this.io.read_exact(&mut preface).await;
        this
    }

    /// Begins as a client does.
    pub(crate) async fn client(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let mut this = Self { io: Box::new(io) };
        let begin = [PREFACE, &frame(SETTINGS, 0, 0, &[])[..]].concat();
        this.send(&begin).await;
        this
    }

    /// Whether it could be sent.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        self.io.write_all(bytes).await.is_ok() && self.io.flush().await.is_ok()
    }

    /// Ends its own side, and waits for the end of the other's: with bytes unread the system would take back what was sent.
    pub(crate) async fn close(&mut self) {
        let _ = self.io.shutdown().await;
        while self.read().await.is_some() {}
    }

    /// The next frame; none at the end.
    pub(crate) async fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.io.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.io.read_exact(&mut payload).await.ok()?;
        Some(Frame {
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
            payload,
        })
    }

    /// Reads up to the head of the next request: its stream, and whether that is all of it.
    pub(crate) async fn request(&mut self) -> Option<(u32, bool)> {
        loop {
            let frame = self.read().await?;
            if frame.kind == HEADERS {
                return Some((frame.stream, frame.flags & END_STREAM != 0));
            }
        }
    }

    /// Reads a request's body to its end, or until so many bytes have come.
    pub(crate) async fn body(&mut self, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < most {
            let Some(frame) = self.read().await else {
                return body;
            };
            if frame.kind == DATA {
                body.extend(&frame.payload);
                if frame.flags & END_STREAM != 0 {
                    return body;
                }
            }
        }
        body
    }

    /// Lets so many more bytes come, on a stream and in all.
    pub(crate) async fn open(&mut self, stream: u32, bytes: u32) {
        for stream in [0, stream] {
            self.send(&frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())).await;
        }
    }
}

/// An origin that gets every HTTP/2 connection as frames, with its number.
pub(crate) async fn origin<F>(ca: &TestCa, serve: impl Fn(usize, Frames) -> F + Send + Sync + Clone + 'static) -> Origin
where
    F: Future<Output = ()> + Send + 'static,
{
    let tls: TlsAcceptor = ca.server(&["localhost"], &[b"h2"], |_| {}).into();
    let count = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
    Origin::sockets(move |stream| {
        let (tls, serve) = (tls.clone(), serve.clone());
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async move {
            let stream = tls.accept(stream).await.unwrap();
            serve(number, Frames::server(stream).await).await;
        }
    })
    .await
}
