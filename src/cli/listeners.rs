//! Binds the addresses to listen on.

use std::{
    io::{self, ErrorKind},
    net::{SocketAddr, TcpListener},
};

use socket2::{Domain, Socket, Type};

/// Connections that the kernel keeps until they are accepted.
const BACKLOG: i32 = 1024;

/// Binds an address beside others that are bound already. None: it is every address of IPv6, beside every one of IPv4,
/// and this machine has no IPv6.
pub(super) fn bind(addr: SocketAddr, bound: &[SocketAddr]) -> io::Result<Option<TcpListener>> {
    let is_twin = |other: &&SocketAddr| {
        addr.is_ipv6() && addr.ip().is_unspecified() && other.is_ipv4() && other.ip().is_unspecified()
    };
    let twin = bound.iter().find(is_twin);
    // Port 0 stands for a free one; both families should have the same.
    let port = if addr.port() == 0 { twin.map_or(0, SocketAddr::port) } else { addr.port() };
    match open(SocketAddr::new(addr.ip(), port), twin.is_some()) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if twin.is_some() && error.kind() != ErrorKind::AddrInUse => Ok(None),
        Err(error) => Err(error),
    }
}

fn open(addr: SocketAddr, only_v6: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    if only_v6 {
        // IPv4 has a listener of its own.
        socket.set_only_v6(true)?;
    }
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_both_families_has_one_port() {
        let v4 = bind("0.0.0.0:0".parse().unwrap(), &[]).unwrap().unwrap();
        let bound = [v4.local_addr().unwrap()];
        if let Some(v6) = bind("[::]:0".parse().unwrap(), &bound).unwrap() {
            assert_eq!(v6.local_addr().unwrap().port(), bound[0].port());
        }
        assert_eq!(bind(bound[0], &[]).unwrap_err().kind(), ErrorKind::AddrInUse);
    }
}
