//! The state of one running proxy: the current `RuntimeState`, and everything that survives a reload.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::{ArcSwap, ArcSwapOption};
use gleaner_filters::View;
use parking_lot::Mutex;
use tokio::{runtime::Handle, task::spawn_blocking, time::sleep};
use tracing::warn;
use url::Url;

use super::failed_connects::FailedConnects;
use crate::{
    blocking::{Blocker, PausedDevices},
    config::{Config, ConfigError, Lookup},
    http::{cookie_jar::CookieJar, headers::Pseudonyms, history::RequestHistory},
    mitm::{TunnelledHosts, authority::AuthorityError, trusted_devices::TrustedDevices},
    net::{client_program::ClientProgram, secure_hosts::SecureHosts},
    rewrite::{
        Rewriter, Workers,
        views::{PageId, ViewLinks},
    },
    server::connection_limits::ConnectionLimits,
    state::{
        bypass_links::BypassLinks, device_names::DeviceNames, excepted_pages::ExceptedPages, feed_texts::FeedTexts,
        form_tokens::FormTokens, loaded_config::LoadedConfig, reader_preferences::ReaderPreferences,
        runtime_state::RuntimeState, sessions::Sessions,
    },
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        platform,
        tokens::Tokens,
    },
};

/// Descriptors kept for all but connections: files, the resolver, refusals, and the two dozen that the runtime has open.
const OTHER_DESCRIPTORS: usize = 40;

/// How often it is looked whether lists are in use. Raising it keeps those that are not in memory for longer.
const FREE_INTERVAL: Duration = Duration::from_secs(1);

/// How long the page of a view may take, where an ICAP client fetches it.
const ADAPTED_WITHIN: Duration = Duration::from_mins(1);

/// Most idle connections to origins.
const MAX_IDLE: usize = 512;

/// Most devices whose cookies are kept, and for how long after their last use.
const MAX_JARS: usize = 256;
const JAR_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// The proxy: what is in force, and what outlives a change of it.
pub struct Proxy {
    state: ArcSwap<RuntimeState>,
    /// The addresses that it listens on.
    pub(crate) listen_addrs: Vec<SocketAddr>,
    /// Where the configuration is looked for, if not only in the one file.
    config_lookup: OnceLock<Lookup>,
    /// The file in force.
    pub(crate) file: ArcSwapOption<PathBuf>,
    /// Configuration at start, to report changed settings that need a restart.
    pub(crate) started_with: Arc<Config>,
    workers: Workers,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) pseudonyms: Pseudonyms,
    pub(crate) bypass_links: BypassLinks,
    pub(crate) excepted_pages: ExceptedPages,
    pub(crate) paused_devices: PausedDevices,
    /// Devices on which services are open that their hours block.
    pub(crate) opened_devices: PausedDevices,
    pub(crate) device_names: DeviceNames,
    pub(crate) forms: FormTokens,
    pub(crate) sessions: Sessions,
    pub(crate) records: Arc<RequestHistory>,
    pub(crate) view_links: Arc<ViewLinks>,
    pub(crate) reader_preferences: ReaderPreferences,
    pub(crate) feed_texts: Arc<FeedTexts>,
    pub(crate) secure_hosts: Arc<SecureHosts>,
    /// The cookies of devices at the reader's address.
    pub(crate) cookie_jars: ExpiringMap<ClientProgram, Arc<Mutex<CookieJar>>>,
    /// Why the last reload failed, for the start page.
    pub(crate) reload_error: ArcSwapOption<String>,
    /// The newest version of this program, where it is newer than this one.
    pub(crate) newer_version: ArcSwapOption<String>,
    pub(crate) limits: Arc<ConnectionLimits>,
    /// A signal has asked the program to end.
    pub(crate) is_ending: AtomicBool,
    pub(crate) tunnelled: Arc<TunnelledHosts>,
    pub(crate) failed_connects: FailedConnects,
    /// Hosts of the home network whose pages have browsers leave `Referer` out.
    pub(crate) without_referrer: ExpiringMap<Arc<str>, ()>,
    pub(crate) trusted_devices: Arc<TrustedDevices>,
    /// Views that were asked for over ICAP, until their pages come.
    pub(crate) adapted_views: ExpiringMap<(ClientProgram, Url), (View, PageId)>,
    max_idle: usize,
    /// Notified when another configuration is in force.
    pub(crate) reloaded: tokio::sync::Notify,
    /// Notified when a list has changed that is in no file.
    pub(crate) lists_changed: tokio::sync::Notify,
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
    /// Makes a proxy that will listen on these addresses.
    pub fn new(loaded: LoadedConfig, listen_addrs: Vec<SocketAddr>) -> Result<Arc<Self>, StartError> {
        let config = &loaded.config;
        check_listen(config, &listen_addrs)?;
        warn_about_ineffective(&loaded);
        let workers = Workers::new(config.limits.page_workers);
        let (connections, max_idle) = descriptor_budget(config.limits.connections);
        let rewriter = Rewriter::new(config, &loaded.blocker, workers.clone())?;
        let trusted_devices = TrustedDevices::open(config.authority_dir.as_deref());
        let tunnelled = TunnelledHosts::open(config.authority_dir.as_deref());
        let file = loaded.file.clone();
        let tokens = Arc::new(Tokens::open(config.authority_dir.as_deref()));
        let pseudonyms = Pseudonyms::new(Arc::clone(&tokens));
        let state = RuntimeState::new(loaded, listen_addrs.clone(), rewriter, max_idle, &pseudonyms, None)?;
        let reader_preferences = ReaderPreferences::open(state.config.authority_dir.as_deref());
        let device_names = DeviceNames::open(state.config.authority_dir.as_deref());
        Ok(Arc::new(Self {
            started_with: Arc::clone(&state.config),
            state: ArcSwap::from_pointee(state),
            listen_addrs,
            config_lookup: OnceLock::new(),
            file: ArcSwapOption::new(file.map(Arc::new)),
            workers,
            pseudonyms,
            bypass_links: BypassLinks::new(Arc::clone(&tokens)),
            excepted_pages: ExceptedPages::new(),
            paused_devices: PausedDevices::new(),
            opened_devices: PausedDevices::new(),
            device_names,
            forms: FormTokens::new(Arc::clone(&tokens)),
            sessions: Sessions::new(),
            records: Arc::new(RequestHistory::new()),
            view_links: Arc::new(ViewLinks::new(Arc::clone(&tokens))),
            tokens,
            reader_preferences,
            feed_texts: Arc::new(FeedTexts::new()),
            secure_hosts: Arc::new(SecureHosts::new()),
            cookie_jars: ExpiringMap::new(MAX_JARS, Lifetime::SinceUse(JAR_LIFETIME)),
            reload_error: ArcSwapOption::empty(),
            newer_version: ArcSwapOption::empty(),
            limits: ConnectionLimits::new(connections),
            is_ending: AtomicBool::default(),
            tunnelled: Arc::new(tunnelled),
            failed_connects: FailedConnects::new(),
            without_referrer: ExpiringMap::new(256, Lifetime::Unlimited),
            trusted_devices: Arc::new(trusted_devices),
            adapted_views: ExpiringMap::new(1000, Lifetime::SinceInsertion(ADAPTED_WITHIN)),
            max_idle,
            reloaded: tokio::sync::Notify::new(),
            lists_changed: tokio::sync::Notify::new(),
        }))
    }

    /// Puts another configuration in force. Requests on their way keep the one they began with. On an
    /// error everything stays as it is.
    pub fn reload(&self, loaded: LoadedConfig) -> Result<(), StartError> {
        check_listen(&loaded.config, &self.listen_addrs)?;
        warn_about_ineffective(&loaded);
        let before = self.state();
        let rewriter = Rewriter::new(&loaded.config, &loaded.blocker, self.workers.clone())?;
        let listen_addrs = self.listen_addrs.clone();
        let state = RuntimeState::new(loaded, listen_addrs, rewriter, self.max_idle, &self.pseudonyms, Some(&before))?;
        self.state.store(Arc::new(state));
        self.feed_texts.forget();
        if !self.config().read.cookies {
            self.cookie_jars.clear();
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(free_later(Arc::clone(&before.blocker)));
        }
        self.reload_error.store(None);
        self.reloaded.notify_one();
        Ok(())
    }

    /// The error of the last reload, until one succeeds.
    #[must_use]
    pub fn reload_error(&self) -> Option<Arc<String>> {
        self.reload_error.load_full()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.state().config)
    }

    /// The lists of advertisements and trackers in force.
    #[must_use]
    pub fn blocker(&self) -> Arc<Blocker> {
        Arc::clone(&self.state().blocker)
    }

    /// The file the configuration came from.
    #[must_use]
    pub fn config_file(&self) -> Option<PathBuf> {
        self.file.load_full().map(|file| file.as_ref().clone())
    }

    /// Says where the configuration is looked for at a reload. Only the first call counts.
    pub fn set_config_lookup(&self, lookup: Lookup) {
        // A second call has nothing to add: the places do not change while the program runs.
        let _ = self.config_lookup.set(lookup);
    }

    /// Where the configuration is looked for; none for the defaults within and nothing else.
    pub(crate) fn config_lookup(&self) -> Option<Lookup> {
        let named = || self.config_file().map(|file| Lookup::new(Some(file)));
        self.config_lookup.get().cloned().or_else(named)
    }

    pub(crate) fn state(&self) -> Arc<RuntimeState> {
        self.state.load_full()
    }
}

/// Frees lists that are in force no more, once no request uses them. That takes tenths of a second where they are long, so it is
/// done on no thread that serves requests, wherever the last request ends.
async fn free_later(lists: Arc<Blocker>) {
    while Arc::strong_count(&lists) > 1 {
        sleep(FREE_INTERVAL).await;
    }
    drop(spawn_blocking(move || drop(lists)));
}

/// How many client connections and idle upstream connections the process has descriptors for: each client
/// connection may need another to an origin.
pub(crate) fn descriptor_budget(configured: usize) -> (usize, usize) {
    // The program raises its limit at start; see `cli::serve`.
    let descriptors = usize::try_from(platform::descriptors()).unwrap_or(usize::MAX);
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

fn warn_about_ineffective(loaded: &LoadedConfig) {
    for note in loaded.config.ineffective_settings().iter().chain(&loaded.hints) {
        warn!("{note}");
    }
    loaded.blocker.report();
}

/// Listening wider than this machine must be meant; the addresses in use may come from elsewhere than
/// the configuration.
fn check_listen(config: &Config, listen_addrs: &[SocketAddr]) -> Result<(), ConfigError> {
    let problem = listen_addrs.iter().find_map(|addr| config.access.problem_with_listening(addr.ip()));
    problem.map_or(Ok(()), |problem| Err(ConfigError::overrides(problem)))
}
