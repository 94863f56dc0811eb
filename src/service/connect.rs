//! CONNECT: a tunnel, one that may be decrypted, or one to our own pages.

use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;

use super::Exchange;
use crate::{
    access_control::Permit,
    authority::{Scheme, Target},
    body::Body,
    error::Error,
    intercept, tunnel,
};

impl Exchange {
    /// CONNECT without interception: connected first, so that a failure is an honest answer.
    pub(super) async fn tunnel(
        &mut self,
        mut request: Request<Incoming>,
        permit: Permit,
    ) -> Result<Response<Body>, Error> {
        let upstream = self
            .running
            .upstream
            .connect(&permit)
            .await
            .map_err(|fault| Error::Upstream {
                host: permit.target().host_port(),
                fault,
            })?;
        let upgrade = hyper::upgrade::on(&mut request);
        let log = self.hand_over_log(StatusCode::OK);
        let silence = self.running.config.timeouts.connect_silence;
        tunnel::spawn_connect(&self.served.conn.life, upgrade, upstream, log, silence);
        Ok(Response::new(Body::default()))
    }

    /// CONNECT with interception: what comes next decides.
    pub(super) fn intercept(
        &mut self,
        request: Request<Incoming>,
        permit: Permit,
    ) -> Response<Body> {
        self.enter(request, intercept::End::Elsewhere(permit))
    }

    /// CONNECT to our own name, which leads nowhere but here: a browser that was told `https:`, or one that
    /// sends everything through tunnels.
    pub(super) fn own_tunnel(
        &mut self,
        request: Request<Incoming>,
        target: Target,
    ) -> Result<Response<Body>, Error> {
        self.log.route = "panel";
        if target.port == Scheme::Http.default_port() || self.running.open_authority().is_some() {
            Ok(self.enter(request, intercept::End::Here(target)))
        } else {
            Err(Error::OwnPageEncrypted)
        }
    }

    fn enter(&mut self, mut request: Request<Incoming>, end: intercept::End) -> Response<Body> {
        let upgrade = hyper::upgrade::on(&mut request);
        let log = self.hand_over_log(StatusCode::OK);
        let tunnel = intercept::Tunnel {
            proxy: Arc::clone(&self.served.proxy),
            running: Arc::clone(&self.running),
            conn: Arc::clone(&self.served.conn),
            end,
            log,
        };
        self.served.conn.life.spawn(tunnel.run(upgrade));
        Response::new(Body::default())
    }
}
