//! The accept loop, the bound on connections, and a graceful end.
//!
//! What a request means is for `proxy`; here are sockets only.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use http::Version;
use hyper::{
    rt::{Read, Write},
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{Instrument, debug, debug_span, info, warn};

use crate::{authority::Target, proxy::Proxy};

/// Pause after a failed accept. Nearly always the process has no descriptors left, and trying at
/// once again would only burn time until some are closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Streams of one HTTP/2 connection: what browsers expect of a server (RFC 9113 § 6.5.2 recommends
/// no less than 100).
const HTTP2_STREAMS: u32 = 128;

/// What a connection over the bound is told.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
    Content-Type: text/plain\r\nRetry-After: 5\r\nContent-Length: 25\r\n\r\n\
    Too many open connections";

/// A connection and how its requests came to us.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) client: SocketAddr,
    pub(crate) local: SocketAddr,
    /// The target of the CONNECT this connection was decrypted from.
    pub(crate) tunnel: Option<Target>,
    pub(crate) life: Life,
}

/// How the program's end reaches connections.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    /// Finish what is in flight, begin nothing new.
    pub(crate) draining: CancellationToken,
    /// Time is up.
    pub(crate) ended: CancellationToken,
    tasks: TaskTracker,
}

impl Life {
    fn new(draining: CancellationToken) -> Self {
        Self {
            draining,
            ended: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self::new(CancellationToken::new())
    }

    /// Runs a task that the end waits for, and cuts when time is up.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let ended = self.ended.clone();
        let task = async move {
            ended.run_until_cancelled(task).await;
        };
        self.tasks.spawn(task.in_current_span());
    }
}

/// Serves until `shutdown` is cancelled; then requests in flight are given the configured time.
pub async fn serve(
    listener: TcpListener,
    proxy: Arc<Proxy>,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    let life = Life::new(shutdown.clone());
    info!(listen = %local, "listening");
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, client)) => welcome(stream, client, &proxy, &life),
            Err(error) => {
                warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    // No one new is let in while the others finish.
    drop(listener);
    let grace = Duration::from_secs(proxy.running().config.limits.shutdown_grace_seconds);
    life.tasks.close();
    if timeout(grace, life.tasks.wait()).await.is_err() {
        info!(
            open = life.tasks.len(),
            "time is up, open connections are cut"
        );
        life.ended.cancel();
        life.tasks.wait().await;
    }
    info!(listen = %local, "stopped");
    Ok(())
}

fn welcome(stream: TcpStream, client: SocketAddr, proxy: &Arc<Proxy>, life: &Life) {
    let Ok(place) = Arc::clone(&proxy.connections).try_acquire_owned() else {
        life.spawn(turn_away(stream));
        return;
    };
    // A wildcard listener has one address per connection.
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Small writes go out at once; a refusal here changes nothing but speed.
    let _ = stream.set_nodelay(true);
    let conn = Conn {
        client,
        local,
        tunnel: None,
        life: life.clone(),
    };
    let proxy = Arc::clone(proxy);
    let span = debug_span!("conn", client.addr = %client);
    let task = async move {
        drive(
            TokioIo::new(stream),
            proxy,
            Arc::new(conn),
            Version::HTTP_11,
        )
        .await;
        drop(place);
    };
    let _entered = span.enter();
    life.spawn(task);
}

async fn turn_away(mut stream: TcpStream) {
    const PATIENCE: Duration = Duration::from_secs(1);
    // A client that does not read its refusal has only itself to blame.
    let _ = timeout(PATIENCE, stream.write_all(BUSY)).await;
}

/// Speaks HTTP on one connection until it ends: clear ones, and those that `intercept` decrypted.
pub(crate) async fn drive<I>(io: I, proxy: Arc<Proxy>, conn: Arc<Conn>, version: Version)
where
    I: Read + Write + Unpin + Send + 'static,
{
    let draining = conn.life.draining.clone();
    let head_time = proxy.running().config.timeouts.request_head;
    let service = service_fn(move |request| {
        let (proxy, conn) = (Arc::clone(&proxy), Arc::clone(&conn));
        async move { Ok::<_, std::convert::Infallible>(proxy.handle(conn, request).await) }
    });
    // Both arms are the same three steps; their connection types have nothing in common.
    let served = if version == Version::HTTP_2 {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(HTTP2_STREAMS)
            .serve_connection(io, service);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            served = &mut connection => served,
            () = draining.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    } else {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_time)
            .preserve_header_case(true)
            .title_case_headers(true)
            .serve_connection(io, service)
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            served = &mut connection => served,
            () = draining.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    if let Err(error) = served {
        debug!(%error, "connection ended early");
    }
}
