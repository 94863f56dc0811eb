//! Who may open the panel: this machine, and clients that the configuration names, with its password where it has one.
//!
//! A browser on this machine that loads a foreign page through the proxy asks for that page's sake too, so being at loopback is not
//! enough: what another site causes is refused (`Sec-Fetch-Site`, `Origin`), every form has a token, no site can read or frame an
//! answer, and a foreign `Host` never comes here (`target_resolution`).

use std::time::Duration;

use http::{HeaderValue, Method, Response, StatusCode, header, request::Parts};
use maud::{Markup, html};
use tracing::{info, warn};

use super::{FormFields, PanelRequest, notice, notice_with, page, see_other, site};
use crate::{
    http::body::Body,
    net::{client_program::ClientProgram, credentials::Denied, target::Scheme},
    server::Connection,
    state::{proxy::Proxy, runtime_state::RuntimeState, sessions},
};

/// The name of the session's cookie.
const COOKIE: &str = "gleaner-panel";

/// A client that may see the panel.
pub(super) struct PanelVisitor {
    /// The id of its session, where a password is asked for.
    pub(super) session: Option<String>,
    pub(super) must_log_in: bool,
    /// Token of every form of the session.
    token: String,
}

impl PanelVisitor {
    /// The hidden field of a form.
    pub(super) fn field(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token); }
    }

    /// Whether a form is one of ours, made for this client.
    pub(super) fn wrote(&self, form: &FormFields) -> bool {
        form.get("token") == self.token
    }
}

/// Lets a client in, or refuses it.
pub(super) fn check(
    proxy: &Proxy,
    state: &RuntimeState,
    device: &ClientProgram,
    head: &Parts,
) -> Result<PanelVisitor, Box<Response<Body>>> {
    let refused = |title: &str, text: &str| Box::new(notice(StatusCode::FORBIDDEN, title, text));
    let panel = &state.config.panel;
    if !panel.enabled {
        let site = site::asked_for(head);
        let back = site.as_ref().map(|(host, page)| site::way_back(host, page.as_ref()));
        let rule =
            site.map(|(host, _)| format!(" There, {} leaves the pages of {host} as they are.", site::never(&host)));
        let text = format!(
            "The panel is switched off by `panel.enabled: false` in the configuration.{}",
            rule.unwrap_or_default()
        );
        return Err(Box::new(notice_with(StatusCode::NOT_FOUND, "Not here", &text, &back.unwrap_or_default())));
    }
    if let Some((host, page)) = site::asked_for(head).filter(|_| !panel.admits(device.address)) {
        let text = site::elsewhere(proxy, device, &host);
        let back = site::way_back(&host, page.as_ref());
        return Err(Box::new(notice_with(StatusCode::FORBIDDEN, "Not from this device", &text, &back)));
    }
    if !panel.admits(device.address) {
        let text = format!(
            "The panel is for the machine that Gleaner runs on. To open it from here, name this device ({}) under `panel.clients` \
             in the configuration, with a `panel.password`.",
            device.address
        );
        return Err(refused("Not from this device", &text));
    }
    if is_foreign(head) {
        return Err(refused(
            "Nothing was done",
            "Another site asked for this. Open the panel yourself, at `http://gleaner.internal/panel`.",
        ));
    }
    let session = session(proxy, state, device, head);
    let must_log_in = state.panel_login.is_some() && session.is_none();
    let token = proxy.forms.token(device, &format!("panel {}", session.as_deref().unwrap_or_default()));
    Ok(PanelVisitor { session, must_log_in, token })
}

/// The host that was asked: that of the address, or of the `Host` field.
fn authority(head: &Parts) -> &str {
    let field = || head.headers.get(header::HOST)?.to_str().ok();
    let authority = head.uri.authority().map(http::uri::Authority::as_str).or_else(field).unwrap_or_default();
    authority.strip_suffix(":80").or(authority.strip_suffix(":443")).unwrap_or(authority)
}

/// Whether a browser says that another site causes this request. A link that a person follows may come from anywhere.
fn is_foreign(head: &Parts) -> bool {
    let field = |name: &str| head.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_read = matches!(head.method, Method::GET | Method::HEAD);
    let follows_a_link =
        is_read && field("sec-fetch-mode") == Some("navigate") && field("sec-fetch-dest") == Some("document");
    let by_our_own = matches!(field("sec-fetch-site"), None | Some("same-origin" | "none"));
    let own_origin = field("origin").is_none_or(|origin| {
        let place = origin.split_once("://").map_or("", |(_, place)| place);
        place.eq_ignore_ascii_case(authority(head))
    });
    !(own_origin && (by_our_own || follows_a_link))
}

/// The session that the request's cookie names.
fn session(proxy: &Proxy, state: &RuntimeState, device: &ClientProgram, head: &Parts) -> Option<String> {
    state.panel_login.as_ref()?;
    let fields = head.headers.get_all(header::COOKIE).iter().filter_map(|field| field.to_str().ok());
    let pairs = fields.flat_map(|field| field.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut named = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, id)| id);
    let password = state.config.panel.password.as_ref();
    named.find(|id| proxy.sessions.is_live(id, device.address, password)).map(str::to_owned)
}

/// The page that asks for the password.
/// Afterwards it leads to `then`: with its query, which may name a site.
pub(super) fn log_in_page(
    visit: &PanelRequest<'_>,
    status: StatusCode,
    problem: Option<&str>,
    then: &str,
) -> Response<Body> {
    page(
        status,
        "Log in",
        &html! {
            main {
                h1 { "Log in" }
                @if let Some(problem) = problem { p.bad role="alert" { (problem) } }
                form method="post" action="/login" {
                    (visit.guest.field())
                    input type="hidden" name="then" value=(then);
                    p { label for="password" { "Password of the panel" } br;
                        input id="password" name="password" type="password" autocomplete="current-password" required autofocus; }
                    p { button type="submit" { "Log in" } }
                }
                p { a href="/" { "See what Gleaner does." } }
            }
        },
    )
}

/// Checks the password and begins a session.
pub(super) async fn log_in(visit: &PanelRequest<'_>, form: &FormFields) -> Response<Body> {
    let Some(login) = &visit.state.panel_login else {
        return see_other("/panel");
    };
    let client = visit.device.address;
    match login.log_in(client, form.get("password").to_owned()).await {
        Ok(()) => {
            info!(%client, "a client logged in to the panel");
            let id = visit.proxy.sessions.begin(client, visit.state.config.panel.password.clone());
            let then = form.get("then");
            let path = then.split('?').next().unwrap_or_default();
            let mut response = see_other(if super::has(path) && !then.starts_with("//") { then } else { "/panel" });
            set_cookie(visit.connection, &mut response, &id, sessions::LONGEST);
            response
        }
        Err(Denied::Credentials) => {
            warn!(%client, "a wrong password for the panel");
            log_in_page(visit, StatusCode::UNAUTHORIZED, Some("This is not the password."), form.get("then"))
        }
        Err(Denied::TooManyGuesses) => {
            let text = "Too many wrong passwords from this device. Wait for a minute.";
            let mut response = log_in_page(visit, StatusCode::TOO_MANY_REQUESTS, Some(text), form.get("then"));
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
            response
        }
    }
}

pub(super) fn log_out(visit: &PanelRequest<'_>) -> Response<Body> {
    if let Some(id) = &visit.guest.session {
        visit.proxy.sessions.end(id);
    }
    let mut response = see_other("/");
    set_cookie(visit.connection, &mut response, "", Duration::ZERO);
    response
}

fn set_cookie(connection: &Connection, response: &mut Response<Body>, id: &str, lasts: Duration) {
    let encrypted = connection.tunnel.as_ref().is_some_and(|tunnel| tunnel.scheme == Scheme::Https);
    let secure = if encrypted { "; Secure" } else { "" };
    // Not `Strict`: the bar of a rewritten page links here, and reading changes nothing.
    let cookie = format!("{COOKIE}={id}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}", lasts.as_secs());
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn foreign(method: &str, fields: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().method(method).uri("/panel").header("host", "gleaner.internal");
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        is_foreign(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn what_another_site_causes_is_told_apart() {
        let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        for (method, fields, is_so) in [
            ("GET", &[][..], false),
            ("GET", &[("sec-fetch-site", "none")], false),
            ("GET", &link, false),
            ("POST", &link, true),
            ("GET", &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], true),
            (
                "GET",
                &[("sec-fetch-site", "same-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")],
                true,
            ),
            ("POST", &[("sec-fetch-site", "same-origin"), ("origin", "http://gleaner.internal")], false),
            ("POST", &[("origin", "https://GLEANER.internal")], false),
            ("POST", &[("origin", "http://evil.example")], true),
            ("POST", &[("origin", "http://gleaner.internal:81")], true),
            ("POST", &[("origin", "null")], true),
            ("POST", &[], false),
        ] {
            assert_eq!(foreign(method, fields), is_so, "{method} {fields:?}");
        }
    }
}
