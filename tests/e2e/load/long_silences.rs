//! Idle timeouts of bodies are minutes, for logs, cameras, paused players and slow uploads; only heads have short
//! limits.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

use crate::harness::{
    origin::read_head,
    wire::{Setup, read_until, soon, with_both_schemes},
};

#[test]
fn bodies_may_rest_for_ten_minutes() {
    let timeouts = gleaner::RawConfig::default().timeouts;
    let resting = [timeouts.body_stall, timeouts.request_body, timeouts.client_stall];
    assert!(resting.iter().all(|time| *time >= Duration::from_mins(10)), "{resting:?}");
}

/// Each for three times as long as every limit that is not one of bodies.
#[tokio::test]
async fn uploads_downloads_and_readers_that_pause_go_on() {
    const PAUSE: Duration = Duration::from_secs(3);
    const LENGTH: usize = 8 << 20;
    let yaml = "timeouts: { connect_seconds: 1, first_byte_seconds: 1, request_head_seconds: 1,
        client_idle_seconds: 1, server_idle_seconds: 1, tunnel_first_byte_seconds: 1 }";
    with_both_schemes(async |scheme| {
        let setup = Setup::sockets(scheme, yaml, |mut stream| async move {
            let head = read_head(&mut stream).await;
            let mut body = vec![0; if head.starts_with("POST") { 10 } else { 0 }];
            stream.read_exact(&mut body).await.unwrap();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\nfirst");
            stream.write_all(answer.as_bytes()).await.unwrap();
            sleep(PAUSE).await;
            let _ = stream.write_all(&vec![b'x'; LENGTH - 5]).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        })
        .await;
        let mut client = setup.connect().await;
        let head = "POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 10\r\n\r\nfirst";
        client.write_all(setup.fill(head).as_bytes()).await.unwrap();
        client.flush().await.unwrap();
        sleep(PAUSE).await;
        client.write_all(b"later").await.unwrap();
        let answer = read_until(&mut client, "\r\n\r\nfirst").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{scheme:?}: {answer}");
        let (_, start) = answer.split_once("\r\n\r\n").unwrap();
        // The rest waits, and does not fit into what the sockets hold.
        sleep(PAUSE * 2).await;
        let mut rest = vec![0; LENGTH - start.len()];
        soon(client.read_exact(&mut rest)).await.expect("all of it comes");
    })
    .await;
}

#[tokio::test]
async fn the_first_byte_is_waited_for_as_long_whatever_is_asked() {
    with_both_schemes(async |scheme| {
        let setup = Setup::sockets(scheme, "timeouts: { first_byte_seconds: 2 }", |mut stream| async move {
            let _ = stream.read_to_end(&mut Vec::new()).await;
        })
        .await;
        let asked = ["GET", "POST", "PUT", "DELETE"].map(async |method| {
            let body = if method == "GET" { "" } else { "hello" };
            let request = setup.fill(&format!(
                "{method} {{/}} HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ));
            let start = Instant::now();
            let got = setup.exchange(request.as_bytes()).await;
            let waited = start.elapsed().as_secs_f64();
            assert!(got.starts_with("HTTP/1.1 504"), "{scheme:?} {method}: {got}");
            assert!((1.9..3.5).contains(&waited), "{scheme:?} {method}: {waited} s");
        });
        join_all(asked).await;
    })
    .await;
}
