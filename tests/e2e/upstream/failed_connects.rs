//! Sites that cannot be reached over HTTPS: a client must see that as the failure of its CONNECT, so that a browser goes back
//! to `http://`.

use std::time::Duration;

use http::Request;
use http_body_util::Full;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::{Browser, Firefox},
    client::{connect_as, free_port, handshake},
    namespace,
    origin::read_head,
    raw,
};

const ON: &str = "https: { intercept: on }";
const BROWSER: &str = "Mozilla/5.0 Chrome/140.0";

/// Hosts that browsers take for ones of the internet, with the ports that they use by themselves.
const BEFORE: &str = "echo '127.0.0.1 www.plain-site.com www.shared-site.com www.good-site.com' >/tmp/gleaner-hosts-$$; \
    mount --bind /tmp/gleaner-hosts-$$ /etc/hosts; rm -f /tmp/gleaner-hosts-$$ || true";

/// A page over plain HTTP, which says so.
async fn plain(addr: [u8; 4]) -> Origin {
    Origin::sockets_at((addr, 80), |mut stream| async move {
        while !read_head(&mut stream).await.is_empty() {
            let page = "<!doctype html><title>t</title><p>in clear</p>";
            let answer =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}", page.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    })
    .await
}

/// A server for this name on the port of HTTPS.
async fn encrypted(ca: &TestCa, name: &str) -> Origin {
    let tls: TlsAcceptor = ca.server(&[name], &[b"http/1.1"], |_| {}).into();
    Origin::sockets_at(([127, 0, 0, 1], 443), move |stream| {
        let tls = tls.clone();
        async move {
            let Ok(mut stream) = tls.accept(stream).await else { return };
            while !read_head(&mut stream).await.is_empty() {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_program_is_told_at_once_that_nobody_listens() {
    let addr = format!("127.0.0.1:{}", free_port());
    let proxy = TestProxy::start(ON).await;
    for _ in 0..4 {
        let answer = raw(proxy.addr, format!("CONNECT {addr} HTTP/1.1\r\nHost: {addr}\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains("refused"), "{answer}");
    }
    proxy.stop().await;
}

/// Without HTTPS at all, and with the certificate of another site on the same server.
#[tokio::test]
async fn chromium_goes_back_to_plain_http() {
    if !namespace::enter("upstream::failed_connects::chromium_goes_back_to_plain_http", BEFORE) {
        return;
    }
    let Some(browser) = Browser::find() else { return };
    let ca = TestCa::new();
    let _plain = plain([127, 0, 0, 1]).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let Some(()) = browser.trust("gleaner", &proxy.ca_file()) else { return };
    let dom = browser.dom(&proxy, "http://www.plain-site.com/".to_owned()).await;
    assert!(dom.contains("in clear"), "{dom}");
    let _shared = encrypted(&ca, "www.other-site.com").await;
    let dom = browser.dom(&proxy, "http://www.shared-site.com/".to_owned()).await;
    assert!(dom.contains("in clear"), "{dom}");
    proxy.stop().await;
}

#[tokio::test]
async fn firefox_goes_back_to_plain_http() {
    if !namespace::enter("upstream::failed_connects::firefox_goes_back_to_plain_http", BEFORE) {
        return;
    }
    let ca = TestCa::new();
    let origin = plain([127, 0, 0, 1]).await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let Some(firefox) = Firefox::find(&proxy) else { return };
    firefox.prefer("dom.security.https_first", "true");
    firefox.trust("gleaner", &proxy.ca_file());
    firefox.open("http://www.plain-site.com/".to_owned()).await;
    assert!(origin.connections() > 0, "nobody came");
    let (before, _shared) = (origin.connections(), encrypted(&ca, "www.other-site.com").await);
    firefox.open("http://www.shared-site.com/".to_owned()).await;
    assert!(origin.connections() > before, "nobody came");
    proxy.stop().await;
}

/// The status of the proxy's answer to a CONNECT of a browser.
async fn status(proxy: &TestProxy, host: &str) -> String {
    let mut stream = TcpStream::connect(proxy.addr).await.unwrap();
    let request = format!("CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\nUser-Agent: {BROWSER}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read_head(&mut stream).await.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Who asks on for `https://` is shown why; who has gone back in between is not.
#[tokio::test]
async fn a_person_who_asks_on_reads_the_reason() {
    if !namespace::enter("upstream::failed_connects::a_person_who_asks_on_reads_the_reason", BEFORE) {
        return;
    }
    let ca = TestCa::new();
    let _plain = plain([127, 0, 0, 1]).await;
    let _shared = encrypted(&ca, "www.other-site.com").await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let host = "www.shared-site.com";
    let pause = || sleep(Duration::from_millis(550));
    for goes_back in [true, false] {
        // Together they count once.
        let (one, other) = tokio::join!(status(&proxy, host), status(&proxy, host));
        assert_eq!([one, other], ["502", "502"]);
        pause().await;
        assert_eq!(status(&proxy, host).await, "502");
        if goes_back {
            let request = format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {BROWSER}\r\n\r\n");
            let mut stream = TcpStream::connect(proxy.addr).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            assert!(read_head(&mut stream).await.starts_with("HTTP/1.1 200 "));
        }
        pause().await;
    }
    let target = format!("{host}:443");
    let tunnel = connect_as(&proxy, &target, BROWSER).await;
    let mut stream = handshake(tunnel, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains("another host"), "{answer}");
    proxy.stop().await;
}

/// Browsers open more connections than they use.
#[tokio::test]
async fn the_connection_that_was_opened_before_is_the_one_that_is_used() {
    if !namespace::enter(
        "upstream::failed_connects::the_connection_that_was_opened_before_is_the_one_that_is_used",
        BEFORE,
    ) {
        return;
    }
    let ca = TestCa::new();
    let origin = encrypted(&ca, "www.good-site.com").await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = "www.good-site.com:443";
    let open = || connect_as(&proxy, target, BROWSER);
    let (tunnel, ..) = tokio::join!(open(), open(), open(), open(), open(), open());
    assert_eq!(origin.connections(), 1);
    let stream = handshake(tunnel, target, &proxy.ca_file(), &[b"h2"]).await.unwrap();
    let executor = hyper_util::rt::TokioExecutor::new();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let request = Request::post("https://www.good-site.com/").body(Full::<bytes::Bytes>::default()).unwrap();
    assert_eq!(sender.send_request(request).await.unwrap().status(), 200);
    // A program's connection is TCP, until it says what it speaks.
    let tunnel = connect_as(&proxy, "www.good-site.com:443", "curl/8.0").await;
    drop(tunnel);
    assert_eq!(origin.connections(), 1);
    proxy.stop().await;
}
