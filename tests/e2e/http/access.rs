//! Client address ranges, Basic authentication, and limits on guessing.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::{basic, curl},
    get,
    origin::{html, read_head},
    raw,
    tls::trusting,
};

const ALLOWED: &str = "allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535']";

fn with_user() -> String {
    let hash = gleaner::hash_password("open: sesame").unwrap();
    format!("access: {{ {ALLOWED}, users: {{ anna: '{hash}' }} }}\n")
}

#[tokio::test]
async fn clients_outside_of_the_ranges_get_403() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let access = format!("access: {{ {ALLOWED}, clients: [192.0.2.0/24] }}");
    let proxy = TestProxy::start(&access).await;
    for url in [origin.url("/"), "http://gleaner.internal/".to_owned()] {
        let request = format!("GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = raw(proxy.addr, request).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    assert!(origin.requests().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn wrong_and_missing_credentials_get_the_same_407() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start(&with_user()).await;
    let url = origin.url("/");
    let missing = get(&proxy, &url, &[]).await;
    assert_eq!(missing.status, 407);
    // RFC 9110 § 11.7.1: a 407 carries a challenge.
    assert_eq!(missing.header("proxy-authenticate"), "Basic realm=\"Gleaner\", charset=\"UTF-8\"");
    for wrong in [
        basic("anna", "close: sesame"),
        basic("bert", "open: sesame"),
        basic("", ""),
        "Bearer token".to_owned(),
        "Basic %%%".to_owned(),
        "Basic".to_owned(),
        // A name without a colon.
        "Basic YW5uYQ==".to_owned(),
    ] {
        let answer = get(&proxy, &url, &[("proxy-authorization", &wrong)]).await;
        assert_eq!(answer.status, 407, "{wrong}");
        assert_eq!(answer.body, missing.body, "{wrong}");
        assert_eq!(answer.headers.len(), missing.headers.len(), "{wrong}");
    }
    // RFC 9110 § 5.3: one field, not two.
    let right = basic("anna", "open: sesame");
    let twice = [("proxy-authorization", right.as_str()); 2];
    assert_eq!(get(&proxy, &url, &twice).await.status, 407);
    // For a web site they are none.
    let field = [("authorization", basic("anna", "open: sesame"))];
    let field = [(field[0].0, field[0].1.as_str())];
    assert_eq!(get(&proxy, &url, &field).await.status, 407);
    assert!(origin.requests().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn the_right_credentials_let_in_and_go_no_further() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start(&with_user()).await;
    let right = basic("anna", "open: sesame");
    // RFC 9110 § 11.1: in any case.
    let right = right.replacen("Basic", "bAsIc", 1);
    let fields = [("proxy-authorization", right.as_str()), ("authorization", "Basic c2l0ZTpvd24=")];
    assert_eq!(get(&proxy, &origin.url("/"), &fields).await.status, 200);
    let seen = origin.last();
    assert!(!seen.headers.contains_key("proxy-authorization"));
    assert_eq!(seen.headers["authorization"], "Basic c2l0ZTpvd24=");
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_is_asked_once_at_its_connect() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let yaml = format!("{}https: {{ intercept: on }}\n", with_user());
    let proxy = TestProxy::trusting(&ca, &yaml).await;
    let target = origin.host_and_port();
    let bare = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    let answer = raw(proxy.addr, &bare).await;
    assert!(answer.starts_with("HTTP/1.1 407"), "{answer}");

    let mut stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
    let right = basic("anna", "open: sesame");
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nProxy-Authorization: {right}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let tls = trusting(&proxy.ca_file(), &[b"http/1.1"]);
    let mut inside =
        tokio_rustls::TlsConnector::from(tls).connect("localhost".try_into().unwrap(), stream).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n");
    inside.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = inside.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    proxy.stop().await;
}

#[tokio::test]
async fn curl_logs_in() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start(&with_user()).await;
    let arguments = ["--proxy-user", "anna:open: sesame", &origin.url("/")];
    let Some(page) = curl(&proxy, &arguments).await else {
        return;
    };
    assert!(page.contains("Grüße"), "{page}");
    proxy.stop().await;
}

#[tokio::test]
async fn our_own_pages_ask_as_a_web_server_does() {
    let proxy = TestProxy::start(&with_user()).await;
    let host = proxy.addr.to_string();
    let page = |field: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\n{field}Connection: close\r\n\r\n");
    // RFC 9110 § 11.6.1: 401 with `WWW-Authenticate`, for we are no proxy to this client.
    let answer = raw(proxy.addr, page("")).await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert!(answer.to_lowercase().contains("www-authenticate: basic"), "{answer}");
    let field = format!("Authorization: {}\r\n", basic("anna", "open: sesame"));
    let answer = raw(proxy.addr, page(&field)).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    proxy.stop().await;
}

#[tokio::test]
async fn guessing_passwords_ends_in_429() {
    let proxy = TestProxy::start(&with_user()).await;
    let url = "http://gleaner.internal/";
    let mut statuses = Vec::new();
    for guess in 0..12 {
        let field = basic("anna", &format!("guess {guess}"));
        let answer = get(&proxy, url, &[("proxy-authorization", &field)]).await;
        statuses.push(answer.status.as_u16());
    }
    assert_eq!(statuses[..10], [407; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    proxy.stop().await;
}
