//! Connections to origins: resolve, check every address, connect, TLS, pool, and the first byte.
//!
//! A request needs a [`Permit`], and every resolved address is checked just before it is connected
//! to, so nothing unchecked can be reached. What a [`Fault`] looks like to the client is for
//! `respond`.

mod connect;
mod fault;
mod framing;
mod interim;
mod tls;

use std::{
    error::Error as StdError,
    sync::{Arc, OnceLock, atomic::Ordering::Relaxed},
};

use http::{HeaderMap, Request, Response, StatusCode, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use tokio::{net::TcpStream, time::sleep};

pub(crate) use self::fault::Fault;
use self::{connect::Connector, interim::Interim};
use crate::{
    acl::{Acl, Permit},
    body::{Body, ByteCount, Failure},
    config::{Config, Timeouts},
    headers::MAX_FIELDS,
};

/// Idle connections kept per origin: as many as a browser opens to one (six), ten browsers at once. With
/// fewer than there are requests at a time many of them connect anew (2026-11-21, `road forward`: 45
/// microseconds of processor time per request at 64 connections with 16 kept). Raising it saves
/// handshakes and costs descriptors.
const IDLE_PER_ORIGIN: usize = 64;

/// Most bytes of an HTTP/2 response's fields, with 32 for each (RFC 9113 § 10.5.1), so that as many pass as over
/// HTTP/1.1.
const HTTP2_FIELD_BYTES: u32 = 64 * 1024;

/// The pooled clients of one configuration.
pub(crate) struct Upstream {
    client: Client<Connector, Body>,
    /// HTTP/1.1 only and never reused: an upgraded connection belongs to one client (RFC 9110 § 7.8).
    upgrades: Client<Connector, Body>,
    connector: Connector,
    timeouts: Timeouts,
}

impl Upstream {
    pub(crate) fn new(config: &Config, acl: Arc<Acl>) -> Self {
        let tls = tls::client_config(&config.extra_roots, &config.insecure_hosts);
        let connector = Connector::new(acl, tls.as_ref(), config.timeouts.clone());
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(config.timeouts.idle)
            .http1_preserve_header_case(true)
            .http1_title_case_headers(true)
            .http1_max_headers(MAX_FIELDS)
            .http2_max_header_list_size(HTTP2_FIELD_BYTES)
            // The `Host` field is set by us, from the target.
            .set_host(false);
        let upgrades = builder
            .clone()
            .pool_max_idle_per_host(0)
            .build(connector.http1_only());
        let client = builder
            .pool_max_idle_per_host(IDLE_PER_ORIGIN)
            .build(connector.clone());
        Self {
            client,
            upgrades,
            connector,
            timeouts: config.timeouts.clone(),
        }
    }

    /// Sends a request and waits for the head of its response. `sent` counts its body; `informed` gets
    /// the interim responses.
    pub(crate) async fn send(
        &self,
        permit: &Permit,
        mut request: Request<Body>,
        sent: &ByteCount,
        informed: &mut (dyn FnMut(StatusCode, &HeaderMap) + Send),
    ) -> Result<Response<Incoming>, Fault> {
        let uri = http::Uri::builder()
            .scheme(permit.target().scheme.as_str())
            .authority(permit.target().authority())
            .path_and_query(
                request
                    .uri()
                    .path_and_query()
                    .map_or("/", |path| path.as_str()),
            )
            .build()
            .map_err(|_| Fault::Request)?;
        *request.uri_mut() = uri;
        *request.version_mut() = Version::HTTP_11;
        let upgrade = crate::headers::upgrade_of(request.headers()).is_some();
        let client = if upgrade {
            &self.upgrades
        } else {
            &self.client
        };
        let interim = Arc::<Interim>::default();
        let told = Arc::clone(&interim);
        hyper::ext::on_informational(&mut request, move |response| {
            told.tell(response.status(), response.headers());
        });
        let mut waiting = Waiting {
            sent,
            failure: request.body_mut().failure(),
            interim: &interim,
            informed,
            count: 0,
        };
        // A pooled connection may be closed by the origin just as we use it. What can be sent again
        // is sent again, once (RFC 9112 § 9.3.1).
        let again = can_be_repeated(&request).then(|| {
            let mut copy = Request::new(Body::default());
            *copy.method_mut() = request.method().clone();
            *copy.uri_mut() = request.uri().clone();
            *copy.headers_mut() = request.headers().clone();
            *copy.extensions_mut() = request.extensions().clone();
            copy
        });
        let response = client.request(request);
        let mut response = match (self.first_byte(response, &mut waiting).await, again) {
            (Err(Fault::Closed), Some(again)) => {
                self.first_byte(client.request(again), &mut waiting).await
            }
            (outcome, _) => outcome,
        }?;
        framing::check(&mut response)?;
        Ok(response)
    }

    /// Connects for a tunnel.
    pub(crate) async fn connect(&self, permit: &Permit) -> Result<TcpStream, Fault> {
        let target = permit.target();
        self.connector
            .tcp(&target.host.plain(), target.port, true)
            .await
    }

    /// Waits for the head, as long as the request's body moves.
    async fn first_byte<F, E>(
        &self,
        response: F,
        waiting: &mut Waiting<'_>,
    ) -> Result<Response<Incoming>, Fault>
    where
        F: Future<Output = Result<Response<Incoming>, E>>,
        E: StdError + 'static,
    {
        let mut response = std::pin::pin!(response);
        loop {
            let before = waiting.sent.load(Relaxed);
            tokio::select! {
                biased;
                (status, headers) = waiting.interim.next() => {
                    waiting.inform(status, &headers)?;
                }
                outcome = &mut response => {
                    // What broke the request explains what followed from it.
                    return outcome.map_err(|error| match waiting.failure.get() {
                        Some(failure) => (*failure).into(),
                        None => Fault::of(&error),
                    });
                }
                () = sleep(self.timeouts.first_byte) => {
                    if waiting.sent.load(Relaxed) == before {
                        return Err(Fault::FirstByteTimeout);
                    }
                }
            }
        }
    }
}

/// What happens while a response is waited for.
struct Waiting<'a> {
    sent: &'a ByteCount,
    failure: Arc<OnceLock<Failure>>,
    interim: &'a Interim,
    informed: &'a mut (dyn FnMut(StatusCode, &HeaderMap) + Send),
    count: usize,
}

impl Waiting<'_> {
    fn inform(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), Fault> {
        self.count += 1;
        if self.count > framing::MAX_INTERIM {
            let problem = "it sends interim responses without end".to_owned();
            return Err(Fault::BadResponse(problem));
        }
        (self.informed)(status, headers);
        Ok(())
    }
}

fn can_be_repeated(request: &Request<Body>) -> bool {
    request.method().is_safe() && request.body().is_end_stream()
}
