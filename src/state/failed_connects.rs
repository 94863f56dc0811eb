//! Recently failed CONNECTs. The first failures close the connection, so that a browser falls back to `http://`; a
//! repeated one gets an error page with the reason.
//!
//! Browsers try `https://` where a link or a person says `http://`, or nothing, and go back when that fails; an error page
//! inside of a connection that works is no failure to them. Whether the person has asked for `https://` nobody tells us. So
//! the connection fails the first times, and the page with the reason is shown to who asks on without having gone back to
//! `http://`: who presses "reload", or Chromium's own attempts after one and five seconds.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    net::{client_program::ClientProgram, target::Target},
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Failures after which the reason is shown. The first may be a connection that a browser has opened before it is needed.
const HIDDEN: u32 = 2;

/// Connections that are opened for one page fail together, and count once.
const TOGETHER: Duration = Duration::from_millis(500);

/// How long a failure counts, and how many are counted.
const COUNTED_FOR: Duration = Duration::from_mins(5);
const MAX_COUNTED: usize = 4096;

/// The failures.
pub(crate) struct FailedConnects {
    counts: ExpiringMap<(ClientProgram, String), (u32, Instant)>,
    are_any: AtomicBool,
}

impl FailedConnects {
    pub(crate) fn new() -> Self {
        let counts = ExpiringMap::new(MAX_COUNTED, Lifetime::SinceInsertion(COUNTED_FOR));
        Self { counts, are_any: AtomicBool::default() }
    }

    /// Counts a failure. Whether the client is to be shown the reason in place of it.
    pub(crate) fn shows_reason(&self, device: &ClientProgram, target: &Target) -> bool {
        let key = (device.clone(), target.plain_host().to_owned());
        let now = Instant::now();
        let (before, last) = self.counts.get(&key).unwrap_or((0, now));
        if before > 0 && now.saturating_duration_since(last) < TOGETHER {
            return before > HIDDEN;
        }
        self.are_any.store(true, Relaxed);
        self.counts.insert(key, (before + 1, now));
        before >= HIDDEN
    }

    /// The client has gone to the host over plain HTTP: what fails next is another attempt.
    pub(crate) fn went_back(&self, device: impl FnOnce() -> ClientProgram, target: &Target) {
        if self.are_any.load(Relaxed) {
            self.counts.remove(&(device(), target.plain_host().to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::target::Scheme;

    #[tokio::test(start_paused = true)]
    async fn the_reason_is_shown_to_who_asks_on_and_did_not_go_back() {
        let failed = FailedConnects::new();
        let device = ClientProgram { address: [127, 0, 0, 1].into(), user: None, agent: "Mozilla/".to_owned() };
        let target = Target::from_authority(Scheme::Https, "a.example").unwrap();
        let pause = || tokio::time::advance(Duration::from_secs(1));
        for _ in 0..HIDDEN {
            assert_eq!([(); 2].map(|()| failed.shows_reason(&device, &target)), [false; 2]);
            pause().await;
        }
        assert_eq!([(); 2].map(|()| failed.shows_reason(&device, &target)), [true; 2]);
        failed.went_back(|| device.clone(), &target);
        assert!(!failed.shows_reason(&device, &target));
    }
}
