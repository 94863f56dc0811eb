//! What happens between a request and the head of its response: interim responses, and the timeout.

use std::{
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderMap, Request, StatusCode};
use http_body::Body as _;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::UpstreamError;
use crate::body::{Body, ByteCount, Failure};

/// Most interim responses to one request. A few are real (100, 103); an endless row of them would hold the client for
/// as long as the server likes.
const MAX_INTERIM: usize = 16;

/// How often progress is looked at within the timeout.
const CHECKS: u32 = 16;

/// Receives interim responses (RFC 9110 § 15.2).
pub(crate) type OnInformational = Arc<dyn Fn(StatusCode, &HeaderMap) + Send + Sync>;

/// One request that waits for its response.
pub(super) struct ResponseWait {
    timeout: Duration,
    /// How much of the request's body was sent, and why it broke off; none where there is no body.
    sent: Option<ByteCount>,
    failure: Option<Arc<OnceLock<Failure>>>,
    informational: Arc<AtomicUsize>,
    too_many: CancellationToken,
}

impl ResponseWait {
    pub(super) fn new(
        request: &mut Request<Body>,
        on_informational: OnInformational,
        timeout: Duration,
    ) -> Self {
        let has_body = !request.body().is_end_stream();
        let wait = Self {
            timeout,
            sent: request.body().count(),
            failure: has_body.then(|| request.body_mut().failure()),
            informational: Arc::default(),
            too_many: CancellationToken::new(),
        };
        let (count, too_many) = (Arc::clone(&wait.informational), wait.too_many.clone());
        hyper::ext::on_informational(request, move |response| {
            if count.fetch_add(1, Relaxed) < MAX_INTERIM {
                on_informational(response.status(), response.headers());
            } else {
                too_many.cancel();
            }
        });
        wait
    }

    /// Waits for the head, as long as the request's body moves or interim responses come.
    pub(super) async fn first_byte<T>(
        &self,
        response: impl Future<Output = T>,
    ) -> Result<T, UpstreamError> {
        let mut response = pin!(self.too_many.run_until_cancelled(response));
        let (mut before, mut since) = (self.progress(), Instant::now());
        loop {
            match timeout(self.timeout / CHECKS, response.as_mut()).await {
                Ok(Some(response)) => return Ok(response),
                Ok(None) => {
                    let problem = "it sends interim responses without end".to_owned();
                    return Err(UpstreamError::BadResponse(problem));
                }
                Err(_) => {}
            }
            let now = self.progress();
            if now != before {
                (before, since) = (now, Instant::now());
            } else if since.elapsed() >= self.timeout {
                return Err(UpstreamError::FirstByteTimeout);
            }
        }
    }

    fn progress(&self) -> (u64, usize) {
        let sent = self.sent.as_ref().map_or(0, |sent| sent.load(Relaxed));
        (sent, self.informational.load(Relaxed))
    }

    /// What went wrong. What broke the request explains what followed from it.
    pub(super) fn error(&self, error: &hyper::Error) -> UpstreamError {
        match self.failure.as_ref().and_then(|failure| failure.get()) {
            Some(failure) => (*failure).into(),
            None => UpstreamError::of(error),
        }
    }
}
