//! The order of all steps of a request, written once and nowhere else.
//!
//! Each step's own rules are in its module; here is only what comes after what, and what is in force
//! while it happens: one [`RuntimeState`] snapshot per request, so that a reload never changes the rules
//! half-way.

mod connect;
mod forward;
mod known;
mod next_pages;
mod target_resolution;
mod upgrade;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use arc_swap::{ArcSwap, ArcSwapOption};
use http::{Method, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use tracing::{Instrument, debug, debug_span, warn};

pub(crate) use self::known::Known;
use crate::{
    admin,
    body::Body,
    bypass_link::BypassLinks,
    ca::AuthorityError,
    config::{Config, ConfigError, Idle, Lookup},
    credentials::Denied,
    error::Error,
    error_pages,
    headers::{Kinds, Pseudonym},
    log::RequestLog,
    rewrite::{Rewriter, Workers},
    route::Route,
    runtime_state::RuntimeState,
    server::{Begun, Places, Refusal, Served},
    upstream, websocket,
};

/// The proxy: what is in force, and what outlives a change of it.
#[derive(Debug)]
pub struct Proxy {
    running: ArcSwap<RuntimeState>,
    own: Vec<SocketAddr>,
    /// Where the configuration is looked for, if not only in the one file.
    lookup: OnceLock<Lookup>,
    /// The file in force.
    file: ArcSwapOption<PathBuf>,
    /// What some settings are compared with: they are read at start only.
    started_with: Config,
    workers: Workers,
    pseudonym: Pseudonym,
    pub(crate) bypass_links: BypassLinks,
    reload_error: ArcSwapOption<String>,
    pub(crate) places: Arc<Places>,
}

/// Where the configuration came from: shown in the panel, watched for changes.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file; none means the defaults within the program.
    pub file: Option<PathBuf>,
}

/// Why the proxy cannot start, or cannot take over a new configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Interception is on and there is no authority.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

impl Proxy {
    /// Makes a proxy that will listen on `own`.
    pub fn new(
        config: Config,
        own: Vec<SocketAddr>,
        origin: Origin,
    ) -> Result<Arc<Self>, StartError> {
        check_listen(&config, &own)?;
        tell_idle(&config);
        let workers = Workers::new(config.limits.page_workers);
        let places = Places::new(config.limits.connections);
        let rewriter = Rewriter::new(&config, workers.clone())?;
        let running = RuntimeState::new(config, own.clone(), rewriter, None)?;
        Ok(Arc::new(Self {
            started_with: running.config.clone(),
            running: ArcSwap::from_pointee(running),
            own,
            lookup: OnceLock::new(),
            file: ArcSwapOption::new(origin.file.map(Arc::new)),
            workers,
            pseudonym: Pseudonym::new(),
            bypass_links: BypassLinks::new(),
            reload_error: ArcSwapOption::empty(),
            places,
        }))
    }

    /// Puts another configuration in force. Requests on their way keep the one they began with. On an
    /// error everything stays as it is.
    pub fn reload(&self, config: Config) -> Result<(), StartError> {
        check_listen(&config, &self.own)?;
        tell_idle(&config);
        let before = self.running();
        let rewriter = Rewriter::new(&config, self.workers.clone())?;
        let running = RuntimeState::new(config, self.own.clone(), rewriter, Some(&before))?;
        self.running.store(Arc::new(running));
        self.reload_error.store(None);
        Ok(())
    }

    /// Remembers why the last reload failed, for the panel.
    pub fn reload_failed(&self, message: &str) {
        self.reload_error.store(Some(Arc::new(message.to_owned())));
    }

    /// What went wrong at the last reload, until one succeeds.
    #[must_use]
    pub fn reload_error(&self) -> Option<Arc<String>> {
        self.reload_error.load_full()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Config {
        self.running().config.clone()
    }

    /// The certificate's file of the authority in use; none while interception is off.
    pub(crate) fn authority_file(&self) -> Option<PathBuf> {
        let running = self.running();
        let authority = running.authority.as_ref()?;
        Some(authority.certificate_file())
    }

    /// The file the configuration came from.
    #[must_use]
    pub fn config_file(&self) -> Option<PathBuf> {
        self.file.load_full().map(|file| file.as_ref().clone())
    }

    /// Says where the configuration is looked for at a reload. Only the first call counts.
    pub fn look_in(&self, lookup: Lookup) {
        // A second call has nothing to add: the places do not change while the program runs.
        let _ = self.lookup.set(lookup);
    }

    /// Where the configuration is looked for; none for the defaults within and nothing else.
    pub(crate) fn lookup(&self) -> Option<Lookup> {
        let named = || self.config_file().map(|file| Lookup::new(Some(file)));
        self.lookup.get().cloned().or_else(named)
    }

    pub(crate) fn set_config_file(&self, file: PathBuf) {
        self.file.store(Some(Arc::new(file)));
    }

    /// The configuration that the program started with.
    pub(crate) fn started_with(&self) -> &Config {
        &self.started_with
    }

    pub(crate) fn running(&self) -> Arc<RuntimeState> {
        self.running.load_full()
    }
}

/// Answers one request. Every failure is an answer too.
pub(crate) async fn handle(
    served: Arc<Served>,
    request: Box<Request<Incoming>>,
    begun: Begun,
) -> Response<Body> {
    let log = RequestLog::new(
        served.conn.client,
        &served.conn.life.ended,
        request.method().clone(),
        begun.at,
    );
    let log = Box::new(log);
    let version = request.version();
    let is_connect = request.method() == Method::CONNECT;
    let span = debug_span!("request", method = %request.method());
    let mut exchange = Exchange {
        running: served.proxy.running(),
        served,
        log,
        kinds: begun.kinds,
        just_told: begun.just_told,
    };
    async move {
        let mut response = match exchange.answer(request).await {
            Ok(Answer::Response(response)) => response,
            // The tunnel keeps the log entry: its bytes are still to come.
            Ok(Answer::Taken(response)) => return response,
            Err(error) => {
                debug!(%error, side = ?error.side(), "request failed");
                if matches!(error, Error::ClientNotAllowed | Error::CredentialsChanged) {
                    exchange.served.conn.dismiss();
                }
                exchange.log.action = format!("error: {error}");
                error_pages::error_response(&error)
            }
        };
        if is_connect && !response.status().is_success() {
            // What the client sent for its tunnel must not be read as a request.
            let close = http::HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        if version == Version::HTTP_10 {
            // RFC 9112 § 9.3: a proxy keeps no connection with an HTTP/1.0 client, because an older proxy
            // between the two may have passed its `Connection: keep-alive` on unread (Appendix C.2.2).
            let close = http::HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            // Else the library would add its own `keep-alive`.
            *response.version_mut() = Version::HTTP_10;
        }
        if version == Version::HTTP_2 {
            // RFC 9113 § 8.2.2: the connection is not a message's business there.
            response.headers_mut().remove(header::CONNECTION);
        }
        exchange.log.status = response.status().as_u16();
        response.map(|body| body.logged(exchange.log))
    }
    .instrument(span)
    .await
}

/// One request on its way.
pub(crate) struct Exchange {
    pub(crate) served: Arc<Served>,
    pub(crate) running: Arc<RuntimeState>,
    pub(crate) log: Box<RequestLog>,
    /// Of which kinds the request's fields are.
    kinds: Kinds,
    /// Whether the runtime told of it ([`Begun`]).
    just_told: bool,
}

enum Answer {
    Response(Response<Body>),
    /// The connection was taken over, and with it the log entry.
    Taken(Response<Body>),
}

/// What there is left to do.
enum Direction {
    Answered(Box<Answer>),
    Forward(Box<Request<Incoming>>, Arc<upstream::Origin>),
}

impl From<Answer> for Direction {
    fn from(answer: Answer) -> Self {
        Self::Answered(Box::new(answer))
    }
}

impl Exchange {
    /// The road.
    async fn answer(&mut self, mut request: Box<Request<Incoming>>) -> Result<Answer, Error> {
        if !self
            .running
            .acl
            .client_allowed(self.served.conn.client.ip())
        {
            return Err(Error::ClientNotAllowed);
        }
        if let Some(refusal) = request.extensions().get::<Refusal>() {
            return Err(Error::Wire(*refusal));
        }
        if self.running.gate.is_some() {
            Box::pin(self.check_credentials(&request)).await?;
        }
        let origin = match self.served.conn.known.find(&request, &self.running) {
            Some((origin, host_port)) => {
                self.log.host = Some(host_port);
                self.log.route = Route::Forward.as_str();
                if self.is_loop(&request) {
                    return Err(Error::Loop);
                }
                origin
            }
            // In a box, like all that is rare: a request's room is made and moved for each.
            None => match Box::pin(self.direct(request)).await? {
                Direction::Answered(answer) => return Ok(*answer),
                Direction::Forward(unsent, origin) => {
                    request = unsent;
                    origin
                }
            },
        };
        self.forward(request, &origin).await
    }

    /// Finds out where a request is to go, and does what is not an ordinary request to an origin.
    async fn direct(&mut self, request: Box<Request<Incoming>>) -> Result<Direction, Error> {
        let asked = known::Asked::of(&request);
        let Some(target) = self.target(&request)? else {
            self.log.route = "panel";
            self.log.host = Some(target_resolution::host_of(&request).into());
            let client = self.served.conn.client.ip();
            let response = admin::answer(&self.served.proxy, client, &request);
            return Ok(Answer::Response(response).into());
        };
        self.log.host = Some(target.host_port().into());
        if admin::is_control_host(&target) {
            let response = self.own_tunnel(*request, target)?;
            return Ok(Answer::Taken(response).into());
        }
        if self.is_loop(&request) {
            return Err(Error::Loop);
        }
        let permit = self.running.acl.permit(target)?;
        let route = if websocket::is_extended_connect(&request) {
            Route::Forward
        } else {
            let https = &self.running.config.https;
            Route::decide(request.method(), permit.target(), https)
        };
        self.log.route = route.as_str();
        let answer = match route {
            Route::Tunnel => Answer::Taken(self.tunnel(*request, permit).await?),
            Route::Intercept => Answer::Taken(self.intercept(*request, permit)),
            Route::Forward => {
                let origin = self.running.upstream.origin(permit);
                if let Some(asked) = asked {
                    self.served.conn.known.keep(asked, &self.running, &origin);
                }
                return Ok(Direction::Forward(request, origin));
            }
        };
        Ok(answer.into())
    }

    /// Whether the request has passed this process before.
    fn is_loop(&self, request: &Request<Incoming>) -> bool {
        self.kinds.has(Kinds::VIA) && self.served.proxy.pseudonym.is_in(request.headers())
    }

    /// Asks for a name and a password, where users are configured.
    async fn check_credentials(&self, request: &Request<Incoming>) -> Result<(), Error> {
        let Some(gate) = &self.running.gate else {
            return Ok(());
        };
        if self.served.conn.tunnel.is_some() {
            // What is inside of a tunnel came with the CONNECT's credentials, and they count while the same people are asked.
            let passed = self.served.conn.gate.as_ref();
            let is_same = passed.is_some_and(|passed| Arc::ptr_eq(passed, gate));
            return is_same.then_some(()).ok_or(Error::CredentialsChanged);
        }
        // RFC 9110 § 11.6: to a client that takes us for a web server we are one.
        let ours = request.method() != Method::CONNECT && request.uri().scheme().is_none();
        let field = if ours {
            header::AUTHORIZATION
        } else {
            header::PROXY_AUTHORIZATION
        };
        gate.check(self.served.conn.client.ip(), request.headers(), &field)
            .await
            .map_err(|denied| match denied {
                Denied::Credentials => Error::Credentials { ours },
                Denied::TooManyGuesses => Error::TooManyGuesses,
            })
    }

    /// Takes the log entry out for a task that outlives the request.
    fn hand_over_log(&mut self, status: StatusCode) -> RequestLog {
        self.log.status = status.as_u16();
        self.log.take()
    }
}

/// Settings that do nothing are told in the log.
fn tell_idle(config: &Config) {
    for Idle { key, needs } in config.idle_settings() {
        warn!(key, "this setting does nothing: it needs {needs}");
    }
}

/// Listening wider than this machine must be meant; the addresses in use may come from elsewhere than
/// the configuration.
fn check_listen(config: &Config, own: &[SocketAddr]) -> Result<(), ConfigError> {
    let problem = own
        .iter()
        .find_map(|addr| config.access.problem_with_listening(addr.ip()));
    if config.access.is_open_to_strangers() {
        warn!(
            "anyone in `access.clients` may use this proxy, strangers among them; set `access.users`"
        );
    }
    problem.map_or(Ok(()), |problem| Err(ConfigError::listen(&problem)))
}
