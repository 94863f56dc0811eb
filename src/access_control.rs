//! Who may use the proxy, and what may be reached through it.
//!
//! Names and ports are judged before anything is resolved and give a [`Permit`], which only this file can make;
//! resolved addresses are judged by [`Acl::check_resolved`] at connect time, because only then is it known where a name
//! leads.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    sync::{Arc, LazyLock},
};

use ipnet::IpNet;

use crate::{
    authority::{Scheme, Target},
    config::Access,
};

/// Proof that a target passed the rules on names and ports. No other module can make one.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    target: Arc<Target>,
    port_rule: PortRule,
}

impl Permit {
    pub(crate) fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// What may pass through a CONNECT to this target.
    pub(crate) fn port_rule(&self) -> PortRule {
        self.port_rule
    }
}

/// What a connection to a port may carry. A port that is closed to everything is a [`Refusal::Port`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortRule {
    /// Any protocol: `access.connect_ports` or `access.allow_targets` names the port.
    Any,
    /// HTTP and TLS only.
    WebOnly,
}

/// Why something may not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "port {0} belongs to another protocol than the web's, and browsers block it too; `access.allow_targets` can \
         open it for an address"
    )]
    Port(u16),
    #[error("port {0} is open to HTTP and TLS only; `access.connect_ports` lists ports that are open to any protocol")]
    WebOnly(u16),
    #[error("{0} is an address of this machine or its own network; `access.allow_targets` can make an exception")]
    Address(IpAddr),
    #[error("{0} is an address of a private network; `access.private_targets` or `access.allow_targets` can open it")]
    Private(IpAddr),
    #[error("that address is this proxy itself")]
    Own,
}

/// The rules in force. Built once per configuration.
#[derive(Debug)]
pub(crate) struct Acl {
    access: Access,
    own: Vec<SocketAddr>,
}

impl Acl {
    /// `own` are the addresses the proxy listens on.
    pub(crate) fn new(access: Access, own: Vec<SocketAddr>) -> Self {
        Self { access, own }
    }

    /// Whether a client at this address may use the proxy at all.
    pub(crate) fn client_allowed(&self, client: IpAddr) -> bool {
        self.access.allows_client(client.to_canonical())
    }

    /// Judges what can be judged before a name is resolved.
    pub(crate) fn permit(&self, target: Target) -> Result<Permit, Refusal> {
        let addr = target.socket_addr();
        if let Some(addr) = addr {
            self.check_addr(addr)?;
        }
        let port_rule = self.port_rule(addr, target.port, target.scheme)?;
        Ok(Permit { target: Arc::new(target), port_rule })
    }

    /// Judges an address that a permitted target has led to. `carries` is what the connection will be used for:
    /// [`PortRule::WebOnly`] where this program itself speaks HTTP or TLS on it.
    pub(crate) fn check_resolved(&self, addr: SocketAddr, scheme: Scheme, carries: PortRule) -> Result<(), Refusal> {
        self.check_addr(addr)?;
        match self.port_rule(Some(addr), addr.port(), scheme)? {
            // The port is named for another address only.
            PortRule::WebOnly if carries == PortRule::Any => Err(Refusal::WebOnly(addr.port())),
            _ => Ok(()),
        }
    }

    fn check_addr(&self, addr: SocketAddr) -> Result<(), Refusal> {
        let ip = embedded(addr.ip());
        if self.is_own(SocketAddr::new(ip, addr.port())) {
            return Err(Refusal::Own);
        }
        let excepted = self.access.allow_targets.iter().any(|pattern| pattern.matches(ip, addr.port()));
        if excepted {
            Ok(())
        } else if is_internal(ip) {
            Err(Refusal::Address(ip))
        } else if is_private(ip) && !self.access.allows_private_targets() {
            Err(Refusal::Private(ip))
        } else {
            Ok(())
        }
    }

    /// Whether the address is one this proxy listens on, however it is reached.
    pub(crate) fn is_own(&self, addr: SocketAddr) -> bool {
        let ip = embedded(addr.ip());
        self.own.iter().any(|own| {
            own.port() == addr.port()
                && (own.ip().to_canonical() == ip || ip.is_unspecified() || (own.ip().is_unspecified() && is_local(ip)))
        })
    }

    /// What a port is open to. Without an address any address that `allow_targets` names with this port counts: where
    /// the name leads is judged once it is resolved.
    fn port_rule(&self, addr: Option<SocketAddr>, port: u16, scheme: Scheme) -> Result<PortRule, Refusal> {
        let ip = addr.map(|addr| embedded(addr.ip()));
        let is_listed = scheme == Scheme::Https && self.access.lists_connect_port(port);
        let is_named = self
            .access
            .allow_targets
            .iter()
            .any(|pattern| pattern.names_port(port) && ip.is_none_or(|ip| pattern.matches(ip, port)));
        if is_listed || is_named {
            Ok(PortRule::Any)
        } else if BAD_PORTS.binary_search(&port).is_ok() {
            Err(Refusal::Port(port))
        } else {
            Ok(PortRule::WebOnly)
        }
    }
}

/// Ports of other protocols that a request of a web page could be understood by (mail, shells, printers, chat); browsers
/// refuse them: the "bad ports" of the Fetch Standard, <https://fetch.spec.whatwg.org/#port-blocking>, sorted.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// The IPv4 address inside an IPv6 one, where it has one: mapped (`::ffff:a.b.c.d`), the old
/// compatible form (`::a.b.c.d`, RFC 4291 § 2.5.5.1), translated (`::ffff:0:a.b.c.d`, RFC 2765 § 2.1),
/// NAT64 (`64:ff9b::/96`, RFC 6052 § 2.1), 6to4 (`2002::/16`, RFC 3056 § 2), and the machine's end of
/// an ISATAP tunnel (`…:5efe:a.b.c.d`, RFC 5214 § 6.1).
fn embedded(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip.to_canonical() else {
        return ip.to_canonical();
    };
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)).into();
    match v6.segments() {
        // `::` and `::1` are themselves, not 0.0.0.0 and 0.0.0.1.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => v6.into(),
        [0, 0, 0, 0, 0 | 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => join(high, low),
        [0x2002, high, low, ..] | [.., 0 | 0x200, 0x5efe, high, low] => join(high, low),
        _ => v6.into(),
    }
}

/// Metadata services of clouds outside the link-local range: what answers there hands out credentials of the machine.
const METADATA: [&str; 8] = [
    // AWS, "Use IMDS"; EKS Pod Identity and the resolver are in the same range.
    "fd00:ec2::/32",
    // Google, "View and query VM metadata".
    "fd20:ce::254/128",
    // Oracle, "Getting Instance Metadata"; the second is of its classic platform.
    "fd00:c1::a9fe:a9fe/128",
    "192.0.0.192/32",
    // Akamai (Linode) and Scaleway, "Datasources" in the manual of cloud-init.
    "fd00:a9fe:a9fe::1/128",
    "fd00:42::42/128",
    // Alibaba, "Obtain instance metadata".
    "100.100.100.200/32",
    // Azure, "What is IP address 168.63.129.16?".
    "168.63.129.16/32",
];

static METADATA_RANGES: LazyLock<[IpNet; 8]> =
    LazyLock::new(|| METADATA.map(|range| range.parse().expect("the ranges above are well-formed")));

/// Addresses that mean this machine or only its own link, never a web site.
fn is_internal(ip: IpAddr) -> bool {
    if METADATA_RANGES.iter().any(|range| range.contains(&ip)) {
        return true;
    }
    if ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() {
        return true;
    }
    match ip {
        // 0.0.0.0/8 is "this host on this network" (RFC 1122 § 3.2.1.3).
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast() || v4.octets()[0] == 0,
        // 64:ff9b:1::/48 leads wherever the local translator wants (RFC 8215 § 5).
        IpAddr::V6(v6) => v6.is_unicast_link_local() || matches!(v6.segments(), [0x64, 0xff9b, 1, ..]),
    }
}

/// Addresses that are no one's on the internet: RFC 1918, RFC 6598 (shared by a provider's customers),
/// RFC 4193, the old site-local range (RFC 3879), and the tests' own (RFC 2544).
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || (a == 100 && b & 0xc0 == 64) || (a == 198 && b & 0xfe == 18)
        }
        IpAddr::V6(v6) => v6.is_unique_local() || v6.segments()[0] & 0xffc0 == 0xfec0,
    }
}

/// Whether this machine has the address: only then can a socket be bound to it.
fn is_local(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(yaml: &str) -> Acl {
        Acl::new(serde_yaml::from_str(yaml).unwrap(), vec!["127.0.0.1:8118".parse().unwrap()])
    }

    fn target(text: &str) -> Target {
        Target::of_absolute(&text.parse().unwrap()).unwrap()
    }

    fn check(acl: &Acl, addr: &str) -> Result<(), Refusal> {
        acl.check_addr(addr.parse().unwrap())
    }

    #[test]
    fn only_loopback_clients_are_allowed_by_default() {
        let acl = acl("{}");
        assert!(acl.client_allowed([127, 0, 0, 1].into()));
        assert!(acl.client_allowed("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!acl.client_allowed([192, 168, 0, 7].into()));
    }

    #[test]
    fn private_clients_are_one_word() {
        let acl = acl("clients: [private]");
        assert!(acl.client_allowed([192, 168, 0, 7].into()));
        assert!(!acl.client_allowed([8, 8, 8, 8].into()));
    }

    #[test]
    fn internal_addresses_are_refused_in_every_form() {
        let acl = acl("{}");
        for addr in [
            "127.0.0.1:80",
            "127.9.9.9:80",
            "0.0.0.0:80",
            "0.1.2.3:80",
            "169.254.169.254:80",
            "224.0.0.1:80",
            "255.255.255.255:80",
            "100.100.100.200:80",
            "[::1]:80",
            "[::]:80",
            "[::ffff:127.0.0.1]:80",
            "[::127.0.0.1]:80",
            "[64:ff9b::7f00:1]:80",
            "[64:ff9b:1::7f00:1]:80",
            "[::ffff:0:127.0.0.1]:80",
            "[2002:7f00:1::]:80",
            "[2002:a9fe:a9fe::1]:80",
            "[2001:db8::5efe:127.0.0.1]:80",
            "[::ffff:169.254.169.254]:80",
            "[fe80::1]:80",
            "[ff02::1]:80",
            "[fd00:ec2::254]:80",
            "[fd00:ec2::23]:80",
            "[fd20:ce::254]:80",
            "[fd00:c1::a9fe:a9fe]:80",
            "[fd00:a9fe:a9fe::1]:80",
            "[fd00:42::42]:80",
            "168.63.129.16:80",
        ] {
            assert!(matches!(check(&acl, addr), Err(Refusal::Address(_))), "{addr}");
        }
        assert_eq!(check(&acl, "93.184.216.34:80"), Ok(()));
        assert_eq!(check(&acl, "192.168.0.7:80"), Ok(()));
    }

    #[test]
    fn private_networks_are_refused_once_strangers_are_let_in() {
        let private = [
            "10.0.0.1:80",
            "172.16.0.1:80",
            "192.168.0.7:80",
            "100.64.0.1:80",
            "198.18.0.1:80",
            "[fd12::1]:80",
            "[fec0::1]:80",
            "[::ffff:192.168.0.7]:80",
            "[2002:c0a8:7::]:80",
        ];
        let strangers = acl("{clients: ['0.0.0.0/0'], allow_targets: ['10.0.0.0/24:80']}");
        let near = acl("clients: [private]");
        for addr in private {
            assert_eq!(check(&near, addr), Ok(()), "{addr}");
            let checked = check(&strangers, addr);
            if addr.starts_with("10.") {
                assert_eq!(checked, Ok(()));
            } else {
                assert!(matches!(checked, Err(Refusal::Private(_))), "{addr}");
            }
        }
        for addr in ["172.32.0.1:80", "100.128.0.1:80", "[2606:4700::1]:80"] {
            assert_eq!(check(&strangers, addr), Ok(()), "{addr}");
        }
    }

    #[test]
    fn allow_targets_makes_an_exception_for_its_ports_only() {
        let acl = acl("allow_targets: ['127.0.0.1:18080-18125', '169.254.0.0/16']");
        assert_eq!(check(&acl, "127.0.0.1:18080"), Ok(()));
        assert_eq!(check(&acl, "[::ffff:127.0.0.1]:18125"), Ok(()));
        assert!(check(&acl, "127.0.0.1:18126").is_err());
        assert_eq!(check(&acl, "169.254.1.1:99"), Ok(()));
    }

    #[test]
    fn the_proxy_itself_is_refused_even_when_its_range_is_allowed() {
        let acl = acl("allow_targets: ['127.0.0.0/8']");
        assert_eq!(check(&acl, "127.0.0.1:8118"), Err(Refusal::Own));
        assert_eq!(check(&acl, "0.0.0.0:8118"), Err(Refusal::Own));
        assert_eq!(check(&acl, "127.0.0.1:8119"), Ok(()));
    }

    #[test]
    fn a_wildcard_listener_is_found_behind_every_local_address() {
        let own = vec!["0.0.0.0:8118".parse().unwrap()];
        let acl = Acl::new(Access::default(), own);
        assert!(acl.is_own("127.0.0.1:8118".parse().unwrap()));
        assert!(!acl.is_own("93.184.216.34:8118".parse().unwrap()));
    }

    #[test]
    fn a_port_is_open_to_any_protocol_to_the_web_or_closed() {
        let plain = acl("connect_ports: [443, 22]");
        let rule = |acl: &Acl, url: &str| acl.permit(target(url)).map(|permit| permit.port_rule());
        for (url, wanted) in [
            ("https://a.example/", Ok(PortRule::Any)),
            ("https://a.example:22/", Ok(PortRule::Any)),
            ("http://a.example:22/", Err(Refusal::Port(22))),
            ("https://a.example:8444/", Ok(PortRule::WebOnly)),
            ("http://a.example/", Ok(PortRule::WebOnly)),
            ("https://a.example:25/", Err(Refusal::Port(25))),
            ("http://a.example:25/", Err(Refusal::Port(25))),
            ("http://192.0.2.7:10080/", Err(Refusal::Port(10080))),
        ] {
            assert_eq!(rule(&plain, url), wanted, "{url}");
        }
        let named = acl("allow_targets: ['127.0.0.1:8500', '192.0.2.7:25', 192.0.2.0/24]");
        for (url, wanted) in [
            ("https://127.0.0.1:8500/", Ok(PortRule::Any)),
            ("http://192.0.2.7:25/", Ok(PortRule::Any)),
            // The range is named, not the port.
            ("http://192.0.2.8:25/", Err(Refusal::Port(25))),
            // A name may lead there; where it leads is known only when it is resolved.
            ("https://a.example:8500/", Ok(PortRule::Any)),
            ("http://a.example:25/", Ok(PortRule::Any)),
        ] {
            assert_eq!(rule(&named, url), wanted, "{url}");
        }
        let resolved = |addr: &str, carries| named.check_resolved(addr.parse().unwrap(), Scheme::Https, carries);
        assert_eq!(resolved("127.0.0.1:8500", PortRule::Any), Ok(()));
        assert_eq!(resolved("93.184.216.34:8500", PortRule::Any), Err(Refusal::WebOnly(8500)));
        assert_eq!(resolved("93.184.216.34:8500", PortRule::WebOnly), Ok(()));
        assert_eq!(resolved("93.184.216.34:25", PortRule::WebOnly), Err(Refusal::Port(25)));
    }

    #[test]
    fn bad_ports_are_sorted_for_the_search() {
        assert!(BAD_PORTS.is_sorted());
    }
}
