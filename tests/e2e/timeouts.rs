//! How long the proxy waits for what, and for what it waits without an end.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, TestProxy,
    client::connect,
    origin::{read_head, response},
    wire::{ROADS, Setup, read_until, soon},
};

#[tokio::test]
async fn half_a_request_is_408() {
    for road in ROADS {
        let setup = Setup::new(road, "timeouts: { request_head_seconds: 1 }", |_| {
            response(&[], "")
        })
        .await;
        let got = setup
            .exchange(setup.fill("GET {/} HTTP/1.1\r\nHost").as_bytes())
            .await;
        assert!(got.starts_with("HTTP/1.1 408 "), "{road:?}: {got}");
    }
}

#[tokio::test]
async fn half_a_request_body_is_408() {
    for road in ROADS {
        let setup = Setup::new(road, "timeouts: { request_body_seconds: 1 }", |_| {
            response(&[], "")
        })
        .await;
        let request =
            setup.fill("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\nhalf");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 408 "), "{road:?}: {got}");
    }
}

#[tokio::test]
async fn an_unused_connection_is_closed_without_a_word() {
    for road in ROADS {
        let setup = Setup::new(road, "timeouts: { client_idle_seconds: 1 }", |_| {
            response(&[], "hello")
        })
        .await;
        let got = setup
            .exchange(
                setup
                    .fill("GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n")
                    .as_bytes(),
            )
            .await;
        assert!(
            got.ends_with("hello") && got.matches("HTTP/1.1").count() == 1,
            "{got}"
        );
    }
}

#[tokio::test]
async fn a_response_that_stands_still_breaks_off_but_an_event_stream_does_not() {
    for road in ROADS {
        for kind in ["text/plain", "text/event-stream; charset=utf-8"] {
            let yaml = "timeouts: { body_stall_seconds: 1, client_idle_seconds: 1, request_head_seconds: 1 }";
            let setup = Setup::sockets(road, yaml, move |mut stream| async move {
                read_head(&mut stream).await;
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
                stream.write_all(head.as_bytes()).await.unwrap();
                // Longer than the bound, which is what this is about.
                tokio::time::sleep(std::time::Duration::from_secs(3)).await;
                let _ = stream.write_all(b"6\r\nsecond\r\n0\r\n\r\n").await;
            })
            .await;
            let request =
                setup.fill("GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.contains("first"), "{got}");
            assert_eq!(
                got.contains("second"),
                kind != "text/plain",
                "{road:?} {kind}: {got}"
            );
        }
    }
}

#[tokio::test]
async fn a_tunnel_that_is_never_used_is_closed_and_a_used_one_is_not() {
    let origin = Origin::sockets(|mut stream| async move {
        let (mut read, mut write) = stream.split();
        let _ = tokio::io::copy(&mut read, &mut write).await;
    })
    .await;
    let proxy = TestProxy::start("timeouts: { connect_silence_seconds: 1 }").await;
    let mut used = connect(&proxy, &origin.addr.to_string()).await;
    used.write_all(b"hello").await.unwrap();
    read_until(&mut used, "hello").await;
    // Opened later, and closed for its silence: then the first has been silent for longer.
    let mut unused = connect(&proxy, &origin.addr.to_string()).await;
    let mut rest = Vec::new();
    let _ = soon(unused.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
    used.write_all(b"still here").await.unwrap();
    read_until(&mut used, "still here").await;
}
