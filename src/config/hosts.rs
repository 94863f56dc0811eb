//! Lists of hosts in settings: a name stands for itself and everything under it.

use std::collections::HashSet;

use crate::authority::Host;

/// Hosts to match by suffix of whole labels; addresses match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPatterns(HashSet<String>);

impl HostPatterns {
    /// Parses each entry; the first that is no host comes back.
    pub(super) fn parse(entries: &[String]) -> Result<Self, &String> {
        entries
            .iter()
            .map(|entry| parse_entry(entry).ok_or(entry))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether the host itself is listed: for exceptions that must not grow by themselves.
    pub(crate) fn names(&self, host: &str) -> bool {
        self.0.contains(host)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the host, or a domain above it, is listed. The host is in its one spelling.
    pub(crate) fn matches(&self, host: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let parents = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
        std::iter::once(host)
            .chain(parents)
            .any(|name| self.0.contains(name))
    }
}

/// What an entry of a list of hosts should have been.
pub(super) const EXPECTED: &str = "a host name such as bank.example, which covers www.bank.example too \
                                   (`*.bank.example` and `.bank.example` mean the same)";

/// An entry without what people put in front for "everything under it", which is meant in any case.
pub(super) fn without_wildcard(entry: &str) -> &str {
    entry
        .strip_prefix("*.")
        .or_else(|| entry.strip_prefix('.'))
        .unwrap_or(entry)
}

fn parse_entry(entry: &str) -> Option<String> {
    let host = Host::parse(without_wildcard(entry)).ok()?;
    let plain = host.plain();
    // The URL Standard lets a host hold characters that no name of a web site has, `*` among them:
    // such an entry would be taken and match nothing.
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let fits = match host {
        Host::Ip(_) => without_wildcard(entry) == entry,
        Host::Name(_) => plain.split('.').all(is_label),
    };
    fits.then_some(plain)
}

impl<'a> FromIterator<&'a str> for HostPatterns {
    fn from_iter<I: IntoIterator<Item = &'a str>>(hosts: I) -> Self {
        Self(hosts.into_iter().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_covers_what_is_under_it_and_nothing_else() {
        let hosts = HostPatterns::parse(&["Bank.Example".to_owned()]).unwrap();
        assert!(hosts.matches("bank.example"));
        assert!(hosts.matches("www.bank.example"));
        assert!(!hosts.matches("notbank.example"));
        assert!(!hosts.matches("example"));
    }

    #[test]
    fn a_wildcard_or_a_dot_in_front_means_the_same() {
        for entry in ["*.bank.example", ".bank.example", "bank.example."] {
            let hosts = HostPatterns::parse(&[entry.to_owned()]).unwrap();
            assert!(hosts.matches("bank.example"), "{entry}");
            assert!(hosts.matches("www.bank.example"), "{entry}");
            assert!(!hosts.matches("notbank.example"), "{entry}");
        }
    }

    #[test]
    fn what_is_no_host_is_named() {
        for entry in [
            "http://x/",
            "*",
            "*.",
            "**.bank.example",
            "www.*.example",
            "*bank.example",
            "bank..example",
            "..bank.example",
            "bank.example:443",
            "bank.example/login",
            "*.192.0.2.1",
            "",
        ] {
            let entries = ["ok.example".to_owned(), entry.to_owned()];
            assert_eq!(HostPatterns::parse(&entries), Err(&entries[1]), "{entry}");
        }
    }
}
