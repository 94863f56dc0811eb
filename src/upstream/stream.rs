//! A connection to an origin on the wire: plain or encrypted, with what is remembered of the message on it: how names are
//! written, and what was sent.

use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
    task::{Context, Poll, ready},
};

use http::Request;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

use super::{Waiting, heads::Heads, interim::Interim, written::Written};
use crate::{
    arrivals::Arrivals,
    body::Body,
    spelling::{Spelling, Writer},
    tcp::UnderTls,
};

/// A connection to an origin.
pub(super) struct Stream {
    io: Io,
    arrivals: Arrivals,
    message: Message,
}

enum Io {
    Plain(TcpStream),
    Tls(Box<TlsStream<UnderTls>>),
}

impl Io {
    /// Whether nothing has arrived that was not read, an end neither: what seems to be the answer to a request that has not gone
    /// out must not be taken for one (RFC 9112 § 6.3). A request that was `just_told` came by the same list of the system as
    /// these bytes would, and after them, so the runtime knows of them; otherwise the system is asked itself. Over HTTP/2 the second
    /// request of one read may have come a moment later than what was told: what arrives in that moment is as little known as
    /// what arrives while a request is under way.
    fn is_silent(&self, just_told: bool) -> bool {
        let socket = match self {
            Self::Plain(io) => io,
            Self::Tls(io) => &io.get_ref().0.0,
        };
        let peek = || SockRef::from(socket).peek(&mut [MaybeUninit::uninit()]);
        let peeked = if just_told {
            // Does not peek where the runtime was told of nothing.
            socket.try_io(Interest::READABLE, peek)
        } else {
            peek()
        };
        peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// The message on a connection; shared between the connection and whoever uses it. Never used by two at the same time: what is
/// asked at every turn of the connection needs no lock.
#[derive(Clone, Default)]
pub(super) struct Message(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Nothing may have arrived before the request goes out.
    must_be_silent: AtomicBool,
    /// Something written has not gone out.
    is_unsent: AtomicBool,
    /// Interim responses on their way to whoever waits for the final one.
    interim: Interim,
}

#[derive(Default)]
struct State {
    writer: Writer,
    heads: Heads,
    written: Written,
    /// The request has arrived just now.
    just_told: bool,
}

impl Message {
    /// A request follows, which is kept if it may have to be sent again. `is_used`: it is not the first on its connection.
    pub(super) fn begin(&self, request: &Waiting<'_>, is_kept: bool, is_used: bool) {
        self.0.must_be_silent.store(is_used, Release);
        self.0.interim.clear();
        let mut state = self.lock();
        state.just_told = request.just_told;
        // The library writes names in the usual way by itself, here also in trailers.
        if !request.spelling.is_usual() || request.host.is_some() {
            let (spelling, host) = (request.spelling.clone(), request.host.clone());
            state.writer.head_follows(spelling, host);
        }
        state.heads.follow();
        state.written.begin(is_kept);
    }

    /// How the names of its response were written.
    pub(super) fn spelling(&self) -> Spelling {
        self.lock().heads.spelling()
    }

    /// Where interim responses are told.
    pub(super) fn interim(&self) -> &Interim {
        &self.0.interim
    }

    /// Whether everything written has gone out.
    pub(super) fn is_sent(&self) -> bool {
        !self.0.is_unsent.load(Acquire)
    }

    /// The request once more. `None` where not all of it was written.
    pub(super) fn again(&self) -> Option<Request<Body>> {
        self.lock().written.read()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whatever is half done in here is begun anew with the next message.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    pub(super) fn plain(io: TcpStream) -> Self {
        Self::new(Io::Plain(io))
    }

    pub(super) fn encrypted(io: TlsStream<UnderTls>) -> Self {
        Self::new(Io::Tls(Box::new(io)))
    }

    fn new(io: Io) -> Self {
        Self {
            io,
            arrivals: Arrivals::default(),
            message: Message::default(),
        }
    }

    pub(super) fn message(&self) -> Message {
        self.message.clone()
    }

    pub(super) fn is_http2(&self) -> bool {
        match &self.io {
            Io::Plain(_) => false,
            Io::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }

    fn write(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.message.0.must_be_silent.store(false, Release);
        self.message.0.is_unsent.store(true, Release);
        let mut state = self.message.lock();
        let count = ready!(match &mut self.io {
            Io::Plain(io) => state.writer.poll_write(io, cx, bufs),
            Io::Tls(io) => state.writer.poll_write(&mut **io, cx, bufs),
        })?;
        state.written.add(bufs.iter().map(|buf| &**buf), count);
        Poll::Ready(Ok(count))
    }
}

/// A server that closes without a word of TLS (`close_notify`) has closed. RFC 9112 § 9.8 takes such an end of
/// a body that only the end of the connection ends for a broken one; so many servers do it that browsers
/// take it for the end (Chromium, `net/socket/ssl_client_socket_impl.cc`, `DoPayloadRead`: "Many servers
/// do not reliably send a `close_notify` alert"), and what a browser shows must not be lost here. Where a
/// length or chunks say that more was to come, the HTTP library calls the same end a break.
impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self {
            io,
            arrivals,
            message,
        } = self.get_mut();
        if message.0.must_be_silent.load(Acquire) {
            message.0.must_be_silent.store(false, Release);
            if !io.is_silent(message.lock().just_told) {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
        }
        let before = buf.filled().len();
        ready!(arrivals.poll(cx, |cx| match io {
            Io::Plain(io) => Pin::new(io).poll_read(cx, buf),
            Io::Tls(io) => match Pin::new(io).poll_read(cx, buf) {
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                polled => polled,
            },
        }))?;
        let came = &buf.filled()[before..];
        message.lock().heads.read(came, &message.0.interim);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().write(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.io {
            Io::Plain(io) => io.is_write_vectored(),
            Io::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(match &mut this.io {
            Io::Plain(io) => Pin::new(io).poll_flush(cx),
            Io::Tls(io) => Pin::new(io).poll_flush(cx),
        })?;
        this.message.0.is_unsent.store(false, Release);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Io::Tls(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}
