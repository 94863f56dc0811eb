//! CONNECT: a tunnel, one whose first bytes decide, or one to our own pages.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use http::{HeaderMap, Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tracing::debug;

use super::{Answer, Exchange, people::SERVICES_LIST};
use crate::{
    blocking::Rule,
    client::Transport,
    config::Intercept,
    http::body::{Body, ReceivedBody},
    mitm::{
        self, Ahead, Destination, SniffedConnect,
        trust_watch::TrustWatch,
        tunnel::{self, SilenceLimits},
    },
    net::{
        access_control::{Permit, PortRule},
        client_program::ClientProgram,
        route::Route,
        target::{Scheme, Target},
    },
    pages::error::Error,
};

impl Exchange {
    /// A first request on a decrypted connection: the client has accepted our certificate.
    pub(crate) fn certificate_accepted(&self) {
        if let (Some(device), Some(target)) = (&self.connection.device, &self.connection.tunnel)
            && self.connection.state.counts().0 == 1
        {
            self.proxy.tunnelled.accepted(device, &target.host_port);
            self.proxy.trusted_devices.touch(device);
        }
    }

    /// CONNECT to an origin. Where it will be tunnelled it is connected first, so that a failure is an honest answer.
    pub(super) async fn connect(&mut self, request: Request<ReceivedBody>, permit: Permit) -> Result<Answer, Error> {
        let target = permit.target();
        let any_protocol = permit.port_rule() == PortRule::Any;
        let device = self.device(request.headers());
        let intercept = self.profile(request.headers(), target.plain_host()).map(|choice| choice.profile.intercept);
        let intercepts = matches!(intercept, Some(Intercept::On | Intercept::Auto));
        let mut route = Route::from_connect(target, &self.state.config, intercepts);
        if route == Route::Intercept && self.proxy.tunnelled.contains(&device, &target.host_port) {
            route = Route::Tunnel;
        }
        let trust =
            (route == Route::Intercept && intercept == Some(Intercept::Auto)).then(|| self.trust_watch(&device));
        let is_trusted = trust.as_ref().is_none_or(|trust| trust.is_trusted);
        // There is none before the clock is set.
        if route == Route::Intercept && !(is_trusted && self.state.authority.open().is_some()) {
            route = Route::Tunnel;
        }
        self.log.route = route;
        self.log.via = self.state.client.find_way(&permit, self.connection.requester()).name;
        let mut upstream = None;
        if route == Route::Tunnel {
            let refused = self.blocked_service_tunnel(request.headers(), permit.target().plain_host());
            if let Some(response) = refused.or_else(|| self.blocked_host(&request, permit.target())) {
                return Ok(Answer::Response(response));
            }
            let requester = self.connection.requester();
            let connected = self.state.client.connect(&permit, requester).await;
            let stream = connected.map_err(|error| Self::upstream_error(permit.target(), error))?;
            // What is in clear for the home network is looked at: a page may have caused it.
            if any_protocol && !permit.may_be_at_home() {
                return Ok(Answer::Upgraded(self.tunnel(request, permit.target().plain_host(), stream, trust)));
            }
            upstream = Some(stream);
        }
        let intercepts = route == Route::Intercept;
        let mut ahead = Ahead { upstream, error: None };
        if intercepts {
            ahead = Box::pin(self.connect_ahead(request.headers(), &permit, &device)).await?;
        }
        let destination = Destination::Origin(permit);
        Ok(Answer::Upgraded(self.sniff(request, device, destination, intercepts, ahead, trust)))
    }

    /// Whether this device trusts the authority in force, and whether that changes.
    fn trust_watch(&self, device: &ClientProgram) -> TrustWatch {
        let proxy = Arc::clone(&self.proxy);
        let fingerprint = move || proxy.state().authority.open().map(|authority| authority.fingerprint());
        TrustWatch::new(&self.proxy.trusted_devices, device, Box::new(fingerprint))
    }

    /// Connects to a site before a CONNECT that will be decrypted is answered, so that what fails is the CONNECT: a program is
    /// told at once, and a browser goes back to `http://`, which it does not for an error page. With browsers on the port of
    /// HTTPS the TLS handshake belongs to it; others, and other ports, may speak something else.
    async fn connect_ahead(
        &self,
        headers: &HeaderMap,
        permit: &Permit,
        device: &ClientProgram,
    ) -> Result<Ahead, Error> {
        let target = permit.target();
        let (host, client, requester) = (target.plain_host(), &self.state.client, self.connection.requester());
        // Nobody may be asked at all; and `ws://` comes to this port, in clear.
        let is_blocked = self.forbidden_host(headers, host).is_some();
        if is_blocked || target.port == Scheme::Http.default_port() {
            return Ok(Ahead::default());
        }
        let connected = if device.is_browser() && target.port == Scheme::Https.default_port() {
            client.preconnect(permit, requester, None).await.map(|()| None)
        } else if client.has_connection(permit, requester) {
            Ok(None)
        } else {
            client.connect(permit, requester).await.map(Some)
        };
        let error = match connected {
            Ok(upstream) => return Ok(Ahead { upstream, error: None }),
            Err(error) => error,
        };
        if mitm::is_for_a_tunnel(target, &error) {
            return Ok(Ahead { upstream: None, error: Some(error) });
        }
        if !error.is_of_site() || device.is_browser() && self.proxy.failed_connects.shows_reason(device, target) {
            return Ok(Ahead::default());
        }
        Err(Self::upstream_error(target, error))
    }

    /// CONNECT to our own name, which leads nowhere but here: a browser that was told `https:`, or one that sends
    /// everything through tunnels.
    pub(super) fn own_tunnel(
        &mut self,
        request: Request<ReceivedBody>,
        target: Target,
    ) -> Result<Response<Body>, Error> {
        self.log.route = Route::OwnPages;
        if target.port == Scheme::Http.default_port() || self.state.authority.open().is_some() {
            let device = self.device(request.headers());
            Ok(self.sniff(request, device, Destination::ControlHost(target), true, Ahead::default(), None))
        } else {
            Err(Error::OwnPageEncrypted)
        }
    }

    fn tunnel(
        &mut self,
        mut request: Request<ReceivedBody>,
        host: &str,
        upstream: Transport,
        trust: Option<TrustWatch>,
    ) -> Response<Body> {
        let closing = self.until_blocked(request.headers(), host);
        let upgrade: OnUpgrade = hyper::upgrade::on(&mut request);
        let log = self.hand_over_log(StatusCode::OK);
        let limits = SilenceLimits::unused(&self.state.config.timeouts);
        let connection = Arc::clone(&self.connection);
        connection.is_tunnel.store(true, Relaxed);
        let shutdown = connection.shutdown.clone();
        shutdown.spawn(async move {
            let draining = connection.shutdown.draining.child_token();
            match upgrade.await {
                Ok(client) => {
                    let copied = tunnel::copy(&draining, TokioIo::new(client), upstream, log, limits);
                    let copied = tunnel::until(closing, copied);
                    TrustWatch::watch(trust, &draining, copied).await;
                }
                Err(error) => debug!(%error, "the client left before its tunnel began"),
            }
        });
        Response::new(Body::default())
    }

    fn sniff(
        &mut self,
        mut request: Request<ReceivedBody>,
        device: ClientProgram,
        destination: Destination,
        intercepts: bool,
        ahead: Ahead,
        trust: Option<TrustWatch>,
    ) -> Response<Body> {
        let upgrade = hyper::upgrade::on(&mut request);
        let client = self.connection.client.ip();
        let host = destination.target().plain_host();
        let forbidden = self.forbidden_host(request.headers(), host);
        let is_service = |rule: &Rule| rule.list == SERVICES_LIST;
        let was_visited = self.proxy.excepted_pages.was_visited(client, request.headers());
        let forbidden = forbidden.filter(|rule| is_service(rule) || !was_visited);
        let closing = self.until_blocked(request.headers(), host);
        let any_protocol = match &destination {
            Destination::Origin(permit) => permit.port_rule() == PortRule::Any,
            Destination::ControlHost(_) => true,
        };
        let log = self.hand_over_log(StatusCode::OK);
        let connect = SniffedConnect {
            handler: Arc::clone(&self.proxy),
            config: Arc::clone(&self.state.config),
            client: Arc::clone(&self.state.client),
            authenticator: self.state.authenticator.clone(),
            authority: Arc::clone(&self.state.authority),
            tunnelled: Arc::clone(&self.proxy.tunnelled),
            trusted_devices: Arc::clone(&self.proxy.trusted_devices),
            connection: Arc::clone(&self.connection),
            device,
            destination,
            intercepts,
            forbidden,
            closing,
            any_protocol,
            ahead,
            trust,
            log,
        };
        self.connection.shutdown.spawn(connect.run(upgrade));
        Response::new(Body::default())
    }
}
