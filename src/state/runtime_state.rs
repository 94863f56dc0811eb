//! One configuration in force: everything that is built from it, replaced as a whole at a reload.
//!
//! A request takes one snapshot and keeps it to its end; when the last request of an old snapshot is
//! done, its pooled connections go with it.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tracing::{info, warn};

use crate::{
    client::Client,
    config::{Config, Users},
    mitm::authority::{Authority, AuthorityError},
    net::{access_control::Acl, credentials::Authenticator},
    rewrite::Rewriter,
    state::proxy::StartError,
};

/// How often an authority that could not be opened is tried again: a disk may have room by then, or the clock be set.
const TRIED_EVERY: Duration = Duration::from_secs(5);

pub(crate) struct RuntimeState {
    pub(crate) config: Config,
    pub(crate) acl: Arc<Acl>,
    /// Only where users are configured.
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    /// Only where the panel has a password.
    pub(crate) panel_login: Option<Arc<Authenticator>>,
    pub(crate) client: Client,
    pub(crate) rewriter: Rewriter,
    /// Open from the start where interception is `on` in some profile and the clock is set, else from the first time that it is
    /// asked for.
    authority: OnceLock<Arc<Authority>>,
    /// When it could not be opened, and why.
    authority_failed: Mutex<Option<(Instant, String)>>,
}

impl RuntimeState {
    pub(crate) fn new(
        config: Config,
        own: Vec<SocketAddr>,
        rewriter: Rewriter,
        max_idle: usize,
        before: Option<&Self>,
    ) -> Result<Self, StartError> {
        let opened_before = before.and_then(|old| old.authority().cloned());
        let authority = match opened_before {
            // Its folder is read at start only.
            Some(authority) => OnceLock::from(in_force(authority)),
            None if config.always_intercepts() => match open_authority(&config) {
                Ok(authority) => OnceLock::from(authority),
                // Some machines start before their clock is set; until it is, encrypted pages pass as they are.
                Err(AuthorityError::Clock(..)) => OnceLock::new(),
                Err(error) => return Err(error.into()),
            },
            None => OnceLock::new(),
        };
        let authenticator = kept_or_new(before.and_then(|old| old.authenticator.as_ref()), &config.access.users);
        let panel_login = kept_or_new(before.and_then(|old| old.panel_login.as_ref()), &config.panel.users());
        let acl = Arc::new(Acl::new(config.access.clone(), own));
        let client = Client::new(&config, Arc::clone(&acl), max_idle);
        let authority_failed = Mutex::default();
        Ok(Self { config, acl, authenticator, panel_login, client, rewriter, authority, authority_failed })
    }

    pub(crate) fn authority(&self) -> Option<&Arc<Authority>> {
        self.authority.get()
    }

    /// Opens or creates the authority on first use, also while interception is off: the control host needs a certificate,
    /// and the start page offers the authority's.
    pub(crate) fn open_authority(&self) -> Option<&Arc<Authority>> {
        self.try_authority().ok()
    }

    /// The authority, opened or created on first use; or why there is none, and what to do.
    pub(crate) fn try_authority(&self) -> Result<&Arc<Authority>, String> {
        if let Some(authority) = self.authority.get() {
            return Ok(authority);
        }
        let mut failed = self.authority_failed.lock();
        if let Some((at, problem)) = &*failed
            && at.elapsed() < TRIED_EVERY
        {
            return Err(problem.clone());
        }
        match open_authority(&self.config) {
            Ok(authority) => Ok(self.authority.get_or_init(|| authority)),
            Err(error) => {
                let hint = match error {
                    AuthorityError::NoFolder | AuthorityError::Create(..) => {
                        "; let Gleaner write there, or name another folder with `authority.dir`"
                    }
                    _ => "",
                };
                let problem = format!("{error}{hint}");
                if failed.as_ref().is_none_or(|(_, before)| *before != problem) {
                    warn!(%error, "there is no certificate authority, so encrypted pages pass as they are");
                }
                *failed = Some((Instant::now(), problem.clone()));
                Err(problem)
            }
        }
    }
}

/// Keeps the authenticator when the users did not change, so that its guess counters survive a reload.
fn kept_or_new(before: Option<&Arc<Authenticator>>, users: &Users) -> Option<Arc<Authenticator>> {
    match before {
        Some(before) if before.asks(users) => Some(Arc::clone(before)),
        _ => Authenticator::new(users).map(Arc::new),
    }
}

fn open_authority(config: &Config) -> Result<Arc<Authority>, AuthorityError> {
    let dir = config.authority_dir.as_deref();
    let authority = Authority::open(dir.ok_or(AuthorityError::NoFolder)?)?;
    if let Some(warning) = authority.expiry_warning() {
        warn!("{warning}");
    }
    Ok(Arc::new(authority))
}

/// The authority in use with its leaves, or the one that has taken its place (`gleaner ca regenerate`).
fn in_force(authority: Arc<Authority>) -> Arc<Authority> {
    match authority.replaced() {
        Ok(None) => authority,
        Ok(Some(new)) => {
            info!("another certificate authority is in force; devices must trust its certificate");
            Arc::new(new)
        }
        Err(error) => {
            warn!(%error, "the certificate authority cannot be read again, the one before it stays in force");
            authority
        }
    }
}
