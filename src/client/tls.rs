//! Trust in origins: the platform's certificates, or built-in ones where it has none, and those of the configuration; TLS 1.2 and 1.3
//! only.
//!
//! A certificate is verified before anything is sent: the platform's verifier decides, [`weak`] adds what it would
//! refuse without saying why, and [`intermediates`] what a server forgot to send. Only hosts that the configuration
//! names one by one are exempt.

mod intermediates;
mod weak;

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, SignatureScheme,
    client::{
        ResolvesClientCert, Resumption,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime},
    sign::CertifiedKey,
    version::{TLS12, TLS13},
};
use rustls_platform_verifier::Verifier;
use tracing::{error, warn};

use self::intermediates::Intermediates;
pub(super) use self::{
    intermediates::{MAX_FETCHED_INTERMEDIATES, MissingIssuer, fetch_certificate},
    weak::Weakness,
};
use super::UpstreamError;
use crate::config::HostPatterns;

/// Hosts whose sessions are kept for resumption, the oldest dropped first; rustls's default is 32, which is a page or
/// two with all that they fetch. Raising it saves handshakes, and costs about 5 KiB per host.
const RESUMED_HOSTS: usize = 256;

/// rustls counts eight tickets per host (`ClientSessionMemoryCache::new`).
const TICKETS_PER_HOST: usize = 8;

/// The settings of connections to origins.
pub(super) struct Tls {
    /// Offers HTTP/2 and HTTP/1.1.
    pub(super) http2_or_http1: Arc<ClientConfig>,
    pub(super) http1: Arc<ClientConfig>,
    pub(super) intermediates: Arc<Intermediates>,
}

/// `None` where no trusted certificates were found.
pub(super) fn configure(extra_roots: &[CertificateDer<'static>], insecure: &HostPatterns) -> Option<Tls> {
    for host in insecure.iter() {
        warn!(host, "certificates of this host are NOT verified (`upstream.insecure_hosts`)");
    }
    build(extra_roots, insecure.clone()).inspect_err(|error| error!(%error, "no certificates to trust were found")).ok()
}

fn build(extra_roots: &[CertificateDer<'static>], insecure: HostPatterns) -> Result<Tls, Error> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let platform = platform_verifier(extra_roots, &provider)?;
    let intermediates = Arc::<Intermediates>::default();
    let verifier = Strict { platform, insecure, intermediates: Arc::clone(&intermediates) };
    let mut config = ClientConfig::builder_with_provider(provider)
        // RFC 8996: TLS 1.0 and 1.1 must not be used. Named, so that no default decides.
        .with_protocol_versions(&[&TLS13, &TLS12])?
        // The name is rustls's: the verifier is the platform's own, stricter than a bare root store.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_client_cert_resolver(Arc::new(NoCertificate));
    // One store per configuration: what one accepted is not resumed under the next.
    config.resumption = Resumption::in_memory_sessions(RESUMED_HOSTS * TICKETS_PER_HOST);
    let mut any = config.clone();
    any.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Tls { http2_or_http1: Arc::new(any), http1: Arc::new(config), intermediates })
}

/// Whether the system has certificates to trust.
pub(super) fn has_system_roots() -> bool {
    Verifier::new(Arc::new(ring::default_provider())).is_ok()
}

/// The platform's verifier. Where the system has no certificates to trust, as in a container that has nothing but this program, it
/// gets built-in ones.
fn platform_verifier(extra: &[CertificateDer<'static>], provider: &Arc<CryptoProvider>) -> Result<Verifier, Error> {
    let with = |more: &[CertificateDer<'static>]| {
        Verifier::new_with_extra_roots(extra.iter().chain(more).cloned(), Arc::clone(provider))
    };
    match Verifier::new(Arc::clone(provider)) {
        Ok(verifier) if extra.is_empty() => Ok(verifier),
        Ok(_) => with(&[]),
        Err(_) => with(BUILT_IN_ROOTS),
    }
}

/// Mozilla's list of trusted certificates.
#[cfg(target_os = "linux")]
const BUILT_IN_ROOTS: &[CertificateDer<'static>] = webpki_root_certs::TLS_SERVER_ROOT_CERTS;

/// Other systems always have their own.
#[cfg(not(target_os = "linux"))]
const BUILT_IN_ROOTS: &[CertificateDer<'static>] = &[];

tokio::task_local! {
    /// The flag of this task's current handshake. All handshakes share one resolver, because rustls resumes a session only
    /// with the very resolver that it began with.
    static REQUESTED: CertificateRequested;
}

/// Whether a server has asked for a client certificate in one handshake; there is none to give.
#[derive(Clone, Debug, Default)]
pub(super) struct CertificateRequested(Arc<AtomicBool>);

impl CertificateRequested {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// A handshake that is watched.
    pub(super) fn during<F: Future>(&self, handshake: F) -> impl Future<Output = F::Output> {
        REQUESTED.scope(self.clone(), handshake)
    }
}

/// Has no certificate and notes that one was asked for.
#[derive(Debug)]
struct NoCertificate;

impl ResolvesClientCert for NoCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        // Outside of a handshake of ours there is nobody to know.
        let _ = REQUESTED.try_with(|requested| requested.0.store(true, Relaxed));
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// The platform's verifier, with reasons it does not give and the exceptions of the configuration.
#[derive(Debug)]
struct Strict {
    platform: Verifier,
    insecure: HostPatterns,
    intermediates: Arc<Intermediates>,
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
        if self.insecure.names(&host_of(name)) {
            return Ok(ServerCertVerified::assertion());
        }
        // First, because a verifier that cannot check a weak signature calls it a wrong one.
        let verified = match weak::find(leaf) {
            Some(weakness) => Err(refused(weakness)),
            None => self
                .verify_with_fetched(leaf, intermediates, name, ocsp, now)
                .map_err(|error| reason(leaf, intermediates, error)),
        };
        // Logged here, because every failed verification passes this point, also those of preconnects.
        verified.inspect_err(|error| {
            if !intermediates::is_missing(error) {
                let (host, problem) = (host_of(name), UpstreamError::from_tls(error));
                warn!(host, %problem, "a web server was refused");
            }
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
        self.platform.verify_tls12_signature(message, leaf, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform.verify_tls13_signature(message, leaf, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.platform.supported_verify_schemes()
    }
}

impl Strict {
    /// Verifies with the intermediates that the server has sent, then with those that were fetched before.
    fn verify_with_fetched(
        &self,
        leaf: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify = |chain: &[CertificateDer<'_>]| self.platform.verify_server_cert(leaf, chain, name, ocsp, now);
        let verified = verify(sent);
        let Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) = verified else {
            return verified;
        };
        let completed = self.intermediates.complete(leaf, sent);
        let verified = if completed.len() > sent.len() { verify(&completed) } else { verified };
        match verified {
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
                Err(MissingIssuer::from_certificate(completed.last().unwrap_or(leaf))
                    .map_or(CertificateError::UnknownIssuer.into(), Error::from))
            }
            other => other,
        }
    }
}

/// A better reason than the verifier's, where there is one. Weak certificates above the leaf refuse
/// nothing by themselves: servers send old ones along that no one needs.
fn reason(leaf: &CertificateDer<'_>, intermediates: &[CertificateDer<'_>], error: Error) -> Error {
    let Error::InvalidCertificate(problem) = &error else {
        return error;
    };
    match problem {
        CertificateError::UnknownIssuer if weak::is_self_signed(leaf) => refused(Weakness::SelfSigned),
        // Errors whose reason is already specific.
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. }
        | CertificateError::NotValidForName
        | CertificateError::NotValidForNameContext { .. }
        | CertificateError::Revoked => error,
        _ => intermediates.iter().find_map(weak::find).map_or(error, refused),
    }
}

fn refused(weakness: Weakness) -> Error {
    CertificateError::Other(OtherError(Arc::new(weakness))).into()
}

/// The name in the spelling of the configuration.
fn host_of(name: &ServerName<'_>) -> String {
    match name {
        ServerName::IpAddress(ip) => IpAddr::from(*ip).to_string(),
        other => other.to_str().to_ascii_lowercase(),
    }
}
