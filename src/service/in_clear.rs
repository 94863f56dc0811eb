//! Devices that cannot speak today's TLS (`secure: plain` of a profile): they ask in clear, and this program asks over TLS where the host
//! is known to have it.
//!
//! Everywhere else the address of such a page is the one in clear, so that links, views and choices of the reader stay what they are.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Response, header, uri::PathAndQuery};
use url::Url;

use super::{Exchange, subrequests::Subrequests};
use crate::{
    config::{Choice, SecurePages},
    http::{body::IncomingBody, headers::in_clear},
    net::{
        access_control::Permit,
        secure_hosts::{SecureHosts, over_tls},
        target::{Scheme, Target},
    },
    pages::error::Error,
};

/// Fields of the client that depend on the scheme.
const OF_SCHEME: [HeaderName; 3] = [header::COOKIE, header::REFERER, header::ORIGIN];

impl Exchange {
    /// The hosts that are asked over TLS for this client, where it has this profile and asks in clear.
    pub(super) fn secure_hosts(&self, target: &Target, choice: Option<&Choice<'_>>) -> Option<Arc<SecureHosts>> {
        let is_plain = choice.is_some_and(|choice| choice.profile.secure == SecurePages::Plain);
        let is_in_clear = target.scheme == Scheme::Http && self.connection.tunnel.is_none();
        (is_plain && is_in_clear).then(|| Arc::clone(&self.proxy.secure_hosts))
    }

    /// Permission to ask the same host over TLS, where it is known to have it.
    pub(super) fn permit_over_tls(&self, hosts: &SecureHosts, permit: &Permit) -> Result<Option<Permit>, Error> {
        let secure = over_tls(permit.target()).filter(|_| hosts.knows(permit.target()));
        Ok(secure.map(|secure| self.state.acl.permit_scheme(permit, secure)).transpose()?)
    }

    /// The response, or where it leads to its own address under the other scheme, the one from there: to the client both are one address,
    /// to which it would be led again and again. Also says where it comes from, if from elsewhere. `asked` is for the address in clear.
    pub(super) async fn under_its_scheme(
        &mut self,
        hosts: &SecureHosts,
        asked: &AskedInClear<'_>,
        sent: &Permit,
        response: Response<IncomingBody>,
    ) -> Result<(Response<IncomingBody>, Option<Permit>), Error> {
        let Some(next) = asked.other_scheme(hosts, sent.target(), &response) else { return Ok((response, None)) };
        let Some(mut again) = asked.again.clone() else { return Ok((response, None)) };
        let permit = match next.scheme {
            Scheme::Http => asked.permit.clone(),
            Scheme::Https => self.state.acl.permit_scheme(asked.permit, next)?,
        };
        let target = permit.target();
        self.log.host = Some(Arc::clone(&target.host_port));
        let mut fields = asked.fields.clone();
        in_clear::restore_request(&mut fields, target, hosts);
        again.lead_to(&permit, &OF_SCHEME, fields);
        let other = again.send(asked.path.clone(), None).await;
        let mut other = other.map_err(|error| Self::upstream_error(target, error))?;
        if asked.other_scheme(hosts, target, &other).is_some() {
            return Err(Error::SchemeLoop(target.host_port.to_string()));
        }
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            other.headers_mut().append(header::SET_COOKIE, cookie.clone());
        }
        Ok((other, Some(permit)))
    }
}

/// A request of a client in clear.
pub(super) struct AskedInClear<'a> {
    pub(super) permit: &'a Permit,
    pub(super) path: PathAndQuery,
    /// The client's own, of [`OF_SCHEME`].
    fields: HeaderMap,
    /// None where it cannot be sent again.
    pub(super) again: Option<Subrequests>,
}

impl<'a> AskedInClear<'a> {
    pub(super) fn new(permit: &'a Permit, path: Option<&PathAndQuery>, headers: &HeaderMap) -> Self {
        let fields = headers.iter().filter(|(name, _)| OF_SCHEME.contains(name));
        Self {
            permit,
            path: path.cloned().unwrap_or_else(|| PathAndQuery::from_static("/")),
            fields: fields.map(|(name, value)| (name.clone(), value.clone())).collect(),
            again: None,
        }
    }

    /// The target under the other scheme, where a response leads to the same address there. Takes note of what is said about its host.
    fn other_scheme(&self, hosts: &SecureHosts, from: &Target, response: &Response<IncomingBody>) -> Option<Target> {
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
