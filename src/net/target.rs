//! Parses the request target, `Host` and `:authority` to a [`Target`]: scheme, host and port, normalized.
//!
//! Ambiguous ones are rejected here. Whether a target may be reached is decided in `access_control`.

use std::{net::SocketAddr, sync::Arc};

use http::{HeaderMap, Uri, header, uri::PathAndQuery};
use url::Url;

use crate::util::host::{Host, InvalidHost};

/// The schemes that the proxy forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// RFC 3986 § 3.1: the case does not count.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Http, Self::Https].into_iter().find(|scheme| scheme.as_str().eq_ignore_ascii_case(text))
    }

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

/// The origin that a request is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// `host:port`, always both.
    pub(crate) host_port: Arc<str>,
}

impl Target {
    fn new(scheme: Scheme, host: Host, port: u16) -> Self {
        let host_port = format!("{host}:{port}").into();
        Self { scheme, host, port, host_port }
    }

    /// The host as [`Host::plain`] has it.
    pub(crate) fn plain_host(&self) -> &str {
        if let Host::Name(name) = &self.host {
            return name.trim_end_matches('.');
        }
        let host = self.host_port.rsplit_once(':').map_or("", |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// The target of a CONNECT: `host:port`, the port always written (RFC 9110 § 9.3.6).
    pub(crate) fn from_connect(uri: &Uri) -> Result<Self, TargetError> {
        let authority = uri.authority().ok_or(TargetError::Form)?.as_str();
        if uri.scheme().is_some() || uri.path_and_query().is_some() {
            return Err(TargetError::Form);
        }
        let (host, port) = split(authority)?;
        let port = parse_port(port.ok_or(TargetError::Port)?)?;
        Ok(Self::new(Scheme::Https, Host::parse(host)?, port))
    }

    /// The target of an absolute-form request: `http://host[:port]/path`.
    pub(crate) fn from_absolute(uri: &Uri) -> Result<Self, TargetError> {
        let scheme = Scheme::parse(uri.scheme_str().ok_or(TargetError::Form)?).ok_or(TargetError::Scheme)?;
        let authority = uri.authority().ok_or(TargetError::Form)?;
        Self::from_authority(scheme, authority.as_str())
    }

    /// The target that a `Host` field or `:authority` names, under a known scheme.
    pub(crate) fn from_authority(scheme: Scheme, authority: &str) -> Result<Self, TargetError> {
        let (host, port) = split(authority)?;
        let port = match port {
            Some(port) => parse_port(port)?,
            None => scheme.default_port(),
        };
        Ok(Self::new(scheme, Host::parse(host)?, port))
    }

    /// The target that the one `Host` field names (RFC 9112 § 3.2: exactly one).
    pub(crate) fn from_host_field(scheme: Scheme, headers: &HeaderMap) -> Result<Self, TargetError> {
        let mut fields = headers.get_all(header::HOST).iter();
        let (Some(field), None) = (fields.next(), fields.next()) else {
            return Err(TargetError::HostField);
        };
        let text = field.to_str().map_err(|_| TargetError::HostField)?;
        Self::from_authority(scheme, text).map_err(|_| TargetError::HostField)
    }

    /// The value of `Host`: with the port where it is not the scheme's default.
    pub(crate) fn authority(&self) -> &str {
        let host_only = || self.host_port.rsplit_once(':').map(|(host, _)| host);
        let is_default = self.port == self.scheme.default_port();
        is_default.then(host_only).flatten().unwrap_or(&self.host_port)
    }

    /// The address of something at this origin.
    pub(crate) fn url(&self, path: &PathAndQuery) -> Option<Url> {
        Url::parse(&format!("{}://{}{path}", self.scheme.as_str(), self.authority())).ok()
    }

    /// The socket address, where the host is an IP address.
    pub(crate) fn socket_addr(&self) -> Option<SocketAddr> {
        match self.host {
            Host::Ip(ip) => Some(SocketAddr::new(ip, self.port)),
            Host::Name(_) => None,
        }
    }

    /// Whether host and port are the same.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        self.port == other.port && self.plain_host() == other.plain_host()
    }
}

/// Why a request has no valid target.
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

impl From<InvalidHost> for TargetError {
    fn from(_: InvalidHost) -> Self {
        Self::Host
    }
}

/// The host of an authority: of a host and a port, if any.
pub(crate) fn host_of(authority: &str) -> Result<Host, TargetError> {
    let (host, port) = split(authority)?;
    port.map(parse_port).transpose()?;
    Ok(Host::parse(host)?)
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
        // `host:` is valid and means the default port (RFC 3986 § 3.2.3).
        Some(port) => Ok((host, Some(port).filter(|port| !port.is_empty()))),
        None if rest.is_empty() => Ok((host, None)),
        None => Err(TargetError::Host),
    }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    // `u16::from_str` accepts a sign; an authority has none.
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|text| text.parse().ok()).filter(|port| *port != 0).ok_or(TargetError::Port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(text: &str) -> Result<Target, TargetError> {
        Target::from_absolute(&text.parse().unwrap())
    }

    #[test]
    fn targets_are_normalized() {
        for (uri, host_port, authority) in [
            ("http://Example.COM/path?q", "example.com:80", "example.com"),
            ("http://example.com:/", "example.com:80", "example.com"),
            ("https://[::1]:8080/", "[::1]:8080", "[::1]:8080"),
            ("http://127.1/", "127.0.0.1:80", "127.0.0.1"),
            ("http://0x7f.0.0.1/", "127.0.0.1:80", "127.0.0.1"),
            ("http://2130706433/", "127.0.0.1:80", "127.0.0.1"),
            ("http://0177.0.0.1/", "127.0.0.1:80", "127.0.0.1"),
        ] {
            let target = absolute(uri).unwrap();
            assert_eq!((&*target.host_port, target.authority()), (host_port, authority), "{uri}");
        }
        for host in
            ["a.b-c.example", "127.0.0.1", "x", "a..example", "xn--a.example", "a.1", "a.0x1", "a_b.example", "a."]
        {
            let whatwg = url::Host::parse(host).ok().map(|host| host.to_string());
            assert_eq!(Host::parse(host).ok().map(|host| host.to_string()), whatwg, "{host}");
        }
        assert!(absolute("http://example.com./").unwrap().same_place(&absolute("http://example.com/").unwrap()));
    }

    #[test]
    fn ambiguous_authorities_are_rejected() {
        assert_eq!(absolute("http://user@example.com/"), Err(TargetError::UserInfo));
        assert_eq!(absolute("ftp://example.com/"), Err(TargetError::Scheme));
        assert_eq!(absolute("http://example.com:0/"), Err(TargetError::Port));
        assert_eq!(Target::from_connect(&"example.com".parse().unwrap()), Err(TargetError::Port));
        for (authority, error) in [
            ("a%2eb", TargetError::Host),
            ("", TargetError::Host),
            ("a:+80", TargetError::Port),
            ("[::1]x", TargetError::Host),
        ] {
            assert_eq!(Target::from_authority(Scheme::Http, authority), Err(error), "{authority}");
        }
    }
}
