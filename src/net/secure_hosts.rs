//! Hosts that are asked over TLS for clients that ask in clear, because they cannot speak today's TLS (`secure: plain` of a profile).
//!
//! A host is known by a link that was written as `http://` for such a client, or by a redirect; it is proven once it has answered over
//! TLS. A host that is proven is never asked in clear, unless it leads there itself.

use std::sync::Arc;

use url::{Position, Url};

use super::target::{Scheme, Target};
use crate::util::expiring_map::{ExpiringMap, Lifetime};

/// Most hosts of each kind. Of more, the least recently used go: they are learned again by the redirect of their sites.
const MOST: usize = 10_000;

pub(crate) struct SecureHosts {
    named: ExpiringMap<Arc<str>, ()>,
    proven: ExpiringMap<Arc<str>, ()>,
}

/// The target's host over TLS: on the port of HTTPS in the place of that of HTTP, else on the same.
pub(crate) fn over_tls(target: &Target) -> Option<Target> {
    let default = Scheme::Http.default_port();
    let port = if target.port == default { Scheme::Https.default_port() } else { target.port };
    Target::from_authority(Scheme::Https, &format!("{}:{port}", target.host)).ok()
}

impl SecureHosts {
    pub(crate) fn new() -> Self {
        Self { named: ExpiringMap::new(MOST, Lifetime::Unlimited), proven: ExpiringMap::new(MOST, Lifetime::Unlimited) }
    }

    /// Whether a target in clear is to be asked over TLS.
    pub(crate) fn knows(&self, target: &Target) -> bool {
        over_tls(target).is_some_and(|secure| {
            [&self.named, &self.proven].iter().any(|hosts| hosts.get(&secure.host_port).is_some())
        })
    }

    /// An address in clear in the place of an encrypted one, whose host is known from now on. None for any other address.
    pub(crate) fn in_clear(&self, address: &str) -> Option<String> {
        let scheme = address.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://"))?;
        self.learn(&Url::parse(address).ok()?)?;
        Some(format!("http://{}", &address[scheme.len()..]))
    }

    /// Takes note of the host of an encrypted address, unless there is none in clear that means the same.
    pub(crate) fn learn(&self, url: &Url) -> Option<()> {
        if url.scheme() != "https" || url.port() == Some(Scheme::Http.default_port()) || !url.username().is_empty() {
            return None;
        }
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let target = Target::from_authority(Scheme::Https, authority).ok()?;
        self.named.insert(target.host_port, ());
        Some(())
    }

    /// The encrypted address of one in clear, where its host is known.
    pub(crate) fn encrypted(&self, address: &str) -> Option<Url> {
        let mut url = Url::parse(address).ok().filter(|url| url.scheme() == "http")?;
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let target = Target::from_authority(Scheme::Http, authority).ok().filter(|target| self.knows(target))?;
        url.set_scheme("https").ok()?;
        url.set_port(over_tls(&target).map(|secure| secure.port)).ok()?;
        Some(url)
    }

    /// A host has answered over TLS.
    pub(crate) fn prove(&self, target: &Target) {
        self.proven.insert(Arc::clone(&target.host_port), ());
    }

    /// A host over TLS has led to itself in clear.
    pub(crate) fn forget(&self, target: &Target) {
        self.named.remove(&target.host_port);
        self.proven.remove(&target.host_port);
    }

    /// A host has not answered over TLS: one that was only named may have no TLS, so that the next request is in clear.
    pub(crate) fn has_failed(&self, target: &Target) {
        self.named.remove(&target.host_port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(authority: &str) -> Target {
        Target::from_authority(Scheme::Http, authority).unwrap()
    }

    #[test]
    fn addresses_become_those_in_clear_and_back() {
        let hosts = SecureHosts::new();
        for (encrypted, clear) in [
            ("https://a.example/x?y=https://b.example/", Some("http://a.example/x?y=https://b.example/")),
            ("HTTPS://c.example", Some("http://c.example")),
            ("https://d.example:8443/", Some("http://d.example:8443/")),
            ("https://[2001:db8::1]/", Some("http://[2001:db8::1]/")),
            ("https://e.example:80/", None),
            ("https://name@f.example/", None),
            ("http://g.example/", None),
            ("https://", None),
            ("/x", None),
        ] {
            assert_eq!(hosts.in_clear(encrypted).as_deref(), clear, "{encrypted}");
        }
        for (host, is_known) in [
            ("a.example", true),
            ("c.example", true),
            ("d.example:8443", true),
            ("[2001:db8::1]", true),
            ("b.example", false),
            ("d.example", false),
            ("e.example", false),
            ("g.example", false),
        ] {
            assert_eq!(hosts.knows(&target(host)), is_known, "{host}");
        }
        let encrypted = |address: &str| hosts.encrypted(address).map(String::from);
        assert_eq!(encrypted("http://a.example/x").as_deref(), Some("https://a.example/x"));
        assert_eq!(encrypted("http://d.example:8443/").as_deref(), Some("https://d.example:8443/"));
        assert_eq!(encrypted("http://g.example/"), None);
    }

    #[test]
    fn a_host_that_has_answered_over_tls_is_not_asked_in_clear_after_a_failure() {
        let hosts = SecureHosts::new();
        let [once, proven] = ["a.example", "b.example"].map(|host| {
            hosts.in_clear(&format!("https://{host}/"));
            over_tls(&target(host)).unwrap()
        });
        hosts.prove(&proven);
        hosts.has_failed(&once);
        hosts.has_failed(&proven);
        assert!(!hosts.knows(&target("a.example")) && hosts.knows(&target("b.example")));
        hosts.forget(&proven);
        assert!(!hosts.knows(&target("b.example")));
    }
}
