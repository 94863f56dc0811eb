//! A set of hosts, matched by suffix: listing `example.com` covers `ads.example.com`.

use public_suffix::{DEFAULT_PROVIDER, EffectiveTLDProvider};
use url::Url;

use crate::hashing::Set;

/// A set of hosts. Built from lists in the plain syntax (one host a line) or that of a hosts file
/// (`0.0.0.0 ads.example.com`), with `#` comments in either.
#[derive(Clone, Debug, Default)]
pub struct HostList {
    hosts: Set<Box<str>>,
}

/// A line of a list that names no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {text:?} is not a host name; expected one host a line, such as `ads.example.com`")]
pub struct HostListError {
    /// Line of the list, the first being 1.
    pub line: usize,
    /// The word that is not a host.
    pub text: String,
}

/// Longest host name (RFC 1035 § 2.3.4: 255 octets on the wire, 253 as text).
const MAX_HOST: usize = 253;

impl HostList {
    /// Adds every host of a list. Nothing is added if a line is wrong.
    pub fn add(&mut self, text: &str) -> Result<(), HostListError> {
        let mut found = Vec::new();
        for (index, line) in text.lines().enumerate() {
            for word in hosts_of_line(line) {
                let host = word.trim_end_matches('.').to_ascii_lowercase();
                if !is_host(&host) {
                    return Err(HostListError { line: index + 1, text: word.to_owned() });
                }
                if host.contains('.') {
                    found.push(host.into_boxed_str());
                }
            }
        }
        self.hosts.extend(found);
        Ok(())
    }

    /// Number of hosts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Whether the host, or a domain above it, is listed. Letter case does not matter; one look-up per label, and no
    /// allocation unless there are capitals.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        if self.hosts.is_empty() || host.len() > MAX_HOST + 1 {
            return false;
        }
        let host = host.trim_end_matches('.');
        if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.matches_lower(&host.to_ascii_lowercase());
        }
        self.matches_lower(host)
    }

    fn matches_lower(&self, host: &str) -> bool {
        let mut rest = host;
        loop {
            if self.hosts.contains(rest) {
                return true;
            }
            match rest.split_once('.') {
                Some((_, parent)) if parent.contains('.') => rest = parent,
                _ => return false,
            }
        }
    }
}

/// The hosts that a line names. In a hosts file the first word is the address that the rest stands for; entries for the
/// machine itself (`localhost`, without a dot) are dropped by the caller.
fn hosts_of_line(line: &str) -> impl Iterator<Item = &str> {
    let line = line.split('#').next().unwrap_or("");
    let mut words = line.split_whitespace().peekable();
    if words.peek().is_some_and(|first| first.parse::<std::net::IpAddr>().is_ok()) {
        words.next();
    }
    words
}

fn is_host(host: &str) -> bool {
    host.len() <= MAX_HOST
        && host.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

/// The name that the owner of a host registered: one label more than its public suffix. The host itself where it is an
/// address, a public suffix, or no name.
#[must_use]
pub fn registrable_domain(host: &str) -> &str {
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_address = name.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    if is_address || !name.is_ascii() {
        return host;
    }
    match DEFAULT_PROVIDER.effective_tld_plus_one(name) {
        Ok(domain) => &host[name.len() - domain.len()..],
        Err(_) => host,
    }
}

/// Whether two addresses are of one site: of hosts below one name that its owner registered (the Public Suffix List), so that `www.` and
/// bare hosts are one, and two blogs of a shared host are not.
pub(crate) fn is_same_site(one: &Url, other: &Url) -> bool {
    let site = |url: &Url| url.host_str().map(|host| registrable_domain(host).to_owned());
    site(one).is_some() && site(one) == site(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> HostList {
        let mut list = HostList::default();
        list.add(text).unwrap();
        list
    }

    #[test]
    fn a_listed_host_covers_the_hosts_below_it_and_no_other() {
        let hosts = list("doubleclick.net\n");
        assert!(hosts.matches("doubleclick.net"));
        assert!(hosts.matches("ad.g.DoubleClick.net"));
        assert!(hosts.matches("doubleclick.net."));
        assert!(!hosts.matches("notdoubleclick.net"));
        assert!(!hosts.matches("doubleclick.net.example.com"));
        assert!(!hosts.matches("net"));
        assert!(!hosts.matches(""));
    }

    #[test]
    fn reads_hosts_files_and_comments() {
        let hosts = list(
            "# a hosts file\n127.0.0.1 localhost\n0.0.0.0 ads.example.com tracker.example.org # two\n::1 localhost\n\n",
        );
        assert_eq!(hosts.len(), 2);
        assert!(hosts.matches("ads.example.com"));
        assert!(hosts.matches("tracker.example.org"));
        assert!(!hosts.matches("localhost"));
    }

    #[test]
    fn a_wrong_line_is_named_and_nothing_is_added() {
        let mut hosts = HostList::default();
        let error = hosts.add("good.example.com\n||bad.example.com^\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains("||bad.example.com^"), "{error}");
        assert!(hosts.is_empty());
    }
    #[test]
    fn a_host_belongs_to_the_name_that_was_registered() {
        for (host, domain) in [
            ("www.google.com", "google.com"),
            ("google.com.", "google.com."),
            ("a.b.co.uk", "b.co.uk"),
            ("co.uk", "co.uk"),
            ("www.city.kawasaki.jp", "city.kawasaki.jp"),
            ("www.one.github.io", "one.github.io"),
            ("a.news.example", "news.example"),
            ("localhost", "localhost"),
            ("192.168.1.5", "192.168.1.5"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("a..example", "a..example"),
            ("", ""),
        ] {
            assert_eq!(registrable_domain(host), domain, "{host}");
        }
    }
}
