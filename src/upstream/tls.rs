//! Trust: the platform's certificates and those the configuration adds; TLS 1.2 and 1.3 only.

use std::sync::Arc;

use rustls::{
    ClientConfig,
    crypto::{CryptoProvider, ring},
    pki_types::CertificateDer,
};
use rustls_platform_verifier::Verifier;
use tracing::error;

/// The settings of connections to origins; none where there is nothing to trust, which every encrypted
/// request then says.
pub(super) fn client_config(extra_roots: &[CertificateDer<'static>]) -> Option<ClientConfig> {
    build(extra_roots)
        .inspect_err(|error| error!(%error, "no certificates to trust were found"))
        .ok()
}

fn build(extra_roots: &[CertificateDer<'static>]) -> Result<ClientConfig, rustls::Error> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let verifier =
        Verifier::new_with_extra_roots(extra_roots.iter().cloned(), Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        // The name is rustls's: the verifier is the platform's own, stricter than a bare root store.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}
