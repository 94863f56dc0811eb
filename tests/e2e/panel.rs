//! The control host.

use http::Request;
use http_body_util::Full;

use crate::harness::{TestProxy, client::curl, get, raw, send};

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
async fn a_foreign_host_does_not_get_the_page() {
    let proxy = TestProxy::start("").await;
    let port = proxy.addr.port();
    let request = format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n");
    assert!(raw(proxy.addr, request).await.starts_with("HTTP/1.1 400"));
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
    assert_eq!(
        get(&proxy, "http://gleaner.internal/ca.crt", &[])
            .await
            .status,
        404
    );
    assert!(!proxy.ca_file().exists());
}

#[tokio::test]
async fn nothing_is_changed_by_asking() {
    let proxy = TestProxy::start("").await;
    let request = Request::post("http://gleaner.internal/")
        .body(Full::default())
        .unwrap();
    let answer = send(&proxy, request).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("allow")),
        (405, "GET, HEAD")
    );
}
