//! Protocol upgrades: plain, intercepted, over HTTP/2, and the ones that are refused.

use std::time::Duration;

use tokio::{io::AsyncWriteExt, time::sleep};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::connect_tls,
    origin::{read_head, response},
    websocket::{accept, exchange_words, talk, upgrade},
    wire::{SCHEMES, Setup},
};

#[tokio::test]
async fn a_plain_websocket_passes() {
    let origin = Origin::sockets(upgrade).await;
    let proxy = TestProxy::start("").await;
    let stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
    talk(stream, &origin.url("/chat"), "x").await;
    proxy.stop().await;
}

#[tokio::test]
async fn the_time_for_an_upgrade_begins_when_its_connection_is_there() {
    let ca = TestCa::new();
    let tls: TlsAcceptor = ca.server(&["localhost"], &[b"http/1.1"], |_| {}).into();
    let origin = Origin::sockets(move |stream| {
        let tls = tls.clone();
        async move {
            sleep(Duration::from_millis(1500)).await;
            upgrade(tls.accept(stream).await.unwrap()).await;
        }
    })
    .await;
    let settings = "https: { intercept: on }\ntimeouts: { first_byte_seconds: 1 }";
    let proxy = TestProxy::trusting(&ca, settings).await;
    let target = origin.host_and_port();
    let stream = connect_tls(&proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    talk(stream, "/chat", &target).await;
    proxy.stop().await;
}

#[tokio::test]
async fn an_intercepted_websocket_passes() {
    let ca = TestCa::new();
    // The origin would rather speak HTTP/2, where this upgrade does not exist.
    let origin = Origin::tls_sockets(&ca, &[b"h2", b"http/1.1"], upgrade).await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let stream = connect_tls(&proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    talk(stream, "/chat", &target).await;
}

#[tokio::test]
async fn a_refused_upgrade_is_an_ordinary_answer() {
    let origin = Origin::raw("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno").await;
    let proxy = TestProxy::start("").await;
    let fields = [("connection", "upgrade"), ("upgrade", "websocket")];
    let answer = crate::harness::get(&proxy, &origin.url("/"), &fields).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (403, "no"));
}

#[tokio::test]
async fn an_upgrade_nobody_asked_for_is_502() {
    let origin = Origin::raw("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n").await;
    let proxy = TestProxy::start("").await;
    assert_eq!(crate::harness::get(&proxy, &origin.url("/"), &[]).await.status, 502);
}

/// RFC 9110 § 7.8: a server may switch to nothing that it was not asked for, and must say to what.
#[tokio::test]
async fn a_switch_to_another_protocol_is_502() {
    for scheme in SCHEMES {
        for fields in [
            "Connection: upgrade\r\nUpgrade: other\r\n",
            "Connection: upgrade\r\nUpgrade: websocket, other\r\n",
            "Connection: upgrade\r\nUpgrade: h2c\r\n",
            "Upgrade: websocket\r\n",
            "",
        ] {
            let answer = format!("HTTP/1.1 101 Switching Protocols\r\n{fields}\r\nstolen");
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let request = setup
                .fill("GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n");
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.starts_with("HTTP/1.1 502"), "{scheme:?} {fields:?}: {got}");
            assert!(!got.contains("stolen"), "{got}");
        }
    }
}

/// RFC 9113 § 3.1 gave the upgrade to HTTP/2 up; what is asked for beside it stays. Without `Connection` (RFC 9110 § 7.8)
/// nothing is asked for.
#[tokio::test]
async fn http2_in_clear_is_taken_out_of_what_is_asked_for() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| {
            let asked = |name| seen.headers.get(name).map(|value| value.to_str().unwrap());
            response(&[], format!("{:?}", [asked("connection"), asked("upgrade")]))
        })
        .await;
        for (options, upgrade, asked) in [
            ("Upgrade, close", "websocket, h2c", r#"[Some("Upgrade"), Some("websocket")]"#),
            ("Upgrade, close", "h2c, H2C-14", "[None, None]"),
            ("close", "websocket", "[None, None]"),
        ] {
            let request = setup.fill(&format!(
                "GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\nConnection: {options}\r\nUpgrade: {upgrade}\r\n\r\n"
            ));
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.ends_with(asked), "{scheme:?} {upgrade}: {got}");
        }
    }
}

/// RFC 8441: browsers open web sockets over the HTTP/2 connection they have.
#[tokio::test]
async fn a_websocket_over_intercepted_http2_passes() {
    let ca = TestCa::new();
    let origin = Origin::tls_sockets(&ca, &[b"http/1.1"], move |mut stream| async move {
        let sent = read_head(&mut stream).await;
        let head = sent.to_lowercase();
        assert!(head.starts_with("get /"), "{head}");
        for field in ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: "] {
            assert!(head.contains(&format!("\r\n{field}")), "{head}");
        }
        // A server that has not read the key does not speak the protocol.
        let accept = if head.contains(" /deaf ") { "x".to_owned() } else { accept(&sent) };
        let answer = format!(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: chat\r\n\r\nfirst"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        let (mut read, mut write) = tokio::io::split(stream);
        let _ = tokio::io::copy(&mut read, &mut write).await;
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let stream = connect_tls(&proxy, &target, &proxy.ca_file(), &[b"h2"]).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    // The server's settings, which allow it, come with the first answer.
    let first =
        http::Request::get(format!("https://other.{target}/")).body(http_body_util::Empty::<bytes::Bytes>::new());
    sender.send_request(first.unwrap()).await.unwrap();
    let request = |path: &str| {
        http::Request::connect(format!("https://{target}{path}"))
            .extension(hyper::ext::Protocol::from_static("websocket"))
            .header("sec-websocket-version", "13")
            .header("sec-websocket-protocol", "chat")
            .body(http_body_util::Empty::new())
            .unwrap()
    };
    let deaf = sender.send_request(request("/deaf")).await.unwrap();
    assert_eq!(deaf.status(), 502);
    let answer = sender.send_request(request("/chat")).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["sec-websocket-protocol"], "chat");
    assert!(!answer.headers().contains_key("sec-websocket-accept"));
    let stream = hyper_util::rt::TokioIo::new(hyper::upgrade::on(answer).await.unwrap());
    exchange_words(stream).await;
}
