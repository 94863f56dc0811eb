//! hudsucker with its defaults, for comparison. Arguments: port, its authority's certificate and key, and the certificate
//! that it trusts for origins.

use std::{env, fs, net::SocketAddr};

use anyhow::Context;
use hudsucker::{
    Proxy,
    certificate_authority::RcgenAuthority,
    rcgen::{Issuer, KeyPair},
    rustls::{
        ClientConfig, RootCertStore,
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, pem::PemObject},
    },
};
use hyper_rustls::HttpsConnectorBuilder;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [port, certificate, key, origins] = &arguments[..] else {
        anyhow::bail!("expected: port, certificate, key, certificate of the origins");
    };
    let key = KeyPair::from_pem(&fs::read_to_string(key)?)?;
    let issuer = Issuer::from_ca_cert_pem(&fs::read_to_string(certificate)?, key)?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(origins)?)?;
    let tls = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().enable_http2().build();
    let proxy = Proxy::builder()
        .with_addr(SocketAddr::from(([127, 0, 0, 1], port.parse()?)))
        .with_ca(RcgenAuthority::new(issuer, 1_000, aws_lc_rs::default_provider()))
        .with_http_connector(connector)
        .build()
        .context("the proxy cannot be made")?;
    proxy.start().await?;
    Ok(())
}
