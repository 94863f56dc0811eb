//! Refuses certificates with weak keys or signature algorithms, of servers and of their authorities. Trust itself is
//! decided by the platform's verifier.

use rustls::pki_types::CertificateDer;
use x509_parser::{certificate::X509Certificate, parse_x509_certificate, public_key::PublicKey};

/// Smallest RSA modulus in bits: CA/Browser Forum Baseline Requirements § 6.1.5, NIST SP 800-131A.
/// Raising it would refuse most RSA sites, which have 2048.
const MIN_RSA_BITS: usize = 2048;

/// Why a certificate is refused whatever it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::client) enum Weakness {
    #[error("its key is too weak (RSA with {0} bits, {MIN_RSA_BITS} are the least)")]
    Key(usize),
    #[error("its signature is too weak ({0}, which can be forged)")]
    Signature(&'static str),
    #[error("it was issued by the site itself (self-signed), not by an authority")]
    SelfSigned,
}

/// Signatures whose hash can be forged, by object identifier: RSA, DSA and ECDSA with SHA-1, RSA with
/// MD5 (RFC 3279 § 2.2, RFC 5758; refused by CA/Browser Forum Baseline Requirements § 7.1.3.2).
const FORGEABLE: [(&str, &str); 5] = [
    ("1.2.840.113549.1.1.5", "SHA-1"),
    ("1.3.14.3.2.29", "SHA-1"),
    ("1.2.840.10040.4.3", "SHA-1"),
    ("1.2.840.10045.4.1", "SHA-1"),
    ("1.2.840.113549.1.1.4", "MD5"),
];

/// The weakness of one certificate.
pub(super) fn find(certificate: &CertificateDer<'_>) -> Option<Weakness> {
    // What cannot be read the verifier refuses.
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    weak_key(&parsed).or_else(|| weak_signature(&parsed))
}

fn weak_key(certificate: &X509Certificate<'_>) -> Option<Weakness> {
    match certificate.public_key().parsed() {
        Ok(PublicKey::RSA(key)) if key.key_size() < MIN_RSA_BITS => Some(Weakness::Key(key.key_size())),
        _ => None,
    }
}

fn weak_signature(certificate: &X509Certificate<'_>) -> Option<Weakness> {
    // A root is trusted or not by itself; what it signed itself with says nothing.
    if certificate.issuer() == certificate.subject() {
        return None;
    }
    let algorithm = certificate.signature_algorithm.algorithm.to_id_string();
    let (_, hash) = FORGEABLE.iter().find(|(oid, _)| *oid == algorithm)?;
    Some(Weakness::Signature(hash))
}

/// Whether a certificate names itself as its issuer.
pub(super) fn is_self_signed(leaf: &CertificateDer<'_>) -> bool {
    parse_x509_certificate(leaf).is_ok_and(|(_, parsed)| parsed.issuer() == parsed.subject())
}
