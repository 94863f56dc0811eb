//! The only map from an error to a status, and the page that describes the error to a person.

use http::{HeaderValue, Response, StatusCode, header};
use maud::{Markup, html};
use serde_json::json;

use crate::{
    client::{ParentProblem, UpstreamError},
    http::body::Body,
    net::{access_control::Refusal, control_host::CONTROL_HOST},
    pages::{
        error::{Error, Side},
        template::{ErrorSentence, document, page, prose},
    },
    rewrite::SentForm,
    server::ParseRejection,
};

/// RFC 9110 §§ 11.6.1, 11.7.1: 401 and 407 carry a challenge. RFC 7617 § 2.1: it is read as UTF-8.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"Gleaner\", charset=\"UTF-8\"");

/// The response that an error becomes.
pub(crate) fn error_response(error: &Error) -> Response<Body> {
    let status = status_of(error);
    let mut response = page(status, &error_page(status, error));
    response.extensions_mut().insert(ErrorSentence(error.to_string()));
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

/// An error page as a program gets it that asks for pages in this form: its sentence. What is no error page stays.
pub(crate) fn for_program(mut response: Response<Body>, form: SentForm) -> Response<Body> {
    let Some(ErrorSentence(sentence)) = response.extensions_mut().remove() else { return response };
    let (kind, text) = match form {
        SentForm::Json => ("application/json", json!({ "error": sentence }).to_string()),
        _ => ("text/plain; charset=utf-8", sentence),
    };
    *response.body_mut() = Body::from(text);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn status_of(error: &Error) -> StatusCode {
    match error {
        Error::ClientNotAllowed(_)
        | Error::ClientNotNamed
        | Error::CredentialsChanged
        | Error::Refused(_)
        | Error::OwnPageEncrypted => StatusCode::FORBIDDEN,
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
        Error::SchemeLoop(_) => StatusCode::BAD_GATEWAY,
        Error::Upstream { error, .. } => match error {
            UpstreamError::Address(_) | UpstreamError::NoWay => StatusCode::FORBIDDEN,
            UpstreamError::NoDescriptors => StatusCode::SERVICE_UNAVAILABLE,
            UpstreamError::ClientBody | UpstreamError::ClientLeft => StatusCode::BAD_REQUEST,
            UpstreamError::ClientStalled => StatusCode::REQUEST_TIMEOUT,
            UpstreamError::ConnectTimeout
            | UpstreamError::TlsTimeout
            | UpstreamError::FirstByteTimeout
            | UpstreamError::Parent(_, ParentProblem::Timeout) => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        },
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
            | Error::Upstream { error: UpstreamError::Address(Refusal::FromPublic(_) | Refusal::NameFromPublic), .. }
    )
}

fn title(error: &Error) -> &'static str {
    match error {
        Error::ClientNotAllowed(_) => "This device may not use the proxy",
        Error::Credentials { .. } | Error::TooManyGuesses | Error::CredentialsChanged => "The proxy asks who you are",
        Error::Refused(_) | Error::Upstream { error: UpstreamError::Address(_) | UpstreamError::NoWay, .. } => {
            "The proxy does not go there"
        }
        Error::NotAProxyRequest(_) => "This is a proxy",
        Error::OwnPageEncrypted => "The proxy's own page is elsewhere",
        Error::Upstream { error: UpstreamError::Parent(..), .. } => "The proxy behind this one does not help",
        Error::SchemeLoop(_) => "The web site leads nowhere",
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
            upstream(UpstreamError::Parent("http://p:1".into(), ParentProblem::Refused(hostile.clone()))),
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
