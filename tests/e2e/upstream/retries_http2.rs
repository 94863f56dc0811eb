//! Requests that an HTTP/2 server did not process are sent again, and no others (RFC 9113 § 6.8, § 8.7).

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{Answer, send_h2},
    frames::{
        CANCEL, DATA, END_HEADERS, END_STREAM, Frames, HEADERS, HTTP_1_1_REQUIRED, INTERNAL_ERROR, REFUSED_STREAM,
        STATUS_200, frame, goaway, origin, reset,
    },
    origin::read_head,
    wire::soon,
};

/// The action of a server on its first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// Its streams end below this request's.
    Goaway,
    /// Its streams end below this request's, and the connection is closed.
    GoawayAndClose,
    Reset(u32),
    /// The streams end above this request's: it was processed, and the connection is closed without an answer.
    Processed,
    /// After so many bytes of its body.
    RefuseAfter(usize),
    /// Every request is refused, on every connection.
    RefuseAll,
}

async fn answer(frames: &mut Frames, stream: u32) {
    let head = frame(HEADERS, END_HEADERS, stream, STATUS_200);
    let body = frame(DATA, END_STREAM, stream, b"done");
    frames.send(&[head, body].concat()).await;
}

async fn refuse(frames: &mut Frames, stream: u32, whole: bool, how: First) {
    match how {
        First::Goaway => drop(frames.send(&goaway(0)).await),
        First::GoawayAndClose => {
            frames.send(&goaway(0)).await;
            return frames.close().await;
        }
        First::Reset(error) => drop(frames.send(&reset(stream, error)).await),
        First::RefuseAll => drop(frames.send(&reset(stream, REFUSED_STREAM)).await),
        First::RefuseAfter(bytes) => {
            frames.open(stream, 1 << 20).await;
            assert!(!whole);
            frames.body(bytes).await;
            frames.send(&reset(stream, REFUSED_STREAM)).await;
        }
        First::Processed => {
            frames.send(&goaway(stream)).await;
            return frames.close().await;
        }
    }
    // Left open: what comes next must not come here.
    while frames.read().await.is_some() {}
}

/// The client's answer, and the bodies of the requests that arrived, each on a connection of its own.
async fn asked(how: First, method: Method, content: &[u8]) -> (Answer, Vec<Vec<u8>>) {
    let ca = TestCa::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let origin = origin(&ca, move |number, mut frames| {
        let note = Arc::clone(&note);
        async move {
            let mut is_first = true;
            while let Some((stream, whole)) = frames.request().await {
                assert!(is_first, "a second request on a connection that refused one");
                is_first = false;
                if number == 0 || how == First::RefuseAll {
                    note.lock().unwrap().push(Vec::new());
                    return refuse(&mut frames, stream, whole, how).await;
                }
                frames.open(stream, 1 << 20).await;
                let body = if whole { Vec::new() } else { frames.body(usize::MAX).await };
                note.lock().unwrap().push(body);
                answer(&mut frames, stream).await;
            }
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let request = Request::builder()
        .method(method)
        .uri(format!("https://{target}/"))
        .body(Full::new(Bytes::copy_from_slice(content)))
        .unwrap();
    let answer = soon(send_h2(&proxy, &target, request)).await;
    let seen = seen.lock().unwrap().clone();
    (answer, seen)
}

#[tokio::test]
async fn what_the_server_did_not_take_up_is_sent_again_whatever_it_is() {
    let long = vec![b'x'; 300_000];
    for how in [First::Goaway, First::GoawayAndClose, First::Reset(REFUSED_STREAM)] {
        for (method, content) in
            [(Method::GET, &b""[..]), (Method::POST, b""), (Method::POST, b"hello"), (Method::PATCH, &long)]
        {
            let case = format!("{how:?} {method} {}", content.len());
            let (answer, seen) = asked(how, method, content).await;
            assert_eq!((answer.status.as_u16(), answer.text()), (200, "done"), "{case}");
            assert_eq!(seen.len(), 2, "{case}");
            assert!(seen[1] == content, "{case}: {} bytes", seen[1].len());
        }
    }
}

#[tokio::test]
async fn what_the_server_may_have_done_is_not_sent_again() {
    for how in [First::Processed, First::Reset(CANCEL), First::Reset(INTERNAL_ERROR)] {
        for content in [&b""[..], b"hello"] {
            let (answer, seen) = asked(how, Method::POST, content).await;
            assert_eq!(answer.status, 502, "{how:?}");
            assert_eq!(seen.len(), 1, "{how:?}");
        }
    }
    // Twice is as good as once.
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let (answer, seen) = asked(First::Processed, method, b"hello").await;
        assert_eq!((answer.status.as_u16(), seen.len()), (200, 2));
        assert_eq!(seen[1], b"hello");
    }
}

#[tokio::test]
async fn an_upload_of_which_much_was_read_is_not_sent_again() {
    let long = vec![b'x'; 1 << 20];
    let (answer, seen) = asked(First::RefuseAfter(600_000), Method::POST, &long).await;
    assert_eq!((answer.status.as_u16(), seen.len()), (502, 1));
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_asked_twice() {
    for content in [&b""[..], b"hello"] {
        let (answer, seen) = asked(First::RefuseAll, Method::POST, content).await;
        assert_eq!((answer.status.as_u16(), seen.len()), (502, 2));
    }
}

/// RFC 9113 § 7: some servers do so for their own kinds of log-in.
#[tokio::test]
async fn a_server_that_asks_for_http_1_1_gets_it() {
    let ca = TestCa::new();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let origin = Origin::tls_sockets(&ca, &[b"h2", b"http/1.1"], move |mut stream| {
        let tell = tell.clone();
        async move {
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                let mut frames = Frames::server(stream).await;
                while let Some((stream, _)) = frames.request().await {
                    tell.send("over HTTP/2".to_owned()).unwrap();
                    frames.send(&reset(stream, HTTP_1_1_REQUIRED)).await;
                }
                return;
            }
            loop {
                let head = read_head(&mut stream).await;
                let mut body = [0; 5];
                if stream.read_exact(&mut body).await.is_err() {
                    return;
                }
                tell.send(head).unwrap();
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
                stream.write_all(answer).await.unwrap();
            }
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    for _ in 0..2 {
        let request =
            Request::post(format!("https://{target}/")).body(Full::new(Bytes::from_static(b"hello"))).unwrap();
        let answer = soon(send_h2(&proxy, &target, request)).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (200, "done"));
    }
    assert_eq!(told.recv().await.unwrap(), "over HTTP/2");
    for _ in 0..2 {
        let head = told.recv().await.unwrap();
        assert!(head.starts_with("POST / HTTP/1.1\r\n"), "{head}");
    }
}
