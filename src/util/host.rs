//! The host of a target or of a setting, normalized.

use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, Ipv4Addr},
};

/// A normalized host: lower case, IDNA applied, every spelling of an IP address parsed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Host {
    Name(String),
    Ip(IpAddr),
}

impl Host {
    /// Parses a host as browsers do (WHATWG URL, host parsing): `0x7f.1`, `2130706433` and `127.0.0.1` are the same address.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidHost> {
        if let Some(host) = Self::canonical(text) {
            return Ok(host);
        }
        // Percent-encoding would give one host several spellings; no known client sends it.
        if text.is_empty() || text.contains('%') {
            return Err(InvalidHost);
        }
        match url::Host::parse(text) {
            Ok(url::Host::Domain(name)) if name.trim_end_matches('.').is_empty() => Err(InvalidHost),
            Ok(url::Host::Domain(name)) => Ok(Self::Name(name)),
            Ok(url::Host::Ipv4(ip)) => Ok(Self::Ip(ip.into())),
            Ok(url::Host::Ipv6(ip)) => Ok(Self::Ip(ip.into())),
            Err(_) => Err(InvalidHost),
        }
    }

    /// A host that is written as the parser would write it, as nearly all are: what it does takes a microsecond.
    fn canonical(text: &str) -> Option<Self> {
        if let Ok(ip) = text.parse::<Ipv4Addr>() {
            return Some(Self::Ip(ip.into()));
        }
        // A last label that begins with a digit may be a part of an address; `xn--` has rules of its own.
        let is_label = |label: &str| {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !label.is_empty() && label.bytes().all(plain) && !label.starts_with("xn--")
        };
        let last = text.rsplit('.').next()?;
        let is_name = last.starts_with(|char: char| char.is_ascii_lowercase()) && text.split('.').all(is_label);
        is_name.then(|| Self::Name(text.to_owned()))
    }

    /// The host for comparing with lists: a name without its final dot.
    pub(crate) fn plain(&self) -> Cow<'_, str> {
        match self {
            Self::Name(name) => name.trim_end_matches('.').into(),
            Self::Ip(ip) => ip.to_string().into(),
        }
    }
}

/// A text that is no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidHost;

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
            Self::Ip(ip) => ip.fmt(f),
        }
    }
}
