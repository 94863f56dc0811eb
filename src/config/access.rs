//! Section `access`: who may use the proxy, and what may be reached through it.

use std::{net::IpAddr, num::NonZeroU16, ops::RangeInclusive, str::FromStr};

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::{HostPatterns, users::Users, values::word_type};

/// Section `access`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Access {
    /// Whether the devices of the local network may use the proxy: it listens on all addresses instead of loopback, and
    /// clients at private addresses are let in.
    pub lan: bool,
    /// Who may use the proxy: address ranges such as `192.168.1.0/24`, or the words `loopback` (this
    /// machine) and `private` (every private address range).
    #[serde(deserialize_with = "not_empty")]
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub clients: Vec<ClientRange>,
    /// Ports that CONNECT may reach with any protocol. Every other port is open to HTTP and TLS only, and
    /// those that browsers block to nothing at all, so that the proxy is no way to mail servers and shells.
    pub connect_ports: Vec<NonZeroU16>,
    /// Exceptions for addresses of this machine and its own network, which are otherwise refused: an
    /// address or range with an optional port or port range, such as `127.0.0.1:18080-18125`. Ports that
    /// are named are open to any protocol, even those that browsers block.
    #[schemars(with = "Vec<String>")]
    pub allow_targets: Vec<AddrPattern>,
    /// Whether addresses of private networks (10.0.0.0/8, 192.168.0.0/16, …) may be reached: `allow`,
    /// `refuse`, or `auto`: as long as every client is on such a network itself.
    pub private_targets: PrivateTargets,
    /// Names of the public internet that may lead to addresses of private networks, with everything under them: your own, where a
    /// name server of your network answers for them (split DNS). Any other could be turned there by its site (DNS rebinding).
    pub rebind_allowed: HostPatterns,
    /// Names and password hashes of those who may use the proxy; `gleaner hash-password` makes a hash.
    /// Without entries no credentials are required.
    pub users: Users,
}

/// Whether addresses of private networks may be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PrivateTargets {
    /// Reachable as long as every client is on this machine or a private network: it can reach them without the proxy.
    #[default]
    Auto,
    /// Always.
    Allow,
    /// Never, except what `allow_targets` lists.
    Refuse,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            lan: false,
            clients: vec![ClientRange { written: "loopback".to_owned(), nets: ranges(&LOOPBACK) }],
            connect_ports: [443, 8443].into_iter().filter_map(NonZeroU16::new).collect(),
            allow_targets: Vec::new(),
            private_targets: PrivateTargets::default(),
            rebind_allowed: HostPatterns::default(),
            users: Users::default(),
        }
    }
}

const CLIENTS: &str = "`loopback`, `private`, an address such as 192.168.1.7, or a range such as 192.168.1.0/24";

const TARGETS: &str = "an address or range with an optional port or port range, such as 10.0.0.0/8 or \
                       127.0.0.1:8080-8090";

word_type!(ClientRange, CLIENTS);
word_type!(AddrPattern, TARGETS);

fn not_empty<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ClientRange>, D::Error> {
    let clients = Vec::deserialize(from)?;
    if clients.is_empty() {
        let problem = "the list is empty, so that no client could use the proxy";
        return Err(D::Error::custom(format_args!("{problem}; expected {CLIENTS}")));
    }
    Ok(clients)
}

impl Access {
    /// Whether a client at this address, in canonical form, may use the proxy.
    pub(crate) fn allows_client(&self, client: IpAddr) -> bool {
        self.ranges().any(|range| range.contains(&client))
    }

    /// Lets the devices of the local network in.
    pub(crate) fn open_to_lan(&mut self) {
        self.lan = true;
        self.clients.push(ClientRange { written: "private".to_owned(), nets: private() });
    }

    /// The rules of what is fetched for a reader without the proxy: of private networks and of this machine nothing but these targets
    /// may be reached, whatever else is allowed.
    pub(crate) fn for_reader(&self, targets: &[AddrPattern]) -> Self {
        Self {
            private_targets: PrivateTargets::Refuse,
            allow_targets: targets.to_vec(),
            rebind_allowed: HostPatterns::default(),
            ..self.clone()
        }
    }

    fn ranges(&self) -> impl Iterator<Item = &IpNet> {
        self.clients.iter().flat_map(|client| &client.nets)
    }

    pub(crate) fn lists_connect_port(&self, port: u16) -> bool {
        self.connect_ports.iter().any(|listed| listed.get() == port)
    }

    pub(crate) fn allows_private_targets(&self) -> bool {
        match self.private_targets {
            PrivateTargets::Auto => self.ranges().all(is_near),
            PrivateTargets::Allow => true,
            PrivateTargets::Refuse => false,
        }
    }

    /// The objection to listening at this address: other machines could connect, and all would be refused, so most
    /// likely `clients` was forgotten.
    pub(crate) fn problem_with_listening(&self, ip: IpAddr) -> Option<String> {
        let only_us = self.ranges().all(|range| within(range, &LOOPBACK));
        (!ip.to_canonical().is_loopback() && only_us)
            .then(|| format!("{ip} is open to other machines, but `access.clients` lets only this one use the proxy"))
    }

    /// Whether strangers may use the proxy without a password.
    pub(crate) fn is_open_to_strangers(&self) -> bool {
        self.users.is_empty() && !self.ranges().all(is_near)
    }
}

/// Whether all of a range is this machine or a private network.
fn is_near(range: &IpNet) -> bool {
    within(range, &LOOPBACK) || within(range, &PRIVATE)
}

fn within(range: &IpNet, outer: &[&str]) -> bool {
    ranges(outer).iter().any(|outer| outer.contains(range))
}

fn ranges(written: &[&str]) -> Vec<IpNet> {
    written.iter().filter_map(|range| range.parse().ok()).collect()
}

fn private() -> Vec<IpNet> {
    ranges(&[&LOOPBACK[..], &PRIVATE[..]].concat())
}

/// Ranges of this machine.
const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];

/// Private ranges: RFC 1918, RFC 4193 and the link's own (RFC 3927, RFC 4291).
const PRIVATE: [&str; 6] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"];

/// Addresses of clients: one entry of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ClientRange {
    written: String,
    #[serde(skip)]
    nets: Vec<IpNet>,
}

impl ClientRange {
    /// This machine and private networks.
    pub(super) fn near() -> Vec<Self> {
        ["loopback", "private"].into_iter().filter_map(|entry| entry.parse().ok()).collect()
    }

    pub(crate) fn contains(&self, client: IpAddr) -> bool {
        self.nets.iter().any(|net| net.contains(&client))
    }
}

impl FromStr for ClientRange {
    type Err = String;

    fn from_str(entry: &str) -> Result<Self, String> {
        let nets = match entry {
            "loopback" => ranges(&LOOPBACK),
            "private" => private(),
            other => vec![parse_net(other).map_err(|problem| format!("{entry:?} {problem}"))?],
        };
        Ok(Self { written: entry.to_owned(), nets })
    }
}

/// An address or range in canonical form, or what is wrong with it.
fn parse_net(text: &str) -> Result<IpNet, String> {
    let text = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(ip.to_canonical().into());
    }
    let net: IpNet = text.parse().map_err(|_| "is not an address or range".to_owned())?;
    // Mapped addresses become IPv4 before they are compared (RFC 4291 § 2.5.5.2): such a range would match none.
    if let (IpAddr::V6(v6), Some(length)) = (net.addr(), net.prefix_len().checked_sub(96))
        && let Some(v4) = v6.to_ipv4_mapped()
    {
        return Err(format!("is an IPv4 range written as IPv6, write {v4}/{length}"));
    }
    // Either the length or the address is wrong.
    if net.addr() != net.network() {
        let (whole, addr) = (net.trunc(), net.addr());
        return Err(format!(
            "names one address and the length of a range, write {whole} for the range or {addr} for the address"
        ));
    }
    Ok(net)
}

/// Addresses, perhaps only on some ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AddrPattern {
    written: String,
    #[serde(skip)]
    net: IpNet,
    #[serde(skip)]
    ports: Option<RangeInclusive<u16>>,
}

impl AddrPattern {
    pub(crate) fn matches(&self, ip: IpAddr, port: u16) -> bool {
        self.net.contains(&ip) && self.ports.as_ref().is_none_or(|ports| ports.contains(&port))
    }

    /// Whether the pattern has ports, and this one is among them.
    pub(crate) fn names_port(&self, port: u16) -> bool {
        self.ports.as_ref().is_some_and(|ports| ports.contains(&port))
    }
}

impl FromStr for AddrPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (net, ports) = parse_pattern(text).map_err(|problem| format!("{text:?} {problem}"))?;
        Ok(Self { written: text.to_owned(), net, ports })
    }
}

fn parse_pattern(text: &str) -> Result<(IpNet, Option<RangeInclusive<u16>>), String> {
    // Without ports first: the colons of a bare IPv6 address are not port separators.
    let whole = match parse_net(text) {
        Ok(net) => return Ok((net, None)),
        Err(problem) => problem,
    };
    let (net, ports) = text.rsplit_once(':').ok_or(whole.as_str())?;
    let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
    let (Ok(first), Ok(last)) = (first.parse::<u16>(), last.parse::<u16>()) else {
        return Err(whole);
    };
    if first == 0 || first > last {
        return Err(format!("has no port from {first} to {last}"));
    }
    Ok((parse_net(net)?, Some(first..=last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(yaml: &str) -> Access {
        serde_yaml::from_str(yaml).unwrap()
    }

    #[test]
    fn patterns_are_addresses_and_ranges_with_and_without_ports() {
        for (text, addr, matches) in [
            ("127.0.0.1", "127.0.0.1:9", true),
            ("10.0.0.0/8:80", "10.1.2.3:80", true),
            ("10.0.0.0/8:80", "10.1.2.3:81", false),
            ("[::1]:8000-8010", "[::1]:8005", true),
            ("::1", "[::1]:1", true),
            // A mapped address is compared as IPv4.
            ("::ffff:192.0.2.1", "192.0.2.1:1", true),
        ] {
            let addr: std::net::SocketAddr = addr.parse().unwrap();
            assert_eq!(text.parse::<AddrPattern>().unwrap().matches(addr.ip(), addr.port()), matches, "{text}");
        }
        for (entry, meant) in [
            ("", "not an address"),
            ("localhost", "not an address"),
            ("http://127.0.0.1:80", "not an address"),
            ("127.0.0.1:70000", "not an address"),
            ("127.0.0.1:9-8", "no port from 9 to 8"),
            ("127.0.0.1:0", "no port from 0"),
            ("10.0.0.5/8:80", "write 10.0.0.0/8 for the range"),
            ("192.168.1.5/24", "write 192.168.1.0/24 for the range or 192.168.1.5 for"),
            ("::ffff:192.168.1.0/120", "write 192.168.1.0/24"),
        ] {
            let problem = entry.parse::<AddrPattern>().unwrap_err();
            assert!(problem.contains(meant), "{problem}");
        }
    }

    #[test]
    fn private_targets_are_open_as_long_as_every_client_is_near() {
        for (yaml, open) in [
            ("{}", true),
            ("clients: [loopback, private]", true),
            ("clients: [192.168.7.0/24]", true),
            ("clients: [loopback, 198.51.100.0/24]", false),
            ("{clients: ['0.0.0.0/0'], private_targets: allow}", true),
            ("private_targets: refuse", false),
        ] {
            assert_eq!(access(yaml).allows_private_targets(), open, "{yaml}");
        }
        assert!(!access("clients: [private]").is_open_to_strangers());
        assert!(access("clients: ['0.0.0.0/0']").is_open_to_strangers());
    }
}
