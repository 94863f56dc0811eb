//! Key `upstream.environment`: the proxies that the environment's variables name, as curl reads them.

use std::{borrow::Cow, sync::Arc};

use percent_encoding::percent_decode_str;

use super::{ParentKind, ParentProxy, ViaHost, ViaHosts, ViaProxy, ViaRule, Way, check_word};
use crate::config::{HostPatterns, hosts};

/// The rules of `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in lower case too, as curl reads them. No problem shows a
/// value: it may hold a password.
pub(super) fn rules(variable: impl Fn(&str) -> Option<String>) -> Result<Vec<ViaRule>, String> {
    let read = |name: &'static str| {
        let value = variable(&name.to_ascii_lowercase()).filter(|value| !value.is_empty());
        value.or_else(|| variable(name).filter(|value| !value.is_empty()))
    };
    let mut rules = Vec::new();
    if let Some(list) = read("NO_PROXY") {
        if list.split(',').any(|entry| entry.trim() == "*") {
            return Ok(Vec::new());
        }
        rules.push(no_proxy(&list));
    } else {
        rules.push(no_proxy(""));
    }
    for (name, is_encrypted) in [("HTTP_PROXY", Some(false)), ("HTTPS_PROXY", Some(true)), ("ALL_PROXY", None)] {
        let Some(value) = read(name) else { continue };
        let parent = Arc::new(parent_of(&value).map_err(|problem| {
            format!("the environment's {name}: {problem}; expected http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT")
        })?);
        rules.push(ViaRule {
            hosts: None,
            clients: Vec::new(),
            is_encrypted,
            name: Arc::clone(parent.name()),
            way: Way::Parent(parent),
            place: name.to_owned(),
        });
    }
    // Only exceptions are no rules.
    Ok(if rules.len() > 1 { rules } else { Vec::new() })
}

/// A proxy of the environment: its scheme is `http` where none is written, and a name and password may be in front.
fn parent_of(value: &str) -> Result<ParentProxy, String> {
    let value = value.trim();
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let (user_info, address) = match rest.rsplit_once('@') {
        Some((user_info, address)) => (Some(user_info), address),
        None => (None, rest),
    };
    let ViaProxy::Proxy { kind, host, port } = format!("{scheme}://{address}").parse()? else {
        return Err("this is no proxy's address".to_owned());
    };
    let credentials = user_info.map(|user_info| {
        let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
        let decoded = |word: &str| percent_decode_str(word).decode_utf8().map(Cow::into_owned);
        let (Ok(user), Ok(password)) = (decoded(user), decoded(password)) else {
            return Err("the name or password is not UTF-8 text".to_owned());
        };
        check_word(&user, kind, kind != ParentKind::Socks5).map_err(|problem| format!("the name {problem}"))?;
        check_word(&password, kind, false).map_err(|problem| format!("the password {problem}"))?;
        Ok((user, password))
    });
    Ok(ParentProxy::new(kind, host, port, credentials.transpose()?))
}

/// The exceptions of `NO_PROXY`; this machine is always one. What is no host or range is left out, as other programs do.
fn no_proxy(list: &str) -> ViaRule {
    let mut hosts = ViaHosts::default();
    let mut names = vec!["localhost".to_owned()];
    for entry in list.split(',').map(str::trim).chain(["127.0.0.0/8", "::1/128"]) {
        if let Some((host, port)) = entry.rsplit_once(':')
            && !host.contains(':')
            && let (Ok(host), Ok(port)) = (hosts::parse(host), port.parse())
        {
            hosts.ports.push((HostPatterns::from_iter([host]), port));
        } else if let Ok(ViaHost { written, range }) = entry.parse() {
            match range {
                Some(range) => hosts.ranges.push(range),
                None => names.push(written),
            }
        }
    }
    hosts.names = names.into_iter().collect();
    ViaRule {
        hosts: Some(hosts),
        clients: Vec::new(),
        is_encrypted: None,
        way: Way::Direct,
        name: "direct".into(),
        place: "NO_PROXY".to_owned(),
    }
}
