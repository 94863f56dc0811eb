//! Readiness and figures at an address of their own, for load balancers and monitoring (`health.listen`).

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use http::{Request, Response, StatusCode};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, sync::Semaphore, time::sleep};
use tracing::{debug, info, warn};

use crate::{http::body::Body, pages::panel::metrics, state::proxy::Proxy};

/// Connections at once: a few balancers and a monitor.
const CONNECTIONS: usize = 64;

/// Time for a request's head; between requests too.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves as long as the program runs: while it ends too.
pub(crate) async fn serve(listener: TcpListener, proxy: Arc<Proxy>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    if let Ok(addr) = listener.local_addr() {
        info!(listen = %addr, "readiness and figures");
    }
    loop {
        let (stream, client) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                warn!(%error, "a connection for readiness and figures could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let is_admitted = proxy.state().config.health.admits(client.ip().to_canonical());
        let Some(place) = Arc::clone(&places).try_acquire_owned().ok().filter(|_| is_admitted) else {
            debug!(%client, "no readiness and figures for this client, or too many connections");
            continue;
        };
        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = answer(&proxy, &request, client);
                async { Ok::<_, Infallible>(response) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            if let Err(error) = served {
                debug!(%error, "a connection for readiness and figures ended early");
            }
            drop(place);
        });
    }
}

fn answer(proxy: &Proxy, request: &Request<Incoming>, client: SocketAddr) -> Response<Body> {
    let path = request.uri().path();
    debug!(%client, path, "readiness and figures");
    if metrics::has(path) {
        return metrics::report(proxy, path, request.headers());
    }
    let mut response = Response::new(Body::from("only /healthz, /readyz and /metrics are here\n".to_owned()));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
