//! What `gleaner explain` says of a request's settings: which a page would get, and why.

use std::fmt::Write as _;

use url::Url;

use crate::{
    TrustedDevices,
    config::{Asker, Choice, Config, Intercept},
};

/// What this client would get at this address, one line for each decision.
pub(super) fn explain(config: &Config, asker: &Asker<'_>, url: &Url, trusted: &TrustedDevices) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let Some(Choice { profile, rule, .. }) = config.profiles.choose(asker, host) else {
        return String::new();
    };
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("profile", &format!("{} ({rule})", profile.name));
    let excepted = [
        (config.rewrite.except.matches(host), "the host is in `rewrite.except`"),
        (config.untouched.matches(host), "the host is in a list of `https.except_lists`"),
        (!profile.rewrite, "the profile does not rewrite pages"),
    ];
    match excepted.iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => line("pages", &format!("as they are: {reason}")),
        None => line("pages", "rewritten"),
    }
    if url.scheme() == "https" {
        line("HTTPS", &encrypted(config, asker, host, profile.intercept, trusted));
    }
    if !config.access.allows_client(asker.client) {
        line("access", "refused: the client is not in `access.clients`");
    }
    text
}

/// Whether this client's connections to the host of this address are tunnelled.
pub(super) fn is_tunnelled(config: &Config, asker: &Asker<'_>, url: &Url, trusted: &TrustedDevices) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let choice = config.profiles.choose(asker, host);
    url.scheme() == "https"
        && choice.is_some_and(|choice| {
            encrypted(config, asker, host, choice.profile.intercept, trusted).starts_with(TUNNELLED)
        })
}

const TUNNELLED: &str = "tunnelled: ";

fn encrypted(config: &Config, asker: &Asker<'_>, host: &str, intercept: Intercept, trusted: &TrustedDevices) -> String {
    let excepted = [
        (config.https.except.matches(host), "the host is in `https.except`"),
        (config.untouched.matches(host), "the host is in a list of `https.except_lists`"),
        (intercept == Intercept::Off, "`intercept` is off for this profile"),
    ];
    if let Some((_, reason)) = excepted.iter().find(|(applies, _)| *applies) {
        return format!("{TUNNELLED}{reason}");
    }
    if intercept == Intercept::On {
        return "opened: `intercept` is on for this profile".to_owned();
    }
    let count = trusted.all().iter().filter(|device| device.is_at(asker.client, asker.user)).count();
    match count {
        0 => format!("{TUNNELLED}no browser of this device has shown that it trusts the certificate"),
        1 => "opened for the one browser of this device that trusts the certificate".to_owned(),
        _ => format!("opened for the {count} browsers of this device that trust the certificate"),
    }
}
