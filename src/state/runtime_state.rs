//! One configuration in force: everything that is built from it, replaced as a whole at a reload.
//!
//! A request takes one snapshot and keeps it to its end; when the last request of an old snapshot is
//! done, its pooled connections go with it.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use crate::{
    blocking::Blocker,
    client::Client,
    config::{Config, Users},
    http::headers::Pseudonyms,
    mitm::lazy_authority::LazyAuthority,
    net::{access_control::Acl, credentials::Authenticator},
    rewrite::Rewriter,
    state::{loaded_config::LoadedConfig, proxy::StartError, reader_client::ReaderClient},
};

pub(crate) struct RuntimeState {
    pub(crate) config: Arc<Config>,
    pub(crate) blocker: Arc<Blocker>,
    /// Files whose change means a reload.
    pub(crate) watched: Vec<PathBuf>,
    pub(crate) acl: Arc<Acl>,
    /// Only where users are configured.
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    /// Only where the panel has a password.
    pub(crate) panel_login: Option<Arc<Authenticator>>,
    pub(crate) client: Arc<Client>,
    /// For the reader's address.
    pub(crate) reader: ReaderClient,
    pub(crate) rewriter: Rewriter,
    pub(crate) authority: Arc<LazyAuthority>,
}

impl RuntimeState {
    pub(crate) fn new(
        loaded: LoadedConfig,
        listen_addrs: Vec<SocketAddr>,
        rewriter: Rewriter,
        max_idle: usize,
        pseudonyms: &Pseudonyms,
        before: Option<&Self>,
    ) -> Result<Self, StartError> {
        let LoadedConfig { config, blocker, watched, .. } = loaded;
        let authority = LazyAuthority::new(
            config.authority_dir.clone(),
            config.always_intercepts(),
            before.and_then(|old| old.authority.get().cloned()),
        )?;
        let authenticator = kept_or_new(before.and_then(|old| old.authenticator.as_ref()), &config.access.users);
        let panel_login = kept_or_new(before.and_then(|old| old.panel_login.as_ref()), &config.panel.users());
        let acl = Arc::new(Acl::new(config.access.clone(), listen_addrs));
        let client = Arc::new(Client::new(&config, Arc::clone(&acl), max_idle, Some(pseudonyms.clone())));
        let config = Arc::new(config);
        Ok(Self {
            reader: ReaderClient::new(&config, &acl, pseudonyms),
            config,
            blocker,
            watched,
            acl,
            authenticator,
            panel_login,
            client,
            rewriter,
            authority: Arc::new(authority),
        })
    }
}

/// Keeps the authenticator when the users did not change, so that its guess counters survive a reload.
fn kept_or_new(before: Option<&Arc<Authenticator>>, users: &Users) -> Option<Arc<Authenticator>> {
    match before {
        Some(before) if before.asks(users) => Some(Arc::clone(before)),
        _ => Authenticator::new(users).map(Arc::new),
    }
}
