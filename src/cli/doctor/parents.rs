//! The proxies of `upstream.via`: whether something listens at each address.

use std::{
    collections::BTreeMap,
    net::{TcpStream, ToSocketAddrs as _},
    time::Duration,
};

use super::{Subject, finding::Finding, start};
use crate::config::{ParentProxy, Way};

const CHECK: &str = "upstream.via";

/// How long a name and a connection may take together.
const REACHED_WITHIN: Duration = Duration::from_millis(2500);

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let parents: BTreeMap<_, _> = subject
        .config
        .via
        .rules()
        .filter_map(|rule| match &rule.way {
            Way::Parent(parent) => Some((parent.name().to_string(), parent.clone())),
            Way::Direct | Way::Refuse => None,
        })
        .collect();
    if parents.is_empty() {
        return vec![Finding::ok(CHECK, "no proxy behind this one is set")];
    }
    let tried: Vec<_> = parents.into_iter().map(|(name, parent)| (name, start(move || reach(&parent)))).collect();
    let failed: Vec<_> = tried
        .into_iter()
        .filter_map(|(name, tried)| {
            let answered = tried.recv_timeout(REACHED_WITHIN).unwrap_or_else(|_| Err("no answer".to_owned()));
            answered.err().map(|problem| format!("{name}: {problem}"))
        })
        .collect();
    if failed.is_empty() {
        return vec![Finding::ok(CHECK, "the proxies behind this one can be reached")];
    }
    let finding = Finding::problem(
        CHECK,
        "a proxy behind this one cannot be reached, and nothing is sent past it",
        "start it, or correct its address in the rule",
    );
    vec![finding.with(failed.join("; "))]
}

fn reach(parent: &ParentProxy) -> Result<(), String> {
    let named = parent.host.to_string();
    let host = named.trim_start_matches('[').trim_end_matches(']');
    let addresses = (host, parent.port).to_socket_addrs().map_err(|error| error.to_string())?;
    let mut problem = "its name leads to no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, REACHED_WITHIN) {
            Ok(_) => return Ok(()),
            Err(error) => problem = error.to_string(),
        }
    }
    Err(problem)
}
