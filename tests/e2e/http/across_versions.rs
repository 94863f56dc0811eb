//! Messages translated between HTTP/1.1 and HTTP/2: `TE`, and bodies of GET.

use bytes::Bytes;
use http::Request;

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{curl, raw},
    origin::response,
    streams::{client, reply},
    wire::soon,
};

const ON: &str = "https: { intercept: on }";

/// RFC 9110 § 10.1.4: over HTTP/1.1 `TE` is a field of one hop, and `Connection` must say so.
#[tokio::test]
async fn te_goes_to_an_http1_origin_with_its_connection_option_or_not_at_all() {
    let ca = TestCa::new();
    let tls = ca.server(&["localhost"], &[b"http/1.1"], |_| {});
    let origin = Origin::tls(tls.into(), |_| response(&[], "ok")).await;
    let plain = Origin::http(|_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let url = origin.https_url("/");
    if curl(&proxy, &["--http2", "--header", "TE: trailers", &url]).await.is_none() {
        return;
    }
    let request =
        format!("GET {} HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: TE, close\r\n\r\n", plain.url("/"));
    assert!(raw(proxy.addr, request).await.ends_with("ok"));
    for seen in [origin.last().headers, plain.last().headers] {
        let options = seen.get("connection").map_or("", |value| value.to_str().unwrap());
        let is_named = options.to_lowercase().split(',').any(|option| option.trim() == "te");
        assert_eq!(seen.contains_key("te"), is_named, "{seen:?}");
    }
}

/// RFC 9110 § 9.3.1 gives the body of a GET no meaning, and search engines one: it passes, with a length or without.
#[tokio::test]
async fn a_get_with_a_body_over_http2_keeps_it() {
    let ca = TestCa::new();
    for version in [&b"h2"[..], b"http/1.1"] {
        let tls = ca.server(&["localhost"], &[version], |_| {});
        let origin = Origin::tls(tls.into(), |seen| response(&[], seen.body.clone())).await;
        let proxy = TestProxy::trusting(&ca, ON).await;
        let mut sender = client(&proxy, &origin.host_and_port()).await;
        for length in [None, Some(5)] {
            let mut request = Request::get(origin.https_url("/"));
            if let Some(length) = length {
                request = request.header("content-length", length);
            }
            let (answer, mut body) = sender.send_request(request.body(()).unwrap(), false).unwrap();
            body.send_data(Bytes::from_static(b"hello"), true).unwrap();
            let reply = soon(reply(answer)).await.unwrap();
            let version = String::from_utf8_lossy(version);
            assert_eq!((reply.status, &reply.body[..]), (200, &b"hello"[..]), "{version} {length:?}");
        }
    }
}
