//! Requests to origins: name resolution, connections, TLS, retries and timeouts.
//!
//! A request needs a [`Permit`], and every resolved address is checked right before it is connected to, so nothing
//! unchecked can be reached.
//!
//! `pool` keeps connections and `opener` waits for new ones, which `connector` makes. `http1_connection` and `http2_connection` send a
//! request, `response_wait` waits for its response, `retry` decides whether it may be sent again. `tolerant_io` repairs HTTP/1.1
//! responses that browsers accept and hyper does not. `fetch` is for requests of this program itself. What an [`UpstreamError`]
//! looks like to the client is decided in `error_pages`.

mod alive_io;
mod connector;
mod error;
pub(crate) mod fetch;
mod http1_connection;
mod http1_limit;
mod http2_connection;
mod keep_alive;
mod network;
mod opener;
mod origin;
mod parent;
mod ping_timer;
mod pool;
mod resolver;
mod response_framing;
mod response_wait;
mod retry;
mod tls;
mod tolerant_io;

use std::{net::IpAddr, pin::pin, sync::Arc, time::Duration};

use http::{HeaderMap, Request, Response, StatusCode, Version, header, uri::PathAndQuery};
use hyper::body::Incoming;
use rustls::{ClientConfig, pki_types::CertificateDer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

#[cfg(feature = "fuzzing")]
pub use self::tolerant_io::read_in_pieces;
use self::{
    connector::Connector,
    http1_connection::Http1Connection,
    http1_limit::Http1Limits,
    opener::{New, Opener, outcome},
    origin::Origin,
    pool::{Http2Connection, Pool, Wants},
    response_wait::ResponseWait,
};
pub(crate) use self::{
    connector::{Transport, tcp_of},
    error::UpstreamError,
    http1_limit::Http1Permit,
    origin::FoundWay,
    parent::ParentProblem,
    pool::PinnedConnections,
    response_wait::OnInformational,
};
use crate::{
    config::{Config, HostPatterns, Timeouts},
    http::{
        body::{Body, IncomingBody, Lease, Upload},
        headers::Pseudonyms,
    },
    net::{
        access_control::{Acl, Permit},
        target::Scheme,
    },
};

/// The TLS settings of connections to origins, which offer HTTP/2; `None` where no trusted certificates were found.
pub(crate) fn tls_settings(
    extra_roots: &[CertificateDer<'static>],
    insecure: &HostPatterns,
) -> Option<Arc<ClientConfig>> {
    tls::configure(extra_roots, insecure).map(|tls| tls.http2_or_http1)
}

/// Whether the system has certificates to trust.
pub(crate) fn has_system_roots() -> bool {
    tls::has_system_roots()
}

/// hyper is ready for the next request a moment after a response has ended: when its task has run, which takes longer on a busy
/// machine. A new connection would take longer still.
const SETTLING: Duration = Duration::from_secs(1);

/// The client side of one configuration.
pub(crate) struct Client {
    pool: Arc<Pool>,
    opener: Arc<Opener>,
    http1_limits: Http1Limits,
    timeouts: Timeouts,
}

/// The client for whom a request is sent.
#[derive(Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) address: IpAddr,
    pub(crate) pinned: &'a PinnedConnections,
    /// Asks while a response to it is still held, so that it must not wait for another connection.
    pub(crate) is_nested: bool,
}

/// A connection to send a request on.
enum OriginConnection {
    Http1(Http1Place),
    Http2(Http2Connection, OwnedSemaphorePermit),
}

/// An HTTP/1.1 connection, and the permit to use it where the client has a limit.
struct Http1Place {
    connection: Http1Connection,
    permit: Option<Http1Permit>,
    is_reused: bool,
}

/// Why a request has no response.
enum Failed {
    Final(UpstreamError),
    /// Nothing of the request was sent.
    Unsent(Box<Request<Body>>),
    /// The request may be sent once more.
    Replay(Box<Request<Body>>),
}

type Sent = Result<(Response<Incoming>, Lease), Failed>;

impl Client {
    /// `pseudonyms` are for requests of others, which may come back.
    pub(crate) fn new(config: &Config, acl: Arc<Acl>, max_idle: usize, pseudonyms: Option<Pseudonyms>) -> Self {
        Self {
            pool: Pool::new(max_idle, config.timeouts.server_idle),
            opener: Arc::new(Opener::new(Connector::new(config, acl, pseudonyms))),
            http1_limits: Http1Limits::default(),
            timeouts: config.timeouts.clone(),
        }
    }

    /// Sends a request and waits for the head of its response.
    pub(crate) fn send(
        &self,
        permit: &Permit,
        request: Box<Request<Body>>,
        requester: Requester<'_>,
        informational: OnInformational,
    ) -> impl Future<Output = Result<Response<IncomingBody>, UpstreamError>> {
        self.send_by(self.find_way(permit, requester), permit, request, requester, informational)
    }

    /// Sends a request by the way that was found for it. What is large is in a box: the future is moved about.
    pub(crate) async fn send_by(
        &self,
        way: FoundWay,
        permit: &Permit,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        informational: OnInformational,
    ) -> Result<Response<IncomingBody>, UpstreamError> {
        let origin = way.origin?;
        self.opener.connector.check_initiator(permit, &origin, requester.address).await?;
        let wait = ResponseWait::new(&mut request, informational, &self.timeouts);
        let upload = Upload::from_request(&mut request);
        let alone = origin.clone().alone();
        let (pool, origin) = match requester.pinned.pool(&alone) {
            Some(pinned) => (pinned, alone),
            None if authenticates_connection(request.headers()) => {
                (requester.pinned.pin(&alone, self.timeouts.server_idle), alone)
            }
            None => (&self.pool, origin),
        };
        let asked = origin.asked().map(|parent| (Arc::clone(parent.name()), parent.credentials.is_some()));
        let (mut response, lease) = if request.headers().contains_key(header::UPGRADE) {
            (Box::pin(self.upgrade(origin, request, requester, &wait)).await?, None)
        } else {
            let (response, lease) = self.exchange(pool, &origin, request, requester, &wait).await?;
            (response, Some(lease))
        };
        if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED && permit.target().scheme == Scheme::Http {
            if let Some((parent, has_password)) = asked {
                return Err(UpstreamError::Parent(parent, parent::wants_password(has_password)));
            }
            // A browser would take it for this proxy's own.
            return Err(UpstreamError::BadResponse("it asks for the name and password of a proxy".to_owned()));
        }
        response_framing::check(&mut response)?;
        let version = response.version();
        if let Some(upload) = &upload {
            upload.supervise(self.timeouts.request_body);
        }
        Ok(response.map(|body| IncomingBody::from_response(body, version, upload, lease)))
    }

    /// A kept connection may be closed by the origin just as it is used, or lead nowhere. What was not sent is sent on another;
    /// what can be sent again is sent again once, on a new one.
    async fn exchange(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<(Response<Incoming>, Lease), UpstreamError> {
        let mut wants = if request.method().is_idempotent() { Wants::Any } else { Wants::Proven };
        let is_limited = request.version() == Version::HTTP_2 && !requester.is_nested;
        let limited = is_limited.then_some(requester.address);
        loop {
            pool.follow_network(self.opener.network.changes());
            let begun = Instant::now();
            let connection = match self.kept(pool, origin, limited, wants).await {
                Some(connection) => connection,
                None => Box::pin(self.wait_or_open(pool, origin, requester.address, limited, wants)).await?,
            };
            let (is_reused, sent) = match connection {
                OriginConnection::Http1(place) => {
                    (place.is_reused, self.over_http1(pool, origin, request, wait, place).await)
                }
                OriginConnection::Http2(connection, stream) => {
                    let sent = self.over_http2(pool, origin, request, wait, connection, stream);
                    (false, Box::pin(sent).await)
                }
            };
            request = match sent {
                Ok(response) => return Ok(response),
                Err(Failed::Final(error)) => return Err(error),
                Err(Failed::Unsent(unsent)) if is_reused => unsent,
                Err(Failed::Unsent(_) | Failed::Replay(_)) if matches!(wants, Wants::OpenedSince(_)) => {
                    return Err(UpstreamError::Closed);
                }
                Err(Failed::Unsent(again) | Failed::Replay(again)) => {
                    wants = Wants::OpenedSince(begun);
                    again
                }
            };
        }
    }

    /// A connection that is kept and takes the request now. `limited` is the client, where its HTTP/1.1 connections are limited.
    async fn kept(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        limited: Option<IpAddr>,
        wants: Wants,
    ) -> Option<OriginConnection> {
        if let Some((connection, stream)) = pool.http2(origin, wants) {
            return Some(OriginConnection::Http2(connection, stream));
        }
        let permit = match limited {
            Some(client) => Some(self.http1_limits.get(client, origin).try_acquire()?),
            None => None,
        };
        self.kept_http1(pool, origin, permit, wants).await.ok()
    }

    /// An HTTP/1.1 connection that is kept and takes the request now; without one, the permit again.
    async fn kept_http1(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        permit: Option<Http1Permit>,
        wants: Wants,
    ) -> Result<OriginConnection, Option<Http1Permit>> {
        while let Some(mut connection) = pool.take_http1(origin, wants) {
            let is_ready = connection.sender.is_ready()
                || timeout(SETTLING, connection.sender.ready()).await.is_ok_and(|ready| ready.is_ok());
            if is_ready {
                return Ok(OriginConnection::Http1(Http1Place { connection, permit, is_reused: true }));
            }
        }
        Err(permit)
    }

    /// Waits for room on a connection, or for a new one, whichever comes first.
    async fn wait_or_open(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        client: IpAddr,
        limited: Option<IpAddr>,
        wants: Wants,
    ) -> Result<OriginConnection, UpstreamError> {
        // NTLM and Negotiate do not work over HTTP/2.
        let is_pinned = !Arc::ptr_eq(pool, &self.pool);
        let waiting = async {
            loop {
                let mut released = pin!(pool.released.notified());
                released.as_mut().enable();
                if is_pinned || self.opener.speaks_http1(origin) {
                    let permit = match limited {
                        Some(client) => self.http1_limits.get(client, origin).acquire().await,
                        None => None,
                    };
                    let permit = match self.kept_http1(pool, origin, permit, wants).await {
                        Ok(connection) => return Ok(connection),
                        Err(permit) => permit,
                    };
                    let opened = self.opener.open(pool, origin, client, is_pinned).await?;
                    return Ok(match opened {
                        New::Http1(connection) => {
                            OriginConnection::Http1(Http1Place { connection, permit, is_reused: false })
                        }
                        New::Http2(connection, stream) => OriginConnection::Http2(connection, stream),
                    });
                }
                if let Some(connection) = self.kept(pool, origin, limited, wants).await {
                    return Ok(connection);
                }
                if let Some(connection) = pool.unsettled(origin) {
                    tokio::select! {
                        () = connection.settings() => {}
                        () = released => {}
                    }
                    continue;
                }
                match self.opener.join(pool, origin, client, None, false) {
                    Some(opening) => tokio::select! {
                        opened = outcome(opening) => {
                            let is_for_others = opened?.wants_client_certificate;
                            if !is_for_others && !self.pool.has(origin) && !self.opener.speaks_http1(origin) {
                                // Its server has closed it at once.
                                return Err(UpstreamError::Closed);
                            }
                        }
                        () = released => {}
                    },
                    None => released.await,
                }
            }
        };
        // As long as for a response: so long the connections of others may be in use.
        timeout(self.timeouts.first_byte, waiting).await.unwrap_or(Err(UpstreamError::ConnectTimeout))
    }

    /// On a new HTTP/1.1 connection, which is never reused: upgraded, it belongs to one client (RFC 9110 § 7.8).
    async fn upgrade(
        &self,
        origin: Origin,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<Response<Incoming>, UpstreamError> {
        let origin = origin.tunnelled();
        http1_connection::prepare(&mut request, &origin, None)?;
        let stream = self.opener.connector.connect(&origin, requester.address, true, None).await?;
        let network = self.opener.address_of(stream.local);
        let mut connection = http1_connection::handshake(stream, true).await?;
        match wait.first_byte(pin!(connection.sender.send_request(*request)), network).await? {
            Ok(mut response) => {
                connection.complete(&mut response);
                Ok(response)
            }
            Err(error) => Err(wait.error(&error)),
        }
    }

    /// Makes sure that there is a connection to an origin, which the first request will use, before a client's connection is
    /// decrypted: an origin whose TLS or certificate request we cannot answer is better tunnelled. `tcp` is one that was opened
    /// for it before, if any.
    pub(crate) async fn preconnect(
        &self,
        permit: &Permit,
        requester: Requester<'_>,
        tcp: Option<Transport>,
    ) -> Result<(), UpstreamError> {
        let origin = self.origin(permit, requester)?;
        if self.has_connection(permit, requester) {
            return Ok(());
        }
        let Some(opening) = self.opener.join(&self.pool, &origin, requester.address, tcp, true) else {
            return Ok(());
        };
        let opened = outcome(opening).await?;
        if opened.wants_client_certificate { Err(UpstreamError::ClientCertificate) } else { Ok(()) }
    }

    /// Whether a request to this origin would find a connection, or wait for one that this client is using.
    pub(crate) fn has_connection(&self, permit: &Permit, requester: Requester<'_>) -> bool {
        let Ok(origin) = self.origin(permit, requester) else { return false };
        self.pool.has(&origin) || self.http1_limits.are_in_use(requester.address, &origin)
    }

    /// Connects for a tunnel.
    pub(crate) async fn connect(&self, permit: &Permit, requester: Requester<'_>) -> Result<Transport, UpstreamError> {
        let origin = self.origin(permit, requester)?.tunnelled();
        self.opener.connector.transport(&origin, requester.address, permit.port_rule()).await
    }

    /// Connects over TLS for bytes that are no HTTP.
    pub(crate) async fn connect_tls(
        &self,
        permit: &Permit,
        requester: Requester<'_>,
    ) -> Result<impl AsyncRead + AsyncWrite + Unpin + Send + use<>, UpstreamError> {
        let origin = self.origin(permit, requester)?;
        Ok(self.opener.connector.connect(&origin, requester.address, true, None).await?.io)
    }

    /// The way that a request goes, by the rules.
    pub(crate) fn find_way(&self, permit: &Permit, requester: Requester<'_>) -> FoundWay {
        let changes = self.opener.network.changes();
        self.opener.connector.resolver.follow_network(changes);
        self.pool.follow_network(changes);
        FoundWay::new(permit, requester.address, &self.opener.connector.via)
    }

    fn origin(&self, permit: &Permit, requester: Requester<'_>) -> Result<Origin, UpstreamError> {
        self.find_way(permit, requester).origin
    }

    /// Unused connections that are kept.
    pub(crate) fn idle(&self) -> usize {
        self.pool.idle()
    }

    /// Closes idle connections, because descriptors have run out.
    pub(crate) fn close_idle(&self) {
        self.pool.close_idle();
    }
}

fn path_of(request: &Request<Body>) -> PathAndQuery {
    let path = request.uri().path_and_query().cloned();
    path.unwrap_or_else(|| PathAndQuery::from_static("/"))
}

/// Whether the credentials are those of the connection, not of the request.
fn authenticates_connection(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        let scheme = value.as_bytes().split(|byte| *byte == b' ').next();
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"ntlm") || scheme.eq_ignore_ascii_case(b"negotiate"))
    })
}
