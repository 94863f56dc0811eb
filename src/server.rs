//! The accept loop, the bound on connections, and a graceful end.
//!
//! What a request means is for `proxy`; here are sockets only.

mod batch;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod guard;
mod http2;
mod multiplexed;
mod places;
mod socket;
mod taken;
mod told;
mod unread;
mod wire;

use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Poll, ready},
    time::Duration,
};

use http::{Method, Request, Response, StatusCode, Version};
use hyper::{
    body::{Body as _, Incoming},
    server::conn,
    service::{Service, service_fn},
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{Instrument, debug, debug_span, info, warn};

use self::{
    batch::Batch,
    guard::{Guard, Patience},
    multiplexed::Multiplexed,
    socket::Socket,
    taken::Guarded,
    told::{Told, Word},
    unread::Unread,
};
pub(crate) use self::{
    guard::{Begun, InFlight, Watch, WholeServer},
    places::Places,
    taken::Taken,
    wire::Refusal,
};
use crate::{
    authority::Target,
    body::Body,
    credentials::Authenticator,
    error_pages,
    headers::{Kinds, MAX_FIELDS},
    service::{self, Known, Proxy},
    tcp,
};

/// Pause after a failed accept. Nearly always the process has no descriptors left, and trying at
/// once again would only burn time until some are closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Streams of one HTTP/2 connection: what browsers expect of a server (RFC 9113 § 6.5.2 recommends
/// no less than 100).
const HTTP2_STREAMS: u32 = 128;

/// Bytes of one HTTP/2 request's fields: as many as of an HTTP/1 head (see `wire`).
const HTTP2_FIELD_BYTES: u32 = 64 * 1024;

/// Bytes of answers kept for one HTTP/2 stream whose client does not read. Raising it lets such a client
/// cost more memory.
const HTTP2_SEND_BYTES: usize = 128 * 1024;

/// A connection and how its requests came to us.
#[derive(Debug)]
pub(crate) struct Conn {
    pub(crate) client: SocketAddr,
    pub(crate) local: SocketAddr,
    /// The target of the CONNECT this connection was decrypted from, and the gate that the CONNECT came through.
    pub(crate) tunnel: Option<Target>,
    pub(crate) gate: Option<Arc<Authenticator>>,
    pub(crate) life: Life,
    /// What was asked for last.
    pub(crate) known: Known,
    /// Whether the connection must not end as if all were well.
    pub(crate) broken: AtomicBool,
}

/// A connection that is served, for its requests: they share one count, which no other connection's touch.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) conn: Arc<Conn>,
    pub(crate) watch: Arc<Watch>,
}

impl Conn {
    /// A client's own.
    fn new(client: SocketAddr, local: SocketAddr, life: &Life) -> Self {
        Self {
            client,
            local,
            tunnel: None,
            gate: None,
            life: life.clone(),
            known: Known::default(),
            broken: AtomicBool::default(),
        }
    }

    /// Lets a decrypted connection begin nothing new: its client may not use it any more. What comes with each request of
    /// another connection is asked there.
    pub(crate) fn dismiss(&self) {
        if self.tunnel.is_some() {
            self.life.draining.cancel();
        }
    }
}

/// How the program's end reaches connections.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    /// Finish what is in flight, begin nothing new.
    pub(crate) draining: CancellationToken,
    /// Time is up.
    pub(crate) ended: CancellationToken,
    tasks: TaskTracker,
}

impl Life {
    fn new(draining: CancellationToken) -> Self {
        Self {
            draining,
            ended: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// The same for a connection that can be ended by itself.
    pub(crate) fn of_one(&self) -> Self {
        Self {
            draining: self.draining.child_token(),
            ..self.clone()
        }
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self::new(CancellationToken::new())
    }

    /// Runs a task that the end waits for, and cuts when time is up.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut told = Told::new(self);
        // In a box: it would be moved a dozen times on its way to the runtime.
        let mut task = Box::pin(task);
        let task = poll_fn(move |cx| match told.poll(cx) {
            Some(Word::Stop) => Poll::Ready(()),
            _ => task.as_mut().poll(cx),
        });
        self.tasks.spawn(task.in_current_span());
    }

    /// Runs a task that the end waits for, and that hears of it by itself.
    pub(crate) fn spawn_told(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = Box::pin(task);
        self.tasks.spawn(task.in_current_span());
    }
}

/// Serves until `shutdown` is cancelled; then requests in flight are given the configured time.
pub async fn serve(
    listener: TcpListener,
    proxy: Arc<Proxy>,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let local = listener.local_addr()?;
    let life = Life::new(shutdown.clone());
    info!(listen = %local, "listening");
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, client)) => welcome(stream, client, &proxy, &life),
            Err(error) => {
                warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    // No one new is let in while the others finish.
    drop(listener);
    let grace = Duration::from_secs(proxy.running().config.limits.shutdown_grace_seconds);
    life.tasks.close();
    if timeout(grace, life.tasks.wait()).await.is_err() {
        info!(
            open = life.tasks.len(),
            "time is up, open connections are cut"
        );
        life.ended.cancel();
        life.tasks.wait().await;
    }
    info!(listen = %local, "stopped");
    Ok(())
}

fn welcome(stream: TcpStream, client: SocketAddr, proxy: &Arc<Proxy>, life: &Life) {
    let per_client = proxy.running().config.limits.connections_per_client;
    let Some(place) = proxy.places.take(client.ip(), per_client) else {
        life.spawn(turn_away(stream));
        return;
    };
    // A wildcard listener has one address per connection.
    let Ok(local) = stream.local_addr() else {
        return;
    };
    tcp::set_up(&stream);
    let conn = Arc::new(Conn::new(client, local, life));
    let stream = Socket::new(stream, Arc::clone(&conn));
    let proxy = Arc::clone(proxy);
    let span = debug_span!("conn", client.addr = %client);
    let task = async move {
        drive(stream, proxy, conn, Version::HTTP_11).await;
        drop(place);
    };
    let _entered = span.enter();
    life.spawn_told(task);
}

async fn turn_away(mut stream: TcpStream) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let farewell = async {
        stream
            .write_all(&error_pages::too_many_connections())
            .await?;
        stream.shutdown().await?;
        // Closed with its request unread, the connection would be reset, and the answer with it.
        let mut request = [0; 4096];
        while stream.read(&mut request).await? > 0 {}
        io::Result::Ok(())
    };
    // A client that does not read its refusal has only itself to blame.
    let _ = timeout(PATIENCE, farewell).await;
}

/// Speaks HTTP on one connection until it ends: clear ones, and those that `intercept` decrypted.
pub(crate) async fn drive<I>(io: I, proxy: Arc<Proxy>, conn: Arc<Conn>, version: Version)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let watch = Arc::default();
    let served = Arc::new(Served { proxy, conn, watch });
    let ended = if version == Version::HTTP_2 {
        // In a box, or connections of HTTP/1 had room for it.
        Box::pin(drive_http2(io, served)).await
    } else {
        drive_http1(io, served).await
    };
    if let Err(error) = ended {
        debug!(%error, "connection ended early");
    }
}

/// What answers the requests of a connection.
fn service(
    served: Arc<Served>,
) -> impl Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>
{
    service_fn(move |request| {
        // In a box: it is handed on a dozen times, and whoever hands it on keeps room for it.
        let request = Box::new(request);
        // Now: by the time that the answer begins the connection may have read on.
        let just_told = served.watch.just_told();
        // In a box, so that an idle connection does not keep the room that a request takes. The box first: what is made outside
        // of it is copied into it with all the room that is for later.
        let answer = Box::write(
            Box::new_uninit(),
            answer(Arc::clone(&served), request, just_told),
        );
        let answer = Box::into_pin(answer);
        async move { Ok(answer.await) }
    })
}

async fn drive_http1<I>(io: I, served: Arc<Served>) -> hyper::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let running = served.proxy.running();
    let timeouts = &running.config.timeouts;
    let patience = Patience {
        head: timeouts.request_head,
        idle: timeouts.client_idle,
    };
    let io = Unread::new(io, Arc::clone(&served.watch), timeouts.client_stall);
    let io: Guarded<I> = TokioIo::new(Guard::new(io, Arc::clone(&served.watch), patience));
    drop(running);
    let connection = conn::http1::Builder::new()
        .timer(TokioTimer::new())
        // The guard has the clock.
        .header_read_timeout(None)
        .max_headers(MAX_FIELDS)
        .serve_connection(io, service(Arc::clone(&served)))
        .with_upgrades();
    let mut connection = pin!(connection);
    let mut told = Told::new(&served.conn.life);
    let mut finishes = false;
    poll_fn(|cx| {
        match told.poll(cx) {
            Some(Word::Stop) => return Poll::Ready(Ok(())),
            Some(Word::Finish) if !finishes => {
                finishes = true;
                connection.as_mut().graceful_shutdown();
            }
            _ => {}
        }
        let ended = ready!(served.watch.drive(cx, |cx| connection.as_mut().poll(cx)));
        if ended.is_ok() {
            served.conn.broken.store(false, Relaxed);
        }
        Poll::Ready(ended)
    })
    .await
}

async fn drive_http2<I>(io: I, served: Arc<Served>) -> hyper::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let timeouts = served.proxy.running().config.timeouts.clone();
    let watch = &served.watch;
    let io = Unread::new(io, Arc::clone(watch), timeouts.client_stall);
    let io = Multiplexed::new(io, Arc::clone(watch));
    let connection = conn::http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS)
        .max_header_list_size(HTTP2_FIELD_BYTES)
        .max_send_buf_size(HTTP2_SEND_BYTES)
        // A peer that is gone without a word does not answer pings (RFC 9113 § 6.7).
        .keep_alive_interval(timeouts.client_idle)
        .keep_alive_timeout(timeouts.request_head)
        .enable_connect_protocol()
        .serve_connection(TokioIo::new(io), service(Arc::clone(&served)));
    let mut connection = pin!(connection);
    let mut unused = pin!(unused(watch, timeouts.client_idle));
    let mut batch = Batch::default();
    let mut told = Told::new(&served.conn.life);
    let mut finishes = false;
    poll_fn(|cx| {
        let word = told.poll(cx);
        if word == Some(Word::Stop) {
            return Poll::Ready(Ok(()));
        }
        if !finishes && word.is_none() {
            if batch.waits(watch, cx) {
                return Poll::Pending;
            }
            if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
                return Poll::Ready(ended);
            }
            ready!(unused.as_mut().poll(cx));
        }
        if !finishes {
            finishes = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    })
    .await
}

/// One request's answer, which keeps the connection in use until its last byte.
async fn answer(
    served: Arc<Served>,
    mut request: Box<Request<Incoming>>,
    just_told: bool,
) -> Response<Body> {
    let watch = &served.watch;
    let mut begun = watch.begin(request.extensions_mut(), just_told);
    let in_flight = watch.in_flight();
    let is_connect = request.method() == Method::CONNECT;
    let is_1_0 = request.version() == Version::HTTP_10;
    let is_2 = request.version() == Version::HTTP_2;
    if is_2 {
        begun.kinds = Kinds::of(request.headers());
        if let Err(refusal) = http2::check(&request) {
            request.extensions_mut().insert(refusal);
        }
    }
    let response = service::handle(Arc::clone(&served), request, begun).await;
    watch.answer();
    let status = response.status();
    let taken = status == StatusCode::SWITCHING_PROTOCOLS || is_connect && status.is_success();
    // Over HTTP/2 one stream is taken over, not the connection.
    if taken && !is_2 {
        watch.take_over();
    }
    // Such a body ends with the connection; until it has, an end of the connection is a break.
    let ends_with_connection = is_1_0 && response.body().size_hint().exact().is_none();
    served.conn.broken.store(ends_with_connection, Relaxed);
    response.map(|body| body.holding(in_flight))
}

/// Looks at an HTTP/2 connection while it is idle for as long as it may be: it lives longer by one of them at most. More looks make
/// that less, and wake the program more often.
const LOOKS: u32 = 16;

/// Waits until an HTTP/2 connection has had no request for this long.
async fn unused(watch: &Watch, idle: Duration) {
    let (mut before, mut looks) = (watch.counts(), 0);
    while looks < LOOKS {
        sleep(idle / LOOKS).await;
        let now = watch.counts();
        let is_idle = now == before && now.0 == now.1;
        looks = if is_idle { looks + 1 } else { 0 };
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use http::Extensions;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_http2_connection_is_given_up_when_it_was_unused_for_as_long_as_it_may_be() {
        const IDLE: Duration = Duration::from_secs(16);
        let watch = Arc::<Watch>::default();
        let (begun, asking) = (Instant::now(), Arc::clone(&watch));
        let requests = async {
            for _ in 0..3 {
                sleep(Duration::from_secs(5)).await;
                asking.begin(&mut Extensions::new(), false);
                let in_flight = asking.in_flight();
                sleep(Duration::from_secs(20)).await;
                drop(in_flight);
            }
        };
        tokio::join!(requests, unused(&watch, IDLE));
        let (used, lived) = (Duration::from_secs(75), begun.elapsed());
        assert!(used + IDLE <= lived, "{lived:?}");
        assert!(lived <= used + IDLE + IDLE / LOOKS, "{lived:?}");
    }
}
