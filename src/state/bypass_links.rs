//! "Page as it was": shows one page unfiltered to one client.
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

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{Markup, html};
use url::{Url, form_urlencoded};

use crate::{
    http::body::Body,
    pages::{admin, error_pages, panel::in_words},
    rewrite::RequestInfo,
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        tokens::{self, Token, Tokens},
    },
};

/// The path on the control host.
pub(crate) const PATH: &str = "/original";

/// The parameter of a link that opens a blocked host.
const BLOCKED: &str = "blocked";

/// The parameter of a link that ends it.
const END: &str = "end";

/// How long after its last visit a page is still shown unfiltered. Raising it lets a reader do more on the page; the filtered
/// page returns later.
const ALLOWED_FOR: Duration = Duration::from_mins(10);

/// Pages that are shown unfiltered at a time, for all clients. Of more, the least visited are filtered again.
const MAX_PAGES: usize = 10_000;

/// Which pages are shown unfiltered, and to which clients.
pub(crate) struct BypassLinks {
    tokens: Arc<Tokens>,
    allowed: ExpiringMap<Token, ()>,
    /// Whether there ever was one.
    is_used: AtomicBool,
}

/// The link of a rewritten page.
pub(crate) fn to(page: &Url) -> Url {
    let mut link = admin::address(page, PATH);
    link.query_pairs_mut().append_pair("page", page.as_str());
    link
}

/// The link of the page that stands in the place of a blocked one.
pub(crate) fn to_blocked(page: &Url) -> Url {
    let mut link = to(page);
    link.query_pairs_mut().append_pair(BLOCKED, "1");
    link
}

/// The address from which a token for a whole host is made.
fn whole_host(page: &Url) -> Option<Url> {
    Url::parse(&format!("{BLOCKED}:{}", page.host_str()?)).ok()
}

impl BypassLinks {
    pub(crate) fn new(tokens: Arc<Tokens>) -> Self {
        Self {
            tokens,
            allowed: ExpiringMap::new(MAX_PAGES, Lifetime::SinceUse(ALLOWED_FOR)),
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
    fn allows(&self, client: IpAddr, headers: &HeaderMap, page: &Url) -> bool {
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

    /// How many pages and hosts are shown unfiltered.
    pub(crate) fn count(&self) -> usize {
        self.allowed.entries().len()
    }

    /// Shows none of them unfiltered any more.
    pub(crate) fn forget(&self) {
        self.allowed.clear();
    }

    /// Responds on the control host: with a confirmation page or, given its token, with a redirect to the page.
    /// `forbids` names the rule that forbids a page.
    pub(crate) fn answer<B>(
        &self,
        client: IpAddr,
        request: &Request<B>,
        forbids: impl Fn(&Url) -> Option<String>,
    ) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        let value = |wanted: &str| {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find_map(|(name, value)| (name == wanted).then_some(value))
        };
        let page = value("page").and_then(|page| Url::parse(&page).ok());
        // A name before an @ could look like another site.
        let is_plain = |page: &Url| ["http", "https"].contains(&page.scheme()) && page.username().is_empty();
        let Some(page) = page.filter(|page| is_plain(page) && page.password().is_none()) else {
            return error_pages::page(StatusCode::BAD_REQUEST, &no_page());
        };
        // Any site may link here: what nobody forbids is not asked about.
        let rule = value(BLOCKED).and_then(|_| forbids(&page));
        let whole_host = rule.as_ref().and_then(|_| whole_host(&page));
        let allowed = whole_host.as_ref().unwrap_or(&page);
        let token = self.token(client, request.headers(), allowed);
        let is_confirmed =
            value("token").is_some_and(|given| self.is_token(&given, client, request.headers(), allowed));
        if !is_confirmed || request.method() != Method::GET {
            return error_pages::page(StatusCode::OK, &confirmation(&page, rule.as_deref(), &tokens::text(token)));
        }
        if value(END).is_some() {
            self.allowed.remove(&token);
        } else {
            self.allowed.insert(token, ());
            self.is_used.store(true, Relaxed);
        }
        admin::see_other(page.as_str())
    }

    fn token(&self, client: IpAddr, headers: &HeaderMap, page: &Url) -> Token {
        self.tokens.of(ORIGINAL, &parts(client, headers, page))
    }

    /// Whether this is the text of that token.
    fn is_token(&self, given: &str, client: IpAddr, headers: &HeaderMap, page: &Url) -> bool {
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

/// The confirmation page. The original page cannot carry a link back, so this page has it: the browser's Back leads here, as the
/// page was, if the browser kept it.
fn confirmation(page: &Url, rule: Option<&str>, token: &str) -> Markup {
    let mut link = if rule.is_some() { to_blocked(page) } else { to(page) };
    link.query_pairs_mut().append_pair("token", token);
    let mut end = link.clone();
    end.query_pairs_mut().append_pair(END, "1");
    let (title, heading, text, go, stay) = if rule.is_some() {
        (
            "Blocked",
            "Go there anyway?",
            "This browser will then load everything from this host, and everything on its pages. That ends ten minutes after the \
             last visit to one of them",
            "Go there",
            "Keep it blocked",
        )
    } else {
        (
            "Page as it was",
            "Show the page as it was?",
            "Its scripts, advertisements and everything else come as the site sends them, on this device and for this page only, \
             until you have not loaded it for ten minutes",
            "Show it",
            "Show it without clutter",
        )
    };
    error_pages::document(
        title,
        &html! {
            h1 { (heading) }
            p { code { (page) } }
            @if let Some(rule) = rule { p { "It is blocked by " code { (rule) } "." } }
            p { (text) ", or come back here with the browser's Back and end it." }
            p { a.button href=(&link[url::Position::BeforePath..]) { (go) } }
            p { a href=(&end[url::Position::BeforePath..]) { (stay) } }
        },
    )
}

/// The page in the place of a view that cannot be made of a page.
pub(crate) fn no_view(page: &Url, action: &str) -> Response<Body> {
    let reason = action.split_once("reason=").map_or(action, |(_, reason)| reason);
    let content = html! {
        h1 { "This view cannot be shown" }
        p { code { (page) } }
        p { "The page stays as it comes: " (in_words(reason)) "." }
        p { a.button href=(page) { "Go to the page" } }
        p { a href=(to(page)) { "Show the page as it was" } }
    };
    error_pages::page(StatusCode::UNPROCESSABLE_ENTITY, &error_pages::document("No view", &content))
}

fn no_page() -> Markup {
    error_pages::document(
        "No page",
        &html! {
            h1 { "No page is named" }
            p { "Follow the link “Original” on a filtered page." }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn ask(links: &BypassLinks, client: IpAddr, query: &str) -> Response<Body> {
        let request = Request::get(format!("{PATH}?{query}"));
        links.answer(client, &request.body(()).unwrap(), |_| None)
    }

    #[test]
    fn a_page_is_allowed_to_the_client_that_followed_the_confirmation() {
        let links = BypassLinks::new(Arc::new(Tokens::open(None)));
        let none = HeaderMap::new();
        for address in ["https://example.org/", "https://example.org/a%20b?x=1&y=%26#part", "http://example.org:8080/?"]
        {
            let page: Url = address.parse().unwrap();
            let link = to(&page);
            let query = link.query().unwrap();
            assert_eq!(ask(&links, CLIENT, query).status(), StatusCode::OK);
            assert!(!links.allows(CLIENT, &none, &page), "before the confirmation");
            let token = format!("{query}&token={}", tokens::text(links.token(CLIENT, &none, &page)));
            let other = "192.0.2.1".parse().unwrap();
            assert_eq!(ask(&links, other, &token).status(), StatusCode::OK);
            let answer = ask(&links, CLIENT, &token);
            assert_eq!(answer.status(), StatusCode::SEE_OTHER);
            assert_eq!(answer.headers()[header::LOCATION], page.as_str());
            assert!(links.allows(CLIENT, &none, &page));
            assert!(!links.allows(other, &none, &page));
        }
    }

    #[test]
    fn other_schemes_and_names_of_users_are_rejected() {
        let links = BypassLinks::new(Arc::new(Tokens::open(None)));
        for query in [
            "",
            "page=",
            "page=javascript:alert(1)",
            "page=file:///etc/passwd",
            "page=https://bank.example@evil.example/",
        ] {
            let answer = ask(&links, CLIENT, query);
            assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{query}");
        }
    }
}
