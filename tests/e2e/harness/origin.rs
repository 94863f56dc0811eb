//! Web servers written for the tests.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, Uri, Version};
use http_body_util::{BodyExt, Collected, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, ToSocketAddrs},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::TestCa;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A server; its task ends with the test's runtime.
pub(crate) struct Origin {
    pub(crate) addr: SocketAddr,
    accepted: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Recorded>>>,
}

/// A port of loopback that is free.
const ANY: (&str, u16) = ("127.0.0.1", 0);

type Handler = Arc<dyn Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync>;

impl Origin {
    pub(crate) async fn http(handler: impl Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync + 'static) -> Self {
        Self::at(ANY, handler).await
    }

    /// An HTTP server at this address.
    pub(crate) async fn at(
        addr: impl ToSocketAddrs,
        handler: impl Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(addr, None, Arc::new(handler)).await
    }

    /// HTTP/2 and HTTP/1.1 by ALPN, for `localhost`.
    pub(crate) async fn https(
        ca: &TestCa,
        handler: impl Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        let config = ca.server(&["localhost", "127.0.0.1"], &[b"h2", b"http/1.1"], |_| {});
        Self::listen(ANY, Some(config.into()), Arc::new(handler)).await
    }

    pub(crate) async fn tls(
        acceptor: TlsAcceptor,
        handler: impl Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(ANY, Some(acceptor), Arc::new(handler)).await
    }

    /// An HTTPS server at this address.
    pub(crate) async fn tls_at(
        addr: impl ToSocketAddrs,
        acceptor: TlsAcceptor,
        handler: impl Fn(&Recorded) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(addr, Some(acceptor), Arc::new(handler)).await
    }

    /// Answers every connection with these very bytes, and closes.
    pub(crate) async fn raw(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::sockets(move |mut stream| {
            let answer = answer.clone();
            async move {
                read_head(&mut stream).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }

    /// Sends back what it is sent, to the end.
    pub(crate) async fn echo() -> Self {
        Self::sockets(|mut stream| async move {
            let (mut read, mut write) = stream.split();
            let _ = tokio::io::copy(&mut read, &mut write).await;
        })
        .await
    }

    /// Gives every connection to a function.
    pub(crate) async fn sockets<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::from_listener(listener, serve)
    }

    /// Gives every connection to a function, over TLS with this authority, for `localhost`. Those whose handshake fails are dropped.
    pub(crate) async fn tls_sockets<F>(
        ca: &TestCa,
        alpn: &[&[u8]],
        serve: impl Fn(TlsStream<TcpStream>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let tls = TlsAcceptor::from(ca.server(&["localhost"], alpn, |_| {}));
        let serve = Arc::new(serve);
        Self::sockets(move |stream| {
            let (tls, serve) = (tls.clone(), Arc::clone(&serve));
            async move {
                if let Ok(stream) = tls.accept(stream).await {
                    serve(stream).await;
                }
            }
        })
        .await
    }

    /// Gives every connection to this address to a function.
    pub(crate) async fn sockets_at<F>(
        addr: impl Into<SocketAddr>,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::from_listener(TcpListener::bind(addr.into()).await.unwrap(), serve)
    }

    fn from_listener<F>(listener: TcpListener, serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let addr = listener.local_addr().unwrap();
        let accepted = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Relaxed);
                // What a test has written has arrived when it goes on.
                stream.set_nodelay(true).unwrap();
                tokio::spawn(serve(stream));
            }
        });
        Self { addr, accepted, seen: Arc::default() }
    }

    async fn listen(addr: impl ToSocketAddrs, tls: Option<TlsAcceptor>, handler: Handler) -> Self {
        let listener = TcpListener::bind(addr).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Recorded>>> = Arc::default();
        let record = Arc::clone(&seen);
        let accepted = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Relaxed);
                let (tls, handler, record) = (tls.clone(), handler.clone(), record.clone());
                tokio::spawn(async move {
                    let Some(tls) = tls else {
                        return speak(stream, handler, record, false).await;
                    };
                    if let Ok(stream) = tls.accept(stream).await {
                        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                        speak(stream, handler, record, h2).await;
                    }
                });
            }
        });
        Self { addr, accepted, seen }
    }

    /// How many connections it has had.
    pub(crate) fn connections(&self) -> usize {
        self.accepted.load(Relaxed)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Its name, which certificates are for, and its port.
    pub(crate) fn host_and_port(&self) -> String {
        format!("localhost:{}", self.addr.port())
    }

    /// An address of this server by its name, for certificates.
    pub(crate) fn https_url(&self, path: &str) -> String {
        format!("https://{}{path}", self.host_and_port())
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Recorded {
        self.requests().pop().expect("the origin was asked")
    }
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    handler: Handler,
    record: Arc<Mutex<Vec<Recorded>>>,
    h2: bool,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (handler, record) = (handler.clone(), record.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
            let recorded =
                Recorded { method: head.method, uri: head.uri, version: head.version, headers: head.headers, body };
            record.lock().unwrap().push(recorded.clone());
            Ok::<_, Infallible>(handler(&recorded))
        }
    });
    // A client may leave at any time; what matters is asserted on its side.
    let io = TokioIo::new(stream);
    if h2 {
        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        drop(server.serve_connection(io, service).await);
    } else {
        drop(hyper::server::conn::http1::Builder::new().max_headers(400).serve_connection(io, service).await);
    }
}

/// Reads a message's head.
pub(crate) async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).unwrap()
}

/// A response with fields and a body.
pub(crate) fn response(fields: &[(&str, &str)], body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut builder = Response::builder();
    for (name, value) in fields {
        builder = builder.header(*name, *value);
    }
    builder.body(Full::new(body.into())).unwrap()
}

/// An HTML page.
pub(crate) fn html(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    response(&[("content-type", "text/html; charset=utf-8")], body)
}
