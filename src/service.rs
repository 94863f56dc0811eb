//! The order of all steps of a request, written once and nowhere else.
//!
//! Each step's own rules are in its module; here is only what comes after what, and the configuration in force while
//! it happens: one [`RuntimeState`] snapshot per request, so that a reload never changes the rules half-way.

mod blocked;
mod connect;
mod forward;
mod next_pages;
mod target_resolution;
mod upgrade;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use arc_swap::{ArcSwap, ArcSwapOption};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span, warn};

use crate::{
    access_control::Permit,
    admin::{self, Forms, Visit},
    blocking::PausedDevices,
    body::Body,
    bypass_link::{self, BypassLinks},
    ca::AuthorityError,
    client::{Requester, UpstreamError},
    config::{Asker, Choice, Config, ConfigError, IneffectiveSetting, Lookup},
    controls::{Asked, Controls},
    credentials::{Authenticator, Denied},
    device::{self, Device},
    device_looks::DeviceLooks,
    error::Error,
    error_pages,
    headers::Pseudonym,
    listener::ConnectionLimits,
    log::RequestLog,
    mitm::TunnelledHosts,
    panel::{self, Sessions},
    records::Records,
    rewrite::{Rewriter, Workers},
    route::Route,
    runtime_state::RuntimeState,
    server::{Connection, ParseRejection},
    trusted_devices::TrustedDevices,
    websocket,
};

/// Descriptors kept for all but connections: files, the resolver, refusals, and the two dozen that the runtime has open.
const OTHER_DESCRIPTORS: usize = 40;

/// Most idle connections to origins.
const MAX_IDLE: usize = 512;

/// The proxy: what is in force, and what outlives a change of it.
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
    pub(crate) paused_devices: PausedDevices,
    pub(crate) forms: Forms,
    pub(crate) sessions: Sessions,
    pub(crate) records: Arc<Records>,
    controls: Arc<Controls>,
    pub(crate) device_looks: DeviceLooks,
    reload_error: ArcSwapOption<String>,
    pub(crate) limits: Arc<ConnectionLimits>,
    pub(crate) tunnelled: TunnelledHosts,
    pub(crate) trusted_devices: TrustedDevices,
    max_idle: usize,
    /// Notified when another configuration is in force.
    pub(crate) reloaded: tokio::sync::Notify,
}

/// Where the configuration came from: shown on the start page, watched for changes.
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
    pub fn new(config: Config, own: Vec<SocketAddr>, origin: Origin) -> Result<Arc<Self>, StartError> {
        check_listen(&config, &own)?;
        warn_about_ineffective(&config);
        let workers = Workers::new(config.limits.page_workers);
        let (connections, max_idle) = descriptor_budget(config.limits.connections);
        let rewriter = Rewriter::new(&config, workers.clone())?;
        let trusted_devices = TrustedDevices::open(config.authority_dir.as_deref());
        let running = RuntimeState::new(config, own.clone(), rewriter, max_idle, None)?;
        let controls = Arc::new(Controls::open(running.config.authority_dir.as_deref()));
        let device_looks = DeviceLooks::open(running.config.authority_dir.as_deref());
        Ok(Arc::new(Self {
            started_with: running.config.clone(),
            running: ArcSwap::from_pointee(running),
            own,
            lookup: OnceLock::new(),
            file: ArcSwapOption::new(origin.file.map(Arc::new)),
            workers,
            pseudonym: Pseudonym::new(),
            bypass_links: BypassLinks::new(),
            paused_devices: PausedDevices::new(),
            forms: Forms::default(),
            sessions: Sessions::new(),
            records: Arc::new(Records::new()),
            controls,
            device_looks,
            reload_error: ArcSwapOption::empty(),
            limits: ConnectionLimits::new(connections),
            tunnelled: TunnelledHosts::new(),
            trusted_devices,
            max_idle,
            reloaded: tokio::sync::Notify::new(),
        }))
    }

    /// Puts another configuration in force. Requests on their way keep the one they began with. On an
    /// error everything stays as it is.
    pub fn reload(&self, config: Config) -> Result<(), StartError> {
        check_listen(&config, &self.own)?;
        warn_about_ineffective(&config);
        let before = self.running();
        let rewriter = Rewriter::new(&config, self.workers.clone())?;
        let own = self.own.clone();
        let running = RuntimeState::new(config, own, rewriter, self.max_idle, Some(&before))?;
        self.running.store(Arc::new(running));
        self.reload_error.store(None);
        self.reloaded.notify_one();
        Ok(())
    }

    /// Remembers why the last reload failed, for the start page.
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
        let authority = running.authority()?;
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

    /// The addresses that it listens on.
    pub(crate) fn own(&self) -> &[SocketAddr] {
        &self.own
    }

    pub(crate) fn running(&self) -> Arc<RuntimeState> {
        self.running.load_full()
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("own", &self.own).finish_non_exhaustive()
    }
}

/// Answers one request. Every failure is an answer too.
pub(crate) async fn handle(
    proxy: Arc<Proxy>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
    started: Instant,
) -> Response<Body> {
    let aborted = &connection.shutdown.aborted;
    let log = RequestLog::new(connection.client, aborted, request.method().clone(), started, &proxy.records);
    let version = request.version();
    let is_connect = request.method() == Method::CONNECT;
    let span = debug_span!("request", method = %request.method());
    let mut exchange = Exchange { running: proxy.running(), proxy, connection, user: None, log };
    async move {
        let mut response = match exchange.answer(request).await {
            Ok(Answer::Response(response)) => response,
            // The tunnel keeps the log entry: its bytes are still to come.
            Ok(Answer::Upgraded(response)) => return response,
            Err(error) => {
                debug!(%error, side = ?error.side(), "request failed");
                exchange.log.action = format!("error: {error}");
                exchange.after(&error);
                error_pages::error_response(&error)
            }
        };
        set_connection_field(&mut response, version, is_connect);
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

/// One request on its way.
struct Exchange {
    proxy: Arc<Proxy>,
    connection: Arc<Connection>,
    running: Arc<RuntimeState>,
    /// The name that was given, where users are configured.
    user: Option<Arc<str>>,
    log: RequestLog,
}

enum Answer {
    Response(Response<Body>),
    /// The connection or stream became a tunnel, which has the log entry.
    Upgraded(Response<Body>),
}

impl Exchange {
    /// The steps in their order.
    async fn answer(&mut self, mut request: Request<Incoming>) -> Result<Answer, Error> {
        let client = self.connection.client.ip();
        // Asked again here, because a kept connection may have outlived a change of the rules.
        if !self.running.acl.client_allowed(client) {
            return Err(Error::ClientNotAllowed(client.to_canonical()));
        }
        if let Some(rejection) = request.extensions().get::<ParseRejection>() {
            return Err(Error::Rejected(*rejection));
        }
        if let Some(authenticator) = &self.running.authenticator {
            self.user = Box::pin(self.check_credentials(authenticator, &request)).await?;
            self.log.user.clone_from(&self.user);
        }
        self.certificate_accepted();
        target_resolution::take_user_info(&mut request);
        let Some(target) = self.target(&request)? else {
            self.log.route = "admin";
            self.log.host = Some(target_resolution::host_of(&request).into());
            if panel::has(request.uri().path()) {
                let device = self.device(request.headers());
                let answer = Box::pin(panel::answer(&self.proxy, &self.connection, device, request)).await;
                return Ok(Answer::Response(answer));
            }
            let visit = Visit::new(&self.connection, self.device(request.headers()), &request);
            return Ok(Answer::Response(admin::answer(&self.proxy, &visit, &request)));
        };
        self.log.host = Some(target.host_port().into());
        if admin::is_control_host(&target) {
            return Ok(Answer::Upgraded(self.own_tunnel(request, target)?));
        }
        if self.proxy.pseudonym.is_in(request.headers()) {
            return Err(Error::Loop);
        }
        let permit = self.running.acl.permit(target)?;
        if request.method() == Method::CONNECT && !websocket::is_extended_connect(&request) {
            return Ok(Answer::Upgraded(Box::pin(self.connect(request, permit)).await?));
        }
        let asked = self.proxy.controls.take(&mut request, permit.target(), |headers| self.device(headers));
        let view = match asked {
            Asked::Page => None,
            Asked::View(view, id) => Some((view, id)),
            Asked::NotOurs(page) => return Ok(Answer::Response(bypass_link::redirect(&page))),
        };
        let host = permit.target().host.plain();
        if let Some(response) = self.blocked(&request, &permit, &host) {
            return Ok(Answer::Response(response));
        }
        self.log.route = Route::Forward.as_str();
        // In boxes, because the futures are large, and most requests need one of them.
        Box::pin(self.forward(request, &permit, host, view)).await
    }

    /// What an error changes beyond its response.
    fn after(&self, error: &Error) {
        match error {
            Error::ClientNotAllowed(_) | Error::CredentialsChanged => self.connection.drain(),
            Error::Upstream { error: UpstreamError::NoDescriptors, .. } => self.running.client.close_idle(),
            Error::Upstream { error, .. } if error.may_work_in_a_tunnel() => {
                if let Some(target) = &self.connection.tunnel {
                    self.proxy.tunnel_from_now_on(target, error);
                    self.connection.drain();
                }
            }
            _ => {}
        }
    }

    /// The program on the device that asks.
    fn device(&self, headers: &HeaderMap) -> Device {
        Device::new(self.connection.client.ip(), self.user.clone(), headers)
    }

    /// Whether this device has paused blocking.
    fn is_paused(&self) -> bool {
        self.proxy.paused_devices.of(self.connection.client.ip().to_canonical(), self.user.clone()).is_some()
    }

    /// The profile of this client and host.
    fn profile(&self, headers: &HeaderMap, host: &str) -> Option<Choice<'_>> {
        let asker = Asker {
            client: self.connection.client.ip().to_canonical(),
            user: self.user.as_deref(),
            user_agent: device::user_agent(headers),
            port: self.connection.local.port(),
        };
        self.running.config.profiles.choose(&asker, host)
    }

    /// A first request on a decrypted connection: the client has accepted our certificate.
    fn certificate_accepted(&self) {
        if let (Some(device), Some(target)) = (&self.connection.device, &self.connection.tunnel)
            && self.connection.state.counts().0 == 1
        {
            self.proxy.tunnelled.accepted(device, &target.host_port());
            self.proxy.trusted_devices.seen(device);
        }
    }

    /// Asks for a name and a password. Returns the name.
    async fn check_credentials(
        &self,
        authenticator: &Arc<Authenticator>,
        request: &Request<Incoming>,
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
    fn upstream_error(permit: &Permit, error: UpstreamError) -> Error {
        Error::Upstream { host: permit.target().host_port(), error }
    }
}

/// Who asks for upstream connections.
pub(crate) fn requester(connection: &Connection) -> Requester<'_> {
    Requester { address: connection.client.ip(), pinned: &connection.pinned }
}

/// How many client connections and idle upstream connections the process has descriptors for: each client
/// connection may need another to an origin.
fn descriptor_budget(configured: usize) -> (usize, usize) {
    // The program raises its limit at start; see `cli::serve`.
    let descriptors = rlimit::Resource::NOFILE.get_soft().unwrap_or(1024);
    let descriptors = usize::try_from(descriptors).unwrap_or(usize::MAX);
    let usable = descriptors.saturating_sub(OTHER_DESCRIPTORS);
    let max_idle = (usable / 4).min(MAX_IDLE);
    let connections = configured.min((usable - max_idle) / 2).max(1);
    if connections < configured {
        warn!(
            connections,
            descriptors, "`limits.connections` is reduced: the process may open too few descriptors (ulimit -n)"
        );
    }
    (connections, max_idle)
}

fn warn_about_ineffective(config: &Config) {
    for IneffectiveSetting { key, needs } in config.ineffective_settings() {
        warn!(key, "this setting does nothing: it needs {needs}");
    }
    for hint in &config.hints {
        warn!("{hint}");
    }
    for list in config.blocker.lists() {
        if let Some(problem) = &list.problem {
            warn!(list = %list.source, problem, "a list of `blocking.lists` is not in use");
        }
    }
}

/// Listening wider than this machine must be meant; the addresses in use may come from elsewhere than
/// the configuration.
fn check_listen(config: &Config, own: &[SocketAddr]) -> Result<(), ConfigError> {
    let problem = own.iter().find_map(|addr| config.access.problem_with_listening(addr.ip()));
    if config.access.is_open_to_strangers() {
        warn!("anyone in `access.clients` may use this proxy, strangers among them; set `access.users`");
    }
    problem.map_or(Ok(()), |problem| Err(ConfigError::elsewhere(problem)))
}
