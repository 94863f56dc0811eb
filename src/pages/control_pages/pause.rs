//! The page that pauses blocking for the device that asks, or ends the pause. The pause of all devices is in the panel.
//!
//! Only a click on it does: its forms have a token, and no web site can read it or show it in a frame.

use std::time::Duration;

use http::{Response, StatusCode};
use maud::{Markup, html};

use crate::{
    blocking::{minutes_until, parse_duration},
    http::body::Body,
    net::client_program::ClientProgram,
    pages::{form_fields::FormFields, template},
    state::proxy::Proxy,
};

/// The path on the control host.
pub(super) const PATH: &str = "/pause";

/// How long, in words of [`parse_duration`]; the last ends the pause.
pub(crate) const CHOICES: [(&str, &str); 4] =
    [("5m", "5 minutes"), ("30m", "30 minutes"), ("2h", "2 hours"), ("off", "End the pause")];

/// Shows the page.
pub(super) fn answer(proxy: &Proxy, device: &ClientProgram) -> Response<Body> {
    template::page(StatusCode::OK, &page(proxy, device, &proxy.forms.token(device, PATH)))
}

/// Pauses, and leads to the page that shows it: what a browser loads again must not pause again.
pub(super) fn post(proxy: &Proxy, device: &ClientProgram, query: &str) -> Option<Response<Body>> {
    let query = FormFields::parse(query.as_bytes());
    let chosen = query.find("for").filter(|_| proxy.forms.is_token(query.get("token"), device, PATH))?;
    let length = if chosen == "off" { Duration::ZERO } else { parse_duration(chosen).ok()? };
    proxy.paused_devices.set(device, length);
    Some(template::see_other(PATH))
}

fn page(proxy: &Proxy, device: &ClientProgram, token: &str) -> Markup {
    let state = proxy.state();
    let (all, own) = (state.blocker.paused_until(), proxy.paused_devices.until(device));
    template::document(
        "Pause",
        &html! {
            h1 { "Pause blocking" }
            p { "Block nothing on this device (" (device.address) ") for" }
            @for (length, words) in CHOICES {
                form method="post" action={ (PATH) "?for=" (length) "&token=" (token) } { button type="submit" { (words) } }
            }
            @if let Some(until) = own { p role="status" { "Paused for another " (minutes_until(until)) " min., from the next request on." } }
            @if let Some(until) = all { p { "Paused on all devices for another " (minutes_until(until)) " min." } }
            @if state.config.panel.admits(device.address) { p { a href="/panel/health#pause" { "Pause on all devices" } } }
            p.quiet { "Some part of a page is missing? " code { "gleaner explain" } " with its address says which rule of which list it is." }
        },
    )
}
