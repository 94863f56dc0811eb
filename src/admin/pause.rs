//! The page that pauses blocking for the device that asks, or ends the pause. The pause of all devices is in the panel.
//!
//! Only a click on it does: its links have a token, and no web site can read it or show it in a frame.

use std::time::Duration;

use http::{Method, Request, Response, StatusCode};
use maud::{Markup, html};
use url::form_urlencoded;

use super::notice;
use crate::{
    blocking::{minutes_until, parse_duration},
    body::Body,
    device::Device,
    error_pages,
    service::Proxy,
};

/// The path on the control host.
pub(super) const PATH: &str = "/pause";

/// How long, in words of [`parse_duration`]; the last ends the pause.
pub(crate) const CHOICES: [(&str, &str); 4] =
    [("5m", "5 minutes"), ("30m", "30 minutes"), ("2h", "2 hours"), ("off", "End the pause")];

pub(super) fn answer<B>(proxy: &Proxy, device: &Device, request: &Request<B>) -> Response<Body> {
    let token = proxy.forms.token(device, PATH);
    let query: Vec<_> = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).collect();
    let value = |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value);
    let chosen = value("for").filter(|_| value("token") == Some(&token) && request.method() == Method::GET);
    let length = chosen.and_then(|chosen| match chosen {
        "off" => Some(Duration::ZERO),
        length => parse_duration(length).ok(),
    });
    let Some(length) = length else {
        return error_pages::page(StatusCode::OK, &page(proxy, device, &token));
    };
    proxy.paused_devices.set(device, length);
    let title = if length.is_zero() { "The pause ends" } else { "Blocking is paused on this device" };
    notice(
        StatusCode::OK,
        title,
        &html! { "It holds from the next request on. " a href="/" { "See what Gleaner does." } },
    )
}

fn page(proxy: &Proxy, device: &Device, token: &str) -> Markup {
    let running = proxy.running();
    let (all, own) = (running.config.blocker.paused_until(), proxy.paused_devices.until(device));
    error_pages::document(
        "Pause",
        &html! {
            h1 { "Pause blocking" }
            p { "Block nothing on this device (" (device.address) ") for" }
            p { @for (length, words) in CHOICES { a.button href={ (PATH) "?for=" (length) "&token=" (token) } { (words) } } }
            @if let Some(until) = own { p { "Paused for another " (minutes_until(until)) " min." } }
            @if let Some(until) = all { p { "Paused on all devices for another " (minutes_until(until)) " min." } }
            @if running.config.panel.admits(device.address) { p { a href="/panel/health#pause" { "Pause on all devices" } } }
            p.quiet { "Some part of a page is missing? " code { "gleaner explain" } " with its address says which rule of which list it is." }
        },
    )
}
