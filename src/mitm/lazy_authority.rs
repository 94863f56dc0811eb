//! The certificate authority, opened or created when it is needed first.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tracing::{info, warn};

use super::authority::{Authority, AuthorityError};

/// How often an authority that could not be opened is tried again: a disk may have room by then, or the clock be set.
const TRIED_EVERY: Duration = Duration::from_secs(5);

/// The authority of one configuration.
pub(crate) struct LazyAuthority {
    dir: Option<PathBuf>,
    /// Open from the start where interception is `on` in some profile and the clock is set, else from the first time that it is
    /// asked for.
    opened: OnceLock<Arc<Authority>>,
    /// When it could not be opened, and why.
    failed: Mutex<Option<(Instant, String)>>,
}

impl LazyAuthority {
    /// `before`: the authority that was open in the configuration before.
    pub(crate) fn new(
        dir: Option<PathBuf>,
        is_needed: bool,
        before: Option<Arc<Authority>>,
    ) -> Result<Self, AuthorityError> {
        let opened = match before {
            // Its folder is read at start only.
            Some(authority) => OnceLock::from(in_force(authority)),
            None if is_needed => match open(dir.as_deref()) {
                Ok(authority) => OnceLock::from(authority),
                // Some machines start before their clock is set; until it is, encrypted pages pass as they are.
                Err(AuthorityError::Clock(..)) => OnceLock::new(),
                Err(error) => return Err(error),
            },
            None => OnceLock::new(),
        };
        Ok(Self { dir, opened, failed: Mutex::default() })
    }

    /// The authority, if it is open.
    pub(crate) fn get(&self) -> Option<&Arc<Authority>> {
        self.opened.get()
    }

    /// Opens or creates the authority on first use, also while interception is off: the control host needs a certificate,
    /// and the start page offers the authority's.
    pub(crate) fn open(&self) -> Option<&Arc<Authority>> {
        self.try_open().ok()
    }

    /// The authority, opened or created on first use; or why there is none, and what to do.
    pub(crate) fn try_open(&self) -> Result<&Arc<Authority>, String> {
        if let Some(authority) = self.opened.get() {
            return Ok(authority);
        }
        let mut failed = self.failed.lock();
        if let Some((at, problem)) = &*failed
            && at.elapsed() < TRIED_EVERY
        {
            return Err(problem.clone());
        }
        match open(self.dir.as_deref()) {
            Ok(authority) => Ok(self.opened.get_or_init(|| authority)),
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

fn open(dir: Option<&Path>) -> Result<Arc<Authority>, AuthorityError> {
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
