//! Drains a client connection when its client starts or stops trusting the authority, so that the client's next
//! connection is decrypted or tunnelled accordingly.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::trusted_devices::TrustedDevices;
use crate::net::client_program::ClientProgram;

/// How often such a connection looks whether another process has changed the list of those that trust.
const CHECKED_EVERY: Duration = Duration::from_secs(10);

/// Returns the fingerprint of the authority in force, if there is one.
pub(crate) type AuthorityFingerprint = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// Whether a client trusts the authority, where a connection depends on it.
pub(crate) struct TrustWatch {
    devices: Arc<TrustedDevices>,
    device: ClientProgram,
    authority: AuthorityFingerprint,
    pub(crate) is_trusted: bool,
}

impl TrustWatch {
    pub(crate) fn new(devices: &Arc<TrustedDevices>, device: &ClientProgram, authority: AuthorityFingerprint) -> Self {
        let is_trusted = devices.trusts(device, &authority);
        Self { devices: Arc::clone(devices), device: device.clone(), authority, is_trusted }
    }

    /// Runs a connection. Where the trust that it depends on changes it is drained, so that the client's next one is treated as it
    /// should be.
    pub(crate) async fn watch(trust: Option<Self>, draining: &CancellationToken, connection: impl Future<Output = ()>) {
        let Some(Self { devices, device, authority, is_trusted: before }) = trust else { return connection.await };
        let mut changes = devices.changes();
        let until_changed = async {
            while devices.trusts(&device, &authority) == before {
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
