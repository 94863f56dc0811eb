//! After all kinds of clients, the program's memory and descriptors are back at their values of the start.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream::FuturesUnordered};
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use tokio::{io::AsyncWriteExt, net::TcpStream, task::JoinSet, time::timeout};
use tokio_rustls::TlsConnector;

use crate::harness::{
    Origin, PAGE, TestCa,
    origin::{html, read_head},
    program::Program,
    raw, streams,
    tls::trusting,
    wire::soon,
};

/// One of each kind of client: content, one that leaves, one that is refused.
async fn plain_clients(proxy: SocketAddr, origin: SocketAddr, turn: usize) {
    let page = raw(proxy, format!("GET http://{origin}/{turn} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    assert!(page.await.starts_with("HTTP/1.1 200"));
    let mut leaving = TcpStream::connect(proxy).await.unwrap();
    let request = format!("GET http://{origin}/leave HTTP/1.1\r\nHost: x\r\n\r\n");
    leaving.write_all(request.as_bytes()).await.unwrap();
    drop(leaving);
    assert!(raw(proxy, "BROKEN\r\n\r\n").await.starts_with("HTTP/1.1 400"));
}

/// One that asks for a long page, and reads no more than its head.
async fn unread(proxy: SocketAddr, origin: SocketAddr) {
    let mut stream = TcpStream::connect(proxy).await.unwrap();
    let request = format!("GET http://{origin}/unread HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.contains("Gleaner: rewritten"), "{head}");
}

/// An intercepted HTTP/2 connection with two pages at once, and one that is given up half-way.
async fn encrypted_client(proxy: SocketAddr, origin: SocketAddr, trust: Arc<ClientConfig>) {
    let target = format!("localhost:{}", origin.port());
    let mut tunnel = TcpStream::connect(proxy).await.unwrap();
    let connect = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    tunnel.write_all(connect.as_bytes()).await.unwrap();
    assert!(read_head(&mut tunnel).await.starts_with("HTTP/1.1 200"));
    let name = "localhost".try_into().unwrap();
    let stream = TlsConnector::from(trust).connect(name, tunnel).await;
    let io = TokioIo::new(stream.unwrap());
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut ask = |path: &str| {
        let request = Request::get(format!("https://{target}{path}")).body(Full::<Bytes>::default());
        sender.send_request(request.unwrap())
    };
    let (one, other, given_up) = (ask("/one"), ask("/other"), ask("/given-up"));
    for answer in [one, other] {
        let answer = answer.await.unwrap();
        assert!(answer.headers()["gleaner"].to_str().unwrap().starts_with("rewritten"));
        answer.into_body().collect().await.unwrap();
    }
    drop(given_up);
    drop(sender);
    connection.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_soak_memory_and_descriptors_are_what_they_were() {
    let seconds = std::env::var("GLEANER_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let ca = TestCa::new();
    let long = Bytes::from(PAGE.replace("<p>", &"<p>Words of a long page. ".repeat(10_000)));
    let origin = Origin::http(move |asked| match asked.uri.path() {
        "/unread" => html(long.clone()),
        _ => html(PAGE.repeat(20)),
    })
    .await;
    let encrypted = Origin::https(&ca, |_| html(PAGE.repeat(20))).await;
    let proxy = Program::trusting(&ca, "https: { intercept: on }");
    let trust = trusting(&proxy.ca_file(), &[b"h2"]);
    let load = async |length: Duration| {
        let (end, mut turns) = (Instant::now() + length, 0_usize);
        while Instant::now() < end {
            let mut together = JoinSet::new();
            for _ in 0..8 {
                together.spawn(plain_clients(proxy.addr, origin.addr, turns));
                together.spawn(encrypted_client(proxy.addr, encrypted.addr, Arc::clone(&trust)));
                turns += 1;
            }
            together.spawn(unread(proxy.addr, origin.addr));
            while let Some(done) = soon(together.join_next()).await {
                done.unwrap();
            }
        }
        turns
    };
    // Pools, caches and the allocator take what they need first.
    load(Duration::from_secs(seconds)).await;
    let before = (proxy.descriptors(), proxy.resident_kib());
    let turns = load(Duration::from_secs(seconds)).await;
    // Connections that were left are closed a moment later.
    let bound = Instant::now() + Duration::from_secs(10);
    while proxy.descriptors() > before.0 + 2 && Instant::now() < bound {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let after = (proxy.descriptors(), proxy.resident_kib());
    eprintln!("soak: {turns} turns in {seconds} s; descriptors and KiB before {before:?}, after {after:?}");
    // Idle connections to the origin stay in the pool.
    assert!(after.0 <= before.0 + 18, "{before:?} {after:?}");
    assert!(after.1 <= before.1 + before.1 / 2 + 16 * 1024, "{before:?} {after:?}");
}

/// An intercepted HTTP/2 connection whose streams may stay unread.
async fn connect_h2(proxy: SocketAddr, target: &str, trust: &Arc<ClientConfig>) -> h2::client::SendRequest<Bytes> {
    let mut tunnel = TcpStream::connect(proxy).await.unwrap();
    let connect = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    tunnel.write_all(connect.as_bytes()).await.unwrap();
    assert!(read_head(&mut tunnel).await.starts_with("HTTP/1.1 200"));
    let stream = TlsConnector::from(Arc::clone(trust)).connect("localhost".try_into().unwrap(), tunnel).await;
    let (sender, connection) = h2::client::handshake(stream.unwrap()).await.unwrap();
    // It ends with the test, however that is.
    tokio::spawn(async { drop(connection.await) });
    sender
}

/// The body of a page, unread.
async fn ask(sender: &mut h2::client::SendRequest<Bytes>, target: &str, number: usize) -> h2::client::ResponseFuture {
    *sender = sender.clone().ready().await.unwrap();
    let request = Request::get(format!("https://{target}/{number}")).body(()).unwrap();
    sender.send_request(request, true).unwrap().0
}

/// Streams of one connection that are never read: pages that are rewritten, and whatever passes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_unread_streams_of_one_client_cost_bounded_memory() {
    const STREAMS: usize = 100;
    const PAGE_BYTES: usize = 1 << 20;
    const MOST_KIB: u64 = 64 << 10;
    const QUIET: Duration = Duration::from_secs(2);
    let ca = TestCa::new();
    let sentence = "Enough words for a paragraph of a page that somebody wants to read, and then does not. ";
    let text = format!("<p>{}</p>\n", sentence.repeat(100));
    let page = Bytes::from(PAGE.replace("<p>", &text.repeat(PAGE_BYTES / text.len())));
    let tls = ca.server(&["localhost"], &[b"h2"], |_| {});
    let origin = Origin::tls(tls.into(), move |_| html(page.clone())).await;
    let target = origin.host_and_port();
    let proxy = Program::trusting(&ca, "https: { intercept: on }");
    let trust = trusting(&proxy.ca_file(), &[b"h2"]);
    let mut client = connect_h2(proxy.addr, &target, &trust).await;
    // As many are read to their ends, so that the allocator has what the work on them takes.
    let mut read = Vec::new();
    for number in 0..STREAMS {
        read.push(streams::reply(ask(&mut client, &target, number).await));
    }
    for reply in futures_util::future::join_all(read).await {
        assert!(reply.unwrap().whole);
    }
    let before = proxy.resident_kib();
    let mut asked = FuturesUnordered::new();
    for number in 0..STREAMS {
        asked.push(ask(&mut client, &target, number).await);
    }
    let (mut unread, mut rewritten) = (Vec::new(), 0);
    // Those that pass keep their streams to the origin: where its window is full, the rest waits.
    while let Ok(Some(response)) = timeout(QUIET, asked.next()).await {
        let response = response.unwrap();
        let action = response.headers()["gleaner"].to_str().unwrap();
        rewritten += usize::from(action.starts_with("rewritten"));
        unread.push(response);
    }
    let with = proxy.resident_kib();
    eprintln!(
        "{STREAMS} unread pages, {} answered, {rewritten} of them rewritten: {before} KiB before, {with} with them",
        unread.len()
    );
    assert!(rewritten > 0);
    assert!(with < before + MOST_KIB, "{before} KiB before, {with} with them");
}
