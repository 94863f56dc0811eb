//! The address under which other machines of the network reach this one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Addresses for documentation (RFC 5737, RFC 3849): the route to them is the default route.
const ELSEWHERE: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1))];

/// The address that this machine would send from, for a listener on all its addresses: of IPv4, which phones ask for, or
/// of the listener's own family. Nothing is sent: connecting a UDP socket only looks up the route.
pub(super) fn of_this_machine(listener: SocketAddr) -> Option<IpAddr> {
    let is_reached = |elsewhere: &&IpAddr| listener.is_ipv6() || elsewhere.is_ipv4();
    ELSEWHERE.iter().filter(is_reached).find_map(|elsewhere| {
        let any: IpAddr = match elsewhere {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect((*elsewhere, 9)).ok()?;
        let ip = socket.local_addr().ok()?.ip();
        (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
    })
}
