use std::{pin::pin, time::Duration};

use futures_util::poll;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    task::yield_now,
};

use super::*;
use crate::{
    access_control::Acl,
    authority::{Scheme, Target},
    spelling::{Name, Spelling},
    upstream::origin::Pool,
};

/// Turns of the runtime after which whatever can happen without the other side has happened.
const TURNS: usize = 2000;

/// A connection with small buffers on both sides, and its other end.
struct Pair {
    origin: Arc<Origin>,
    line: Option<Box<Line>>,
    server: TcpStream,
    _pool: Arc<Pool>,
}

impl Pair {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(4096).unwrap();
        let client = socket.connect(addr).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        let access = serde_yaml::from_str(&format!("allow_targets: ['{addr}']")).unwrap();
        let acl = Acl::new(access, Vec::new());
        let target = Target::of_authority(Scheme::Http, &addr.to_string()).unwrap();
        let pool = Pool::new(Duration::from_mins(1));
        let origin = pool.origin(acl.permit(target).unwrap());
        let line = Line::open(Stream::plain(client), &origin).await.unwrap();
        Self {
            origin,
            line: Some(line),
            server,
            _pool: pool,
        }
    }

    async fn ask(&mut self, request: Request<Body>) -> Result<Response<Answered>, Failed> {
        self.line.take().unwrap().ask_in_test(request).await
    }

    async fn read_head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.server.read_u8().await.unwrap());
        }
        String::from_utf8(head).unwrap()
    }

    async fn is_kept_after(&mut self, turns: usize) -> bool {
        for _ in 0..turns {
            yield_now().await;
            self.line = self.origin.take();
            if self.line.is_some() {
                return true;
            }
        }
        false
    }
}

impl Line {
    async fn ask_in_test(
        self: Box<Self>,
        request: Request<Body>,
    ) -> Result<Response<Answered>, Failed> {
        self.ask_told(request, false).await
    }

    async fn ask_told(
        self: Box<Self>,
        mut request: Request<Body>,
        just_told: bool,
    ) -> Result<Response<Answered>, Failed> {
        let mut informed = |_: StatusCode, _: &HeaderMap| {};
        let patience = Duration::from_mins(1);
        let mut waiting = Waiting::new(&mut request, &mut informed, patience);
        waiting.just_told = just_told;
        self.ask(Box::new(request), &mut waiting).await
    }
}

fn get() -> Request<Body> {
    Request::get("/two").body(Body::default()).unwrap()
}

fn post(body: Bytes) -> Request<Body> {
    Request::post("/one").body(Body::from(body)).unwrap()
}

/// The bytes arrive between two turns of the runtime, so that it knows nothing of them yet.
#[tokio::test]
async fn bytes_after_a_response_are_not_the_answer_to_the_next_request() {
    leave_bytes_before(false).await;
}

/// The runtime is told of the request, and so of the bytes that arrived before it.
#[tokio::test]
async fn bytes_after_a_response_are_known_to_a_runtime_that_was_told_of_the_next_request() {
    leave_bytes_before(true).await;
}

async fn leave_bytes_before(just_told: bool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (mut accepted, _) = listener.accept().await.unwrap();
    for leftover in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"[..],
        b"",
    ] {
        let mut pair = Pair::new().await;
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        pair.server.write_all(answer).await.unwrap();
        let answered = pair.ask(get()).await.ok().unwrap();
        answered.into_body().collect().await.unwrap();
        pair.line = pair.origin.take();
        // Nothing is there yet, so that the runtime is told of what comes.
        let mut room = [0; 8];
        let mut reading = pin!(accepted.read(&mut room));
        assert!(poll!(reading.as_mut()).is_pending());
        if leftover.is_empty() {
            pair.server.shutdown().await.unwrap();
        } else {
            assert_eq!(pair.server.try_write(leftover).unwrap(), leftover.len());
        }
        if just_told {
            client.write_all(b"x").await.unwrap();
            assert_eq!(reading.await.unwrap(), 1);
        }
        let line = pair.line.take().unwrap();
        let outcome = line.ask_told(get(), just_told).await;
        assert!(matches!(outcome, Err(Failed::Unsent(_))), "{leftover:?}");
    }
}

#[tokio::test]
async fn a_connection_is_free_only_when_its_answer_was_taken() {
    let mut pair = Pair::new().await;
    let line = pair.line.take().unwrap();
    let mut asking = pin!(line.ask_in_test(post(Bytes::from_static(b"body"))));
    assert!(poll!(asking.as_mut()).is_pending());
    pair.read_head().await;
    let answer = b"HTTP/1.1 200 OK\r\nETAG: x\r\nContent-Length: 0\r\n\r\n";
    pair.server.write_all(answer).await.unwrap();
    assert!(!pair.is_kept_after(TURNS).await);
    let mut response = asking.await.ok().unwrap();
    let spelling = response.body_mut().spelling();
    let mut noted = Spelling::default();
    noted.note(b"ETAG", Name::of(b"ETAG"));
    assert_eq!(spelling, noted);
    assert!(pair.is_kept_after(TURNS).await);
}

#[tokio::test]
async fn a_connection_is_free_when_an_upload_that_was_answered_early_has_gone_out() {
    let mut pair = Pair::new().await;
    let body = "a-name: value\r\n\r\n".repeat(1 << 14);
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    pair.server.write_all(answer).await.unwrap();
    let answered = pair.ask(post(Bytes::from(body.clone()))).await;
    drop(answered.ok().unwrap());
    assert!(!pair.is_kept_after(TURNS).await);
    pair.read_head().await;
    let mut got = vec![0; body.len()];
    pair.server.read_exact(&mut got).await.unwrap();
    assert!(got == body.as_bytes(), "the upload arrived changed");
    assert!(pair.is_kept_after(TURNS).await);
}
