//! The panel at the control host: what was done, how the proxy is, and its settings.
//!
//! `access` decides who sees it. Pages are made here, without scripts but for the live view of requests.

mod access;
mod charts;
mod devices;
mod edits;
mod health;
pub(crate) mod metrics;
mod overview;
mod requests;
mod rules;
mod settings;
mod site;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, PreEscaped, html};
use serde_yaml::Value;

use self::access::PanelVisitor;
use crate::{
    config::ClientInfo,
    http::{
        body::{Body, ReceivedBody},
        history::ClientKey,
    },
    net::{
        client_program::{self, ClientProgram},
        control_host::CONTROL_HOST,
    },
    pages::{form_fields::FormFields, template},
    server::Connection,
    state::{
        device_names::{NamesByAddress, shown},
        proxy::Proxy,
        runtime_state::RuntimeState,
    },
};

/// The pages, in the order of the navigation.
const PAGES: [(&str, &str); 5] = [
    ("/panel", "Overview"),
    ("/panel/requests", "Requests"),
    ("/panel/devices", "Devices"),
    ("/panel/health", "Health"),
    ("/settings", "Settings"),
];

/// Policy of the panel's pages: they show themselves, with their own style and the one script, and nothing else.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'",
);

/// Most bytes of a form.
const MAX_FORM: usize = 256 * 1024;

const STYLE: &str = include_str!("panel/style.css");

/// A request for the panel, and what its answer is made from.
struct PanelRequest<'a> {
    proxy: &'a Arc<Proxy>,
    state: &'a RuntimeState,
    connection: &'a Connection,
    device: &'a ClientProgram,
    user_agent: &'a str,
    guest: PanelVisitor,
    path: &'a str,
    /// The path with the query.
    address: &'a str,
    /// The parameters of the address.
    query: FormFields,
    /// The names of devices.
    names: NamesByAddress,
    /// All settings of the file, once they are asked for.
    tree: OnceLock<Value>,
}

/// Whether an address is one of the panel. Names under the control host are for the check of certificates only.
pub(crate) fn has_address(host: &str, path: &str) -> bool {
    has(path) && !host.to_ascii_lowercase().contains(&format!(".{CONTROL_HOST}"))
}

fn has(path: &str) -> bool {
    let first = path.split('/').nth(1).unwrap_or_default();
    ["panel", "settings", "login", "logout"].contains(&first) || metrics::has(path)
}

/// Answers a request for the panel.
pub(crate) async fn answer(
    proxy: &Arc<Proxy>,
    connection: &Connection,
    device: ClientProgram,
    request: Request<ReceivedBody>,
) -> Response<Body> {
    let state = proxy.state();
    let (head, body) = request.into_parts();
    let guest = match access::check(proxy, &state, &device, &head) {
        Ok(guest) => guest,
        Err(refusal) => return *refusal,
    };
    let query = FormFields::parse(head.uri.query().unwrap_or_default().as_bytes());
    let (path, address) = (head.uri.path(), head.uri.path_and_query().map_or("/", |address| address.as_str()));
    let user_agent = client_program::user_agent(&head.headers);
    let (names, tree) = (proxy.device_names.all(), OnceLock::new());
    let device = &device;
    let visit =
        PanelRequest { proxy, state: &state, connection, device, user_agent, guest, path, address, query, names, tree };
    match head.method {
        Method::GET | Method::HEAD if metrics::has(visit.path) => metrics::answer(&visit, &head.headers).await,
        Method::GET | Method::HEAD => visit.page(),
        Method::POST => match read_form(body).await {
            Some(form) if visit.guest.wrote(&form) => visit.post(&form).await,
            Some(_) => {
                let text = "This form is of an older page: Gleaner was started again since, or the log-in has ended. What you entered is where \
                            the browser's Back leads; what is loaded anew can be sent.";
                notice(StatusCode::FORBIDDEN, "Nothing was done", text)
            }
            None => notice(StatusCode::PAYLOAD_TOO_LARGE, "Nothing was done", "The form is too long, or broke off."),
        },
        _ => {
            let mut response =
                notice(StatusCode::METHOD_NOT_ALLOWED, "Not here", "Pages are read, and forms are sent.");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
            response
        }
    }
}

/// The fields of a form, bounded in size and time.
pub(crate) async fn read_form(body: ReceivedBody) -> Option<FormFields> {
    let whole = tokio::time::timeout(Duration::from_secs(20), Limited::new(body, MAX_FORM).collect());
    Some(FormFields::parse(&whole.await.ok()?.ok()?.to_bytes()))
}

impl PanelRequest<'_> {
    fn page(&self) -> Response<Body> {
        if self.guest.must_log_in {
            return access::log_in_page(self, StatusCode::UNAUTHORIZED, None, self.address);
        }
        match self.path {
            "/panel" => self.show("Overview", &overview::page(self)),
            "/panel/requests" => self.show("Requests", &requests::page(self)),
            "/panel/requests/live" => requests::live(self),
            "/panel/live.js" => file(include_str!("panel/live.js"), "text/javascript; charset=utf-8"),
            "/panel/devices" => self.show("Devices", &devices::page(self)),
            "/panel/device" => devices::device_page(self),
            "/panel/health" => self.show("Health", &health::page(self)),
            "/login" => see_other("/panel"),
            "/settings" => settings::overview(self),
            "/settings/site" => site::page(self),
            path if path.starts_with("/settings/") => settings::page(self, &path["/settings/".len()..]),
            _ => notice(StatusCode::NOT_FOUND, "Not here", "The panel has no such page."),
        }
    }

    async fn post(&self, form: &FormFields) -> Response<Body> {
        if self.path == "/login" {
            return access::log_in(self, form).await;
        }
        if self.guest.must_log_in {
            return access::log_in_page(self, StatusCode::UNAUTHORIZED, None, self.address);
        }
        match self.path {
            "/logout" => access::log_out(self),
            "/panel/forget" => health::forget(self, form),
            "/panel/pause" => health::set_pause(self, form),
            "/panel/rules" => rules::post(self, form).await,
            "/panel/device" => devices::post(self, form).await,
            "/settings/site" => site::post(self, form).await,
            path if path.starts_with("/settings/") => settings::post(self, &path["/settings/".len()..], form).await,
            _ => notice(StatusCode::NOT_FOUND, "Not here", "The panel has no such form."),
        }
    }

    /// A page within the panel's navigation.
    fn show(&self, title: &str, content: &Markup) -> Response<Body> {
        page(
            StatusCode::OK,
            title,
            &html! {
                header {
                    strong { a href="/" { "Gleaner" } } " "
                    nav aria-label="Panel" {
                        @for (path, name) in PAGES {
                            @let is_within = *path == *"/settings" && self.path.starts_with("/settings/") || *path == *"/panel/devices" && self.path == "/panel/device";
                            @let here = is_within || *path == *self.path;
                            a href=(path) aria-current=[here.then_some("page")] { (name) } " "
                        }
                    }
                    @if self.guest.session.is_some() { (self.button("/logout", &[], "Log out")) }
                }
                main {
                    h1 { (title) }
                    @if let Some(error) = self.proxy.reload_error() {
                        p.bad { "The configuration could not be reloaded, and the one before it stays in force. " (error) }
                    }
                    (content)
                }
            },
        )
    }

    /// A device in words.
    fn name(&self, (address, user): &ClientKey) -> String {
        shown(&self.names, *address, user.as_deref())
    }

    /// All settings of the file; nothing of one that cannot be read.
    fn tree(&self) -> &Value {
        let read = || settings::ConfigText::read(self).and_then(|source| source.tree()).unwrap_or_default();
        self.tree.get_or_init(read)
    }

    /// Who asks, where settings depend on it.
    fn asker(&self) -> ClientInfo<'_> {
        ClientInfo {
            client: self.device.address,
            user: self.device.user.as_deref(),
            user_agent: self.user_agent,
            port: self.connection.local.port(),
        }
    }

    /// Waits until the file with this [`Config::text_hash`](crate::Config::text_hash) is in force, or has failed: it is watched, and
    /// a change takes effect within half a second.
    async fn taken_over(&self, text_hash: u64) {
        let is_so = || self.proxy.state().config.text_hash == text_hash || self.proxy.reload_error().is_some();
        let waiting = async {
            while !is_so() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        // Without a watch only a signal would do it, and the page says what is in force.
        let _ = tokio::time::timeout(Duration::from_secs(2), waiting).await;
    }

    /// A form of one button.
    fn button(&self, path: &str, fields: &[(&str, &str)], label: &str) -> Markup {
        html! {
            form method="post" action=(path) {
                (self.guest.field())
                @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
                button type="submit" { (label) }
            }
        }
    }
}

/// A page of the panel, with or without its navigation.
fn page(status: StatusCode, title: &str, content: &Markup) -> Response<Body> {
    let head = html! { style { (PreEscaped(STYLE)) } };
    let title = format!("{title} · Gleaner");
    let mut response = template::page(status, &template::document_of(&title, &head, content));
    harden(&mut response);
    response
}

/// With `no-referrer` a browser would send `Origin: null` with our own forms (Fetch § 3.2.5).
fn harden(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    template::harden(headers);
    headers.insert(header::CONTENT_SECURITY_POLICY, CSP);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
}

fn notice(status: StatusCode, title: &str, text: &str) -> Response<Body> {
    notice_with(status, title, text, &html! {})
}

/// A notice with a link more.
fn notice_with(status: StatusCode, title: &str, text: &str, link: &Markup) -> Response<Body> {
    let content = html! {
        main { h1 { (title) } p { (template::prose(text)) } p { (link) " " a href="/" { "See what Gleaner does." } } }
    };
    page(status, title, &content)
}

fn file(content: &'static str, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(content.to_owned()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    harden(&mut response);
    response
}

/// Leads to a page of the panel after a form was sent.
fn see_other(path: &str) -> Response<Body> {
    let mut response = template::see_other(path);
    harden(&mut response);
    response
}

/// A number of bytes for a person.
fn bytes(count: u64) -> String {
    let count = count as f64;
    match count {
        ..1e3 => format!("{count} B"),
        ..1e6 => format!("{:.0} kB", count / 1e3),
        ..1e9 => format!("{:.1} MB", count / 1e6),
        _ => format!("{:.1} GB", count / 1e9),
    }
}

/// A length of time for a person, in its largest unit.
fn ago(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
