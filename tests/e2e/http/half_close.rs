//! Clients that close their side of the connection and wait for the answer (`nc -N`), and servers that
//! close theirs without a word of TLS.

use std::{sync::Arc, time::Duration};

use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Notify,
    task::JoinSet,
};

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::{connect_tls, get},
    origin::{read_head, response},
    wire::{GET, SCHEMES, Scheme, Setup, soon, with_both_schemes},
};

/// RFC 9112 § 9.6: a client may close its side and still read.
#[tokio::test]
async fn a_client_that_has_closed_its_side_gets_its_answers() {
    with_both_schemes(async |scheme| {
        let body = "x".repeat(4 << 20);
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let body = body.clone();
            async move {
                read_head(&mut stream).await;
                // Long enough for the end of the client's side to arrive first.
                tokio::time::sleep(Duration::from_secs(1)).await;
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(body.as_bytes()).await;
                // What TLS still holds would be lost with the stream.
                let _ = stream.flush().await;
            }
        })
        .await;
        let mut client = setup.connect().await;
        let request = setup.fill(&"GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n".repeat(2));
        client.write_all(request.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let mut got = Vec::new();
        soon(client.read_to_end(&mut got)).await.unwrap();
        let text = String::from_utf8(got).unwrap();
        assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{scheme:?}");
        assert!(text.len() > 8 << 20, "{scheme:?}: {}", text.len());
    })
    .await;
}

/// The last of an answer waits in the proxy for as long as the client takes: neither the end of the client's side
/// nor the life of an idle connection may cut it.
#[tokio::test]
async fn the_end_of_an_answer_is_not_cut_for_a_slow_reader() {
    const LENGTH: usize = 8 << 20;
    let read_slowly = |scheme: Scheme, closes: bool| async move {
        let yaml = "timeouts: { client_idle_seconds: 1 }";
        let setup = Setup::new(scheme, yaml, |_| response(&[], "x".repeat(LENGTH))).await;
        let mut client = setup.begin(GET).await;
        if closes {
            client.shutdown().await.unwrap();
        }
        soon(read_head(&mut client)).await;
        let mut piece = vec![0; LENGTH / 4];
        for _ in 0..4 {
            // Longer than a connection may be idle, which is what this is about.
            tokio::time::sleep(Duration::from_millis(1500)).await;
            let read = soon(client.read_exact(&mut piece)).await;
            assert!(read.is_ok(), "{scheme:?} {closes}: {read:?}");
        }
    };
    with_both_schemes(async |scheme| {
        tokio::join!(read_slowly(scheme, true), read_slowly(scheme, false));
    })
    .await;
}

/// A client that is gone ends in the same good order; it must not be waited for as long as the server likes.
#[tokio::test]
async fn a_client_that_is_gone_does_not_keep_the_fetch_alive() {
    let mut cases = JoinSet::new();
    for scheme in SCHEMES {
        for first in ["", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n"] {
            cases.spawn(async move {
                let gone = Arc::new(Notify::new());
                let tell = Arc::clone(&gone);
                let setup = Setup::sockets(scheme, "", move |mut stream| {
                    let tell = Arc::clone(&tell);
                    async move {
                        read_head(&mut stream).await;
                        stream.write_all(first.as_bytes()).await.unwrap();
                        let _ = stream.read_to_end(&mut Vec::new()).await;
                        tell.notify_one();
                    }
                })
                .await;
                let mut client = setup.begin(GET).await;
                if !first.is_empty() {
                    read_head(&mut client).await;
                }
                let _ = client.shutdown().await;
                soon(gone.notified()).await;
            });
        }
    }
    cases.join_all().await;
}

/// An origin that answers over TLS and then closes the socket without `close_notify`.
async fn abrupt(ca: &TestCa, answer: &'static str) -> Origin {
    Origin::tls_sockets(ca, &[b"http/1.1"], move |mut stream| async move {
        read_head(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        let (mut socket, _) = stream.into_inner();
        let _ = socket.shutdown().await;
    })
    .await
}

/// The response to a client of an intercepted connection: the text, and whether its end was a clean one.
async fn fetch(proxy: &TestProxy, origin: &Origin, alpn: &[u8]) -> (String, bool) {
    let target = origin.host_and_port();
    let stream = connect_tls(proxy, &target, &proxy.ca_file(), &[alpn]).await;
    let mut stream = stream.unwrap();
    if alpn == b"h2" {
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let request = Request::get(format!("https://{target}/")).body(Full::<bytes::Bytes>::default());
        let mut body = sender.send_request(request.unwrap()).await.unwrap().into_body();
        let mut text = Vec::new();
        while let Some(frame) = soon(body.frame()).await {
            match frame {
                Ok(frame) => text.extend_from_slice(frame.data_ref().unwrap()),
                Err(_) => return (String::from_utf8(text).unwrap(), false),
            }
        }
        return (String::from_utf8(text).unwrap(), true);
    }
    let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut got = Vec::new();
    let _ = soon(stream.read_to_end(&mut got)).await;
    let text = String::from_utf8(got).unwrap();
    let clean = text.ends_with("\r\n0\r\n\r\n");
    (text, clean)
}

#[tokio::test]
async fn a_server_that_closes_without_a_word_of_tls_has_closed() {
    let ca = TestCa::new();
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    for alpn in [b"http/1.1".as_slice(), b"h2"] {
        let origin = abrupt(&ca, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it").await;
        let (text, clean) = fetch(&proxy, &origin, alpn).await;
        assert!(text.contains("all of it") && clean, "{alpn:?}: {text}");
    }
}

#[tokio::test]
async fn without_a_word_of_tls_a_declared_length_still_tells_a_break() {
    let ca = TestCa::new();
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    for alpn in [b"http/1.1".as_slice(), b"h2"] {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf of it\r\n",
        ] {
            let origin = abrupt(&ca, answer).await;
            let (text, clean) = fetch(&proxy, &origin, alpn).await;
            assert!(text.contains("half of it") && !clean, "{alpn:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_page_that_ends_without_a_word_of_tls_is_rewritten() {
    let ca = TestCa::new();
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let answer: &'static str =
        Box::leak(format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}").into_boxed_str());
    let origin = abrupt(&ca, answer).await;
    let (text, _) = fetch(&proxy, &origin, b"http/1.1").await;
    assert!(text.to_lowercase().contains("gleaner: rewritten"), "{text}");
    // Over plain HTTP the same end has always been one.
    let origin = Origin::http(|_| response(&[], "x")).await;
    assert_eq!(get(&proxy, &origin.url("/"), &[]).await.text(), "x");
}
