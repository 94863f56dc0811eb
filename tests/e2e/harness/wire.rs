//! A proxy with an origin, exchanging raw bytes over plain HTTP and inside intercepted TLS.

use std::time::Duration;

use http::Response;
use http_body_util::Full;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    Origin, POLL_INTERVAL, TestCa, TestProxy,
    client::connect_tls,
    origin::{Recorded, read_head},
};

/// Longer than any of these tests may take; only a hang comes near it.
const BOUND: Duration = Duration::from_secs(30);

/// A small answer.
pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A request for a path, whose target and host [`Setup::fill`] writes.
pub(crate) const GET: &str = "GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n";

pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// The scheme of an origin: in clear, or encrypted, and decrypted by the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

pub(crate) const SCHEMES: [Scheme; 2] = [Scheme::Http, Scheme::Https];

/// A proxy and an origin behind it.
pub(crate) struct Setup {
    pub(crate) origin: Origin,
    pub(crate) proxy: TestProxy,
    scheme: Scheme,
}

impl Setup {
    pub(crate) async fn new(
        scheme: Scheme,
        yaml: &str,
        handler: impl Fn(&Recorded) -> Response<Full<bytes::Bytes>> + Send + Sync + 'static,
    ) -> Self {
        let ca = TestCa::new();
        let origin = match scheme {
            Scheme::Http => Origin::http(handler).await,
            Scheme::Https => {
                let tls = ca.server(&["localhost"], &[b"http/1.1"], |_| {});
                Origin::tls(tls.into(), handler).await
            }
        };
        Self::with(scheme, yaml, &ca, origin).await
    }

    /// The origin's side is a function that gets every connection.
    pub(crate) async fn sockets<F>(
        scheme: Scheme,
        yaml: &str,
        serve: impl Fn(Box<dyn Stream>) -> F + Send + Sync + Clone + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ca = TestCa::new();
        let tls: TlsAcceptor = ca.server(&["localhost"], &[b"http/1.1"], |_| {}).into();
        let origin = Origin::sockets(move |stream| {
            let (tls, serve) = (tls.clone(), serve.clone());
            async move {
                match scheme {
                    Scheme::Http => serve(Box::new(stream)).await,
                    Scheme::Https => {
                        if let Ok(stream) = tls.accept(stream).await {
                            serve(Box::new(stream)).await;
                        }
                    }
                }
            }
        })
        .await;
        Self::with(scheme, yaml, &ca, origin).await
    }

    /// An origin that answers every request head with these very bytes, and closes.
    pub(crate) async fn answering(scheme: Scheme, answer: &[u8]) -> Self {
        let answer = answer.to_vec();
        Self::sockets(scheme, "", move |mut stream| {
            let answer = answer.clone();
            async move {
                read_head(&mut stream).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
                // Whatever still comes: a reset would take the answer with it.
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        })
        .await
    }

    async fn with(scheme: Scheme, yaml: &str, ca: &TestCa, origin: Origin) -> Self {
        let proxy = TestProxy::trusting(ca, &format!("https: {{ intercept: on }}\n{yaml}")).await;
        Self { origin, proxy, scheme }
    }

    /// The request target for a path of the origin.
    pub(crate) fn target(&self, path: &str) -> String {
        match self.scheme {
            Scheme::Http => self.origin.url(path),
            Scheme::Https => path.to_owned(),
        }
    }

    pub(crate) fn host(&self) -> String {
        match self.scheme {
            Scheme::Http => self.origin.addr.to_string(),
            Scheme::Https => self.origin.host_and_port(),
        }
    }

    /// The address of the origin's first page.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.scheme == Scheme::Http { "http" } else { "https" };
        format!("{scheme}://{}/", self.host())
    }

    /// Puts target and host into a request that has `{path}` and `{host}`.
    pub(crate) fn fill(&self, request: &str) -> String {
        let mut filled = request.replace("{host}", &self.host());
        while let Some(start) = filled.find("{/") {
            let end = start + filled[start..].find('}').unwrap();
            let target = self.target(&filled[start + 1..end]);
            filled.replace_range(start..=end, &target);
        }
        filled
    }

    pub(crate) async fn connect(&self) -> Box<dyn Stream> {
        match self.scheme {
            Scheme::Http => {
                let stream = TcpStream::connect(self.proxy.addr).await.unwrap();
                stream.set_nodelay(true).unwrap();
                Box::new(stream)
            }
            Scheme::Https => {
                let trust = self.proxy.ca_file();
                let tls = connect_tls(&self.proxy, &self.host(), &trust, &[b"http/1.1"]).await;
                Box::new(tls.unwrap())
            }
        }
    }

    /// Opens a connection with a request on it.
    pub(crate) async fn begin(&self, request: &str) -> Box<dyn Stream> {
        let mut client = self.connect().await;
        client.write_all(self.fill(request).as_bytes()).await.unwrap();
        client
    }

    /// Writes bytes and reads until the proxy closes.
    pub(crate) async fn exchange(&self, bytes: &[u8]) -> String {
        let (text, _) = self.exchange_to_end(bytes).await;
        text
    }

    /// Sends bytes and reads the answer to its end. Returns it, and whether the end was a clean one.
    pub(crate) async fn exchange_to_end(&self, bytes: &[u8]) -> (String, bool) {
        self.exchange_in_pieces(bytes, usize::MAX).await
    }

    /// Sends bytes, so many at once, and reads the answer to its end. Returns it, and whether the end was a clean one.
    pub(crate) async fn exchange_in_pieces(&self, bytes: &[u8], size: usize) -> (String, bool) {
        let mut stream = self.connect().await;
        let mut answer = Vec::new();
        let exchange = async {
            for piece in bytes.chunks(size) {
                let _ = stream.write_all(piece).await;
                let _ = stream.flush().await;
                if piece.len() < bytes.len() {
                    // So that it is read by itself.
                    sleep(Duration::from_millis(1)).await;
                }
            }
            stream.read_to_end(&mut answer).await
        };
        let read = timeout(BOUND, exchange).await.expect("the proxy closes");
        (String::from_utf8_lossy(&answer).into_owned(), read.is_ok())
    }
}

/// Writes a request and reads until this text has come.
pub(crate) async fn ask_until(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &str, text: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    read_until(stream, text).await
}

/// Tests both schemes at once, where it takes its time.
pub(crate) async fn with_both_schemes(test: impl AsyncFn(Scheme)) {
    tokio::join!(test(Scheme::Http), test(Scheme::Https));
}

/// Something that must come to its end.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(BOUND, future).await.expect("it does not hang")
}

/// Waits for a state that changes without a signal; `what` names it where it does not come.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(BOUND, waiting).await.expect(what);
}

/// Reads until this text has come.
pub(crate) async fn read_until(stream: &mut (impl AsyncRead + Unpin), text: &str) -> String {
    let mut got = Vec::new();
    let wanted = text.as_bytes();
    while !got.windows(wanted.len()).any(|window| window == wanted) {
        let read = soon(stream.read_buf(&mut got)).await.unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&got));
    }
    String::from_utf8(got).unwrap()
}
