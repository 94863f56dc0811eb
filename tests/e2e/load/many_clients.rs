//! Many clients, clients that leave, clients that never read; and what is left after them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Barrier, Notify},
    task::JoinSet,
};

use crate::harness::{
    Origin, PAGE, TestProxy,
    client::begin,
    get,
    origin::{html, read_head, response},
    program::resident_kib,
    raw,
    wire::{Setup, soon, with_both_schemes},
};

/// With 16 connections kept, 64 clients of one origin connected anew all the time, and half of the time went there.
#[tokio::test]
async fn connections_to_an_origin_are_kept_for_as_many_requests_as_come_at_once() {
    const AT_ONCE: usize = 40;
    let opened = Arc::new(AtomicUsize::new(0));
    let all_there = Arc::new(Barrier::new(AT_ONCE));
    let count = Arc::clone(&opened);
    let origin = Origin::sockets(move |mut stream| {
        count.fetch_add(1, Relaxed);
        let all_there = Arc::clone(&all_there);
        async move {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            while !read_head(&mut stream).await.is_empty() {
                all_there.wait().await;
                if stream.write_all(answer).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    let proxy = Arc::new(TestProxy::start("").await);
    let url = origin.url("/");
    for _ in 0..3 {
        let mut clients = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (proxy, url) = (Arc::clone(&proxy), url.clone());
            clients.spawn(async move { get(&proxy, &url, &[]).await.text().to_owned() });
        }
        while let Some(text) = soon(clients.join_next()).await {
            assert_eq!(text.unwrap(), "ok");
        }
    }
    // One that is not back yet when the next requests come may be replaced; more than a few are not.
    assert!(opened.load(Relaxed) < AT_ONCE * 3 / 2, "{opened:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_response_crosses_over() {
    let origin = Origin::http(|seen| {
        let path = seen.uri.path().to_owned();
        let body = format!("{path} ").repeat(1 + path.len() * 40);
        response(&[("content-type", "text/plain")], body)
    })
    .await;
    let proxy = Arc::new(TestProxy::start("").await);
    let origin = Arc::new(origin);
    let mut clients = JoinSet::new();
    for client in 0..64 {
        let (proxy, origin) = (Arc::clone(&proxy), Arc::clone(&origin));
        clients.spawn(async move {
            for turn in 0..20 {
                let path = format!("/{client}/{turn}");
                let answer = get(&proxy, &origin.url(&path), &[]).await;
                assert!(answer.text().split_whitespace().all(|word| word == path), "{path}");
            }
        });
    }
    while let Some(done) = soon(clients.join_next()).await {
        done.unwrap();
    }
}

#[tokio::test]
async fn when_the_client_leaves_the_fetch_ends() {
    with_both_schemes(async |scheme| {
        let cases = ["", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<html><p>x"].map(
            async |first| {
                let (asked, gone) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
                let (tell_asked, tell_gone) = (Arc::clone(&asked), Arc::clone(&gone));
                let setup = Setup::sockets(scheme, "", move |mut stream| {
                    let (asked, gone) = (Arc::clone(&tell_asked), Arc::clone(&tell_gone));
                    async move {
                        read_head(&mut stream).await;
                        stream.write_all(first.as_bytes()).await.unwrap();
                        asked.notify_one();
                        let _ = stream.read_to_end(&mut Vec::new()).await;
                        gone.notify_one();
                    }
                })
                .await;
                let mut client = setup.connect().await;
                // Another request behind it must not hide that the client has left.
                let request = setup.fill(&"GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n".repeat(2));
                client.write_all(request.as_bytes()).await.unwrap();
                soon(asked.notified()).await;
                drop(client);
                soon(gone.notified()).await;
            },
        );
        join_all(cases).await;
    })
    .await;
}

#[tokio::test]
async fn a_client_that_never_reads_costs_bounded_memory() {
    const SENT: u64 = 64 << 20;
    let origin = Origin::sockets(|mut stream| async move {
        read_head(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {SENT}\r\n\r\n");
        let _ = stream.write_all(head.as_bytes()).await;
        let piece = vec![0; 1 << 16];
        while stream.write_all(&piece).await.is_ok() {}
    })
    .await;
    let proxy = TestProxy::start("").await;
    let before = resident_kib("self");
    let mut clients = Vec::new();
    for _ in 0..16 {
        let mut client = begin(&proxy, &origin.url("/")).await;
        read_head(&mut client).await;
        clients.push(client);
    }
    // Others are served meanwhile.
    assert_eq!(get(&proxy, "http://gleaner.internal/", &[]).await.status, 200);
    let grown = resident_kib("self").saturating_sub(before);
    eprintln!("16 clients that never read 64 MiB each: {grown} KiB more");
    assert!(grown < 128 * 1024, "{grown} KiB for 16 clients of 64 MiB each");
}

#[tokio::test]
async fn one_client_has_its_share_of_connections() {
    let proxy = TestProxy::start("limits: { connections_per_client: 1 }").await;
    let mut first = TcpStream::connect(proxy.addr).await.unwrap();
    first.write_all(b"GET / HTTP/1.1\r\nHost: gleaner.internal\r\n\r\n").await.unwrap();
    read_head(&mut first).await;
    let refused = raw(proxy.addr, "GET / HTTP/1.1\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.contains("too many open connections"), "{refused}");
    for field in ["content-security-policy: default-src 'none'", "nosniff", "no-store", "retry-after: 5"] {
        assert!(refused.contains(field), "{field}: {refused}");
    }
}

#[tokio::test]
async fn idle_connections_slow_nobody() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("limits: { connections: 4096, connections_per_client: 4096 }").await;
    let url = origin.url("/");
    let alone = fastest_of_rounds(&proxy, &url).await;
    let mut idle = Vec::new();
    for _ in 0..2000 {
        match TcpStream::connect(proxy.addr).await {
            Ok(stream) => idle.push(stream),
            // Both ends are in this process: where it may not have so many, fewer must do.
            Err(_) => break,
        }
    }
    idle.truncate(idle.len().saturating_sub(50));
    assert!(idle.len() > 300, "only {} connections", idle.len());
    let with = fastest_of_rounds(&proxy, &url).await;
    eprintln!("{} idle connections: {alone:?} without, {with:?} with them", idle.len());
    // Connections that were looked at in every turn of the program would make it twenty times slower.
    assert!(with < alone * 4 + Duration::from_millis(50), "{with:?}, {alone:?} without");
}

/// The fastest of some rounds of requests: what else the machine does only ever makes them slower.
async fn fastest_of_rounds(proxy: &TestProxy, url: &str) -> Duration {
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..40 {
            let answer = get(proxy, url, &[]).await;
            assert!(answer.header("gleaner").starts_with("rewritten"));
        }
        fastest = fastest.min(start.elapsed());
    }
    fastest
}
