//! CONNECT with interception: what is decrypted over HTTP/1.1 and HTTP/2, and what is tunnelled instead.

use http::{Request, Version};
use http_body_util::Full;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::{connect, connect_as, connect_tls, curl, handshake, send_h2},
    origin::{html, read_head, response},
};

const ON: &str = "https: { intercept: on, except: [excepted.example] }\n";

fn target(origin: &Origin) -> String {
    origin.host_and_port()
}

#[tokio::test]
async fn pages_are_rewritten_over_http2_and_http1() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let request = Request::get(origin.https_url("/")).body(Full::default()).unwrap();
    let answer = send_h2(&proxy, &target(&origin), request).await;
    assert_eq!(answer.version, Version::HTTP_2);
    assert!(answer.header("gleaner").starts_with("rewritten"));
    assert!(answer.text().contains("Grüße"));
    // The links of the bar name the page: nobody on the way may read that.
    let plain = answer.text().contains("http://gleaner.internal");
    assert!(answer.text().contains("\"https://gleaner.internal/original?page=") && !plain, "{}", answer.text());
    assert_eq!(origin.last().version, Version::HTTP_2);
    assert!(!answer.headers.contains_key("connection"));
    for version in ["--http1.1", "--http2"] {
        let Some(page) = curl(&proxy, &[version, "--include", &origin.https_url("/")]).await else {
            return;
        };
        assert!(page.to_lowercase().contains("gleaner: rewritten"), "{page}");
    }
    proxy.stop().await;
}

/// Chromium opens several connections at once, and closes the others when the first turns out to be HTTP/2.
#[tokio::test]
async fn connections_that_are_closed_unused_beside_one_in_use_are_no_refusals() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = target(&origin);
    let open = || async { connect_tls(&proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap() };
    for _ in 0..3 {
        let (mut used, spare, another) = (open().await, open().await, open().await);
        for mut spare in [spare, another] {
            spare.shutdown().await.unwrap();
            // Until the proxy has seen the end.
            let _ = spare.read_to_end(&mut Vec::new()).await;
        }
        let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n");
        used.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        used.read_to_string(&mut answer).await.unwrap();
        assert!(answer.to_lowercase().contains("gleaner: rewritten"), "{answer}");
    }
    proxy.stop().await;
}

/// A browser refuses a certificate by an alert. It opens connections in advance, and may close each of them unused.
#[tokio::test]
async fn connections_that_a_browser_closes_unused_are_no_refusals() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = target(&origin);
    for (agent, is_opened) in [("Mozilla/5.0 Chrome/140.0", true), ("app/1.0", false)] {
        for _ in 0..3 {
            let tunnel = connect_as(&proxy, &target, agent).await;
            let Ok(mut unused) = handshake(tunnel, &target, &proxy.ca_file(), &[b"http/1.1"]).await else { break };
            unused.shutdown().await.unwrap();
            let _ = unused.read_to_end(&mut Vec::new()).await;
        }
        let tunnel = connect_as(&proxy, &target, agent).await;
        let opened = handshake(tunnel, &target, &proxy.ca_file(), &[b"http/1.1"]).await;
        assert_eq!(opened.is_ok(), is_opened, "{agent}");
    }
}

#[tokio::test]
async fn an_http2_client_reaches_an_http1_origin() {
    let ca = TestCa::new();
    let tls = ca.server(&["localhost"], &[b"http/1.1"], |_| {});
    let origin = Origin::tls(tls.into(), |_| {
        response(&[("content-type", "text/plain"), ("connection", "x-a"), ("x-a", "1")], "ok")
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let request = Request::post(origin.https_url("/p?q"))
        .header("cookie", "a=1")
        .header("cookie", "b=2")
        .body(Full::from("body"))
        .unwrap();
    let answer = send_h2(&proxy, &target(&origin), request).await;
    assert_eq!(answer.text(), "ok");
    assert!(!answer.headers.contains_key("x-a"));
    let seen = origin.last();
    assert_eq!(seen.version, Version::HTTP_11);
    assert_eq!((seen.uri.to_string().as_str(), &seen.body[..]), ("/p?q", b"body".as_slice()));
    assert_eq!(seen.headers["host"], target(&origin));
    // As browsers send it.
    assert_eq!(seen.headers.keys().next().unwrap(), "host");
    let cookies: Vec<_> = seen.headers.get_all("cookie").iter().collect();
    assert_eq!(cookies, ["a=1; b=2"]);
}

#[tokio::test]
async fn inside_a_tunnel_for_one_host_nothing_goes_to_another() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let mut stream = connect_tls(&proxy, &target(&origin), &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n").await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 421"), "{head}");
    assert!(origin.requests().is_empty());
    let request = Request::get("https://other.example/").body(Full::default()).unwrap();
    let answer = send_h2(&proxy, &target(&origin), request).await;
    assert_eq!(answer.status, 421);
    assert!(!answer.headers.contains_key("connection"));
}

#[tokio::test]
async fn a_bad_certificate_is_an_error_page_inside_the_connection() {
    let ca = TestCa::new();
    let expired = |params: &mut rcgen::CertificateParams| {
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2020, 2, 1);
    };
    let unknown = TestCa::new();
    let cases = [
        (ca.server(&["localhost"], &[], expired), "expired"),
        (ca.server(&["other.example"], &[], |_| {}), "another host"),
        (unknown.server(&["localhost"], &[], |_| {}), "unknown authority"),
    ];
    let proxy = TestProxy::trusting(&ca, ON).await;
    for (tls, reason) in cases {
        let origin = Origin::tls(tls.into(), |_| html(PAGE)).await;
        let Some(page) = curl(&proxy, &["--include", &origin.https_url("/")]).await else {
            return;
        };
        assert!(page.contains("HTTP/2 502"), "{page}");
        assert!(page.contains(reason) && page.contains("localhost"), "{page}");
        assert!(origin.requests().is_empty());
    }
}

#[tokio::test]
async fn excepted_hosts_are_tunnelled() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on, except: [localhost] }").await;
    let trust = proxy.ca_file().parent().unwrap().with_file_name("origins.pem");
    connect_tls(&proxy, &target(&origin), &trust, &[b"http/1.1"]).await.unwrap();
}

#[tokio::test]
async fn another_name_inside_is_tunnelled() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let stream = connect(&proxy, &origin.addr.to_string()).await;
    let trust = proxy.ca_file().parent().unwrap().with_file_name("origins.pem");
    let tls = crate::harness::tls::trusting(&trust, &[b"http/1.1"]);
    let name = "localhost".try_into().unwrap();
    // The origin's own certificate: the proxy stayed out of it.
    tokio_rustls::TlsConnector::from(tls).connect(name, stream).await.unwrap();
}

#[tokio::test]
async fn what_is_not_tls_is_tunnelled_with_every_byte() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start(ON).await;
    for text in [b"plain words".as_slice(), &[22], &[22, 3, 1, 0, 5, 1, 0, 0, 1, 9]] {
        let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
        tunnel.write_all(text).await.unwrap();
        tunnel.shutdown().await.unwrap();
        let mut back = Vec::new();
        tunnel.read_to_end(&mut back).await.unwrap();
        assert_eq!(back, text);
    }
}

#[tokio::test]
async fn a_server_that_speaks_first_is_heard() {
    let origin = Origin::sockets(|mut stream| async move {
        stream.write_all(b"220 hello\r\n").await.unwrap();
        let mut answer = [0; 4];
        stream.read_exact(&mut answer).await.unwrap();
        stream.write_all(&answer).await.unwrap();
    })
    .await;
    let proxy = TestProxy::start(ON).await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    let mut greeting = [0; 11];
    tunnel.read_exact(&mut greeting).await.unwrap();
    assert_eq!(&greeting, b"220 hello\r\n");
    tunnel.write_all(b"QUIT").await.unwrap();
    let mut back = [0; 4];
    tunnel.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"QUIT");
}

#[tokio::test]
async fn several_requests_share_one_connection() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |seen| response(&[], seen.uri.path().to_owned())).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let (one, two) = (origin.https_url("/one"), origin.https_url("/two"));
    let Some(both) = curl(&proxy, &[&one, &two]).await else {
        return;
    };
    assert_eq!(both, "/one/two");
}
