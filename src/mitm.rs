//! Handles a CONNECT request by the first bytes in its tunnel: TLS is decrypted with a certificate for its host, HTTP
//! is served as HTTP, and everything else is tunnelled.
//!
//! A TLS handshake for another host than that of the CONNECT, or of a version that we do not speak, is tunnelled without the loss
//! of a byte: a page that stays cluttered is better than one that breaks.
//!
//! `first_bytes` reads the handshake. `authority` is the local certificate authority, `trusted_devices` the clients that trust it, and
//! `trust_watch` how that shows. `tunnelled_hosts` are never decrypted; `tunnel` copies bytes both ways.

pub(crate) mod authority;
mod first_bytes;
pub(crate) mod lazy_authority;
pub(crate) mod trust_watch;
pub(crate) mod trusted_devices;
pub(crate) mod tunnel;
mod tunnelled_hosts;

use std::{
    io,
    pin::Pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use bytes::BytesMut;
use http::Version;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

use self::first_bytes::{FirstBytes, Hello, first_bytes, is_other_protocol};
pub(crate) use self::tunnelled_hosts::TunnelledHosts;
use self::{lazy_authority::LazyAuthority, trust_watch::TrustWatch, trusted_devices::TrustedDevices};
use crate::{
    blocking::Rule,
    client::{Client, Transport, UpstreamError, tcp_of},
    config::Config,
    http::{log::RequestLog, outcome::Outcome},
    mitm::tunnel::{Closing, SilenceLimits},
    net::{
        access_control::{Permit, is_private},
        client_program::ClientProgram,
        credentials::Authenticator,
        route::Route,
        target::{Scheme, Target},
    },
    server::{self, Connection, Handler},
    util::host::Host,
};

/// How long a client may be silent before the server may speak first, as in some protocols it does. Nothing is lost
/// if the client speaks later after all.
const CLIENT_SILENCE: Duration = Duration::from_millis(300);

/// A connection that its client closes so soon after the handshake, without a byte, counts as a refusal of our
/// certificate, unless another one to the host is used: some programs compare it with a pinned one after the handshake.
const PIN_CHECK: Duration = Duration::from_secs(2);

type ClientStream = TokioIo<Upgraded>;

/// A CONNECT whose first bytes decide what becomes of it.
pub(crate) struct SniffedConnect<H> {
    /// Answers the requests inside.
    pub(crate) handler: Arc<H>,
    pub(crate) config: Arc<Config>,
    pub(crate) client: Arc<Client>,
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    pub(crate) authority: Arc<LazyAuthority>,
    pub(crate) tunnelled: Arc<TunnelledHosts>,
    pub(crate) trusted_devices: Arc<TrustedDevices>,
    pub(crate) connection: Arc<Connection>,
    pub(crate) device: ClientProgram,
    pub(crate) destination: Destination,
    /// Whether TLS may be decrypted.
    pub(crate) intercepts: bool,
    /// The rule by which the host is blocked, whatever is wanted of it.
    pub(crate) forbidden: Option<Rule>,
    /// When bytes may go both ways no longer.
    pub(crate) closing: Option<Closing>,
    /// Whether protocols other than TLS and HTTP may be tunnelled.
    pub(crate) any_protocol: bool,
    pub(crate) ahead: Ahead,
    /// Where what becomes of it depends on that.
    pub(crate) trust: Option<TrustWatch>,
    pub(crate) log: RequestLog,
}

/// A connection that was tried before the CONNECT was answered, so that a failure could be reported.
#[derive(Default)]
pub(crate) struct Ahead {
    /// A connection that nothing was sent on.
    pub(crate) upstream: Option<Transport>,
    /// Why the server's TLS is for a tunnel, if it is TLS that the client speaks.
    pub(crate) error: Option<UpstreamError>,
}

/// Whether a server with which we fail is better left to the client's own TLS.
pub(crate) fn is_for_a_tunnel(target: &Target, error: &UpstreamError) -> bool {
    // Routers and printers sign their certificates themselves; the browser has a way past them, and we have none.
    let is_device = matches!(target.host, Host::Ip(ip) if is_private(ip));
    error.may_work_in_a_tunnel() || is_device && error.is_of_certificate()
}

/// Where a CONNECT leads.
pub(crate) enum Destination {
    Origin(Permit),
    /// Our own pages; nothing is connected to.
    ControlHost(Target),
}

impl Destination {
    pub(crate) fn target(&self) -> &Target {
        match self {
            Self::Origin(permit) => permit.target(),
            Self::ControlHost(target) => target,
        }
    }
}

impl<H: Handler> SniffedConnect<H> {
    fn target(&self) -> &Target {
        self.destination.target()
    }

    fn may_be_at_home(&self) -> bool {
        matches!(&self.destination, Destination::Origin(permit) if permit.may_be_at_home())
    }

    /// Decides by the client's first bytes. Boxed, because requests inside come back to the service: a future that
    /// contained itself would have no size.
    pub(crate) fn run(self, client: OnUpgrade) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match client.await {
                Ok(client) => Box::pin(self.sniff(TokioIo::new(client))).await,
                Err(error) => debug!(%error, "the client left before its tunnel began"),
            }
        })
    }

    async fn sniff(mut self, mut client: ClientStream) {
        let mut read = BytesMut::new();
        let heard = timeout(CLIENT_SILENCE, client.read_buf(&mut read)).await;
        if heard.is_err() && !self.wait_for_either_side(&mut client, &mut read).await {
            return;
        }
        if matches!(heard, Ok(Ok(0) | Err(_))) && self.target().port == Scheme::Https.default_port() {
            // A spare connection of a browser, which it did not need; no server speaks first there.
            return;
        }
        // Half a `ClientHello` must not hold the connection for ever.
        let limit = self.config.timeouts.tls_handshake;
        let first = if read.is_empty() {
            // The server has spoken first.
            FirstBytes::Other
        } else {
            let Ok(first) = timeout(limit, first_bytes(&mut client, &mut read)).await else {
                return self.handshake_failed("it took too long");
            };
            first
        };
        let client = rewound(read, client);
        match first {
            FirstBytes::Tls(hello) if self.intercepts && self.can_decrypt(&hello).await => {
                self.decrypt(client).await;
            }
            FirstBytes::Http if !self.any_protocol || self.may_be_at_home() => self.serve_plain(client),
            FirstBytes::Other if !self.any_protocol => {
                let problem = "only TLS and HTTP may pass to this port";
                self.log.outcome = Outcome::Failed(problem.to_owned());
            }
            FirstBytes::Tls(_) | FirstBytes::Http | FirstBytes::Other => self.tunnel(client).await,
        }
    }

    /// The client is silent: connects, and waits for both. Whether to go on.
    async fn wait_for_either_side(&mut self, client: &mut ClientStream, read: &mut BytesMut) -> bool {
        let limit = self.config.timeouts.tunnel_first_byte;
        let waits_for_server = self.any_protocol && matches!(self.destination, Destination::Origin(_));
        if waits_for_server && let Err(error) = self.connect().await {
            self.failed(&error);
            return false;
        }
        let readable = async {
            match &self.ahead.upstream {
                Some(upstream) if waits_for_server => tcp_of(upstream).readable().await.is_ok(),
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            // If both have spoken, the client's bytes decide.
            biased;
            spoke = client.read_buf(read) => matches!(spoke, Ok(1..)),
            readable = readable => readable,
            () = sleep(limit) => false,
        }
    }

    async fn connect(&mut self) -> Result<(), UpstreamError> {
        if let (None, Destination::Origin(permit)) = (&self.ahead.upstream, &self.destination) {
            let requester = self.connection.requester();
            self.ahead.upstream = Some(self.client.connect(permit, requester).await?);
        }
        Ok(())
    }

    /// Whether both we and the client's server can speak what the client's TLS asks for.
    async fn can_decrypt(&mut self, hello: &Hello) -> bool {
        // Names other than the target's (an address with a name inside, an encrypted name) would need a leaf for one
        // and requests for the other.
        let is_for_target = hello
            .name
            .as_deref()
            .is_none_or(|name| Host::parse(name).is_ok_and(|host| host.plain() == self.target().plain_host()));
        if !is_for_target || !hello.is_supported {
            return false;
        }
        let Destination::Origin(permit) = &self.destination else {
            return true;
        };
        let connected = if let Some(error) = self.ahead.error.take() {
            Err(error)
        } else {
            let upstream = self.ahead.upstream.take();
            self.client.preconnect(permit, self.connection.requester(), upstream).await
        };
        match connected {
            Err(error) if is_for_a_tunnel(permit.target(), &error) => {
                self.tunnelled.tunnel_from_now_on(permit.target(), &error);
                false
            }
            // Anything else becomes an error page, if it is still so when a request comes.
            _ => true,
        }
    }

    /// Bytes both ways after all.
    async fn tunnel<I: AsyncRead + AsyncWrite + Unpin + Send + 'static>(mut self, client: I) {
        if matches!(self.destination, Destination::ControlHost(_)) {
            return self.serve_plain(client);
        }
        if !self.begin_tunnel() {
            return;
        }
        if let Err(error) = self.connect().await {
            return self.failed(&error);
        }
        let Some(upstream) = self.ahead.upstream else {
            return;
        };
        let draining = self.connection.shutdown.draining.child_token();
        let limits = SilenceLimits::in_use(&self.config.timeouts);
        let copied = tunnel::until(self.closing, tunnel::copy(&draining, client, upstream, self.log, limits));
        TrustWatch::watch(self.trust, &draining, copied).await;
    }

    /// Whether bytes may go both ways.
    fn begin_tunnel(&mut self) -> bool {
        if let Some(rule) = &self.forbidden {
            // Only now is it known that no request within can be answered in its place.
            self.log.route = Route::Blocked;
            self.log.outcome = Outcome::Blocked(rule.to_string());
            return false;
        }
        self.log.route = Route::Tunnel;
        self.connection.is_tunnel.store(true, Relaxed);
        true
    }

    async fn decrypt<I: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, client: I) {
        let target = self.target().clone();
        let config = match self.tls_config() {
            Ok(config) => config,
            Err(error) => return warn!(%error, "no certificate could be made"),
        };
        let limit = self.config.timeouts.tls_handshake;
        let handshake = TlsAcceptor::from(config).accept(client);
        let mut stream = match timeout(limit, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return self.handshake_aborted(&error),
            Err(_) => return self.handshake_failed("it took too long"),
        };
        let protocol = stream.get_ref().1.alpn_protocol();
        let version = if protocol == Some(b"h2") { Version::HTTP_2 } else { Version::HTTP_11 };
        let may_be_other = protocol.is_none() && matches!(self.destination, Destination::Origin(_));
        let mut read = BytesMut::new();
        match timeout(PIN_CHECK, stream.read_buf(&mut read)).await {
            Ok(Ok(0)) => self.handshake_aborted(&io::ErrorKind::UnexpectedEof.into()),
            Ok(Err(error)) => self.handshake_aborted(&error),
            Ok(Ok(_)) if may_be_other && is_other_protocol(&read) => self.relay(rewound(read, stream)).await,
            // A client of HTTP asks at once; in some other protocols the server speaks first.
            Err(_) if may_be_other => self.relay(rewound(read, stream)).await,
            Ok(Ok(_)) | Err(_) => self.serve(rewound(read, stream), target, version),
        }
    }

    /// Copies both ways between the client's TLS and another to the origin, because they speak another protocol than HTTP.
    async fn relay<I: AsyncRead + AsyncWrite + Unpin + Send + 'static>(mut self, client: I) {
        if !self.begin_tunnel() {
            return;
        }
        let Destination::Origin(permit) = &self.destination else { return };
        match self.client.connect_tls(permit, self.connection.requester()).await {
            Err(error) => self.failed(&error),
            Ok(upstream) => {
                let draining = self.connection.shutdown.draining.child_token();
                let limits = SilenceLimits::in_use(&self.config.timeouts);
                let copied = tunnel::until(self.closing, tunnel::copy(&draining, client, upstream, self.log, limits));
                TrustWatch::watch(self.trust, &draining, copied).await;
            }
        }
    }

    /// The client has ended the connection before its first byte.
    fn handshake_aborted(self, error: &io::Error) {
        self.count_refusal(error);
        let reason = match error.kind() {
            // The library's words for it are an address of its manual.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                "it closed the connection, which it did not need or does not trust".to_owned()
            }
            _ => error.to_string(),
        };
        self.handshake_failed(&reason);
    }

    /// Serves plain HTTP inside a CONNECT; Chromium sends `ws://` this way.
    fn serve_plain<I: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, client: I) {
        let target = Target { scheme: Scheme::Http, ..self.target().clone() };
        self.serve(client, target, Version::HTTP_11);
    }

    /// Every request inside goes through the service. In a task of its own, so that what led here is not kept for as
    /// long as the client stays.
    fn serve<I>(self, stream: I, target: Target, version: Version)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let authenticator = self.authenticator.clone();
        let connection = Arc::new(self.connection.decrypted(target, authenticator, self.device));
        // From here on each request has its own entry.
        drop(self.log);
        let (shutdown, draining) = (connection.shutdown.clone(), connection.shutdown.draining.clone());
        let served = server::serve_connection(stream, self.handler, connection, version);
        let trust = self.trust;
        shutdown.spawn(async move { TrustWatch::watch(trust, &draining, served).await });
    }

    /// The 200 is sent already; closing is all that is left.
    fn failed(&mut self, error: &UpstreamError) {
        self.log.outcome = Outcome::Failed(error.to_string());
    }

    /// Most often: the client does not trust the authority, or pins its certificates.
    fn handshake_failed(mut self, reason: &str) {
        self.log.outcome = Outcome::CertificateRefused(reason.to_owned());
    }

    fn tls_config(&self) -> Result<Arc<ServerConfig>, Box<dyn std::error::Error>> {
        let authority = self.authority.open();
        let authority = authority.ok_or("there is no certificate authority")?;
        Ok(authority.handshake(&self.target().host)?)
    }
}

/// A stream of which these bytes were read already and are read again.
fn rewound<I: AsyncRead + AsyncWrite + Send>(read: BytesMut, io: I) -> impl AsyncRead + AsyncWrite + Unpin + Send {
    let (reader, writer) = tokio::io::split(io);
    tokio::io::join(io::Cursor::new(read).chain(reader), writer)
}
