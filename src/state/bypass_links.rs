//! "Page as it was": which pages are shown unfiltered, and to which clients. `pages::bypass` asks for it.
//!
//! A rewritten page links to a confirmation page on the control host. Its link, with a token, allows this client the
//! original of this page for some time and redirects to the page. A site's scripts cannot do that: the token is only on the
//! control host, whose pages no site can read or frame. Nothing shows in the page's URL or in `Referer`.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use http::{HeaderMap, HeaderValue, header};
use url::Url;

use crate::{
    net::control_host::{BLOCKED, ONCE},
    rewrite::RequestInfo,
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        tokens::{Token, Tokens},
    },
};

/// How long after its last visit a page is still shown unfiltered. Raising it lets a reader do more on the page; the filtered
/// page returns later.
const ALLOWED_FOR: Duration = Duration::from_mins(10);

/// How long a visit that is allowed once may be still to come: the redirect after the button is followed at once.
const ONCE_WITHIN: Duration = Duration::from_mins(1);

/// Pages that are shown unfiltered at a time, for all clients. Of more, the least visited are filtered again.
const MAX_PAGES: usize = 10_000;

/// Which pages are shown unfiltered, and to which clients.
pub(crate) struct BypassLinks {
    tokens: Arc<Tokens>,
    allowed: ExpiringMap<Token, ()>,
    /// Blocked pages that may be visited once.
    once: ExpiringMap<Token, ()>,
    /// Whether there ever was one.
    is_used: AtomicBool,
}

/// The address from which a token for a whole host is made.
pub(crate) fn whole_host(page: &Url) -> Option<Url> {
    Url::parse(&format!("{BLOCKED}:{}", page.host_str()?)).ok()
}

/// The address from which a token for one visit of a blocked page is made.
pub(crate) fn once(page: &Url) -> Option<Url> {
    Url::parse(&format!("{ONCE}:{page}")).ok()
}

impl BypassLinks {
    pub(crate) fn new(tokens: Arc<Tokens>) -> Self {
        Self {
            tokens,
            allowed: ExpiringMap::new(MAX_PAGES, Lifetime::SinceUse(ALLOWED_FOR)),
            once: ExpiringMap::new(MAX_PAGES, Lifetime::SinceInsertion(ONCE_WITHIN)),
            is_used: AtomicBool::default(),
        }
    }

    /// Records in a request whether this client gets the original of its page.
    pub(crate) fn apply(&self, client: IpAddr, headers: &HeaderMap, info: &mut RequestInfo<'_>) {
        // Most processes never allow any.
        let page = (self.is_used.load(Relaxed) && info.is_whole_page()).then(|| info.url()).flatten();
        info.wants_original = page.is_some_and(|page| self.allows(client, headers, &page));
    }

    /// Whether this client gets the original of this page.
    pub(crate) fn allows(&self, client: IpAddr, headers: &HeaderMap, page: &Url) -> bool {
        self.allowed.get(&self.token(client, headers, page)).is_some()
    }

    /// Whether this client may go to this host although it is blocked. `is_visit` renews it: what pages of other sites load, or a
    /// tunnel carries, must not keep it open.
    pub(crate) fn allows_host(&self, client: IpAddr, headers: &HeaderMap, host: &str, is_visit: bool) -> bool {
        let Ok(host) = Url::parse(&format!("{BLOCKED}:{host}")) else {
            return false;
        };
        if is_visit {
            self.allows(client, headers, &host)
        } else {
            self.allowed.contains_key(&self.token(client, headers, &host))
        }
    }

    /// Whether this client may go to this blocked page now, which it may once.
    pub(crate) fn take_once(&self, client: IpAddr, headers: &HeaderMap, page: &Url) -> bool {
        let Some(once) = once(page).filter(|_| self.is_used.load(Relaxed)) else { return false };
        let token = self.token(client, headers, &once);
        let is_allowed = self.once.get(&token).is_some();
        self.once.remove(&token);
        is_allowed
    }

    /// How many pages and hosts are shown unfiltered.
    pub(crate) fn count(&self) -> usize {
        self.allowed.entries().len()
    }

    /// Shows none of them unfiltered any more.
    pub(crate) fn forget(&self) {
        self.allowed.clear();
    }

    /// Shows this page unfiltered to this client, or opens the blocked host whose address it is.
    pub(crate) fn allow(&self, client: IpAddr, headers: &HeaderMap, page: &Url) {
        let kept = if page.scheme() == ONCE { &self.once } else { &self.allowed };
        kept.insert(self.token(client, headers, page), ());
        self.is_used.store(true, Relaxed);
    }

    /// Ends that.
    pub(crate) fn end(&self, client: IpAddr, headers: &HeaderMap, page: &Url) {
        self.allowed.remove(&self.token(client, headers, page));
    }

    /// The token that only this client can have for this page.
    pub(crate) fn token(&self, client: IpAddr, headers: &HeaderMap, page: &Url) -> Token {
        self.tokens.token(ORIGINAL, &parts(client, headers, page))
    }

    /// Whether this is the text of that token.
    pub(crate) fn is_token(&self, given: &str, client: IpAddr, headers: &HeaderMap, page: &Url) -> bool {
        self.tokens.is(given, ORIGINAL, &parts(client, headers, page))
    }
}

/// The purpose of the tokens.
const ORIGINAL: &str = "original";

/// The parts that a token is made of. `User-Agent` distinguishes clients behind one IP address.
fn parts(client: IpAddr, headers: &HeaderMap, page: &Url) -> [Vec<u8>; 3] {
    let browser = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    let mut page = page.clone();
    page.set_fragment(None);
    [client.to_string().into_bytes(), browser.to_vec(), page.as_str().as_bytes().to_vec()]
}
