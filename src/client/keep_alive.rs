//! Learns how long each origin keeps an idle HTTP/1.1 connection, so that a request that must not be repeated never
//! uses one that is being closed (RFC 9112 § 9.5); a new connection for each would be slow.
//!
//! The origin says so (`Keep-Alive`), or another connection to it shows it, which has been idle for longer and is open.

use std::time::Duration;

use tokio::time::Instant;

use super::{origin::Origin, pool::KeptHttp1};
use crate::util::expiring_map::{ExpiringMap, Lifetime};

/// The shortest idle time after which a server closes without having said so, by default, with a margin: gunicorn's is 2 s,
/// those of Node.js, uvicorn, lighttpd and Apache httpd 5 s, of nginx 75 s. Raising it saves handshakes and costs errors.
const LEAST: Duration = Duration::from_millis(1500);

/// After so long the end of a connection whose server closes it after every response has come.
const SETTLED: Duration = Duration::from_millis(200);

/// An end that is under way is noticed so late, and what is sent arrives so late.
const MARGIN: Duration = Duration::from_secs(1);

/// Origins that are remembered, and for how long.
const MAX_ORIGINS: usize = 1024;
const REMEMBERED_FOR: Duration = Duration::from_hours(1);

/// Idle times that origins have been seen to allow.
pub(super) struct KeepAliveTimes {
    /// Idle times up to which connections may be used.
    limits: ExpiringMap<Origin, Duration>,
}

impl KeepAliveTimes {
    pub(super) fn new() -> Self {
        Self { limits: ExpiringMap::new(MAX_ORIGINS, Lifetime::SinceInsertion(REMEMBERED_FOR)) }
    }

    /// The last of an origin's connections that takes a request which may not be sent twice.
    pub(super) fn find(&self, origin: &Origin, kept: &[KeptHttp1], now: Instant) -> Option<usize> {
        let open = || kept.iter().filter(|kept| kept.is_open()).filter_map(|kept| kept.idle(now));
        let longest = open().max()?;
        let mut limit = self.limits.get(origin).unwrap_or(LEAST);
        if longest.saturating_sub(MARGIN) > limit {
            limit = longest.saturating_sub(MARGIN);
            self.limits.insert(origin.clone(), limit);
        }
        let suits = |kept: &KeptHttp1| {
            if !kept.is_open() {
                return false;
            }
            let (age, keeps) = (kept.age(now), kept.is_proven || longest >= SETTLED);
            keeps && (age <= limit || kept.server_timeout.is_some_and(|timeout| age < timeout))
        };
        kept.iter().rposition(suits)
    }

    /// A request was lost after all: this origin closes sooner.
    pub(super) fn lost(&self, origin: &Origin) {
        self.limits.insert(origin.clone(), Duration::ZERO);
    }
}
