//! HTTP/2 to an origin: the handshake and one request.

use std::{
    future::poll_fn,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use http::{Request, Uri, Version, header};
use http_body::Body as _;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{OwnedSemaphorePermit, watch},
    time::interval,
};
use tracing::debug;

use super::{
    Client, Failed, Sent, UpstreamError,
    alive_io::AliveIo,
    connector::Stream,
    origin::Origin,
    path_of,
    ping_timer::PingTimer,
    pool::{self, Http2Connection, Pool, STREAMS_PER_CONNECTION},
    response_wait::ResponseWait,
    retry::{self, ReplayableRequest},
};
use crate::{
    http::{
        body::{Body, Place},
        headers,
    },
    net::target::Target,
};

/// Most bytes of an HTTP/2 response's fields, with 32 for each (RFC 9113 § 10.5.1): as many as over HTTP/1.1.
const HTTP2_FIELD_BYTES: u32 = 256 * 1024;

/// Flow-control windows of HTTP/2 (RFC 9113 § 5.2). The connection's holds those of all its streams, so that
/// downloads that nobody reads never stop the others. Raising the stream's makes single downloads over slow
/// links faster, and lets each unread one cost more memory.
const STREAM_WINDOW: u32 = 512 * 1024;
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * (STREAMS_PER_CONNECTION + 1);

/// An HTTP/2 connection that was silent for so long while a request waits is asked for a sign of life (RFC 9113 § 6.7; see
/// `ping_timer`), and is dead if none comes in time. Lowering them finds dead connections sooner.
const PING_INTERVAL: Duration = Duration::from_secs(15);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a new connection is asked whether the server's settings have come. Raising it delays pages of many requests.
const SETTINGS_INTERVAL: Duration = Duration::from_millis(5);

impl Client {
    pub(super) async fn over_http2(
        &self,
        pool: &Arc<Pool>,
        origin: &Origin,
        mut request: Box<Request<Body>>,
        wait: &ResponseWait,
        mut connection: Http2Connection,
        stream: OwnedSemaphorePermit,
    ) -> Sent {
        prepare(&mut request, origin).map_err(Failed::Final)?;
        let is_idempotent = request.method().is_idempotent();
        let has_body = !request.body().is_end_stream();
        let upload = has_body.then(|| connection.upload());
        if is_idempotent && !has_body {
            connection.ask();
        }
        let replay = Some(ReplayableRequest::from_request(&mut request));
        let network = self.opener.address_of(connection.local());
        let waiting = connection.pings.request();
        let sent = wait.first_byte(std::pin::pin!(connection.sender.try_send_request(*request)), network).await;
        drop(upload);
        match sent {
            Ok(Ok(response)) => {
                waiting.answered();
                Ok((response, pool.lease(Some(Box::new(stream) as Place), Arc::default())))
            }
            Ok(Err(mut error)) => {
                if let Some(unsent) = error.take_message() {
                    return Err(Failed::Unsent(Box::new(unsent)));
                }
                let error = error.error();
                if retry::requires_http1(error) {
                    self.opener.requires_http1(origin);
                    connection.retire();
                }
                let is_unprocessed = retry::is_unprocessed(error);
                let error = wait.error(error);
                if is_unprocessed || is_idempotent && error == UpstreamError::Closed {
                    connection.retire();
                    if let Some(again) = replay.and_then(ReplayableRequest::request) {
                        return Err(Failed::Replay(again));
                    }
                }
                Err(Failed::Final(error))
            }
            Err(error) => {
                connection.retire();
                let again = replay.filter(|_| is_idempotent && error == UpstreamError::Closed);
                Err(again.and_then(ReplayableRequest::request).map_or(Failed::Final(error), Failed::Replay))
            }
        }
    }
}

pub(super) async fn handshake(stream: Stream) -> Result<Http2Connection, UpstreamError> {
    let asks = Arc::<AtomicBool>::default();
    let io = AliveIo::new(stream.io, Arc::clone(&asks));
    handshake_over(io, asks, stream.local).await
}

async fn handshake_over(
    io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    asks: Arc<AtomicBool>,
    local: Option<IpAddr>,
) -> Result<Http2Connection, UpstreamError> {
    let pings = PingTimer::new();
    let (mut sender, mut connection) = http2::Builder::new(TokioExecutor::new())
        .timer(pings.clone())
        .max_header_list_size(HTTP2_FIELD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        // The timer knows better than hyper whether the connection rests.
        .keep_alive_while_idle(true)
        .initial_max_send_streams(pool::INITIAL_STREAMS)
        .handshake(TokioIo::new(io))
        .await
        .map_err(|error| UpstreamError::from_error(&error))?;
    let (limit, server_limit) = watch::channel(pool::INITIAL_STREAMS);
    tokio::spawn(async move {
        // hyper tells the server's limit only on the connection, which this task owns, and does not wake it when that comes.
        let mut looks = interval(SETTINGS_INTERVAL);
        let mut left = pool::SETTINGS_TIMEOUT.as_millis() / SETTINGS_INTERVAL.as_millis();
        let driven = poll_fn(|cx| {
            while left > 0 && looks.poll_tick(cx).is_ready() {
                left -= 1;
            }
            let polled = Pin::new(&mut connection).poll(cx);
            let now = connection.current_max_send_streams();
            if limit.send_if_modified(|limit| std::mem::replace(limit, now) != now) {
                left = 0;
            }
            polled
        });
        if let Err(error) = driven.await {
            debug!(%error, "a connection to an origin ended early");
        }
    });
    let ready = sender.ready().await;
    ready.map_err(|error| UpstreamError::from_error(&error))?;
    Ok(Http2Connection::new(sender, server_limit, pings, asks, local))
}

/// The request as it is written over HTTP/2: `:authority` alone names the host (RFC 9113 § 8.3.1); nginx before 1.29.1
/// answers 400 to `host` beside it.
fn prepare(request: &mut Request<Body>, target: &Target) -> Result<(), UpstreamError> {
    *request.version_mut() = Version::HTTP_2;
    let uri =
        Uri::builder().scheme(target.scheme.as_str()).authority(target.authority()).path_and_query(path_of(request));
    *request.uri_mut() = uri.build().map_err(|_| UpstreamError::Request)?;
    // `remove` would change the order of the others.
    if request.headers().contains_key(header::HOST) {
        let others = headers::without(request.headers(), |name| *name == header::HOST);
        *request.headers_mut() = others;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        sync::mpsc,
        time::{sleep, timeout},
    };

    use super::*;

    const HEADERS: u8 = 1;
    const PING: u8 = 6;

    /// Answers the first request with a head and rests; tells of the frames that come.
    async fn server(mut io: DuplexStream, frames: mpsc::UnboundedSender<u8>) {
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        // `:status: 200` (RFC 7541, appendix A).
        let head = [0, 0, 1, HEADERS, 4, 0, 0, 0, 1, 0x88];
        io.write_all(&settings).await.unwrap();
        io.read_exact(&mut [0; 24]).await.unwrap();
        loop {
            let mut frame = [0; 9];
            io.read_exact(&mut frame).await.unwrap();
            let length = usize::from_be_bytes([0, 0, 0, 0, 0, frame[0], frame[1], frame[2]]);
            io.read_exact(&mut vec![0; length]).await.unwrap();
            if frame[3] == HEADERS && frame[8] == 1 {
                io.write_all(&head).await.unwrap();
            }
            frames.send(frame[3]).unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_rests_is_not_asked_by_ping_and_a_request_that_waits_is() {
        let (ours, theirs) = duplex(1 << 16);
        let (sender, mut frames) = mpsc::unbounded_channel();
        tokio::spawn(server(theirs, sender));
        let mut connection = handshake_over(ours, Arc::default(), None).await.unwrap();
        let request = || Request::get("http://origin.example/").body(Body::default()).unwrap();
        let waiting = connection.pings.request();
        let resting = connection.sender.send_request(request()).await.unwrap();
        waiting.answered();
        sleep(Duration::from_hours(1)).await;
        while let Ok(kind) = frames.try_recv() {
            assert_ne!(kind, PING, "nothing waits for an answer");
        }
        let _waiting = connection.pings.request();
        let asked = async { while frames.recv().await != Some(PING) {} };
        tokio::select! {
            sent = connection.sender.send_request(request()) => panic!("{sent:?}"),
            () = asked => {}
        }
        drop(resting);
        let ended = timeout(Duration::from_mins(1), async {
            while !connection.sender.is_closed() {
                sleep(PING_TIMEOUT / 8).await;
            }
        });
        ended.await.expect("a PING without an answer ends the connection");
    }
}
