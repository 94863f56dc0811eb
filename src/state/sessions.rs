//! The sessions of those who have logged in to the panel.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};

use crate::{
    config::PasswordHash,
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        random::random_bytes,
    },
};

/// How long a session lasts, and how long it may be unused.
pub(crate) const LONGEST: Duration = Duration::from_hours(7 * 24);
const UNUSED: Duration = Duration::from_hours(12);

/// Sessions at a time; of more, the least used end.
const MAX_SESSIONS: usize = 1000;

/// The sessions of those who have logged in.
pub(crate) struct Sessions(ExpiringMap<String, (Session, Instant)>);

/// Properties with which a session began; it ends when any of them changes.
#[derive(Clone, Debug)]
struct Session {
    client: IpAddr,
    password: Option<PasswordHash>,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self(ExpiringMap::new(MAX_SESSIONS, Lifetime::SinceUse(UNUSED)))
    }

    /// Begins a session. Returns its id.
    pub(crate) fn begin(&self, client: IpAddr, password: Option<PasswordHash>) -> String {
        let id = BASE64_URL_SAFE_NO_PAD.encode(random_bytes::<32>());
        self.0.insert(id.clone(), (Session { client, password }, Instant::now()));
        id
    }

    /// Whether this is the id of a session of this client, begun with this password.
    pub(crate) fn is_live(&self, id: &str, client: IpAddr, password: Option<&PasswordHash>) -> bool {
        let is_same = |session: &Session| session.client == client && session.password.as_ref() == password;
        self.0.get(id).is_some_and(|(session, begun)| is_same(&session) && begun.elapsed() < LONGEST)
    }

    pub(crate) fn end(&self, id: &str) {
        self.0.remove(id);
    }
}
