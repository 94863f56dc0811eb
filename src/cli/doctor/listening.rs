//! The listening ports: whether each is free, in use by this program, or by another; and whether other devices can
//! reach it.

mod firewall;
mod holder;

use std::{io::ErrorKind, net::SocketAddr, path::Path, time::Duration};

use self::{firewall::Firewall, holder::Holder};
use super::{Subject, finding::Finding, web};
use crate::{
    cli::{banner::nearby, listeners, serve::cannot_listen},
    net::addresses::addresses_for_devices,
};

/// How long a Gleaner may take to answer that it is one; it takes milliseconds.
const ANSWER: Duration = Duration::from_secs(1);

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let (mut findings, mut listeners, mut bound) = (Vec::new(), Vec::new(), Vec::new());
    let config = &subject.config;
    for addr in &config.listen {
        match listeners::bind(*addr, &bound) {
            Ok(Some(listener)) => {
                bound.extend(listener.local_addr());
                listeners.push(listener);
                let free = "it is free, so Gleaner is not running; `gleaner serve` starts it";
                findings.push(Finding::ok("port", free).with(addr.to_string()));
            }
            // Every address of IPv6, on a machine without.
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::AddrInUse => findings.push(in_use(*addr)),
            Err(error) => findings.push(
                Finding::problem("port", "Gleaner cannot listen there", "set `listen` in the configuration to another")
                    .with(format!("{:#}", cannot_listen(*addr, &error))),
            ),
        }
    }
    findings.push(devices(&config.listen));
    findings
}

/// The first address at which a Gleaner that runs answers, if there is one.
pub(in crate::cli) fn running(listen: &[SocketAddr]) -> Option<SocketAddr> {
    listen.iter().filter(|addr| addr.port() != 0).map(|addr| nearby(*addr)).find(|addr| web::is_gleaner(*addr, ANSWER))
}

fn in_use(addr: SocketAddr) -> Finding {
    if running(&[addr]).is_some() {
        return Finding::ok("port", "Gleaner is running and answers").with(addr.to_string());
    }
    let holder = Holder::find(addr);
    let port = addr.port();
    match holder.name.as_deref() {
        Some("gleaner") => Finding::problem(
            "port",
            "a Gleaner holds it and does not answer",
            "end it and start it again: `systemctl restart gleaner` where it is a service",
        ),
        name => {
            let who = match name {
                Some("privoxy") => "; Privoxy listens on port 8118 unless it is told otherwise",
                Some(_) => "",
                None => "; `sudo ss -ltnp` shows which program it is",
            };
            Finding::problem(
                "port",
                "another program holds it, so Gleaner cannot start",
                format!(
                    "end that program, or give Gleaner another port, such as `listen: {}` in the configuration{who}",
                    if port < u16::MAX { port + 1 } else { 8118 }
                ),
            )
        }
    }
    .with(format!("{addr}{holder}"))
}

/// Where other devices reach the proxy, and the command that opens a firewall.
fn devices(listen: &[SocketAddr]) -> Finding {
    const CHECK: &str = "devices";
    if listen.iter().all(|addr| addr.ip().is_loopback()) {
        let alone =
            "only this machine uses the proxy; `gleaner serve --lan`, or `access: { lan: true }`, lets others in";
        return Finding::ok(CHECK, alone);
    }
    let reached = addresses_for_devices(listen);
    let Some(first) = reached.first() else {
        let next = "connect the cable or join the Wi-Fi";
        return Finding::warning(CHECK, "this machine has no address at which others reach it", next);
    };
    let shown: Vec<_> = reached.iter().map(|addr| format!("http://{addr}/")).collect();
    let port = first.port();
    match Firewall::find(Path::new("/")) {
        Some(firewall) if !firewall.lets_in(Path::new("/"), port) => Finding::warning(
            CHECK,
            "a firewall may keep other devices out",
            format!("if they do not get there: {}", firewall.command(port)),
        ),
        Some(_) => Finding::ok(CHECK, "other devices reach the proxy; the firewall lets them in"),
        None => Finding::ok(CHECK, "other devices reach the proxy; neither ufw nor firewalld is in the way"),
    }
    .with(shown.join(", "))
}
