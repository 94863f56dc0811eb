//! Where a request is to go, on each kind of connection.

use std::net::SocketAddr;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderValue, Method, Request, Uri, Version, header};
use percent_encoding::percent_decode_str;

use super::Exchange;
use crate::{
    http::{body::ReceivedBody, websocket},
    net::{
        control_host,
        target::{Scheme, Target, TargetError},
    },
    pages::error::Error,
};

impl Exchange {
    /// Where the request is to go; none means to our own pages.
    pub(super) fn target(&mut self, request: &Request<ReceivedBody>) -> Result<Option<Target>, Error> {
        if let Some(tunnel) = &self.connection.tunnel {
            let target = target_in_tunnel(request, tunnel)?;
            return Ok((!control_host::is_control_host(&target)).then_some(target));
        }
        if request.method() == Method::CONNECT {
            return Ok(Some(Target::from_connect(request.uri())?));
        }
        if request.uri().scheme().is_some() {
            let target = Target::from_absolute(request.uri())?;
            let ours =
                control_host::is_control_host(&target) || target.scheme == Scheme::Http && self.is_own_address(&target);
            return Ok((!ours).then_some(target));
        }
        // HTTP/1.0 needs no `Host` (RFC 9112 § 3.2), and health checks have none.
        if request.version() == Version::HTTP_10 && !request.headers().contains_key(header::HOST) {
            return Ok(None);
        }
        let target = Target::from_host_field(Scheme::Http, request.headers())?;
        let is_ours = control_host::is_control_host(&target)
            || self.is_own_host(&target)
            || control_host::is_wpad(&target, request, &self.state.acl);
        if is_ours {
            Ok(None)
        } else {
            let local = self.connection.local;
            Err(Error::NotAProxyRequest(SocketAddr::new(local.ip().to_canonical(), local.port())))
        }
    }
}

impl Exchange {
    /// Whether a target is the address of this connection's listener, whichever of this machine's addresses it is.
    fn is_own_address(&self, target: &Target) -> bool {
        target.port == self.connection.local.port() && control_host::is_this_machine(target, &self.state.acl)
    }

    /// Whether a `Host` field names this connection's listener; many health checks leave out the port.
    pub(super) fn is_own_host(&self, named: &Target) -> bool {
        let listener = || Target { port: self.connection.local.port(), ..named.clone() };
        self.is_own_address(named) || named.port == named.scheme.default_port() && self.is_own_address(&listener())
    }
}

/// Takes the user and password out of an absolute address, as Squid does: they become Basic credentials, unless the
/// request has others. (RFC 9110 § 4.2.4 has no such part in a request's target.)
pub(super) fn take_user_info(request: &mut Request<ReceivedBody>) -> Option<()> {
    request.uri().scheme()?;
    let authority = request.uri().authority()?.clone();
    let (user_info, host) = authority.as_str().rsplit_once('@')?;
    let mut parts = request.uri().clone().into_parts();
    let credentials = BASE64_STANDARD.encode(percent_decode_str(user_info).collect::<Vec<u8>>());
    parts.authority = Some(host.parse().ok()?);
    *request.uri_mut() = Uri::from_parts(parts).ok()?;
    let value = HeaderValue::try_from(format!("Basic {credentials}")).ok()?;
    let headers = request.headers_mut();
    headers.entry(header::AUTHORIZATION).or_insert(value);
    Some(())
}

/// The host that a request for our own pages was sent to.
pub(super) fn host_of(request: &Request<ReceivedBody>) -> String {
    let field = || request.headers().get(header::HOST)?.to_str().ok();
    let authority = request.uri().authority().map(http::uri::Authority::as_str);
    authority.or_else(field).unwrap_or_default().to_owned()
}

/// Inside a tunnel for one place nothing is ever routed to another.
fn target_in_tunnel(request: &Request<ReceivedBody>, tunnel: &Target) -> Result<Target, Error> {
    if request.method() == Method::CONNECT && !websocket::is_extended_connect(request) {
        return Err(TargetError::Form.into());
    }
    // HTTP/2 always has an authority, HTTP/1.1 in origin-form never (RFC 9112 § 3.2.1).
    let named = if request.uri().scheme().is_some() {
        Target::from_absolute(request.uri())?
    } else {
        Target::from_host_field(tunnel.scheme, request.headers())?
    };
    if named.scheme != tunnel.scheme {
        Err(TargetError::Scheme.into())
    } else if named.same_place(tunnel) {
        Ok(named)
    } else {
        Err(Error::Misdirected(tunnel.host_port.to_string()))
    }
}
