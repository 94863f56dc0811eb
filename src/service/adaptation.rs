//! Requests and responses of another proxy, which asks over ICAP what becomes of them and fetches by itself.
//!
//! A request is answered here where it is for our own pages, for what is blocked or for a view that was kept; else it is prepared as
//! if it went to an origin. A response is rewritten as one that an origin has sent.

use std::{net::SocketAddr, sync::Arc};

use gleaner_filters::View;
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body::Body as _;
use tokio::time::Instant;
use url::Url;

use super::{Answer, Exchange, subrequests::Subrequests};
use crate::{
    http::{
        body::{Body, ReceivedBody},
        headers::{members, validators},
        log::RequestLog,
        outcome::Outcome,
    },
    net::{access_control::Initiator, route::Route, target::Target},
    pages::{error::Error, error_pages},
    rewrite::{RequestInfo, views::PageId},
    server::{
        Connection,
        icap::{Adapted, Adapter, IcapMessage},
    },
    state::proxy::Proxy,
    util::shutdown::ShutdownHandle,
};

/// Squid before 6.14 sends no more than this of a body, where it comes fast, until the answer begins (its bug 5352). An answer begins
/// when the page has been read, so a page that stands still here passes.
const SQUID_SENDS_AT_FIRST: usize = 65_535;

impl Adapter for Proxy {
    fn adapt(self: Arc<Self>, message: IcapMessage) -> impl Future<Output = Adapted> + Send {
        adapt(self, message)
    }

    fn service_tag(&self) -> String {
        let config = &self.state().config;
        format!("{:016x}", config.fingerprint ^ config.text_hash.rotate_left(1))
    }
}

async fn adapt(proxy: Arc<Proxy>, message: IcapMessage) -> Adapted {
    let IcapMessage { client, user, request, response } = message;
    let local = proxy.listen_addrs.first().copied().unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)));
    let is_named = client.is_some();
    let client = SocketAddr::new(client.unwrap_or(local.ip()), 0);
    let connection = Arc::new(Connection::new(client, local, ShutdownHandle::default()));
    let aborted = &connection.shutdown.aborted;
    let log = RequestLog::new(client, aborted, request.method().clone(), Instant::now(), &proxy.records);
    let mut exchange = Exchange {
        state: proxy.state(),
        proxy,
        connection,
        user: user.clone(),
        log,
        over_icap: true,
        error_form: None,
    };
    exchange.log.user = user;
    match response {
        Some(response) => exchange.adapt_response(request, response).await,
        None => exchange.adapt_request(request, is_named).await,
    }
}

impl Exchange {
    async fn adapt_request(mut self, request: Box<Request<ReceivedBody>>, is_named: bool) -> Adapted {
        match self.target(&request) {
            // Our own pages are open to this machine, which a client that nobody has named must not be taken for.
            Ok(None) if !is_named => return self.changed(error_pages::error_response(&Error::ClientNotNamed), false),
            Ok(_) => {}
            // Other schemes, and what another proxy makes of addresses, are its own business.
            Err(_) => return self.unchanged(Body::new(request.into_body())),
        }
        let before = (request.uri().clone(), request.headers().clone());
        let response = match Box::pin(self.answer(request)).await {
            Ok(Answer::Unsent(request)) => {
                let is_same = before == (request.uri().clone(), request.headers().clone());
                let request = request.map(Body::new);
                if is_same {
                    return self.unchanged(request.into_body());
                }
                self.log.discard();
                return Adapted::Request(request);
            }
            Ok(Answer::Response(response) | Answer::Upgraded(response)) => response,
            Err(error) => {
                self.log.outcome = Outcome::Failed(error.to_string());
                error_pages::error_response(&error)
            }
        };
        self.changed(response, false)
    }

    async fn adapt_response(mut self, request: Box<Request<ReceivedBody>>, response: Response<Body>) -> Adapted {
        let client = self.connection.client.ip();
        let target = self.target(&request).ok().flatten();
        let permit = target.and_then(|target| self.state.acl.permit(target, |_| Initiator::Near).ok());
        let permit = permit.filter(|_| self.state.acl.client_allowed(client));
        let Some(permit) = permit.filter(|_| request.method() != Method::CONNECT) else {
            return self.unchanged(response.into_body());
        };
        self.log.host = Some(Arc::clone(&permit.target().host_port));
        self.log.route = Route::Forward;
        self.log.status = response.status().as_u16();
        let view = self.view_of(&request, permit.target());
        let fields = response.headers().clone();
        let host = permit.target().plain_host();
        match Box::pin(self.forward(request, &permit, host, view, Some(response))).await {
            Ok(Answer::Response(mut response)) => {
                let is_untouched = matches!(self.log.outcome, Outcome::Unchanged) && *response.headers() == fields;
                if is_untouched {
                    return Adapted::Unchanged(response.into_body());
                }
                keep_private(response.headers_mut());
                let has_same_body = matches!(self.log.outcome, Outcome::Passed(_) | Outcome::PicturePassed(_));
                self.changed(response, has_same_body)
            }
            // Nothing is sent, so that nothing fails.
            Ok(Answer::Upgraded(_) | Answer::Unsent(_)) | Err(_) => Adapted::Unchanged(Body::default()),
        }
    }

    fn unchanged(&mut self, body: Body) -> Adapted {
        self.log.discard();
        Adapted::Unchanged(body)
    }

    fn changed(mut self, mut response: Response<Body>, has_same_body: bool) -> Adapted {
        let length = response.body().size_hint().exact().filter(|length| *length > 0);
        if let Some(length) = length.filter(|_| !has_same_body) {
            // As hyper's server does. What has no body (HEAD, 304) keeps the length that it tells of another.
            response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| length.into());
        }
        self.log.status = response.status().as_u16();
        let response = response.map(|body| body.logged(self.log));
        Adapted::Response { response, has_same_body }
    }

    /// The rest of an ordinary request that an ICAP client sends itself: it leaves as it is prepared here, or its response has come.
    pub(super) async fn leave_to_icap(
        &mut self,
        mut request: Box<Request<ReceivedBody>>,
        info: &mut RequestInfo<'_>,
        view: Option<(View, PageId)>,
        given: Option<Response<Body>>,
    ) -> Result<Answer, Error> {
        let response = if let Some(response) = given {
            info.may_stop_at = Some(SQUID_SENDS_AT_FIRST);
            response
        } else if let Some(kept) = view.and_then(|_| info.kept_original()) {
            kept.response()
        } else {
            if let Some(page) = info.url() {
                let (views, key) = (&self.proxy.adapted_views, (self.device(request.headers()), page));
                match view {
                    Some(view) => views.insert(key, view),
                    // One that was asked for before has not come.
                    None => views.remove(&key),
                }
            }
            self.state.rewriter.prepare(info, request.headers_mut());
            if validators::has_ours(request.headers()) {
                // The other proxy would be told by a 304 that a page is the same, whose fields are not those of the rewritten one.
                validators::drop_conditions(request.headers_mut());
            }
            return Ok(Answer::Unsent(request));
        };
        let response = self.rewrite(info, response, None::<Subrequests>).await;
        Ok(Answer::Response(self.only_rewritten(info, response)))
    }

    /// A CONNECT that another proxy has been sent: only whether it may.
    pub(super) fn leave_connect_to_icap(&mut self, request: Box<Request<ReceivedBody>>, target: &Target) -> Answer {
        let refused = self.blocked_service_tunnel(request.headers(), target.plain_host());
        match refused.or_else(|| self.blocked_host(&request, target)) {
            Some(response) => Answer::Response(response),
            None => Answer::Unsent(request),
        }
    }

    /// The view that the request for this response has asked for: its address has it no more.
    fn view_of(&self, request: &Request<ReceivedBody>, target: &Target) -> Option<(View, PageId)> {
        let page: Url = target.url(request.uri().path_and_query()?)?;
        let key = (self.device(request.headers()), page);
        let view = self.proxy.adapted_views.get(&key)?;
        self.proxy.adapted_views.remove(&key);
        Some(view)
    }
}

/// Keeps what was made for one client out of the other proxy's cache.
fn keep_private(headers: &mut HeaderMap) {
    let is_kept_out = |member: &str| ["private", "no-store"].iter().any(|name| member.eq_ignore_ascii_case(name));
    if !members(headers, &header::CACHE_CONTROL).any(is_kept_out) {
        headers.append(header::CACHE_CONTROL, HeaderValue::from_static("private"));
    }
}
