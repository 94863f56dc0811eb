//! The answers to blocked requests: an error, what the rules want in its place, or for a document a page that names the
//! rule and links past it.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use jiff::{Timestamp, ZonedDateTime};
use maud::{PreEscaped, html};
use url::Url;

use crate::{
    blocking::{BlockingRequest, Rule},
    config::ServiceBlock,
    http::body::Body,
    net::control_host,
    pages::template::{self, ErrorSentence},
};

const GLEANER: HeaderName = HeaderName::from_static("gleaner");

/// An answer that fails in a browser as a request fails that the browser's own blocker forbids, so that a page's `onerror` and
/// `catch` run; `instead` is what the rules want in its place, `origin` the origin of the script that asks.
pub(crate) fn blocked_resource(
    wanted: &BlockingRequest,
    instead: Option<(String, Vec<u8>)>,
    origin: Option<&HeaderValue>,
) -> Response<Body> {
    let instead = instead.and_then(|(kind, content)| Some((HeaderValue::try_from(kind).ok()?, content)));
    let (kind, content) = match instead {
        Some(found) => found,
        // A browser tells a page of a frame that it has loaded, also where it is blocked.
        None if matches!(wanted.kind(), "subdocument" | "document") => {
            (HeaderValue::from_static("text/html"), Vec::new())
        }
        None => return failed(wanted),
    };
    let mut response = Response::new(Body::from(Bytes::from(content)));
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, kind);
    fields.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    if let Some(origin) = origin {
        // With credentials a script may not read what is for `*`.
        fields.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        fields.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    }
    noted(response)
}

/// Cross-Origin-Resource-Policy (Fetch § 3.7).
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

fn failed(wanted: &BlockingRequest) -> Response<Body> {
    let mut response = Response::new(Body::default());
    let fields = response.headers_mut();
    fields.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // To other origins this makes a network error of any status, for scripts that fetch too.
    fields.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    if wanted.kind() == "xmlhttprequest" && wanted.is_of_own_origin() {
        // A script may read a status of its own origin. A redirect to what is no HTTP is a network error (Fetch § 4.4).
        fields.insert(header::LOCATION, HeaderValue::from_static("data:,"));
        *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    } else {
        *response.status_mut() = StatusCode::FORBIDDEN;
    }
    noted(response)
}

/// Over plain HTTP no field tells a frame from a page to go to. A frame that is blocked is empty.
const EMPTY_IN_A_FRAME: &str = "if(self!==top)document.documentElement.remove()";

/// With the hash of that script. The link of the page leads to another, which cannot be framed, and only that one opens the host.
const MAY_BE_FRAMED: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-ZsbBtDwlJsJITmO6F85Qm1gL7usbp6NIpknwJQ/7/l0='; base-uri 'none'; \
     form-action 'none'",
);

/// The page that says which rule forbids a page.
pub(crate) fn blocked_document(url: &Url, rule: &Rule) -> Response<Body> {
    let host = url.host_str().unwrap_or_default();
    let content = html! {
        h1 { "This page is blocked" }
        p { code { (host) } }
        p { "A rule of the list " strong { (rule.short_list()) } " forbids it, as a server of advertisements, trackers or malware:" }
        pre { (rule.text) }
        @if let Some(to) = leads_to(url) {
            p { "It says that it leads to this address, which need not be so:" }
            p { a.button href=(to) rel="noreferrer" { "Go to " (to.host_str().unwrap_or_default()) } br; code { (to) } }
        }
        p { a.button href=(control_host::unblocking_link(url)) { "Go there anyway" } " " a href=(control_host::once_link(url)) { "Once" } }
        p.quiet { "This page is from Gleaner, the proxy of this network, not from the web site. " code { "blocking.except" }
                  " in its configuration opens a host for good." }
    };
    let script = html! { script { (PreEscaped(EMPTY_IN_A_FRAME)) } };
    let page = template::document_with("Blocked", &script, &content);
    let mut response = template::page(StatusCode::FORBIDDEN, &page);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, MAY_BE_FRAMED);
    response.extensions_mut().insert(ErrorSentence(format!("it is blocked by {rule}")));
    noted(response)
}

/// The page in the place of one of a service that is blocked at these hours.
pub(crate) fn blocked_service(url: &Url, block: &ServiceBlock) -> Response<Body> {
    let content = html! {
        h1 { (block.service.words) " is not open now" }
        p { code { (url.host_str().unwrap_or_default()) } }
        @match &block.until {
            Some(until) => p { "It is blocked on this device until " strong { (until_words(until)) } "." },
            None => p { "It is blocked on this device." },
        }
        p { a.button href=(control_host::opening_link(url)) { "Open it for 15 minutes" } }
        p.quiet { "That needs the password of the panel. This page is from Gleaner, the proxy of this network, not from the web site." }
    };
    let script = html! { script { (PreEscaped(EMPTY_IN_A_FRAME)) } };
    let mut response =
        template::page(StatusCode::FORBIDDEN, &template::document_with("Not open now", &script, &content));
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, MAY_BE_FRAMED);
    response.extensions_mut().insert(ErrorSentence(format!("{} is not open now", block.service.words)));
    noted(response)
}

/// The time, with its day where that is not today.
pub(crate) fn until_words(until: &ZonedDateTime) -> String {
    let today = Timestamp::now().to_zoned_datetime(until.time_zone().clone()).date();
    match until.date() {
        date if date == today => until.strftime("%H:%M").to_string(),
        date if today.tomorrow().is_ok_and(|tomorrow| date == tomorrow) => {
            until.strftime("tomorrow, %H:%M").to_string()
        }
        _ => until.strftime("%A, %H:%M").to_string(),
    }
}

/// Parameters in which servers that count clicks have the address that they lead to. Those of other names come after them.
const LEADS: [&str; 18] = [
    "url",
    "u",
    "to",
    "target",
    "dest",
    "destination",
    "redirect",
    "redirect_url",
    "redirect_uri",
    "redir",
    "goto",
    "link",
    "adurl",
    "murl",
    "ued",
    "rurl",
    "r",
    "q",
];

/// An address within an address within an address is looked for, and not further.
const DEEPEST: usize = 3;

/// The longest address that is offered, in bytes.
const LONGEST: usize = 4096;

/// The address that a link of a server that counts clicks names as its end.
fn leads_to(url: &Url) -> Option<Url> {
    let mut found: Option<Url> = None;
    for _ in 0..DEEPEST {
        let from = found.as_ref().unwrap_or(url);
        let mut named: Vec<(usize, Url)> = Vec::new();
        for (name, value) in from.query_pairs() {
            let rank = LEADS.iter().position(|known| name.eq_ignore_ascii_case(known)).unwrap_or(LEADS.len());
            named.extend(offered(&value, url).map(|to| (rank, to)));
        }
        match named.into_iter().min_by_key(|(rank, _)| *rank) {
            Some((_, to)) => found = Some(to),
            None => break,
        }
    }
    found
}

/// An address of the web on another host, as a person would write it. A name before an `@` could look like another site.
fn offered(text: &str, from: &Url) -> Option<Url> {
    let scheme = text.get(..8)?.to_ascii_lowercase();
    let is_plain = (scheme.starts_with("http://") || scheme == "https://")
        && text.len() <= LONGEST
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    let to = Url::parse(text).ok().filter(|_| is_plain)?;
    let is_other = to.host_str() != from.host_str() && to.host_str().is_some_and(|host| host.contains(['.', ':']));
    (is_other && to.username().is_empty() && to.password().is_none()).then_some(to)
}

/// To the same address without what the rules take out of it.
pub(crate) fn redirect(shorter: &Url) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    if let Ok(address) = HeaderValue::from_str(shorter.as_str()) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    noted(response)
}

fn noted(mut response: Response<Body>) -> Response<Body> {
    let fields = response.headers_mut();
    // The lists may change, or be paused.
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    fields.insert(GLEANER, HeaderValue::from_static("blocked"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_that_a_link_leads_to_is_found_where_it_is_one_of_the_web() {
        let inner = "https%3A%2F%2Fshop.example%2Fsofa%3Fx%3D1";
        let twice = "https%3A%2F%2Fhop.example%2F%3Furl%3Dhttps%253A%252F%252Fshop.example%252F";
        for (query, wanted) in [
            (format!("id=7&url={inner}"), Some("https://shop.example/sofa?x=1")),
            (format!("ref=https%3A%2F%2Fnews.example%2F&URL={inner}"), Some("https://shop.example/sofa?x=1")),
            (format!("whatever={inner}"), Some("https://shop.example/sofa?x=1")),
            (format!("u={twice}"), Some("https://shop.example/")),
            ("url=javascript:alert(1)".to_owned(), None),
            ("url=https:shop.example".to_owned(), None),
            ("url=https%3A%2F%2Fbank.example%40evil.example%2F".to_owned(), None),
            ("url=https%3A%2F%2Fads.example%2Fagain".to_owned(), None),
            ("url=https%3A%2F%2Fshop.example%2F%0a".to_owned(), None),
            ("url=http%3A%2F%2Frouter%2F".to_owned(), None),
            ("url=/local".to_owned(), None),
            (String::new(), None),
        ] {
            let url = Url::parse(&format!("https://ads.example/click?{query}")).unwrap();
            assert_eq!(leads_to(&url).as_ref().map(Url::as_str), wanted, "{query}");
        }
    }
}
