//! Opens connections to origins. Requests that wait for the same origin share one attempt, because one HTTP/2
//! connection may serve them all.

use std::{net::IpAddr, sync::Arc};

use tokio::sync::OwnedSemaphorePermit;

use super::{
    UpstreamError,
    connector::{Connector, Stream, Transport},
    http1_connection::{self, Http1Connection},
    http2_connection,
    network::{Network, OwnAddress},
    origin::Origin,
    pool::{Http2Connection, Opened, Opening, Pool},
};
use crate::{
    net::target::Scheme,
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Origins that are remembered to speak HTTP/1.1.
const MAX_HTTP1: usize = 1024;

/// Opens connections.
pub(super) struct Opener {
    pub(super) connector: Connector,
    pub(super) network: Network,
    http1: ExpiringMap<Origin, Http1>,
}

/// Why an origin is asked over HTTP/1.1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Http1 {
    /// The origin chose so (ALPN); another time it may choose otherwise.
    Chosen,
    /// The origin asked for it (RFC 9113 § 7, `HTTP_1_1_REQUIRED`).
    Required,
}

/// A new connection.
pub(super) enum New {
    Http1(Http1Connection),
    Http2(Http2Connection, OwnedSemaphorePermit),
}

impl Opener {
    pub(super) fn new(connector: Connector) -> Self {
        let http1 = ExpiringMap::new(MAX_HTTP1, Lifetime::Unlimited);
        Self { connector, network: Network::new(), http1 }
    }

    /// From here on the origin is asked over HTTP/1.1.
    pub(super) fn requires_http1(&self, origin: &Origin) {
        self.http1.insert(origin.clone(), Http1::Required);
    }

    /// Whether a connection to this origin will take one request at a time, as far as is known.
    pub(super) fn speaks_http1(&self, origin: &Origin) -> bool {
        origin.scheme == Scheme::Http || self.http1.get(origin).is_some()
    }

    /// The address that a connection was opened from, for as long as something waits on it.
    pub(super) fn address_of(&self, local: Option<IpAddr>) -> OwnAddress<'_> {
        self.network.watch(local)
    }

    /// Opens a connection, and begins to speak HTTP on it; an HTTP/2 one is in the pool then.
    pub(super) async fn open(
        &self,
        pool: &Pool,
        origin: &Origin,
        client: IpAddr,
        http1_only: bool,
    ) -> Result<New, UpstreamError> {
        let stream = self.connector.connect(origin, client, http1_only || self.must_http1(origin), None).await?;
        self.start(pool, origin, stream).await
    }

    fn must_http1(&self, origin: &Origin) -> bool {
        self.http1.get(origin) == Some(Http1::Required)
    }

    async fn start(&self, pool: &Pool, origin: &Origin, stream: Stream) -> Result<New, UpstreamError> {
        if !stream.is_http2 {
            if origin.scheme == Scheme::Https && !self.must_http1(origin) {
                self.http1.insert(origin.clone(), Http1::Chosen);
            }
            return http1_connection::handshake(stream, false).await.map(New::Http1);
        }
        self.http1.remove(origin);
        let connection = http2_connection::handshake(stream).await?;
        let stream = connection.reserve().ok_or(UpstreamError::Closed)?;
        pool.put_http2(origin.clone(), connection.clone());
        Ok(New::Http2(connection, stream))
    }

    /// The connection that is being opened to an origin, by whoever needed it first; `tcp` is one that was opened for it before,
    /// if any. It is opened although all who wait leave, and is in the pool then: unless `for_tunnel` and its server asks for a
    /// certificate of the client.
    pub(super) fn join(
        self: &Arc<Self>,
        pool: &Arc<Pool>,
        origin: &Origin,
        client: IpAddr,
        tcp: Option<Transport>,
        for_tunnel: bool,
    ) -> Option<Opening> {
        pool.join(origin, |tell| {
            let (this, pool, origin) = (Arc::clone(self), Arc::clone(pool), origin.clone());
            tokio::spawn(async move {
                let opened = this.fill(&pool, &origin, client, tcp, for_tunnel).await;
                pool.opened(&origin);
                // Nobody may wait any more.
                let _ = tell.send(Some(opened));
            });
        })
    }

    async fn fill(
        &self,
        pool: &Pool,
        origin: &Origin,
        client: IpAddr,
        tcp: Option<Transport>,
        for_tunnel: bool,
    ) -> Result<Opened, UpstreamError> {
        let stream = self.connector.connect(origin, client, self.must_http1(origin), tcp).await?;
        let opened = Opened { wants_client_certificate: stream.wants_client_certificate };
        if for_tunnel && opened.wants_client_certificate {
            return Ok(opened);
        }
        if let New::Http1(connection) = self.start(pool, origin, stream).await? {
            pool.put_new_http1(origin.clone(), connection);
        }
        Ok(opened)
    }
}

/// Waits for a connection that is being opened.
pub(super) async fn outcome(mut opening: Opening) -> Result<Opened, UpstreamError> {
    match opening.wait_for(Option::is_some).await.as_deref() {
        Ok(Some(opened)) => opened.clone(),
        // The program ends.
        Ok(None) | Err(_) => Err(UpstreamError::Closed),
    }
}
