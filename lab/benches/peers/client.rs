//! Clients: many connections with one small request after the other, tunnels, and bodies that are read and forgotten.

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufStream},
    net::TcpStream,
    task::{JoinError, JoinSet},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::origin::SMALL;

/// Fields such as a browser sends.
const FIELDS: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: */*\r\n\
    Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate\r\nCookie: a=0123456789abcdef; b=0123456789abcdef\r\n\r\n";

/// One small request after the other on each of so many connections.
pub async fn small(
    proxy: SocketAddr,
    origin: SocketAddr,
    connections: usize,
    each: usize,
) -> io::Result<()> {
    let request = format!("GET http://{origin}/small HTTP/1.1\r\nHost: {origin}\r\n{FIELDS}");
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

/// Connections that have had one answer each, and stay.
pub async fn idle(
    proxy: SocketAddr,
    origin: SocketAddr,
    connections: usize,
) -> io::Result<Vec<TcpStream>> {
    let request = format!("GET http://{origin}/small HTTP/1.1\r\nHost: {origin}\r\n{FIELDS}");
    let mut streams = Vec::new();
    for _ in 0..connections {
        let mut stream = TcpStream::connect(proxy).await?;
        exchange(&mut stream, &request).await?;
        streams.push(stream);
    }
    Ok(streams)
}

/// Tunnels through which one answer went each, and which stay.
pub async fn idle_tunnels(
    proxy: SocketAddr,
    origin: SocketAddr,
    tunnels: usize,
) -> io::Result<Vec<TcpStream>> {
    let target = origin.to_string();
    let request = format!("GET /small HTTP/1.1\r\nHost: {target}\r\n{FIELDS}");
    let mut streams = Vec::new();
    for _ in 0..tunnels {
        let mut stream = tunnel(proxy, &target).await?;
        exchange(&mut stream, &request).await?;
        streams.push(stream);
    }
    Ok(streams)
}

async fn exchanges(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    request: &str,
    count: usize,
) -> io::Result<()> {
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

/// A page read to its end, on a connection of its own: the head of the answer.
pub async fn page(proxy: SocketAddr, origin: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(proxy).await?;
    let request = format!(
        "GET http://{origin}{path} HTTP/1.1\r\nHost: {origin}\r\nConnection: close\r\n{FIELDS}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut got = Vec::new();
    stream.read_to_end(&mut got).await?;
    let head = got
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .unwrap_or(0);
    Ok(String::from_utf8_lossy(&got[..head]).into_owned())
}

/// Pages read to their ends, one after the other on one connection: how many were rewritten. `coding` is what the client takes.
pub async fn pages(
    proxy: SocketAddr,
    origin: SocketAddr,
    paths: impl Iterator<Item = String>,
    coding: &str,
) -> io::Result<usize> {
    let stream = TcpStream::connect(proxy).await?;
    stream.set_nodelay(true)?;
    let (mut stream, mut rewritten) = (BufStream::new(stream), 0);
    for path in paths {
        let request = format!(
            "GET http://{origin}{path} HTTP/1.1\r\nHost: {origin}\r\nAccept-Encoding: {coding}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        stream.flush().await?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().map_err(io::Error::other)?;
            }
            rewritten += usize::from(line.starts_with("gleaner: rewritten"));
        }
        let mut body = (&mut stream).take(length);
        let got = tokio::io::copy(&mut body, &mut tokio::io::sink()).await?;
        if got < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(rewritten)
}

/// Reads so many bytes of a body and stops.
pub async fn bulk(
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
pub async fn tunnel(proxy: SocketAddr, target: &str) -> io::Result<TcpStream> {
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

/// The same, with TLS inside of it.
pub async fn encrypted(
    proxy: SocketAddr,
    target: &str,
    tls: &Arc<ClientConfig>,
) -> io::Result<TlsStream<TcpStream>> {
    let stream = tunnel(proxy, target).await?;
    let host = target
        .rsplit_once(':')
        .map_or(target, |(host, _)| host)
        .to_owned();
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    TlsConnector::from(Arc::clone(tls))
        .connect(name, stream)
        .await
}

/// Small requests within TLS, over HTTP/1.1.
pub async fn small_encrypted(
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

/// The same over HTTP/2: so many streams at once on one connection.
pub async fn small_http2(
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
    let (sender, connection) = hyper::client::conn::http2::handshake::<_, _, Empty<Bytes>>(
        TokioExecutor::new(),
        TokioIo::new(stream),
    )
    .await?;
    tokio::spawn(connection);
    let one = |_| {
        let (mut sender, origin) = (sender.clone(), origin.to_owned());
        async move {
            for _ in 0..each {
                let request = hyper::Request::get(format!("https://{origin}/small"))
                    .header(
                        "user-agent",
                        "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
                    )
                    .header("accept", "*/*")
                    .header("cookie", "a=0123456789abcdef; b=0123456789abcdef")
                    .body(Empty::new())?;
                let body = sender
                    .send_request(request)
                    .await?
                    .into_body()
                    .collect()
                    .await?;
                anyhow::ensure!(body.to_bytes() == SMALL, "another body");
            }
            anyhow::Ok(())
        }
    };
    all((0..streams).map(one)).await
}

/// One encrypted request on a connection of its own: how long it takes from CONNECT to the answer.
pub async fn contact(
    proxy: SocketAddr,
    target: &str,
    tls: &Arc<ClientConfig>,
) -> io::Result<Duration> {
    let begun = Instant::now();
    let mut stream = encrypted(proxy, target, tls).await?;
    exchange(
        &mut stream,
        &format!("GET /small HTTP/1.1\r\nHost: {target}\r\n{FIELDS}"),
    )
    .await?;
    Ok(begun.elapsed())
}
