//! HTTP/1.1 to an origin: the handshake, one request, and what is kept of the connection.

use std::{
    net::IpAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, Version, header, uri::PathAndQuery};
use http_body::Body as _;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::Instant;
use tracing::debug;

use super::{
    Client, Failed, Http1Place, Sent, UpstreamError,
    alive_io::AliveIo,
    connector::{self, Stream},
    origin::Origin,
    path_of,
    pool::{KeptHttp1, Pool},
    response_wait::ResponseWait,
    retry::ReplayableRequest,
    tolerant_io::{self, ExtraFields, TolerantIo},
};
use crate::{
    config::ParentProxy,
    http::{
        body::{Body, Place},
        headers::members,
    },
    net::target::Target,
};

/// Time by which an origin's `Keep-Alive: timeout` is shortened, so that its close does not cross our next request.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

/// A connection that hyper's task drives until this is dropped and its last response has been read.
pub(super) struct Http1Connection {
    pub(super) sender: http1::SendRequest<Body>,
    /// When set, `TolerantIo` checks for unsolicited bytes before it writes the next request.
    check_unread: Arc<AtomicBool>,
    /// See [`AliveIo`].
    asks: Arc<AtomicBool>,
    surplus: ExtraFields,
    local: Option<IpAddr>,
    /// The origin has answered on this connection.
    has_answered: bool,
}

impl Http1Connection {
    /// Gives a response the fields that hyper had no room for.
    pub(super) fn complete<B>(&self, response: &mut Response<B>) {
        let surplus = std::mem::take(&mut *self.surplus.lock());
        // `extend` would replace fields of the same name.
        for (name, value) in &surplus {
            response.headers_mut().append(name, value.clone());
        }
    }
}

impl Client {
    pub(super) async fn over_http1(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        mut request: Box<Request<Body>>,
        wait: &ResponseWait,
        place: Http1Place,
    ) -> Sent {
        let Http1Place { mut connection, permit, is_reused } = place;
        prepare(&mut request, origin, origin.asked()).map_err(Failed::Final)?;
        let is_idempotent = request.method().is_idempotent();
        let is_short = is_idempotent && request.body().is_end_stream();
        let replay = (is_reused || is_short).then(|| ReplayableRequest::from_request(&mut request));
        connection.check_unread.store(is_reused, Relaxed);
        connection.asks.store(is_reused && is_short, Relaxed);
        let network = self.opener.address_of(connection.local);
        let sent = wait.first_byte(std::pin::pin!(connection.sender.try_send_request(*request)), network).await;
        let (error, can_repeat) = match sent {
            Ok(Ok(mut response)) => {
                connection.complete(&mut response);
                let ended = Arc::<OnceLock<_>>::default();
                let headers = response.headers();
                if !has_option(headers, "close") {
                    // NTLM authenticates the connection, so it is reused even before it proved to be persistent.
                    let is_proven =
                        connection.has_answered || !Arc::ptr_eq(pool, &self.pool) || has_option(headers, "keep-alive");
                    connection.has_answered = true;
                    let kept = KeptHttp1 {
                        connection,
                        since: Instant::now(),
                        ended: Arc::clone(&ended),
                        server_timeout: keep_alive(headers),
                        request_ended: wait.request_ended(),
                        is_proven,
                    };
                    pool.put_http1(origin.clone(), kept);
                }
                return Ok((response, pool.lease(permit.map(|permit| Box::new(permit) as Place), ended)));
            }
            Ok(Err(mut error)) => {
                if let Some(unsent) = error.take_message() {
                    return Err(Failed::Unsent(Box::new(unsent)));
                }
                let can_repeat = is_reused && (is_idempotent || connection.check_unread.load(Relaxed));
                (wait.error(error.error()), can_repeat)
            }
            // This machine's end is gone, on a new connection too.
            Err(UpstreamError::Closed) => (UpstreamError::Closed, is_idempotent),
            Err(error) => {
                // The other idle connections to this origin are probably dead too.
                pool.close(origin);
                return Err(Failed::Final(error));
            }
        };
        if error == UpstreamError::Closed && is_reused && !is_idempotent {
            pool.was_closed(origin);
        }
        let again = replay.filter(|_| can_repeat && error == UpstreamError::Closed);
        Err(again.and_then(ReplayableRequest::request).map_or(Failed::Final(error), Failed::Replay))
    }
}

pub(super) async fn handshake(stream: Stream, upgrades: bool) -> Result<Http1Connection, UpstreamError> {
    let [check_unread, asks] = [(); 2].map(|()| Arc::<AtomicBool>::default());
    let surplus = ExtraFields::default();
    let io = AliveIo::new(stream.io, Arc::clone(&asks));
    let has_unread = |io: &mut AliveIo| connector::has_unread(io.get_mut());
    let io = TolerantIo::new(io, has_unread, Arc::clone(&check_unread), Arc::clone(&surplus));
    let (sender, connection) = http1::Builder::new()
        .preserve_header_case(true)
        .title_case_headers(true)
        .max_buf_size(2 * tolerant_io::MAX_HEAD)
        .handshake(TokioIo::new(io))
        .await
        .map_err(|error| UpstreamError::from_error(&error))?;
    tokio::spawn(async move {
        let ended = if upgrades { connection.with_upgrades().await } else { connection.await };
        if let Err(error) = ended {
            debug!(%error, "a connection to an origin ended early");
        }
    });
    Ok(Http1Connection { sender, check_unread, asks, surplus, local: stream.local, has_answered: false })
}

/// Whether `Connection` has this option.
fn has_option(headers: &HeaderMap, option: &str) -> bool {
    members(headers, &header::CONNECTION).any(|member| member.eq_ignore_ascii_case(option))
}

/// The request as it is written over HTTP/1.1: its path, and `Host` in front (RFC 9112 § 3.2). Where another proxy is asked for it,
/// the whole address, and its password.
pub(super) fn prepare(
    request: &mut Request<Body>,
    target: &Target,
    asked: Option<&ParentProxy>,
) -> Result<(), UpstreamError> {
    *request.version_mut() = Version::HTTP_11;
    let path = path_of(request);
    *request.uri_mut() = match asked {
        None => Uri::from(path),
        Some(_) => absolute(target, path).ok_or(UpstreamError::Request)?,
    };
    if let Some(credentials) = asked.and_then(ParentProxy::authorization) {
        let mut credentials: HeaderValue = credentials.parse().map_err(|_| UpstreamError::Request)?;
        credentials.set_sensitive(true);
        request.headers_mut().insert(header::PROXY_AUTHORIZATION, credentials);
    }
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

/// The whole address of a resource. `*`, the server as a whole, has none there (RFC 9112 § 3.2.4).
fn absolute(target: &Target, path: PathAndQuery) -> Option<Uri> {
    let path = if path.as_str() == "*" { PathAndQuery::from_static("/") } else { path };
    Uri::builder().scheme(target.scheme.as_str()).authority(target.authority()).path_and_query(path).build().ok()
}

/// How long the origin keeps the connection, with a margin; as it says itself (RFC 2068 § 19.7.1.1).
fn keep_alive(headers: &HeaderMap) -> Option<Duration> {
    let field = HeaderName::from_static("keep-alive");
    let timeout = members(headers, &field).find_map(|member| {
        let (name, value) = member.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| Duration::from_secs(seconds))
    })?;
    Some(timeout.saturating_sub(KEEP_ALIVE_MARGIN))
}
