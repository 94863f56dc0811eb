//! Who may use the proxy, and what may be reached through it.
//!
//! Names and ports are judged before anything is resolved and give a [`Permit`], which only this file can make;
//! resolved addresses are judged by [`Acl::check_resolved`] at connect time, because only then is it known where a name
//! leads.

mod home_network;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, LazyLock},
};

use ipnet::IpNet;

use self::home_network::is_home_address;
pub(crate) use self::home_network::{Initiator, hides_referrer};
use crate::{
    config::{Access, AddrPattern},
    net::target::{Scheme, Target},
    util::host::Host,
};

/// Proof that a target passed the rules on names and ports. No other module can make one.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    target: Arc<Target>,
    port_rule: PortRule,
    initiator: Initiator,
    may_be_at_home: bool,
    instead: Option<&'static str>,
}

impl Permit {
    /// Has connections go to the addresses of another name of the web.
    pub(crate) fn connecting_to(self, name: &'static str) -> Self {
        Self { instead: Some(name), ..self }
    }

    /// The name whose addresses are connected to in the place of the target's.
    pub(crate) fn instead(&self) -> Option<&'static str> {
        self.instead
    }

    pub(crate) fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Protocols that may pass through a CONNECT to this target.
    pub(crate) fn port_rule(&self) -> PortRule {
        self.port_rule
    }

    /// Whether the target may be in the home network: by its address, or by a name that may lead there.
    pub(crate) fn may_be_at_home(&self) -> bool {
        self.may_be_at_home
    }

    /// Whether it is not known yet that a public page wants something of the home network: a name must be resolved for it.
    pub(crate) fn must_be_resolved(&self) -> bool {
        self.may_be_at_home && self.initiator == Initiator::Public && matches!(self.target.host, Host::Name(_))
    }
}

/// Protocols that a connection to a port may carry. A port that is closed to everything is a [`Refusal::Port`].
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
    #[error(
        "{0} is an address of this machine or its own network; `access.allow_targets` (for `/read` and MCP `read.targets`) can make an exception"
    )]
    Address(IpAddr),
    #[error(
        "{0} is an address of a private network; `access.private_targets` or `access.allow_targets` (for `/read` and MCP `read.targets`) can open it"
    )]
    Private(IpAddr),
    /// DNS rebinding, or a name server of the home network that answers for a public name.
    #[error(
        "this name of the public internet leads to {0}, an address of the home network; web sites do so to reach devices there \
         (DNS rebinding)"
    )]
    Rebound(IpAddr),
    #[error("a page or server of the public internet leads to {0}, an address of the home network")]
    FromPublic(IpAddr),
    /// Another proxy resolves the name, so that it is not known where it leads.
    #[error("a page or server of the public internet leads to a name of the home network")]
    NameFromPublic,
    #[error(
        "this name means a machine itself or its private network, and another proxy would resolve it, so that its address cannot be judged; \
         a rule of `upstream.via` with `proxy: direct` has it resolved here"
    )]
    Unjudged,
    #[error("that address is this proxy itself")]
    Own,
}

/// The rules in force. Built once per configuration.
#[derive(Debug)]
pub(crate) struct Acl {
    access: Access,
    listen_addrs: Vec<SocketAddr>,
}

impl Acl {
    /// `listen_addrs` are the addresses the proxy listens on.
    pub(crate) fn new(access: Access, listen_addrs: Vec<SocketAddr>) -> Self {
        Self { access, listen_addrs }
    }

    /// The rules of the reader's address ([`Access::for_reader`]).
    pub(crate) fn for_reader(&self, targets: &[AddrPattern]) -> Self {
        Self { access: self.access.for_reader(targets), listen_addrs: self.listen_addrs.clone() }
    }

    pub(crate) fn client_allowed(&self, client: IpAddr) -> bool {
        self.access.allows_client(client.to_canonical())
    }

    /// Judges what can be judged before a name is resolved. Who wants it is asked where the target may be in the home network.
    pub(crate) fn permit(
        &self,
        target: Target,
        initiator: impl FnOnce(&Target) -> Initiator,
    ) -> Result<Permit, Refusal> {
        let addr = target.socket_addr();
        if let Some(addr) = addr {
            self.check_addr(addr)?;
        }
        let may_be_at_home = match addr {
            Some(addr) => self.is_at_home(addr),
            None => self.may_lead_home(target.plain_host()),
        };
        let initiator = if may_be_at_home { initiator(&target) } else { Initiator::Near };
        if let Some(addr) = addr
            && initiator == Initiator::Public
        {
            self.check_for_public(addr)?;
        }
        let port_rule = self.port_rule(addr, target.port, target.scheme)?;
        Ok(Permit { target: Arc::new(target), port_rule, initiator, may_be_at_home, instead: None })
    }

    /// Judges the host of a permitted target under another scheme.
    pub(crate) fn permit_scheme(&self, permit: &Permit, target: Target) -> Result<Permit, Refusal> {
        // Nobody was asked who wants what is not at home.
        let initiator = if permit.may_be_at_home { permit.initiator } else { Initiator::Public };
        Ok(Permit { instead: permit.instead, ..self.permit(target, |_| initiator)? })
    }

    /// Judges an address that a permitted target has led to. `carries` is what the connection will be used for:
    /// [`PortRule::WebOnly`] where this program itself speaks HTTP or TLS on it.
    pub(crate) fn check_resolved(&self, addr: SocketAddr, target: &Target, carries: PortRule) -> Result<(), Refusal> {
        self.check_addr(addr)?;
        let is_public = matches!(&target.host, Host::Name(_)) && !self.may_lead_home(target.plain_host());
        if is_public && self.is_at_home(addr) {
            return Err(Refusal::Rebound(embedded(addr.ip())));
        }
        match self.port_rule(Some(addr), addr.port(), target.scheme)? {
            // The port is named for another address only.
            PortRule::WebOnly if carries == PortRule::Any => Err(Refusal::WebOnly(addr.port())),
            _ => Ok(()),
        }
    }

    /// Judges a target that another proxy is asked for, so that it is not known where its name leads. Names that lead to what would be
    /// refused are refused; that `allow_targets` names a port for some address opens it for no name.
    pub(crate) fn check_unresolved(&self, target: &Target, carries: PortRule) -> Result<(), Refusal> {
        if let Some(addr) = target.socket_addr() {
            return self.check_resolved(addr, target, carries);
        }
        let name = target.plain_host();
        let is_refused = !self.access.allows_private_targets() && self.may_lead_home(name);
        let is_listed = target.scheme == Scheme::Https && self.access.lists_connect_port(target.port);
        if is_refused || home_network::means_a_machine_itself(name) {
            Err(Refusal::Unjudged)
        } else if is_listed {
            Ok(())
        } else if BAD_PORTS.contains(&target.port) {
            Err(Refusal::Port(target.port))
        } else if carries == PortRule::Any {
            Err(Refusal::WebOnly(target.port))
        } else {
            Ok(())
        }
    }

    /// Judges an address that something public has led to.
    pub(crate) fn check_for_public(&self, addr: SocketAddr) -> Result<(), Refusal> {
        if self.is_at_home(addr) { Err(Refusal::FromPublic(embedded(addr.ip()))) } else { Ok(()) }
    }

    /// Whether an address is one of the home network, and none of `allow_targets`: what these name is open to everything.
    fn is_at_home(&self, addr: SocketAddr) -> bool {
        let ip = embedded(addr.ip());
        is_home_address(ip) && !self.is_excepted(ip, addr.port())
    }

    fn is_excepted(&self, ip: IpAddr, port: u16) -> bool {
        self.access.allow_targets.iter().any(|pattern| pattern.matches(ip, port))
    }

    fn check_addr(&self, addr: SocketAddr) -> Result<(), Refusal> {
        let ip = embedded(addr.ip());
        if self.is_own(SocketAddr::new(ip, addr.port())) {
            return Err(Refusal::Own);
        }
        if self.is_excepted(ip, addr.port()) {
            Ok(())
        } else if is_internal(ip) {
            Err(Refusal::Address(ip))
        } else if self.access.allows_private_targets() {
            Ok(())
        } else if is_private(ip) {
            Err(Refusal::Private(ip))
        } else if is_local(ip) {
            Err(Refusal::Address(ip))
        } else {
            Ok(())
        }
    }

    /// Whether the address is one this proxy listens on, however it is reached.
    pub(crate) fn is_own(&self, addr: SocketAddr) -> bool {
        let ip = embedded(addr.ip());
        self.listen_addrs.iter().any(|own| {
            own.port() == addr.port()
                && (own.ip().to_canonical() == ip || ip.is_unspecified() || (own.ip().is_unspecified() && is_local(ip)))
        })
    }

    /// The protocols that a port is open to. Without an address any address that `allow_targets` names with this port counts: where
    /// the name leads is judged once it is resolved.
    fn port_rule(&self, addr: Option<SocketAddr>, port: u16, scheme: Scheme) -> Result<PortRule, Refusal> {
        let ip = addr.map(|addr| embedded(addr.ip()));
        let is_listed = scheme == Scheme::Https && self.access.lists_connect_port(port);
        let mut targets = self.access.allow_targets.iter();
        let is_named = targets.any(|target| target.names_port(port) && ip.is_none_or(|ip| target.matches(ip, port)));
        if is_listed || is_named {
            Ok(PortRule::Any)
        } else if BAD_PORTS.contains(&port) {
            Err(Refusal::Port(port))
        } else {
            Ok(PortRule::WebOnly)
        }
    }
}

/// Ports of other protocols that a request of a web page could be understood by (mail, shells, printers, chat); browsers
/// refuse them: the "bad ports" of the Fetch Standard, <https://fetch.spec.whatwg.org/#port-blocking>.
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
        [0, 0, 0, 0, 0 | 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
        | [.., 0 | 0x200, 0x5efe, high, low] => join(high, low),
        _ => v6.into(),
    }
}

/// Metadata services of clouds outside the link-local range: they hand out credentials of the machine.
static METADATA: LazyLock<[IpNet; 8]> = LazyLock::new(|| {
    [
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
    ]
    .map(|range| range.parse().expect("the ranges above are well-formed"))
});

/// Addresses that mean this machine or only its own link, never a web site.
fn is_internal(ip: IpAddr) -> bool {
    if ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() || METADATA.iter().any(|range| range.contains(&ip))
    {
        return true;
    }
    match ip {
        // 0.0.0.0/8 is "this host on this network" (RFC 1122 § 3.2.1.3).
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast() || v4.octets()[0] == 0,
        // The local translator decides what 64:ff9b:1::/48 means (RFC 8215 § 5).
        IpAddr::V6(v6) => v6.is_unicast_link_local() || matches!(v6.segments(), [0x64, 0xff9b, 1, ..]),
    }
}

/// Addresses that are not routed on the internet: RFC 1918, RFC 6598 (shared by a provider's customers),
/// RFC 4193, the old site-local range (RFC 3879), and the range for benchmarks (RFC 2544).
pub(crate) fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || (a == 100 && b & 0xc0 == 64) || (a == 198 && b & 0xfe == 18)
        }
        IpAddr::V6(v6) => v6.is_unique_local() || v6.segments()[0] & 0xffc0 == 0xfec0,
    }
}

/// Whether this machine has the address; of the loopback network it has all.
fn is_local(ip: IpAddr) -> bool {
    if ip.is_loopback() {
        return true;
    }
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    interfaces.iter().any(|interface| interface.ip() == ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(yaml: &str) -> Acl {
        Acl::new(serde_yaml::from_str(yaml).unwrap(), vec!["127.0.0.1:8118".parse().unwrap()])
    }

    fn check(acl: &Acl, addr: &str) -> Result<(), Refusal> {
        acl.check_addr(addr.parse().unwrap())
    }

    #[test]
    fn only_listed_clients_are_allowed() {
        for (yaml, client, allowed) in [
            ("{}", "127.0.0.1", true),
            ("{}", "::ffff:127.0.0.1", true),
            ("{}", "192.168.0.7", false),
            ("clients: [private]", "192.168.0.7", true),
            ("clients: [private]", "8.8.8.8", false),
        ] {
            assert_eq!(acl(yaml).client_allowed(client.parse().unwrap()), allowed, "{yaml} {client}");
        }
    }

    #[test]
    fn private_networks_are_refused_where_clients_from_outside_are_allowed() {
        let strangers = acl("{clients: ['0.0.0.0/0'], allow_targets: ['10.0.0.0/24:80']}");
        let near = acl("clients: [private]");
        let private = "172.16.0.1 192.168.0.7 100.64.0.1 198.18.0.1 fd12::1 fec0::1 ::ffff:192.168.0.7 2002:c0a8:7::";
        for addr in private.split_whitespace() {
            let ip: IpAddr = addr.parse().unwrap();
            assert_eq!(near.check_addr((ip, 80).into()), Ok(()), "{addr}");
            assert!(matches!(strangers.check_addr((ip, 80).into()), Err(Refusal::Private(_))), "{addr}");
        }
        for addr in ["10.0.0.1:80", "172.32.0.1:80", "100.128.0.1:80", "[2606:4700::1]:80"] {
            assert_eq!(check(&strangers, addr), Ok(()), "{addr}");
        }
    }

    #[test]
    fn addresses_of_this_machine_are_refused_where_clients_from_outside_are_allowed() {
        assert!(is_local([127, 0, 0, 9].into()));
        assert!(!is_local([93, 184, 216, 34].into()));
        let strangers = acl("clients: ['0.0.0.0/0']");
        for ip in crate::net::addresses::local_addresses() {
            assert!(check(&strangers, &SocketAddr::new(ip, 80).to_string()).is_err(), "{ip}");
        }
    }

    #[test]
    fn allow_targets_makes_exceptions_but_never_for_the_proxy_itself() {
        let acl = acl("allow_targets: ['127.0.0.1:18080-18125', '169.254.0.0/16', '127.0.0.0/8:8118-8119']");
        for (addr, wanted) in [
            ("127.0.0.1:18080", Ok(())),
            ("[::ffff:127.0.0.1]:18125", Ok(())),
            ("127.0.0.1:18126", Err(Refusal::Address([127, 0, 0, 1].into()))),
            ("169.254.1.1:99", Ok(())),
            ("127.0.0.1:8118", Err(Refusal::Own)),
            ("0.0.0.0:8118", Err(Refusal::Own)),
            ("127.0.0.1:8119", Ok(())),
        ] {
            assert_eq!(check(&acl, addr), wanted, "{addr}");
        }
        let everywhere = Acl::new(Access::default(), vec!["0.0.0.0:8118".parse().unwrap()]);
        assert!(everywhere.is_own("127.0.0.1:8118".parse().unwrap()));
        assert!(!everywhere.is_own("93.184.216.34:8118".parse().unwrap()));
    }

    #[test]
    fn a_port_is_open_to_any_protocol_to_the_web_or_closed() {
        let plain = acl("connect_ports: [443, 22]");
        let named = acl("allow_targets: ['127.0.0.1:8500', '192.0.2.7:25', 192.0.2.0/24]");
        for (acl, url, wanted) in [
            (&plain, "https://a.example/", Ok(PortRule::Any)),
            (&plain, "https://a.example:22/", Ok(PortRule::Any)),
            (&plain, "http://a.example:22/", Err(Refusal::Port(22))),
            (&plain, "https://a.example:8444/", Ok(PortRule::WebOnly)),
            (&plain, "http://a.example/", Ok(PortRule::WebOnly)),
            (&plain, "https://a.example:25/", Err(Refusal::Port(25))),
            (&plain, "http://192.0.2.7:10080/", Err(Refusal::Port(10080))),
            (&named, "https://127.0.0.1:8500/", Ok(PortRule::Any)),
            (&named, "http://192.0.2.7:25/", Ok(PortRule::Any)),
            // The range is named, not the port.
            (&named, "http://192.0.2.8:25/", Err(Refusal::Port(25))),
            // A name may lead there; where it leads is known only when it is resolved.
            (&named, "https://a.example:8500/", Ok(PortRule::Any)),
            (&named, "http://a.example:25/", Ok(PortRule::Any)),
        ] {
            let target = Target::from_absolute(&url.parse().unwrap()).unwrap();
            let permit = acl.permit(target, |_| Initiator::Near);
            assert_eq!(permit.map(|permit| permit.port_rule()), wanted, "{url}");
        }
        for (addr, carries, wanted) in [
            ("127.0.0.1:8500", PortRule::Any, Ok(())),
            ("93.184.216.34:8500", PortRule::Any, Err(Refusal::WebOnly(8500))),
            ("93.184.216.34:8500", PortRule::WebOnly, Ok(())),
            ("93.184.216.34:443", PortRule::Any, Ok(())),
            ("93.184.216.34:25", PortRule::WebOnly, Err(Refusal::Port(25))),
        ] {
            let target = Target::from_absolute(
                &format!("https://a.example:{}/", addr.rsplit(':').next().unwrap()).parse().unwrap(),
            );
            assert_eq!(named.check_resolved(addr.parse().unwrap(), &target.unwrap(), carries), wanted, "{addr}");
        }
    }

    #[test]
    fn public_names_and_public_pages_do_not_lead_home() {
        let acl = acl("{allow_targets: [192.168.1.9], rebind_allowed: [nas.example.org]}");
        let home: IpAddr = [192, 168, 1, 7].into();
        let excepted: IpAddr = [192, 168, 1, 9].into();
        for (host, ip, wanted) in [
            ("a.example", home, Err(Refusal::Rebound(home))),
            ("a.example", "::ffff:192.168.1.7".parse().unwrap(), Err(Refusal::Rebound(home))),
            ("a.example", excepted, Ok(())),
            ("a.example", [93, 184, 216, 34].into(), Ok(())),
            // Handed out for public names by programs that tunnel all traffic.
            ("a.example", [198, 18, 0, 7].into(), Ok(())),
            ("nas.example.org", home, Ok(())),
            ("router.lan", home, Ok(())),
            ("1.plex.direct", home, Ok(())),
            ("192.168.1.7", home, Ok(())),
        ] {
            let target = Target::from_absolute(&format!("http://{host}/").parse().unwrap()).unwrap();
            assert_eq!(acl.check_resolved((ip, 80).into(), &target, PortRule::WebOnly), wanted, "{host} {ip}");
        }
        for (url, wanted) in [
            ("http://192.168.1.7/", Err(Refusal::FromPublic(home))),
            ("http://192.168.1.9/", Ok(false)),
            ("http://93.184.216.34/", Ok(false)),
            ("http://router.lan/", Ok(true)),
            ("http://a.example/", Ok(false)),
        ] {
            let target = Target::from_absolute(&url.parse().unwrap()).unwrap();
            assert!(acl.permit(target.clone(), |_| Initiator::Near).is_ok());
            let permit = acl.permit(target, |_| Initiator::Public);
            assert_eq!(permit.map(|permit| permit.must_be_resolved()), wanted, "{url}");
        }
    }
}
