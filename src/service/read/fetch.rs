//! Asks for a page or a picture as the reader's address does: each step of a redirect is judged anew, by its name, its address and the
//! lists.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Uri, header};
use url::{Position, Url};

use super::{Exchange, asked::ReadRequest};
use crate::{
    blocking::{BlockingRequest, Verdict},
    client::Requester,
    http::{
        body::{Body, IdleTimer, IncomingBody},
        cookie_jar::CookieUse,
        outcome::Outcome,
    },
    net::{
        access_control::{Initiator, Refusal},
        control_host,
        route::Route,
        target::Target,
    },
    pages::{
        blocked::{blocked_document, blocked_resource, blocked_service},
        error::Error,
        reading,
    },
    state::feed_texts::FeedTexts,
};

/// Redirects that are followed: as many as browsers do.
const MAX_REDIRECTS: usize = 20;

pub(super) enum FetchOutcome {
    Response(Box<FetchedPage>),
    /// A list forbids it.
    Blocked(Response<Body>),
    TooManyRedirects(Url),
}

pub(super) struct FetchedPage {
    /// After redirects.
    pub(super) url: Url,
    pub(super) target: Arc<Target>,
    pub(super) response: Response<Body>,
}

/// How something is fetched.
#[derive(Clone, Copy)]
pub(super) struct FetchWay<'a> {
    /// Where hosts are asked for one thing after the other.
    pub(super) pace: Option<&'a FeedTexts>,
    /// The content codings that it may have.
    pub(super) codings: &'static str,
    /// Whether the device's cookies go with it, where it has any. What several devices get must be fetched without.
    pub(super) has_cookies: bool,
}

impl Default for FetchWay<'_> {
    fn default() -> Self {
        Self { pace: None, codings: "gzip, deflate, br, zstd", has_cookies: false }
    }
}

impl FetchWay<'_> {
    /// For what is read by `client::fetch::read`.
    pub(super) const GZIP: Self = Self { pace: None, codings: "gzip", has_cookies: false };

    /// For a page that this device shows.
    pub(super) fn with_cookies() -> Self {
        Self { has_cookies: true, ..Self::default() }
    }
}

/// The answer where nothing came.
pub(super) fn fetch_problem(outcome: FetchOutcome) -> Response<Body> {
    match outcome {
        FetchOutcome::Blocked(response) => response,
        FetchOutcome::TooManyRedirects(url) => {
            let text = format!("The site leads from one address to the next without an end: `{url}`");
            reading::message(StatusCode::BAD_GATEWAY, "No page", &text, url.as_str())
        }
        FetchOutcome::Response(_) => Response::default(),
    }
}

impl FetchedPage {
    pub(super) fn path(&self) -> Uri {
        path(&self.url)
    }

    pub(super) fn host(&self) -> &str {
        self.target.plain_host()
    }
}

/// The page that is shown here and has led to a request, as far as the browser says.
fn referring_page(headers: &HeaderMap) -> Option<Url> {
    let referer = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    ReadRequest::parse(&path(&referer), &HeaderMap::new()).url
}

fn path(url: &Url) -> Uri {
    url[Position::BeforePath..Position::AfterQuery].parse().unwrap_or_default()
}

impl Exchange {
    /// Fetches what is at an address, of this kind of request, as a part of this page.
    pub(super) async fn fetch(
        &mut self,
        mut url: Url,
        kind: &'static str,
        page: Option<&Url>,
        headers: &HeaderMap,
        way: FetchWay<'_>,
    ) -> Result<FetchOutcome, Error> {
        self.log.route = Route::Forward;
        for _ in 0..=MAX_REDIRECTS {
            url.set_fragment(None);
            if let Some(response) = self.forbidden(&mut url, kind, page, headers) {
                return Ok(FetchOutcome::Blocked(response));
            }
            if let Some(pace) = way.pace {
                pace.wait_for(url.host_str().unwrap_or_default()).await;
            }
            let fetched = self.fetch_one(&url, kind, page, headers, way).await?;
            let location = fetched.response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let to = location.filter(|_| fetched.response.status().is_redirection()).and_then(|to| url.join(to).ok());
            match to {
                Some(to) => url = to,
                None => return Ok(FetchOutcome::Response(Box::new(fetched))),
            }
        }
        Ok(FetchOutcome::TooManyRedirects(url))
    }

    /// Sends one request.
    pub(super) async fn fetch_one(
        &mut self,
        url: &Url,
        kind: &str,
        page: Option<&Url>,
        headers: &HeaderMap,
        way: FetchWay<'_>,
    ) -> Result<FetchedPage, Error> {
        let state = Arc::clone(&self.state);
        let target = Target::from_absolute(&url.as_str().parse().map_err(|_| crate::net::target::TargetError::Form)?)?;
        self.log.host = Some(Arc::clone(&target.host_port));
        if control_host::is_control_host(&target) {
            return Err(Refusal::Own.into());
        }
        let mut permit = state.reader.acl.permit(target, |_| Initiator::Public)?;
        if let Some(name) = self.safe_host(headers, permit.target().plain_host()) {
            permit = permit.connecting_to(name);
        }
        let mut request = Box::new(Request::new(Body::default()));
        *request.uri_mut() = path(url);
        let fields = request.headers_mut();
        let accepted = match kind {
            "image" => "image/png, image/jpeg, image/gif, image/webp, */*;q=0.5",
            "other" => {
                "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"
            }
            _ => "text/html, */*;q=0.8",
        };
        fields.insert(header::ACCEPT, HeaderValue::from_static(accepted));
        fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(way.codings));
        if let Ok(host) = HeaderValue::from_str(permit.target().authority()) {
            fields.insert(header::HOST, host);
        }
        for name in [header::USER_AGENT, header::ACCEPT_LANGUAGE, HeaderName::from_static("sec-gpc")] {
            if let Some(value) = headers.get(&name) {
                fields.insert(name, value.clone());
            }
        }
        let has_jar = way.has_cookies && state.config.read.cookies;
        let jar = has_jar.then(|| self.proxy.cookie_jars.get_or_default(&self.device(headers)));
        let referring = referring_page(headers).filter(|_| page.is_none());
        let by = CookieUse::new(page.or(referring.as_ref()), page.is_some(), url);
        let cookies = jar.zip(by);
        fields.extend(cookies.as_ref().and_then(|(jar, by)| Some((header::COOKIE, jar.lock().field(url, *by)?))));
        let pinned = crate::client::PinnedConnections::default();
        let requester = Requester { address: self.connection.client.ip(), pinned: &pinned, is_nested: false };
        let client = state.reader.client();
        let way = client.find_way(&permit, requester);
        self.log.via.clone_from(&way.name);
        let sent = client.send_by(way, &permit, request, requester, Arc::new(|_, _| {})).await;
        let response = sent.map_err(|error| Self::upstream_error(permit.target(), error))?;
        if let Some((jar, by)) = cookies {
            jar.lock().take(response.headers(), url, by);
        }
        let mut response = response.map(|body: IncomingBody| Body::new(body));
        response.body_mut().idle_timer = Some(IdleTimer::new(state.config.timeouts.body_stall));
        Ok(FetchedPage { url: url.clone(), target: Arc::clone(permit.target()), response })
    }

    /// The answer to what a list forbids; parameters that it removes leave the address.
    fn forbidden(
        &mut self,
        url: &mut Url,
        kind: &'static str,
        page: Option<&Url>,
        headers: &HeaderMap,
    ) -> Option<Response<Body>> {
        let wanted = BlockingRequest::new(url.clone(), page.cloned(), kind);
        if let Some(block) = self.service_block(headers, wanted.site(), wanted.host()) {
            self.log_service(&block);
            return Some(if wanted.is_document() {
                blocked_service(url, &block)
            } else {
                blocked_resource(&wanted, None, None)
            });
        }
        let blocker = Arc::clone(self.blocker(headers, wanted.site()));
        let is_asked = blocker.settings().requests
            && blocker.may_block(wanted.host())
            && blocker.exempt(wanted.site(), wanted.host()).is_none()
            && self.blocks(headers, wanted.site());
        if !is_asked {
            return None;
        }
        match blocker.judge(&wanted) {
            Verdict::Blocked { rule, instead } => {
                self.log.route = Route::Blocked;
                self.log.outcome = Outcome::Blocked(rule.to_string());
                Some(if wanted.is_document() {
                    blocked_document(url, &rule)
                } else {
                    blocked_resource(&wanted, instead, None)
                })
            }
            Verdict::ParamsRemoved { to, .. } => {
                *url = to;
                None
            }
            Verdict::Allowed | Verdict::Excepted { .. } => None,
        }
    }
}
