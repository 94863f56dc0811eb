//! Opens what is blocked at these hours, for a quarter of an hour on one device, with the password of the panel.

use std::time::Duration;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use maud::{Markup, html};
use tracing::{info, warn};
use url::Url;

use super::{bypass::page_in, form_fields::FormFields, template};
use crate::{
    http::body::{Body, ReceivedBody},
    net::{
        client_program::ClientProgram,
        control_host::{CONTROL_HOST, OPEN},
        credentials::Denied,
    },
    pages::panel::read_form,
    state::proxy::Proxy,
};

/// How long it stays open. Raising it lets a child go on for longer before a parent is asked again.
pub(crate) const OPEN_FOR: Duration = Duration::from_mins(15);

/// Whether an address is that of the page. Names under the control host are for the check of certificates only.
pub(crate) fn has_address(host: &str, path: &str) -> bool {
    path == OPEN && !host.to_ascii_lowercase().contains(&format!(".{CONTROL_HOST}"))
}

/// Shows the form, or opens.
pub(crate) async fn answer(proxy: &Proxy, device: ClientProgram, request: Request<ReceivedBody>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let query = FormFields::parse(head.uri.query().unwrap_or_default().as_bytes());
    let login = proxy.state().panel_login.clone();
    let (Some(login), true) = (login, head.method == Method::POST) else {
        let can_open = proxy.state().panel_login.is_some();
        return page(StatusCode::OK, &form(proxy, &device, page_in(&query).as_ref(), can_open, None));
    };
    let sent = read_form(body).await.unwrap_or_default();
    let page_of_site = page_in(&sent);
    if !proxy.forms.is_token(sent.get("token"), &device, OPEN) {
        let problem = "This form is of an older page. Send it again.";
        return page(StatusCode::FORBIDDEN, &form(proxy, &device, page_of_site.as_ref(), true, Some(problem)));
    }
    let client = device.address;
    match login.log_in(client, sent.get("password").to_owned()).await {
        Ok(()) => {
            info!(%client, "services that are blocked at these hours were opened for a device");
            proxy.opened_devices.set(&device, OPEN_FOR);
            page(StatusCode::OK, &opened(page_of_site.as_ref()))
        }
        Err(Denied::Credentials) => {
            warn!(%client, "a wrong password to open a service");
            let problem = "This is not the password.";
            page(StatusCode::UNAUTHORIZED, &form(proxy, &device, page_of_site.as_ref(), true, Some(problem)))
        }
        Err(Denied::TooManyGuesses) => {
            let problem = "Too many wrong passwords from this device. Wait for a minute.";
            let form = form(proxy, &device, page_of_site.as_ref(), true, Some(problem));
            let mut response = page(StatusCode::TOO_MANY_REQUESTS, &form);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
            response
        }
    }
}

fn page(status: StatusCode, content: &Markup) -> Response<Body> {
    template::page(status, &template::document("Open for 15 minutes", content))
}

fn form(proxy: &Proxy, device: &ClientProgram, site: Option<&Url>, can_open: bool, problem: Option<&str>) -> Markup {
    html! {
        h1 { "Open for 15 minutes" }
        @if let Some(problem) = problem { p.bad role="alert" { (problem) } }
        @if can_open {
            p { "What is blocked on this device at these hours opens for a quarter of an hour." }
            form method="post" action=(OPEN) {
                input type="hidden" name="token" value=(proxy.forms.token(device, OPEN));
                @if let Some(site) = site { input type="hidden" name="page" value=(site); }
                p { label for="password" { "Password of the panel" } br;
                    input id="password" name="password" type="password" autocomplete="off" required autofocus; }
                p { button type="submit" { "Open" } }
            }
        } @else {
            p { "The panel has no password (" code { "panel.password" } "), so that nobody could be asked for it. On the machine that Gleaner runs on, \
                 the page of this device in the panel opens it: " code { (device.address) } "." }
        }
    }
}

fn opened(site: Option<&Url>) -> Markup {
    html! {
        h1 { "Open for 15 minutes" }
        p role="status" { "What was blocked on this device at these hours is open until " (until()) "." }
        // A redirect after a form would be one of this site's own, by its policy.
        @if let Some(site) = site { p { a.button href=(site) { "Go there" } } }
    }
}

fn until() -> String {
    let until = jiff::ZonedDateTime::now().saturating_add(OPEN_FOR);
    until.strftime("%H:%M").to_string()
}
