//! Security of our own pages: header fields, foreign hosts, methods, escaping.

use http::Request;
use http_body_util::Full;

use crate::harness::{Origin, TestProxy, client::send_h2, get, raw, send};

/// Head and body of a raw answer.
fn parts(answer: &str) -> (String, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    (head.to_lowercase(), body)
}

fn assert_hardened(answer: &str) {
    let (head, _) = parts(answer);
    for field in [
        "content-security-policy: default-src 'none'",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cross-origin-opener-policy: same-origin",
    ] {
        assert!(head.contains(field), "{field} is missing in {head}");
    }
    assert!(!head.contains("access-control-"), "{head}");
}

#[tokio::test]
async fn head_over_http2_has_the_length_and_no_content() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    for (path, status) in [("/", 200), ("/ca.pem", 200), ("/nothing", 404)] {
        let request = |method| {
            let uri = format!("https://gleaner.internal{path}");
            Request::builder().method(method).uri(uri).body(Full::default()).unwrap()
        };
        let [head, whole] = [
            send_h2(&proxy, "gleaner.internal:443", request("HEAD")).await,
            send_h2(&proxy, "gleaner.internal:443", request("GET")).await,
        ];
        assert_eq!((head.status.as_u16(), whole.status.as_u16()), (status, status), "{path}");
        assert_eq!(head.headers.get("content-length").unwrap(), &whole.body.len().to_string()[..], "{path}");
        assert!(head.body.is_empty(), "{path}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn every_answer_of_our_own_is_hardened() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    let host = proxy.addr;
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\n"), "200"),
        (format!("GET /none HTTP/1.1\r\nHost: {host}\r\n"), "404"),
        (format!("GET /ca.crt HTTP/1.1\r\nHost: {host}\r\n"), "200"),
        (format!("GET /ca.pem HTTP/1.1\r\nHost: {host}\r\n"), "200"),
        (format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n"), "405"),
        ("GET http://0.0.0.0/ HTTP/1.1\r\nHost: x\r\n".to_owned(), "403"),
        ("GET ftp://a.example/ HTTP/1.1\r\nHost: x\r\n".to_owned(), "400"),
        ("GET http://none.invalid/ HTTP/1.1\r\nHost: x\r\n".to_owned(), "502"),
        ("CONNECT 198.51.100.7:22 HTTP/1.1\r\nHost: x\r\n".to_owned(), "403"),
    ] {
        let request = format!("{request}Origin: https://evil.example\r\nConnection: close\r\n\r\n");
        let answer = raw(proxy.addr, &request).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{request}{answer}");
        assert_hardened(&answer);
    }
    proxy.stop().await;
}

/// Each page says what to do next: the address to add, another try, and where the proxy's own page is.
#[tokio::test]
async fn error_pages_say_what_to_do() {
    const START: &str = "<a href=\"http://gleaner.internal/\">";
    const AGAIN: &str = "<a class=\"button\" href=\"\">Try again</a>";
    let proxy = TestProxy::start("").await;
    let unreachable = get(&proxy, "http://none.invalid/", &[]).await;
    let refused = get(&proxy, "http://198.51.100.7:25/", &[]).await;
    let strangers = TestProxy::start("access: { clients: [192.0.2.0/24] }").await;
    let stranger = get(&strangers, "http://a.example/", &[]).await;
    for (page, words, has_start, has_again) in [
        (&unreachable, "cannot be reached", true, true),
        (&refused, "<code>access.allow_targets</code>", true, false),
        (&stranger, "- loopback\n  - &quot;127.0.0.1&quot;", false, true),
    ] {
        let text = page.text();
        assert!(text.contains(words), "{text}");
        assert!(!text.contains('`'), "{text}");
        assert_eq!(text.contains(START), has_start, "{text}");
        assert_eq!(text.contains(AGAIN), has_again, "{text}");
    }
}

/// DNS rebinding: a site points its own name at us; the browser then believes our page is the site's.
#[tokio::test]
async fn a_foreign_host_is_refused_whatever_it_resembles() {
    let proxy = TestProxy::start("").await;
    let port = proxy.addr.port();
    for host in [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("gleaner.internal.evil.example:{port}"),
        format!("evilgleaner.internal:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil.localhost:{port}"),
        format!("198.51.100.7:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        format!("user@127.0.0.1:{port}"),
        String::new(),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = raw(proxy.addr, request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{host}: {answer}");
        // Somebody who knows the machine by a name finds the way.
        let way = answer.contains(&format!("href=\"http://{}/\"", proxy.addr));
        assert!(way || host.is_empty() || host.contains('@'), "{host}: {answer}");
        assert!(!answer.contains("<h1>Gleaner</h1>"), "{host}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn no_method_but_get_and_head_is_answered_and_none_changes_anything() {
    // With interception the page names a check host that is new each time.
    let proxy = TestProxy::start("https: { intercept: off }").await;
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let request = Request::builder().method(method).uri("http://gleaner.internal/").body(Full::default()).unwrap();
        assert_eq!(send(&proxy, request).await.status, 405, "{method}");
    }
    // GET gives the same page whatever is asked along with it.
    let page = get(&proxy, "http://gleaner.internal/", &[]).await;
    for query in ["?intercept=on", "?reload", "?_method=POST"] {
        let answer = get(&proxy, &format!("http://gleaner.internal/{query}"), &[]).await;
        assert_eq!(answer.body, page.body, "{query}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn nothing_from_outside_becomes_markup_or_a_field() {
    let origin = Origin::raw("HTTP/1.1 200 <script>\r\nX: \u{1}\r\n\r\n").await;
    let proxy = TestProxy::start("").await;
    let host = proxy.addr;
    let bad = "%0d%0aInjected:%20yes%0d%0a%0d%0a<script>alert(1)</script>";
    for target in [
        format!("http://gleaner.internal/{bad}"),
        format!("http://gleaner.internal/?{bad}"),
        format!("http://none.invalid/{bad}"),
        format!("http://{}/{bad}", origin.addr),
        format!("http://{bad}/"),
        format!("http://xn--{bad}.invalid/"),
        "http://<script>.invalid/".to_owned(),
        "http://\"onload=x.invalid/".to_owned(),
        format!("/{bad}"),
        "http://gleaner.internal/\rInjected: yes".to_owned(),
        "http://none.invalid/\rInjected: yes".to_owned(),
    ] {
        for fields in [
            format!("Host: {host}\r\n"),
            format!("Host: {host}\r\nReferer: {bad}\r\nUser-Agent: <script>\r\n"),
            "Host: <script>alert(1)</script>\r\n".to_owned(),
            "Host: a\rInjected: yes\r\n".to_owned(),
        ] {
            let request = format!("GET {target} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n");
            let answer = raw(proxy.addr, &request).await;
            let (head, body) = parts(&answer);
            assert!(!head.contains("\r\ninjected") && !head.contains("\rinjected"), "{request}{answer}");
            assert!(!body.to_lowercase().contains("<script"), "{request}{answer}");
        }
    }
    proxy.stop().await;
}
