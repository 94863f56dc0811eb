//! A request that asks for another protocol, and the answer that switches to it (RFC 9110 § 7.8, RFC 8441).

use std::sync::{Arc, atomic::Ordering::Relaxed};

use http::{HeaderValue, Request, Response, StatusCode, Version};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tracing::debug;

use super::{Answer, Exchange};
use crate::{
    client::UpstreamError,
    http::{
        body::{Body, IncomingBody, ReceivedBody},
        headers,
        outcome::Outcome,
        websocket,
    },
    mitm::tunnel::{self, SilenceLimits},
    net::target::Target,
    pages::error::Error,
};

/// The protocol that a client asks to switch to.
pub(super) struct UpgradeRequest {
    pub(super) protocols: HeaderValue,
    client_side: OnUpgrade,
    /// The server's proof for a WebSocket that was requested over HTTP/2.
    accept: Option<websocket::Accept>,
}

impl UpgradeRequest {
    /// Reads the upgrade that this request asks for. One for a WebSocket over HTTP/2 becomes one of HTTP/1.1.
    pub(super) fn from_request(request: &mut Request<ReceivedBody>) -> Option<Self> {
        let (protocols, accept) = if websocket::is_extended_connect(request) {
            let (protocols, accept) = websocket::to_upgrade(request);
            (protocols, Some(accept))
        } else {
            if request.version() != Version::HTTP_11 {
                return None;
            }
            let protocols = headers::upgrade_of(request.headers())?;
            (protocols, None)
        };
        Some(Self { protocols, client_side: hyper::upgrade::on(request), accept })
    }

    pub(super) fn is_over_http2(&self) -> bool {
        self.accept.is_some()
    }

    /// Whether the server switches to what was asked for.
    fn is_answered_by(&self, response: &Response<IncomingBody>) -> bool {
        let headers = response.headers();
        let accepted = self.accept.as_ref();
        headers::switches_as_asked(&self.protocols, headers) && accepted.is_none_or(|accept| accept.is_in(headers))
    }
}

impl Exchange {
    /// A 101: from here on the two sides talk past us.
    pub(super) fn switch_protocols(
        &mut self,
        upgrade: Option<UpgradeRequest>,
        mut response: Response<IncomingBody>,
        target: &Target,
    ) -> Result<Answer, Error> {
        let Some(upgrade) = upgrade.filter(|upgrade| upgrade.is_answered_by(&response)) else {
            let problem = "it switches to a protocol that was not asked for".to_owned();
            return Err(Self::upstream_error(target, UpstreamError::BadResponse(problem)));
        };
        let is_over_http2 = upgrade.is_over_http2();
        let upstream_side = hyper::upgrade::on(&mut response);
        self.log.outcome = Outcome::Upgraded;
        let log = self.hand_over_log(StatusCode::SWITCHING_PROTOCOLS);
        let limits = SilenceLimits::in_use(&self.state.config.timeouts);
        if !is_over_http2 {
            self.connection.is_tunnel.store(true, Relaxed);
        }
        let connection = Arc::clone(&self.connection);
        let shutdown = connection.shutdown.clone();
        shutdown.spawn(async move {
            let draining = &connection.shutdown.draining;
            match tokio::try_join!(upgrade.client_side, upstream_side) {
                Ok((client, upstream)) => {
                    let (client, upstream) = (TokioIo::new(client), TokioIo::new(upstream));
                    tunnel::copy(draining, client, upstream, log, limits).await;
                }
                Err(error) => debug!(%error, "an upgrade was not completed"),
            }
        });
        let mut response = response.map(|_| Body::default());
        if is_over_http2 {
            websocket::from_upgrade(&mut response);
        }
        Ok(Answer::Upgraded(response))
    }
}
