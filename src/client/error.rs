//! Why an origin gave no response, in words that a person understands.

use std::{error::Error as StdError, fs, io, sync::Arc};

use rustls::{AlertDescription, CertificateError};

use super::{
    parent::ParentProblem,
    tls::{MissingIssuer, Weakness},
};
use crate::{http::headers::MAX_RESPONSE_FIELDS, net::access_control::Refusal};

/// Reason for refusing a server that knows only TLS 1.1, or only broken ciphers (RFC 8996).
const OLD: &str = "the server speaks only old versions or weak methods of encryption";

/// Why an origin gave no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpstreamError {
    #[error("the name could not be resolved to an address (DNS): {0}")]
    Dns(String),
    #[error("{0}")]
    Address(Refusal),
    #[error("a rule of `upstream.via` refuses this site")]
    NoWay,
    /// The address of the proxy between this one and the origin.
    #[error("the proxy behind Gleaner, {0}, {1}")]
    Parent(Arc<str>, ParentProblem),
    #[error("the server refused the connection")]
    Refused,
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    #[error(
        "this proxy has no free file descriptors; raise `ulimit -n` where it is started, or lower `limits.connections`"
    )]
    NoDescriptors,
    #[error("the server did not answer the connection in time")]
    ConnectTimeout,
    #[error("the server did not finish the TLS handshake in time")]
    TlsTimeout,
    #[error("its certificate cannot be trusted: {0}")]
    Certificate(String),
    #[error("the encrypted connection could not be set up (TLS): {0}")]
    Tls(String),
    /// TLS that we cannot speak and a browser may.
    #[error("the encrypted connection could not be set up (TLS): {0}")]
    UnsupportedTls(String),
    #[error("the server asks for a certificate of the client")]
    ClientCertificate,
    /// The chain lacks a certificate, which may be had here.
    #[error("its certificate cannot be trusted: the server did not send the certificate of its issuer")]
    MissingIntermediate(String),
    #[error("no certificates to trust were found on this machine; install its `ca-certificates`")]
    NoTrustStore,
    #[error("the server took the request and did not answer in time")]
    FirstByteTimeout,
    #[error("the server closed the connection without an answer")]
    Closed,
    #[error("the server's answer is not valid HTTP: {0}")]
    BadResponse(String),
    // hyper does not tell which of the two it is.
    #[error("the server's answer has more than {MAX_RESPONSE_FIELDS} header fields, or too long ones")]
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

impl UpstreamError {
    /// Finds the cause behind hyper's error.
    pub(super) fn from_error(error: &(dyn StdError + 'static)) -> Self {
        let mut cause = Some(error);
        let mut deepest = error;
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<hyper::Error>().and_then(Self::from_hyper) {
                return error;
            }
            // `io::Error::source` leaves out the error that it wraps.
            let tls = error.downcast_ref().and_then(io::Error::get_ref).and_then(|inner| inner.downcast_ref());
            if let Some(rustls::Error::AlertReceived(AlertDescription::CertificateRequired)) = tls {
                return Self::ClientCertificate;
            }
            deepest = error;
            cause = error.source();
        }
        match deepest.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionAborted
                // What was sent was never acknowledged.
                | io::ErrorKind::TimedOut,
            ) => Self::Closed,
            _ => Self::Other(deepest.to_string()),
        }
    }

    fn from_hyper(error: &hyper::Error) -> Option<Self> {
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

    /// The error behind a failed TCP connection.
    pub(super) fn from_connect(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::TimedOut => Self::ConnectTimeout,
            _ if is_out_of_descriptors(error) => Self::NoDescriptors,
            _ => Self::Unreachable(error.to_string()),
        }
    }

    /// The error behind a failed lookup.
    pub(super) fn from_lookup(error: &io::Error) -> Self {
        // The resolver cannot open its socket then and says that the name server did not answer.
        if is_out_of_descriptors(error) || fs::File::open("/").is_err_and(|error| is_out_of_descriptors(&error)) {
            return Self::NoDescriptors;
        }
        Self::Dns(error.to_string())
    }

    /// The error behind a failed TLS handshake.
    pub(super) fn from_handshake(error: &io::Error, certificate_requested: bool) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match inner {
            Some(rustls::Error::AlertReceived(_)) if certificate_requested => Self::ClientCertificate,
            Some(error) => Self::from_tls(error),
            None if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
                Self::UnsupportedTls("the server closed the connection".to_owned())
            }
            None => Self::Tls(error.to_string()),
        }
    }

    /// The error that rustls found.
    pub(super) fn from_tls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(CertificateError::Other(other)) if other.0.is::<MissingIssuer>() => {
                let missing = other.0.downcast_ref::<MissingIssuer>();
                Self::MissingIntermediate(missing.map_or_else(String::new, |it| it.url.clone()))
            }
            rustls::Error::InvalidCertificate(problem) => Self::Certificate(plain_words(problem)),
            rustls::Error::PeerIncompatible(_)
            | rustls::Error::AlertReceived(
                AlertDescription::ProtocolVersion
                | AlertDescription::HandshakeFailure
                | AlertDescription::InsufficientSecurity
                | AlertDescription::IllegalParameter
                | AlertDescription::InternalError,
            ) => Self::UnsupportedTls(OLD.to_owned()),
            rustls::Error::NoApplicationProtocol
            | rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
                Self::UnsupportedTls("the server speaks another protocol than HTTP".to_owned())
            }
            // Not TLS at all, or a server that breaks its rules.
            rustls::Error::InvalidMessage(_) | rustls::Error::PeerMisbehaved(_) => {
                Self::UnsupportedTls(error.to_string())
            }
            other => Self::Tls(other.to_string()),
        }
    }

    /// A chain that could not be completed.
    pub(super) fn missing_intermediate() -> Self {
        Self::Certificate(plain_words(&CertificateError::UnknownIssuer))
    }

    /// Whether a tunnel may work where we fail: the client's own TLS may manage.
    pub(crate) fn may_work_in_a_tunnel(&self) -> bool {
        matches!(self, Self::UnsupportedTls(_) | Self::ClientCertificate)
    }

    /// Whether it is the site that cannot be reached: neither the proxy forbids it nor lacks something for it.
    pub(crate) fn is_of_site(&self) -> bool {
        match self {
            Self::Address(_) | Self::NoWay | Self::NoDescriptors | Self::NoTrustStore => false,
            // What the other proxy says of the site.
            Self::Parent(_, problem) => matches!(problem, ParentProblem::Refused(_) | ParentProblem::Timeout),
            _ => true,
        }
    }

    /// Whether the certificate is at fault.
    pub(crate) fn is_of_certificate(&self) -> bool {
        matches!(self, Self::Certificate(_) | Self::MissingIntermediate(_))
    }
}

/// Whether the process (`EMFILE`) or the machine (`ENFILE`) may open no more; `io::ErrorKind` has no name for it.
fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(23 | 24))
}

/// The fault of a certificate, in plain words.
fn plain_words(problem: &CertificateError) -> String {
    let words = match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "it is not valid yet",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it was issued for another host"
        }
        CertificateError::UnknownIssuer => "it was issued by an unknown authority, or by the site itself",
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
        CertificateError::BadEncoding => "it is malformed",
        CertificateError::UnhandledCriticalExtension => "it has a condition that this program does not know",
        CertificateError::UnknownRevocationStatus
        | CertificateError::ExpiredRevocationList
        | CertificateError::ExpiredRevocationListContext { .. }
        | CertificateError::InvalidOcspResponse => "whether it was revoked cannot be found out",
        CertificateError::ApplicationVerificationFailure => "this machine does not accept it",
        // Of the verifier: a name such as `MalformedExtensions`.
        CertificateError::Other(other) => return format!("it is not valid ({})", in_words(&format!("{:?}", other.0))),
        other => return format!("it is not valid ({})", in_words(&format!("{other:?}"))),
    };
    words.to_owned()
}

/// The name of an error's variant as words.
fn in_words(variant: &str) -> String {
    let mut words = String::new();
    for letter in variant.chars().take_while(char::is_ascii_alphanumeric) {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::OtherError;

    use super::*;

    #[test]
    fn every_fault_of_a_certificate_has_words() {
        #[derive(Debug, thiserror::Error)]
        #[error("x")]
        enum Fault {
            MalformedExtensions,
        }
        let other = CertificateError::Other(OtherError(Arc::new(Fault::MalformedExtensions)));
        assert_eq!(plain_words(&other), "it is not valid (malformed extensions)");
        for problem in [CertificateError::BadEncoding, CertificateError::InvalidOcspResponse, other] {
            let words = plain_words(&problem);
            assert!(words.starts_with(char::is_lowercase) && !words.contains("Other"), "{words}");
        }
    }
}
