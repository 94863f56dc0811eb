//! Intermediate certificates that servers forget to send, fetched from where the certificate below says
//! (RFC 5280 § 4.2.2.1, Authority Information Access), as browsers do.

use std::{collections::HashMap, sync::Arc};

use http::{Request, Uri, header};
use http_body_util::{BodyExt, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustls::{CertificateError, Error, OtherError, pki_types::CertificateDer};
use tracing::debug;
use x509_parser::{
    certificate::X509Certificate,
    extensions::{GeneralName, ParsedExtension},
    oid_registry::OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS,
    parse_x509_certificate,
};

use crate::{
    client::{connector::Transport, http1_connection, origin::Origin},
    http::body::Body,
};

/// Fetches for one handshake: chains rarely lack more than one certificate.
pub(in crate::client) const MAX_FETCHED_INTERMEDIATES: usize = 3;

/// Most bytes of a fetched certificate.
const MAX_CERTIFICATE: usize = 64 * 1024;

/// Most certificates kept.
const MAX_KEPT: usize = 256;

/// Fetched certificates by subject. They are hints for building chains and prove nothing by themselves.
#[derive(Debug, Default)]
pub(in crate::client) struct Intermediates {
    by_subject: Mutex<HashMap<Vec<u8>, CertificateDer<'static>>>,
}

impl Intermediates {
    /// Keeps a certificate; `None` if it is none.
    pub(in crate::client) fn add(&self, certificate: CertificateDer<'static>) -> Option<()> {
        let (_, parsed) = parse_x509_certificate(&certificate).ok()?;
        let subject = parsed.subject().as_raw().to_vec();
        let mut kept = self.by_subject.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(subject, certificate);
        Some(())
    }

    /// The chain that was sent, with what was fetched above it.
    pub(super) fn complete<'a>(
        &self,
        leaf: &CertificateDer<'a>,
        sent: &[CertificateDer<'a>],
    ) -> Vec<CertificateDer<'a>> {
        let kept = self.by_subject.lock();
        let mut chain = sent.to_vec();
        for _ in 0..MAX_FETCHED_INTERMEDIATES {
            let top = chain.last().unwrap_or(leaf);
            let issuer = parse_x509_certificate(top).ok().and_then(|(_, parsed)| kept.get(parsed.issuer().as_raw()));
            match issuer {
                Some(issuer) if !chain.contains(issuer) => chain.push(issuer.clone()),
                _ => break,
            }
        }
        chain
    }
}

/// The verifier's error for a chain whose next certificate can be fetched.
#[derive(Debug, thiserror::Error)]
#[error("the server did not send the certificate of its issuer")]
pub(in crate::client) struct MissingIssuer {
    pub(in crate::client) url: String,
}

impl MissingIssuer {
    /// Where the issuer of this certificate is, if it says so.
    pub(super) fn from_certificate(certificate: &CertificateDer<'_>) -> Option<Self> {
        let (_, parsed) = parse_x509_certificate(certificate).ok()?;
        let url = ca_issuers(&parsed)?;
        (parsed.subject() != parsed.issuer()).then_some(Self { url })
    }
}

impl From<MissingIssuer> for Error {
    fn from(missing: MissingIssuer) -> Self {
        CertificateError::Other(OtherError(Arc::new(missing))).into()
    }
}

/// Whether the error is a [`MissingIssuer`].
pub(super) fn is_missing(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::Other(other)) if other.0.is::<MissingIssuer>())
}

fn ca_issuers(certificate: &X509Certificate<'_>) -> Option<String> {
    let access = certificate.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::AuthorityInfoAccess(access) => Some(access),
        _ => None,
    })?;
    access.accessdescs.iter().find_map(|description| match description.access_location {
        GeneralName::URI(url)
            if description.access_method == OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS && url.starts_with("http://") =>
        {
            Some(url.to_owned())
        }
        _ => None,
    })
}

/// Asks for a certificate in DER on this connection.
pub(in crate::client) async fn fetch_certificate(
    stream: Transport,
    origin: &Origin,
    uri: &Uri,
) -> Option<CertificateDer<'static>> {
    debug!(host = &*origin.host_port, "an intermediate certificate is fetched");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let mut request = Request::get(uri).header(header::CONNECTION, "close").body(Body::default()).ok()?;
    http1_connection::prepare(&mut request, origin, origin.asked()).ok()?;
    let response = async {
        let response = sender.send_request(request).await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let body = Limited::new(response.into_body(), MAX_CERTIFICATE);
        Some(body.collect().await.ok()?.to_bytes())
    };
    let (bytes, _) = tokio::join!(response, connection);
    Some(CertificateDer::from(bytes?.to_vec()))
}
