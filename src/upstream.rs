//! Connections to origins: resolve, check every address, connect, TLS, pool, and the first byte.
//!
//! A request needs an [`Origin`], which is made of a [`Permit`], and every resolved address is checked just before it is
//! connected to, so nothing unchecked can be reached. What a [`Fault`] looks like to the client is for
//! `respond`.

mod again;
mod bell;
mod connect;
mod fault;
mod framing;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod heads;
mod interim;
mod line;
mod origin;
mod stream;
mod tls;
mod waiting;
mod written;

use std::sync::Arc;

use http::{HeaderMap, Request, Response, StatusCode, Uri, Version, uri::PathAndQuery};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{net::TcpStream, time::Instant};
use tracing::debug;

use self::{
    again::Again,
    connect::Connector,
    interim::Interim,
    line::{Failed, Line},
    origin::{Pool, Shared},
    stream::Stream,
    waiting::Waiting,
};
pub(crate) use self::{fault::Fault, line::Answered, origin::Origin};
use crate::{
    access_control::{Acl, Permit},
    authority::Scheme,
    body::Body,
    config::{Config, Timeouts},
    spelling::Spelling,
};

/// Most bytes of an HTTP/2 response's fields, with 32 for each (RFC 9113 § 10.5.1), so that as many pass as over
/// HTTP/1.1.
const HTTP2_FIELD_BYTES: u32 = 64 * 1024;

/// The connections of one configuration.
pub(crate) struct Upstream {
    pool: Arc<Pool>,
    connector: Connector,
    timeouts: Timeouts,
}

/// What is known of a request that is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sending {
    /// Its fields say the host.
    pub(crate) has_host: bool,
    /// It asks for another protocol on its connection.
    pub(crate) upgrades: bool,
    /// The runtime was told of it just now, and so of all that arrived before it.
    pub(crate) just_told: bool,
    /// When it came, if that was just now.
    pub(crate) since: Option<Instant>,
}

/// A way to an origin.
enum Way {
    Http1(Box<Line>),
    Http2(Shared),
}

impl Upstream {
    pub(crate) fn new(config: &Config, acl: Arc<Acl>) -> Self {
        let tls = tls::client_config(&config.extra_roots, &config.insecure_hosts);
        Self {
            pool: Pool::new(config.timeouts.idle),
            connector: Connector::new(acl, tls.as_ref(), config.timeouts.clone()),
            timeouts: config.timeouts.clone(),
        }
    }

    /// The origin that a permit is for, with its connections.
    pub(crate) fn origin(&self, permit: Permit) -> Arc<Origin> {
        self.pool.origin(permit)
    }

    /// Sends a request and waits for the head of its response. `informed` gets the interim responses.
    pub(crate) async fn send(
        &self,
        origin: &Arc<Origin>,
        mut request: Box<Request<Body>>,
        sending: Sending,
        informed: &mut (dyn FnMut(StatusCode, &HeaderMap) + Send),
    ) -> Result<Response<Answered>, Fault> {
        *request.version_mut() = Version::HTTP_11;
        let mut waiting = Waiting::new(&mut request, informed, self.timeouts.first_byte);
        waiting.just_told = sending.just_told;
        waiting.since = sending.since;
        if !sending.has_host {
            waiting.host = origin.host().cloned();
        }
        let mut response = if sending.upgrades {
            Box::pin(self.upgrade(origin, request, &mut waiting)).await
        } else {
            self.ask(origin, request, &mut waiting).await
        }?;
        let kinds = framing::check(&mut response)?;
        response.body_mut().is_of(kinds);
        Ok(response)
    }

    /// A pooled connection may be closed by the origin just as we use it. What was not sent is sent on another; what can be
    /// sent again is sent again, once (RFC 9112 § 9.3.1, RFC 9113 § 8.7), and not on another one that was kept as long.
    async fn ask(
        &self,
        origin: &Arc<Origin>,
        mut request: Box<Request<Body>>,
        waiting: &mut Waiting<'_>,
    ) -> Result<Response<Answered>, Fault> {
        let mut is_repeated = false;
        loop {
            let kept = if is_repeated {
                origin.http2().map(Way::Http2)
            } else {
                kept(origin)
            };
            let is_kept = kept.is_some();
            let way = if let Some(way) = kept {
                way
            } else {
                waiting.since = None;
                Box::pin(self.open(origin)).await?
            };
            let is_http2 = matches!(way, Way::Http2(_));
            let outcome = match way {
                Way::Http1(line) => {
                    set_uri(&mut request, None)?;
                    line.ask(request, waiting).await
                }
                Way::Http2(shared) => {
                    set_uri(&mut request, Some(origin))?;
                    Box::pin(over_http2(origin, &shared, request, waiting)).await
                }
            };
            request = match outcome {
                Ok(response) => return Ok(response),
                Err(Failed::Sent(fault)) => return Err(fault),
                Err(Failed::Unsent(unsent)) if is_kept => unsent,
                Err(Failed::Closed(again)) if !is_repeated => {
                    is_repeated = true;
                    again
                }
                // A server that lets in and closes at once; once more is enough.
                Err(Failed::Unsent(unsent)) if is_http2 && !is_repeated => {
                    is_repeated = true;
                    unsent
                }
                Err(Failed::Unsent(_) | Failed::Closed(_)) => return Err(Fault::Closed),
            };
        }
    }

    async fn open(&self, origin: &Arc<Origin>) -> Result<Way, Fault> {
        let stream = self
            .connector
            .connect(origin.permit().target(), origin.is_http1())
            .await?;
        if !stream.is_http2() {
            let line = Line::open(stream, origin).await;
            return line.map(Way::Http1).map_err(|error| Fault::of(&error));
        }
        let sender = open_http2(stream)
            .await
            .map_err(|error| Fault::of(&error))?;
        Ok(Way::Http2(origin.share(sender)))
    }

    /// HTTP/1.1 only and never reused: an upgraded connection belongs to one client (RFC 9110 § 7.8).
    async fn upgrade(
        &self,
        origin: &Origin,
        mut request: Box<Request<Body>>,
        waiting: &mut Waiting<'_>,
    ) -> Result<Response<Answered>, Fault> {
        set_uri(&mut request, None)?;
        let stream = self
            .connector
            .connect(origin.permit().target(), true)
            .await?;
        // Its patience begins with the connection.
        waiting.since = None;
        let message = stream.message();
        message.begin(waiting, false, false);
        let (mut sender, connection) = line::builder()
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| Fault::of(&error))?;
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                debug!(%error, "a connection to an origin ended early");
            }
        });
        let mut response = std::pin::pin!(sender.send_request(*request));
        let interim = message.interim();
        let outcome = waiting
            .first_byte(|cx| interim.poll_next(cx), |cx| response.as_mut().poll(cx))
            .await?;
        match outcome {
            Ok(response) => Ok(response.map(|body| Answered::new(body, message.spelling()))),
            Err(error) => Err(waiting.fault(&error)),
        }
    }

    /// Connects for a tunnel.
    pub(crate) async fn connect(&self, permit: &Permit) -> Result<TcpStream, Fault> {
        let target = permit.target();
        self.connector
            .tcp(
                &target.host.plain(),
                target.port,
                Scheme::Https,
                permit.port_rule(),
            )
            .await
    }
}

fn kept(origin: &Origin) -> Option<Way> {
    let http1 = origin.take().map(Way::Http1);
    http1.or_else(|| origin.http2().map(Way::Http2))
}

/// An address as it is written on a connection: its path, over HTTP/2 the origin too (RFC 9113 § 8.3.1).
fn set_uri(request: &mut Request<Body>, origin: Option<&Arc<Origin>>) -> Result<(), Fault> {
    let uri = std::mem::take(request.uri_mut());
    let path = uri.into_parts().path_and_query;
    let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
    *request.uri_mut() = match origin {
        None => Uri::from(path),
        Some(origin) => {
            let authority = origin.authority.clone().ok_or(Fault::Request)?;
            Uri::builder()
                .scheme(origin.permit().target().scheme.as_str())
                .authority(authority)
                .path_and_query(path)
                .build()
                .map_err(|_| Fault::Request)?
        }
    };
    Ok(())
}

async fn open_http2(stream: Stream) -> hyper::Result<http2::SendRequest<Body>> {
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(HTTP2_FIELD_BYTES)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            debug!(%error, "a connection to an origin ended early");
        }
    });
    sender.ready().await?;
    Ok(sender)
}

async fn over_http2(
    origin: &Origin,
    shared: &Shared,
    request: Box<Request<Body>>,
    waiting: &mut Waiting<'_>,
) -> Result<Response<Answered>, Failed> {
    let is_idempotent = request.method().is_idempotent();
    let (mut request, again) = Again::of(request);
    let interim = Arc::<Interim>::default();
    let told = Arc::clone(&interim);
    hyper::ext::on_informational(&mut *request, move |response| {
        told.tell(response.status(), response.headers().clone());
    });
    let mut sender = shared.sender.clone();
    let mut response = std::pin::pin!(sender.try_send_request(*request));
    let outcome = waiting
        .first_byte(|cx| interim.poll_next(cx), |cx| response.as_mut().poll(cx))
        .await;
    match outcome.map_err(Failed::Sent)? {
        // Over HTTP/2 all names are in small letters (RFC 9113 § 8.2.1), and are written in the usual way.
        Ok(response) => Ok(response.map(|body| Answered::new(body, Spelling::default()))),
        Err(error) => {
            let is_unprocessed = again::is_unprocessed(error.error());
            if again::is_for_http1(error.error()) {
                origin.speak_http1();
            }
            Err(match line::failed(error, waiting) {
                Failed::Sent(fault)
                    if is_unprocessed || is_idempotent && fault == Fault::Closed =>
                {
                    origin.retire(shared);
                    again.request().map_or(Failed::Sent(fault), Failed::Closed)
                }
                failed => failed,
            })
        }
    }
}
