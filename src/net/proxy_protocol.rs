//! The header in which a load balancer tells the address of its client (`HAProxy`, "The PROXY protocol", versions 1 and 2,
//! 2020-03-05).

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::{io::AsyncReadExt, net::TcpStream};

/// Most bytes of a header: one of version 2 with all that is in use (§ 2.2: certificate, names, namespace).
const MAX_HEADER: usize = 2048;

/// Most bytes of a header of version 1 (§ 2.1).
const MAX_LINE: usize = 107;

/// How a header of version 2 begins (§ 2.2).
const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// What the bytes received so far are.
#[derive(Debug, PartialEq, Eq)]
enum Header {
    Incomplete,
    /// Its length, and the client where it is another than the balancer itself.
    Whole(usize, Option<SocketAddr>),
    Invalid,
}

/// Takes the header from a connection, and not a byte of what follows it. `None`: the balancer asks for itself.
pub(crate) async fn read_client(stream: &mut TcpStream) -> io::Result<Option<SocketAddr>> {
    let mut bytes = [0; MAX_HEADER];
    let mut taken = 0;
    loop {
        let seen = taken + stream.peek(&mut bytes[taken..]).await?;
        let (whole, client) = match Header::parse(&bytes[..seen]) {
            Header::Incomplete if seen > taken && seen < MAX_HEADER => (None, None),
            Header::Whole(length, client) => (Some(length), client),
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "it does not begin with a PROXY header")),
        };
        let end = whole.unwrap_or(seen);
        stream.read_exact(&mut bytes[taken..end]).await?;
        taken = end;
        if whole.is_some() {
            return Ok(client);
        }
    }
}

impl Header {
    fn parse(bytes: &[u8]) -> Self {
        if begins_like(bytes, SIGNATURE) {
            return Self::binary(bytes).unwrap_or(Self::Incomplete);
        }
        if !begins_like(bytes, b"PROXY ") {
            return Self::Invalid;
        }
        match bytes.iter().take(MAX_LINE).position(|byte| *byte == b'\n') {
            Some(end) => Self::line(&bytes[..=end]).unwrap_or(Self::Invalid),
            None if bytes.len() < MAX_LINE => Self::Incomplete,
            None => Self::Invalid,
        }
    }

    /// Version 1; none where it is wrong.
    fn line(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.strip_suffix("\r\n")?;
        let mut words = text.split(' ').skip(1);
        let kind = words.next()?;
        if kind == "UNKNOWN" {
            return Some(Self::Whole(line.len(), None));
        }
        let [source, destination, port, destination_port] =
            [words.next()?, words.next()?, words.next()?, words.next()?];
        let of_kind = |address: &str| match kind {
            "TCP4" => address.parse::<Ipv4Addr>().map(Into::into).ok(),
            "TCP6" => address.parse::<Ipv6Addr>().map(Into::into).ok(),
            _ => None,
        };
        let (ip, port) = (of_kind(source)?, port.parse::<u16>().ok()?);
        of_kind(destination)?;
        destination_port.parse::<u16>().ok()?;
        words.next().is_none().then_some(Self::Whole(line.len(), Some(SocketAddr::new(ip, port))))
    }

    /// Version 2; none where bytes are missing.
    fn binary(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(SIGNATURE.len() + 4)?;
        let [version_and_command, family, high, low] = *head.last_chunk()?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        if head.len() + length > MAX_HEADER {
            return Some(Self::Invalid);
        }
        let addresses = rest.get(..length)?;
        // Two addresses and two ports, the client's first.
        let port = |at: usize| Some(u16::from_be_bytes(*addresses.get(at..at + 4)?.first_chunk()?));
        let client = match (version_and_command, family) {
            // LOCAL: a check of the balancer's own.
            (0x20, _) => return Some(Self::Whole(head.len() + length, None)),
            (0x21, 0x11) => addresses.first_chunk::<4>().map(|ip| IpAddr::from(*ip)).zip(port(8)),
            (0x21, 0x21) => addresses.first_chunk::<16>().map(|ip| IpAddr::from(*ip)).zip(port(32)),
            _ => None,
        };
        Some(client.map_or(Self::Invalid, |client| Self::Whole(head.len() + length, Some(client.into()))))
    }
}

/// Whether one of the two is the beginning of the other.
fn begins_like(bytes: &[u8], start: &[u8]) -> bool {
    bytes.iter().zip(start).all(|(byte, wanted)| byte == wanted)
}

/// For the fuzz target: a header is the same however much of what follows it has come, and no part of it is another one.
#[cfg(feature = "fuzzing")]
#[allow(clippy::missing_panics_doc, reason = "a panic is what the fuzzer looks for")]
pub fn parse_in_pieces(bytes: &[u8]) {
    let whole = Header::parse(bytes);
    for end in 0..bytes.len().min(MAX_HEADER) {
        match Header::parse(&bytes[..end]) {
            Header::Incomplete => {}
            part => assert_eq!(part, whole, "{end}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(command: u8, family: u8, addresses: &[u8]) -> Vec<u8> {
        let length = u16::try_from(addresses.len()).unwrap().to_be_bytes();
        [SIGNATURE, &[command, family], &length, addresses].concat()
    }

    #[test]
    fn headers_of_both_versions_tell_the_client() {
        let v4: SocketAddr = "192.0.2.7:5000".parse().unwrap();
        let v6: SocketAddr = "[2001:db8::7]:5000".parse().unwrap();
        let ports = [0x13, 0x88, 0x01, 0xbb];
        let ip6 = "2001:db8::7".parse::<Ipv6Addr>().unwrap().octets();
        for (header, client) in [
            (b"PROXY TCP4 192.0.2.7 192.0.2.1 5000 443\r\n".to_vec(), Some(v4)),
            (b"PROXY TCP6 2001:db8::7 2001:db8::1 5000 443\r\n".to_vec(), Some(v6)),
            (b"PROXY UNKNOWN anything\r\n".to_vec(), None),
            (binary(0x21, 0x11, &[&[192, 0, 2, 7, 192, 0, 2, 1], &ports[..]].concat()), Some(v4)),
            (binary(0x21, 0x21, &[&ip6[..], &ip6[..], &ports[..], &[4, 0, 1, 0]].concat()), Some(v6)),
            (binary(0x20, 0, &[]), None),
        ] {
            for end in 0..header.len() {
                assert_eq!(Header::parse(&header[..end]), Header::Incomplete, "{header:?} {end}");
            }
            let with_request = [&header[..], b"GET / HTTP/1.1\r\n"].concat();
            assert_eq!(Header::parse(&with_request), Header::Whole(header.len(), client), "{header:?}");
        }
    }

    #[test]
    fn what_is_no_header_is_refused() {
        for bytes in [
            b"GET / HTTP/1.1\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 192.0.2.1 5000\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 192.0.2.1 5000 443 1\r\n".to_vec(),
            b"PROXY TCP4 2001:db8::7 192.0.2.1 5000 443\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 192.0.2.1 70000 443\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 192.0.2.1 5000 443\n".to_vec(),
            b"PROXY ".iter().copied().chain([b'x'; MAX_LINE]).collect(),
            binary(0x21, 0x11, &[0; 11]),
            binary(0x31, 0x11, &[0; 12]),
            binary(0x21, 0x12, &[0; 12]),
            binary(0x21, 0x11, &[0; MAX_HEADER]),
        ] {
            assert_eq!(Header::parse(&bytes), Header::Invalid, "{:?}", String::from_utf8_lossy(&bytes));
        }
    }
}
