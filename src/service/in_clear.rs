//! Devices that cannot speak today's TLS (`secure: plain` of a profile): they ask in clear, and this program asks over TLS where the host
//! is known to have it.
//!
//! Everywhere else the address of such a page is the one in clear, so that links, views and choices of the reader stay what they are.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header, uri::PathAndQuery};
use url::Url;

use super::{Exchange, subrequests::Subrequests};
use crate::{
    config::{Choice, SecurePages},
    http::{
        body::IncomingBody,
        headers::in_clear::{clear_response, restore_request},
    },
    net::{
        access_control::Permit,
        secure_hosts::{SecureHosts, over_tls},
        target::{Scheme, Target},
    },
    pages::error::Error,
    rewrite::{ClearClient, RequestInfo},
};

/// Fields of the client that depend on the scheme.
const OF_SCHEME: [HeaderName; 3] = [header::COOKIE, header::REFERER, header::ORIGIN];

impl Exchange {
    /// What is known of the request of a client that has this profile and asks in clear.
    pub(super) fn asked_in_clear<B>(
        &self,
        request: &Request<B>,
        permit: &Permit,
        choice: Option<&Choice<'_>>,
    ) -> Result<Option<AskedInClear>, Error> {
        let target = permit.target();
        let is_plain = choice.is_some_and(|choice| choice.profile.secure == SecurePages::Plain);
        if !is_plain || self.over_icap || target.scheme != Scheme::Http || self.connection.tunnel.is_some() {
            return Ok(None);
        }
        let hosts = Arc::clone(&self.proxy.secure_hosts);
        let secure = over_tls(target).filter(|_| hosts.knows(target));
        let over_tls = secure.map(|secure| self.state.acl.permit_scheme(permit, secure)).transpose()?;
        let fields = request.headers().iter().filter(|(name, _)| OF_SCHEME.contains(name));
        Ok(Some(AskedInClear {
            hosts,
            permit: permit.clone(),
            over_tls,
            path: request.uri().path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")),
            fields: fields.map(|(name, value)| (name.clone(), value.clone())).collect(),
            again: None,
        }))
    }

    /// The response for a client in clear. Where it leads to its own address under the other scheme, it is the one from there, which is
    /// said too: to the client both are one address, to which it would be led again and again.
    pub(super) async fn answered_in_clear(
        &mut self,
        asked: AskedInClear,
        mut response: Response<IncomingBody>,
        info: &mut RequestInfo<'_>,
    ) -> Result<(Response<IncomingBody>, bool), Error> {
        let hosts = &asked.hosts;
        let mut permit = asked.over_tls.clone().unwrap_or_else(|| asked.permit.clone());
        let next = asked.other_scheme(permit.target(), &response);
        let has_moved = next.is_some() && asked.again.is_some();
        if let (Some(next), Some(mut again)) = (next, asked.again.clone()) {
            permit = match next.scheme {
                Scheme::Http => asked.permit.clone(),
                Scheme::Https => self.state.acl.permit_scheme(&asked.permit, next)?,
            };
            let target = permit.target();
            self.log.host = Some(Arc::clone(&target.host_port));
            let mut fields = asked.fields.clone();
            restore_request(&mut fields, target, hosts);
            again.lead_to(&permit, &OF_SCHEME, fields);
            let other = again.send(asked.path.clone(), None).await;
            let mut other = other.map_err(|error| Self::upstream_error(target, error))?;
            if asked.other_scheme(target, &other).is_some() {
                return Err(Error::SchemeLoop(target.host_port.to_string()));
            }
            for cookie in response.headers().get_all(header::SET_COOKIE) {
                other.headers_mut().append(header::SET_COOKIE, cookie.clone());
            }
            response = other;
        }
        clear_response(response.headers_mut(), permit.target(), hosts);
        info.clear_client = Some(ClearClient::new(hosts, permit.target()));
        Ok((response, has_moved))
    }
}

/// A request of a client in clear.
pub(super) struct AskedInClear {
    pub(super) hosts: Arc<SecureHosts>,
    /// For its own address.
    permit: Permit,
    /// For the same host over TLS, where it is known to have it.
    pub(super) over_tls: Option<Permit>,
    path: PathAndQuery,
    /// The client's own, of [`OF_SCHEME`].
    fields: HeaderMap,
    /// None where it cannot be sent again.
    pub(super) again: Option<Subrequests>,
}

impl AskedInClear {
    /// The target under the other scheme, where a response leads to the same address there. Takes note of what is said about its host.
    fn other_scheme(&self, from: &Target, response: &Response<IncomingBody>) -> Option<Target> {
        let hosts = &self.hosts;
        if from.scheme == Scheme::Https {
            hosts.prove(from);
        }
        let here = from.url(&self.path)?;
        let to = response.headers().get(header::LOCATION).map(HeaderValue::to_str)?.ok()?;
        let mut to = here.join(to).ok().filter(|_| response.status().is_redirection())?;
        to.set_fragment(None);
        let clear = self.permit.target();
        match from.scheme {
            Scheme::Http => {
                let secure = over_tls(clear)?;
                (secure.url(&self.path)? == to).then_some(())?;
                hosts.learn(&to)?;
                Some(secure)
            }
            Scheme::Https => {
                let is_host = |url: &Url| url.host_str() == to.host_str() && url.port() == to.port();
                let in_clear = clear.url(&self.path)?;
                if to.scheme() == "http" && is_host(&in_clear) {
                    // The site itself says that it is there in clear.
                    hosts.forget(from);
                }
                (in_clear == to).then(|| Target::clone(clear))
            }
        }
    }
}
