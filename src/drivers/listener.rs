//! The accept loop: who may connect, how many connections there may be, and a graceful end.

mod client_socket;

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use bytes::BytesMut;
use futures_util::FutureExt;
use http::{HeaderValue, Response, Version, header};
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, debug_span, info, warn};

use self::client_socket::ClientSocket;
use crate::{
    http::{body::Body, headers},
    net::{proxy_protocol, tcp},
    pages::{error::Error, error_pages},
    server::{self, Connection},
    state::proxy::Proxy,
    util::shutdown::ShutdownHandle,
};

/// Pause after a failed accept. Nearly always the process has no descriptors left, and trying again at once would
/// only use processor time until some are closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Refused connections that are waited for at once, and for how long at most, so that strangers cannot use up
/// descriptors.
const REFUSALS: usize = 16;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is cancelled; then requests in flight are given the configured time.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>, shutdown: CancellationToken) -> io::Result<()> {
    let local = listener.local_addr()?;
    let handle = ShutdownHandle::new(shutdown.clone());
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    info!(listen = %local, "listening");
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, client)) => {
                proxy.limits.accept_failed(false);
                let admission =
                    Admission { proxy: Arc::clone(&proxy), handle: handle.clone(), refusals: Arc::clone(&refusals) };
                admission.begin(stream, client, local.port());
            }
            Err(error) => {
                warn!(%error, "a connection could not be accepted");
                proxy.limits.accept_failed(true);
                proxy.state().client.close_idle();
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    proxy.is_ending.store(true, Relaxed);
    // No new connections while the open ones finish.
    drop(listener);
    let grace = Duration::from_secs(proxy.state().config.limits.shutdown_grace_seconds);
    handle.tasks.close();
    if timeout(grace, handle.tasks.wait()).await.is_err() {
        let open = handle.tasks.len();
        info!(open, "the grace period is over, open connections are cut");
        handle.aborted.cancel();
        handle.tasks.wait().await;
    }
    info!(listen = %local, "stopped");
    Ok(())
}

/// What decides about a connection.
struct Admission {
    proxy: Arc<Proxy>,
    handle: ShutdownHandle,
    refusals: Arc<Semaphore>,
}

impl Admission {
    /// Admits a connection; one of a load balancer when it has told who its client is.
    fn begin(self, mut stream: TcpStream, peer: SocketAddr, port: u16) {
        let state = self.proxy.state();
        let balancers = state.config.balancers.get(&port);
        if !balancers.is_some_and(|all| all.iter().any(|range| range.contains(peer.ip().to_canonical()))) {
            return admit(stream, peer, &self);
        }
        let limit = state.config.timeouts.request_head;
        self.handle.clone().spawn(async move {
            match timeout(limit, proxy_protocol::read_client(&mut stream)).await {
                Ok(Ok(client)) => admit(stream, client.unwrap_or(peer), &self),
                Ok(Err(error)) => warn!(balancer = %peer, %error, "a connection of a load balancer is closed"),
                Err(_) => debug!(balancer = %peer, "a load balancer has sent no PROXY header in time"),
            }
        });
    }
}

/// Starts the task of a connection, or refuses it.
fn admit(stream: TcpStream, client: SocketAddr, Admission { proxy, handle, refusals }: &Admission) {
    let state = proxy.state();
    let per_client = state.config.limits.connections_per_client;
    let permit = if !state.acl.client_allowed(client.ip()) {
        Err(Error::ClientNotAllowed(client.ip().to_canonical()))
    } else if let Some(permit) = proxy.limits.acquire(client.ip(), per_client) {
        Ok(permit)
    } else {
        Err(Error::TooManyConnections)
    };
    // A wildcard listener has one address per connection.
    let Ok(local) = stream.local_addr() else {
        return;
    };
    tcp::configure(&stream);
    let span = debug_span!("conn", client.addr = %client);
    let _entered = span.enter();
    match permit {
        Ok(permit) => {
            let connection = Arc::new(Connection::new(client, local, handle.clone()));
            let write_timeout = state.config.timeouts.client_stall;
            let stream = ClientSocket::new(stream, Arc::clone(&connection), write_timeout, permit);
            let proxy = Arc::clone(proxy);
            handle.spawn(server::serve_connection(stream, proxy, connection, Version::HTTP_11));
        }
        Err(error) => {
            let Some(response) = to_bytes(error_pages::error_response(&error)) else {
                return;
            };
            match Arc::clone(refusals).try_acquire_owned() {
                Ok(slot) => handle.spawn(async move {
                    // A client that does not read its refusal is not waited for.
                    let _ = timeout(REFUSAL_TIMEOUT, refuse(stream, &response)).await;
                    drop(slot);
                }),
                // As good as it can be without keeping the descriptor.
                Err(_) => drop(stream.try_write(&response)),
            }
        }
    }
}

/// A response of our own as it is written to a connection that hyper does not serve.
fn to_bytes(response: Response<Body>) -> Option<BytesMut> {
    let (mut head, body) = response.into_parts();
    let body = body.collect().now_or_never()?.ok()?.to_bytes();
    let headers = &mut head.headers;
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    let mut bytes = BytesMut::from(format!("HTTP/1.1 {}\r\n", head.status).as_bytes());
    headers::write_fields(headers, &mut bytes);
    bytes.extend_from_slice(&body);
    Some(bytes)
}

async fn refuse(mut stream: TcpStream, response: &[u8]) -> io::Result<()> {
    // A response before the request looks like a fault to browsers, which open connections ahead of need.
    stream.readable().await?;
    stream.write_all(response).await?;
    stream.shutdown().await?;
    // Closed with its request unread, the connection would be reset, and the response with it.
    let mut request = [0; 4096];
    while stream.read(&mut request).await? > 0 {}
    Ok(())
}
