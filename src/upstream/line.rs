//! One HTTP/1.1 connection to an origin, and the body that arrives on it.
//!
//! The library's connection is a task of its own by habit. Here whoever asks drives it, so that a request goes out and its
//! answer comes in within one task, and nobody is woken in between. Only where the request has a body the connection gets a
//! task: an answer that its reader leaves waiting must not keep the rest of the request from going out.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Weak},
    task::{Context, Poll, Waker, ready},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::{
    body::Incoming,
    client::conn::{
        TrySendError,
        http1::{self, Connection, SendRequest},
    },
};
use hyper_util::rt::TokioIo;
use tokio::{sync::oneshot, time::Instant};
use tracing::debug;

use super::{
    Waiting,
    again::Again,
    bell::Driver,
    fault::Fault,
    origin::Origin,
    stream::{Message, Stream},
};
use crate::{
    body::Body,
    clock::Clock,
    headers::{Kinds, MAX_FIELDS},
    spelling::Spelling,
};

/// A connection and what belongs to it.
pub(super) struct Line {
    sender: SendRequest<Body>,
    /// None once it has ended.
    connection: Option<Connection<TokioIo<Stream>, Body>>,
    driver: Driver,
    message: Message,
    clock: Clock,
    /// Where it goes when it is free again.
    origin: Weak<Origin>,
    is_used: bool,
    /// When a look found it idle first.
    pub(super) idle_since: Option<Instant>,
}

/// A request that got no response.
pub(super) enum Failed {
    /// None of it was sent.
    Unsent(Box<Request<Body>>),
    Sent(Fault),
    /// There was no answer to this request, which can be sent again.
    Closed(Box<Request<Body>>),
}

impl Line {
    pub(super) async fn open(stream: Stream, origin: &Arc<Origin>) -> hyper::Result<Box<Self>> {
        let message = stream.message();
        let (sender, connection) = builder().handshake(TokioIo::new(stream)).await?;
        Ok(Box::new(Self {
            sender,
            connection: Some(connection),
            driver: Driver::new(),
            message,
            clock: Clock::default(),
            origin: Arc::downgrade(origin),
            is_used: false,
            idle_since: None,
        }))
    }

    /// Sends a request and waits for the head of its response.
    pub(super) async fn ask(
        mut self: Box<Self>,
        request: Box<Request<Body>>,
        waiting: &mut Waiting<'_>,
    ) -> Result<Response<Answered>, Failed> {
        let is_used = std::mem::replace(&mut self.is_used, true);
        let has_body = !request.body().is_end_stream();
        // RFC 9110 § 9.2.2: what may have been done is not asked for twice, unless twice is as good as once.
        let is_idempotent = request.method().is_idempotent();
        let can_be_repeated = is_idempotent && !has_body;
        self.message.begin(waiting, can_be_repeated, is_used);
        if has_body {
            let again = is_idempotent && is_used;
            return Box::pin(self.ask_with_body(request, waiting, again)).await;
        }
        std::mem::swap(&mut self.clock, &mut waiting.clock);
        let mut response = std::pin::pin!(self.sender.try_send_request(*request));
        let (driver, connection) = (&mut self.driver, &mut self.connection);
        let interim = self.message.interim();
        let poll_interim = |_: &mut Context<'_>| interim.poll_own();
        let outcome = waiting
            .first_byte(poll_interim, |cx| {
                driver.drive(cx, |cx| {
                    poll_connection(connection, cx);
                    response.as_mut().poll(cx)
                })
            })
            .await;
        waiting.clock.stop();
        std::mem::swap(&mut self.clock, &mut waiting.clock);
        match outcome.map_err(Failed::Sent)? {
            Ok(response) => {
                let (head, incoming) = response.into_parts();
                let mut body = Answered::new(incoming, self.message.spelling());
                body.line = Some(self);
                if body.is_end_stream() {
                    body.let_go();
                }
                Ok(Response::from_parts(head, body))
            }
            Err(error) => Err(match (failed(error, waiting), can_be_repeated) {
                (Failed::Sent(Fault::Closed), true) => match self.message.again() {
                    Some(request) => Failed::Closed(Box::new(request)),
                    None => Failed::Sent(Fault::Closed),
                },
                (failed, _) => failed,
            }),
        }
    }

    async fn ask_with_body(
        mut self: Box<Self>,
        request: Box<Request<Body>>,
        waiting: &mut Waiting<'_>,
        can_be_repeated: bool,
    ) -> Result<Response<Answered>, Failed> {
        let (request, again) = if can_be_repeated {
            let (request, again) = Again::of(request);
            (request, Some(again))
        } else {
            (request, None)
        };
        let mut response = std::pin::pin!(self.sender.try_send_request(*request));
        let message = self.message.clone();
        let interim = message.interim();
        // Dropped when the head was taken, or nobody waits for it.
        let (_taking, taken) = oneshot::channel();
        tokio::spawn(self.run_until_free(taken));
        match waiting
            .first_byte(|cx| interim.poll_next(cx), |cx| response.as_mut().poll(cx))
            .await
        {
            Ok(Ok(response)) => Ok(response.map(|body| Answered::new(body, message.spelling()))),
            Ok(Err(error)) => Err(match (failed(error, waiting), again) {
                (Failed::Sent(Fault::Closed), Some(again)) => again
                    .request()
                    .map_or(Failed::Sent(Fault::Closed), Failed::Closed),
                (failed, _) => failed,
            }),
            Err(fault) => Err(Failed::Sent(fault)),
        }
    }

    async fn run_until_free(mut self: Box<Self>, taken: oneshot::Receiver<()>) {
        let free = std::future::poll_fn(|cx| {
            let was_sent = self.message.is_sent();
            poll_connection(&mut self.connection, cx);
            if !was_sent && self.message.is_sent() {
                // The library looks for the next request before it writes, not after: where the end of an upload went out
                // after its answer came, it would look again only when the origin closes.
                poll_connection(&mut self.connection, cx);
            }
            match &self.connection {
                Some(_) => self.sender.poll_ready(cx).map(|ready| ready.is_ok()),
                None => Poll::Ready(false),
            }
        });
        if free.await {
            // What is remembered of the message is for whoever asked, not for the next one. It is never sent, only dropped.
            let _ = taken.await;
            self.let_go();
        }
    }

    /// Back to the others of its origin, if it can carry another request.
    fn let_go(mut self: Box<Self>) {
        self.driver.rest();
        if self.connection.is_none() || !self.sender.is_ready() {
            return;
        }
        if let Some(origin) = self.origin.upgrade() {
            self.idle_since = None;
            origin.keep(self);
        }
    }

    /// Whether the origin has closed it while nobody used it.
    pub(super) fn is_closed(&mut self) -> bool {
        poll_connection(
            &mut self.connection,
            &mut Context::from_waker(Waker::noop()),
        );
        self.connection.is_none()
    }
}

/// The library's connection, set up as ours are.
pub(super) fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.title_case_headers(true).max_headers(MAX_FIELDS);
    builder
}

fn poll_connection(
    connection: &mut Option<Connection<TokioIo<Stream>, Body>>,
    cx: &mut Context<'_>,
) {
    if let Some(running) = connection
        && let Poll::Ready(ended) = Pin::new(running).poll(cx)
    {
        if let Err(error) = ended {
            debug!(%error, "a connection to an origin ended early");
        }
        // What it was to send and did not comes back with this.
        *connection = None;
    }
}

/// What became of a request whose sending failed.
pub(super) fn failed(mut error: TrySendError<Request<Body>>, waiting: &Waiting<'_>) -> Failed {
    match error.take_message() {
        Some(request) => Failed::Unsent(Box::new(request)),
        None => Failed::Sent(waiting.fault(&error.into_error())),
    }
}

/// The body of a response, as it arrives.
pub(crate) struct Answered {
    incoming: Incoming,
    /// How the names of its head were written.
    spelling: Spelling,
    /// Of which kinds the fields of its head are.
    kinds: Kinds,
    /// The connection, where nobody else drives it.
    line: Option<Box<Line>>,
}

impl Answered {
    pub(super) fn new(incoming: Incoming, spelling: Spelling) -> Self {
        Self {
            incoming,
            spelling,
            kinds: Kinds::default(),
            line: None,
        }
    }

    /// How the names of its head were written.
    pub(crate) fn spelling(&mut self) -> Spelling {
        std::mem::take(&mut self.spelling)
    }

    /// Of which kinds the fields of its head are.
    pub(crate) fn kinds(&self) -> Kinds {
        self.kinds
    }

    pub(super) fn is_of(&mut self, kinds: Kinds) {
        self.kinds = kinds;
    }

    fn let_go(&mut self) {
        if let Some(line) = self.line.take() {
            line.let_go();
        }
    }
}

impl HttpBody for Answered {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { incoming, line, .. } = &mut *self;
        let mut incoming = Pin::new(incoming);
        let Some(line) = line else {
            return incoming.poll_frame(cx);
        };
        let (driver, connection) = (&mut line.driver, &mut line.connection);
        let frame = ready!(driver.drive(cx, |cx| {
            // First, because the connection reads only what is asked for.
            let frame = incoming.as_mut().poll_frame(cx);
            if frame.is_pending() {
                poll_connection(connection, cx);
            }
            frame
        }));
        if !matches!(frame, Some(Ok(_))) || self.incoming.is_end_stream() {
            self.let_go();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answered")
            .field("incoming", &self.incoming)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
