//! Timeouts: which waits end and after how long, and which never end.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::{Notify, mpsc},
};

use crate::harness::{
    Origin, POLL_INTERVAL, TestProxy,
    client::{connect, get},
    origin::{read_head, response},
    wire::{GET, Scheme, Setup, read_until, soon, with_both_schemes},
};

#[tokio::test]
async fn half_a_request_is_408() {
    with_both_schemes(async |scheme| {
        let setup = Setup::new(scheme, "timeouts: { request_head_seconds: 1 }", |_| response(&[], "")).await;
        let got = setup.exchange(setup.fill("GET {/} HTTP/1.1\r\nHost").as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 408 "), "{scheme:?}: {got}");
    })
    .await;
}

#[tokio::test]
async fn half_a_request_body_is_408() {
    with_both_schemes(async |scheme| {
        let setup = Setup::new(scheme, "timeouts: { request_body_seconds: 1 }", |_| response(&[], "")).await;
        let request = setup.fill("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\nhalf");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 408 "), "{scheme:?}: {got}");
    })
    .await;
}

#[tokio::test]
async fn an_unused_connection_is_closed_without_a_word() {
    with_both_schemes(async |scheme| {
        let setup = Setup::new(scheme, "timeouts: { client_idle_seconds: 1 }", |_| response(&[], "hello")).await;
        let got = setup.exchange(setup.fill(GET).as_bytes()).await;
        assert!(got.ends_with("hello") && got.matches("HTTP/1.1").count() == 1, "{got}");
    })
    .await;
}

#[tokio::test]
async fn a_response_that_stands_still_breaks_off_but_an_event_stream_does_not() {
    with_both_schemes(async |scheme| {
        for kind in ["text/plain", "text/event-stream; charset=utf-8"] {
            let yaml = "timeouts: { body_stall_seconds: 1, client_idle_seconds: 1, request_head_seconds: 1 }";
            let setup = Setup::sockets(scheme, yaml, move |mut stream| async move {
                read_head(&mut stream).await;
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                // Longer than the bound, which is what this is about.
                tokio::time::sleep(std::time::Duration::from_secs(3)).await;
                let _ = stream.write_all(b"6\r\nsecond\r\n0\r\n\r\n").await;
            })
            .await;
            let request = setup.fill("GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.contains("first"), "{got}");
            assert_eq!(got.contains("second"), kind != "text/plain", "{scheme:?} {kind}: {got}");
        }
    })
    .await;
}

/// The client's end of the connection stays open and takes nothing.
#[tokio::test]
async fn a_client_that_takes_nothing_is_given_up() {
    with_both_schemes(async |scheme| {
        for kind in ["application/octet-stream", "text/event-stream"] {
            let gone = Arc::new(Notify::new());
            let tell = Arc::clone(&gone);
            let yaml = "timeouts: { client_stall_seconds: 1 }";
            let setup = Setup::sockets(scheme, yaml, move |mut stream| {
                let tell = Arc::clone(&tell);
                async move {
                    read_head(&mut stream).await;
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n");
                    let _ = stream.write_all(head.as_bytes()).await;
                    let piece = vec![0; 1 << 16];
                    while stream.write_all(&piece).await.is_ok() {}
                    tell.notify_one();
                }
            })
            .await;
            let _client = setup.begin(GET).await;
            soon(gone.notified()).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_slow_reader_is_not_given_up() {
    let body = "x".repeat(16 << 20);
    let setup =
        Setup::new(Scheme::Http, "timeouts: { client_stall_seconds: 2 }", move |_| response(&[], body.clone())).await;
    let mut client = setup.connect().await;
    let request = setup.fill("GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    // For longer than the bound in all, with a pause that is shorter each time.
    let mut taken = 0;
    let mut piece = vec![0; 3 << 20];
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(900)).await;
        soon(client.read_exact(&mut piece)).await.unwrap();
        taken += piece.len();
    }
    let mut rest = Vec::new();
    soon(client.read_to_end(&mut rest)).await.unwrap();
    assert!(taken + rest.len() > 16 << 20);
}

#[tokio::test]
async fn a_tunnel_whose_client_takes_nothing_stays() {
    let origin = Origin::sockets(|mut stream| async move {
        read_head(&mut stream).await;
        let _ = stream.write_all(&vec![b'x'; 16 << 20]).await;
        let _ = stream.write_all(b"the end").await;
    })
    .await;
    let proxy = TestProxy::start("timeouts: { client_stall_seconds: 1 }").await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    tunnel.write_all(b"begin\r\n\r\n").await.unwrap();
    // Longer than the bound, which is what this is about.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut all = Vec::new();
    soon(tunnel.read_to_end(&mut all)).await.unwrap();
    assert!(all.ends_with(b"the end"));
}

/// Which end closes makes no difference.
#[tokio::test]
async fn half_closed_tunnels_in_which_nothing_moves_give_their_places_back() {
    const PLACES: usize = 4;
    for client_closes in [true, false] {
        let origin = Origin::sockets(move |mut stream| async move {
            let _ = stream.read_u8().await;
            if !client_closes {
                stream.shutdown().await.unwrap();
            }
            std::future::pending::<()>().await;
        })
        .await;
        let yaml = format!("timeouts: {{ half_closed_seconds: 1 }}\nlimits: {{ connections_per_client: {PLACES} }}");
        let proxy = TestProxy::start(&yaml).await;
        let mut forgotten = Vec::new();
        for _ in 0..PLACES {
            let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
            tunnel.write_all(b"x").await.unwrap();
            if client_closes {
                tunnel.shutdown().await.unwrap();
            } else {
                assert_eq!(tunnel.read(&mut [0]).await.unwrap(), 0);
            }
            forgotten.push(tunnel);
        }
        let request = format!("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", origin.addr);
        let ask = async || {
            let mut stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            read_head(&mut stream).await
        };
        let refused = ask().await;
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
        soon(async {
            while !ask().await.starts_with("HTTP/1.1 200") {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_half_closed_tunnel_in_which_bytes_move_stays() {
    const PIECES: usize = 8;
    let origin = Origin::sockets(|mut stream| async move {
        stream.read_to_end(&mut Vec::new()).await.unwrap();
        // For longer than the bound in all.
        for _ in 0..PIECES {
            tokio::time::sleep(Duration::from_millis(250)).await;
            stream.write_all(b"x").await.unwrap();
        }
    })
    .await;
    let proxy = TestProxy::start("timeouts: { half_closed_seconds: 1 }").await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    tunnel.write_all(b"begin").await.unwrap();
    tunnel.shutdown().await.unwrap();
    let mut all = Vec::new();
    soon(tunnel.read_to_end(&mut all)).await.unwrap();
    assert_eq!(all.len(), PIECES);
}

/// Tunnels and event streams have no time limit: only the operating system can notice that a silent peer is gone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn both_sides_of_a_tunnel_are_asked_whether_they_are_still_there() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let origin = Origin::sockets(move |mut stream| {
        let _ = tell.send(stream.peer_addr().unwrap().port());
        async move { drop(stream.read_to_end(&mut Vec::new()).await) }
    })
    .await;
    let proxy = TestProxy::start("").await;
    let tunnel = connect(&proxy, &origin.addr.to_string()).await;
    let client = (proxy.addr.port(), tunnel.local_addr().unwrap().port());
    let upstream = (soon(told.recv()).await.unwrap(), origin.addr.port());
    for (local, remote) in [client, upstream] {
        let ends = format!("0100007F:{local:04X} 0100007F:{remote:04X} 01");
        // The sixth column begins with the timer that runs: 2 is that of keep-alive (proc(5)). For a moment
        // it may still be that of an acknowledgement.
        soon(async {
            loop {
                let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
                let row = table.lines().find(|row| row.contains(&ends)).unwrap();
                if row.split_whitespace().nth(5).unwrap().starts_with("02:") {
                    return;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_tunnel_that_is_never_used_is_closed_and_a_used_one_is_not() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start("timeouts: { tunnel_first_byte_seconds: 1 }").await;
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

/// Neither half of a greeting nor half of the handshake after it holds a connection for ever.
#[tokio::test]
async fn a_handshake_of_a_client_that_stands_still_is_closed() {
    let origin = Origin::http(|_| response(&[], "")).await;
    let yaml = "https: { intercept: on }\ntimeouts: { tls_handshake_seconds: 1 }";
    let proxy = TestProxy::start(yaml).await;
    let target = origin.host_and_port();
    let tls = crate::harness::tls::trusting(&proxy.ca_file(), &[b"http/1.1"]);
    let name = "localhost".try_into().unwrap();
    let mut hello = Vec::new();
    let mut session = rustls::ClientConnection::new(tls, name).unwrap();
    session.write_tls(&mut hello).unwrap();
    for sent in [&hello[..20], &hello[..]] {
        let mut client = connect(&proxy, &target).await;
        client.write_all(sent).await.unwrap();
        let mut answer = Vec::new();
        let _ = soon(client.read_to_end(&mut answer)).await;
        // The server's part of a whole greeting, and nothing else.
        assert_eq!(answer.is_empty(), sent.len() < hello.len());
    }
}

#[tokio::test]
async fn a_handshake_of_a_server_that_stands_still_is_504() {
    let origin = Origin::sockets(|mut stream| async move {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let yaml = "https: { intercept: on }\ntimeouts: { tls_handshake_seconds: 1 }";
    let proxy = TestProxy::start(yaml).await;
    let answer = soon(get(&proxy, &format!("https://{}/", origin.addr), &[])).await;
    assert_eq!(answer.status, 504);
    assert!(answer.text().contains("TLS handshake in time"), "{answer:?}");
}

/// A listener whose queue is full does not answer, like a machine that is not there.
#[tokio::test]
async fn a_server_that_does_not_answer_the_connection_is_504() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let addr = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Linux lets in one more than was said; others may let in more.
    for _ in 0..64 {
        let connect = tokio::net::TcpStream::connect(addr);
        match tokio::time::timeout(Duration::from_millis(300), connect).await {
            Ok(stream) => waiting.push(stream.unwrap()),
            Err(_) => break,
        }
    }
    let proxy = TestProxy::start("timeouts: { connect_seconds: 1 }").await;
    let answer = soon(get(&proxy, &format!("http://{addr}/"), &[])).await;
    assert_eq!(answer.status, 504);
    assert!(answer.text().contains("did not answer the connection"), "{answer:?}");
}
