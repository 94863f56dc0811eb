//! Which program listens at an address, by proc(5). Only root sees the programs of others; on other systems nothing is known.

use std::{
    collections::HashSet,
    fmt, fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
};

/// The state of a socket that listens, in /proc/net/tcp.
const LISTENING: &str = "0A";

/// The program behind a socket, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Holder {
    pub(super) name: Option<String>,
    process: Option<u32>,
}

impl Holder {
    pub(super) fn find(addr: SocketAddr) -> Self {
        let root = Path::new("/");
        let tables =
            ["proc/net/tcp", "proc/net/tcp6"].map(|table| fs::read_to_string(root.join(table)).unwrap_or_default());
        let sockets: HashSet<String> = tables.iter().flat_map(|table| sockets(table, addr)).collect();
        let holds = |process: u32| {
            let descriptors = fs::read_dir(root.join(format!("proc/{process}/fd"))).into_iter().flatten().flatten();
            let mut links = descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
            links.any(|link| link.to_str().is_some_and(|link| sockets.contains(link)))
        };
        let found = processes(root).find(|(process, _)| !sockets.is_empty() && holds(*process));
        found.map_or_else(Self::default, |(process, name)| Self { name: Some(name), process: Some(process) })
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.process) {
            (Some(name), Some(process)) => write!(f, ", by {name} (process {process})"),
            _ => Ok(()),
        }
    }
}

/// All processes with their names.
pub(super) fn processes(root: &Path) -> impl Iterator<Item = (u32, String)> {
    let entries = fs::read_dir(root.join("proc")).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        Some((process, name.trim_end().to_owned()))
    })
}

/// The sockets of a table that listen where this address would.
fn sockets(table: &str, addr: SocketAddr) -> Vec<String> {
    let listens = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let (ip, port) = local.split_once(':')?;
        let (ip, port) = (address(ip)?.to_canonical(), u16::from_str_radix(port, 16).ok()?);
        let is_there = ip == addr.ip() || ip.is_unspecified() || addr.ip().is_unspecified();
        (*state == LISTENING && port == addr.port() && is_there).then(|| format!("socket:[{inode}]"))
    };
    table.lines().filter_map(listens).collect()
}

/// An address of the kernel's: words of 32 bits in the machine's order, in hexadecimal.
fn address(hex: &str) -> Option<IpAddr> {
    let words = (0..hex.len() / 8).map(|index| u32::from_str_radix(hex.get(index * 8..index * 8 + 8)?, 16).ok());
    let bytes: Vec<u8> = words.collect::<Option<Vec<_>>>()?.into_iter().flat_map(u32::to_ne_bytes).collect();
    let v6 = |bytes: &[u8]| <[u8; 16]>::try_from(bytes).ok().map(|bytes| Ipv6Addr::from(bytes).into());
    <[u8; 4]>::try_from(&*bytes).ok().map(|bytes| Ipv4Addr::from(bytes).into()).or_else(|| v6(&bytes))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn this_process_is_found_behind_its_own_listener() {
        for host in ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(host) else { continue };
            let holder = Holder::find(listener.local_addr().unwrap());
            if Path::new("/proc/net/tcp").exists() {
                assert_eq!(holder.process, Some(std::process::id()), "{host}");
                assert!(holder.to_string().contains("process"), "{holder}");
            }
        }
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert_eq!(Holder::find(free).process, None);
    }
}
