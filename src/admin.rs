//! The control host: one small page that shows the settings in force, and the authority's certificate.
//!
//! Every client that may use the proxy can read it; it changes nothing.

mod pause;

use std::net::IpAddr;

use gleaner_filters::{FilterName, Format, output::Style};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{Markup, html};
use url::Url;

use crate::{
    access_control::Acl,
    authority::{Host, Target},
    blocking::Blocker,
    body::Body,
    bypass_link, error_pages,
    runtime_state::RuntimeState,
    service::Proxy,
};

/// The name under which a browser finds the proxy it uses. `.internal` is reserved for private use
/// (ICANN board resolution of 29 July 2024), so no web site can have it.
pub(crate) const CONTROL_HOST: &str = "gleaner.internal";

/// Whether a target is the control host.
pub(crate) fn is_control_host(target: &Target) -> bool {
    matches!(target.host, Host::Name(_)) && target.host.plain() == CONTROL_HOST
}

/// Whether a `Host` field means this machine: one of its addresses, or `localhost`. The name of a web site that
/// resolves to this machine (DNS rebinding) is refused.
pub(crate) fn is_this_machine(target: &Target, acl: &Acl) -> bool {
    match target.socket_addr() {
        Some(addr) => acl.is_own(addr),
        None => target.host.plain() == "localhost",
    }
}

/// An address on the control host.
pub(crate) fn address(path: &str) -> Url {
    let address = format!("http://{CONTROL_HOST}{path}");
    Url::parse(&address).expect("the host is constant and paths are ours")
}

/// Answers a request to the control host.
pub(crate) fn answer<B>(proxy: &Proxy, client: IpAddr, request: &Request<B>) -> Response<Body> {
    let not_here = |status| {
        let text = html! { "Gleaner has no such page. " a href="/" { "See what it has." } };
        notice(status, "Not here", &text)
    };
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = not_here(StatusCode::METHOD_NOT_ALLOWED);
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let running = proxy.running();
    let path = request.uri().path();
    let authority = path.starts_with("/ca.").then(|| running.open_authority());
    match (path, authority.flatten()) {
        ("/" | "", _) => error_pages::page(StatusCode::OK, &overview(proxy, &running)),
        (bypass_link::PATH, _) => proxy.bypass_links.answer(client, request),
        (pause::PATH, _) => pause::answer(proxy, client, request),
        ("/ca.crt", Some(authority)) => download(
            authority.certificate_der().to_vec(),
            "application/x-x509-ca-cert",
            "attachment; filename=\"gleaner-ca.crt\"",
        ),
        ("/ca.pem", Some(authority)) => download(
            authority.certificate_pem().as_bytes().to_vec(),
            "application/x-pem-file",
            "attachment; filename=\"gleaner-ca.pem\"",
        ),
        ("/ca.crt" | "/ca.pem", None) => {
            let text = html! {
                "The proxy's certificate authority can be neither opened nor made; its log says why, and "
                code { "gleaner ca show" } " too. " a href="/" { "See what Gleaner does." }
            };
            notice(StatusCode::NOT_FOUND, "No certificate", &text)
        }
        _ => not_here(StatusCode::NOT_FOUND),
    }
}

fn download(content: Vec<u8>, kind: &'static str, disposition: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes::Bytes::from(content)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(disposition));
    error_pages::harden(headers);
    response
}

fn notice(status: StatusCode, title: &str, text: &Markup) -> Response<Body> {
    let content = html! { h1 { (title) } p { (text) } };
    error_pages::page(status, &error_pages::document(title, &content))
}

fn overview(proxy: &Proxy, running: &RuntimeState) -> Markup {
    error_pages::document(
        "Gleaner",
        &html! {
            h1 { "Gleaner" }
            p { "This proxy takes the clutter out of web pages. Your browser is using it if you see this \
                 at " code { "http://" (CONTROL_HOST) "/" } "." }
            @if let Some(error) = proxy.reload_error() {
                h2 { "The configuration could not be reloaded" }
                p.bad { (error) }
                p.quiet { "The one before it stays in force." }
            }
            (state(proxy, running))
            (certificate(running))
        },
    )
}

fn state(proxy: &Proxy, running: &RuntimeState) -> Markup {
    let config = &running.config;
    let pages = if config.rewrite.enabled { "rewritten" } else { "passed as they are" };
    let https = if config.https.intercept { "opened, so that pages can be rewritten" } else { "passed as they are" };
    let filters: Vec<&str> = config.filters.filters_on().map(FilterName::as_str).collect();
    let style = match (config.filters.output.format, config.filters.output.style) {
        (Format::Text, _) => "plain text",
        (Format::Html, Style::Reader) => "reader",
        (Format::Html, Style::Original) => "original",
    };
    html! {
        h2 { "In force" }
        table {
            tr { th { "Version" } td { (env!("CARGO_PKG_VERSION")) } }
            tr { th { "Pages" } td { (pages) } }
            tr { th { "Encrypted pages" } td { (https) } }
            @if config.rewrite.enabled {
                tr { th { "Filters" } td { @if filters.is_empty() { "none" } @else { (filters.join(", ")) } } }
                tr { th { "Style" } td { (style) } }
                tr { th { "Preset" } td { (config.preset.as_str()) } }
                tr { th { "Lists" } td { (blocking_state(&config.blocker)) } }
            }
            tr {
                th { "Configuration" }
                td { @match proxy.config_file() { Some(file) => code { (file.display()) }, None => "built-in defaults" } }
            }
        }
    }
}

fn blocking_state(blocker: &Blocker) -> Markup {
    html! {
        @for list in blocker.lists() {
            (list.source) ": "
            @match &list.problem {
                Some(problem) => { (problem) }
                None => { (list.counts.requests + list.counts.elements) " rules" }
            }
            br;
        }
        @if !blocker.settings().enabled { "blocking is switched off" }
        @else { a href=(pause::PATH) { (pause::state(blocker)) } }
    }
}

fn certificate(running: &RuntimeState) -> Markup {
    let warning = running.authority().and_then(|authority| authority.expiry_warning());
    html! {
        h2 { "Certificate" }
        @if let Some(warning) = warning { p.bad { (error_pages::prose(&warning)) } }
        @if !running.config.https.intercept {
            p { "Encrypted pages pass as they are. To have them rewritten, install the certificate, then write "
                code { "https: { intercept: on }" } " into the configuration." }
        }
        p { "Encrypted pages that are rewritten need this proxy's certificate in your device's list of trusted \
             authorities. Install it only on devices that are yours." }
        p {
            a.button href="/ca.crt" { "Download for most devices" }
            a.button href="/ca.pem" { "Download as PEM" }
        }
        table {
            tr { th { "Android" } td { "Settings, Security, Encryption, Install a certificate, CA certificate" } }
            tr { th { "iPhone, iPad" } td { "open the download, install the profile, then Settings, General, About, Certificate Trust Settings" } }
            tr { th { "Windows" } td { "open the download, Install, Trusted Root Certification Authorities" } }
            tr { th { "macOS" } td { "open the download in Keychain Access, set it to Always Trust" } }
            tr { th { "Firefox" } td { "Settings, Certificates, View, Authorities, Import" } }
            tr { th { "Linux" } td { "copy the PEM to " code { "/usr/local/share/ca-certificates/gleaner.crt" } ", run " code { "update-ca-certificates" } } }
        }
    }
}
