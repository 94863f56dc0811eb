//! What `gleaner serve` prints at start: where it is reached, and the next step.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path,
};

use crate::{
    Proxy,
    config::{Intercept, Lookup},
    net::addresses,
    pages::control_pages::qr,
};

/// The address under which this machine itself reaches a listener: loopback, if it listens on all addresses.
pub(super) fn nearby(addr: SocketAddr) -> SocketAddr {
    match addr.ip() {
        ip if !ip.is_unspecified() => addr,
        IpAddr::V4(_) => (Ipv4Addr::LOCALHOST, addr.port()).into(),
        IpAddr::V6(_) => (Ipv6Addr::LOCALHOST, addr.port()).into(),
    }
}

pub(super) fn text(proxy: &Proxy, lookup: &Lookup, own: &[SocketAddr]) -> String {
    let config = proxy.config();
    let first = own.first().map(|addr| nearby(*addr).to_string()).unwrap_or_default();
    let places: Vec<_> = lookup.places.iter().map(|place| place.display().to_string()).collect();
    let used = match proxy.config_file() {
        Some(file) => path::absolute(&file).unwrap_or(file).display().to_string(),
        None => "built-in defaults".to_owned(),
    };
    let problem = || proxy.state().authority.try_open().err().map(|problem| format!("passed as it is: {problem}"));
    let https = match config.https.intercept {
        Intercept::Auto => problem().unwrap_or_else(|| {
            "rewritten for browsers that trust the certificate; the start page has the steps".to_owned()
        }),
        Intercept::On => problem().unwrap_or_else(|| {
            "decrypted; install the certificate from http://gleaner.internal/ in your browser first".to_owned()
        }),
        Intercept::Off => {
            "passed as it is; `https: { intercept: auto }` in the configuration rewrites it too".to_owned()
        }
    };
    let credentials = if config.access.users.is_empty() { "" } else { " -U NAME:PASSWORD" };
    let mut text = format!("Gleaner {}\n\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {value}");
    };
    for addr in own {
        line("proxy", &addr.to_string());
    }
    line("start page", &format!("http://{first}/"));
    line("", "http://gleaner.internal/ (through the proxy)");
    line("configuration", &used);
    line("looked for in", &places.join(", "));
    line("HTTPS", &https);
    line("try it", &format!("curl -x http://{first}{credentials} http://example.com/"));
    line("Chromium", &format!("chromium --proxy-server={first}"));
    for_devices(&mut line, &addresses::addresses_for_devices(own), own);
    if !config.log.requests {
        line("log", "requests are not logged; `RUST_LOG=gleaner=info` or `log: { requests: true }` shows them");
    }
    line("to end it", "Ctrl-C");
    text + "\n"
}

/// Where other devices reach the proxy, and what to do there.
fn for_devices(line: &mut impl FnMut(&str, &str), reached: &[SocketAddr], own: &[SocketAddr]) {
    for addr in reached {
        line("other devices", &format!("http://{addr}/ (proxy {}, port {})", addr.ip(), addr.port()));
    }
    match reached.first() {
        Some(addr) => {
            let url = format!("http://{addr}/");
            let code = io::stdout().is_terminal().then(|| qr::text(&url)).flatten();
            for row in code.iter().flat_map(|code| code.lines()) {
                line("", row);
            }
            let how = if code.is_some() { ", or scan the code" } else { "" };
            line("next", &format!("on a phone in the same Wi-Fi open {url}{how}; that page has the steps"));
        }
        None if own.iter().any(|addr| !addr.ip().is_loopback()) => {
            line("other devices", "this machine has no address in a network yet");
        }
        None => line("other devices", "none; `gleaner serve --lan` lets those of your network in"),
    }
}
