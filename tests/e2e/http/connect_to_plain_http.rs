//! CONNECT to a port of plain HTTP, as browsers use it for `ws://` and curl for `--proxytunnel`; other protocols reach
//! no port that is not listed.

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Notify,
};

use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::Browser,
    client::{connect, curl},
    origin::{read_head, response},
    tls::trusting,
    websocket,
    wire::soon,
};

/// The address may be reached, and its port is no port for encrypted connections.
const UNLISTED: &str =
    "access: { allow_targets: ['127.0.0.1'], private_targets: allow }\nrewrite: { enabled: false }\n";

const PAGE: &str = "<!doctype html><title>x</title><script>
const socket = new WebSocket('ws://' + location.host + '/socket');
socket.onmessage = event => fetch('/heard/' + event.data);
socket.onerror = () => fetch('/heard/nothing');
</script><img src=/hold>";

#[tokio::test]
async fn chromium_opens_a_web_socket_to_a_plain_server() {
    let Some(browser) = Browser::find() else {
        return;
    };
    // The browser leaves when the page is loaded; its image is not there before the answer is heard.
    let (answered, words) = (Arc::new(Notify::new()), Arc::<std::sync::Mutex<String>>::default());
    let said = Arc::clone(&words);
    let origin = Origin::sockets(move |mut stream| {
        let (answered, said) = (Arc::clone(&answered), Arc::clone(&said));
        async move {
            let head = read_head(&mut stream).await;
            let answer = match head.split(' ').nth(1) {
                Some("/socket") => format!(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                     Sec-WebSocket-Accept: {}\r\n\r\n\u{0}",
                    websocket::accept(&head)
                ),
                Some("/") => format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{PAGE}"),
                Some("/hold") => {
                    answered.notified().await;
                    "HTTP/1.1 204 No\r\nConnection: close\r\n\r\n".to_owned()
                }
                other => {
                    if let Some(word) = other.and_then(|path| path.strip_prefix("/heard/")) {
                        word.clone_into(&mut said.lock().unwrap());
                        answered.notify_one();
                    }
                    "HTTP/1.1 204 No\r\nConnection: close\r\n\r\n".to_owned()
                }
            };
            // One text frame (RFC 6455 § 5.2).
            let frame = answer.ends_with('\0').then_some(b"\x81\x05hello".as_slice());
            let _ = stream.write_all(answer.trim_end_matches('\0').as_bytes()).await;
            if let Some(frame) = frame {
                let _ = stream.write_all(frame).await;
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        }
    })
    .await;
    let proxy = TestProxy::start(UNLISTED).await;
    soon(browser.dom(&proxy, origin.url("/"))).await;
    assert_eq!(*words.lock().unwrap(), "hello");
}

#[tokio::test]
async fn curl_gets_a_plain_page_through_a_tunnel() {
    let origin = Origin::http(|_| response(&[], "ok")).await;
    let proxy = TestProxy::start(UNLISTED).await;
    let Some(text) = curl(&proxy, &["--proxytunnel", &origin.url("/")]).await else {
        return;
    };
    assert_eq!(text, "ok");
}

#[tokio::test]
async fn what_is_neither_http_nor_tls_goes_to_no_unlisted_port() {
    let ca = TestCa::new();
    let tls: tokio_rustls::TlsAcceptor = ca.server(&["localhost"], &[], |_| {}).into();
    let secure = Origin::tls(tls, |_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, UNLISTED).await;
    let stream = connect(&proxy, &secure.addr.to_string()).await;
    let trust = proxy.ca_file().parent().unwrap().with_file_name("origins.pem");
    tokio_rustls::TlsConnector::from(trusting(&trust, &[]))
        .connect("localhost".try_into().unwrap(), stream)
        .await
        .expect("TLS passes");
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let origin = Origin::sockets(move |mut stream| {
        let tell = Arc::clone(&tell);
        async move {
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got).await;
            tell.lock().unwrap().extend(got);
        }
    })
    .await;
    for words in ["SSH-2.0-x\r\n", "EHLO me\r\n", "\0\0\0\0"] {
        let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
        tunnel.write_all(words.as_bytes()).await.unwrap();
        let mut back = Vec::new();
        let _ = soon(tunnel.read_to_end(&mut back)).await;
        let back = String::from_utf8_lossy(&back);
        assert!(back.is_empty() || back.starts_with("HTTP/1.1 4"), "{words:?}: {back}");
    }
    assert!(told.lock().unwrap().is_empty(), "{told:?}");
}
