//! Clients: many connections with one small request after the other, tunnels, and bodies that are read and dropped.

use std::{io, net::SocketAddr, sync::Arc};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    task::{JoinError, JoinSet},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::origin::SMALL;

/// Fields such as a browser sends for a part of a page of the same host.
const FIELDS: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: */*\r\n\
    Referer: http://localhost/\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate\r\nCookie: a=0123456789abcdef; b=0123456789abcdef\r\n\r\n";

/// One small request after the other on each of so many connections, for a host that has a name, as on the web.
pub(crate) async fn small(proxy: SocketAddr, origin: SocketAddr, connections: usize, each: usize) -> io::Result<()> {
    let host = format!("localhost:{}", origin.port());
    let request = format!("GET http://{host}/small HTTP/1.1\r\nHost: {host}\r\n{FIELDS}");
    let one = |_| {
        let request = request.clone();
        async move {
            let mut stream = TcpStream::connect(proxy).await?;
            stream.set_nodelay(true)?;
            exchanges(&mut stream, &request, each).await
        }
    };
    all((0..connections).map(one)).await
}

/// Does all of them at once.
async fn all<E: From<JoinError> + Send + 'static>(
    tasks: impl Iterator<Item = impl Future<Output = Result<(), E>> + Send + 'static>,
) -> Result<(), E> {
    let mut tasks: JoinSet<_> = tasks.collect();
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Connections that have had one response each, and stay open.
pub(crate) async fn idle(proxy: SocketAddr, origin: SocketAddr, connections: usize) -> io::Result<Vec<TcpStream>> {
    let request = format!("GET http://{origin}/small HTTP/1.1\r\nHost: {origin}\r\n{FIELDS}");
    let mut streams = Vec::new();
    for _ in 0..connections {
        let mut stream = TcpStream::connect(proxy).await?;
        exchange(&mut stream, &request).await?;
        streams.push(stream);
    }
    Ok(streams)
}

async fn exchanges(io: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &str, count: usize) -> io::Result<()> {
    for _ in 0..count {
        exchange(io, request).await?;
    }
    Ok(())
}

async fn exchange(io: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &str) -> io::Result<()> {
    io.write_all(request.as_bytes()).await?;
    io.flush().await?;
    let mut got = Vec::with_capacity(1024);
    while !got.ends_with(SMALL) {
        if io.read_buf(&mut got).await? == 0 {
            return Err(io::Error::other(String::from_utf8_lossy(&got).into_owned()));
        }
    }
    Ok(())
}

/// Reads so many bytes of a body and stops.
pub(crate) async fn bulk(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    target: &str,
    host: SocketAddr,
    bytes: u64,
) -> io::Result<()> {
    let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{FIELDS}");
    io.write_all(request.as_bytes()).await?;
    let mut buffer = vec![0; 256 * 1024];
    let mut total = 0;
    while total < bytes {
        match io.read(&mut buffer).await? {
            0 => return Err(io::Error::other(format!("ended after {total} bytes"))),
            read => total += read as u64,
        }
    }
    Ok(())
}

/// A tunnel through the proxy.
pub(crate) async fn tunnel(proxy: SocketAddr, target: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(proxy).await?;
    stream.set_nodelay(true)?;
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut got = Vec::new();
    while !got.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut got).await? == 0 {
            break;
        }
    }
    if !got.starts_with(b"HTTP/1.1 200") {
        return Err(io::Error::other(String::from_utf8_lossy(&got).into_owned()));
    }
    Ok(stream)
}

/// Opens a tunnel through the proxy and makes a TLS connection inside of it.
pub(crate) async fn encrypted(
    proxy: SocketAddr,
    target: &str,
    tls: &Arc<ClientConfig>,
) -> io::Result<TlsStream<TcpStream>> {
    let stream = tunnel(proxy, target).await?;
    let host = target.rsplit_once(':').map_or(target, |(host, _)| host).to_owned();
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    TlsConnector::from(Arc::clone(tls)).connect(name, stream).await
}

/// Small requests within TLS, over HTTP/1.1.
pub(crate) async fn small_encrypted(
    proxy: SocketAddr,
    origin: &str,
    tls: &Arc<ClientConfig>,
    connections: usize,
    each: usize,
) -> io::Result<()> {
    let request = format!("GET /small HTTP/1.1\r\nHost: {origin}\r\n{FIELDS}");
    let one = |_| {
        let (request, tls, origin) = (request.clone(), Arc::clone(tls), origin.to_owned());
        async move {
            let mut stream = encrypted(proxy, &origin, &tls).await?;
            exchanges(&mut stream, &request, each).await
        }
    };
    all((0..connections).map(one)).await
}

/// Sends small requests over HTTP/2 inside of TLS: so many streams at once on one connection.
pub(crate) async fn small_http2(
    proxy: SocketAddr,
    origin: &str,
    tls: &Arc<ClientConfig>,
    streams: usize,
    each: usize,
) -> anyhow::Result<()> {
    use http_body_util::{BodyExt, Empty};
    use hyper::body::Bytes;
    use hyper_util::rt::{TokioExecutor, TokioIo};
    let stream = encrypted(proxy, origin, tls).await?;
    let (sender, connection) =
        hyper::client::conn::http2::handshake::<_, _, Empty<Bytes>>(TokioExecutor::new(), TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let one = |_| {
        let (mut sender, origin) = (sender.clone(), origin.to_owned());
        async move {
            for _ in 0..each {
                let request = hyper::Request::get(format!("https://{origin}/small"))
                    .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
                    .header("accept", "*/*")
                    .header("referer", "https://localhost/")
                    .header("cookie", "a=0123456789abcdef; b=0123456789abcdef")
                    .body(Empty::new())?;
                let body = sender.send_request(request).await?.into_body().collect().await?;
                anyhow::ensure!(body.to_bytes() == SMALL, "another body");
            }
            anyhow::Ok(())
        }
    };
    all((0..streams).map(one)).await
}
