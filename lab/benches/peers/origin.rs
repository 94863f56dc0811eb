//! An origin on loopback that does next to nothing, so that the proxy in front of it is what is measured.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// The body of `/small`.
pub(crate) const SMALL: &[u8] = b"twenty bytes of text";

/// Bytes of `/bulk`.
pub(crate) const BULK: u64 = 1 << 30;

/// Serves `/small` and `/bulk` on a free port for as long as the program runs.
pub(crate) async fn start(tls: Option<Arc<ServerConfig>>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let addr = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let tls = tls.clone();
            tokio::spawn(async move {
                match tls {
                    None => serve(stream).await,
                    Some(config) => serve(TlsAcceptor::from(config).accept(stream).await?).await,
                }
            });
        }
    });
    Ok(addr)
}

async fn serve(mut io: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut head = Vec::with_capacity(4096);
    loop {
        while !head.ends_with(b"\r\n\r\n") {
            if io.read_buf(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        if line.windows(5).any(|part| part == b"/bulk") {
            io.write_all(&head_of("application/octet-stream", BULK)).await?;
            let piece = vec![b'x'; 64 * 1024];
            for _ in 0..BULK / piece.len() as u64 {
                io.write_all(&piece).await?;
            }
        } else {
            let mut response = head_of("text/plain", SMALL.len() as u64);
            response.extend_from_slice(SMALL);
            io.write_all(&response).await?;
        }
        io.flush().await?;
        head.clear();
    }
}

fn head_of(kind: &str, length: u64) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nServer: bench\r\nContent-Type: {kind}\r\n\
         Cache-Control: no-store\r\nETag: \"1\"\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}
