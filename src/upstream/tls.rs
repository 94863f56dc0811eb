//! Trust: the platform's certificates and those the configuration adds; TLS 1.2 and 1.3 only.
//!
//! A certificate is judged before anything is sent: the platform's verifier decides, [`weak`] adds what
//! it would refuse without saying why. Only hosts that the configuration names one by one are spared.

mod weak;

use std::{net::IpAddr, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, SignatureScheme,
    client::{
        Resumption,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime},
    version::{TLS12, TLS13},
};
use rustls_platform_verifier::Verifier;
use tracing::{error, warn};

pub(super) use self::weak::Weakness;
use super::fault::Fault;
use crate::config::HostPatterns;

/// Hosts whose sessions are kept, the oldest given up first; the library alone keeps those of 32, which is a page or two with all
/// that they fetch. Raising it saves handshakes with their signatures, and costs some 5 KiB for a host: its certificates and
/// two tickets.
const RESUMED_HOSTS: usize = 256;

/// The library counts eight tickets for each host (`ClientSessionMemoryCache::new`).
const TICKETS_PER_HOST: usize = 8;

/// The settings of connections to origins; none where there is nothing to trust, which every encrypted
/// request then says.
pub(super) fn client_config(
    extra_roots: &[CertificateDer<'static>],
    insecure: &HostPatterns,
) -> Option<ClientConfig> {
    for host in insecure.iter() {
        warn!(
            host,
            "certificates of this host are NOT verified (`upstream.insecure_hosts`)"
        );
    }
    build(extra_roots, insecure.clone())
        .inspect_err(|error| error!(%error, "no certificates to trust were found"))
        .ok()
}

fn build(
    extra_roots: &[CertificateDer<'static>],
    insecure: HostPatterns,
) -> Result<ClientConfig, Error> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let platform =
        Verifier::new_with_extra_roots(extra_roots.iter().cloned(), Arc::clone(&provider))?;
    let verifier = Strict { platform, insecure };
    let mut config = ClientConfig::builder_with_provider(provider)
        // RFC 8996: TLS 1.0 and 1.1 must not be used. Named, so that no default decides.
        .with_protocol_versions(&[&TLS13, &TLS12])?
        // The name is rustls's: the verifier is the platform's own, stricter than a bare root store.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    // One memory for each configuration, and in it one for each host: what a host was spared, no other is, and none is after
    // the next reload.
    config.resumption = Resumption::in_memory_sessions(RESUMED_HOSTS * TICKETS_PER_HOST);
    Ok(config)
}

/// The platform's verifier, with reasons it does not give and the exceptions of the configuration.
#[derive(Debug)]
struct Strict {
    platform: Verifier,
    insecure: HostPatterns,
}

impl ServerCertVerifier for Strict {
    /// RFC 9110 § 4.3.4: the certificate must be one for the host of the URI, from an issuer we trust.
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.insecure.names(&plain(name)) {
            return Ok(ServerCertVerified::assertion());
        }
        // First, because a verifier that cannot check a weak signature calls it a wrong one.
        let verified = match weak::find(leaf) {
            Some(weakness) => Err(refused(weakness)),
            None => self
                .platform
                .verify_server_cert(leaf, intermediates, name, ocsp, now)
                .map_err(|error| reason(leaf, intermediates, error)),
        };
        // Here, because only here every failure passes, a connection opened ahead of a request among them.
        verified.inspect_err(|error| {
            let host = plain(name);
            let fault = Fault::of_tls(error);
            warn!(host, %fault, "a web server was refused");
        })
    }

    /// The handshake's own signature is checked for every host: it proves only that the server has the
    /// key it shows.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform
            .verify_tls12_signature(message, leaf, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform
            .verify_tls13_signature(message, leaf, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.platform.supported_verify_schemes()
    }
}

/// A better reason than the verifier's, where there is one. Weak certificates above the leaf refuse
/// nothing by themselves: servers send old ones along that no one needs.
fn reason(leaf: &CertificateDer<'_>, intermediates: &[CertificateDer<'_>], error: Error) -> Error {
    let Error::InvalidCertificate(problem) = &error else {
        return error;
    };
    match problem {
        CertificateError::UnknownIssuer if weak::is_self_signed(leaf) => {
            refused(Weakness::SelfSigned)
        }
        // What is plainly something else.
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. }
        | CertificateError::NotValidForName
        | CertificateError::NotValidForNameContext { .. }
        | CertificateError::Revoked => error,
        _ => intermediates
            .iter()
            .find_map(weak::find)
            .map_or(error, refused),
    }
}

fn refused(weakness: Weakness) -> Error {
    CertificateError::Other(OtherError(Arc::new(weakness))).into()
}

/// The name in the spelling of the configuration.
fn plain(name: &ServerName<'_>) -> String {
    match name {
        ServerName::IpAddress(ip) => IpAddr::from(*ip).to_string(),
        other => other.to_str().to_ascii_lowercase(),
    }
}
