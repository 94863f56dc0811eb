//! Lists of hosts in settings: a name stands for itself and everything under it.

use std::collections::HashSet;

use crate::authority::Host;

/// Hosts to match by suffix of whole labels; addresses match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPatterns(HashSet<String>);

impl HostPatterns {
    /// Parses each entry; the first that is no host comes back.
    pub(super) fn parse(entries: &[String]) -> Result<Self, &String> {
        let parse = |entry| Host::parse(entry).map(|host| host.plain());
        entries
            .iter()
            .map(|entry| parse(entry).map_err(|_| entry))
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

    /// Whether the host, or a domain above it, is listed. The host is in its one spelling.
    pub(crate) fn matches(&self, host: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let parents = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
        std::iter::once(host)
            .chain(parents)
            .any(|name| self.0.contains(name))
    }
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
    fn what_is_no_host_is_named() {
        let entries = ["ok.example".to_owned(), "http://x/".to_owned()];
        assert_eq!(HostPatterns::parse(&entries), Err(&entries[1]));
    }
}
