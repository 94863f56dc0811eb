//! Connections to origins whose other end has gone without a word, as behind a router that was restarted: none is kept.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use http::Request;
use http_body_util::Full;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::{Barrier, Notify},
    time::timeout,
};

use crate::harness::{
    TestCa, TestProxy,
    client::send_h2,
    frames::{self, END_HEADERS, END_STREAM, HEADERS, PING, STATUS_200, frame},
    origin::read_head,
    wire::{GET, OK, Setup, read_until, soon, with_both_schemes},
};

/// A request is answered late, or with 504 after the time for the first byte; the ones after it are on another connection.
#[tokio::test]
async fn an_http2_connection_that_answers_no_more_is_given_up() {
    let ca = TestCa::new();
    let origin = frames::origin(&ca, |number, mut frames| async move {
        while let Some((stream, _)) = frames.request().await {
            let end = END_HEADERS | END_STREAM;
            frames.send(&frame(HEADERS, end, stream, STATUS_200)).await;
            if number == 0 {
                // Open, and nothing is read any more.
                std::future::pending::<()>().await;
            }
        }
    })
    .await;
    let yaml = "https: { intercept: on }\ntimeouts: { first_byte_seconds: 2 }";
    let proxy = TestProxy::trusting(&ca, yaml).await;
    let target = origin.host_and_port();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let request = Request::get(format!("https://{target}/"));
        let request = request.body(Full::default()).unwrap();
        let answer = soon(send_h2(&proxy, &target, request)).await;
        statuses.push(answer.status.as_u16());
    }
    assert!(statuses[1] == 504 || statuses[1] == 200, "{statuses:?}");
    assert_eq!((statuses[0], &statuses[2..]), (200, &[200, 200][..]), "{statuses:?}");
}

/// RFC 9113 § 6.7: while a request waits, silence is asked whether anyone is there, long before the 50 seconds for a first byte.
#[tokio::test]
async fn a_silent_http2_connection_is_asked_by_ping() {
    let ca = TestCa::new();
    let asked = Arc::new(Notify::new());
    let tell = Arc::clone(&asked);
    let origin = frames::origin(&ca, move |_, mut frames| {
        let tell = Arc::clone(&tell);
        async move {
            while let Some(frame) = frames.read().await {
                if frame.kind == PING && frame.flags == 0 {
                    tell.notify_one();
                }
            }
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let request = Request::get(format!("https://{target}/")).body(Full::default());
    let unanswered = send_h2(&proxy, &target, request.unwrap());
    tokio::select! {
        answer = unanswered => panic!("{answer:?}"),
        asked = timeout(Duration::from_secs(25), asked.notified()) => asked.expect("a PING comes"),
    }
}

#[tokio::test]
async fn dead_http1_connections_cost_one_timeout_together() {
    const KEPT: usize = 4;
    with_both_schemes(async |scheme| {
        let connections = Arc::<AtomicUsize>::default();
        let together = Arc::new(Barrier::new(KEPT));
        let setup = Setup::sockets(scheme, "timeouts: { first_byte_seconds: 1 }", move |mut stream| {
            let dies = connections.fetch_add(1, Relaxed) < KEPT;
            let together = Arc::clone(&together);
            async move {
                if dies {
                    read_head(&mut stream).await;
                    together.wait().await;
                    stream.write_all(OK).await.unwrap();
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                }
                while !read_head(&mut stream).await.is_empty() {
                    stream.write_all(OK).await.unwrap();
                }
            }
        })
        .await;
        let request = setup.fill(GET);
        let mut clients = Vec::new();
        for _ in 0..KEPT {
            let mut client = setup.connect().await;
            client.write_all(request.as_bytes()).await.unwrap();
            clients.push(client);
        }
        for client in &mut clients {
            read_until(client, "\r\n\r\nok").await;
        }
        let start = Instant::now();
        let mut failed = 0;
        for _ in 0..KEPT {
            let last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
            let answer = setup.exchange(last.as_bytes()).await;
            failed += usize::from(!answer.starts_with("HTTP/1.1 200"));
        }
        let waited = start.elapsed();
        assert!(failed <= 1, "{scheme:?}: {failed} of {KEPT} failed");
        assert!(waited < Duration::from_millis(2500), "{scheme:?}: {waited:?}");
    })
    .await;
}
