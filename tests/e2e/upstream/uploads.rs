//! Uploads to origins that do not read them: other requests go on, and in the end they are given up.

use std::{future::poll_fn, time::Duration};

use bytes::Bytes;
use h2::{SendStream, client::SendRequest};
use http::{Request, Response};
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::harness::{
    Origin, TestCa, TestProxy,
    origin::read_head,
    streams::{self, reply},
    wire::{SCHEMES, Setup, soon},
};

/// Longer than all windows on the way together.
const LENGTH: usize = 4 << 20;

/// An origin that reads what goes to `/read` and nothing else, and answers `/early` before.
async fn origin(ca: &TestCa) -> Origin {
    streams::origin(ca, |request, mut respond| async move {
        let path = request.uri().path().to_owned();
        let mut body = request.into_body();
        let mut open = None;
        if path == "/early" {
            open = Some(respond.send_response(Response::new(()), false).unwrap());
        }
        if path != "/read" {
            std::future::pending::<()>().await;
        }
        while let Some(Ok(data)) = body.data().await {
            let _ = body.flow_control().release_capacity(data.len());
        }
        let _ = respond.send_response(Response::new(()), true);
        drop(open);
    })
    .await
}

struct Client {
    sender: SendRequest<Bytes>,
    target: String,
}

impl Client {
    async fn new(proxy: &TestProxy, origin: &Origin) -> Self {
        let target = origin.host_and_port();
        Self { sender: streams::client(proxy, &target).await, target }
    }

    async fn post(&mut self, path: &str) -> (h2::client::ResponseFuture, SendStream<Bytes>) {
        let request = Request::post(format!("https://{}{path}", self.target)).body(()).unwrap();
        self.sender = self.sender.clone().ready().await.unwrap();
        self.sender.send_request(request, false).unwrap()
    }

    /// Whether a small upload is read and answered.
    async fn can_post(&mut self) -> bool {
        let (response, mut stream) = self.post("/read").await;
        stream.send_data(Bytes::from_static(b"small"), true).unwrap();
        timeout(Duration::from_secs(5), reply(response)).await.is_ok_and(|reply| reply.unwrap().status == 200)
    }
}

/// Sends until nothing more is taken, or all is sent.
async fn fill(stream: &mut SendStream<Bytes>, length: usize) -> usize {
    let mut sent = 0;
    while sent < length {
        stream.reserve_capacity(length - sent);
        let free = timeout(Duration::from_millis(200), poll_fn(|cx| stream.poll_capacity(cx))).await;
        let Ok(Some(Ok(free))) = free else { break };
        if stream.send_data(Bytes::from(vec![0; free.min(length - sent)]), false).is_err() {
            break;
        }
        sent += free;
    }
    sent
}

const INTERCEPT: &str = "https: { intercept: on }\n";

#[tokio::test]
async fn an_upload_that_stands_still_stops_no_other() {
    let ca = TestCa::new();
    let origin = origin(&ca).await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let mut client = Client::new(&proxy, &origin).await;
    let mut standing = Vec::new();
    for path in ["/still", "/early"] {
        let (response, mut stream) = client.post(path).await;
        let sent = fill(&mut stream, LENGTH).await;
        assert!(sent < LENGTH, "{path}: all {sent} bytes were taken");
        standing.push((response, stream));
        assert!(client.can_post().await, "beside {path}");
    }
}

/// More of them than the window of the connection holds.
#[tokio::test]
async fn the_window_of_uploads_that_are_reset_is_given_back() {
    const PIECE: usize = 256 << 10;
    let ca = TestCa::new();
    let origin = origin(&ca).await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let mut client = Client::new(&proxy, &origin).await;
    for path in ["/still", "/early"] {
        for _ in 0..160 {
            let (response, mut stream) = client.post(path).await;
            stream.send_data(Bytes::from(vec![0; PIECE]), false).unwrap();
            if path == "/early" {
                soon(response).await.unwrap();
            } else {
                // Most of it has been sent, and nobody waits for its answer any more.
                stream.reserve_capacity(1);
                let _ = timeout(Duration::from_millis(3), poll_fn(|cx| stream.poll_capacity(cx))).await;
            }
            stream.send_reset(h2::Reason::CANCEL);
        }
        assert!(client.can_post().await, "after {path}");
    }
}

const GIVES_UP_SOON: &str = "timeouts: { request_body_seconds: 1 }";

#[tokio::test]
async fn an_upload_to_an_origin_that_does_not_read_is_given_up() {
    for scheme in SCHEMES {
        let setup = Setup::sockets(scheme, GIVES_UP_SOON, |mut stream| async move {
            read_head(&mut stream).await;
            std::future::pending::<()>().await;
        })
        .await;
        let mut client = setup.connect().await;
        let request = format!("POST {{/}} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: {}\r\n\r\n", 64 << 20);
        client.write_all(setup.fill(&request).as_bytes()).await.unwrap();
        let (mut read, mut write) = tokio::io::split(client);
        let upload = tokio::spawn(async move { while write.write_all(&[0; 1 << 13]).await.is_ok() {} });
        let head = soon(read_head(&mut read)).await;
        assert!(head.starts_with("HTTP/1.1 504"), "{scheme:?}: {head}");
        upload.abort();
    }
}

#[tokio::test]
async fn an_upload_over_http2_to_an_origin_that_does_not_read_is_given_up() {
    let ca = TestCa::new();
    let origin = origin(&ca).await;
    let proxy = TestProxy::trusting(&ca, &format!("{INTERCEPT}{GIVES_UP_SOON}")).await;
    let mut client = Client::new(&proxy, &origin).await;
    let (response, mut stream) = client.post("/still").await;
    fill(&mut stream, LENGTH).await;
    assert_eq!(soon(reply(response)).await.unwrap().status, 504);
}

/// The answer has begun, and the client waits for its end.
#[tokio::test]
async fn an_upload_that_its_origin_reads_no_more_after_its_answer_has_begun_is_read_on_and_dropped() {
    let ca = TestCa::new();
    let origin = origin(&ca).await;
    let proxy = TestProxy::trusting(&ca, &format!("{INTERCEPT}{GIVES_UP_SOON}")).await;
    let mut client = Client::new(&proxy, &origin).await;
    let (response, mut stream) = client.post("/early").await;
    let mut sent = fill(&mut stream, LENGTH).await;
    assert!(sent < LENGTH, "all {sent} bytes were taken");
    let _response = soon(response).await.unwrap();
    soon(async {
        while sent < LENGTH {
            sent += fill(&mut stream, LENGTH - sent).await;
        }
    })
    .await;
}
