//! What happens between a request and the head of its response: interim responses, and the timeout.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderMap, Request, StatusCode};
use http_body::Body as _;
use tokio::time::{Instant, timeout};

use super::{UpstreamError, network::OwnAddress};
use crate::{
    config::Timeouts,
    http::body::{Body, ByteCount, EndState, Fault},
};

/// Most interim responses to one request between two checks. A few are real (100, 103), and some servers send 102 as a sign
/// of life; an endless row of them would hold the client for as long as the server likes.
const MAX_INTERIM: usize = 16;

/// How often progress is looked at within the timeout, but at least every second.
const CHECKS: u32 = 16;

/// Time of an upload beyond the bound for silence within it: where it is the client that is silent, which the same bound
/// ends, that is what is told.
const CLIENT_FIRST: Duration = Duration::from_secs(1);

/// Receives interim responses (RFC 9110 § 15.2).
pub(crate) type OnInformational = Arc<dyn Fn(StatusCode, &HeaderMap) + Send + Sync>;

/// One request that waits for its response.
pub(super) struct ResponseWait {
    /// From the last byte of the request to the first of the response.
    timeout: Duration,
    /// While the request's body is being sent: the server may read slowly, but not without end.
    upload_timeout: Duration,
    /// How much of the request's body was sent, and how it ended; none where there is no body.
    sent: Option<ByteCount>,
    end_state: Option<Arc<EndState>>,
    informational: Arc<AtomicUsize>,
}

impl ResponseWait {
    pub(super) fn new(request: &mut Request<Body>, on_informational: OnInformational, timeouts: &Timeouts) -> Self {
        let has_body = !request.body().is_end_stream();
        let wait = Self {
            timeout: timeouts.first_byte,
            upload_timeout: timeouts.request_body + CLIENT_FIRST,
            sent: request.body().count.clone(),
            end_state: has_body.then(|| request.body_mut().watch_end()),
            informational: Arc::default(),
        };
        let count = Arc::clone(&wait.informational);
        hyper::ext::on_informational(request, move |response| {
            if count.fetch_add(1, Relaxed) < MAX_INTERIM {
                on_informational(response.status(), response.headers());
            }
        });
        wait
    }

    /// Waits for the head. The time begins anew when the request's body moves or an interim response comes.
    /// An answer to an address that this machine has no more cannot come: the connection is as good as closed.
    pub(super) async fn first_byte<T>(
        &self,
        mut head: Pin<&mut impl Future<Output = T>>,
        address: OwnAddress<'_>,
    ) -> Result<T, UpstreamError> {
        let (mut before, mut since) = (self.progress(), Instant::now());
        let interval = (self.timeout / CHECKS).min(Duration::from_secs(1));
        loop {
            let done = timeout(interval, head.as_mut()).await;
            let now = self.progress();
            if now.1 > MAX_INTERIM {
                let problem = "it sends interim responses without end".to_owned();
                return Err(UpstreamError::BadResponse(problem));
            }
            if let Ok(head) = done {
                return Ok(head);
            }
            if address.is_gone() {
                return Err(UpstreamError::Closed);
            }
            self.informational.store(0, Relaxed);
            if now.1 == 0 && now == before {
                let timeout = if now.2 { self.timeout } else { self.upload_timeout };
                if since.elapsed() >= timeout {
                    return Err(UpstreamError::FirstByteTimeout);
                }
            } else {
                (before, since) = (now, Instant::now());
            }
        }
    }

    /// Whether all of the request was sent.
    pub(super) fn request_ended(&self) -> bool {
        self.end_state.as_ref().is_none_or(|state| state.ended.load(Relaxed))
    }

    /// Bytes sent, interim responses, and whether the request has ended.
    fn progress(&self) -> (u64, usize, bool) {
        let sent = self.sent.as_ref().map_or(0, |sent| sent.load(Relaxed));
        (sent, self.informational.load(Relaxed), self.request_ended())
    }

    /// The error of the exchange. The fault that broke the request explains what followed from it.
    pub(super) fn error(&self, error: &hyper::Error) -> UpstreamError {
        match self.end_state.as_ref().and_then(|state| state.fault.get()) {
            Some(Fault::CutOff) => UpstreamError::ClientLeft,
            Some(Fault::Stalled) => UpstreamError::ClientStalled,
            Some(Fault::Malformed) => UpstreamError::ClientBody,
            None => UpstreamError::from_error(error),
        }
    }
}
