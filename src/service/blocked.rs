//! Applies the blocking lists to a request before it leaves: answers it, redirects it, or removes parameters from its
//! address.

use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use hyper::body::Incoming;
use url::{Position, Url};

use super::Exchange;
use crate::{
    blocking::{BlockingRequest, Rule, Verdict},
    http::{body::Body, outcome::Outcome},
    net::{access_control::Permit, route::Route, target::Target},
    pages::blocked::{blocked_document, blocked_resource, redirect},
};

impl Exchange {
    /// The answer to a request that is forbidden, or that goes elsewhere; parameters that the lists remove leave it. `host` is that of the target, as lists have it.
    pub(super) fn blocked(
        &mut self,
        request: &mut Request<Incoming>,
        permit: &Permit,
        host: &str,
    ) -> Option<Response<Body>> {
        let blocker = &self.state.blocker;
        let target = permit.target();
        if !blocker.settings().requests || !blocker.may_block(host) {
            return None;
        }
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let url = Url::parse(&format!("{}://{}{path}", target.scheme.as_str(), target.authority())).ok()?;
        let wanted = BlockingRequest::from_request(request, url.clone());
        if blocker.exempt(wanted.site(), wanted.host()).is_some() || !self.blocks(request.headers(), wanted.site()) {
            return None;
        }
        let verdict = blocker.judge(&wanted);
        if matches!(verdict, Verdict::Allowed | Verdict::Excepted { .. }) || self.goes_anyway(request, &wanted) {
            return None;
        }
        match verdict {
            Verdict::Blocked { rule, .. } if wanted.is_document() => {
                self.log_blocked(&rule);
                Some(blocked_document(&url, &rule))
            }
            Verdict::Blocked { rule, instead } => {
                self.log_blocked(&rule);
                Some(blocked_resource(&wanted, instead, request.headers().get(header::ORIGIN)))
            }
            Verdict::ParamsRemoved { to, rule } if request.method().is_safe() && to != url => {
                let rule = rule.to_string();
                if !wanted.is_document() {
                    // Nobody sees this address, and a script's request may not follow a redirect (CORS, `redirect: 'error'`).
                    self.log.outcome = Outcome::Shortened { rule, then: Some(Box::default()) };
                    set_path(request.uri_mut(), &to);
                    return None;
                }
                self.log.outcome = Outcome::Shortened { rule, then: None };
                self.log.route = Route::Blocked;
                Some(redirect(&to))
            }
            _ => None,
        }
    }

    /// The answer to a CONNECT that would become a tunnel to a forbidden host.
    pub(super) fn blocked_host(&mut self, request: &Request<Incoming>, target: &Target) -> Option<Response<Body>> {
        let host = target.plain_host();
        let rule = self.state.blocker.blocked_host(host)?;
        if !self.blocks(request.headers(), host) {
            return None;
        }
        let client = self.connection.client.ip();
        if self.proxy.bypass_links.allows_host(client, request.headers(), host, false) {
            return None;
        }
        self.log_blocked(&rule);
        let url = Url::parse(&format!("https://{host}/")).ok()?;
        Some(blocked_document(&url, &rule))
    }

    /// Whether the profile of this client and site lets anything be blocked, and the client has not paused it.
    pub(super) fn blocks(&self, headers: &HeaderMap, site: &str) -> bool {
        !self.is_paused() && self.profile(headers, site).is_none_or(|choice| choice.profile.blocking)
    }

    /// Whether this device has paused blocking.
    pub(super) fn is_paused(&self) -> bool {
        self.proxy.paused_devices.ends_at(self.connection.client.ip().to_canonical(), self.user.clone()).is_some()
    }

    /// Whether the client has chosen to go to this host, or to the page that wants it.
    fn goes_anyway(&self, request: &Request<Incoming>, wanted: &BlockingRequest) -> bool {
        let client = self.connection.client.ip();
        let links = &self.proxy.bypass_links;
        let is_visit = wanted.is_document();
        [wanted.host(), wanted.site()]
            .into_iter()
            .any(|host| links.allows_host(client, request.headers(), host, is_visit))
    }

    fn log_blocked(&mut self, rule: &Rule) {
        self.log.route = Route::Blocked;
        self.log.outcome = Outcome::Blocked(rule.to_string());
        self.log.status = StatusCode::FORBIDDEN.as_u16();
    }
}

fn set_path(uri: &mut Uri, from: &Url) {
    let mut parts = uri.clone().into_parts();
    if let Ok(path) = from[Position::BeforePath..Position::AfterQuery].parse() {
        parts.path_and_query = Some(path);
        *uri = Uri::from_parts(parts).unwrap_or_else(|_| uri.clone());
    }
}
