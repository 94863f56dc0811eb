//! HTTP/2 to an origin: one connection serves many clients without stalls, and another is opened when streams run out.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::Barrier,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::Browser,
    client::{connect_tls, send_h2},
    namespace,
    origin::{read_head, response},
    streams::{self, client},
    wire::{ask_until, soon},
};

const ON: &str = "https: { intercept: on }";

fn get(target: &str, path: &str) -> Request<Full<Bytes>> {
    let url = format!("https://{target}{path}");
    Request::get(url).body(Full::default()).unwrap()
}

#[tokio::test]
async fn downloads_that_nobody_reads_stall_nobody_else() {
    let ca = TestCa::new();
    let long = Bytes::from(vec![b'x'; 16 << 20]);
    let origin = Origin::https(&ca, move |seen| match seen.uri.path() {
        "/long" => response(&[], long.clone()),
        _ => response(&[], "ok"),
    })
    .await;
    for is_2 in [true, false] {
        let proxy = TestProxy::trusting(&ca, ON).await;
        let target = origin.host_and_port();
        let (mut streams, mut sockets) = (Vec::new(), Vec::new());
        if is_2 {
            let mut sender = client(&proxy, &target).await;
            for _ in 0..4 {
                let request = Request::get(format!("https://{target}/long")).body(());
                let (answer, _) = sender.send_request(request.unwrap(), true).unwrap();
                // Kept, and never read.
                streams.push((soon(answer).await.unwrap(), sender.clone()));
            }
        } else {
            for _ in 0..4 {
                let trust = proxy.ca_file();
                let mut socket = connect_tls(&proxy, &target, &trust, &[b"http/1.1"]).await.unwrap();
                let request = format!("GET /long HTTP/1.1\r\nHost: {target}\r\n\r\n");
                ask_until(&mut socket, &request, "\r\n\r\nx").await;
                sockets.push(socket);
            }
        }
        // As much arrives as will.
        for _ in 0..10 {
            let other = send_h2(&proxy, &target, get(&target, "/short"));
            let other = timeout(Duration::from_secs(10), other).await;
            let other = other.expect("others are served");
            assert_eq!(other.text(), "ok");
        }
    }
}

#[tokio::test]
async fn where_a_server_takes_no_more_streams_another_connection_is_opened() {
    let ca = TestCa::new();
    // Nobody is answered before all six are there.
    let all = Arc::new(Barrier::new(6));
    let origin = streams::origin_of_few(&ca, 2, move |_, mut respond| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            let _ = respond.send_response(Response::new(()), true);
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = origin.host_and_port();
    let ask = || Box::pin(send_h2(&proxy, &target, get(&target, "/")));
    let six = async { tokio::join!(ask(), ask(), ask(), ask(), ask(), ask()) };
    let (one, ..) = timeout(Duration::from_secs(10), six).await.expect("all six are under way at once");
    assert_eq!(one.status, 200);
}

const PICTURES: usize = 120;

/// Asks for the pictures of a page at once, on so many connections.
async fn pictures(proxy: &TestProxy, target: &str, connections: usize) {
    let mut asked = Vec::new();
    for _ in 0..connections {
        let mut sender = client(proxy, target).await;
        for number in 0..PICTURES / connections {
            sender = soon(sender.ready()).await.unwrap();
            let request = Request::get(format!("https://{target}/{number}")).body(()).unwrap();
            let answer = sender.send_request(request, true).unwrap().0;
            asked.push(tokio::spawn(streams::reply(answer)));
        }
    }
    for asked in asked {
        assert_eq!(asked.await.unwrap().unwrap().status, 200);
    }
}

/// How long the servers of pictures think.
const SLOW: Duration = Duration::from_millis(20);

/// A page of pictures, over HTTP/2 or HTTP/1.1 by what the server speaks.
async fn origin_of_pictures(ca: &TestCa, addr: ([u8; 4], u16), protocol: &'static [u8]) -> Origin {
    let tls: TlsAcceptor = ca.server(&["localhost", TWO, ONE], &[protocol], |_| {}).into();
    Origin::sockets_at(addr, move |stream| {
        let tls = tls.clone();
        async move {
            let Ok(stream) = tls.accept(stream).await else { return };
            if protocol == b"h2" { pictures_over_2(stream).await } else { pictures_over_1(stream).await }
        }
    })
    .await
}

async fn pictures_over_2(stream: impl AsyncRead + AsyncWrite + Unpin) {
    let Ok(mut connection) = h2::server::Builder::new().max_concurrent_streams(100).handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        tokio::spawn(async move {
            sleep(SLOW).await;
            let head = Response::builder().header("content-type", "text/html").body(()).unwrap();
            if let Ok(mut body) = respond.send_response(head, false) {
                let _ = body.send_data(Bytes::from(page_for(request.uri().path())), true);
            }
        });
    }
}

async fn pictures_over_1(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    loop {
        let head = read_head(&mut stream).await;
        let Some(path) = head.split(' ').nth(1) else { return };
        sleep(SLOW).await;
        let body = page_for(path);
        let head = format!("Content-Type: text/html\r\nContent-Length: {}", body.len());
        let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").as_bytes()).await;
    }
}

fn page_for(path: &str) -> String {
    if path != "/page" {
        return String::new();
    }
    let pictures = (0..PICTURES).map(|number| format!("<img src=/{number}.png>")).collect::<Vec<_>>().concat();
    format!("<!doctype html><title>pictures</title>{pictures}")
}

#[tokio::test]
async fn a_page_of_pictures_opens_as_few_connections_as_a_browser_would() {
    let ca = TestCa::new();
    for (protocol, most) in [(b"h2".as_slice(), 2), (b"http/1.1", 6)] {
        let origin = origin_of_pictures(&ca, ([127, 0, 0, 1], 0), protocol).await;
        let proxy = TestProxy::trusting(&ca, ON).await;
        for connections in 1..=3 {
            pictures(&proxy, &origin.host_and_port(), connections).await;
            assert!(origin.connections() <= most, "{} connections in place of {most}", origin.connections());
        }
    }
}

/// Sites with HTTP/2 and with HTTP/1.1, on the port of HTTPS.
const TWO: &str = "www.two-site.com";
const ONE: &str = "www.one-site.com";

#[tokio::test]
async fn chromium_opens_as_few_connections_for_a_page_of_pictures_as_without_a_proxy() {
    let name = "upstream::http2::chromium_opens_as_few_connections_for_a_page_of_pictures_as_without_a_proxy";
    if !namespace::enter(name, "true") {
        return;
    }
    namespace::set_names(&[(TWO, "127.0.0.2"), (ONE, "127.0.0.1")]);
    let Some(browser) = Browser::find() else { return };
    let ca = TestCa::new();
    let access = "access: { allow_targets: ['127.0.0.1:1-65535', '127.0.0.2:1-65535'], rebind_allowed: [one-site.com, two-site.com] }";
    // Of six HTTP/1.1 connections one counts no more where a busy machine stands still for a second.
    for (site, last, protocol, most) in [(TWO, 2, b"h2".as_slice(), 2), (ONE, 1, b"http/1.1", 8)] {
        let origin = origin_of_pictures(&ca, ([127, 0, 0, last], 443), protocol).await;
        let proxy = TestProxy::trusting(&ca, &format!("{ON}\nrewrite: {{ enabled: false }}\n{access}")).await;
        let Some(()) = browser.trust("gleaner", &proxy.ca_file()) else { return };
        for _ in 0..2 {
            let dom = browser.dom(&proxy, format!("https://{site}/page")).await;
            assert_eq!(dom.matches("<img").count(), PICTURES, "{dom}");
            assert!(origin.connections() <= most, "{} connections in place of {most}", origin.connections());
        }
        browser.distrust("gleaner");
    }
}

#[tokio::test]
async fn event_streams_over_http1_delay_another_request_by_a_second() {
    let ca = TestCa::new();
    let origin = Origin::tls_sockets(&ca, &[b"http/1.1"], move |mut stream| async move {
        while !read_head(&mut stream).await.contains("/stream ") {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
        }
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
        stream.write_all(head).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = origin.host_and_port();
    let mut sender = client(&proxy, &target).await;
    let mut streams = Vec::new();
    for _ in 0..6 {
        let request = Request::get(format!("https://{target}/stream")).body(()).unwrap();
        streams.push(soon(sender.send_request(request, true).unwrap().0).await.unwrap());
    }
    for most in [2000, 500] {
        let other = timeout(Duration::from_millis(most), send_h2(&proxy, &target, get(&target, "/short"))).await;
        assert_eq!(other.expect("it does not wait for the streams").text(), "ok");
    }
}
