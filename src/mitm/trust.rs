//! Connections that are opened because their client trusts the authority, or tunnelled because it does not yet.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{net::device::Device, state::proxy::Proxy};

/// How often such a connection looks whether another process has changed the list of those that trust.
const CHECKED_EVERY: Duration = Duration::from_secs(10);

/// Whether a client trusts the authority, where a connection depends on it.
pub(crate) struct Trust {
    proxy: Arc<Proxy>,
    device: Device,
    pub(crate) is_given: bool,
}

impl Trust {
    pub(crate) fn of(proxy: &Arc<Proxy>, device: &Device) -> Self {
        Self { proxy: Arc::clone(proxy), device: device.clone(), is_given: is_given(proxy, device) }
    }

    /// Runs a connection. Where the trust that it depends on changes it is drained, so that the client's next one is treated as it
    /// should be.
    pub(crate) async fn watch(trust: Option<Self>, draining: &CancellationToken, connection: impl Future<Output = ()>) {
        let Some(Self { proxy, device, is_given: before }) = trust else { return connection.await };
        let mut changes = proxy.trusted_devices.changes();
        let until_changed = async {
            while is_given(&proxy, &device) == before {
                // At a change in this process, and else after that time.
                let _ = timeout(CHECKED_EVERY, changes.changed()).await;
            }
        };
        tokio::pin!(connection);
        tokio::select! {
            biased;
            () = &mut connection => return,
            () = until_changed => draining.cancel(),
        }
        connection.await;
    }
}

fn is_given(proxy: &Proxy, device: &Device) -> bool {
    let running = proxy.running();
    proxy.trusted_devices.trusts(device, || running.open_authority().map(|authority| authority.fingerprint()))
}
