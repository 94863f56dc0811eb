//! A connection that was taken over: bytes, no messages any more.
//!
//! What judges messages and their pace has nothing left to do there, so the socket is taken out from under it: through all the
//! layers every piece of a tunnel took two calls through pointers and two locks.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{guard::Guard, socket::Socket, unread::Unread};
use crate::tunnel::Rewound;

/// A connection as its messages are read from it.
pub(super) type Guarded<I> = TokioIo<Guard<Unread<I>>>;

/// A connection that was taken over.
pub(crate) enum Taken {
    /// A client's own, and what was read of it already.
    Socket(Rewound<Socket>),
    /// One inside of another.
    Inner(TokioIo<Upgraded>),
}

impl Taken {
    pub(crate) fn new(upgraded: Upgraded) -> Self {
        match upgraded.downcast::<Guarded<Socket>>() {
            Ok(parts) => {
                let (io, ahead) = parts.io.into_inner().into_inner();
                let mut read = parts.read_buf;
                if !ahead.is_empty() {
                    read = [read, ahead.freeze()].concat().into();
                }
                Self::Socket(Rewound::new(read, io.into_inner()))
            }
            Err(inner) => Self::Inner(TokioIo::new(inner)),
        }
    }
}

impl AsyncRead for Taken {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Socket(io) => Pin::new(io).poll_read(cx, buf),
            Self::Inner(io) => Pin::new(io).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Taken {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Socket(io) => Pin::new(io).poll_write(cx, buf),
            Self::Inner(io) => Pin::new(io).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Socket(io) => Pin::new(io).poll_write_vectored(cx, bufs),
            Self::Inner(io) => Pin::new(io).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Socket(io) => io.is_write_vectored(),
            Self::Inner(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Socket(io) => Pin::new(io).poll_flush(cx),
            Self::Inner(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Socket(io) => Pin::new(io).poll_shutdown(cx),
            Self::Inner(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc, time::Duration};

    use http::{Request, Response};
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
        sync::mpsc,
    };

    use super::*;
    use crate::{
        body::Body,
        server::{Conn, Life, Watch, guard::Patience},
    };

    #[tokio::test]
    async fn a_tunnel_gets_the_socket_itself_and_what_was_read_of_it() {
        const AN_HOUR: Duration = Duration::from_hours(1);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let request = b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nahead";
        client.write_all(request).await.unwrap();
        let (stream, address) = listener.accept().await.unwrap();
        let watch = Arc::<Watch>::default();
        let conn = Conn::new(address, address, &Life::for_tests());
        let io = Socket::new(stream, Arc::new(conn));
        let io = Unread::new(io, Arc::clone(&watch), AN_HOUR);
        let patience = Patience {
            head: AN_HOUR,
            idle: AN_HOUR,
        };
        let io: Guarded<Socket> = TokioIo::new(Guard::new(io, Arc::clone(&watch), patience));
        let (give, mut given) = mpsc::unbounded_channel();
        let service = service_fn(move |mut request: Request<Incoming>| {
            let upgrade = hyper::upgrade::on(&mut request);
            let give = give.clone();
            tokio::spawn(async move { give.send(upgrade.await).ok() });
            watch.take_over();
            async { Ok::<_, Infallible>(Response::new(Body::default())) }
        });
        let served = http1::Builder::new().serve_connection(io, service);
        served.with_upgrades().await.unwrap();
        let Taken::Socket(mut io) = Taken::new(given.recv().await.unwrap().unwrap()) else {
            panic!("it was left in its layers");
        };
        let mut ahead = [0; 5];
        io.read_exact(&mut ahead).await.unwrap();
        assert_eq!(&ahead, b"ahead");
    }
}
