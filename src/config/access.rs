//! Section `access`: who may use the proxy, and what may be reached through it.

use std::{net::IpAddr, ops::RangeInclusive, str::FromStr};

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    parse::BadValue,
    users::{RawUsers, Users},
};

/// Section `access`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawAccess {
    /// Who may use the proxy: address ranges such as `192.168.1.0/24`, or the words `loopback` (this
    /// machine) and `private` (every private address range).
    #[schemars(length(min = 1))]
    pub clients: Vec<String>,
    /// Ports that CONNECT may reach with any protocol. Every other port is open to HTTP and TLS only, and
    /// those that browsers block to nothing at all, so that the proxy is no way to mail servers and shells.
    pub connect_ports: Vec<u16>,
    /// Exceptions for addresses of this machine and its own network, which are otherwise refused: an
    /// address or range with an optional port or port range, such as `127.0.0.1:18080-18125`. Ports that
    /// are named are open to any protocol, even those that browsers block.
    pub allow_targets: Vec<String>,
    /// Whether addresses of private networks (10.0.0.0/8, 192.168.0.0/16, …) may be reached: `allow`,
    /// `refuse`, or `auto`: as long as every client is on such a network itself.
    pub private_targets: PrivateTargets,
    /// Names and password hashes of those who may use the proxy; `gleaner hash-password` makes a hash.
    /// With none, no one is asked.
    pub users: RawUsers,
}

/// Whether addresses of private networks may be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PrivateTargets {
    /// As long as every client is on this machine or a private network: it could go there without us.
    #[default]
    Auto,
    /// Always.
    Allow,
    /// Never, except what `allow_targets` lists.
    Refuse,
}

impl Default for RawAccess {
    fn default() -> Self {
        Self {
            clients: vec!["loopback".to_owned()],
            connect_ports: vec![443, 8443],
            allow_targets: Vec::new(),
            private_targets: PrivateTargets::default(),
            users: RawUsers::default(),
        }
    }
}

const CLIENTS: &str =
    "`loopback`, `private`, an address such as 192.168.1.7, or a range such as 192.168.1.0/24";

const TARGETS: &str = "an address or range with an optional port or port range, such as 10.0.0.0/8 or \
                       127.0.0.1:8080-8090";

impl RawAccess {
    pub(crate) fn parse(self) -> Result<Access, BadValue> {
        let mut clients = Vec::new();
        if self.clients.is_empty() {
            let problem = "the list is empty, so that no one could use the proxy".to_owned();
            return Err(BadValue::new("access.clients", problem, CLIENTS));
        }
        for entry in &self.clients {
            clients.extend(parse_clients(entry).map_err(|problem| {
                let problem = format!("{entry:?} {problem}");
                BadValue::new("access.clients", problem, CLIENTS).item(entry)
            })?);
        }
        if self.connect_ports.contains(&0) {
            let problem = "there is no port 0".to_owned();
            return Err(
                BadValue::new("access.connect_ports", problem, "ports from 1 to 65535").item("0"),
            );
        }
        let parse_target = |entry: &String| {
            entry.parse().map_err(|problem| {
                let problem = format!("{entry:?} {problem}");
                BadValue::new("access.allow_targets", problem, TARGETS).item(entry)
            })
        };
        let allow_targets = self
            .allow_targets
            .iter()
            .map(parse_target)
            .collect::<Result<_, _>>()?;
        let private_targets = match self.private_targets {
            PrivateTargets::Auto => clients.iter().all(is_near),
            PrivateTargets::Allow => true,
            PrivateTargets::Refuse => false,
        };
        Ok(Access {
            clients,
            private_targets,
            users: self.users.parse()?,
            connect_ports: self.connect_ports,
            allow_targets,
        })
    }
}

/// Who and what is allowed.
#[derive(Clone, Debug)]
pub struct Access {
    /// Ranges of clients.
    pub clients: Vec<IpNet>,
    /// Ports open to any protocol through CONNECT.
    pub connect_ports: Vec<u16>,
    /// Internal targets that are allowed all the same.
    pub allow_targets: Vec<AddrPattern>,
    /// Whether addresses of private networks may be reached.
    pub private_targets: bool,
    /// Who must say so; empty: no one is asked.
    pub users: Users,
}

impl Access {
    pub(crate) fn allows_client(&self, client: IpAddr) -> bool {
        self.clients.iter().any(|range| range.contains(&client))
    }

    pub(crate) fn allows_private_targets(&self) -> bool {
        self.private_targets
    }

    /// What is wrong with listening at this address: it would serve no one who can only reach it from
    /// outside, so most likely `clients` was forgotten.
    pub(crate) fn problem_with_listening(&self, ip: IpAddr) -> Option<String> {
        let only_us = self.clients.iter().all(|range| within(range, &LOOPBACK));
        (!ip.to_canonical().is_loopback() && only_us).then(|| {
            format!(
                "{ip} is open to other machines, but `access.clients` lets only this one use the proxy"
            )
        })
    }

    /// Whether strangers may use the proxy without a password.
    pub(crate) fn is_open_to_strangers(&self) -> bool {
        self.users.is_empty() && !self.clients.iter().all(is_near)
    }
}

/// Whether all of a range is this machine or a private network.
fn is_near(range: &IpNet) -> bool {
    within(range, &LOOPBACK) || within(range, &PRIVATE)
}

fn within(range: &IpNet, ranges: &[&str]) -> bool {
    ranges
        .iter()
        .filter_map(|outer| outer.parse::<IpNet>().ok())
        .any(|outer| outer.contains(range))
}

/// Ranges of this machine.
const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];

/// Private ranges: RFC 1918, RFC 4193 and the link's own (RFC 3927, RFC 4291).
const PRIVATE: [&str; 6] = [
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
];

fn parse_clients(entry: &str) -> Result<Vec<IpNet>, String> {
    let named = |ranges: &[&str]| {
        let parse = |range: &&str| parse_net(range);
        ranges.iter().map(parse).collect()
    };
    match entry {
        "loopback" => named(&LOOPBACK),
        "private" => named(&[&LOOPBACK[..], &PRIVATE[..]].concat()),
        other => parse_net(other).map(|net| vec![net]),
    }
}

/// An address or range, in the one spelling in which addresses are compared; or what is wrong with it.
fn parse_net(text: &str) -> Result<IpNet, String> {
    let text = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(ip.to_canonical().into());
    }
    let net: IpNet = text
        .parse()
        .map_err(|_| "is not an address or range".to_owned())?;
    // Addresses lose their IPv6 dress before they are compared (RFC 4291 § 2.5.5.2): such a range would match none.
    if let (IpAddr::V6(v6), Some(length)) = (net.addr(), net.prefix_len().checked_sub(96))
        && let Some(v4) = v6.to_ipv4_mapped()
    {
        return Err(format!(
            "is an IPv4 range in another dress, write {v4}/{length}"
        ));
    }
    // More likely a typing error of the length than of the address, and nobody can tell which.
    if net.addr() != net.network() {
        let whole = net.trunc();
        return Err(format!(
            "names one address and the length of a range, write {whole} for the range or {} for the address",
            net.addr()
        ));
    }
    Ok(net)
}

/// Addresses, perhaps only on some ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddrPattern {
    net: IpNet,
    ports: Option<RangeInclusive<u16>>,
}

impl AddrPattern {
    pub(crate) fn matches(&self, ip: IpAddr, port: u16) -> bool {
        self.net.contains(&ip)
            && self
                .ports
                .as_ref()
                .is_none_or(|ports| ports.contains(&port))
    }

    /// Whether the pattern was written with ports, this one among them.
    pub(crate) fn names_port(&self, port: u16) -> bool {
        self.ports
            .as_ref()
            .is_some_and(|ports| ports.contains(&port))
    }
}

impl FromStr for AddrPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Without ports first: the colons of a bare IPv6 address are not port separators.
        let whole = match parse_net(text) {
            Ok(net) => return Ok(Self { net, ports: None }),
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
        Ok(Self {
            net: parse_net(net)?,
            ports: Some(first..=last),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> AddrPattern {
        text.parse().unwrap()
    }

    #[test]
    fn patterns_take_addresses_ranges_and_ports() {
        assert!(pattern("127.0.0.1").matches([127, 0, 0, 1].into(), 9));
        assert!(pattern("10.0.0.0/8:80").matches([10, 1, 2, 3].into(), 80));
        assert!(!pattern("10.0.0.0/8:80").matches([10, 1, 2, 3].into(), 81));
        assert!(pattern("[::1]:8000-8010").matches("::1".parse().unwrap(), 8005));
        assert!(pattern("::1").matches("::1".parse().unwrap(), 1));
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for text in [
            "",
            "localhost",
            "127.0.0.1:",
            "127.0.0.1:9-8",
            "127.0.0.1:70000",
            "127.0.0.1:0",
            "10.0.0.5/8:80",
            "http://127.0.0.1:80",
        ] {
            assert!(text.parse::<AddrPattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_that_is_none_is_answered_by_the_one_that_was_meant() {
        for (entry, meant) in [
            (
                "192.168.1.5/24",
                "write 192.168.1.0/24 for the range or 192.168.1.5 for",
            ),
            ("fe80::1/64", "write fe80::/64 for the range"),
            ("::ffff:192.168.1.0/120", "write 192.168.1.0/24"),
        ] {
            let problem = parse_clients(entry).unwrap_err();
            assert!(problem.contains(meant), "{problem}");
        }
        assert!(parse_clients("192.168.1.5/32").is_ok());
        // One address in an IPv6 dress can be compared, once it is off.
        assert!(pattern("::ffff:192.0.2.1").matches([192, 0, 2, 1].into(), 1));
    }

    #[test]
    fn there_is_no_port_zero() {
        let raw: RawAccess = serde_yaml::from_str("connect_ports: [443, 0]").unwrap();
        assert_eq!(raw.parse().unwrap_err().key, "access.connect_ports");
    }

    fn access(yaml: &str) -> Access {
        serde_yaml::from_str::<RawAccess>(yaml)
            .unwrap()
            .parse()
            .unwrap()
    }

    #[test]
    fn private_targets_are_open_as_long_as_every_client_is_near() {
        for (yaml, open) in [
            ("{}", true),
            ("clients: [loopback, private]", true),
            ("clients: [192.168.7.0/24]", true),
            ("clients: [loopback, 198.51.100.0/24]", false),
            ("clients: ['0.0.0.0/0']", false),
            ("{clients: ['0.0.0.0/0'], private_targets: allow}", true),
            ("private_targets: refuse", false),
        ] {
            assert_eq!(access(yaml).private_targets, open, "{yaml}");
        }
    }

    #[test]
    fn listening_wide_needs_clients_from_outside() {
        let wide = "0.0.0.0".parse().unwrap();
        assert!(access("{}").problem_with_listening(wide).is_some());
        assert!(
            access("{}")
                .problem_with_listening([127, 0, 0, 1].into())
                .is_none()
        );
        assert!(
            access("clients: [private]")
                .problem_with_listening(wide)
                .is_none()
        );
    }

    #[test]
    fn strangers_without_a_password_are_noticed() {
        assert!(!access("clients: [private]").is_open_to_strangers());
        assert!(access("clients: ['0.0.0.0/0']").is_open_to_strangers());
    }

    #[test]
    fn an_unknown_client_word_names_its_key() {
        let raw = RawAccess {
            clients: vec!["everyone".to_owned()],
            ..RawAccess::default()
        };
        let bad = raw.parse().unwrap_err();
        assert_eq!(bad.key, "access.clients");
    }
}
