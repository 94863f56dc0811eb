//! What can go wrong with an origin, each in words that a person understands.

use std::{error::Error as StdError, io};

use rustls::{AlertDescription, CertificateError};

use super::tls::Weakness;
use crate::{access_control::Refusal, body::Failure, headers::MAX_FIELDS};

/// What a server that knows only TLS 1.1, or only broken ciphers, is refused with (RFC 8996).
const OLD: &str = "the server speaks only old versions or weak methods of encryption";

/// Why an origin gave no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the name could not be resolved to an address (DNS): {0}")]
    Dns(String),
    #[error("{0}")]
    Address(Refusal),
    #[error("the server refused the connection")]
    Refused,
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    #[error("the server did not answer the connection in time")]
    ConnectTimeout,
    #[error("the server did not finish the TLS handshake in time")]
    TlsTimeout,
    #[error("its certificate cannot be trusted: {0}")]
    Certificate(String),
    #[error("the encrypted connection could not be set up (TLS): {0}")]
    Tls(String),
    #[error("no certificates to trust were found on this machine; install its `ca-certificates`")]
    NoTrustStore,
    #[error("the server took the request and did not answer in time")]
    FirstByteTimeout,
    #[error("the server closed the connection without an answer")]
    Closed,
    #[error("the server's answer is not valid HTTP: {0}")]
    BadResponse(String),
    // The library does not tell which of the two it is; about 400 kB is its own bound on bytes.
    #[error("the server's answer has more than {MAX_FIELDS} header fields, or too long ones")]
    HeadTooLarge,
    #[error("the client stopped sending its request")]
    ClientLeft,
    #[error("the request's body did not go on in time")]
    ClientStalled,
    #[error("the request's body is not valid HTTP")]
    ClientBody,
    #[error("the request cannot be sent in this form")]
    Request,
    #[error("the connection failed: {0}")]
    Other(String),
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Stalled => Self::ClientStalled,
            Failure::Malformed => Self::ClientBody,
            Failure::Left => Self::ClientLeft,
        }
    }
}

impl Fault {
    /// Finds the cause behind the client library's error.
    pub(super) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut cause = Some(error);
        let mut deepest = error;
        while let Some(error) = cause {
            if let Some(fault) = error.downcast_ref::<Self>() {
                return fault.clone();
            }
            if let Some(fault) = error
                .downcast_ref::<hyper::Error>()
                .and_then(Self::of_hyper)
            {
                return fault;
            }
            deepest = error;
            cause = error.source();
        }
        match deepest.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionAborted,
            ) => Self::Closed,
            _ => Self::Other(deepest.to_string()),
        }
    }

    fn of_hyper(error: &hyper::Error) -> Option<Self> {
        if error.is_incomplete_message() || error.is_closed() {
            Some(Self::Closed)
        } else if error.is_parse_too_large() {
            Some(Self::HeadTooLarge)
        } else if error.is_parse() {
            Some(Self::BadResponse(error.to_string()))
        } else if error.is_user() && error.is_body_write_aborted() {
            Some(Self::ClientLeft)
        } else {
            None
        }
    }

    /// The fault behind a failed TCP connection.
    pub(super) fn of_connect(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::TimedOut => Self::ConnectTimeout,
            _ => Self::Unreachable(error.to_string()),
        }
    }

    /// The fault behind a failed TLS handshake.
    pub(super) fn of_handshake(error: &io::Error) -> Self {
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match inner {
            Some(error) => Self::of_tls(error),
            None if error.kind() == io::ErrorKind::UnexpectedEof => {
                Self::Tls("the server closed the connection".to_owned())
            }
            None => Self::Tls(error.to_string()),
        }
    }

    /// The fault that the TLS library found.
    pub(super) fn of_tls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(problem) => Self::Certificate(plain_words(problem)),
            rustls::Error::PeerIncompatible(_)
            | rustls::Error::AlertReceived(
                AlertDescription::ProtocolVersion
                | AlertDescription::HandshakeFailure
                | AlertDescription::InsufficientSecurity,
            ) => Self::Tls(OLD.to_owned()),
            other => Self::Tls(other.to_string()),
        }
    }
}

/// What is wrong with a certificate.
fn plain_words(problem: &CertificateError) -> String {
    let words = match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it was issued for another host"
        }
        CertificateError::UnknownIssuer => {
            "it was issued by an unknown authority, or by the site itself"
        }
        CertificateError::Revoked => "it was revoked",
        CertificateError::BadSignature => "its signature is wrong",
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "its signature or key is of a kind that proves nothing"
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "it was not issued for web servers"
        }
        CertificateError::Other(other) if other.0.is::<Weakness>() => return other.to_string(),
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "it was issued by the site itself"
        }
        // The platform's verifier says it with a type of its own.
        CertificateError::Other(other) if format!("{other:?}").contains("EkuError") => {
            "it was not issued for web servers"
        }
        other => return format!("{other}"),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handshake(problem: CertificateError) -> String {
        let error = io::Error::other(rustls::Error::InvalidCertificate(problem));
        Fault::of_handshake(&error).to_string()
    }

    #[test]
    fn certificate_faults_are_told_in_plain_words() {
        assert!(handshake(CertificateError::Expired).contains("expired"));
        assert!(handshake(CertificateError::NotValidForName).contains("another host"));
        assert!(handshake(CertificateError::UnknownIssuer).contains("unknown authority"));
    }

    #[test]
    fn the_cause_is_found_behind_other_errors() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] Fault);
        assert_eq!(Fault::of(&Outer(Fault::Refused)), Fault::Refused);
    }
}
