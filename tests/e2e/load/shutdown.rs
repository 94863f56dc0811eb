//! Shutdown: requests in flight finish within the grace period, and the rest is cut.

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Notify,
};

use crate::harness::{
    Origin, TestProxy,
    client::{begin, connect},
    origin::read_head,
    wire::{soon, until},
};

#[tokio::test]
async fn a_request_in_flight_finishes() {
    let (asked, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&asked), Arc::clone(&go));
    let origin = Origin::sockets(move |mut stream| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            read_head(&mut stream).await;
            tell.notify_one();
            wait.notified().await;
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    })
    .await;
    let proxy = TestProxy::start("").await;
    let mut client = begin(&proxy, &origin.url("/")).await;
    asked.notified().await;
    let addr = proxy.addr;
    let end = tokio::spawn(proxy.stop());
    // New connections are refused while this one is served.
    until("it refuses", async || TcpStream::connect(addr).await.is_err()).await;
    go.notify_one();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("done"), "{answer}");
    end.await.unwrap();
}

#[tokio::test]
async fn idle_connections_and_quiet_tunnels_do_not_hold_the_end_up() {
    let origin = Origin::sockets(|stream| async move {
        let _kept = stream;
        std::future::pending::<()>().await;
    })
    .await;
    let proxy = TestProxy::start("limits: { shutdown_grace_seconds: 3600 }").await;
    let _idle = TcpStream::connect(proxy.addr).await.unwrap();
    let _tunnel = connect(&proxy, &origin.addr.to_string()).await;
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_whose_client_waits_for_a_slow_answer_is_given_it() {
    let origin = Origin::sockets(|mut stream| async move {
        read_head(&mut stream).await;
        // Longer than a tunnel may be quiet, which is what this is about.
        tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
        stream.write_all(b"done").await.unwrap();
        // Kept open: what ends the tunnel now is its silence.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let proxy = TestProxy::start("limits: { shutdown_grace_seconds: 3600 }").await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    tunnel.write_all(b"question\r\n\r\n").await.unwrap();
    let end = tokio::spawn(proxy.stop());
    let mut answer = String::new();
    soon(tunnel.read_to_string(&mut answer)).await.unwrap();
    assert_eq!(answer, "done");
    soon(end).await.unwrap();
}

#[tokio::test]
async fn what_never_finishes_is_cut() {
    let origin = Origin::sockets(|mut stream| async move {
        read_head(&mut stream).await;
        std::future::pending::<()>().await;
    })
    .await;
    let proxy = TestProxy::start("limits: { shutdown_grace_seconds: 1 }").await;
    let mut client = begin(&proxy, &origin.url("/")).await;
    proxy.stop().await;
    let mut answer = String::new();
    assert_eq!(client.read_to_string(&mut answer).await.unwrap_or(0), 0);
}
