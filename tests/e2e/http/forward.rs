//! Plain requests: what passes unchanged, and the answers where a server cannot be reached, a name is unknown, or a request is not for
//! a proxy.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::{curl, free_port},
    get,
    origin::{html, response},
    raw, send,
};

#[tokio::test]
async fn path_query_and_body_pass_byte_for_byte() {
    let origin = Origin::http(|seen| response(&[("x-back", "1")], seen.body.clone())).await;
    let proxy = TestProxy::start("").await;
    let body: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let request = Request::builder()
        .method(Method::POST)
        .uri(origin.url("/a%20b/%C3%A9?q=1&r=%2F;x"))
        .header("cookie", "a=1; b=\"2\"")
        .header("authorization", "Basic Zm9v")
        .body(Full::new(Bytes::from(body.clone())))
        .unwrap();
    let answer = send(&proxy, request).await;
    assert_eq!(answer.body, body);
    let seen = origin.last();
    assert_eq!(seen.method, Method::POST);
    assert_eq!(seen.uri, "/a%20b/%C3%A9?q=1&r=%2F;x");
    assert_eq!(seen.headers["host"], origin.addr.to_string());
    assert_eq!(seen.headers["cookie"], "a=1; b=\"2\"");
    assert_eq!(seen.headers["authorization"], "Basic Zm9v");
    proxy.stop().await;
}

#[tokio::test]
async fn what_is_not_html_is_not_touched() {
    let body: Vec<u8> = (0..=255).cycle().take(2_000_000).collect();
    let copy = body.clone();
    let origin = Origin::http(move |_| {
        let fields = [("content-type", "application/octet-stream"), ("etag", "\"x\"")];
        response(&fields, copy.clone())
    })
    .await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.body, body);
    assert_eq!(answer.header("etag"), "\"x\"");
    assert_eq!(answer.header("gleaner"), "");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_page_with_its_name() {
    let addr = format!("127.0.0.1:{}", free_port());
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &format!("http://{addr}/"), &[]).await;
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains(&addr));
    assert!(answer.text().contains("refused"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_an_error_page() {
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, "http://nowhere.invalid/", &[]).await;
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("DNS"), "{}", answer.text());
}

#[tokio::test]
async fn requests_that_are_not_for_a_proxy_are_refused() {
    let proxy = TestProxy::start("").await;
    let request = "GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
    assert!(raw(proxy.addr, request).await.starts_with("HTTP/1.1 400"));
    let request = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert!(raw(proxy.addr, request).await.starts_with("HTTP/1.1 400"));
}

#[tokio::test]
async fn the_proxy_does_not_talk_to_itself() {
    let proxy = TestProxy::start("").await;
    // Its own page is all that is there.
    let answer = get(&proxy, &format!("http://{}/none", proxy.addr), &[]).await;
    assert_eq!(answer.status, 404);
    let answer = raw(proxy.addr, format!("CONNECT {} HTTP/1.1\r\nHost: x\r\n\r\n", proxy.addr)).await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
}

#[tokio::test]
async fn curl_gets_a_page_through_the_proxy() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    let Some(page) = curl(&proxy, &["--include", "--compressed", &origin.url("/")]).await else {
        return;
    };
    assert!(page.contains("Gleaner: rewritten"), "{page}");
    assert!(page.contains("Grüße"));
}

#[tokio::test]
async fn an_encrypted_address_in_a_plain_request_is_fetched() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, "").await;
    let request = Request::get(origin.https_url("/")).body(Full::default());
    let answer = send(&proxy, request.unwrap()).await;
    assert_eq!(answer.status, 200);
}
