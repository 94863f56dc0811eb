//! What is known of a client connection: addresses, the CONNECT target inside a tunnel, credentials already checked,
//! and how it must be closed.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicBool},
};

use super::ConnectionState;
use crate::{
    client::{PinnedConnections, Requester},
    net::{client_program::ClientProgram, credentials::Authenticator, target::Target},
    util::shutdown::ShutdownHandle,
};

/// A client's connection, or a decrypted one inside its tunnel.
pub(crate) struct Connection {
    pub(crate) client: SocketAddr,
    pub(crate) local: SocketAddr,
    /// Set on decrypted connections: target of the CONNECT.
    pub(crate) tunnel: Option<Target>,
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    pub(crate) device: Option<ClientProgram>,
    pub(crate) shutdown: ShutdownHandle,
    pub(crate) state: Arc<ConnectionState>,
    /// Upstream connections that were authenticated for this client.
    pub(crate) pinned: PinnedConnections,
    /// The response that is being sent ends with the connection; until its end, close with a reset.
    pub(crate) reset_on_close: AtomicBool,
    /// Bytes are copied through; no timeout applies.
    pub(crate) is_tunnel: AtomicBool,
}

impl Connection {
    pub(crate) fn new(client: SocketAddr, local: SocketAddr, shutdown: ShutdownHandle) -> Self {
        Self {
            client,
            local,
            tunnel: None,
            authenticator: None,
            device: None,
            shutdown,
            state: Arc::default(),
            pinned: PinnedConnections::default(),
            reset_on_close: AtomicBool::default(),
            is_tunnel: AtomicBool::default(),
        }
    }

    /// The decrypted connection inside the tunnel that this connection became.
    pub(crate) fn decrypted(
        &self,
        target: Target,
        authenticator: Option<Arc<Authenticator>>,
        device: ClientProgram,
    ) -> Self {
        let fresh = Self::new(self.client, self.local, self.shutdown.child());
        Self { tunnel: Some(target), authenticator, device: Some(device), ..fresh }
    }

    /// The requester of an upstream connection for a request on this one.
    pub(crate) fn requester(&self) -> Requester<'_> {
        Requester { address: self.client.ip(), pinned: &self.pinned, is_nested: false }
    }

    /// Lets a decrypted connection begin nothing new, because its client may not use it any more. On other
    /// connections each request brings its own credentials.
    pub(crate) fn drain(&self) {
        if self.tunnel.is_some() {
            self.shutdown.draining.cancel();
        }
    }
}
