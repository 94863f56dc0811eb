//! HEAD of a page: the fields that GET would be answered with (RFC 9110 § 9.3.2).

use http::{Method, Request};
use http_body_util::Full;

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{Recorded, response},
    send,
};

const FIELDS: [(&str, &str); 8] = [
    ("content-type", "text/html;charset=utf-8"),
    ("etag", "\"v1\""),
    ("accept-ranges", "bytes"),
    ("content-md5", "x"),
    ("repr-digest", "sha-256=:x:"),
    ("link", "</a.js>; rel=preload; as=script"),
    ("last-modified", "Sat, 21 Nov 2026 11:00:00 GMT"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
];

fn page(seen: &Recorded) -> http::Response<Full<bytes::Bytes>> {
    let mut answer = response(&FIELDS, if seen.method == Method::HEAD { "" } else { PAGE });
    if seen.method == Method::HEAD {
        let length = http::HeaderValue::from(PAGE.len());
        answer.headers_mut().insert("content-length", length);
    }
    answer
}

#[tokio::test]
async fn head_of_a_page_has_the_fields_of_its_get() {
    let origin = Origin::http(page).await;
    let proxy = TestProxy::start("").await;
    let request = Request::head(origin.url("/")).body(Full::default());
    let head = send(&proxy, request.unwrap()).await;
    let get = get(&proxy, &origin.url("/"), &[]).await;
    assert!(get.header("gleaner").starts_with("rewritten"));
    assert_eq!(head.header("gleaner"), "eligible");
    assert!(head.header("etag").starts_with("W/\"gleaner-"), "{head:?}");
    // What only the content's making tells is left out.
    let unseen = ["gleaner", "content-length", "date", "via"];
    for name in get.headers.keys().filter(|name| !unseen.contains(&name.as_str())) {
        let values = |headers: &http::HeaderMap| headers.get_all(name).iter().cloned().collect::<Vec<_>>();
        assert_eq!(values(&head.headers), values(&get.headers), "{name}");
    }
    for name in head.headers.keys() {
        assert!(get.headers.contains_key(name), "{name} is not in the GET");
    }
    assert!(!head.headers.contains_key("content-length"), "{head:?}");
}

/// The tag that HEAD showed is one that a GET can ask with.
#[tokio::test]
async fn the_tag_of_a_head_is_good_for_a_get() {
    let origin = Origin::http(|seen| {
        let mut answer = page(seen);
        if seen.headers.get("if-none-match").is_some_and(|tag| tag == "\"v1\"") {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            *answer.body_mut() = Full::default();
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let request = Request::head(origin.url("/")).body(Full::default());
    let head = send(&proxy, request.unwrap()).await;
    let tag = head.header("etag");
    let again = get(&proxy, &origin.url("/"), &[("if-none-match", tag)]).await;
    assert_eq!((again.status.as_u16(), again.header("etag")), (304, tag));
}

#[tokio::test]
async fn head_of_anything_else_keeps_its_fields() {
    for (fields, yaml) in [
        (&[("content-type", "image/png"), ("etag", "\"v1\""), ("content-length", "1000")], ""),
        (
            &[("content-type", "text/html"), ("etag", "\"v1\""), ("content-length", "1000")],
            "rewrite: { enabled: false }",
        ),
    ] {
        let origin = Origin::http(move |_| response(fields, "")).await;
        let proxy = TestProxy::start(yaml).await;
        let request = Request::head(origin.url("/")).body(Full::default());
        let head = send(&proxy, request.unwrap()).await;
        for (name, value) in fields {
            assert_eq!(head.header(name), *value, "{yaml}");
        }
    }
}
