//! How the proxy is, and what it remembers of clients, with buttons that make it forget.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{Response, StatusCode};
use maud::{Markup, html};

use super::{FormFields, PanelRequest, ago, bytes, notice, see_other};
use crate::{
    blocking::{ListState, Pause, fetches, minutes_until, parse_duration},
    config::ListSource,
    http::body::Body,
    pages::{control_pages::pause::CHOICES, template},
    state::device_names::shown,
};

pub(super) fn page(visit: &PanelRequest<'_>) -> Markup {
    let (proxy, state) = (visit.proxy, visit.state);
    let pages = state.rewriter.load();
    let (open, most) = proxy.limits.open();
    let authority = state.authority.get();
    html! {
        table {
            tr { th scope="row" { "Version" } td { (env!("CARGO_PKG_VERSION")) ", running for " (ago(proxy.records.started.elapsed().unwrap_or_default()))
                @if let Some(newer) = proxy.newer_version.load_full() { p.bad { "There is a newer one: " (newer) } } } }
            tr { th scope="row" { "Configuration" } td {
                @match proxy.config_file() { Some(file) => code { (std::path::absolute(&file).unwrap_or(file).display()) }, None => "built-in defaults" }
            } }
            tr { th scope="row" { "Memory" } td { @match memory() { Some(used) => (bytes(used)), None => "not known on this system" } } }
            tr { th scope="row" { "Clients" } td { (open) " of at most " (most) " connections" } }
            tr { th scope="row" { "Web servers" } td { "connections kept for the next request: " (state.client.idle()) } }
            tr { th scope="row" { "Pages in work" } td { (pages.in_work) " of at most " (pages.most) ", memory " (bytes(pages.memory)) " of " (bytes(pages.most_memory))
                ", worked on at once: " (pages.workers) } }
            tr { th scope="row" { "Certificate" } td {
                @match authority {
                    Some(authority) => {
                        "valid until " (authority.not_after.date())
                        @if let Some(warning) = authority.expiry_warning() { p.bad { (template::prose(&warning)) } }
                    }
                    None => "not in use yet",
                }
            } }
        }
        h2 { "Lists" }
        table.rows {
            thead { tr { th scope="col" { "List" } th scope="col" { "Rules" } th scope="col" { "Age" } } }
            tbody { @for list in state.blocker.lists() { (list_row(visit, list)) } }
        }
        (pause(visit))
        (trusted(visit))
        (bypassed(visit))
    }
}

/// The pause of all devices.
fn pause(visit: &PanelRequest<'_>) -> Markup {
    html! {
        h2 #pause { "Pause blocking on all devices" }
        @let until = visit.state.blocker.paused_until();
        @if let Some(until) = until {
            p.good { "Nothing is blocked for another " (minutes_until(until)) " min." }
        }
        div.row { @for (length, words) in CHOICES.iter().filter(|(length, _)| *length != "off" || until.is_some()) { (visit.button("/panel/pause", &[("for", length)], words)) } }
        p.quiet { a href="/pause" { "On this device alone" } }
    }
}

/// Sets it. It takes effect when the file that has it is read, within a second.
pub(super) fn set_pause(visit: &PanelRequest<'_>, form: &FormFields) -> Response<Body> {
    let Some(dir) = visit.state.config.blocking.dir.as_deref() else {
        return notice(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Not paused",
            "There is no folder for lists; `blocking.dir` can name one.",
        );
    };
    let set = match (form.get("for"), parse_duration(form.get("for"))) {
        ("off", _) => Pause::end(dir).map(drop),
        (_, Ok(length)) => Pause::set(dir, length),
        (_, Err(problem)) => return notice(StatusCode::BAD_REQUEST, "Nothing has changed", &problem),
    };
    match set {
        Ok(()) => {
            let client = visit.device.address;
            tracing::info!(%client, pause = form.get("for"), "the pause of blocking was set for all devices");
            see_other("/panel/health#pause")
        }
        Err(error) => notice(StatusCode::INTERNAL_SERVER_ERROR, "Not paused", &error.to_string()),
    }
}

fn list_row(visit: &PanelRequest<'_>, list: &ListState) -> Markup {
    let fetched = fetches::last_fetch(&visit.state.config, &list.source).filter(|fetched| fetched.asked > 0);
    let since =
        |time: u64| SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_secs(time)).unwrap_or_default();
    html! {
        tr {
            td.wide { (list.source) }
            td data-name="Rules" {
                @match &list.problem {
                    Some(problem) => span.bad { "not in use: " (problem) },
                    None => (list.counts.requests + list.counts.elements),
                }
            }
            td data-name="Age" {
                @match fetched {
                    Some(fetched) => {
                        "asked for " (ago(since(fetched.asked))) " ago"
                        @if fetched.changed > 0 { ", changed " (ago(since(fetched.changed))) " ago" }
                        @if let Some(problem) = fetched.problem { ", failed: " (problem) }
                    }
                    None => @match list.source {
                        ListSource::Builtin => "that of the program",
                        ListSource::File(_) => "that of the file",
                        ListSource::Own => "that of the configuration",
                        _ => "not fetched yet",
                    }
                }
            }
        }
    }
}

/// Browsers whose encrypted connections are decrypted.
fn trusted(visit: &PanelRequest<'_>) -> Markup {
    let devices = visit.proxy.trusted_devices.all();
    let since = |time: i64| {
        let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(time).unwrap_or_default());
        ago(SystemTime::now().duration_since(time).unwrap_or_default())
    };
    html! {
        h2 { "Browsers whose encrypted pages are rewritten" }
        @if devices.is_empty() { p { "None has shown yet that it trusts the certificate." } } @else {
            table.rows {
                thead { tr { th scope="col" { "Device" } th scope="col" { "Browser" } th scope="col" { "Seen" } th scope="col" { "Forget" } } }
                tbody {
                    @for device in &devices {
                        @let address = device.address.to_string();
                        tr {
                            td { (shown(&visit.names, device.address, device.user.as_deref())) }
                            td.wide data-name="Browser" { (device.browser.chars().take(100).collect::<String>()) }
                            td data-name="Seen" { (since(device.seen)) " ago" }
                            td { (visit.button("/panel/forget", &[("device", &address)], &format!("Forget {address}"))) }
                        }
                    }
                }
            }
        }
    }
}

/// Hosts and pages that pass as they are for a while.
fn bypassed(visit: &PanelRequest<'_>) -> Markup {
    let hosts = visit.proxy.tunnelled.all();
    let pages = visit.proxy.bypass_links.count();
    html! {
        h2 { "Left as they are for a while" }
        @if pages > 0 {
            p { "Pages and hosts that are shown as they were, because somebody asked for it: " (pages) ". "
                (visit.button("/panel/forget", &[("originals", "all")], "Rewrite them again")) }
        }
        @if hosts.is_empty() { p { "No host is tunnelled because of failed TLS." } } @else {
            table.rows {
                thead { tr { th scope="col" { "Host" } th scope="col" { "For" } th scope="col" { "Why" } th scope="col" { "Forget" } } }
                tbody {
                    @for (device, host, reason) in &hosts {
                        tr {
                            td.wide { (host) }
                            td data-name="For" { @match device { Some(device) => (shown(&visit.names, device.address, None)), None => "everybody" } }
                            td.wide data-name="Why" { (reason) }
                            td { (visit.button("/panel/forget", &[("host", host)], &format!("Forget {host}"))) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn forget(visit: &PanelRequest<'_>, form: &FormFields) -> Response<Body> {
    let proxy = visit.proxy;
    if let Ok(address) = form.get("device").parse() {
        proxy.trusted_devices.forget_address(address);
    }
    if !form.get("host").is_empty() {
        proxy.tunnelled.forget_host(form.get("host"));
    }
    if !form.get("originals").is_empty() {
        proxy.bypass_links.forget();
    }
    see_other("/panel/health")
}

/// Memory of this process that is in use (proc(5)).
pub(super) fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
