//! Applies the blocking lists to a request before it leaves: answers it, redirects it, or removes parameters from its
//! address.

use std::sync::Arc;

use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use url::{Position, Url};

use super::Exchange;
use crate::{
    blocking::{Blocker, BlockingRequest, Exempt, Rule, Verdict},
    http::{
        body::{Body, ReceivedBody},
        outcome::Outcome,
    },
    net::{access_control::Permit, route::Route, target::Target},
    pages::blocked::{blocked_document, blocked_resource, redirect},
};

impl Exchange {
    /// The answer to a request that is forbidden, or that goes elsewhere; parameters that the lists remove leave it. `host` is that of the target, as lists have it.
    pub(super) fn blocked(
        &mut self,
        request: &mut Request<ReceivedBody>,
        permit: &Permit,
        host: &str,
    ) -> Option<Response<Body>> {
        let (target, profiles) = (permit.target(), &self.state.config.profiles);
        // What pages load on which nothing is blocked is remembered, whatever host has it.
        let may_matter = |blocker: &Blocker| {
            let excepts_pages = || blocker.excepts_pages() || profiles.have_sites_without_blocking();
            blocker.settings().requests && (blocker.may_block(host) || excepts_pages())
        };
        if !profiles.decide_blocking() && !may_matter(&self.state.blocker) {
            return None;
        }
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let url = Url::parse(&format!("{}://{}{path}", target.scheme.as_str(), target.authority())).ok()?;
        let wanted = BlockingRequest::from_request(request, url.clone());
        let blocker = Arc::clone(self.blocker(request.headers(), wanted.site()));
        let excepts_site = blocker.excepts_site(host);
        if !may_matter(&blocker)
            || blocker.exempt("", wanted.host()).is_some_and(|why| !(excepts_site || why == Exempt::Off))
            || self.is_paused()
        {
            return None;
        }
        if self.is_of_excepted_page(request.headers(), &wanted) || excepts_site {
            return None;
        }
        let verdict = blocker.judge(&wanted);
        if matches!(verdict, Verdict::Allowed | Verdict::Excepted { .. }) || self.goes_anyway(request, &wanted) {
            return None;
        }
        match verdict {
            Verdict::Blocked { .. } if self.may_be_frame_of_excepted_page(request.headers(), &wanted) => None,
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

    /// Whether a request belongs to a page on which nothing is blocked. What such a page loads is remembered where it asks for more.
    fn is_of_excepted_page(&self, headers: &HeaderMap, wanted: &BlockingRequest) -> bool {
        let (blocker, pages) = (self.blocker(headers, wanted.site()), &self.proxy.excepted_pages);
        let client = self.connection.client.ip();
        let by_page = if wanted.is_page_known() {
            self.is_excepted(headers, wanted.site())
        } else {
            pages.was_visited(client, headers)
        };
        // An exception of a list is for the engine to weigh against what is `$important`.
        let by_list = || wanted.is_page_known() && blocker.excepts_page(wanted);
        if wanted.may_ask_for_more() && (by_page || by_list()) {
            if wanted.is_document() {
                pages.visit(client, headers);
            } else {
                pages.add_part(client, headers, wanted.host());
            }
        }
        by_page
    }

    /// Whether a forbidden page may be a frame of a page on which nothing is blocked.
    fn may_be_frame_of_excepted_page(&self, headers: &HeaderMap, wanted: &BlockingRequest) -> bool {
        let is_one = wanted.embedder().is_some_and(|site| self.is_excepted(headers, site));
        if is_one {
            self.proxy.excepted_pages.add_part(self.connection.client.ip(), headers, wanted.host());
        }
        is_one
    }

    /// Whether nothing is blocked on this site, or what it asks for belongs to a page of such a site.
    fn is_excepted(&self, headers: &HeaderMap, site: &str) -> bool {
        let blocker = self.blocker(headers, site);
        blocker.excepts_site(site)
            || blocker.exempt(site, site) == Some(Exempt::Off)
            || self.proxy.excepted_pages.has_part(self.connection.client.ip(), headers, site)
    }

    /// The answer to a CONNECT that would become a tunnel to a forbidden host.
    pub(super) fn blocked_host(&mut self, request: &Request<ReceivedBody>, target: &Target) -> Option<Response<Body>> {
        let (host, client) = (target.plain_host(), self.connection.client.ip());
        let pages = &self.proxy.excepted_pages;
        let blocker = self.blocker(request.headers(), host);
        if blocker.excepts_site(host) {
            pages.visit(client, request.headers());
        }
        let rule = blocker.blocked_tunnel(host)?;
        if !self.blocks(request.headers(), host) || pages.was_visited(client, request.headers()) {
            return None;
        }
        if self.proxy.bypass_links.allows_host(client, request.headers(), host, false) {
            return None;
        }
        self.log_blocked(&rule);
        let url = Url::parse(&format!("https://{host}/")).ok()?;
        Some(blocked_document(&url, &rule))
    }

    /// Whether the profile of this client and site lets anything be blocked, and the client has not paused it.
    pub(super) fn blocks(&self, headers: &HeaderMap, site: &str) -> bool {
        !self.is_paused() && self.blocker(headers, site).settings().enabled
    }

    /// Whether this device has paused blocking.
    pub(super) fn is_paused(&self) -> bool {
        self.proxy.paused_devices.ends_at(self.connection.client.ip().to_canonical(), self.user.clone()).is_some()
    }

    /// Whether the client has chosen to go to this host, or to the page that wants it.
    fn goes_anyway(&self, request: &Request<ReceivedBody>, wanted: &BlockingRequest) -> bool {
        let client = self.connection.client.ip();
        let links = &self.proxy.bypass_links;
        let is_visit = wanted.is_document();
        if is_visit && links.take_once(client, request.headers(), wanted.url()) {
            return true;
        }
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
