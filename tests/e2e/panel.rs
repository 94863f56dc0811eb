//! The control host.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    TestProxy,
    client::{connect, connect_tls, curl},
    get, raw,
    wire::soon,
};

#[tokio::test]
async fn the_page_is_at_the_control_host_and_at_the_listeners_address() {
    let proxy = TestProxy::start("").await;
    let through = get(&proxy, "http://gleaner.internal/", &[]).await;
    assert_eq!(through.status, 200);
    assert!(through.text().contains(env!("CARGO_PKG_VERSION")));
    assert_eq!(through.header("cache-control"), "no-store");
    for host in [
        proxy.addr.to_string(),
        format!("localhost:{}", proxy.addr.port()),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert!(
            raw(proxy.addr, request).await.starts_with("HTTP/1.1 200"),
            "{host}"
        );
    }
}

#[tokio::test]
async fn the_certificate_is_handed_out_and_the_key_is_not() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    let der = get(&proxy, "http://gleaner.internal/ca.crt", &[]).await;
    assert_eq!(der.header("content-type"), "application/x-x509-ca-cert");
    x509_parser::parse_x509_certificate(&der.body).unwrap();
    let Some(pem) = curl(&proxy, &["http://gleaner.internal/ca.pem"]).await else {
        return;
    };
    assert_eq!(
        pem.trim(),
        std::fs::read_to_string(proxy.ca_file()).unwrap().trim()
    );
    assert!(!pem.contains("PRIVATE"));
    assert_eq!(
        get(&proxy, "http://gleaner.internal/ca.key.pem", &[])
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn there_is_no_authority_while_interception_is_off() {
    let proxy = TestProxy::start("").await;
    for file in ["ca.crt", "ca.pem"] {
        let answer = get(&proxy, &format!("http://gleaner.internal/{file}"), &[]).await;
        assert_eq!(answer.status, 404);
        assert!(answer.text().contains("intercept: on"), "{file}");
    }
    assert!(!proxy.ca_file().exists());
}

/// A browser that was told `https:` asks for a tunnel. With interception on the page is there, over a leaf of our own.
#[tokio::test]
async fn the_page_is_there_over_tls_where_interception_is_on() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    for alpn in [&[b"http/1.1".as_slice()][..], &[b"h2"]] {
        let request = Request::get("https://gleaner.internal/ca.pem");
        let stream = connect_tls(&proxy, "gleaner.internal:443", &proxy.ca_file(), alpn).await;
        let io = TokioIo::new(stream.unwrap());
        let answer = if alpn == [b"h2"] {
            let executor = TokioExecutor::new();
            let (mut sender, connection) = http2::handshake(executor, io).await.unwrap();
            tokio::spawn(connection);
            let request = request.body(Full::<Bytes>::default()).unwrap();
            sender.send_request(request).await.unwrap()
        } else {
            let (mut sender, connection) = http1::handshake(io).await.unwrap();
            tokio::spawn(connection);
            let request = Request::get("/ca.pem").header("host", "gleaner.internal");
            let request = request.body(Full::<Bytes>::default()).unwrap();
            sender.send_request(request).await.unwrap()
        };
        assert_eq!(answer.status(), 200, "{alpn:?}");
        assert_eq!(answer.headers()["content-type"], "application/x-pem-file");
    }
}

#[tokio::test]
async fn without_interception_an_encrypted_visit_is_told_where_the_page_is() {
    let proxy = TestProxy::start("").await;
    let request = "CONNECT gleaner.internal:443 HTTP/1.1\r\nHost: gleaner.internal:443\r\n\r\n";
    let answer = soon(raw(proxy.addr, request)).await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(answer.contains("http://gleaner.internal/"), "{answer}");
}

/// Some programs send everything through tunnels.
#[tokio::test]
async fn the_page_is_there_through_a_tunnel_to_port_80() {
    for yaml in ["", "https: { intercept: on }"] {
        let proxy = TestProxy::start(yaml).await;
        let mut tunnel = connect(&proxy, "gleaner.internal:80").await;
        let request = "GET / HTTP/1.1\r\nHost: gleaner.internal\r\nConnection: close\r\n\r\n";
        tunnel.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(tunnel.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{yaml}: {answer}");
        // And nothing but the page is behind it.
        let mut tunnel = connect(&proxy, "gleaner.internal:80").await;
        let request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
        tunnel.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(tunnel.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 421"), "{yaml}: {answer}");
    }
}

#[tokio::test]
async fn filters_that_do_not_run_are_not_shown_as_in_force() {
    let shown = |yaml: &'static str| async move {
        let proxy = TestProxy::start(yaml).await;
        get(&proxy, "http://gleaner.internal/", &[])
            .await
            .text()
            .to_owned()
    };
    let on = shown("").await;
    assert!(on.contains("Filters") && on.contains("Ad servers known"));
    let off = shown("rewrite: { enabled: false }").await;
    assert!(off.contains("passed as they are"));
    assert!(!off.contains("Filters") && !off.contains("Ad servers known"));
}
