//! Requests to origins: pooled connections, TLS, retries, the first byte, and tunnels.
//!
//! A request needs a [`Permit`], and every resolved address is checked right before it is connected to, so nothing
//! unchecked can be reached. What an [`UpstreamError`] looks like to the client is for `error_pages`.

mod connector;
mod error;
mod pool;
mod resolver;
mod response_framing;
mod response_wait;
mod retry;
mod tls;
mod tolerant_io;

use std::{future::poll_fn, net::IpAddr, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, Request, Response, Uri, Version, header, uri::PathAndQuery};
use http_body::Body as _;
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, watch},
};
use tracing::debug;

use self::{
    connector::{Connector, Io, Stream},
    pool::{Http2Connection, Pool, STREAMS_PER_CONNECTION},
    response_wait::ResponseWait,
    retry::ReplayableRequest,
    tolerant_io::TolerantIo,
};
pub(crate) use self::{error::UpstreamError, pool::PinnedConnections, response_wait::OnInformational};
use crate::{
    access_control::{Acl, Permit},
    authority::Target,
    body::{Body, IncomingBody},
    config::{Config, Timeouts},
    headers::{MAX_RESPONSE_FIELDS, members},
};

/// Most bytes of an HTTP/2 response's fields, with 32 for each (RFC 9113 § 10.5.1): as many as over HTTP/1.1.
const HTTP2_FIELD_BYTES: u32 = 256 * 1024;

/// Flow-control windows of HTTP/2 (RFC 9113 § 5.2). The connection's holds those of all its streams, so that
/// downloads that nobody reads never stop the others. Raising the stream's makes single downloads over slow
/// links faster, and lets each unread one cost more memory.
const STREAM_WINDOW: u32 = 512 * 1024;
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * (STREAMS_PER_CONNECTION as u32 + 1);

/// An HTTP/2 connection without traffic for so long is asked for a sign of life (RFC 9113 § 6.7), and is dead if none
/// comes in time. Lowering them finds dead connections sooner and wakes idle ones more often.
const PING_INTERVAL: Duration = Duration::from_secs(15);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may have been idle to take a request that cannot be sent twice: the longer, the likelier the
/// origin is closing it just now. Raising it saves handshakes and costs errors.
const FRESH: Duration = Duration::from_millis(500);

/// What an origin's `Keep-Alive: timeout` is shortened by, so that its close does not cross our next request.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

/// The client side of one configuration.
pub(crate) struct Client {
    pool: Arc<Pool>,
    connector: Connector,
    /// Origins that asked for HTTP/1.1 (RFC 9113 § 7, `HTTP_1_1_REQUIRED`).
    http1_only: moka::sync::Cache<Arc<Target>, ()>,
    timeouts: Timeouts,
}

/// What is known of the one who asks.
#[derive(Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) address: IpAddr,
    pub(crate) pinned: &'a PinnedConnections,
}

/// A connection to send a request on.
enum Connection {
    Http1 { sender: http1::SendRequest<Body>, is_reused: bool },
    Http2(Http2Connection, OwnedSemaphorePermit),
}

/// Why a request has no response.
enum Failed {
    Final(UpstreamError),
    /// Nothing of it was sent.
    Unsent(Request<Body>),
    /// It may be sent once more.
    Replay(Request<Body>),
}

type Sent = Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), Failed>;

impl Client {
    pub(crate) fn new(config: &Config, acl: Arc<Acl>, max_idle: usize) -> Self {
        Self {
            pool: Pool::new(max_idle, config.timeouts.idle),
            connector: Connector::new(config, acl),
            http1_only: moka::sync::Cache::new(1024),
            timeouts: config.timeouts.clone(),
        }
    }

    /// Sends a request and waits for the head of its response.
    pub(crate) async fn send(
        &self,
        permit: &Permit,
        mut request: Request<Body>,
        requester: Requester<'_>,
        informational: OnInformational,
    ) -> Result<Response<IncomingBody>, UpstreamError> {
        let target = permit.target();
        let request_ended = request.body().is_end_stream();
        let upgrades = request.headers().contains_key(header::UPGRADE);
        let wait = ResponseWait::new(&mut request, informational, &self.timeouts);
        let authenticates = authenticates_connection(request.headers());
        let pool = match requester.pinned.pool(target) {
            Some(pinned) => pinned,
            None if authenticates => requester.pinned.pin(target, self.timeouts.idle),
            None => &self.pool,
        };
        let (mut response, stream) = if upgrades {
            self.upgrade(target, request, requester, &wait).await?
        } else {
            self.exchange(pool, target, request, requester, &wait).await?
        };
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
        mut request: Request<Body>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), UpstreamError> {
        let mut is_repeated = false;
        loop {
            let kept = if is_repeated {
                let http2 = pool.http2(target);
                http2.map(|(connection, stream)| Connection::Http2(connection, stream))
            } else {
                self.kept(pool, target, &request)
            };
            let connection = match kept {
                Some(kept) => kept,
                None => self.join_or_open(pool, target, requester).await?,
            };
            let (is_reused, sent) = match connection {
                Connection::Http1 { sender, is_reused } => {
                    let sent = self.over_http1(pool, target, request, wait, sender, is_reused);
                    (is_reused, sent.await)
                }
                Connection::Http2(connection, stream) => {
                    let sent = self.over_http2(target, request, wait, connection, stream);
                    (false, sent.await)
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

    /// A kept connection that can take this request.
    fn kept(&self, pool: &Pool, target: &Arc<Target>, request: &Request<Body>) -> Option<Connection> {
        let can_repeat = request.method().is_idempotent();
        let max_age = if can_repeat { Duration::MAX } else { FRESH };
        if let Some(sender) = pool.take_http1(target, max_age) {
            return Some(Connection::Http1 { sender, is_reused: true });
        }
        let (connection, stream) = pool.http2(target)?;
        Some(Connection::Http2(connection, stream))
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
        let http1_only = !Arc::ptr_eq(pool, &self.pool) || self.http1_only.contains_key(target);
        let stream = self.connector.connect(target, requester.address, http1_only).await?;
        self.start(pool, target, stream).await
    }

    /// Starts HTTP on a new connection.
    async fn start(&self, pool: &Arc<Pool>, target: &Arc<Target>, stream: Stream) -> Result<Connection, UpstreamError> {
        if !stream.is_http2 {
            let sender = handshake_http1(stream.io, false).await?;
            return Ok(Connection::Http1 { sender, is_reused: false });
        }
        let connection = handshake_http2(stream.io).await?;
        let stream = connection.reserve().ok_or(UpstreamError::Closed)?;
        pool.put_http2(Arc::clone(target), connection.clone());
        Ok(Connection::Http2(connection, stream))
    }

    async fn over_http1(
        &self,
        pool: &Arc<Pool>,
        target: &Arc<Target>,
        mut request: Request<Body>,
        wait: &ResponseWait,
        mut sender: http1::SendRequest<Body>,
        is_reused: bool,
    ) -> Sent {
        prepare_http1(&mut request, target).map_err(Failed::Final)?;
        let can_repeat = is_reused && request.method().is_idempotent();
        let (request, replay) = if can_repeat {
            let (request, replay) = ReplayableRequest::of(request);
            (request, Some(replay))
        } else {
            (request, None)
        };
        let sent = wait.first_byte(sender.try_send_request(request)).await;
        match sent {
            Ok(Ok(response)) => {
                pool.put_http1(Arc::clone(target), sender, keep_alive(response.headers()));
                Ok((response, None))
            }
            Ok(Err(mut error)) => match error.take_message() {
                Some(unsent) => Err(Failed::Unsent(unsent)),
                None => {
                    let again = replay.and_then(ReplayableRequest::request);
                    Err(match (wait.error(error.error()), again) {
                        (UpstreamError::Closed, Some(again)) => Failed::Replay(again),
                        (error, _) => Failed::Final(error),
                    })
                }
            },
            Err(error) => {
                // The others have probably been dead for as long.
                pool.close(target);
                Err(Failed::Final(error))
            }
        }
    }

    async fn over_http2(
        &self,
        target: &Arc<Target>,
        mut request: Request<Body>,
        wait: &ResponseWait,
        mut connection: Http2Connection,
        stream: OwnedSemaphorePermit,
    ) -> Sent {
        prepare_http2(&mut request, target).map_err(Failed::Final)?;
        let is_idempotent = request.method().is_idempotent();
        let (request, replay) = ReplayableRequest::of(request);
        let sent = wait.first_byte(connection.sender.try_send_request(request)).await;
        match sent {
            Ok(Ok(response)) => Ok((response, Some(stream))),
            Ok(Err(mut error)) => {
                if let Some(unsent) = error.take_message() {
                    return Err(Failed::Unsent(unsent));
                }
                let error = error.error();
                if retry::requires_http1(error) {
                    self.http1_only.insert(Arc::clone(target), ());
                    connection.retire();
                }
                let is_unprocessed = retry::is_unprocessed(error);
                let error = wait.error(error);
                if is_unprocessed || is_idempotent && error == UpstreamError::Closed {
                    connection.retire();
                    if let Some(again) = replay.request() {
                        return Err(Failed::Replay(again));
                    }
                }
                Err(Failed::Final(error))
            }
            Err(error) => {
                connection.retire();
                Err(Failed::Final(error))
            }
        }
    }

    /// On a new HTTP/1.1 connection, which is never reused: upgraded, it belongs to one client (RFC 9110 § 7.8).
    async fn upgrade(
        &self,
        target: &Arc<Target>,
        mut request: Request<Body>,
        requester: Requester<'_>,
        wait: &ResponseWait,
    ) -> Result<(Response<Incoming>, Option<OwnedSemaphorePermit>), UpstreamError> {
        prepare_http1(&mut request, target)?;
        let stream = self.connector.connect(target, requester.address, true).await?;
        let mut sender = handshake_http1(stream.io, true).await?;
        match wait.first_byte(sender.send_request(request)).await? {
            Ok(response) => Ok((response, None)),
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
        let http1_only = self.http1_only.contains_key(target);
        let stream = self.connector.connect(target, requester.address, http1_only).await?;
        if stream.wants_client_certificate {
            return Err(UpstreamError::ClientCertificate);
        }
        if let Connection::Http1 { sender, .. } = self.start(&self.pool, target, stream).await? {
            self.pool.put_http1(Arc::clone(target), sender, None);
        }
        Ok(())
    }

    /// Connects for a tunnel.
    pub(crate) async fn connect(&self, permit: &Permit, requester: Requester<'_>) -> Result<TcpStream, UpstreamError> {
        let carries = permit.port_rule();
        self.connector.tcp(permit.target(), requester.address, carries).await
    }

    /// Closes idle connections, because descriptors have run out.
    pub(crate) fn close_idle(&self) {
        self.pool.close_idle();
    }
}

async fn handshake_http1(io: Io, upgrades: bool) -> Result<http1::SendRequest<Body>, UpstreamError> {
    let (sender, connection) = http1::Builder::new()
        .preserve_header_case(true)
        .title_case_headers(true)
        .max_headers(MAX_RESPONSE_FIELDS)
        .max_buf_size(2 * tolerant_io::MAX_HEAD)
        .handshake(TokioIo::new(TolerantIo::new(io, connector::has_unread)))
        .await
        .map_err(|error| UpstreamError::of(&error))?;
    tokio::spawn(async move {
        let ended = if upgrades { connection.with_upgrades().await } else { connection.await };
        if let Err(error) = ended {
            debug!(%error, "a connection to an origin ended early");
        }
    });
    Ok(sender)
}

async fn handshake_http2(io: Io) -> Result<Http2Connection, UpstreamError> {
    let (mut sender, mut connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(HTTP2_FIELD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .keep_alive_while_idle(true)
        .initial_max_send_streams(pool::INITIAL_STREAMS)
        .handshake(TokioIo::new(io))
        .await
        .map_err(|error| UpstreamError::of(&error))?;
    let (limit, server_limit) = watch::channel(pool::INITIAL_STREAMS);
    tokio::spawn(async move {
        // hyper tells the server's limit only on the connection, which this task owns.
        let driven = poll_fn(|cx| {
            let polled = Pin::new(&mut connection).poll(cx);
            let now = connection.current_max_send_streams();
            limit.send_if_modified(|limit| std::mem::replace(limit, now) != now);
            polled
        });
        if let Err(error) = driven.await {
            debug!(%error, "a connection to an origin ended early");
        }
    });
    let ready = sender.ready().await;
    ready.map_err(|error| UpstreamError::of(&error))?;
    Ok(Http2Connection::new(sender, server_limit))
}

/// The request as it is written over HTTP/1.1: its path, and `Host` in front (RFC 9112 § 3.2).
fn prepare_http1(request: &mut Request<Body>, target: &Target) -> Result<(), UpstreamError> {
    *request.version_mut() = Version::HTTP_11;
    let path = path_of(request);
    *request.uri_mut() = Uri::from(path);
    let headers = request.headers_mut();
    if headers.contains_key(header::TE) {
        // RFC 9110 § 10.1.4: it belongs to this connection, and says so.
        let upgrades = headers.contains_key(header::CONNECTION);
        let options = if upgrades { "Upgrade, TE" } else { "TE" };
        headers.insert(header::CONNECTION, HeaderValue::from_static(options));
    }
    if !headers.contains_key(header::HOST) {
        let host = target.authority().parse().map_err(|_| UpstreamError::Request)?;
        let mut with_host = HeaderMap::with_capacity(headers.len() + 1);
        with_host.insert(header::HOST, host);
        with_host.extend(std::mem::take(headers));
        *headers = with_host;
    }
    Ok(())
}

/// The request as it is written over HTTP/2: `:authority` alone names the host (RFC 9113 § 8.3.1); nginx before 1.29.1
/// answers 400 to `host` beside it.
fn prepare_http2(request: &mut Request<Body>, target: &Target) -> Result<(), UpstreamError> {
    *request.version_mut() = Version::HTTP_2;
    let uri =
        Uri::builder().scheme(target.scheme.as_str()).authority(target.authority()).path_and_query(path_of(request));
    *request.uri_mut() = uri.build().map_err(|_| UpstreamError::Request)?;
    // `remove` would change the order of the others.
    if request.headers().contains_key(header::HOST) {
        let others = crate::headers::without(request.headers(), |name| *name == header::HOST);
        *request.headers_mut() = others;
    }
    Ok(())
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

/// How long the origin keeps the connection, with a margin; as it says itself (RFC 2068 § 19.7.1.1).
fn keep_alive(headers: &HeaderMap) -> Option<Duration> {
    let field = http::HeaderName::from_static("keep-alive");
    let timeout = members(headers, &field).find_map(|member| {
        let (name, value) = member.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| Duration::from_secs(seconds))
    })?;
    Some(timeout.saturating_sub(KEEP_ALIVE_MARGIN))
}

/// For the fuzz targets, see `tolerant_io`.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_response(bytes: &[u8], piece: usize) {
    tolerant_io::read_in_pieces(bytes, piece);
}
