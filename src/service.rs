//! The order of all steps of a request, written once and nowhere else: [`Exchange::answer`] and, for requests that go to an origin,
//! `forward`.
//!
//! Each step's own rules are in its module. A request keeps one [`RuntimeState`] to its end, so that a reload never changes the rules
//! half-way.

mod adaptation;
mod blocked;
mod connect;
mod forward;
mod in_clear;
mod max_forwards;
mod people;
mod read;
mod subrequests;
mod target_resolution;
mod upgrade;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use hyper::body::Body as _;
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span};

use crate::{
    blocking::asking_site,
    client::UpstreamError,
    config::{Choice, ClientInfo, Timeouts},
    http::{
        body::{Body, IncomingBody, ReceivedBody},
        log::RequestLog,
        outcome::Outcome,
        websocket,
    },
    net::{
        client_program::{self, ClientProgram},
        control_host,
        credentials::{Authenticator, Denied},
        route::Route,
        target::Target,
    },
    pages::{
        control_pages::{self, ControlPageRequest},
        error::Error,
        error_pages, opening, panel, template,
    },
    rewrite::{SentForm, prefers_markdown, views::LinkCheck},
    server::{Connection, Handler, ParseRejection, connection_limits::ConnectionLimits},
    state::{proxy::Proxy, runtime_state::RuntimeState},
};

impl Handler for Proxy {
    fn handle(
        self: Arc<Self>,
        connection: Arc<Connection>,
        request: Box<Request<ReceivedBody>>,
        started: Instant,
    ) -> impl Future<Output = Response<Body>> + Send {
        answer(self, connection, request, started)
    }

    fn timeouts(&self) -> Timeouts {
        self.state().config.timeouts.clone()
    }

    fn limits(&self) -> &Arc<ConnectionLimits> {
        &self.limits
    }
}

async fn answer(
    proxy: Arc<Proxy>,
    connection: Arc<Connection>,
    request: Box<Request<ReceivedBody>>,
    started: Instant,
) -> Response<Body> {
    let aborted = &connection.shutdown.aborted;
    let log = RequestLog::new(connection.client, aborted, request.method().clone(), started, &proxy.records);
    let version = request.version();
    let is_connect = request.method() == Method::CONNECT;
    let is_head = request.method() == Method::HEAD;
    let span = debug_span!("request", method = %request.method());
    let state = proxy.state();
    let is_agent = state.config.agents.markdown && prefers_markdown(request.headers());
    let error_form = is_agent.then_some(SentForm::Markdown);
    let mut exchange = Exchange { state, proxy, connection, user: None, log, over_icap: false, error_form };
    async move {
        let mut response = match exchange.answer(request).await {
            Ok(Answer::Response(response)) => response,
            // The tunnel keeps the log entry: its bytes are still to come.
            Ok(Answer::Upgraded(response)) => return response,
            Ok(Answer::Unsent(_)) => unreachable!("only what comes over ICAP is left to others"),
            Err(error) => {
                debug!(%error, side = ?error.side(), "request failed");
                exchange.log.outcome = Outcome::Failed(error.to_string());
                exchange.on_error(&error);
                error_pages::error_response(&error)
            }
        };
        if let Some(form) = exchange.error_form {
            response = error_pages::for_program(response, form);
        }
        set_connection_field(&mut response, version, is_connect);
        if is_head && version == Version::HTTP_2 {
            // hyper does so over HTTP/1.1 only.
            response = without_content(response);
        }
        exchange.log.status = response.status().as_u16();
        response.map(|body| body.logged(exchange.log))
    }
    .instrument(span)
    .await
}

/// Whether the client's connection goes on, where the response must say so.
fn set_connection_field(response: &mut Response<Body>, version: Version, is_connect: bool) {
    let close = HeaderValue::from_static("close");
    if is_connect && !response.status().is_success() {
        // What the client sent for its tunnel must not be read as a request.
        response.headers_mut().insert(header::CONNECTION, close);
    } else if version == Version::HTTP_10 {
        // RFC 9112 § 9.3: a proxy keeps no connection with an HTTP/1.0 client, because an older proxy between the two
        // may have passed its `Connection: keep-alive` on unread (Appendix C.2.2).
        response.headers_mut().insert(header::CONNECTION, close);
        // Else hyper would add its own `keep-alive`.
        *response.version_mut() = Version::HTTP_10;
    }
    if version == Version::HTTP_2 {
        // RFC 9113 § 8.2.2.
        response.headers_mut().remove(header::CONNECTION);
    }
}

/// The response to HEAD (RFC 9110 § 9.3.2), with the length that a GET would have.
fn without_content(response: Response<Body>) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
        head.headers.entry(header::CONTENT_LENGTH).or_insert_with(|| length.into());
    }
    Response::from_parts(head, Body::default())
}

/// One request on its way.
struct Exchange {
    proxy: Arc<Proxy>,
    connection: Arc<Connection>,
    state: Arc<RuntimeState>,
    /// The name that was given, where users are configured.
    user: Option<Arc<str>>,
    log: RequestLog,
    /// Whether an ICAP client asks, which sends requests itself.
    over_icap: bool,
    /// The form of pages that a program asks for, which gets no page where something goes wrong.
    error_form: Option<SentForm>,
}

enum Answer {
    Response(Response<Body>),
    /// The connection or stream became a tunnel, which has the log entry.
    Upgraded(Response<Body>),
    /// An ICAP client sends the request itself.
    Unsent(Box<Request<ReceivedBody>>),
}

impl Exchange {
    /// The steps in their order.
    async fn answer(&mut self, mut request: Box<Request<ReceivedBody>>) -> Result<Answer, Error> {
        let client = self.connection.client.ip();
        // Asked again here, because a kept connection may have outlived a change of the rules.
        if !self.state.acl.client_allowed(client) {
            return Err(Error::ClientNotAllowed(client.to_canonical()));
        }
        if let Some(rejection) = request.extensions().get::<ParseRejection>() {
            return Err(Error::Rejected(*rejection));
        }
        let is_public_path = self.connection.tunnel.is_none() && control_host::is_script(&request);
        // Over ICAP the other proxy has asked.
        let is_asked = !is_public_path && !self.over_icap;
        if let Some(authenticator) = self.state.authenticator.as_ref().filter(|_| is_asked) {
            self.user = Box::pin(self.check_credentials(authenticator, &request)).await?;
            self.log.user.clone_from(&self.user);
        }
        self.certificate_accepted();
        target_resolution::take_user_info(&mut request);
        let Some(target) = self.target(&request)? else {
            self.log.route = Route::OwnPages;
            let host = target_resolution::host_of(&request);
            let is_for_panel = panel::has_address(&host, request.uri().path());
            self.log.host = Some(host.as_str().into());
            if is_for_panel {
                let device = self.device(request.headers());
                let answer = Box::pin(panel::answer(&self.proxy, &self.connection, device, *request)).await;
                return Ok(Answer::Response(answer));
            }
            if opening::has_address(&host, request.uri().path()) {
                let device = self.device(request.headers());
                return Ok(Answer::Response(Box::pin(opening::answer(&self.proxy, device, *request)).await));
            }
            if read::has_address(&host, request.uri().path()) {
                return Box::pin(self.read(*request, &host)).await.map(Answer::Response);
            }
            let visit =
                ControlPageRequest::new(&self.connection, self.device(request.headers()), &request, self.over_icap);
            let answer = control_pages::answer(&self.proxy, &visit, &request);
            Box::pin(IncomingBody::read_to_end(*request)).await;
            return Ok(Answer::Response(answer));
        };
        self.log.host = Some(Arc::clone(&target.host_port));
        if self.over_icap && request.method() == Method::CONNECT {
            return Ok(self.leave_connect_to_icap(request, &target));
        }
        if control_host::is_control_host(&target) {
            return Ok(Answer::Upgraded(self.own_tunnel(*request, target)?));
        }
        if self.proxy.pseudonyms.are_in(request.headers(), target.plain_host()) {
            return Err(Error::Loop);
        }
        let initiator = |target: &Target| {
            let hides_referrer = self.proxy.without_referrer.contains_key(&target.host_port);
            self.state.acl.initiator(request.method(), request.headers(), hides_referrer)
        };
        let permit = match self.state.acl.permit(target, initiator) {
            Ok(permit) => permit,
            Err(refusal) => {
                Box::pin(IncomingBody::read_to_end(*request)).await;
                return Err(refusal.into());
            }
        };
        let permit = self.with_safe_search(permit, request.headers_mut());
        if request.method() == Method::CONNECT && !websocket::is_extended_connect(&request) {
            return Box::pin(self.connect(*request, permit)).await;
        }
        let asked = self.proxy.view_links.take(&mut request, permit.target(), |headers| self.device(headers));
        self.log.asked_by = asking_site(request.headers(), permit.target().plain_host());
        let view = match asked {
            LinkCheck::NotALink => None,
            LinkCheck::View(view, id) => Some((view, id)),
            LinkCheck::Invalid(page) => return Ok(Answer::Response(template::see_other(page.as_str()))),
        };
        let host = permit.target().plain_host();
        if let Some(response) = self.blocked_service(&request, &permit, host) {
            Box::pin(IncomingBody::read_to_end(*request)).await;
            return Ok(Answer::Response(response));
        }
        if let Some(response) = self.blocked(&mut request, &permit, host) {
            Box::pin(IncomingBody::read_to_end(*request)).await;
            return Ok(Answer::Response(response));
        }
        self.log.route = Route::Forward;
        self.forward(request, &permit, host, view, None).await
    }

    /// Effects of an error beyond its response.
    fn on_error(&self, error: &Error) {
        match error {
            Error::ClientNotAllowed(_) | Error::CredentialsChanged => self.connection.drain(),
            Error::Upstream { error: UpstreamError::NoDescriptors, .. } => self.state.client.close_idle(),
            Error::Upstream { error, .. } if error.may_work_in_a_tunnel() => {
                if let Some(target) = &self.connection.tunnel {
                    self.proxy.tunnelled.tunnel_from_now_on(target, error);
                    self.connection.drain();
                }
            }
            _ => {}
        }
    }

    /// The program on the device that asks.
    fn device(&self, headers: &HeaderMap) -> ClientProgram {
        ClientProgram::new(self.connection.client.ip(), self.user.clone(), headers)
    }

    /// The profile of this client and host.
    fn profile(&self, headers: &HeaderMap, host: &str) -> Option<Choice<'_>> {
        self.state.config.profiles.choose(&self.asker(headers), host)
    }

    /// The client, where settings depend on it.
    fn asker<'a>(&'a self, headers: &'a HeaderMap) -> ClientInfo<'a> {
        ClientInfo {
            client: self.connection.client.ip().to_canonical(),
            user: self.user.as_deref(),
            user_agent: client_program::user_agent(headers),
            port: self.connection.local.port(),
        }
    }

    /// Asks for a name and a password. Returns the name.
    async fn check_credentials(
        &self,
        authenticator: &Arc<Authenticator>,
        request: &Request<ReceivedBody>,
    ) -> Result<Option<Arc<str>>, Error> {
        if self.connection.tunnel.is_some() {
            // What is inside of a tunnel came with the CONNECT's credentials, and they count while the same users are
            // configured.
            let passed = self.connection.authenticator.as_ref();
            let is_same = passed.is_some_and(|passed| Arc::ptr_eq(passed, authenticator));
            let user = self.connection.device.as_ref().and_then(|device| device.user.clone());
            return if is_same { Ok(user) } else { Err(Error::CredentialsChanged) };
        }
        // RFC 9110 § 11.6: to a client that takes us for a web server we are one.
        let ours = request.method() != Method::CONNECT && request.uri().scheme().is_none();
        let field = if ours { header::AUTHORIZATION } else { header::PROXY_AUTHORIZATION };
        let client = self.connection.client.ip();
        let checked = authenticator.check(client, request.headers(), &field).await;
        checked.map(Some).map_err(|denied| match denied {
            Denied::Credentials => Error::Credentials { ours },
            Denied::TooManyGuesses => Error::TooManyGuesses,
        })
    }

    /// Takes the log entry out for a task that outlives the request.
    fn hand_over_log(&mut self, status: StatusCode) -> RequestLog {
        self.log.status = status.as_u16();
        self.log.take()
    }

    /// An upstream failure with the host that it is about.
    fn upstream_error(target: &Target, error: UpstreamError) -> Error {
        Error::Upstream { host: target.host_port.to_string(), error }
    }
}
