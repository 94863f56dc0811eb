//! The proxy's own pages: at the control host, and at every address of the proxy.
//!
//! Every client that may use the proxy can read them. They change nothing but what is remembered of that client.

mod certificate;
mod forms;
pub(crate) mod look;
mod never;
mod pac;
pub(crate) mod pause;
pub(crate) mod qr;
mod start;
mod system;

use std::net::SocketAddr;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{Markup, html};
use url::Url;

use self::system::System;
use crate::{
    config::ClientInfo,
    http::body::Body,
    net::{
        client_program::{self, ClientProgram},
        control_host,
        target::{Scheme, Target},
    },
    pages::{bypass, template},
    server::Connection,
    state::{proxy::Proxy, runtime_state::RuntimeState},
};

/// Who asks for a page of ours, and how.
pub(crate) struct ControlPageRequest<'a> {
    device: ClientProgram,
    user_agent: &'a str,
    /// Where the client connected to.
    local: SocketAddr,
    /// Whether it uses the proxy, and has not opened its address as that of a web site.
    proxied: bool,
    /// Whether another proxy has it filtered here.
    over_icap: bool,
    /// The client of the CONNECT and the host that it named, over TLS.
    connect: Option<&'a ClientProgram>,
    tunnel: Option<&'a str>,
}

impl<'a> ControlPageRequest<'a> {
    pub(crate) fn new<B>(
        connection: &'a Connection,
        device: ClientProgram,
        request: &'a Request<B>,
        over_icap: bool,
    ) -> Self {
        let encrypted = connection.tunnel.as_ref().filter(|tunnel| tunnel.scheme == Scheme::Https);
        Self {
            device,
            user_agent: client_program::user_agent(request.headers()),
            local: SocketAddr::new(connection.local.ip().to_canonical(), connection.local.port()),
            over_icap,
            proxied: connection.tunnel.is_some() || request.uri().scheme().is_some(),
            connect: connection.device.as_ref().filter(|_| encrypted.is_some()),
            tunnel: encrypted.map(Target::plain_host),
        }
    }

    /// The user's name, where users are configured.
    fn user(&self) -> Option<&str> {
        self.device.user.as_deref()
    }
}

/// Answers a request for a page of ours.
pub(crate) fn answer<B>(proxy: &Proxy, visit: &ControlPageRequest<'_>, request: &Request<B>) -> Response<Body> {
    let state = proxy.state();
    let path = request.uri().path();
    if let Some(refusal) = check_method(request) {
        return refusal;
    }
    if request.method() == Method::POST {
        let query = request.uri().query().unwrap_or_default();
        let done = match path {
            pause::PATH => pause::post(proxy, &visit.device, query),
            _ => forms::answer(proxy, visit, path, query),
        };
        return done.unwrap_or_else(stale_form);
    }
    match path {
        "/" | "" => template::page(StatusCode::OK, &start::page(proxy, &state, visit)),
        start::CHECK if learn(proxy, &state, visit, request) => check_style(),
        forms::FORGOTTEN => forgotten(),
        control_host::ORIGINAL => {
            let asker = ClientInfo {
                client: visit.device.address,
                user: visit.user(),
                user_agent: visit.user_agent,
                port: visit.local.port(),
            };
            let forbids = |page: &Url| {
                let choice = state.config.profiles.choose_blocking(&asker, page.host_str());
                let blocker = choice.map_or(&state.blocker, |choice| state.blocker.for_profile(choice.index));
                blocker.forbids_page(page)
            };
            bypass::answer(&proxy.bypass_links, visit.device.address, request, forbids)
        }
        control_host::LOOK => look::answer(proxy, visit, request),
        control_host::NAME => {
            forms::name(proxy, visit, request.uri().query().unwrap_or_default()).unwrap_or_else(stale_form)
        }
        control_host::NEVER => never::answer(proxy, visit, request),
        pause::PATH => pause::answer(proxy, &visit.device),
        _ if certificate::is_path(path) => match state.authority.open() {
            Some(authority) => certificate::answer(path, authority),
            None => no_authority(),
        },
        _ if control_host::PAC.contains(&path) => {
            let script = pac::script(&state.config, visit.local);
            download(script.into_bytes(), "application/x-ns-proxy-autoconfig", None)
        }
        _ => match System::ALL.into_iter().find(|system| path.strip_prefix("/steps/") == Some(system.slug())) {
            Some(system) => template::page(StatusCode::OK, &start::system_page(proxy, visit, system)),
            None => not_here(StatusCode::NOT_FOUND),
        },
    }
}

/// The answer to a method that the path does not have.
fn check_method<B>(request: &Request<B>) -> Option<Response<Body>> {
    let allowed = match request.uri().path() {
        pause::PATH => "GET, HEAD, POST",
        path if forms::is_path(path) => "POST",
        _ => "GET, HEAD",
    };
    if allowed.split(", ").any(|method| method == request.method()) {
        return None;
    }
    let mut response = not_here(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    Some(response)
}

/// Whether a client has accepted our certificate: by the style sheet of a start page that it was shown, over TLS. A page that a
/// person has opened shows nothing: there a wrong certificate is a warning, which can be passed; nor does what another site's page
/// names.
fn learn<B>(proxy: &Proxy, state: &RuntimeState, visit: &ControlPageRequest<'_>, request: &Request<B>) -> bool {
    let is_opened = request.headers().get("sec-fetch-dest").is_some_and(|destination| destination == "document");
    let (Some(connect), Some(authority), false) = (visit.connect, state.authority.get(), is_opened) else {
        return false;
    };
    if !start::is_check(proxy, visit, request.uri().path()) {
        return false;
    }
    if proxy.trusted_devices.learn(connect, visit.device.agent.clone(), authority.fingerprint()) {
        proxy.tunnelled.trusted(connect);
    }
    true
}

fn check_style() -> Response<Body> {
    let mut response = download(start::CHECK_STYLE.as_bytes().to_vec(), "text/css; charset=utf-8", None);
    // The page that names it has another scheme and host.
    let everywhere = HeaderValue::from_static("cross-origin");
    response.headers_mut().insert("cross-origin-resource-policy", everywhere);
    response
}

fn download(content: Vec<u8>, kind: &'static str, name: Option<&str>) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes::Bytes::from(content)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let disposition = name.map(|name| HeaderValue::try_from(format!("attachment; filename=\"{name}\"")));
    if let Some(Ok(disposition)) = disposition {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    template::harden(headers);
    response
}

fn not_here(status: StatusCode) -> Response<Body> {
    let text = html! { "Gleaner has no such page. " a href="/" { "See what it has." } };
    notice(status, "Not here", &text)
}

fn stale_form() -> Response<Body> {
    let text = html! { "This button is of an older page. " a href="/" { "Load it again." } };
    notice(StatusCode::FORBIDDEN, "Nothing was done", &text)
}

fn forgotten() -> Response<Body> {
    let text = html! {
        "Encrypted pages of this device pass as they are now, until one of its browsers opens the " a href="/" { "start page" }
        " and shows that it still trusts the certificate. To end that for good, remove the certificate from the device."
    };
    notice(StatusCode::OK, "Forgotten", &text)
}

fn no_authority() -> Response<Body> {
    let text = html! {
        "The proxy's certificate authority can be neither opened nor made; its log says why, and "
        code { "gleaner ca show" } " too. " a href="/" { "See what Gleaner does." }
    };
    notice(StatusCode::NOT_FOUND, "No certificate", &text)
}

fn notice(status: StatusCode, title: &str, text: &Markup) -> Response<Body> {
    let content = html! { h1 { (title) } p { (text) } };
    template::page(status, &template::document(title, &content))
}
