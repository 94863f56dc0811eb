//! Web sockets (RFC 6455): an origin that upgrades, and its client.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::origin::read_head;

/// An origin that upgrades and then echoes; its answer shows what it was asked.
pub(crate) async fn upgrade(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let head = read_head(&mut stream).await.to_lowercase();
    let right = head.contains("\r\nconnection: upgrade\r\n")
        && head.contains("\r\nupgrade: websocket\r\n")
        && head.contains("\r\nsec-websocket-key: abc\r\n");
    if !right {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n").await;
        return;
    }
    let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\
                  Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst";
    stream.write_all(answer.as_bytes()).await.unwrap();
    let (mut read, mut write) = tokio::io::split(stream);
    let _ = tokio::io::copy(&mut read, &mut write).await;
}

/// Upgrades, and exchanges words.
pub(crate) async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, target: &str, host: &str) {
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: keep-alive, Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Key: abc\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(head.to_lowercase().contains("\r\nupgrade: websocket\r\n"), "{head}");
    exchange_words(stream).await;
}

/// What the origin of [`upgrade`] says, and what it is told, arrives.
pub(crate) async fn exchange_words(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut first = [0; 5];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"first");
    stream.write_all(b"there and back").await.unwrap();
    let mut back = [0; 14];
    stream.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"there and back");
}

/// The server's answer to a key (RFC 6455 § 4.2.2).
pub(crate) fn accept(head: &str) -> String {
    let key = head.lines().find_map(|line| line.to_lowercase().starts_with("sec-websocket-key:").then(|| &line[18..]));
    let text = format!("{}258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key.unwrap().trim());
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
    BASE64_STANDARD.encode(digest.as_ref())
}
