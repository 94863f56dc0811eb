//! What a household has decided for a device: services that are blocked at these hours, safe search, and which lists count.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use tokio::time::sleep;
use url::Url;

use super::Exchange;
use crate::{
    blocking::{Blocker, BlockingRequest, Rule},
    config::{Choice, ClientInfo, SafeSearch, ServiceBlock},
    http::{
        body::{Body, ReceivedBody},
        outcome::Outcome,
    },
    mitm::tunnel::Closing,
    net::{access_control::Permit, client_program, route::Route},
    pages::blocked::{blocked_resource, blocked_service},
    state::{proxy::Proxy, runtime_state::RuntimeState},
};

/// How often is looked whether the hours of an open tunnel's service have begun. Raising it lets a film go on for longer.
const LOOKED_AFTER: Duration = Duration::from_secs(15);

/// The settings of a device, whatever the site.
fn device_blocker<'a>(state: &'a RuntimeState, asker: &ClientInfo<'_>) -> &'a Arc<Blocker> {
    by_choice(&state.blocker, state.config.profiles.choose_blocking(asker, None))
}

fn by_choice<'a>(blocker: &'a Arc<Blocker>, choice: Option<Choice<'_>>) -> &'a Arc<Blocker> {
    choice.map_or(blocker, |choice| blocker.for_profile(choice.index))
}

impl Exchange {
    /// The lists that count for this client on a site.
    pub(super) fn blocker(&self, headers: &HeaderMap, site: &str) -> &Arc<Blocker> {
        let profiles = &self.state.config.profiles;
        // Where no profile says anything of blocking but the shipped one, this is all.
        if !profiles.decide_blocking() {
            return &self.state.blocker;
        }
        by_choice(&self.state.blocker, profiles.choose_blocking(&self.asker(headers), Some(site)))
    }

    /// The service that is blocked for this device now and has the host, unless somebody has opened it.
    pub(super) fn service_block(&self, headers: &HeaderMap, site: &str, host: &str) -> Option<ServiceBlock> {
        if !self.state.blocker.has_services() {
            return None;
        }
        let asker = self.asker(headers);
        let block = device_blocker(&self.state, &asker).blocked_service(site, host)?;
        let is_open = self.proxy.opened_devices.ends_at(asker.client, self.user.clone()).is_some();
        (!is_open).then_some(block)
    }

    /// The answer to a request for a service that is blocked now.
    pub(super) fn blocked_service(
        &mut self,
        request: &Request<ReceivedBody>,
        permit: &Permit,
        host: &str,
    ) -> Option<Response<Body>> {
        if !self.state.blocker.has_services() {
            return None;
        }
        let target = permit.target();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let url = Url::parse(&format!("{}://{}{path}", target.scheme.as_str(), target.authority())).ok()?;
        let wanted = BlockingRequest::from_request(request, url.clone());
        let site = if wanted.is_page_known() { wanted.site() } else { "" };
        let block = self.service_block(request.headers(), site, host)?;
        self.log_service(&block);
        Some(if wanted.is_document() { blocked_service(&url, &block) } else { blocked_resource(&wanted, None, None) })
    }

    /// The answer to a CONNECT to a service that is blocked now.
    pub(super) fn blocked_service_tunnel(&mut self, headers: &HeaderMap, host: &str) -> Option<Response<Body>> {
        let block = self.service_block(headers, "", host)?;
        self.log_service(&block);
        Some(blocked_service(&Url::parse(&format!("https://{host}/")).ok()?, &block))
    }

    pub(super) fn log_service(&mut self, block: &ServiceBlock) {
        self.log.route = Route::Blocked;
        self.log.outcome = Outcome::Blocked(service_rule(block).to_string());
        self.log.status = StatusCode::FORBIDDEN.as_u16();
    }

    /// The host to connect to in the place of this one, where this device has safe search.
    pub(super) fn safe_host(&self, headers: &HeaderMap, host: &str) -> Option<&'static str> {
        if !self.state.blocker.has_safe_search() {
            return None;
        }
        let settings = device_blocker(&self.state, &self.asker(headers)).settings();
        if settings.enabled { settings.safe_search } else { SafeSearch::Off }.instead_of(host)
    }

    /// Leads a permit to the host that filters, where this device has safe search, and has `YouTube` filter what comes to it by another way.
    pub(super) fn with_safe_search(&self, permit: Permit, headers: &mut HeaderMap) -> Permit {
        let Some(name) = self.safe_host(headers, permit.target().plain_host()) else { return permit };
        if let Some(degree) = SafeSearch::youtube_restriction(name) {
            headers.insert(HeaderName::from_static("youtube-restrict"), HeaderValue::from_static(degree));
        }
        permit.connecting_to(name)
    }

    /// The rule by which nothing may be connected to at a host, whatever is wanted of it.
    pub(super) fn forbidden_host(&self, headers: &HeaderMap, host: &str) -> Option<Rule> {
        let service = self.service_block(headers, "", host).map(|block| service_rule(&block));
        service.or_else(|| self.blocker(headers, host).blocked_host(host).filter(|_| self.blocks(headers, host)))
    }

    /// Ends when the host's service is blocked for this device: a tunnel must not outlive the hours in which it was opened. None where no
    /// service is blocked for any device.
    pub(super) fn until_blocked(&self, headers: &HeaderMap, host: &str) -> Option<Closing> {
        if !self.state.blocker.has_services() {
            return None;
        }
        let proxy = Arc::clone(&self.proxy);
        let (client, port) = (self.connection.client.ip().to_canonical(), self.connection.local.port());
        let (user, agent) = (self.user.clone(), client_program::user_agent(headers).to_owned());
        let host = host.to_owned();
        let is_blocked = move |proxy: &Proxy| {
            let asker = ClientInfo { client, user: user.as_deref(), user_agent: &agent, port };
            device_blocker(&proxy.state(), &asker).blocked_service("", &host).is_some()
                && proxy.opened_devices.ends_at(client, user.clone()).is_none()
        };
        Some(Box::pin(async move {
            while !is_blocked(&proxy) {
                sleep(LOOKED_AFTER).await;
            }
        }))
    }
}

/// The name of the services among the lists.
pub(super) const SERVICES_LIST: &str = "blocking.services";

/// A blocked service in the place of a rule of a list.
fn service_rule(block: &ServiceBlock) -> Rule {
    let until = block.until.as_ref().map_or_else(String::new, |until| format!(" until {}", until.strftime("%a %H:%M")));
    Rule { list: SERVICES_LIST.to_owned(), text: format!("{}{until}", block.service.name) }
}
