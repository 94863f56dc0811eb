//! What belongs to pages on which nothing is blocked, where requests do not say so: a frame names its own address as the page that
//! asks, a style sheet likewise, and a page without a referrer none.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    time::Duration,
};

use http::{HeaderMap, HeaderValue, header};

use crate::util::expiring_map::{ExpiringMap, Lifetime};

/// How long after its last use a host of a frame or of a style sheet belongs to a page. Raising it lets a page do more after a while,
/// and lets more through where the same host asks on another site, which blocks the frame itself.
const PART_FOR: Duration = Duration::from_mins(10);

/// How long after a visit what names no page belongs to it: pages load most of their parts in ten seconds. Raising it lets more of other
/// pages through that hide their address, and of other tunnels.
const VISIT_FOR: Duration = Duration::from_secs(30);

/// Browsers and hosts that are remembered. Of more, the least used are forgotten.
const MOST: usize = 10_000;

/// The pages, by browser.
pub(crate) struct ExceptedPages {
    parts: ExpiringMap<(Browser, String), ()>,
    visits: ExpiringMap<Browser, ()>,
    hasher: RandomState,
}

/// `User-Agent` distinguishes browsers behind one IP address.
type Browser = (IpAddr, u64);

impl ExceptedPages {
    pub(crate) fn new() -> Self {
        Self {
            parts: ExpiringMap::new(MOST, Lifetime::SinceUse(PART_FOR)),
            visits: ExpiringMap::new(MOST, Lifetime::SinceInsertion(VISIT_FOR)),
            hasher: RandomState::new(),
        }
    }

    /// This browser goes to such a page, or has loaded something for it.
    pub(crate) fn visit(&self, client: IpAddr, headers: &HeaderMap) {
        self.visits.insert(self.browser(client, headers), ());
    }

    /// This host is that of a frame or a style sheet of such a page.
    pub(crate) fn add_part(&self, client: IpAddr, headers: &HeaderMap, host: &str) {
        self.parts.insert((self.browser(client, headers), host.to_owned()), ());
    }

    /// Whether this browser was on such a page just now.
    pub(crate) fn was_visited(&self, client: IpAddr, headers: &HeaderMap) -> bool {
        self.visits.contains_key(&self.browser(client, headers))
    }

    /// Whether what this host asks for belongs to such a page.
    pub(crate) fn has_part(&self, client: IpAddr, headers: &HeaderMap, host: &str) -> bool {
        self.parts.get(&(self.browser(client, headers), host.to_owned())).is_some()
    }

    fn browser(&self, client: IpAddr, headers: &HeaderMap) -> Browser {
        let agent = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes);
        (client.to_canonical(), self.hasher.hash_one(agent))
    }
}
