//! Host lists in settings: a name covers its subdomains, and IP addresses match exactly. Blocking lists use
//! `gleaner_filters::HostList`.

use std::{
    collections::HashSet,
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

use foldhash::fast::RandomState;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::values::word_type;
use crate::util::host::Host;

/// Hosts to match by suffix of whole labels; addresses match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<HostEntry<false>>")]
#[schemars(with = "Vec<String>")]
pub struct HostPatterns(HashSet<String, RandomState>);

/// An entry of a list: a host with everything under it, or, if `EXACT`, a host alone.
struct HostEntry<const EXACT: bool>(String);

impl<const EXACT: bool> FromStr for HostEntry<EXACT> {
    type Err = String;

    fn from_str(entry: &str) -> Result<Self, String> {
        let host = without_wildcard(entry);
        if EXACT && host != entry {
            return Err(format!("{entry:?} stands for many hosts"));
        }
        parse_entry(host, entry).map(Self)
    }
}

impl<const EXACT: bool> From<Vec<HostEntry<EXACT>>> for HostPatterns {
    fn from(entries: Vec<HostEntry<EXACT>>) -> Self {
        Self(entries.into_iter().map(|HostEntry(host)| host).collect())
    }
}

/// Reads hosts of which each stands for itself alone.
pub(super) fn exact<'de, D: Deserializer<'de>>(from: D) -> Result<HostPatterns, D::Error> {
    Vec::<HostEntry<true>>::deserialize(from).map(HostPatterns::from)
}

impl HostPatterns {
    /// Adds a list with one host per line and `#` comments; the numbers of the lines that are wrong.
    pub(super) fn add_lines(&mut self, text: &str) -> Vec<usize> {
        let mut wrong = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match line.split('#').next().unwrap_or_default().trim() {
                "" => {}
                entry => match entry.parse() {
                    Ok(HostEntry::<false>(host)) => drop(self.0.insert(host)),
                    Err(_) => wrong.push(index + 1),
                },
            }
        }
        wrong
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        self.0.extend(others.0.iter().cloned());
    }

    /// Whether the host itself is listed.
    pub(crate) fn names(&self, host: &str) -> bool {
        self.0.contains(host)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the host, or a domain above it, is listed. The host is in its canonical spelling.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        !self.0.is_empty() && names_over(host).any(|name| self.0.contains(name))
    }
}

/// A host, and the domains above it.
pub(super) fn names_over(host: &str) -> impl Iterator<Item = &str> {
    let parents = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
    std::iter::once(host).chain(parents)
}

/// The host that one entry stands for, with everything under it.
pub(super) fn parse(entry: &str) -> Result<String, String> {
    entry.parse().map(|HostEntry::<false>(host)| host)
}

/// The expected form of an entry of a list of hosts.
const EXPECTED: &str = "a host name such as bank.example, which covers www.bank.example too (`*.bank.example` and \
                        `.bank.example` mean the same), or an address such as 192.0.2.1";

/// The expected form of an entry of a list of single hosts.
const EXPECTED_EXACT: &str = "the names of single hosts such as printer.example, or addresses such as 192.0.2.1; nothing \
                              under them is meant, so each is named";

word_type!(HostEntry<false>, EXPECTED);
word_type!(HostEntry<true>, EXPECTED_EXACT);

/// An entry without the `*.` or `.` in front: everything under a host is meant in any case.
pub(super) fn without_wildcard(entry: &str) -> &str {
    entry.strip_prefix("*.").or_else(|| entry.strip_prefix('.')).unwrap_or(entry)
}

/// The host of an entry, or what is wrong with it. `written` is the entry with its wildcard.
fn parse_entry(entry: &str, written: &str) -> Result<String, String> {
    if let Some(host) = host_within(entry) {
        return Err(format!("{written:?} is more than a host; {host:?} alone is one"));
    }
    let problem = || format!("{written:?} is not a host");
    // URLs have IPv6 addresses in brackets; people write them without.
    let is_bare = entry.parse::<Ipv6Addr>().is_ok();
    let host = if is_bare { Host::parse(&format!("[{entry}]")) } else { Host::parse(entry) };
    let host = host.map_err(|_| problem())?;
    let plain = host.plain().into_owned();
    // The URL Standard allows characters that no name of a web site has, `*` among them:
    // such an entry would match nothing.
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let fits = match host {
        // The URL Standard reads `5` as 0.0.0.5, which is not what was meant.
        Host::Ip(_) => written == entry && entry.trim_matches(['[', ']']).parse::<IpAddr>().is_ok(),
        // RFC 1035 § 2.3.4.
        Host::Name(_) => plain.len() <= 253 && plain.split('.').all(is_label),
    };
    if fits { Ok(plain) } else { Err(problem()) }
}

/// The host within a URL, or before a port.
fn host_within(entry: &str) -> Option<&str> {
    let (is_address, rest) = match entry.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, entry),
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let host = match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && is_port(port) => name,
        _ => host,
    };
    let is_more = is_address || host.len() < entry.len();
    let is_range = !is_address && host.parse::<IpAddr>().is_ok();
    (is_more && !is_range && !host.is_empty() && Host::parse(host).is_ok()).then_some(host)
}

impl FromIterator<String> for HostPatterns {
    fn from_iter<I: IntoIterator<Item = String>>(hosts: I) -> Self {
        Self(hosts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(entry: &str) -> Result<HostPatterns, String> {
        super::parse(entry).map(|host| HostPatterns::from_iter([host]))
    }

    #[test]
    fn a_name_covers_what_is_under_it_and_nothing_else() {
        for entry in ["Bank.Example", "*.bank.example", ".bank.example", "bank.example."] {
            let hosts = parse(entry).unwrap();
            for (host, matches) in
                [("bank.example", true), ("www.bank.example", true), ("notbank.example", false), ("example", false)]
            {
                assert_eq!(hosts.matches(host), matches, "{entry} {host}");
            }
        }
        assert!(parse("192.0.2.1").unwrap().matches("192.0.2.1"));
        assert!(parse("2001:db8::1").is_ok() && parse("[2001:db8::1]").is_ok());
    }

    #[test]
    fn what_is_no_host_is_refused() {
        let entries = "* *. **.bank.example www.*.example *bank.example bank..example ..bank.example 192.0.2.0/24 \
                       *.192.0.2.1 5 127.1 0x7f000001";
        for entry in entries.split_whitespace().chain([""]) {
            let problem = parse(entry).unwrap_err();
            assert!(problem.contains("is not a host"), "{problem}");
        }
        for entry in
            "http://bank.example/ https://bank.example:8443/login?x#y bank.example:443 bank.example/login".split(' ')
        {
            let problem = parse(entry).unwrap_err();
            assert!(problem.contains("\"bank.example\" alone"), "{problem}");
        }
    }

    #[test]
    fn a_wildcard_where_single_hosts_are_meant_is_refused() {
        for entry in ["*.x.example", ".x.example", "x.example:443"] {
            assert!(entry.parse::<HostEntry<true>>().is_err(), "{entry}");
        }
        let hosts = exact(serde_yaml::Deserializer::from_str("[X.example]")).unwrap();
        assert!(hosts.names("x.example") && !hosts.names("www.x.example"));
    }
}
