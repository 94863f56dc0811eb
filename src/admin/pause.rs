//! The page that pauses blocking, for every device, or ends the pause.
//!
//! Only a click on it does: its links have a token, and no web site can read it or show it in a frame.

use std::{
    net::IpAddr,
    time::{Duration, SystemTime},
};

use http::{Method, Request, Response, StatusCode};
use maud::{Markup, html};
use tracing::{info, warn};
use url::form_urlencoded;

use super::{address, notice};
use crate::{
    blocking::{Blocker, Pause, parse_duration},
    body::Body,
    error_pages,
    service::Proxy,
};

/// The path on the control host.
pub(super) const PATH: &str = "/pause";

/// How long, in words of [`parse_duration`]; the last ends the pause.
const CHOICES: [(&str, &str); 4] =
    [("5m", "5 minutes"), ("30m", "30 minutes"), ("2h", "2 hours"), ("off", "End the pause")];

/// Whether there is a pause, in words.
pub(super) fn state(blocker: &Blocker) -> String {
    match blocker.paused_until() {
        Some(until) => {
            let left = until.duration_since(SystemTime::now()).unwrap_or_default();
            format!("paused for another {} minutes", left.as_secs().div_ceil(60))
        }
        None => "pause blocking".to_owned(),
    }
}

pub(super) fn answer<B>(proxy: &Proxy, client: IpAddr, request: &Request<B>) -> Response<Body> {
    let blocker = &proxy.running().config.blocker;
    let token = proxy.bypass_links.token(client, request.headers(), &address(PATH));
    let token = format!("{token:016x}");
    let query: Vec<_> = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).collect();
    let value = |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value);
    let chosen = value("for").filter(|_| value("token") == Some(&token) && request.method() == Method::GET);
    let Some(chosen) = chosen else {
        return error_pages::page(StatusCode::OK, &page(blocker, &token));
    };
    let Some(dir) = blocker.settings().dir.as_deref() else {
        let text = html! { "There is no folder for lists; " code { "blocking.dir" } " can name one." };
        return notice(StatusCode::INTERNAL_SERVER_ERROR, "Not paused", &text);
    };
    let length = parse_duration(chosen).unwrap_or(Duration::ZERO);
    let done = if length.is_zero() { Pause::end(dir).map(drop) } else { Pause::set(dir, length) };
    match done {
        Ok(()) => {
            info!(%client, pause = chosen, "a client set the pause of blocking");
            let text = html! { "It takes effect within a second. " a href="/" { "See what Gleaner does." } };
            notice(StatusCode::OK, if length.is_zero() { "The pause ends" } else { "Blocking is paused" }, &text)
        }
        Err(error) => {
            warn!(%error, "the pause cannot be set");
            notice(StatusCode::INTERNAL_SERVER_ERROR, "Not paused", &html! { (error) })
        }
    }
}

fn page(blocker: &Blocker, token: &str) -> Markup {
    let link = |length: &str| format!("{PATH}?for={length}&token={token}");
    error_pages::document(
        "Pause",
        &html! {
            h1 { "Pause blocking" }
            p { "Nothing is blocked, on any device that uses this proxy, for" }
            p { @for (length, words) in CHOICES { a.button href=(link(length)) { (words) } } }
            @if blocker.paused_until().is_some() { p.quiet { "Now: " (state(blocker)) "." } }
            p.quiet { "Some part of a page is missing? " code { "gleaner explain" } " with its address says which rule of which list it is." }
        },
    )
}
