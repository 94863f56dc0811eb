//! The texts of pages that feeds lead to, for a day and in bounded memory; and the pace at which hosts are asked for them.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::util::{
    byte_cache::ByteCache,
    expiring_map::{ExpiringMap, Lifetime},
};

/// Bytes of all texts. Raising it holds the items of more feeds: one has about ten thousand.
const MAX_BYTES: usize = 32 << 20;

/// How long a text is good for.
const TEXT_LIFETIME: Duration = Duration::from_hours(24);

/// After how long a page is asked for again that could not be read.
const FAILURE_LIFETIME: Duration = Duration::from_hours(1);

/// From one request to the next for the same host.
const PACE: Duration = Duration::from_secs(1);

/// Hosts, and feeds, that are known. A host that falls out is asked a second too early.
const MAX_HOSTS: usize = 4096;

pub(crate) struct FeedTexts {
    texts: ByteCache<String, KnownText>,
    /// When each host may be asked next.
    hosts: ExpiringMap<String, Arc<Mutex<Option<Instant>>>>,
    /// Feeds that are being filled, so that two readers of one do not ask for its pages twice.
    in_work: ExpiringMap<String, Arc<tokio::sync::Mutex<()>>>,
}

/// What is known of a page.
#[derive(Clone)]
pub(crate) struct KnownText {
    since: Instant,
    /// None if the page could not be read.
    pub(crate) text: Option<Arc<str>>,
}

impl FeedTexts {
    pub(super) fn new() -> Self {
        let in_use = || Lifetime::SinceUse(TEXT_LIFETIME);
        Self {
            texts: ByteCache::new(MAX_BYTES),
            hosts: ExpiringMap::new(MAX_HOSTS, in_use()),
            in_work: ExpiringMap::new(MAX_HOSTS, in_use()),
        }
    }

    /// The text of a page, if it was asked for a while ago.
    pub(crate) fn get(&self, page: &str) -> Option<KnownText> {
        let known = self.texts.get(&page.to_owned())?;
        let lifetime = if known.text.is_some() { TEXT_LIFETIME } else { FAILURE_LIFETIME };
        (known.since.elapsed() < lifetime).then_some(known)
    }

    pub(crate) fn add(&self, page: String, text: Option<Arc<str>>) {
        // With what the map itself needs for an entry.
        let size = 200 + page.len() + text.as_ref().map_or(0, |text| text.len());
        self.texts.add(page, KnownText { since: Instant::now(), text }, size);
    }

    /// After another configuration came into force, which may read pages otherwise.
    pub(super) fn forget(&self) {
        self.texts.clear();
    }

    /// Waits until this host may be asked.
    pub(crate) async fn wait_for(&self, host: &str) {
        let slot = self.hosts.get_or_default(&host.to_owned());
        let turn = {
            let mut next = slot.lock();
            let turn = next.map_or_else(Instant::now, |next| next.max(Instant::now()));
            *next = Some(turn + PACE);
            turn
        };
        sleep_until(turn).await;
    }

    /// What whoever fills this feed holds.
    pub(crate) fn lock_of(&self, feed: &str) -> Arc<tokio::sync::Mutex<()>> {
        self.in_work.get_or_default(&feed.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_host_is_asked_once_a_second_and_others_meanwhile() {
        let texts = FeedTexts::new();
        let start = Instant::now();
        let ask = async |host: &str| {
            texts.wait_for(host).await;
            start.elapsed().as_secs()
        };
        let asked = tokio::join!(ask("a"), ask("a"), ask("b"), ask("a"));
        assert_eq!(asked, (0, 1, 0, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_is_kept_for_a_day_and_a_failure_for_an_hour() {
        let texts = FeedTexts::new();
        texts.add("a".to_owned(), Some("text".into()));
        texts.add("b".to_owned(), None);
        let text = |page: &str| texts.get(page).map(|known| known.text);
        assert_eq!(text("a"), Some(Some("text".into())));
        assert_eq!((text("b"), text("c")), (Some(None), None));
        tokio::time::advance(FAILURE_LIFETIME).await;
        assert!(texts.get("a").is_some() && texts.get("b").is_none());
        tokio::time::advance(TEXT_LIFETIME).await;
        assert!(texts.get("a").is_none());
    }
}
