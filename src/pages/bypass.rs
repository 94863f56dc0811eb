//! Confirmation pages: before a page is shown unfiltered or a blocked host is opened. Also the page in place of a view
//! that cannot be made.

use std::net::IpAddr;

use http::{Method, Request, Response, StatusCode};
use maud::{Markup, html};
use url::Url;

use super::{form_fields::FormFields, template};
use crate::{
    http::{body::Body, outcome::PassReason},
    net::control_host::{self, BLOCKED, ONCE},
    state::bypass_links::{BypassLinks, once, whole_host},
    util::tokens,
};

/// The parameter of a link that ends it.
const END: &str = "end";

/// Responds on the control host: with a confirmation page or, given its token, with a redirect to the page.
/// `forbids` names the rule that forbids a page.
pub(crate) fn answer<B>(
    links: &BypassLinks,
    client: IpAddr,
    request: &Request<B>,
    forbids: impl Fn(&Url) -> Option<String>,
) -> Response<Body> {
    let query = FormFields::parse(request.uri().query().unwrap_or_default().as_bytes());
    let Some(page) = page_in(&query) else {
        return template::page(StatusCode::BAD_REQUEST, &no_page());
    };
    // Any site may link here: what nobody forbids is not asked about.
    let rule = query.find(BLOCKED).and_then(|_| forbids(&page));
    let is_once = query.find(ONCE).is_some();
    let blocked = rule.as_ref().and_then(|_| if is_once { once(&page) } else { whole_host(&page) });
    let allowed = blocked.as_ref().unwrap_or(&page);
    let token = links.token(client, request.headers(), allowed);
    let is_confirmed = links.is_token(query.get("token"), client, request.headers(), allowed);
    if !is_confirmed || !is_followed_here(request) {
        return template::page(StatusCode::OK, &confirmation(&page, rule.as_deref(), is_once, &tokens::text(token)));
    }
    if query.find(END).is_some() {
        links.end(client, request.headers(), allowed);
    } else {
        links.allow(client, request.headers(), allowed);
    }
    template::see_other(page.as_str())
}

/// Whether a person has followed a link on one of our own pages (Fetch Metadata § 2.1 to 2.3), as far as the browser says.
pub(super) fn is_followed_here<B>(request: &Request<B>) -> bool {
    let is = |name: &str, values: &[&str]| {
        request.headers().get(name).is_none_or(|value| values.iter().any(|wanted| value == wanted))
    };
    let is_prefetched = ["sec-purpose", "purpose"].iter().any(|name| request.headers().contains_key(*name));
    request.method() == Method::GET
        && !is_prefetched
        && is("sec-fetch-dest", &["document"])
        && is("sec-fetch-site", &["same-origin", "none"])
}

/// The page that a link names. A name before an `@` could look like another site.
pub(super) fn page_in(query: &FormFields) -> Option<Url> {
    let is_plain = |page: &Url| ["http", "https"].contains(&page.scheme()) && page.username().is_empty();
    Url::parse(query.get("page")).ok().filter(|page| is_plain(page) && page.password().is_none())
}

/// The confirmation page. The original page cannot carry a link back, so this page has it: the browser's Back leads here, as the
/// page was, if the browser kept it.
fn confirmation(page: &Url, rule: Option<&str>, is_once: bool, token: &str) -> Markup {
    let mut link = match (rule, is_once) {
        (Some(_), true) => control_host::once_link(page),
        (Some(_), false) => control_host::unblocking_link(page),
        (None, _) => control_host::original_link(page),
    };
    link.query_pairs_mut().append_pair("token", token);
    let mut end = link.clone();
    end.query_pairs_mut().append_pair(END, "1");
    let (title, heading, text, go, stay) = if rule.is_some() && is_once {
        (
            "Blocked",
            "Go there once?",
            "This browser will then load this one address once, within a minute, and go where it leads. What the page loads from this host stays \
             blocked",
            "Go there once",
            "Keep it blocked",
        )
    } else if rule.is_some() {
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
    template::document(
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
pub(crate) fn no_view(page: &Url, reason: PassReason) -> Response<Body> {
    let content = html! {
        h1 { "This view cannot be shown" }
        p { code { (page) } }
        p { "The page stays as it comes: " (reason.in_words()) "." }
        p { a.button href=(page) { "Go to the page" } }
        p { a href=(control_host::original_link(page)) { "Show the page as it was" } }
    };
    template::page(StatusCode::UNPROCESSABLE_ENTITY, &template::document("No view", &content))
}

fn no_page() -> Markup {
    template::document(
        "No page",
        &html! {
            h1 { "No page is named" }
            p { "Follow the link “Original” on a filtered page." }
        },
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{HeaderMap, header};

    use super::*;
    use crate::{net::control_host::ORIGINAL, util::tokens::Tokens};

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn ask(links: &BypassLinks, client: IpAddr, query: &str) -> Response<Body> {
        let request = Request::get(format!("{ORIGINAL}?{query}"));
        answer(links, client, &request.body(()).unwrap(), |_| None)
    }

    #[test]
    fn a_page_of_a_site_that_has_learned_a_link_is_asked_again() {
        let links = BypassLinks::new(Arc::new(Tokens::open(None)));
        let page: Url = "https://example.org/".parse().unwrap();
        let mut link = control_host::original_link(&page);
        link.query_pairs_mut().append_pair("token", &tokens::text(links.token(CLIENT, &HeaderMap::new(), &page)));
        let query = link.query().unwrap();
        for (name, value) in
            [("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "iframe"), ("sec-purpose", "prefetch")]
        {
            let request = Request::get(format!("{ORIGINAL}?{query}")).header(name, value).body(()).unwrap();
            assert_eq!(answer(&links, CLIENT, &request, |_| None).status(), StatusCode::OK, "{name}");
        }
        assert_eq!(ask(&links, CLIENT, query).status(), StatusCode::SEE_OTHER);
    }

    #[test]
    fn a_page_is_allowed_to_the_client_that_followed_the_confirmation() {
        let links = BypassLinks::new(Arc::new(Tokens::open(None)));
        let none = HeaderMap::new();
        for address in ["https://example.org/", "https://example.org/a%20b?x=1&y=%26#part", "http://example.org:8080/?"]
        {
            let page: Url = address.parse().unwrap();
            let link = control_host::original_link(&page);
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
