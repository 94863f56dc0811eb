//! HTTP on one client connection, plain or decrypted: hyper's HTTP/1.1 and HTTP/2 servers, and the checks that they leave
//! to us. What a request means is decided in `service`.
//!
//! `validating_io` stands between the client and hyper's HTTP/1.1 server: it checks each head with `request_parser` and ends what takes too
//! long. `http2_requests` checks requests over HTTP/2. `connection_limits` counts connections. `icap` serves another proxy.

mod connection;
pub(crate) mod connection_limits;
mod connection_state;
mod connection_timer;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod http2_requests;
pub(crate) mod icap;
mod request_parser;
mod validating_io;

use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use http::{Method, Request, Response, StatusCode, Version};
use hyper::{
    body::{Body as _, Incoming},
    server::conn::{http1, http2},
    service::{Service, service_fn},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};
use tracing::debug;

pub(crate) use self::{
    connection::Connection,
    connection_state::{ConnectionState, WholeServer},
    request_parser::ParseRejection,
};
use self::{connection_limits::ConnectionLimits, validating_io::ValidatingIo};
use crate::{
    config::Timeouts,
    http::{
        body::{Body, EndMarker, ReceivedBody},
        headers::MAX_FIELDS,
    },
    util::settle,
};

/// Streams of one HTTP/2 connection: browsers expect at least 100 (RFC 9113 § 6.5.2).
const HTTP2_STREAMS: u32 = 128;

/// Flow-control windows for uploads over HTTP/2 (RFC 9113 § 5.2). The connection's holds those of all its streams, so that
/// uploads that stand still, because their origins read nothing, never stop the others. Raising the stream's makes single
/// uploads of clients that are far away faster (128 KiB: 100 Mbit/s at ten milliseconds), and lets each that stands still cost
/// more memory.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * (HTTP2_STREAMS + 1);

/// Bytes of one HTTP/2 request's fields: as many as of an HTTP/1.1 head (see `request_parser`).
const HTTP2_FIELD_BYTES: u32 = 64 * 1024;

/// hyper's read and write buffer: twice the largest request head. It bounds a response that the client does not read.
const HTTP1_BUFFER_BYTES: usize = 128 * 1024;

/// Bytes of response kept for one HTTP/2 stream whose client does not read. Raising it lets such a client cost more
/// memory.
const HTTP2_SEND_BYTES: usize = 128 * 1024;

/// Answers the requests of connections, and knows the limits under which they are served.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Answers one request. Every failure is an answer too.
    fn handle(
        self: Arc<Self>,
        connection: Arc<Connection>,
        request: Box<Request<ReceivedBody>>,
        started: Instant,
    ) -> impl Future<Output = Response<Body>> + Send;

    /// The timeouts in force.
    fn timeouts(&self) -> Timeouts;

    fn limits(&self) -> &Arc<ConnectionLimits>;
}

/// Speaks HTTP on one connection until it ends.
pub(crate) async fn serve_connection<I, H>(io: I, handler: Arc<H>, connection: Arc<Connection>, version: Version)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Handler,
{
    let ended = if version == Version::HTTP_2 {
        // In a box, so that the task of an HTTP/1.1 connection is not as large.
        Box::pin(serve_http2(io, handler, connection)).await
    } else {
        serve_http1(io, handler, connection).await
    };
    if let Err(error) = ended {
        debug!(%error, "connection ended early");
    }
}

async fn serve_http1<I, H>(io: I, handler: Arc<H>, connection: Arc<Connection>) -> hyper::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Handler,
{
    let timeouts = handler.timeouts();
    let io = ValidatingIo::new(io, Arc::clone(&connection.state), Arc::clone(handler.limits()), timeouts);
    let mut http = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            // `ValidatingIo` has the timeouts.
            .header_read_timeout(None)
            .max_buf_size(HTTP1_BUFFER_BYTES)
            .max_headers(MAX_FIELDS)
            .preserve_header_case(true)
            .title_case_headers(true)
            .serve_connection(TokioIo::new(io), service(handler, Arc::clone(&connection)))
            .with_upgrades()
    );
    let ended = tokio::select! {
        biased;
        ended = http.as_mut() => ended,
        () = connection.shutdown.draining.cancelled() => {
            http.as_mut().graceful_shutdown();
            http.await
        }
    };
    if ended.is_ok() {
        connection.reset_on_close.store(false, Relaxed);
    }
    ended
}

async fn serve_http2<I, H>(io: I, handler: Arc<H>, connection: Arc<Connection>) -> hyper::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Handler,
{
    let timeouts = handler.timeouts();
    let service = service(handler, Arc::clone(&connection));
    let mut http = pin!(
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(HTTP2_STREAMS)
            .max_header_list_size(HTTP2_FIELD_BYTES)
            .max_send_buf_size(HTTP2_SEND_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            // A peer that is gone does not answer PING (RFC 9113 § 6.7).
            .keep_alive_interval(timeouts.client_idle)
            .keep_alive_timeout(timeouts.request_head)
            .enable_connect_protocol()
            // In a box: it would be moved several times on its way into the task of its stream.
            .serve_connection(TokioIo::new(io), service_fn(move |request| Box::pin(service.call(request))))
    );
    tokio::select! {
        biased;
        ended = http.as_mut() => return ended,
        () = connection.shutdown.draining.cancelled() => {}
        () = unused(&connection.state, timeouts.client_idle) => {}
    }
    http.as_mut().graceful_shutdown();
    http.await
}

fn service<H: Handler>(
    handler: Arc<H>,
    connection: Arc<Connection>,
) -> impl Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send + 'static> {
    service_fn(move |request: Request<Incoming>| {
        answer(Arc::clone(&handler), Arc::clone(&connection), Box::new(request.map(ReceivedBody::Http)))
    })
}

/// The response to one request, which counts as in flight until its last byte.
async fn answer<H: Handler>(
    handler: Arc<H>,
    connection: Arc<Connection>,
    mut request: Box<Request<ReceivedBody>>,
) -> Result<Response<Body>, Infallible> {
    let started = Instant::now();
    let in_flight = connection.state.begin(request.extensions_mut());
    let is_connect = request.method() == Method::CONNECT;
    let version = request.version();
    if version == Version::HTTP_2
        && let Err(rejection) = http2_requests::check(&request)
    {
        request.extensions_mut().insert(rejection);
    }
    let response = handler.handle(Arc::clone(&connection), request, started).await;
    let status = response.status();
    let upgrades = status == StatusCode::SWITCHING_PROTOCOLS || is_connect && status.is_success();
    // Over HTTP/2 only the stream becomes a tunnel.
    if upgrades && version != Version::HTTP_2 {
        connection.state.progress.lock().upgraded = true;
    }
    let ends_with_connection = version == Version::HTTP_10 && response.body().size_hint().exact().is_none();
    connection.reset_on_close.store(ends_with_connection, Relaxed);
    let end_marker = (version == Version::HTTP_2).then(EndMarker::default);
    Ok(response.map(|mut body| {
        body.guard = Some(Box::new(in_flight));
        body.end_marker = end_marker;
        body
    }))
}

/// Waits until an HTTP/2 connection has had no request for so long. hyper has no such timeout.
async fn unused(state: &ConnectionState, idle: Duration) {
    let counts = || Some(state.counts()).filter(|(begun, done)| begun == done);
    settle::unchanged(idle, counts).await;
}

#[cfg(test)]
mod tests {
    use http::Extensions;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_http2_connection_is_closed_when_it_was_unused_for_its_idle_timeout() {
        const IDLE: Duration = Duration::from_secs(16);
        let state = Arc::<ConnectionState>::default();
        let begun = Instant::now();
        let requests = async {
            for _ in 0..3 {
                sleep(Duration::from_secs(5)).await;
                let in_flight = state.begin(&mut Extensions::new());
                sleep(Duration::from_secs(20)).await;
                drop(in_flight);
            }
        };
        tokio::join!(requests, unused(&state, IDLE));
        let (used, lived) = (Duration::from_secs(75), begun.elapsed());
        assert!(used + IDLE <= lived, "{lived:?}");
        assert!(lived <= used + IDLE + IDLE / 16, "{lived:?}");
    }
}
