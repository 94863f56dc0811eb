//! Clients: hyper, raw sockets, and curl as a program.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::spawn_blocking,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{TestProxy, optional, origin::read_head, tls::trusting, wire::until};

/// A whole response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends a request through the proxy, in absolute-form, on a connection of its own.
pub(crate) async fn send(proxy: &TestProxy, request: Request<Full<Bytes>>) -> Answer {
    send_to(proxy.addr, request).await
}

/// Sends a request through a proxy at this address.
pub(crate) async fn send_to(proxy: SocketAddr, mut request: Request<Full<Bytes>>) -> Answer {
    // HTTP/1.1 asks for the field, and so does the proxy.
    let host = http::HeaderValue::from_static("ignored.example");
    request.headers_mut().entry("host").or_insert(host);
    let stream = TcpStream::connect(proxy).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    whole(sender.send_request(request).await.unwrap()).await
}

/// Gets an address through the proxy with these fields.
pub(crate) async fn get(proxy: &TestProxy, url: &str, fields: &[(&str, &str)]) -> Answer {
    get_by(proxy.addr, url, fields).await
}

/// Gets an address through a proxy at this address with these fields.
pub(crate) async fn get_by(proxy: SocketAddr, url: &str, fields: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(url).header("host", "ignored.example");
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    send_to(proxy, request.body(Full::default()).unwrap()).await
}

async fn whole(response: Response<hyper::body::Incoming>) -> Answer {
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer { status: head.status, version: head.version, headers: head.headers, body }
}

/// The value of a field with a name and a password (RFC 7617).
pub(crate) fn basic(name: &str, password: &str) -> String {
    let pair = format!("{name}:{password}");
    format!("Basic {}", BASE64_STANDARD.encode(pair.as_bytes()))
}

/// Writes bytes and reads until the proxy closes.
pub(crate) async fn raw(addr: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(bytes.as_ref()).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the last byte is an end too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A port of loopback that nothing listens on.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until something listens there.
pub(crate) async fn listens(addr: SocketAddr) {
    until(&format!("{addr} listens"), async || TcpStream::connect(addr).await.is_ok()).await;
}

/// Asks for an address on a connection of its own, which stays open.
pub(crate) async fn begin(proxy: &TestProxy, url: &str) -> TcpStream {
    let mut stream = TcpStream::connect(proxy.addr).await.unwrap();
    stream.write_all(format!("GET {url} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

/// Opens a tunnel; the proxy's answer must be 200.
pub(crate) async fn connect(proxy: &TestProxy, target: &str) -> TcpStream {
    connect_as(proxy, target, "").await
}

/// Opens a tunnel as a program with this `User-Agent`, if any.
pub(crate) async fn connect_as(proxy: &TestProxy, target: &str, agent: &str) -> TcpStream {
    let mut stream = TcpStream::connect(proxy.addr).await.unwrap();
    let agent = if agent.is_empty() { String::new() } else { format!("User-Agent: {agent}\r\n") };
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{agent}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    stream
}

/// Opens a tunnel and does TLS inside, trusting the certificate in this file.
pub(crate) async fn connect_tls(
    proxy: &TestProxy,
    target: &str,
    trust: &Path,
    alpn: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    handshake(connect(proxy, target).await, target, trust, alpn).await
}

/// TLS inside of a tunnel.
pub(crate) async fn handshake(
    stream: TcpStream,
    target: &str,
    trust: &Path,
    alpn: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let (host, _) = target.rsplit_once(':').unwrap();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    TlsConnector::from(trusting(trust, alpn)).connect(name, stream).await
}

/// Sends a request on an intercepted HTTP/2 connection.
pub(crate) async fn send_h2(proxy: &TestProxy, target: &str, request: Request<Full<Bytes>>) -> Answer {
    let stream = connect_tls(proxy, target, &proxy.ca_file(), &[b"h2"]).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    whole(sender.send_request(request).await.unwrap()).await
}

/// Runs a program to its end: whether it went well, and all that it wrote.
pub(crate) async fn run(mut command: Command) -> (bool, String) {
    command.stdin(Stdio::null());
    let output = spawn_blocking(move || command.output().unwrap()).await;
    let output = output.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// A call of curl through the proxy, or none where there is no curl.
pub(crate) fn curl_command(proxy: &TestProxy, arguments: &[&str]) -> Option<Command> {
    let mut command = Command::new(optional::program("curl", "curl")?);
    command
        .args(["--silent", "--show-error", "--max-time", "20"])
        .args(["--proxy", &proxy.url()])
        .args(["--cacert".as_ref(), proxy.ca_file().as_os_str()])
        .args(arguments)
        .env("no_proxy", "")
        .env("NO_PROXY", "");
    Some(command)
}

/// Runs curl through the proxy, which must go well; gives what it wrote, or nothing where there is no curl.
pub(crate) async fn curl(proxy: &TestProxy, arguments: &[&str]) -> Option<String> {
    let (well, text) = run(curl_command(proxy, arguments)?).await;
    assert!(well, "{text}");
    Some(text)
}
