//! From what a request line says to a [`Target`]: scheme, host and port, in one spelling.
//!
//! Whatever can be read in two ways is refused here, so that no later step has to doubt. Whether the
//! target may be reached is for `acl` to say.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
};

use http::{HeaderMap, Uri, header};

/// The two schemes a proxy of the web speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A host in its one spelling: lower case, IDNA applied, every form of an address made an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Host {
    Name(String),
    Ip(IpAddr),
}

impl Host {
    /// Reads a host as browsers do (WHATWG URL, host parsing): `0x7f.1`, `2130706433` and
    /// `127.0.0.1` are one and the same address.
    pub(crate) fn parse(text: &str) -> Result<Self, TargetError> {
        // Percent-decoding would give one host several spellings; nobody sends this honestly.
        if text.is_empty() || text.contains('%') {
            return Err(TargetError::Host);
        }
        match url::Host::parse(text) {
            Ok(url::Host::Domain(name)) if name.trim_end_matches('.').is_empty() => Err(TargetError::Host),
            Ok(url::Host::Domain(name)) => Ok(Self::Name(name)),
            Ok(url::Host::Ipv4(ip)) => Ok(Self::Ip(ip.into())),
            Ok(url::Host::Ipv6(ip)) => Ok(Self::Ip(ip.into())),
            Err(_) => Err(TargetError::Host),
        }
    }

    /// The host for comparing with lists: a name without its final dot.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Name(name) => name.trim_end_matches('.').to_owned(),
            Self::Ip(ip) => ip.to_string(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
            Self::Ip(ip) => ip.fmt(f),
        }
    }
}

/// One origin: where a request is to go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Target {
    /// The target of a CONNECT: `host:port`, the port always written (RFC 9110 § 9.3.6).
    pub(crate) fn of_connect(uri: &Uri) -> Result<Self, TargetError> {
        let authority = uri.authority().ok_or(TargetError::Form)?.as_str();
        if uri.scheme().is_some() || uri.path_and_query().is_some() {
            return Err(TargetError::Form);
        }
        let (host, port) = split(authority)?;
        Ok(Self { scheme: Scheme::Https, host: Host::parse(host)?, port: parse_port(port.ok_or(TargetError::Port)?)? })
    }

    /// The target of an absolute-form request: `http://host[:port]/path`.
    pub(crate) fn of_absolute(uri: &Uri) -> Result<Self, TargetError> {
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            Some(_) => return Err(TargetError::Scheme),
            None => return Err(TargetError::Form),
        };
        let authority = uri.authority().ok_or(TargetError::Form)?;
        Self::of_authority(scheme, authority.as_str())
    }

    /// The target that a `Host` field or `:authority` names, under a known scheme.
    pub(crate) fn of_authority(scheme: Scheme, authority: &str) -> Result<Self, TargetError> {
        let (host, port) = split(authority)?;
        let port = match port {
            Some(port) => parse_port(port)?,
            None => scheme.default_port(),
        };
        Ok(Self { scheme, host: Host::parse(host)?, port })
    }

    /// The target that the one `Host` field names (RFC 9112 § 3.2: exactly one).
    pub(crate) fn of_host_field(scheme: Scheme, headers: &HeaderMap) -> Result<Self, TargetError> {
        let mut fields = headers.get_all(header::HOST).iter();
        let (Some(field), None) = (fields.next(), fields.next()) else {
            return Err(TargetError::HostField);
        };
        let text = field.to_str().map_err(|_| TargetError::HostField)?;
        Self::of_authority(scheme, text).map_err(|_| TargetError::HostField)
    }

    /// `host`, with the port where it is not the scheme's own: the `Host` field to send.
    pub(crate) fn authority(&self) -> String {
        if self.port == self.scheme.default_port() { self.host.to_string() } else { self.host_port() }
    }

    /// `host:port`, always both.
    pub(crate) fn host_port(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The socket address, where the host is one.
    pub(crate) fn socket_addr(&self) -> Option<SocketAddr> {
        match self.host {
            Host::Ip(ip) => Some(SocketAddr::new(ip, self.port)),
            Host::Name(_) => None,
        }
    }

    /// Whether both name the same place, whatever the scheme.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        self.port == other.port && self.host.plain() == other.host.plain()
    }
}

/// Why a request line names no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("the request target has a form that does not fit the method")]
    Form,
    #[error("only http and https addresses can be fetched")]
    Scheme,
    #[error("the address carries a user name or password, which is not allowed here")]
    UserInfo,
    #[error("the host is missing or malformed")]
    Host,
    #[error("the port is missing or malformed")]
    Port,
    #[error("the Host field is missing, repeated or malformed")]
    HostField,
}

fn split(authority: &str) -> Result<(&str, Option<&str>), TargetError> {
    if authority.contains('@') {
        return Err(TargetError::UserInfo);
    }
    let host_end = if authority.starts_with('[') {
        authority.find(']').ok_or(TargetError::Host)? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, rest) = authority.split_at(host_end);
    match rest.strip_prefix(':') {
        // `host:` is legal and means the default port (RFC 3986 § 3.2.3).
        Some("") => Ok((host, None)),
        Some(port) => Ok((host, Some(port))),
        None if rest.is_empty() => Ok((host, None)),
        None => Err(TargetError::Host),
    }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    // `u16::from_str` takes a sign; an authority has none.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TargetError::Port);
    }
    match text.parse() {
        Ok(0) | Err(_) => Err(TargetError::Port),
        Ok(port) => Ok(port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(text: &str) -> Result<Target, TargetError> {
        Target::of_absolute(&text.parse().unwrap())
    }

    fn connect(text: &str) -> Result<Target, TargetError> {
        Target::of_connect(&text.parse().unwrap())
    }

    #[test]
    fn reads_absolute_form_with_default_port() {
        let target = absolute("http://Example.COM/path?q").unwrap();
        assert_eq!(target.host_port(), "example.com:80");
        assert_eq!(target.authority(), "example.com");
    }

    #[test]
    fn every_spelling_of_an_address_is_that_address() {
        for spelling in ["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1"] {
            let target = absolute(&format!("http://{spelling}/")).unwrap();
            assert_eq!(target.host, Host::Ip([127, 0, 0, 1].into()), "{spelling}");
        }
    }

    #[test]
    fn keeps_brackets_around_ipv6_in_the_host_field() {
        let target = absolute("http://[::1]:8080/").unwrap();
        assert_eq!(target.authority(), "[::1]:8080");
    }

    #[test]
    fn connect_without_a_port_is_refused() {
        assert_eq!(connect("example.com"), Err(TargetError::Port));
        assert_eq!(connect("example.com:443").unwrap().port, 443);
    }

    #[test]
    fn ambiguous_authorities_are_refused() {
        assert_eq!(absolute("http://user@example.com/"), Err(TargetError::UserInfo));
        assert_eq!(absolute("ftp://example.com/"), Err(TargetError::Scheme));
        assert_eq!(absolute("http://example.com:0/"), Err(TargetError::Port));
        assert_eq!(Target::of_authority(Scheme::Http, "a%2eb"), Err(TargetError::Host));
        assert_eq!(Target::of_authority(Scheme::Http, ""), Err(TargetError::Host));
        assert_eq!(Target::of_authority(Scheme::Http, "a:+80"), Err(TargetError::Port));
        assert_eq!(Target::of_authority(Scheme::Http, "[::1]x"), Err(TargetError::Host));
    }

    #[test]
    fn a_final_dot_does_not_make_another_place() {
        let one = Target::of_authority(Scheme::Http, "example.com.").unwrap();
        let two = Target::of_authority(Scheme::Http, "example.com").unwrap();
        assert!(one.same_place(&two));
    }
}
