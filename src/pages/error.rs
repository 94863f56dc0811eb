//! All errors that produce an error page, each with who caused it: client, proxy or origin. What they look like to the
//! client is decided in `error_pages`, and nowhere else.

use std::net::{IpAddr, SocketAddr};

use crate::{
    client::UpstreamError,
    net::{access_control::Refusal, target::TargetError},
    server,
};

/// Why a request gets an error page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The client's address.
    #[error("the address {0} may not use this proxy; `access.clients` lists those that may")]
    ClientNotAllowed(IpAddr),
    #[error(
        "the proxy in front of Gleaner does not name its client (`X-Client-IP`), as Squid does with `adaptation_send_client_ip on`"
    )]
    ClientNotNamed,
    #[error("there are too many open connections; `limits.connections` and `limits.connections_per_client` bound them")]
    TooManyConnections,
    /// `ours`: on a request to our own pages as a web server, not through the proxy.
    #[error("this proxy asks for a name and a password")]
    Credentials { ours: bool },
    #[error("there were too many wrong passwords from this address; wait a minute")]
    TooManyGuesses,
    #[error("the names and passwords of this proxy have changed; load the page again to be asked")]
    CredentialsChanged,
    #[error(transparent)]
    Rejected(server::ParseRejection),
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Where the client connected to.
    #[error("this is a proxy, not a web server: set it as the proxy of your browser")]
    NotAProxyRequest(SocketAddr),
    #[error("this proxy's own page is at http://gleaner.internal/ only: its certificate authority cannot be opened")]
    OwnPageEncrypted,
    #[error("a request for another host came through the connection to {0}")]
    Misdirected(String),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the request came back to this proxy")]
    Loop,
    /// A page that is asked for in clear for a client that cannot speak TLS.
    #[error("the site {0} leads from http to https and back, without an end")]
    SchemeLoop(String),
    #[error("{error}")]
    Upstream { host: String, error: UpstreamError },
}

/// Who is to blame. What fails within the proxy after the upstream has answered costs the page its filtering, never
/// its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Upstream,
    Proxy,
}

impl Error {
    pub(crate) fn side(&self) -> Side {
        match self {
            // A name that leads to a forbidden address is the client's wish all the same.
            Self::Upstream {
                error:
                    UpstreamError::Address(_)
                    | UpstreamError::NoWay
                    | UpstreamError::ClientLeft
                    | UpstreamError::ClientStalled
                    | UpstreamError::ClientBody,
                ..
            } => Side::Client,
            Self::Upstream { error: UpstreamError::NoDescriptors, .. } => Side::Proxy,
            Self::Upstream { .. } | Self::SchemeLoop(_) => Side::Upstream,
            _ => Side::Client,
        }
    }
}
