//! The reader's address, `/read`: it fetches a page by itself and answers with its main content, for devices that can set no proxy and
//! trust no certificate, and for programs.
//!
//! All sites share one origin there. So what is shown is written from a list of what may be written (`gleaner_filters`,
//! `output::portable`), under a policy in which nothing runs; no cookie comes to the browser or goes from it (`read.cookies` keeps them here); and what another site's page asks for is refused.
//! `fetch` asks by a client of its own, whose rules know no private target but those that `read.targets` names.

mod asked;
mod book;
mod feed;
mod fetch;
mod files;
mod mcp;
mod shelf;

use std::sync::Arc;

use gleaner_filters::SharedAddresses;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use maud::html;
use url::Url;

use self::{
    asked::{ReadAddresses, ReadRequest},
    book::BookPictures,
    fetch::{FetchOutcome, FetchWay, fetch_problem},
    mcp::MCP,
};
use super::Exchange;
use crate::{
    http::{
        body::{Body, IncomingBody, ReceivedBody},
        headers::Media,
        outcome::{Outcome, PassReason},
    },
    net::{
        control_host::{self, CONTROL_HOST},
        target::{Scheme, Target},
    },
    pages::{
        error::Error,
        reading::{self, PICTURE, READ},
        shelf::{KEEP, SHELF},
        template::{self, ErrorSentence},
    },
    rewrite::{BeyondEnd, PageProfile, RequestInfo, SentForm, views::ReadingOptions},
};

/// Whether an address is one of these. Names under the control host are for the check of certificates only.
pub(super) fn has_address(host: &str, path: &str) -> bool {
    (is_below(path, READ) || is_below(path, SHELF) || path == MCP)
        && !host.to_ascii_lowercase().contains(&format!(".{CONTROL_HOST}"))
}

fn is_below(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Exchange {
    /// Answers a request at the reader's address.
    pub(super) async fn read(&mut self, request: Request<ReceivedBody>, host: &str) -> Result<Response<Body>, Error> {
        if request.uri().path() == MCP {
            return Ok(Box::pin(self.mcp(request, host)).await);
        }
        let (head, body) = request.into_parts();
        // What is sent with a GET means nothing.
        Box::pin(IncomingBody::read_to_end(Request::new(body))).await;
        let asked = ReadRequest::parse(&head.uri, &head.headers);
        self.error_form = Some(asked.form).filter(|form| form.is_for_agent());
        let config = Arc::clone(&self.state.config);
        if !config.read.admits(self.connection.client.ip(), config.access.lan) {
            let text = "Only the machine that runs Gleaner reads pages here. `read.enabled: true`, or `access.lan: true`, opens it to \
                        the devices that may use the proxy.";
            return Ok(reading::message(StatusCode::FORBIDDEN, "Not for this device", text, ""));
        }
        let is_shelf = is_below(head.uri.path(), SHELF);
        if !([Method::GET, Method::HEAD].contains(&head.method) || is_shelf && head.method == Method::POST) {
            let text = "A page is read with GET; nothing is sent to a site here.";
            let mut response = reading::message(StatusCode::METHOD_NOT_ALLOWED, "Not here", text, "");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return Ok(response);
        }
        // A form of the shelf asks before it does anything.
        let is_question = head.uri.path() == KEEP && head.method != Method::POST;
        if self.is_foreign(&head.headers) && !is_question && !self.is_book_of_bar(&asked, &head.headers) {
            let text = "A page of another site has led here. If you want to read this page, say so:";
            return Ok(reading::message(StatusCode::FORBIDDEN, "Read this page?", text, &asked.subject));
        }
        if is_shelf {
            return Box::pin(self.shelf(&head, host)).await;
        }
        if head.uri.path() == PICTURE {
            return self.picture(&head.uri, &head.headers).await;
        }
        if let Some(feed) = &asked.feed {
            return Box::pin(self.feed(feed, &head.headers, host)).await;
        }
        if let Some(feed) = &asked.subscribed {
            return Ok(reading::feed_address(&self.own_address(host), feed));
        }
        if let Some(problem) = &asked.problem {
            return Ok(reading::message(StatusCode::BAD_REQUEST, "No such part or form", problem, &asked.subject));
        }
        let Some(url) = asked.url.clone() else {
            return Ok(self.no_address(&asked));
        };
        self.read_page(&asked, url, &head.headers, host).await
    }

    /// Our own address as the client names it.
    fn own_address(&self, host: &str) -> String {
        let scheme = if self.connection.tunnel.is_some() { "https" } else { "http" };
        let local = self.connection.local.to_string();
        format!("{scheme}://{}/", if host.is_empty() { &local } else { host })
    }

    /// Without an address there is the field, or a search for the words.
    fn no_address(&self, asked: &ReadRequest) -> Response<Body> {
        if asked.subject.is_empty() {
            return reading::field_page(&self.state.config);
        }
        if let Some(search) = self.state.config.read.search(&asked.subject) {
            return template::see_other(&asked.link(&search));
        }
        let text = "These words are no address, and there is nowhere to search for them: `read.search` is not set.";
        reading::message(StatusCode::NOT_FOUND, "Nothing is found", text, &asked.subject)
    }

    /// Whether a bar of ours on the page of a site has led to the page as a book.
    fn is_book_of_bar(&self, asked: &ReadRequest, headers: &HeaderMap) -> bool {
        let url = asked.url.as_ref().filter(|_| asked.form == SentForm::Chapter);
        url.is_some_and(|url| self.proxy.view_links.is_book_key(&asked.key, &self.device(headers), url))
    }

    /// Whether another site's page has made a request, as far as it shows: its browser says so, or names the page.
    fn is_foreign(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        if text("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return true;
        }
        let is_ours = |page: &str| {
            let Ok(url) = Url::parse(page) else { return false };
            let target = Scheme::parse(url.scheme()).and_then(|scheme| {
                Target::from_authority(scheme, &url[url::Position::BeforeHost..url::Position::AfterPort]).ok()
            });
            target.is_some_and(|target| control_host::is_control_host(&target) || self.is_own_host(&target))
        };
        [header::ORIGIN, header::REFERER].iter().filter_map(|name| text(name.as_str())).any(|page| !is_ours(page))
    }

    async fn read_page(
        &mut self,
        asked: &ReadRequest,
        url: Url,
        headers: &HeaderMap,
        host: &str,
    ) -> Result<Response<Body>, Error> {
        let (fetched, look) = match self.fetch(url, "document", None, headers, FetchWay::with_cookies()).await? {
            FetchOutcome::Response(fetched) => {
                let look = self.reading_options(asked, headers, fetched.host());
                (*fetched, look)
            }
            other => return Ok(fetch_problem(other)),
        };
        let url = fetched.url.clone();
        if Media::from_headers(fetched.response.headers()) != Media::Html {
            return self.file(fetched, headers).await;
        }
        let pictures = Arc::new(BookPictures::new(asked.without_images));
        let addresses: SharedAddresses = match asked.form {
            SentForm::Chapter => Arc::<BookPictures>::clone(&pictures),
            _ => Arc::new(ReadAddresses::new(asked, &url, Arc::clone(&self.proxy.tokens))),
        };
        let (response, outcome) = match self.present(asked, fetched, headers, host, (look, addresses)).await {
            Ok(presented) => presented,
            Err(error) => {
                let text = format!("The page cannot be written: {error}");
                return Ok(reading::message(StatusCode::INTERNAL_SERVER_ERROR, "No page", &text, url.as_str()));
            }
        };
        // Whatever else has become of it, it is the site's own markup.
        let is_ours = outcome.rewritten().is_some();
        let reason = outcome.pass_reason().unwrap_or(PassReason::NOT_HTML);
        self.log.outcome.follow_up(outcome);
        if !is_ours {
            return Ok(not_readable(&response, &url, reason));
        }
        if let Some(beyond) = response.extensions().get::<BeyondEnd>() {
            let text = beyond.to_string();
            return Ok(reading::message(StatusCode::BAD_REQUEST, "No such part", &text, url.as_str()));
        }
        match asked.form {
            SentForm::Chapter => self.book(response, &url, headers, &pictures).await,
            _ => Ok(self.presented(asked, response, &url)),
        }
    }

    fn reading_options(&self, asked: &ReadRequest, headers: &HeaderMap, host: &str) -> (usize, ReadingOptions) {
        let choice = self.profile(headers, host);
        let is_plain_profile = choice
            .as_ref()
            .is_some_and(|choice| choice.profile.filters.output.style == gleaner_filters::output::Style::Plain);
        let preferences = &self.proxy.reader_preferences;
        let reader = preferences.are_used().then(|| preferences.get(&self.device(headers))).flatten();
        let look = ReadingOptions {
            view: asked.view,
            is_plain: asked.is_plain.unwrap_or(is_plain_profile),
            is_for_agent: asked.form.is_for_agent(),
            is_whole: false,
            is_paused: self.is_paused(),
            reader,
        };
        (choice.map_or(0, |choice| choice.index), look)
    }

    /// The page in the form that is asked for. Where too little would be left of it, all of it.
    async fn present(
        &mut self,
        asked: &ReadRequest,
        fetched: fetch::FetchedPage,
        headers: &HeaderMap,
        host: &str,
        ((profile, mut look), addresses): ((usize, ReadingOptions), SharedAddresses),
    ) -> Result<(Response<Body>, Outcome), crate::ConfigError> {
        let state = Arc::clone(&self.state);
        let mut page_request = Request::new(());
        *page_request.uri_mut() = fetched.path();
        for name in [header::USER_AGENT, header::ACCEPT_ENCODING, header::ACCEPT_CHARSET] {
            let is_sent = name != header::ACCEPT_ENCODING || asked.form != SentForm::Chapter;
            if let Some(value) = headers.get(&name).filter(|_| is_sent) {
                page_request.headers_mut().insert(name, value.clone());
            }
        }
        page_request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("text/html"));
        let base = Url::parse(&self.own_address(host)).ok();
        let client = self.connection.client.ip();
        let mut response = fetched.response;
        // For proxies, which this is none of here.
        response.headers_mut().remove(header::CACHE_CONTROL);
        loop {
            let page_look = PageProfile::for_reading(
                &state.config,
                self.blocker(headers, fetched.target.plain_host()),
                profile,
                &look,
            )?;
            let mut info =
                RequestInfo::new(&page_request, client, &fetched.target, fetched.target.plain_host(), &page_look);
            info.presentation = asked.presentation(&addresses, &fetched.url, base.as_ref(), &state.config);
            info.prepare_page(|fields| self.proxy.view_links.page_controls(self.device(fields), fields, None, false));
            let (presented, outcome) =
                state.rewriter.rewrite(&info, response, None::<super::subrequests::Subrequests>).await;
            if outcome.pass_reason() != Some(PassReason::KEPT_TOO_LITTLE) || look.is_whole {
                return Ok((presented, outcome));
            }
            look.is_whole = true;
            response = presented;
        }
    }

    /// The response that is sent: of the site's fields nothing is left.
    fn presented(&mut self, asked: &ReadRequest, response: Response<Body>, url: &Url) -> Response<Body> {
        const KEPT: [&str; 4] = ["content-type", "content-length", "content-encoding", "gleaner"];
        let (mut head, body) = response.into_parts();
        self.log.page = head.extensions.remove();
        let mut fields = HeaderMap::new();
        for name in KEPT {
            if let Some(value) = head.headers.get(name) {
                fields.insert(name, value.clone());
            }
        }
        reading::harden(&mut fields);
        fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        fields.insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding, User-Agent"));
        if asked.form != SentForm::Page
            && let Ok(link) = HeaderValue::try_from(format!("<{url}>; rel=\"canonical\""))
        {
            fields.insert(header::LINK, link);
        }
        let mut response = Response::new(body);
        *response.status_mut() = head.status;
        *response.headers_mut() = fields;
        response
    }
}

/// Why a page cannot be shown here.
fn not_readable(response: &Response<Body>, url: &Url, reason: PassReason) -> Response<Body> {
    let status = response.status();
    let (text, sentence) = if reason == PassReason::STATUS {
        (format!("The site answers {status}."), format!("it answers {status}"))
    } else {
        let words = reason.in_words();
        (format!("It stays as it comes, which cannot be shown here: {words}."), words.to_owned())
    };
    let link = html! { a href=(url) rel="noreferrer" { "The page itself" } };
    let title = "This page cannot be read here";
    let mut response = reading::message_with(StatusCode::UNPROCESSABLE_ENTITY, title, &text, &link, url.as_str());
    response.extensions_mut().insert(ErrorSentence(sentence));
    if let Ok(value) = HeaderValue::try_from(format!("passed; reason={reason}")) {
        response.headers_mut().insert("gleaner", value);
    }
    response
}
