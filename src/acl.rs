//! Who may use the proxy, and what may be reached through it.
//!
//! Names and ports are judged here and give a [`Permit`], which only this file can make; resolved
//! addresses are judged by [`Acl::check_addr`] at connect time, because only then is it known where
//! a name leads. What a refusal looks like to the client is `respond`'s matter.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::{
    authority::{Scheme, Target},
    config::Access,
};

/// Proof that a target passed the rules on names and ports. No one else can make one.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    target: Target,
}

impl Permit {
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }
}

/// Why something may not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "port {0} is not open for encrypted connections; `access.connect_ports` lists those that are"
    )]
    Port(u16),
    #[error(
        "{0} is an address of this machine or its own network; `access.allow_targets` can make an exception"
    )]
    Address(IpAddr),
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
        let client = client.to_canonical();
        self.access
            .clients
            .iter()
            .any(|range| range.contains(&client))
    }

    /// Judges what can be judged before a name is resolved.
    pub(crate) fn permit(&self, target: Target) -> Result<Permit, Refusal> {
        if let Some(addr) = target.socket_addr() {
            self.check_addr(addr)?;
        }
        if target.scheme == Scheme::Https && !self.connect_port_open(target.port) {
            return Err(Refusal::Port(target.port));
        }
        Ok(Permit { target })
    }

    /// Judges an address that is about to be connected to.
    pub(crate) fn check_addr(&self, addr: SocketAddr) -> Result<(), Refusal> {
        let ip = embedded(addr.ip());
        if self.is_own(SocketAddr::new(ip, addr.port())) {
            return Err(Refusal::Own);
        }
        let excepted = self
            .access
            .allow_targets
            .iter()
            .any(|pattern| pattern.matches(ip, addr.port()));
        if excepted || !is_internal(ip) {
            Ok(())
        } else {
            Err(Refusal::Address(ip))
        }
    }

    /// Whether the address is one this proxy listens on, however it is reached.
    pub(crate) fn is_own(&self, addr: SocketAddr) -> bool {
        let ip = embedded(addr.ip());
        self.own.iter().any(|own| {
            own.port() == addr.port()
                && (own.ip().to_canonical() == ip
                    || ip.is_unspecified()
                    || (own.ip().is_unspecified() && is_local(ip)))
        })
    }

    fn connect_port_open(&self, port: u16) -> bool {
        self.access.connect_ports.contains(&port)
            || self
                .access
                .allow_targets
                .iter()
                .any(|pattern| pattern.names_port(port))
    }
}

/// The IPv4 address inside an IPv6 one, where it has one: mapped (`::ffff:a.b.c.d`), the old
/// compatible form (`::a.b.c.d`), and NAT64 (`64:ff9b::/96`, RFC 6052).
fn embedded(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip.to_canonical() else {
        return ip.to_canonical();
    };
    let [prefix @ .., high, low] = v6.segments();
    let inner = (u32::from(high) << 16) | u32::from(low);
    match prefix {
        // `::` and `::1` are themselves, not 0.0.0.0 and 0.0.0.1.
        [0, 0, 0, 0, 0, 0] if inner > 1 => Ipv4Addr::from(inner).into(),
        [0x64, 0xff9b, 0, 0, 0, 0] => Ipv4Addr::from(inner).into(),
        _ => v6.into(),
    }
}

/// Cloud metadata services outside the link-local range (AWS over IPv6, Alibaba, Oracle): what
/// answers there hands out credentials of the machine.
const METADATA: [IpAddr; 3] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
];

/// Addresses that mean this machine or only its own link, never a web site.
fn is_internal(ip: IpAddr) -> bool {
    if METADATA.contains(&ip) || ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() {
        return true;
    }
    match ip {
        // 0.0.0.0/8 is "this host on this network" (RFC 1122 § 3.2.1.3).
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast() || v4.octets()[0] == 0,
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

/// Whether this machine has the address: only then can a socket be bound to it.
fn is_local(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawAccess;

    fn acl(yaml: &str) -> Acl {
        let raw: RawAccess = serde_yaml::from_str(yaml).unwrap();
        Acl::new(
            raw.parse().unwrap(),
            vec!["127.0.0.1:8118".parse().unwrap()],
        )
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
            "[fe80::1]:80",
            "[ff02::1]:80",
            "[fd00:ec2::254]:80",
        ] {
            assert!(
                matches!(check(&acl, addr), Err(Refusal::Address(_))),
                "{addr}"
            );
        }
        assert_eq!(check(&acl, "93.184.216.34:80"), Ok(()));
        assert_eq!(check(&acl, "192.168.0.7:80"), Ok(()));
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
        let acl = Acl::new(RawAccess::default().parse().unwrap(), own);
        assert!(acl.is_own("127.0.0.1:8118".parse().unwrap()));
        assert!(!acl.is_own("93.184.216.34:8118".parse().unwrap()));
    }

    #[test]
    fn encrypted_connections_need_an_open_port() {
        let plain = acl("{}");
        assert!(plain.permit(target("https://example.com/")).is_ok());
        assert!(plain.permit(target("http://example.com:8080/")).is_ok());
        assert_eq!(
            plain.permit(target("https://example.com:22/")).unwrap_err(),
            Refusal::Port(22)
        );
        let named = acl("allow_targets: ['127.0.0.1:8500']");
        assert!(named.permit(target("https://example.com:8500/")).is_ok());
    }
}
