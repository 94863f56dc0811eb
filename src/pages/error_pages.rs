//! The only map from an error to a status, and the page that describes the error to a person.
//!
//! Text from outside is escaped by the template; no page can run a script.

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use maud::{DOCTYPE, Markup, html};

use crate::{
    client::UpstreamError,
    http::body::Body,
    net::access_control::Refusal,
    pages::{
        admin::CONTROL_HOST,
        error::{Error, Side},
    },
    server::ParseRejection,
};

/// Policy of our own pages: they show themselves, with their own style, and nothing else.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline' https://*.gleaner.internal; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// RFC 9110 §§ 11.6.1, 11.7.1: 401 and 407 carry a challenge. RFC 7617 § 2.1: it is read as UTF-8.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"Gleaner\", charset=\"UTF-8\"");

/// Small, readable at any width, dark where the reader prefers it. Shared by all our own pages.
pub(crate) const STYLE: &str = "
:root{color-scheme:light dark}
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:2rem 1.25rem;
overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
code,pre{font:.9em ui-monospace,monospace;background:#8882;border-radius:.3em;padding:.1em .35em}
pre{padding:.75em 1em;white-space:pre-wrap}
table{border-collapse:collapse;width:100%}
td,th{padding:.45rem .5rem .45rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #888;
font-weight:normal}
td{overflow-wrap:anywhere}
th{width:9.5rem}
a.button,button{display:inline-block;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0;border:0;border-radius:.5rem;
font:inherit;background:#1d4ed8;color:#fff;text-decoration:none}
td form{display:inline}td button{margin:0 0 0 .5rem;padding:.15rem .6rem}
.step{border:2px solid;border-radius:.75rem;padding:.25rem 1.25rem .75rem;margin:1.25rem 0}
.step h2{margin:.75rem 0 .5rem;font-size:1.25rem}.live:empty,.then:empty{margin:0}
li{margin:.35rem 0}ol{padding-left:1.5rem}
.qr{width:11rem;height:11rem;flex:none}
.another{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:center}.another div{flex:1 1 14rem}
.list a{display:inline-block;margin:.2rem .9rem .2rem 0}
@media(max-width:30rem){body{padding:1.25rem 1rem}td,th{display:block;width:auto}th{border:0;padding-bottom:0}td{padding-top:0}}
.quiet{font-size:.9rem}
.bad{border-left:4px solid #d33;padding-left:.75rem;white-space:pre-wrap}";

/// The response that an error becomes.
pub(crate) fn error_response(error: &Error) -> Response<Body> {
    let status = status_of(error);
    let mut response = page(status, &error_page(status, error));
    let field = match error {
        Error::Credentials { ours: false } => Some((header::PROXY_AUTHENTICATE, CHALLENGE)),
        Error::Credentials { ours: true } => Some((header::WWW_AUTHENTICATE, CHALLENGE)),
        Error::TooManyConnections | Error::Upstream { error: UpstreamError::NoDescriptors, .. } => {
            Some((header::RETRY_AFTER, HeaderValue::from_static("5")))
        }
        // RFC 6585 § 4; `credentials` counts wrong guesses for a minute.
        Error::TooManyGuesses => Some((header::RETRY_AFTER, HeaderValue::from_static("60"))),
        _ => None,
    };
    response.headers_mut().extend(field);
    // The request may have left a body unread: nothing after it can be trusted to be a request.
    if error.side() == Side::Client {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Writes fields and the empty line that ends them (RFC 9112 § 5).
pub(crate) fn write_fields(headers: &HeaderMap, out: &mut BytesMut) {
    for (name, value) in headers {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn page(status: StatusCode, markup: &Markup) -> Response<Body> {
    let mut response = Response::new(Body::from(markup.0.clone()));
    *response.status_mut() = status;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    harden(response.headers_mut());
    response
}

/// Fields that every answer of our own carries.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, CSP);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // No other site may pull our answers into its own pages.
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    // A site that opens one of our pages gets no hold of its window.
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

fn status_of(error: &Error) -> StatusCode {
    match error {
        Error::ClientNotAllowed(_) | Error::CredentialsChanged | Error::Refused(_) | Error::OwnPageEncrypted => {
            StatusCode::FORBIDDEN
        }
        Error::TooManyConnections => StatusCode::SERVICE_UNAVAILABLE,
        Error::Credentials { ours: false } => StatusCode::PROXY_AUTHENTICATION_REQUIRED,
        Error::Credentials { ours: true } => StatusCode::UNAUTHORIZED,
        Error::TooManyGuesses => StatusCode::TOO_MANY_REQUESTS,
        Error::Target(_) | Error::NotAProxyRequest(_) => StatusCode::BAD_REQUEST,
        Error::Rejected(rejection) => match rejection {
            ParseRejection::Malformed(_) => StatusCode::BAD_REQUEST,
            ParseRejection::TargetTooLong => StatusCode::URI_TOO_LONG,
            ParseRejection::HeadTooLarge | ParseRejection::TooManyFields => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            ParseRejection::NotImplemented => StatusCode::NOT_IMPLEMENTED,
            ParseRejection::Version => StatusCode::HTTP_VERSION_NOT_SUPPORTED,
            ParseRejection::Timeout => StatusCode::REQUEST_TIMEOUT,
        },
        Error::Misdirected(_) => StatusCode::MISDIRECTED_REQUEST,
        Error::Loop => StatusCode::LOOP_DETECTED,
        Error::Upstream { error, .. } => match error {
            UpstreamError::Address(_) => StatusCode::FORBIDDEN,
            UpstreamError::NoDescriptors => StatusCode::SERVICE_UNAVAILABLE,
            UpstreamError::ClientBody | UpstreamError::ClientLeft => StatusCode::BAD_REQUEST,
            UpstreamError::ClientStalled => StatusCode::REQUEST_TIMEOUT,
            UpstreamError::ConnectTimeout | UpstreamError::TlsTimeout | UpstreamError::FirstByteTimeout => {
                StatusCode::GATEWAY_TIMEOUT
            }
            _ => StatusCode::BAD_GATEWAY,
        },
    }
}

pub(crate) fn document(title: &str, content: &Markup) -> Markup {
    document_with(title, &html! {}, content)
}

/// A page with this title, this content in `<main>`, and more elements in its head.
pub(crate) fn document_with(title: &str, head: &Markup, content: &Markup) -> Markup {
    document_of(title, head, &html! { main { (content) } })
}

/// A page with this title, more elements in its head, and this content as its whole body.
pub(crate) fn document_of(title: &str, head: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
                (head)
            }
            body { (content) }
        }
    }
}

fn error_page(status: StatusCode, error: &Error) -> Markup {
    let title = title(error);
    document(
        title,
        &html! {
            h1 { (title) }
            @if let Error::Upstream { host, .. } = error { p { code { (host) } } }
            p.bad { (prose(&sentence(&error.to_string()))) }
            @if let Error::ClientNotAllowed(address) = error {
                p { "If the proxy is yours, add this device to the list in its configuration; saving the file is enough:" }
                pre { "access:\n  clients:\n  - loopback\n  - \"" (address) "\"" }
            }
            @if let Error::Upstream { host, error } = error && error.is_of_certificate() {
                p { "If this is a device of your own, such as a router, name it in the proxy's configuration: its pages then pass unread, \
                     and your browser decides about the certificate." }
                pre { "https:\n  except:\n  - \"" (host_only(host)) "\"" }
            }
            @if let Error::Upstream { host, error: UpstreamError::Address(Refusal::Rebound(_)) } = error {
                p { "If the name is your own, and a name server of your network answers for it, list it in the proxy's configuration; \
                     saving the file is enough:" }
                pre { "access:\n  rebind_allowed:\n  - \"" (host_only(host)) "\"" }
            }
            @if is_from_public(error) {
                p { "If you followed a link, go on:" }
                p { a.button href="" { "Go there" } }
                p { "A site that is yours and must reach the device is let through where " code { "access.allow_targets" }
                    " names the device's address." }
            }
            @if let Error::NotAProxyRequest(address) = error {
                p { "The steps are at " a href={ "http://" (address) "/" } { "http://" (address) "/" } "." }
            }
            @if is_worth_another_try(error) { p { a.button href="" { "Try again" } } }
            @if may_see_start_page(error) {
                p { "What this proxy does, and its settings: "
                    a href={ "http://" (CONTROL_HOST) "/" } { (CONTROL_HOST) } }
            }
            p.quiet { "This page is from Gleaner, the proxy of this network, not from the web site. Status "
                      (status.as_u16()) "." }
        },
    )
}

/// The host of `host:port`.
fn host_only(host: &str) -> &str {
    host.rsplit_once(':').map_or(host, |(host, _)| host)
}

/// Whether a public page wanted something of the home network. This page names none, so that a link here leads there; and it cannot
/// be framed.
fn is_from_public(error: &Error) -> bool {
    matches!(
        error,
        Error::Refused(Refusal::FromPublic(_))
            | Error::Upstream { error: UpstreamError::Address(Refusal::FromPublic(_)), .. }
    )
}

fn title(error: &Error) -> &'static str {
    match error {
        Error::ClientNotAllowed(_) => "This device may not use the proxy",
        Error::Credentials { .. } | Error::TooManyGuesses | Error::CredentialsChanged => "The proxy asks who you are",
        Error::Refused(_) | Error::Upstream { error: UpstreamError::Address(_), .. } => "The proxy does not go there",
        Error::NotAProxyRequest(_) => "This is a proxy",
        Error::OwnPageEncrypted => "The proxy's own page is elsewhere",
        Error::Upstream { .. } if error.side() == Side::Upstream => "The web site cannot be reached",
        Error::Upstream { .. } if error.side() == Side::Proxy => "The proxy can open no more connections",
        _ => "The proxy cannot use this request",
    }
}

/// Whether the same request may succeed a moment later.
fn is_worth_another_try(error: &Error) -> bool {
    match error {
        Error::Upstream { .. } => error.side() != Side::Client,
        Error::ClientNotAllowed(_) | Error::TooManyGuesses | Error::CredentialsChanged => true,
        _ => false,
    }
}

/// Whether the link to the start page works: not for a client that may not use the proxy, or does not use it as a proxy.
fn may_see_start_page(error: &Error) -> bool {
    !matches!(
        error,
        Error::ClientNotAllowed(_) | Error::Credentials { .. } | Error::TooManyGuesses | Error::NotAProxyRequest(_)
    )
}

/// Text whose parts between backticks become `<code>`.
pub(crate) fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}

/// Error messages are written lower case and without a full stop; a page shows sentences.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(error: UpstreamError) -> Error {
        Error::Upstream { host: "<b>.example".to_owned(), error }
    }

    #[test]
    fn text_from_outside_is_escaped() {
        let hostile = "<script>alert(1)</script>\"'><img src=x onerror=y>&<!--".to_owned();
        for error in [
            Error::Misdirected(hostile.clone()),
            upstream(UpstreamError::Closed),
            upstream(UpstreamError::Dns(hostile.clone())),
            upstream(UpstreamError::Unreachable(hostile.clone())),
            upstream(UpstreamError::Certificate(hostile.clone())),
            upstream(UpstreamError::Tls(hostile.clone())),
            upstream(UpstreamError::BadResponse(hostile.clone())),
            upstream(UpstreamError::Other(hostile.clone())),
            Error::Upstream { host: hostile, error: UpstreamError::Refused },
        ] {
            let markup = error_page(StatusCode::BAD_GATEWAY, &error).0.to_lowercase();
            for bad in ["<script", "<img", "<b>", "<!--"] {
                assert!(!markup.contains(bad), "{error:?} lets {bad} through");
            }
            assert!(markup.contains("&lt;"), "{error:?} was not shown");
        }
    }
}
