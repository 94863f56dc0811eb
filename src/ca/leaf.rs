//! The TLS settings of a client's handshake, made once per leaf.

use std::sync::Arc;

use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring::Ticketer},
    server::NoServerSessionStorage,
    sign::{CertifiedKey, SingleCertAndKey},
    version::{TLS12, TLS13},
};

/// Application protocols spoken with clients, the preferred one first.
pub(crate) const ALPN_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The settings of handshakes that show this leaf.
///
/// Session tickets are encrypted with a key of this leaf alone: RFC 8446 § 4.6.1 binds a ticket to the name in the
/// `ClientHello`, and hosts that are addresses have none there. The key is dropped with the leaf, so that no session of an old
/// authority is resumed under a new one.
pub(super) fn config(leaf: CertifiedKey, provider: Arc<CryptoProvider>) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider)
        // RFC 8996: TLS 1.0 and 1.1 must not be used. Named, so that no default decides.
        .with_protocol_versions(&[&TLS13, &TLS12])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(leaf)));
    config.alpn_protocols = ALPN_PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    config.ticketer = Ticketer::new()?;
    // Tickets carry the sessions; rustls's own store would allocate its memory in advance.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Ok(Arc::new(config))
}
