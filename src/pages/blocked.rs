//! The answers to blocked requests: an empty resource of the requested type, or for a document a page that names the
//! rule and links past it.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use maud::{PreEscaped, html};
use url::Url;

use crate::{
    blocking::{BlockingRequest, PIXEL, Rule},
    http::body::Body,
    net::control_host,
    pages::template,
};

const GLEANER: HeaderName = HeaderName::from_static("gleaner");

/// An empty resource; `instead` is what the rules want, `origin` the origin of the script that asks.
pub(crate) fn blocked_resource(
    wanted: &BlockingRequest,
    instead: Option<(String, Vec<u8>)>,
    origin: Option<&HeaderValue>,
) -> Response<Body> {
    let (kind, content) = match (instead, wanted.kind()) {
        (Some((kind, content)), _) => (HeaderValue::try_from(kind).ok(), Bytes::from(content)),
        (None, "script") => (Some(HeaderValue::from_static("text/javascript")), Bytes::new()),
        (None, "stylesheet") => (Some(HeaderValue::from_static("text/css")), Bytes::new()),
        (None, "image") => (Some(HeaderValue::from_static("image/gif")), Bytes::from_static(PIXEL)),
        (None, "subdocument" | "document") => (Some(HeaderValue::from_static("text/html")), Bytes::new()),
        (None, _) => (None, Bytes::new()),
    };
    let mut response = Response::new(Body::from(content));
    match kind {
        Some(kind) => drop(response.headers_mut().insert(header::CONTENT_TYPE, kind)),
        None => *response.status_mut() = StatusCode::NO_CONTENT,
    }
    if let Some(origin) = origin {
        // A script that may not read the answer takes it for an error, and tries again. With credentials it may not read `*`.
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
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
        p { a.button href=(control_host::unblocking_link(url)) { "Go there anyway" } }
        p.quiet { "This page is from Gleaner, the proxy of this network, not from the web site. " code { "blocking.except" }
                  " in its configuration opens a host for good." }
    };
    let script = html! { script { (PreEscaped(EMPTY_IN_A_FRAME)) } };
    let page = template::document_with("Blocked", &script, &content);
    let mut response = template::page(StatusCode::FORBIDDEN, &page);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, MAY_BE_FRAMED);
    noted(response)
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
