//! What happens between a request and the head of its response.

use std::{
    future::poll_fn,
    sync::{Arc, OnceLock, atomic::Ordering::Relaxed},
    task::{Context, Poll, ready},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body::Body as _;
use tokio::time::Instant;

use super::{Fault, framing};
use crate::{
    body::{Body, ByteCount, Failure},
    clock::Clock,
    spelling::Spelling,
};

/// One request that waits for its response.
pub(super) struct Waiting<'a> {
    /// How much of its body was sent, and why it broke off; none where there is no body.
    sent: Option<ByteCount>,
    failure: Option<Arc<OnceLock<Failure>>>,
    informed: &'a mut (dyn FnMut(StatusCode, &HeaderMap) + Send),
    count: usize,
    patience: Duration,
    pub(super) clock: Clock,
    /// How the names of the request are written.
    pub(super) spelling: Spelling,
    /// The host, where its fields do not say it (HTTP/2 says it elsewhere). It is written before all of them, as browsers do.
    pub(super) host: Option<HeaderValue>,
    /// The runtime was told of this request just now, and so of all that arrived before it.
    pub(super) just_told: bool,
    /// When the wait for a response began, if that is not when it is waited for.
    pub(super) since: Option<Instant>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(
        request: &mut Request<Body>,
        informed: &'a mut (dyn FnMut(StatusCode, &HeaderMap) + Send),
        patience: Duration,
    ) -> Self {
        let has_body = !request.body().is_end_stream();
        Self {
            sent: request.body().count(),
            failure: has_body.then(|| request.body_mut().failure()),
            informed,
            count: 0,
            patience,
            clock: Clock::default(),
            spelling: Spelling::of_message(request.extensions_mut()),
            host: None,
            just_told: false,
            since: None,
        }
    }

    /// Waits for the head, as long as the request's body moves, and passes interim responses on.
    pub(super) async fn first_byte<T>(
        &mut self,
        mut poll_interim: impl FnMut(&mut Context<'_>) -> Poll<(StatusCode, HeaderMap)>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Result<T, Fault> {
        let mut before = self.sent();
        match self.since.take() {
            Some(since) => self.clock.set_since(since, self.patience),
            None => self.clock.set(self.patience),
        }
        poll_fn(|cx| {
            let response = poll(cx);
            // What was told is older than the response.
            while let Poll::Ready((status, headers)) = poll_interim(cx) {
                self.inform(status, &headers)?;
            }
            if let Poll::Ready(response) = response {
                return Poll::Ready(Ok(response));
            }
            loop {
                ready!(self.clock.poll(cx));
                let now = self.sent();
                if now == before {
                    return Poll::Ready(Err(Fault::FirstByteTimeout));
                }
                before = now;
                self.clock.set(self.patience);
            }
        })
        .await
    }

    fn sent(&self) -> u64 {
        self.sent.as_ref().map_or(0, |sent| sent.load(Relaxed))
    }

    fn inform(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), Fault> {
        self.count += 1;
        if self.count > framing::MAX_INTERIM {
            let problem = "it sends interim responses without end".to_owned();
            return Err(Fault::BadResponse(problem));
        }
        (self.informed)(status, headers);
        // Whoever sends them is at work.
        self.clock.set(self.patience);
        Ok(())
    }

    /// What went wrong. What broke the request explains what followed from it.
    pub(super) fn fault(&self, error: &hyper::Error) -> Fault {
        match self.failure.as_ref().and_then(|failure| failure.get()) {
            Some(failure) => (*failure).into(),
            None => Fault::of(error),
        }
    }
}
