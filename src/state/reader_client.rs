//! The client of the reader's address: with rules of its own, and so with connections of its own. One that the proxy keeps may lead
//! where the reader's address must not.

use std::sync::{Arc, OnceLock};

use crate::{client::Client, config::Config, http::headers::Pseudonyms, net::access_control::Acl};

/// Most idle connections: one person reads one page after the other.
const MAX_IDLE: usize = 32;

pub(crate) struct ReaderClient {
    config: Arc<Config>,
    pub(crate) acl: Arc<Acl>,
    pseudonyms: Pseudonyms,
    /// Made when it is first used: most households need none.
    client: OnceLock<Arc<Client>>,
}

impl ReaderClient {
    pub(super) fn new(config: &Arc<Config>, acl: &Acl, pseudonyms: &Pseudonyms) -> Self {
        let acl = Arc::new(acl.for_reader(&config.read.targets));
        Self { config: Arc::clone(config), acl, pseudonyms: pseudonyms.clone(), client: OnceLock::new() }
    }

    pub(crate) fn client(&self) -> Arc<Client> {
        let pseudonyms = Some(self.pseudonyms.clone());
        let made = || Arc::new(Client::new(&self.config, Arc::clone(&self.acl), MAX_IDLE, pseudonyms));
        Arc::clone(self.client.get_or_init(made))
    }
}
