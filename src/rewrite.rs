//! The way of a page: eligible? → decode → charset → parse as it arrives → chain → encode → repair.
//!
//! It never returns an error. Whatever goes wrong, the client gets the original bytes: those that were
//! kept, and then the rest of the stream as it comes. The reason is in the `Gleaner` field and in the
//! log.

mod buffer;
pub(crate) mod charset;
pub(crate) mod coding;
mod domains;
mod eligibility;
mod first_bytes;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod join;
mod memory_budget;
mod page_job;
mod request_info;
mod workers;

use std::{
    fmt::{self, Write as _},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use gleaner_filters::{Chain, Filtered};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header, response::Parts};
use http_body_util::BodyExt;
use tokio::{sync::Semaphore, time::timeout};
use tracing::debug;
use url::Url;

use self::{
    buffer::Kept,
    coding::Coding,
    domains::Domains,
    eligibility::PassReason,
    memory_budget::{MemoryBudget, Reservation},
    page_job::{Job, Purpose},
    workers::Worker,
};
pub(crate) use self::{join::Fetch, request_info::RequestInfo, workers::Workers};
use crate::{
    body::{Body, IncomingBody},
    bypass_link,
    config::{Config, ConfigError, Rewrite},
    headers::{accept, members, repair, validators::Tagger, without},
};

/// What was done to a page, or why nothing was.
const GLEANER: HeaderName = HeaderName::from_static("gleaner");

/// Everything that one configuration rewrites pages with.
pub(crate) struct Rewriter {
    chain: Arc<Chain>,
    settings: Rewrite,
    max_wait: Duration,
    pages_at_once: Semaphore,
    memory: MemoryBudget,
    workers: Workers,
    domains: Domains,
    pub(crate) tagger: Tagger,
}

/// A page as it leaves the worker.
struct Finished {
    filtered: Filtered,
    /// Its content as it is sent; `None` while other pages may be put behind it.
    coded: Option<Coded>,
}

/// The content of a page as it is sent.
struct Coded {
    body: Bytes,
    coding: Option<Coding>,
}

/// Decodes a whole page that did not come over HTTP: the encoding is found as browsers do, from its byte order mark, its
/// own declaration, or by a guess.
#[must_use]
pub fn decode_html(bytes: &[u8]) -> String {
    let encoding = charset::sniff(bytes, None).unwrap_or_else(|| charset::detect(bytes, None));
    encoding.decode(bytes).0.into_owned()
}

impl Rewriter {
    pub(crate) fn new(config: &Config, workers: Workers) -> Result<Self, ConfigError> {
        Ok(Self {
            chain: Arc::new(config.chain()?),
            settings: config.rewrite.clone(),
            max_wait: Duration::from_secs(config.limits.page_wait_seconds),
            pages_at_once: Semaphore::new(config.limits.pages_at_once),
            memory: MemoryBudget::new(config.limits.pages_memory_bytes),
            workers,
            domains: Domains::new(config.rewrite.remember_hosts),
            tagger: Tagger::new(config.fingerprint),
        })
    }

    /// Prepares a request whose response may be rewritten: only codings that can be undone.
    pub(crate) fn prepare(&self, asked: &RequestInfo<'_>, headers: &mut HeaderMap) {
        if asked.wants_original {
            // The client's copy is the rewritten page.
            *headers = without(headers, |name| *name == header::IF_NONE_MATCH || *name == header::IF_MODIFIED_SINCE);
        } else if self.is_wanted(asked) {
            accept::narrow_codings(headers);
        }
    }

    /// Whether more may have to be asked of the origin for the response: the whole where a part was asked for, or the next pages.
    pub(crate) fn may_ask_again(&self, asked: &RequestInfo<'_>) -> bool {
        asked.method == Method::GET && self.is_wanted(asked) && (asked.has_range || self.joins(asked))
    }

    fn is_wanted(&self, asked: &RequestInfo<'_>) -> bool {
        self.settings.enabled && !asked.wants_original && !asked.is_for(&self.settings.except) && asked.is_for_reader()
    }

    /// Rewrites a response, or gives it back as it came; `more` asks the origin again where that may be needed. The words are for
    /// the log.
    pub(crate) async fn rewrite(
        &self,
        asked: &RequestInfo<'_>,
        response: Response<IncomingBody>,
        mut more: Option<impl Fetch>,
    ) -> (Response<Body>, String) {
        let (mut head, mut body) = response.into_parts();
        let mut verdict = eligibility::judge(asked, &head, &self.settings);
        if verdict == Err(PassReason::Part)
            && let Some(more) = &mut more
            && let Some(whole) = more.fetch(asked.path(), None).await
        {
            // Parts of the original must not be joined to parts of a rewritten page: a server may ignore `Range` (RFC 9110
            // § 14.2).
            (head, body) = whole.into_parts();
            verdict = eligibility::judge(asked, &head, &self.settings);
        }
        match verdict {
            // Boxed: most responses are no pages and need no future of this size.
            Ok(codings) => Box::pin(self.page(asked, head, body, codings, more)).await,
            Err(reason) => pass(head, body.into(), reason),
        }
    }

    async fn page(
        &self,
        asked: &RequestInfo<'_>,
        mut head: Parts,
        mut body: IncomingBody,
        codings: Vec<Coding>,
        more: Option<impl Fetch>,
    ) -> (Response<Body>, String) {
        let Some(url) = asked.url() else {
            return (Response::from_parts(head, body.into()), String::new());
        };
        if asked.method == Method::HEAD {
            return self.head_alone(head, body.into());
        }
        let Ok(_place) = self.pages_at_once.try_acquire() else {
            return pass(head, body.into(), PassReason::Busy);
        };
        let length = content_length(&head.headers);
        let reservation = match self.memory.reserve(length, !codings.is_empty()).await {
            Ok(reservation) => reservation,
            Err(reason) => return pass(head, body.into(), reason),
        };
        let more = more.filter(|_| self.joins(asked));
        let purpose = Purpose::Page {
            // The response to a form cannot be had by a link.
            original: (asked.method == Method::GET).then(|| bypass_link::to(&url)),
            in_frame: asked.is_framed(),
            coding: asked.coding,
            may_continue: more.is_some(),
        };
        let job = self.job(asked, &url, &head, codings, reservation, purpose);
        let mut kept = Kept::new(self.settings.max_html_bytes);
        let arrival = arrive(&mut body, &mut kept, self.workers.start(job));
        let finished = timeout(self.max_wait, arrival).await.unwrap_or(Err(PassReason::Slow));
        let (mut filtered, coded) = match finished {
            Ok(Finished { filtered, coded }) => (filtered, coded),
            Err(reason) => return pass(head, kept.into_body(body), reason),
        };
        self.domains.learn(&url, filtered.survey.as_ref());
        if let Some(coded) = coded {
            return self.finish(head, &filtered, coded, 1);
        }
        let mut pages = 1;
        if let Some(more) = more {
            let fields = &mut head.headers;
            pages = self.join(asked, fields, &mut filtered, more).await;
        }
        let content = std::mem::take(&mut filtered.content);
        match self.workers.encode(content, asked.coding).await {
            Ok(coded) => self.finish(head, &filtered, coded, pages),
            Err(reason) => pass(head, kept.into_body(body), reason),
        }
    }

    /// What a worker must know of a page.
    fn job(
        &self,
        asked: &RequestInfo<'_>,
        url: &Url,
        head: &Parts,
        codings: Vec<Coding>,
        reservation: Reservation,
        purpose: Purpose,
    ) -> Job {
        Job {
            chain: Arc::clone(&self.chain),
            domain: self.domains.of(url),
            url: url.clone(),
            codings,
            reservation,
            declared: charset::declared(&head.headers),
            must_look_like_document: asked.destination.is_none(),
            max_bytes: self.settings.max_html_bytes,
            purpose,
        }
    }

    /// The response to a HEAD whose GET would be rewritten, as far as its head tells.
    fn head_alone(&self, mut head: Parts, body: Body) -> (Response<Body>, String) {
        let (format, csp) = (self.chain.format(), self.chain.csp_change());
        if self.settings.join_pages > 1 {
            join::drop_validators(&mut head.headers);
        }
        head.headers = repair::without_bytes(&head.headers, format, &csp, &self.tagger);
        noted(head, body, "eligible".to_owned())
    }

    fn finish(
        &self,
        mut head: Parts,
        filtered: &Filtered,
        Coded { body, coding }: Coded,
        pages: u32,
    ) -> (Response<Body>, String) {
        head.headers = repair::after_rewriting(&head.headers, filtered, coding, body.len(), &self.tagger);
        let mut action = format!("rewritten; {}", filtered.report);
        if pages > 1 {
            // Writing to a `String` cannot fail.
            let _ = write!(action, "; pages={pages}");
        }
        noted(head, Body::from(body), action)
    }
}

/// Reads the page, keeping every byte, while the worker parses it.
async fn arrive(body: &mut IncomingBody, kept: &mut Kept, mut worker: Worker) -> Result<Finished, PassReason> {
    while let Some(frame) = body.frame().await {
        if let Some(data) = kept.take(frame)? {
            worker.send(data).await?;
        }
    }
    if let Some(data) = kept.ended() {
        worker.send(data).await?;
    }
    worker.finish().await
}

/// The original, with the reason where a person might wonder.
fn pass(mut head: Parts, body: Body, reason: PassReason) -> (Response<Body>, String) {
    if reason == PassReason::NotHtml {
        return (Response::from_parts(head, body), String::new());
    }
    debug!(%reason, "page passed untouched");
    if reason.is_of_request() {
        repair::vary(&mut head.headers, &repair::DECIDED_BY);
    }
    if reason == PassReason::AskedFor {
        // The same address is another page next time.
        let no_store = HeaderValue::from_static("no-store");
        head.headers.insert(header::CACHE_CONTROL, no_store);
    }
    noted(head, body, format!("passed; reason={reason}"))
}

/// The length that a head tells, in bytes.
fn content_length(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// A response that says what was done.
fn noted(mut head: Parts, body: Body, action: String) -> (Response<Body>, String) {
    if let Ok(value) = HeaderValue::from_str(&action) {
        head.headers.insert(GLEANER, value);
    }
    (Response::from_parts(head, body), action)
}

/// Whether a message carries `no-transform` (RFC 9111 § 5.2.1.6 and § 5.2.2.6).
fn no_transform(headers: &HeaderMap) -> bool {
    members(headers, &header::CACHE_CONTROL).any(|member| member.eq_ignore_ascii_case("no-transform"))
}

impl fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewriter").field("settings", &self.settings).finish_non_exhaustive()
    }
}
