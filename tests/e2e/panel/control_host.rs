//! All ways to reach the start page: the control host, the listener's address, TLS, tunnels, health checks.

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
    for host in [proxy.addr.to_string(), format!("localhost:{}", proxy.addr.port())] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert!(raw(proxy.addr, request).await.starts_with("HTTP/1.1 200"), "{host}");
    }
}

/// Health checks of load balancers leave out the port of `Host`, or send HTTP/1.0 without the field.
#[tokio::test]
async fn health_checks_are_answered_however_they_name_the_proxy() {
    let proxy = TestProxy::start("").await;
    let port = proxy.addr.port();
    for (head, status) in [
        ("1.0\r\n".to_owned(), 200),
        ("1.0\r\nHost: 127.0.0.1\r\n".to_owned(), 200),
        ("1.1\r\nHost: 127.0.0.1\r\n".to_owned(), 200),
        ("1.1\r\nHost: localhost\r\n".to_owned(), 200),
        // HTTP/1.1 must name a host, another port is another server, and a name may be any site's.
        ("1.1\r\n".to_owned(), 400),
        (format!("1.1\r\nHost: 127.0.0.1:{}\r\n", port ^ 1), 400),
        ("1.0\r\nHost: evil.example\r\n".to_owned(), 400),
        (format!("1.1\r\nHost: evil.example:{port}\r\n"), 400),
    ] {
        for path in ["/readyz", "/"] {
            let request = format!("GET {path} HTTP/{head}Connection: close\r\n\r\n");
            let answer = raw(proxy.addr, request).await;
            let got = answer.split(' ').nth(1).unwrap().to_owned();
            assert_eq!(got, status.to_string(), "{path} {head:?}: {answer}");
        }
    }
    // Through the proxy the port counts: on port 80 may be another server of this machine.
    let other = raw(proxy.addr, "GET http://127.0.0.1/readyz HTTP/1.0\r\n\r\n").await;
    assert!(!other.contains(" 200 "), "{other}");
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
    assert_eq!(pem.trim(), std::fs::read_to_string(proxy.ca_file()).unwrap().trim());
    assert!(!pem.contains("PRIVATE"));
    assert_eq!(get(&proxy, "http://gleaner.internal/ca.key.pem", &[]).await.status, 404);
}

/// The certificate can be installed before interception is switched on.
#[tokio::test]
async fn without_interception_an_authority_is_made_when_its_certificate_is_asked_for() {
    let proxy = TestProxy::start("https: { intercept: off }").await;
    get(&proxy, "http://gleaner.internal/", &[]).await;
    assert!(!proxy.ca_file().exists());
    let pem = get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    assert_eq!(pem.text(), std::fs::read_to_string(proxy.ca_file()).unwrap());
    let broken = TestProxy::start("authority: { dir: /proc/none }").await;
    let answer = get(&broken, "http://gleaner.internal/ca.pem", &[]).await;
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("its log says why"));
}

/// The address of the proxy in the address bar of a browser that uses the proxy.
#[tokio::test]
async fn the_proxys_own_address_asked_through_the_proxy_is_the_start_page() {
    let proxy = TestProxy::start("").await;
    let port = proxy.addr.port();
    for host in ["127.0.0.1", "localhost"] {
        let Some(page) = curl(&proxy, &[&format!("http://{host}:{port}/")]).await else {
            return;
        };
        assert!(page.contains("<h1>Gleaner</h1>"), "{host}: {page}");
        let pem = curl(&proxy, &[&format!("http://{host}:{port}/ca.pem")]).await;
        assert!(pem.unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
    }
}

/// A browser that was told `https:` asks for a tunnel. The page is there, over a leaf of our own.
#[tokio::test]
async fn the_page_is_there_over_tls_with_interception_and_without() {
    for yaml in ["", "https: { intercept: on }"] {
        over_tls(yaml).await;
    }
}

async fn over_tls(yaml: &str) {
    let proxy = TestProxy::start(yaml).await;
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let trust = proxy.ca_file();
    let arguments = ["--cacert", trust.to_str().unwrap(), "https://gleaner.internal/"];
    if let Some(page) = curl(&proxy, &arguments).await {
        assert!(page.contains("<h1>Gleaner</h1>"), "{page}");
    }
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
async fn without_an_authority_an_encrypted_visit_is_told_where_the_page_is() {
    let proxy = TestProxy::start("authority: { dir: /proc/none }").await;
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
        get(&proxy, "http://gleaner.internal/settings", &[]).await.text().to_owned()
    };
    let on = shown("").await;
    assert!(on.contains("<th>Filters</th>") && on.contains("<th>Style</th>"));
    let off = shown("rewrite: { enabled: false }").await;
    assert!(off.contains("passed as they are"));
    assert!(!off.contains("<th>Filters</th>") && !off.contains("<th>Style</th>"));
}
