//! The accept loop for other proxies that have their messages filtered here (`icap.listen`).

use std::{io, sync::Arc, time::Duration};

use tokio::{net::TcpListener, sync::Semaphore, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::{
    net::tcp,
    server::icap::{MAX_ICAP_CONNECTIONS, serve_icap},
    state::proxy::Proxy,
    util::shutdown::ShutdownHandle,
};

/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown` is cancelled; messages in work then have the grace period of requests.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>, shutdown: CancellationToken) -> io::Result<()> {
    let handle = ShutdownHandle::new(shutdown.clone());
    let places = Arc::new(Semaphore::new(MAX_ICAP_CONNECTIONS));
    info!(listen = %listener.local_addr()?, "ICAP");
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
            Err(error) => {
                warn!(%error, "a connection of an ICAP client could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let is_admitted = proxy.state().config.icap.admits(peer);
        let Some(place) = Arc::clone(&places).try_acquire_owned().ok().filter(|_| is_admitted) else {
            debug!(%peer, "no ICAP for this client, which `icap.clients` does not list, or too many connections");
            continue;
        };
        tcp::configure(&stream);
        let served = serve_icap(stream, Arc::clone(&proxy), peer, shutdown.clone());
        handle.spawn(async move {
            served.await;
            drop(place);
        });
    }
    drop(listener);
    let grace = Duration::from_secs(proxy.state().config.limits.shutdown_grace_seconds);
    handle.tasks.close();
    if tokio::time::timeout(grace, handle.tasks.wait()).await.is_err() {
        handle.aborted.cancel();
    }
    Ok(())
}
