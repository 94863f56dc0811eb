//! This machine's addresses in its local networks, and the network prefix that counts as one client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// An address for documentation (RFC 5737): the route to it is the default route.
const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// The addresses under which other devices may reach this machine: that of the default route first, then others of IPv4,
/// then unique local ones of IPv6. Global IPv6 addresses are left out: their clients have such addresses too, which are
/// none of a private network.
#[must_use]
pub fn local_addresses() -> Vec<IpAddr> {
    let default = default_route_address();
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let mut found: Vec<IpAddr> = interfaces.iter().map(if_addrs::Interface::ip).filter(is_reached).collect();
    found.extend(default);
    found.sort_by_key(|ip| (Some(*ip) != default, ip.is_ipv6(), *ip));
    found.dedup();
    found
}

fn is_reached(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unique_local(),
    }
}

/// Nothing is sent: connecting a UDP socket only looks up the route.
fn default_route_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(ELSEWHERE).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

/// Where other devices reach a proxy with these listeners; none where it serves this machine only.
pub(crate) fn addresses_for_devices(listeners: &[SocketAddr]) -> Vec<SocketAddr> {
    let mut found = Vec::new();
    for listener in listeners.iter().filter(|listener| !listener.ip().is_loopback()) {
        if listener.ip().is_unspecified() {
            let of_family = |ip: &IpAddr| ip.is_ipv4() == listener.is_ipv4();
            found
                .extend(local_addresses().into_iter().filter(of_family).map(|ip| SocketAddr::new(ip, listener.port())));
        } else {
            found.push(*listener);
        }
    }
    found
}

/// The network that counts as one client: an IPv4 address, or the /64 of an IPv6 one, within which a single device chooses its
/// addresses freely (RFC 8981).
pub(crate) fn client_network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}
