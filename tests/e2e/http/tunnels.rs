//! CONNECT without interception: tunnels.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::{connect, connect_tls, curl},
    origin::{html, read_head},
    raw,
};

#[tokio::test]
async fn bytes_pass_both_ways_and_the_end_too() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start("").await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    tunnel.write_all(b"anything at all").await.unwrap();
    tunnel.shutdown().await.unwrap();
    let mut back = Vec::new();
    tunnel.read_to_end(&mut back).await.unwrap();
    assert_eq!(back, b"anything at all");
    proxy.stop().await;
}

/// Links sends no Host field with CONNECT, whose target is a host and nothing else (unlike RFC 9112 § 3.2).
#[tokio::test]
async fn a_connect_without_a_host_field_is_a_tunnel() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start("").await;
    let mut stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
    let request = format!("CONNECT {} HTTP/1.1\r\n\r\nearly", origin.addr);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut back = Vec::new();
    stream.shutdown().await.unwrap();
    stream.read_to_end(&mut back).await.unwrap();
    let back = String::from_utf8_lossy(&back);
    assert!(back.starts_with("HTTP/1.1 200 ") && back.ends_with("early"), "{back}");
    proxy.stop().await;
}

#[tokio::test]
async fn bytes_sent_with_the_connect_are_not_lost() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start("").await;
    let target = origin.addr;
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\nearly");
    let mut stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    read_head(&mut stream).await;
    let mut back = [0; 5];
    stream.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"early");
}

#[tokio::test]
async fn connect_without_a_port_gets_400() {
    let proxy = TestProxy::start("").await;
    let answer = raw(proxy.addr, "CONNECT example.com HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[tokio::test]
async fn the_origin_certificate_is_what_the_client_sees() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&ca, "").await;
    let trust = proxy.ca_file().parent().unwrap().with_file_name("origins.pem");
    let target = origin.host_and_port();
    connect_tls(&proxy, &target, &trust, &[b"http/1.1"]).await.unwrap();
    let Some(page) = curl(&proxy, &["--cacert", trust.to_str().unwrap(), "--include", &origin.https_url("/")]).await
    else {
        return;
    };
    assert!(page.contains(PAGE) && !page.to_lowercase().contains("\ngleaner:"), "{page}");
}
