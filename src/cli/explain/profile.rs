//! What `gleaner explain` says of a request's settings: which a page would get, and why.

use std::fmt::Write as _;

use url::Url;

use crate::{
    TrustedDevices,
    config::{Choice, ClientInfo, Config, Intercept, SecurePages, WantedConnection},
    mitm::TunnelledHosts,
    net::{
        access_control::{Acl, Initiator, is_private},
        client_program::without_numbers,
        control_host::is_control_host,
        target::Target,
    },
};

/// The treatment of a client's connections to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionView {
    /// The proxy sees requests: over plain HTTP, or because it opens TLS.
    Seen,
    /// The proxy would see requests if a browser of this client trusted the certificate.
    Untrusted,
    /// The proxy sees the host only.
    Tunnelled,
}

/// The decisions for this client at this address, one a line, and the treatment of its connection.
pub(super) fn explain(config: &Config, asker: &ClientInfo<'_>, url: &Url) -> (String, ConnectionView) {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let mut text = String::new();
    let Some(Choice { profile, rule, .. }) = config.profiles.choose(asker, host) else {
        return (text, ConnectionView::Seen);
    };
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("profile", &format!("{} ({rule})", profile.name));
    let others = config.profiles.by_agent(asker, host);
    if asker.user_agent.is_empty() && !others.is_empty() {
        line("", "that is without a User-Agent, which `--user-agent` gives:");
        for (parts, profile) in others {
            line("", &format!("{profile} for one that names {}", parts.join(", ")));
        }
    }
    let (connection, how) = match url.scheme() {
        "https" => encrypted(config, asker, url, host, profile.intercept),
        _ => (ConnectionView::Seen, Vec::new()),
    };
    let excepted = [
        (config.rewrite.except.matches(host), "the host is in `rewrite.except`"),
        (config.never_processed.matches(host), "the host is in `leave_alone`"),
        (!profile.rewrite, "the profile does not rewrite pages"),
        (connection == ConnectionView::Tunnelled, "the connection is tunnelled"),
        (
            connection == ConnectionView::Untrusted,
            "the connection is tunnelled; rewritten for browsers that trust the certificate",
        ),
    ];
    match excepted.iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => line("pages", &format!("as they are: {reason}")),
        None => line("pages", "rewritten"),
    }
    for (index, how) in how.iter().enumerate() {
        line(if index == 0 { "HTTPS" } else { "" }, how);
    }
    if profile.secure == SecurePages::Plain && url.scheme() == "http" {
        line("secure", "plain: https:// is written as http://, and hosts that are known to have TLS are asked over it");
    }
    (text, connection)
}

/// The answer to a request that reaches no filter and no list. Where a name leads is known only when it is resolved.
pub(super) fn answered(config: &Config, asker: &ClientInfo<'_>, url: &Url) -> Option<String> {
    if !config.access.allows_client(asker.client) {
        let lan = is_private(asker.client) && !config.access.lan;
        let lan =
            if lan { "; a proxy that was started with `--lan` lets it in, which `--lan` here explains" } else { "" };
        return Some(format!("refused: the client is not in `access.clients`{lan}"));
    }
    let users = &config.access.users;
    if let Some(user) = asker.user.filter(|user| !users.is_empty() && !users.has(user)) {
        return Some(format!("refused: `access.users` has no {user:?}"));
    }
    let target = target(url)?;
    if is_control_host(&target) {
        return Some("answered by Gleaner itself".to_owned());
    }
    let refusal = Acl::new(config.access.clone(), config.listen.clone()).permit(target, |_| Initiator::Near).err()?;
    Some(format!("refused: {refusal}"))
}

/// The way of a request, and the rule that decides it, where there are rules.
pub(super) fn way(config: &Config, asker: &ClientInfo<'_>, url: &Url) -> Option<String> {
    let target = target(url).filter(|_| !config.via.is_empty())?;
    let is_encrypted = url.scheme() == "https";
    let wanted = WantedConnection { host: target.plain_host(), port: target.port, is_encrypted, client: asker.client };
    Some(match config.via.rule(&wanted) {
        Some(rule) => format!("{} ({})", rule.name, rule.place),
        None => "direct (no rule fits)".to_owned(),
    })
}

fn target(url: &Url) -> Option<Target> {
    Target::from_absolute(&url.as_str().parse().ok()?).ok()
}

/// The treatment of an encrypted connection, and its reason.
fn encrypted(
    config: &Config,
    asker: &ClientInfo<'_>,
    url: &Url,
    host: &str,
    intercept: Intercept,
) -> (ConnectionView, Vec<String>) {
    let tunnelled = |reason: &str| (ConnectionView::Tunnelled, vec![format!("tunnelled: {reason}")]);
    let excepted = [
        (config.https.except.matches(host), "the host is in `https.except`"),
        (config.never_processed.matches(host), "the host is in `leave_alone`"),
        (intercept == Intercept::Off, "`intercept` is off for this profile"),
    ];
    if let Some((_, reason)) = excepted.iter().find(|(applies, _)| *applies) {
        return tunnelled(reason);
    }
    let agent = without_numbers(asker.user_agent);
    let refusing = refusing(config, asker, url);
    if !agent.is_empty() && refusing.iter().any(|program| program.contains(&agent)) {
        return tunnelled("this program refuses the proxy's certificate for it");
    }
    let decrypted = |how: String| {
        let others = refusing
            .iter()
            .map(|program| format!("but tunnelled for a program that refuses the certificate: {program}"));
        (ConnectionView::Seen, [how].into_iter().chain(others).collect())
    };
    if intercept == Intercept::On {
        return decrypted("decrypted: `intercept` is on for this profile".to_owned());
    }
    let trusted = TrustedDevices::open(config.authority_dir.as_deref()).all();
    let trusts = trusted.iter().filter(|device| device.is_at(asker.client, asker.user) && device.is_named(&agent));
    match (trusts.count(), agent.is_empty()) {
        (0, is_any) => {
            let which = if is_any { "no browser of this device has" } else { "this browser has not" };
            (ConnectionView::Untrusted, vec![format!("tunnelled: {which} shown that it trusts the certificate")])
        }
        (_, false) => decrypted("decrypted: this browser trusts the certificate".to_owned()),
        (1, true) => decrypted("decrypted for the one browser of this device that trusts the certificate".to_owned()),
        (count, true) => {
            decrypted(format!("decrypted for the {count} browsers of this device that trust the certificate"))
        }
    }
}

/// The programs of this client that refuse our certificate for the host.
fn refusing(config: &Config, asker: &ClientInfo<'_>, url: &Url) -> Vec<String> {
    let Some(target) = target(url).filter(|_| config.https.tunnel_pinned_apps) else { return Vec::new() };
    let all = TunnelledHosts::open(config.authority_dir.as_deref()).all();
    let of_client =
        all.into_iter().filter(|(_, host, _)| **host == *target.host_port).filter_map(|(client, ..)| client);
    let of_client = of_client.filter(|client| client.address == asker.client && client.user.as_deref() == asker.user);
    of_client.map(|client| client.agent).collect()
}
