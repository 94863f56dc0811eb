//! An authority for the origins, and clients that trust what a proxy signs.

use std::{net::IpAddr, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    client::Resumption,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
};

/// An authority, and an origin's settings with a certificate for `localhost` and 127.0.0.1 to 127.0.0.250.
pub fn origin() -> anyhow::Result<(String, String, Arc<ServerConfig>)> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(DnType::CommonName, "bench origins");
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let mut leaf = CertificateParams::default();
    leaf.subject_alt_names = (1..=250)
        .map(|last| SanType::IpAddress(IpAddr::from([127, 0, 0, last])))
        .chain([SanType::DnsName("localhost".try_into()?)])
        .collect();
    let key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&key, &issuer)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((issuer.pem(), issuer.key().serialize_pem(), Arc::new(config)))
}

/// A client that trusts this authority; no session is resumed, so that all handshakes cost the same.
pub fn client(pem: &[u8], alpn: &[&[u8]]) -> anyhow::Result<Arc<ClientConfig>> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots(pem)?)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(Arc::new(config))
}

pub fn roots(pem: &[u8]) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem)?)?;
    Ok(roots)
}
