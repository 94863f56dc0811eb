//! Connections to origins: resolve, check every address, connect, TLS, pool, and the first byte.
//!
//! A request needs a [`Permit`], and every resolved address is checked just before it is connected
//! to, so nothing unchecked can be reached. What a [`Fault`] looks like to the client is for
//! `respond`.

mod connect;
mod fault;
mod tls;

use std::{
    error::Error as StdError,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use http::{Request, Response, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use tokio::{net::TcpStream, time::sleep};

use self::connect::Connector;
pub(crate) use self::fault::Fault;
use crate::{
    acl::{Acl, Permit},
    body::{Body, ByteCount},
    config::{Config, Timeouts},
};

/// Idle connections kept per origin: as many as a browser opens to one (six), a few browsers at once.
/// Raising it saves handshakes and costs descriptors.
const IDLE_PER_ORIGIN: usize = 16;

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

    /// Sends a request and waits for the head of its response. `sent` counts its body.
    pub(crate) async fn send(
        &self,
        permit: &Permit,
        mut request: Request<Body>,
        sent: &ByteCount,
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
        match (self.first_byte(response, sent).await, again) {
            (Err(Fault::Closed), Some(again)) => self.first_byte(client.request(again), sent).await,
            (outcome, _) => outcome,
        }
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
        sent: &ByteCount,
    ) -> Result<Response<Incoming>, Fault>
    where
        F: Future<Output = Result<Response<Incoming>, E>>,
        E: StdError + 'static,
    {
        let mut response = std::pin::pin!(response);
        loop {
            let before = sent.load(Relaxed);
            tokio::select! {
                outcome = &mut response => {
                    return outcome.map_err(|error| Fault::of(&error));
                }
                () = sleep(self.timeouts.first_byte) => {
                    if sent.load(Relaxed) == before {
                        return Err(Fault::FirstByteTimeout);
                    }
                }
            }
        }
    }
}

fn can_be_repeated(request: &Request<Body>) -> bool {
    request.method().is_safe() && request.body().is_end_stream()
}
