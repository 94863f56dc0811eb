//! Rewrites pages: eligible? → decode → charset → parse as it arrives → filters → compress → correct the header.
//!
//! It never returns an error. On any failure the client gets the original: the bytes that were kept, then the rest of the
//! stream. The reason is in the `Gleaner` field and in the log.
//!
//! `pictures` makes pictures smaller. `eligibility` and `first_bytes` choose the pages. `workers` has the threads, `page_job` the work on one page, `shares` and
//! `memory_budget` what each client may take of both. `coding` and `charset` decode. `original` keeps the bytes as they came, `join` gets
//! the next pages of an article, `views` makes the links of the bar, `epub` writes books, `feeds` puts texts into feeds, `mcp` has the messages of agents and `outline` the tree that they are shown. `presentation`, `clear_addresses` and `output_charset` adapt the
//! output; `hiding_style` hides what lists hide on pages that pass; `unmodified` and `domains` remember earlier documents.

pub(crate) mod charset;
mod clear_addresses;
pub(crate) mod coding;
mod domains;
mod eligibility;
pub(crate) mod epub;
pub(crate) mod feeds;
mod first_bytes;
mod form_encoding;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod hiding_style;
mod join;
pub(crate) mod mcp;
mod memory_budget;
mod original;
pub(crate) mod outline;
mod output_charset;
mod page_job;
mod page_profile;
pub(crate) mod pictures;
mod presentation;
mod request_info;
mod shares;
mod unmodified;
pub(crate) mod views;
mod workers;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
use gleaner_filters::{CspChange, Filtered, Format};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header, response::Parts};
use http_body::Frame;
use http_body_util::BodyExt;
use tokio::time::timeout;
use tracing::debug;
use url::Url;

pub(crate) use self::{
    clear_addresses::ClearClient,
    form_encoding::{in_utf_8, recode_body, recode_query},
    join::Fetch,
    page_profile::{PageProfile, chain},
    pictures::{PictureProfile, PictureRequest, SAVE_DATA},
    presentation::{BeyondEnd, Excerpt, Presentation, SentForm, parse_chars},
    request_info::{RequestInfo, prefers_markdown},
    workers::Workers,
};
use self::{
    domains::Domains,
    hiding_style::PageSource,
    memory_budget::{MemoryBudget, Reservation},
    original::Original,
    page_job::{Job, Purpose},
    pictures::PictureScaler,
    shares::{IN_WORK, Shares},
    unmodified::UnmodifiedDocuments,
    workers::Worker,
};
use crate::{
    blocking::Blocker,
    config::{Config, ConfigError, Rewrite},
    http::{
        body::{Body, BodyError},
        headers::{Coding, accept, in_clear::policy_in_clear, members, repair, validators},
        history::PageEffect,
        outcome::{Outcome, PassReason, Rewritten},
    },
    net::control_host,
    rewrite::views::PageControls,
};

/// Response field with the outcome of a page, or the reason why it passed.
const GLEANER: HeaderName = HeaderName::from_static("gleaner");

/// How long a sender that may stop at some byte is waited for there.
const STOPPED: Duration = Duration::from_millis(100);

pub(crate) struct Rewriter {
    /// One for each profile, in the order of the configuration.
    profiles: Vec<PageProfile>,
    settings: Rewrite,
    max_wait: Duration,
    max_pause: Duration,
    max_pages_in_progress: Arc<Shares>,
    memory: MemoryBudget,
    workers: Workers,
    domains: Domains,
    unmodified: UnmodifiedDocuments,
    pictures: PictureScaler,
}

/// Pages and memory in use, and their limits.
pub(crate) struct Load {
    pub(crate) in_work: usize,
    pub(crate) most: usize,
    pub(crate) workers: usize,
    pub(crate) memory: u64,
    pub(crate) most_memory: u64,
}

/// The body of a page as it is sent.
struct Coded {
    body: Bytes,
    coding: Option<Coding>,
}

impl Coded {
    /// The body, which these fields then describe.
    fn with_fields(self, fields: &mut HeaderMap) -> Bytes {
        fields.insert(header::CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        if let Some(coding) = self.coding {
            fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.as_str()));
        }
        self.body
    }
}

/// Decodes a whole page that did not come over HTTP: the encoding is found from its byte order mark, its own
/// declaration, or by a guess.
#[must_use]
pub(crate) fn decode_html(bytes: &[u8]) -> String {
    charset::from_page(bytes, None, None).decode(bytes).0.into_owned()
}

/// Decodes a whole page that came with these fields.
pub(crate) fn decode_fetched(headers: &HeaderMap, bytes: &[u8]) -> String {
    charset::from_page(bytes, charset::declared(headers), None).decode(bytes).0.into_owned()
}

impl Rewriter {
    pub(crate) fn new(config: &Config, blocker: &Arc<Blocker>, workers: Workers) -> Result<Self, ConfigError> {
        let mut settings = config.rewrite.clone();
        settings.except.extend(&config.never_processed);
        Ok(Self {
            profiles: PageProfile::all(config, blocker)?,
            settings,
            max_wait: Duration::from_secs(config.limits.page_arrival_seconds),
            max_pause: Duration::from_secs(config.limits.page_pause_seconds),
            max_pages_in_progress: Shares::new(config.limits.max_pages_in_progress as u64),
            memory: MemoryBudget::new(config.limits.pages_memory_bytes, config.rewrite.max_html_bytes),
            workers,
            domains: Domains::new(config.rewrite.remember_hosts),
            unmodified: UnmodifiedDocuments::new(),
            pictures: PictureScaler::new(&config.limits),
        })
    }

    pub(crate) fn load(&self) -> Load {
        let (memory, most_memory) = self.memory.used();
        let (in_work, most) = self.max_pages_in_progress.used();
        let [in_work, most, workers] =
            [in_work, most, self.workers.count()].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        Load { in_work, most, workers, memory, most_memory }
    }

    /// How the pages of the profile with this index are rewritten.
    pub(crate) fn profile(&self, profile: usize) -> &PageProfile {
        &self.profiles[profile]
    }

    /// Prepares a request whose response may be rewritten: it accepts only codings that can be decoded.
    pub(crate) fn prepare(&self, asked: &RequestInfo<'_>, headers: &mut HeaderMap) {
        if asked.picture.is_some() {
            PictureRequest::prepare(headers);
        }
        if asked.wants_original {
            // The client's stored copy is the rewritten page.
            validators::drop_conditions(headers);
        } else if self.is_wanted(asked) {
            accept::narrow_codings(headers);
            let is_doubtful = asked.is_conditional && asked.is_of_browser() && !validators::has_ours(headers);
            if is_doubtful && !self.unmodified.has_all(asked, &validators::copy_validators(headers)) {
                // The client's stored copy may be the original, of the time before its pages were rewritten.
                validators::drop_conditions(headers);
            }
        }
    }

    /// Whether rewriting may need further requests: for the whole of a page of which a range was requested, or for the next
    /// pages.
    pub(crate) fn may_ask_again(&self, asked: &RequestInfo<'_>) -> bool {
        asked.method == Method::GET && (asked.has_range || self.joins(asked)) && self.is_wanted(asked)
    }

    fn is_wanted(&self, asked: &RequestInfo<'_>) -> bool {
        asked.look.enabled && !asked.wants_original && asked.is_for_reader() && !asked.is_for(&self.settings.except)
    }

    /// Rewrites a response, or returns it as it came, with the outcome. `more` sends further requests.
    pub(crate) async fn rewrite(
        &self,
        asked: &RequestInfo<'_>,
        response: Response<Body>,
        mut more: Option<impl Fetch>,
    ) -> (Response<Body>, Outcome) {
        let (mut head, mut body) = response.into_parts();
        if let Some(picture) = asked.picture.as_ref().filter(|_| pictures::is_picture(&head)) {
            // In a box, as below.
            return Box::pin(self.pictures.respond(asked, picture, head, body)).await;
        }
        let mut verdict = eligibility::judge(asked, &head, &self.settings);
        if verdict == Err(PassReason::PART)
            && let Some(more) = &mut more
            && let Some(whole) = Box::pin(more.fetch(asked.path(), None)).await
        {
            // A client must not join a range of the original to one of a rewritten page; a server may ignore `Range`
            // (RFC 9110 § 14.2).
            (head, body) = whole.map(Body::new).into_parts();
            verdict = eligibility::judge(asked, &head, &self.settings);
        }
        match verdict {
            // In a box, as the one above: the future is large and most responses are no pages.
            Ok(codings) => Box::pin(self.page(asked, head, body, codings, more)).await,
            Err(reason) => self.pass(asked, head, body, reason),
        }
    }

    async fn page(
        &self,
        asked: &RequestInfo<'_>,
        mut head: Parts,
        mut body: Body,
        codings: Vec<Coding>,
        more: Option<impl Fetch>,
    ) -> (Response<Body>, Outcome) {
        let Some(url) = asked.url() else {
            return (Response::from_parts(head, body), Outcome::Unchanged);
        };
        if asked.method == Method::HEAD {
            return self.head_alone(asked, head, body);
        }
        let owner = asked.owner();
        let Some(_place) = self.max_pages_in_progress.take(&owner, 1, u64::MAX, IN_WORK) else {
            return self.pass(asked, head, body, PassReason::BUSY);
        };
        let length = content_length(&head.headers);
        let reservation = match self.memory.reserve(&owner, length, !codings.is_empty()).await {
            Ok(reservation) => reservation,
            Err(reason) => return self.pass(asked, head, body, reason),
        };
        let presentation = &asked.presentation;
        let original = match presentation.addresses {
            Some(_) => Some(url.clone()),
            None => asked.can_be_repeated().then(|| control_host::original_link(&url)),
        };
        let of_proxy = || asked.controls.as_ref().map(|controls| controls.links(&url, asked.can_be_repeated()));
        let purpose = Purpose::Page {
            original,
            links: presentation.links.clone().or_else(of_proxy).map(Box::new),
            in_frame: asked.is_framed(),
            is_exposed: asked.clear_client.as_ref().is_some_and(|client| client.is_secure),
            presentation: Box::new(presentation.clone()),
        };
        let mut original = Original::new(self.settings.max_html_bytes, reservation.clone());
        let job = self.job(asked, &url, &head, codings.clone(), reservation.clone(), purpose);
        let number = |body: &[Bytes]| {
            if let Some(controls) = &asked.controls {
                controls.number(&url, body);
            }
        };
        let received = self.receive(asked, &mut body, &mut original, self.workers.start(job), number);
        let mut filtered = match timeout(self.max_wait, received).await.unwrap_or(Err(PassReason::SLOW)) {
            Ok(filtered) => filtered,
            Err(reason) => {
                let source = PageSource {
                    chain: Arc::clone(&asked.look.chain),
                    url,
                    chunks: original.chunks.clone(),
                    codings,
                    declared: charset::declared(&head.headers),
                    max_bytes: self.settings.max_html_bytes,
                    reservation,
                    coding: asked.coding,
                };
                let is_whole = original.ended.is_some();
                let styled = if is_whole { self.pass_styled(asked, &head, source, reason).await } else { None };
                return styled.unwrap_or_else(|| self.pass(asked, head, original.into_body(body), reason));
            }
        };
        self.domains.learn(&url, filtered.survey.as_ref());
        let text = filtered.extract.take().map(|extract| presentation.text(&extract, &url)).transpose();
        let beyond_end = text.as_ref().err().copied();
        if let Ok(Some(text)) = text {
            filtered.content = text;
        }
        if let Some(controls) = asked.controls.as_ref().filter(|_| asked.can_be_repeated()) {
            controls.keep(&url, &head, &original.chunks);
        }
        let pages = match more {
            Some(more) if self.joins(asked) && presentation.form == SentForm::Page => {
                self.join(asked, &mut head.headers, &mut filtered, more).await
            }
            _ => 1,
        };
        if let Some(client) = asked.clear_client.as_ref().filter(|_| filtered.format == Format::Html) {
            filtered.content = client.page(&filtered.content);
            let policies = filtered.policies.iter().map(|policy| policy_in_clear(policy));
            filtered.policies = policies.filter(|policy| !policy.is_empty()).collect();
        }
        let charset = if filtered.format == Format::Html { asked.charset } else { UTF_8 };
        let content = encoded(&mut filtered, charset, presentation);
        let coded = self.workers.encode(owner, content, asked.coding).await;
        let coded = coded.and_then(|coded| {
            reservation.finish(coded.body.len())?;
            Ok(Coded { body: reservation.attach(coded.body), ..coded })
        });
        match coded {
            Ok(coded) => {
                let added = original.ended.map(|ended| ended.elapsed()).unwrap_or_default();
                self.pictures.note_page(asked, matches!(filtered.csp, CspChange::Replace(_)));
                let effect = PageEffect::new(&filtered.report, original.bytes, coded.body.len(), added);
                let (mut response, outcome) = finish(asked, head, &filtered, coded, pages);
                if presentation.form == SentForm::Chapter {
                    response.extensions_mut().insert(filtered.metadata);
                }
                response.extensions_mut().insert(effect);
                if let Some(beyond_end) = beyond_end {
                    response.extensions_mut().insert(beyond_end);
                }
                (response, outcome)
            }
            Err(reason) => self.pass(asked, head, original.into_body(body), reason),
        }
    }

    /// The original with a style sheet that hides what the lists hide; none where it has to pass as it is.
    async fn pass_styled(
        &self,
        asked: &RequestInfo<'_>,
        head: &Parts,
        source: PageSource,
        reason: PassReason,
    ) -> Option<(Response<Body>, Outcome)> {
        let is_elsewhere = asked.presentation.form != SentForm::Page || asked.presentation.addresses.is_some();
        if !reason.is_about_text() || is_elsewhere || asked.is_view() {
            return None;
        }
        let reservation = source.reservation.clone();
        let styled = self.workers.work(asked.owner(), move || source.with_style()).await.ok()??;
        reservation.finish(styled.coded.body.len()).ok()?;
        self.pictures.note_page(asked, false);
        let mut head = head.clone();
        head.headers = repair::styled(&head.headers, &styled.source, styled.charset, &asked.look.tagger);
        let body = styled.coded.with_fields(&mut head.headers);
        Some(noted(head, Body::from(reservation.attach(body)), Outcome::Styled { reason, rules: styled.rules }))
    }

    /// The original, whose copy may be asked for again by its validators.
    fn pass(&self, asked: &RequestInfo<'_>, head: Parts, body: Body, reason: PassReason) -> (Response<Body>, Outcome) {
        // What a script fetches is no page that pictures could be of: where a browser does not say, a part of one is taken for such.
        let is_page = reason != PassReason::NOT_HTML
            && (reason != PassReason::FRAGMENT || asked.destination.as_deref() == Some("document"));
        if is_page && asked.is_for_reader() {
            self.pictures.note_page(asked, false);
        }
        if head.status == StatusCode::OK && reason.is_lasting() && asked.is_of_browser() && self.is_wanted(asked) {
            self.unmodified.add(asked, &head.headers);
        }
        pass(head, body, reason)
    }

    /// Reads the page, keeps every byte, and passes it to the worker. `received` is called with all
    /// of it before the worker gets the last chunk.
    async fn receive(
        &self,
        asked: &RequestInfo<'_>,
        body: &mut Body,
        original: &mut Original,
        mut worker: Worker,
        received: impl FnOnce(&[Bytes]),
    ) -> Result<Filtered, PassReason> {
        // The last chunk waits for the end of the body, because a worker may see the end of a coding before that.
        let mut held = None;
        while let Some(frame) = self.next_frame(body, original.bytes, asked.may_stop_at).await? {
            if let Some(chunk) = original.push(frame)?
                && let Some(before) = held.replace(chunk)
            {
                worker.send(before).await?;
            }
        }
        let last = original.end();
        received(&original.chunks);
        for chunk in held.into_iter().chain(last) {
            worker.send(chunk).await?;
        }
        worker.finish().await
    }

    /// The next frame, unless a page that has begun pauses for longer than a reader should wait to see something.
    async fn next_frame(
        &self,
        body: &mut Body,
        received: usize,
        may_stop_at: Option<usize>,
    ) -> Result<Option<Result<Frame<Bytes>, BodyError>>, PassReason> {
        if received == 0 {
            return Ok(body.frame().await);
        }
        let (most, reason) = match may_stop_at {
            Some(bytes) if bytes == received => (STOPPED, PassReason::STOPPED),
            _ => (self.max_pause, PassReason::SLOW),
        };
        timeout(most, body.frame()).await.map_err(|_| reason)
    }

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
            chain: Arc::clone(&asked.look.chain),
            owner: asked.owner(),
            look: asked.look.reader,
            domain: self.domains.get(url),
            url: url.clone(),
            codings,
            reservation,
            declared: charset::declared(&head.headers),
            must_look_like_document: asked.destination.is_none(),
            max_bytes: self.settings.max_html_bytes,
            purpose,
        }
    }

    /// The response to a HEAD whose GET would be rewritten, as far as its header shows.
    fn head_alone(&self, asked: &RequestInfo<'_>, mut head: Parts, body: Body) -> (Response<Body>, Outcome) {
        let (look, media_type) = (asked.look, asked.presentation.form.media_type());
        if self.settings.join_pages > 1 {
            join::drop_validators(&mut head.headers);
        }
        // Of a page that is sent as a text, nothing is done to its policy.
        let csp = if media_type.is_some() { CspChange::Keep } else { look.chain.csp_change() };
        head.headers = repair::rewritten(&head.headers, look.chain.format(), &csp, &look.tagger);
        if let Some(kind) = media_type {
            head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        noted(head, body, Outcome::Eligible)
    }
}

fn finish(
    asked: &RequestInfo<'_>,
    mut head: Parts,
    filtered: &Filtered,
    coded: Coded,
    pages: u32,
) -> (Response<Body>, Outcome) {
    for policy in filtered.policies.iter().filter_map(|policy| HeaderValue::from_str(policy).ok()) {
        head.headers.append(header::CONTENT_SECURITY_POLICY, policy);
    }
    let mut fields = repair::rewritten(&head.headers, filtered.format, &filtered.csp, &asked.look.tagger);
    if asked.is_view() {
        repair::for_view(&mut fields);
    }
    if asked.controls.as_ref().is_some_and(PageControls::is_data) {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if filtered.format == Format::Html
        && asked.charset != UTF_8
        && let Ok(kind) =
            HeaderValue::try_from(format!("text/html; charset={}", asked.charset.name().to_ascii_lowercase()))
    {
        fields.insert(header::CONTENT_TYPE, kind);
    }
    if let Some(kind) = asked.presentation.form.media_type() {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    let body = coded.with_fields(&mut fields);
    head.headers = fields;
    noted(head, Body::from(body), Outcome::Rewritten(Rewritten::new(&filtered.report, pages)))
}

/// The page in an encoding. Forms at the reader's address lead there.
fn encoded(page: &mut Filtered, encoding: &'static Encoding, presentation: &Presentation) -> Vec<u8> {
    let content = std::mem::take(&mut page.content);
    if encoding == UTF_8 || page.encoding.is_some() || presentation.addresses.is_some() {
        return output_charset::encode(content, encoding);
    }
    output_charset::encode(form_encoding::mark_forms(&content, encoding), encoding)
}

/// The original, with the reason if it is HTML.
fn pass(mut head: Parts, body: Body, reason: PassReason) -> (Response<Body>, Outcome) {
    if reason == PassReason::NOT_HTML {
        return (Response::from_parts(head, body), Outcome::Unchanged);
    }
    debug!(%reason, "page passed unchanged");
    if reason.depends_on_request() {
        repair::vary(&mut head.headers, &repair::DECIDED_BY);
    }
    if reason == PassReason::ASKED_FOR {
        // Later the same URL is the rewritten page.
        head.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    noted(head, body, Outcome::Passed(reason))
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A response whose `Gleaner` field says what was done.
fn noted(mut head: Parts, body: Body, outcome: Outcome) -> (Response<Body>, Outcome) {
    if let Ok(value) = HeaderValue::try_from(outcome.to_string()) {
        head.headers.insert(GLEANER, value);
    }
    (Response::from_parts(head, body), outcome)
}

/// Whether a message carries `no-transform` (RFC 9111 § 5.2.1.6 and § 5.2.2.6).
fn no_transform(headers: &HeaderMap) -> bool {
    members(headers, &header::CACHE_CONTROL).any(|member| member.eq_ignore_ascii_case("no-transform"))
}
