//! The road of a page: eligible? → decode → charset → parse as it arrives → chain → encode → repair.
//!
//! It never returns an error. Whatever goes wrong, the client gets the original bytes: those that were
//! kept, and then the rest of the stream as it comes. The reason is in the `Gleaner` field and in the
//! log.

mod buffer;
pub(crate) mod charset;
pub(crate) mod coding;
mod domains;
mod eligibility;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod join;
mod memory_budget;
mod workers;

use std::{
    fmt::{self, Write as _},
    iter,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use gleaner_filters::{Chain, Filtered};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, header, response::Parts,
    uri::PathAndQuery,
};
use http_body_util::BodyExt;
use tokio::{sync::Semaphore, time::timeout};
use tracing::debug;
use url::Url;

use self::{
    buffer::Kept,
    coding::Coding,
    domains::Domains,
    eligibility::{PassReason, Verdict},
    memory_budget::{MemoryBudget, Reservation},
    workers::{Job, Use, Worker},
};
pub(crate) use self::{join::Fetch, workers::Workers};
use crate::{
    authority::Target,
    body::{Body, IncomingBody},
    bypass_link::BypassLinks,
    config::{Config, ConfigError, HostPatterns, Rewrite},
    headers::{Media, accept::Accepts, members_of, repair, validators::Tagger},
};

/// What was done to a page, or why nothing was.
const GLEANER: HeaderName = HeaderName::from_static("gleaner");

/// What a fetch is for (Fetch Metadata § 2.1).
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// What scripts say of their own fetches.
const X_REQUESTED_WITH: HeaderName = HeaderName::from_static("x-requested-with");

/// Everything that one configuration rewrites pages with.
pub(crate) struct Rewriter {
    chain: Arc<Chain>,
    settings: Rewrite,
    patience: Duration,
    places: Semaphore,
    room: Arc<MemoryBudget>,
    workers: Workers,
    untouched: Arc<BypassLinks>,
    domains: Domains,
    pub(crate) tagger: Tagger,
}

/// What must be known of a request when its response comes.
#[derive(Debug)]
pub(crate) struct RequestInfo<'a> {
    target: &'a Target,
    path: Option<PathAndQuery>,
    method: Method,
    destination: Option<String>,
    by_script: bool,
    /// Whether it asks for the page as it is (RFC 9111 § 5.2.1.6).
    no_transform: bool,
    /// Whether the reader followed our link to the page as it was.
    untouched: bool,
    /// Whether it has conditions that may be on a page of ours.
    pub(crate) is_conditional: bool,
    /// What the client said of codings; it is read only where it is needed.
    accepts: Accepts,
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

impl<'a> RequestInfo<'a> {
    pub(crate) fn of<B>(request: &http::Request<B>, target: &'a Target, untouched: bool) -> Self {
        let mut asked = Self {
            target,
            path: request.uri().path_and_query().cloned(),
            method: request.method().clone(),
            destination: None,
            by_script: false,
            no_transform: false,
            untouched,
            is_conditional: false,
            accepts: Accepts::default(),
        };
        // All of them are on one way, which costs less than to look for each.
        for (name, value) in request.headers() {
            if *name == header::ACCEPT_ENCODING {
                asked.accepts.push(value.clone());
            } else if [header::IF_NONE_MATCH, header::IF_RANGE].contains(name) {
                asked.is_conditional = true;
            } else if *name == header::CACHE_CONTROL {
                asked.no_transform |= forbids_transforming(iter::once(value));
            } else if *name == SEC_FETCH_DEST && asked.destination.is_none() {
                asked.destination = value.to_str().ok().map(str::to_ascii_lowercase);
            } else if *name == X_REQUESTED_WITH {
                asked.by_script = true;
            }
        }
        asked
    }

    /// Made only where it is needed: most requests are not for pages. `None` where the address is no URL; such a page is
    /// not rewritten.
    fn url(&self) -> Option<Url> {
        let path = self.path.as_ref().map_or("/", |path| path.as_str());
        let (scheme, authority) = (self.target.scheme.as_str(), self.target.authority());
        Url::parse(&format!("{scheme}://{authority}{path}")).ok()
    }

    /// Whether its host is one of these.
    fn is_for(&self, hosts: &HostPatterns) -> bool {
        !hosts.is_empty() && hosts.matches(&self.target.host.plain())
    }

    /// Whether the document is a part of another page (Fetch Metadata § 2.1).
    fn is_framed(&self) -> bool {
        matches!(self.destination.as_deref(), Some("iframe" | "frame"))
    }

    /// Whether it is for a page by itself, and may be asked once more.
    fn is_get_of_document(&self) -> bool {
        self.method == Method::GET && self.may_be_document() && !self.is_framed() && !self.untouched
    }

    /// The same for another page of the same place.
    fn of_path(&self, path: PathAndQuery) -> Self {
        Self {
            target: self.target,
            path: Some(path),
            method: self.method.clone(),
            destination: self.destination.clone(),
            by_script: self.by_script,
            no_transform: self.no_transform,
            untouched: false,
            is_conditional: false,
            accepts: Accepts::default(),
        }
    }

    /// Whether a document may come back, as far as the request tells.
    fn may_be_document(&self) -> bool {
        self.destination
            .as_deref()
            .is_none_or(eligibility::shows_documents)
    }
}

/// Decodes a whole page that did not come over HTTP: the encoding is found as browsers do, from its byte order mark, its
/// own declaration, or by a guess.
#[must_use]
pub fn decode_html(bytes: &[u8]) -> String {
    let encoding = charset::sniff(bytes, None).unwrap_or_else(|| charset::detect(bytes, None));
    encoding.decode(bytes).0.into_owned()
}

impl Rewriter {
    pub(crate) fn new(
        config: &Config,
        workers: Workers,
        untouched: Arc<BypassLinks>,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            chain: Arc::new(config.chain()?),
            settings: config.rewrite.clone(),
            patience: Duration::from_secs(config.limits.page_wait_seconds),
            places: Semaphore::new(config.limits.pages_at_once),
            room: MemoryBudget::new(config.limits.pages_memory_bytes),
            workers,
            untouched,
            domains: Domains::new(config.rewrite.remember_hosts),
            tagger: Tagger::new(config.fingerprint),
        })
    }

    /// Prepares a request whose response may be rewritten: only codings we can undo.
    pub(crate) fn prepare(&self, asked: &RequestInfo<'_>, headers: &mut HeaderMap) {
        let wanted = self.settings.enabled && !asked.is_for(&self.settings.except);
        if wanted && asked.may_be_document() {
            asked.accepts.narrow(headers);
        }
    }

    /// Rewrites a response, or gives it back as it came; `more` has the pages after it, where they are to stand behind it. The
    /// words are for the log.
    pub(crate) async fn rewrite(
        &self,
        asked: &RequestInfo<'_>,
        response: Response<IncomingBody>,
        media: Media,
        more: Option<impl Fetch>,
    ) -> (Response<Body>, String) {
        let (head, body) = response.into_parts();
        match eligibility::judge(asked, &head, media, &self.settings) {
            // In a box: most responses are no pages, and need no room for one.
            Verdict::Rewrite(codings) => {
                Box::pin(self.page(asked, head, body, codings, more)).await
            }
            Verdict::PassReason(skip) => pass(head, body.into(), skip),
        }
    }

    async fn page(
        &self,
        asked: &RequestInfo<'_>,
        head: Parts,
        mut body: IncomingBody,
        codings: Vec<Coding>,
        more: Option<impl Fetch>,
    ) -> (Response<Body>, String) {
        let Some(url) = asked.url() else {
            return (Response::from_parts(head, body.into()), String::new());
        };
        if asked.method == Method::HEAD {
            return self.unseen(head, body.into());
        }
        let Ok(_place) = self.places.try_acquire() else {
            return pass(head, body.into(), PassReason::Busy);
        };
        let length = content_length(&head.headers);
        let share = match self.room.enter(length, !codings.is_empty()).await {
            Ok(share) => share,
            Err(skip) => return pass(head, body.into(), skip),
        };
        let mut kept = Kept::new(self.settings.max_html_bytes);
        let accepted = asked.accepts.choose();
        let purpose = Use::Page {
            // What a form was answered with cannot be had by a link.
            untouched: (asked.method == Method::GET).then(|| self.untouched.link(&url)),
            in_frame: asked.is_framed(),
            accepted,
            may_continue: more.is_some(),
        };
        let worker = self
            .workers
            .start(self.job(asked, &url, &head, codings, share, purpose));
        let arrival = arrive(&mut body, &mut kept, worker);
        match timeout(self.patience, arrival)
            .await
            .unwrap_or(Err(PassReason::Slow))
        {
            Ok(Finished { filtered, coded }) => {
                self.domains.learn(&url, filtered.survey.as_ref());
                if let Some(coded) = coded {
                    return self.finish(head, &filtered, coded, 1);
                }
                let (mut head, mut filtered, mut pages) = (head, filtered, 1);
                if let Some(more) = more {
                    pages = self
                        .join(asked, &mut head.headers, &mut filtered, more)
                        .await;
                }
                let content = std::mem::take(&mut filtered.content);
                match self.workers.encode(content, accepted).await {
                    Ok(coded) => self.finish(head, &filtered, coded, pages),
                    Err(skip) => pass(head, kept.into_body(body), skip),
                }
            }
            Err(skip) => pass(head, kept.into_body(body), skip),
        }
    }

    /// What a worker must know of a page.
    fn job(
        &self,
        asked: &RequestInfo<'_>,
        url: &Url,
        head: &Parts,
        codings: Vec<Coding>,
        share: Reservation,
        purpose: Use,
    ) -> Job {
        Job {
            chain: Arc::clone(&self.chain),
            domain: self.domains.of(url),
            url: url.clone(),
            codings,
            share,
            declared: charset::declared(&head.headers),
            must_look_like_document: asked.destination.is_none(),
            max_bytes: self.settings.max_html_bytes,
            purpose,
        }
    }

    /// The head of a page that a GET would have had rewritten, as far as its head tells.
    fn unseen(&self, mut head: Parts, body: Body) -> (Response<Body>, String) {
        let (format, csp) = (self.chain.format(), self.chain.csp_change());
        if self.settings.join_pages > 1 {
            join::drop_validators(&mut head.headers);
        }
        head.headers = repair::without_bytes(&head.headers, format, &csp, &self.tagger);
        let action = "eligible".to_owned();
        note(&mut head.headers, &action);
        (Response::from_parts(head, body), action)
    }

    fn finish(
        &self,
        mut head: Parts,
        filtered: &Filtered,
        Coded { body, coding }: Coded,
        pages: u32,
    ) -> (Response<Body>, String) {
        head.headers =
            repair::after_rewriting(&head.headers, filtered, coding, body.len(), &self.tagger);
        let mut action = format!("rewritten; {}", filtered.report);
        if pages > 1 {
            // Writing to a `String` cannot fail.
            let _ = write!(action, "; pages={pages}");
        }
        note(&mut head.headers, &action);
        (Response::from_parts(head, Body::from(body)), action)
    }
}

/// Takes the page in, keeping every byte, while the worker parses it.
async fn arrive(
    body: &mut IncomingBody,
    kept: &mut Kept,
    mut worker: Worker,
) -> Result<Finished, PassReason> {
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
fn pass(mut head: Parts, body: Body, skip: PassReason) -> (Response<Body>, String) {
    if skip == PassReason::NotHtml {
        return (Response::from_parts(head, body), String::new());
    }
    debug!(reason = %skip, "page passed untouched");
    if skip == PassReason::Destination {
        // The same address opened as a document is another representation.
        repair::vary(&mut head.headers, &["Sec-Fetch-Dest"]);
    }
    let action = format!("passed; reason={skip}");
    note(&mut head.headers, &action);
    (Response::from_parts(head, body), action)
}

/// The length that a head tells, in bytes.
fn content_length(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn note(headers: &mut HeaderMap, action: &str) {
    if let Ok(value) = HeaderValue::from_str(action) {
        headers.insert(GLEANER, value);
    }
}

/// Whether a message carries `no-transform` (RFC 9111 § 5.2.1.6 and § 5.2.2.6).
fn no_transform(headers: &HeaderMap) -> bool {
    forbids_transforming(headers.get_all(header::CACHE_CONTROL))
}

fn forbids_transforming<'a>(values: impl IntoIterator<Item = &'a HeaderValue>) -> bool {
    members_of(values).any(|member| member.eq_ignore_ascii_case("no-transform"))
}

impl fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewriter")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
