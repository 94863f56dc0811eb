//! The proxy's own pages: at the control host, and at every address of the proxy.
//!
//! Every client that may use the proxy can read them. They change nothing but what is remembered of that client.

mod certificate;
mod forms;
pub(crate) mod look;
mod pac;
pub(crate) mod pause;
pub(crate) mod qr;
mod start;
mod system;

use std::net::SocketAddr;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{Markup, html};
use url::Url;

pub(crate) use self::forms::Forms;
use self::system::System;
use crate::{
    http::body::Body,
    net::{
        access_control::Acl,
        device::{self, Device},
        target::{Host, Scheme, Target},
    },
    pages::error_pages,
    server::Connection,
    state::{bypass_links, proxy::Proxy, runtime_state::RuntimeState},
};

/// The name under which a browser finds the proxy it uses. `.internal` is reserved for private use
/// (ICANN board resolution of 29 July 2024), so no web site can have it.
pub(crate) const CONTROL_HOST: &str = "gleaner.internal";

/// The script that tells a browser which proxy to use, and the name by which browsers look for it themselves.
const PAC: [&str; 2] = ["/proxy.pac", "/wpad.dat"];

/// Whether a target is the control host, or a host under it.
pub(crate) fn is_control_host(target: &Target) -> bool {
    let is_ours =
        |name: &str| name.strip_suffix(CONTROL_HOST).is_some_and(|left| left.is_empty() || left.ends_with('.'));
    matches!(target.host, Host::Name(_)) && is_ours(target.plain_host())
}

/// Whether a request is that of a browser that looks for a proxy by itself, at `wpad` in the domain of its own network. A site can
/// have the name `wpad.` in its own domain lead here (DNS rebinding).
pub(crate) fn is_wpad<B>(target: &Target, request: &Request<B>, acl: &Acl) -> bool {
    let host = target.plain_host();
    let is_named = host == "wpad" || host.starts_with("wpad.");
    request.uri().path() == PAC[1] && is_named && matches!(target.host, Host::Name(_)) && acl.is_home_name(host)
}

/// Whether a client asks the proxy itself for the script, and not through it. Browsers do so without a name and a password.
pub(crate) fn is_script<B>(request: &Request<B>) -> bool {
    request.uri().scheme().is_none() && PAC.contains(&request.uri().path())
}

/// Whether a `Host` field means this machine: one of its addresses, or `localhost`. The name of a web site that
/// resolves to this machine (DNS rebinding) is refused.
pub(crate) fn is_this_machine(target: &Target, acl: &Acl) -> bool {
    match target.socket_addr() {
        Some(addr) => acl.is_own(addr),
        None => target.plain_host() == "localhost",
    }
}

/// An address on the control host for a link on this page. Over TLS where the page came so: the link names it, and nobody on
/// the way between the client and us may read that.
pub(crate) fn address(page: &Url, path: &str) -> Url {
    let address = format!("{}://{CONTROL_HOST}{path}", page.scheme());
    Url::parse(&address).expect("the host is constant and paths are ours")
}

/// Leads to another page.
pub(crate) fn see_other(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::SEE_OTHER;
    error_pages::harden(response.headers_mut());
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// Who asks for a page of ours, and how.
pub(crate) struct Visit<'a> {
    device: Device,
    user_agent: &'a str,
    /// Where the client connected to.
    local: SocketAddr,
    /// Whether it uses the proxy, and has not opened its address as that of a web site.
    proxied: bool,
    /// The client of the CONNECT and the host that it named, over TLS.
    connect: Option<&'a Device>,
    tunnel: Option<&'a str>,
}

impl<'a> Visit<'a> {
    pub(crate) fn new<B>(connection: &'a Connection, device: Device, request: &'a Request<B>) -> Self {
        let encrypted = connection.tunnel.as_ref().filter(|tunnel| tunnel.scheme == Scheme::Https);
        Self {
            device,
            user_agent: device::user_agent(request.headers()),
            local: SocketAddr::new(connection.local.ip().to_canonical(), connection.local.port()),
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
pub(crate) fn answer<B>(proxy: &Proxy, visit: &Visit<'_>, request: &Request<B>) -> Response<Body> {
    let running = proxy.running();
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
        "/" | "" => error_pages::page(StatusCode::OK, &start::page(proxy, &running, visit)),
        start::CHECK if learn(proxy, &running, visit, request) => check_style(),
        forms::FORGOTTEN => forgotten(),
        bypass_links::PATH => {
            let forbids = |page: &Url| running.config.blocker.forbids_page(page);
            proxy.bypass_links.answer(visit.device.address, request, forbids)
        }
        look::PATH => look::answer(proxy, visit, request),
        pause::PATH => pause::answer(proxy, &visit.device),
        _ if certificate::is_path(path) => match running.open_authority() {
            Some(authority) => certificate::answer(path, authority),
            None => no_authority(),
        },
        _ if PAC.contains(&path) => {
            let script = pac::script(&running.config, visit.local);
            download(script.into_bytes(), "application/x-ns-proxy-autoconfig", None)
        }
        _ => match System::ALL.into_iter().find(|system| path.strip_prefix("/steps/") == Some(system.slug())) {
            Some(system) => error_pages::page(StatusCode::OK, &start::system_page(proxy, visit, system)),
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
fn learn<B>(proxy: &Proxy, running: &RuntimeState, visit: &Visit<'_>, request: &Request<B>) -> bool {
    let is_opened = request.headers().get("sec-fetch-dest").is_some_and(|destination| destination == "document");
    let (Some(connect), Some(authority), false) = (visit.connect, running.authority(), is_opened) else { return false };
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
    error_pages::harden(headers);
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
    error_pages::page(status, &error_pages::document(title, &content))
}
