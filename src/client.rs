//! Requests to origins: pooled connections, TLS, retries, the first byte, and tunnels.
//!
//! A request needs a [`Permit`], and every resolved address is checked right before it is connected to, so nothing
//! unchecked can be reached. What an [`UpstreamError`] looks like to the client is for `error_pages`.

mod connector;
mod error;
mod http1_connection;
mod http2_connection;
mod pool;
mod resolver;
mod response_framing;
mod response_wait;
mod retry;
mod tls;
mod tolerant_io;

use std::{net::IpAddr, sync::Arc};

use http::{HeaderMap, Request, Response, StatusCode, header, uri::PathAndQuery};
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::{net::TcpStream, sync::OwnedSemaphorePermit};

#[cfg(feature = "fuzzing")]
pub use self::tolerant_io::read_in_pieces;
use self::{
    connector::{Connector, Stream},
    http1_connection::Http1Connection,
    pool::{Http2Connection, Pool},
    response_wait::ResponseWait,
};
pub(crate) use self::{error::UpstreamError, pool::PinnedConnections, response_wait::OnInformational};
use crate::{
    access_control::{Acl, Permit},
    authority::{Scheme, Target},
    body::{Body, IncomingBody},
    config::{Config, Timeouts},
    expiring_map::{ExpiringMap, Lifetime},
};

/// Origins that are remembered to take HTTP/1.1 only.
const MAX_HTTP1_ONLY: usize = 1024;

/// The client side of one configuration.
pub(crate) struct Client {
    pool: Arc<Pool>,
    connector: Connector,
    /// Origins that asked for HTTP/1.1 (RFC 9113 § 7, `HTTP_1_1_REQUIRED`).
    http1_only: ExpiringMap<Arc<Target>, ()>,
    timeouts: Timeouts,
}

/// The client for whom a request is sent.
#[derive(Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) address: IpAddr,
    pub(crate) pinned: &'a PinnedConnections,
}

/// A connection to send a request on.
enum Connection {
    Http1 { connection: Http1Connection, is_reused: bool },
    Http2(Http2Connection, OwnedSemaphorePermit),
}

/// Why a request has no response.
enum Failed {
    Final(UpstreamError),
    /// Nothing of the request was sent.
    Unsent(Box<Request<Body>>),
    /// The request may be sent once more.
    Replay(Box<Request<Body>>),
}

type Sent = Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), Failed>;

impl Client {
    pub(crate) fn new(config: &Config, acl: Arc<Acl>, max_idle: usize) -> Self {
        Self {
            pool: Pool::new(max_idle, config.timeouts.idle),
            connector: Connector::new(config, acl),
            http1_only: ExpiringMap::new(MAX_HTTP1_ONLY, Lifetime::Unlimited),
            timeouts: config.timeouts.clone(),
        }
    }

    /// Sends a request and waits for the head of its response. What is large is in a box: the future is moved about.
    pub(crate) async fn send(
        &self,
        permit: &Permit,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        informational: OnInformational,
    ) -> Result<Response<IncomingBody>, UpstreamError> {
        self.connector.check_initiator(permit, requester.address).await?;
        let target = permit.target();
        let request_ended = request.body().is_end_stream();
        let wait = ResponseWait::new(&mut request, informational, &self.timeouts);
        let pool = match requester.pinned.pool(target) {
            Some(pinned) => pinned,
            None if authenticates_connection(request.headers()) => requester.pinned.pin(target, self.timeouts.idle),
            None => &self.pool,
        };
        let (mut response, stream) = if request.headers().contains_key(header::UPGRADE) {
            Box::pin(self.upgrade(target, request, requester, &wait)).await?
        } else {
            self.exchange(pool, target, request, requester, &wait).await?
        };
        if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED && target.scheme == Scheme::Http {
            // A browser would take it for this proxy's own.
            return Err(UpstreamError::BadResponse("it asks for the name and password of a proxy".to_owned()));
        }
        response_framing::check(&mut response)?;
        let version = response.version();
        Ok(response.map(|body| IncomingBody::of_response(body, version, request_ended, stream)))
    }

    /// A kept connection may be closed by the origin just as it is used. What was not sent is sent on another; what
    /// can be sent again is sent again once, on a new one.
    async fn exchange(
        &self,
        pool: &Arc<Pool>,
        target: &Arc<Target>,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), UpstreamError> {
        let mut is_repeated = false;
        loop {
            let kept = if is_repeated { None } else { pool.take_http1(target, request.method().is_idempotent()) };
            let connection = if let Some(connection) = kept {
                Connection::Http1 { connection, is_reused: true }
            } else if let Some((connection, stream)) = pool.http2(target) {
                Connection::Http2(connection, stream)
            } else {
                Box::pin(self.join_or_open(pool, target, requester)).await?
            };
            let (is_reused, sent) = match connection {
                Connection::Http1 { connection, is_reused } => {
                    let sent = self.over_http1(pool, target, request, wait, connection, is_reused);
                    (is_reused, sent.await)
                }
                Connection::Http2(connection, stream) => {
                    let sent = self.over_http2(target, request, wait, connection, stream);
                    (false, Box::pin(sent).await)
                }
            };
            request = match sent {
                Ok(response) => return Ok(response),
                Err(Failed::Final(error)) => return Err(error),
                Err(Failed::Unsent(unsent)) if is_reused => unsent,
                Err(Failed::Unsent(again) | Failed::Replay(again)) if !is_repeated => {
                    is_repeated = true;
                    again
                }
                Err(Failed::Unsent(_) | Failed::Replay(_)) => return Err(UpstreamError::Closed),
            };
        }
    }

    /// A place on an HTTP/2 connection that was opened just now, or a new connection.
    async fn join_or_open(
        &self,
        pool: &Arc<Pool>,
        target: &Arc<Target>,
        requester: Requester<'_>,
    ) -> Result<Connection, UpstreamError> {
        if let Some(connection) = pool.unsettled(target) {
            connection.settings().await;
            if let Some((connection, stream)) = pool.http2(target) {
                return Ok(Connection::Http2(connection, stream));
            }
        }
        self.open(pool, target, requester).await
    }

    async fn open(
        &self,
        pool: &Arc<Pool>,
        target: &Arc<Target>,
        requester: Requester<'_>,
    ) -> Result<Connection, UpstreamError> {
        // NTLM and Negotiate do not work over HTTP/2.
        let http1_only = !Arc::ptr_eq(pool, &self.pool) || self.http1_only.get(target).is_some();
        let stream = self.connector.connect(target, requester.address, http1_only).await?;
        self.start(pool, target, stream).await
    }

    /// Starts HTTP on a new connection.
    async fn start(&self, pool: &Arc<Pool>, target: &Arc<Target>, stream: Stream) -> Result<Connection, UpstreamError> {
        if !stream.is_http2 {
            let connection = http1_connection::handshake(stream.io, false).await?;
            return Ok(Connection::Http1 { connection, is_reused: false });
        }
        let connection = http2_connection::handshake(stream.io).await?;
        let stream = connection.reserve().ok_or(UpstreamError::Closed)?;
        pool.put_http2(Arc::clone(target), connection.clone());
        Ok(Connection::Http2(connection, stream))
    }

    /// On a new HTTP/1.1 connection, which is never reused: upgraded, it belongs to one client (RFC 9110 § 7.8).
    async fn upgrade(
        &self,
        target: &Arc<Target>,
        mut request: Box<Request<Body>>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), UpstreamError> {
        http1_connection::prepare(&mut request, target)?;
        let stream = self.connector.connect(target, requester.address, true).await?;
        let mut connection = http1_connection::handshake(stream.io, true).await?;
        match wait.first_byte(std::pin::pin!(connection.sender.send_request(*request))).await? {
            Ok(mut response) => {
                connection.complete(&mut response);
                Ok((response, None))
            }
            Err(error) => Err(wait.error(&error)),
        }
    }

    /// Makes sure that there is a connection to an origin, before a client's CONNECT is decrypted: an origin whose TLS
    /// or certificate request we cannot answer is better tunnelled.
    pub(crate) async fn preconnect(&self, permit: &Permit, requester: Requester<'_>) -> Result<(), UpstreamError> {
        let target = permit.target();
        if self.pool.has(target) {
            return Ok(());
        }
        let http1_only = self.http1_only.get(target).is_some();
        let stream = self.connector.connect(target, requester.address, http1_only).await?;
        if stream.wants_client_certificate {
            return Err(UpstreamError::ClientCertificate);
        }
        if let Connection::Http1 { connection, .. } = self.start(&self.pool, target, stream).await? {
            self.pool.put_http1(Arc::clone(target), connection, None, false);
        }
        Ok(())
    }

    /// Connects for a tunnel.
    pub(crate) async fn connect(&self, permit: &Permit, requester: Requester<'_>) -> Result<TcpStream, UpstreamError> {
        let carries = permit.port_rule();
        self.connector.tcp(permit.target(), requester.address, carries).await
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
