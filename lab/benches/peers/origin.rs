//! An origin on loopback that does next to nothing, so that the proxy in front of it is what is measured.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// The body of `/small`.
pub const SMALL: &[u8] = b"twenty bytes of text";

/// Bytes of `/bulk`.
pub const BULK: u64 = 1 << 30;

/// When the last byte of the last page was written.
static PAGE_SENT: Mutex<Option<Instant>> = Mutex::new(None);

/// How long ago the last page was written to its end.
pub fn since_page() -> Duration {
    let sent = *PAGE_SENT.lock().unwrap_or_else(PoisonError::into_inner);
    sent.map_or(Duration::ZERO, |sent| sent.elapsed())
}

/// The pages that an origin has.
pub type Pages = Arc<Vec<String>>;

/// Serves for as long as the program runs: `/small`, `/bulk`, and the pages by their numbers, as `/page/whole/0`, the same without
/// a word of its encoding as `/page/undeclared/0`, and in pieces of 16 KiB over 300 ms as `/page/slow/0`.
pub async fn start(tls: Option<Arc<ServerConfig>>, pages: Pages) -> std::io::Result<SocketAddr> {
    start_at(1, tls, pages).await
}

/// The same at another address of this machine: 127.0.0.2 and so on are many hosts without a name server.
pub async fn start_at(
    last: u8,
    tls: Option<Arc<ServerConfig>>,
    pages: Pages,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 0, last), 0)).await?;
    let addr = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let tls = tls.clone();
            let pages = Arc::clone(&pages);
            tokio::spawn(async move {
                match tls {
                    None => serve(stream, &pages).await,
                    Some(config) => match TlsAcceptor::from(config).accept(stream).await {
                        Ok(stream) => serve(stream, &pages).await,
                        Err(error) => Err(error),
                    },
                }
            });
        }
    });
    Ok(addr)
}

async fn serve(
    mut io: impl AsyncRead + AsyncWrite + Unpin,
    pages: &[String],
) -> std::io::Result<()> {
    let mut head = Vec::with_capacity(4096);
    loop {
        while !head.ends_with(b"\r\n\r\n") {
            if io.read_buf(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let asks = |path: &str| line.windows(path.len()).any(|part| part == path.as_bytes());
        if asks("/bulk") {
            io.write_all(&head_of("application/octet-stream", BULK))
                .await?;
            let piece = vec![b'x'; 64 * 1024];
            for _ in 0..BULK / piece.len() as u64 {
                io.write_all(&piece).await?;
            }
        } else if asks("/page") {
            let page = number(line).and_then(|number| pages.get(number));
            let page = page.map_or(&[][..], String::as_bytes);
            let kind = if asks("/page/undeclared") {
                "text/html"
            } else {
                "text/html; charset=utf-8"
            };
            io.write_all(&head_of(kind, page.len() as u64)).await?;
            let pieces = page.len().div_ceil(16 * 1024).max(1);
            for piece in page.chunks(16 * 1024) {
                if asks("/page/slow") {
                    let pause = Duration::from_millis(300) / u32::try_from(pieces).unwrap_or(1);
                    tokio::time::sleep(pause).await;
                }
                io.write_all(piece).await?;
                io.flush().await?;
            }
        } else {
            let mut response = head_of("text/plain", SMALL.len() as u64);
            response.extend_from_slice(SMALL);
            io.write_all(&response).await?;
        }
        io.flush().await?;
        if asks("/page") {
            *PAGE_SENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        head.clear();
    }
}

/// The number at the end of the address in a request's first line.
fn number(line: &[u8]) -> Option<usize> {
    let line = std::str::from_utf8(line).ok()?;
    line.split(' ').nth(1)?.rsplit('/').next()?.parse().ok()
}

fn head_of(kind: &str, length: u64) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nServer: bench\r\nContent-Type: {kind}\r\n\
         Cache-Control: no-store\r\nETag: \"1\"\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}
