//! An ordinary request on its way to an origin, and the response on its way back.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version, header};
use hyper::{
    body::{Body as _, Incoming},
    upgrade::OnUpgrade,
};

use super::{Answer, Exchange};
use crate::{
    acl::Permit,
    body::{Arriving, Body, Gate},
    error::Error,
    headers,
    rewrite::Asked,
    server::WholeServer,
    tunnel,
    upstream::{Answered, Fault, Origin},
    websocket,
};

impl Exchange {
    /// An ordinary request.
    pub(super) async fn forward(
        &mut self,
        mut request: Box<Request<Incoming>>,
        origin: &Arc<Origin>,
    ) -> Result<Answer, Error> {
        let permit = origin.permit();
        // RFC 9112 § 3.2.4: the last proxy before the server asks for `*`.
        if request.extensions().get::<WholeServer>().is_some() {
            *request.uri_mut() = Uri::from_static("*");
        }
        if let Some(response) = headers::max_forwards::step(&mut request) {
            return Ok(Answer::Response(response));
        }
        let untouched = self.proxy.untouched.take_off(&mut request, permit.target());
        let asked = Asked::of(&request, permit.target(), untouched);
        let over_http2 = websocket::is_extended_connect(&request);
        let (upgrade, accept) = if over_http2 {
            let (protocol, accept) = websocket::to_upgrade(&mut request);
            (Some(protocol), Some(accept))
        } else {
            let protocol = headers::upgrade_of(request.headers());
            (
                protocol.filter(|_| request.version() == Version::HTTP_11),
                None,
            )
        };
        let client_side = upgrade.as_ref().map(|_| hyper::upgrade::on(&mut *request));
        let is_1_1 = request.version() == Version::HTTP_11;
        let (mut outgoing, mapped) = self.outgoing(request, origin, &asked, upgrade.as_ref());
        let mut open = None;
        if over_http2 {
            // The stream's data are the WebSocket's, not the request's.
            *outgoing.body_mut() = Body::default();
        } else if headers::expects_continue(outgoing.headers()) {
            let (gate, opener) = Gate::new();
            open = Some(opener);
            let body = std::mem::take(outgoing.body_mut());
            *outgoing.body_mut() = body.behind(gate);
        }
        let request_ended = outgoing.body().is_end_stream();
        let (pseudonym, watch) = (&self.proxy.pseudonym, &self.watch);
        // RFC 9110 § 15.2: interim responses are passed on, where the client knows them. The 100 is
        // sent by the server as soon as the body is asked for, which its word makes us do.
        let mut informed = |status: StatusCode, fields: &HeaderMap| match status {
            StatusCode::CONTINUE => drop(open.take().map(|open| open.send(()))),
            _ if is_1_1 => {
                // RFC 9110 § 8.6: they have no content, and no length of it.
                let fields = headers::without(fields, |name| *name == header::CONTENT_LENGTH);
                let fields = headers::forward_response(fields, None, pseudonym, Version::HTTP_11);
                watch.inform(status, &fields);
            }
            _ => {}
        };
        let mut response = self
            .running
            .upstream
            .send(origin, outgoing, &mut informed)
            .await
            .map_err(|fault| Error::Upstream {
                host: permit.target().host_port(),
                fault,
            })?;
        self.watch.spell(response.body_mut().spelling());
        let response = self.incoming(response, request_ended);
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            let is_websocket = |accept: &websocket::Accept| accept.is_in(response.headers());
            let asked = client_side
                .zip(upgrade)
                .filter(|_| accept.as_ref().is_none_or(is_websocket));
            let answer = self.switch_protocols(asked, response, permit)?;
            return Ok(match answer {
                Answer::Taken(mut response) if over_http2 => {
                    websocket::from_upgrade(&mut response);
                    Answer::Taken(response)
                }
                answer => answer,
            });
        }
        let patience = self.running.config.timeouts.body_stall;
        let may_be_silent = headers::is_event_stream(response.headers());
        let rewriter = &self.running.rewriter;
        if mapped.ours && response.status() == StatusCode::NOT_MODIFIED {
            let mut response = response.map(|_| Body::default());
            rewriter.tagger.map_not_modified(response.headers_mut());
            return Ok(Answer::Response(response));
        }
        let (mut response, action) = rewriter.rewrite(&asked, response).await;
        if matches!(
            response.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            // RFC 9110 § 6.4.1: whatever came, over HTTP/2 say, is none.
            *response.body_mut() = Body::default();
        }
        self.log.action = action;
        if !may_be_silent {
            response = response.map(|body| body.stalling_after(patience));
        }
        Ok(Answer::Response(response))
    }

    /// A 101: from here on the two sides talk past us.
    fn switch_protocols(
        &mut self,
        asked: Option<(OnUpgrade, HeaderValue)>,
        mut response: Response<Arriving>,
        permit: &Permit,
    ) -> Result<Answer, Error> {
        let asked = asked
            .filter(|(_, protocols)| headers::switches_as_asked(protocols, response.headers()));
        let (client_side, _) = asked.ok_or_else(|| {
            let problem = "it switches to a protocol that was not asked for".to_owned();
            let host = permit.target().host_port();
            Error::Upstream {
                host,
                fault: Fault::BadResponse(problem),
            }
        })?;
        let upstream_side = hyper::upgrade::on(&mut response);
        "upgraded".clone_into(&mut self.log.action);
        let log = self.hand_over_log(StatusCode::SWITCHING_PROTOCOLS);
        tunnel::spawn_upgrade(&self.conn.life, client_side, upstream_side, log);
        Ok(Answer::Taken(response.map(|_| Body::default())))
    }

    /// The request as it goes upstream.
    fn outgoing(
        &mut self,
        request: Box<Request<Incoming>>,
        origin: &Origin,
        asked: &Asked,
        upgrade: Option<&HeaderValue>,
    ) -> (Box<Request<Body>>, headers::validators::Mapped) {
        let (mut head, body) = request.into_parts();
        head.headers = headers::forward_request(
            head.headers,
            origin.host(),
            upgrade,
            &self.proxy.pseudonym,
            head.version,
        );
        let rewriter = &self.running.rewriter;
        rewriter.prepare(asked, &mut head.headers);
        let mapped = rewriter.tagger.map_request(&mut head.headers);
        let framed = matches!(head.method, Method::GET | Method::HEAD)
            && !body.is_end_stream()
            && body.size_hint().exact().is_none();
        if framed && head.version != Version::HTTP_2 {
            // Without the field the client library takes these methods to have no body.
            let chunked = HeaderValue::from_static("chunked");
            head.headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        let mut body = Body::from(Arriving::of_request(body, head.version));
        if !body.is_end_stream() {
            body = body
                .counted(self.log.received())
                .stalling_after(self.running.config.timeouts.request_body);
        }
        (Box::new(Request::from_parts(head, body)), mapped)
    }

    /// The response as it goes to the client.
    fn incoming(&self, response: Response<Answered>, request_ended: bool) -> Response<Arriving> {
        let (mut head, body) = response.into_parts();
        let upgrade = headers::upgrade_of(&head.headers)
            .filter(|_| head.status == StatusCode::SWITCHING_PROTOCOLS);
        head.headers = headers::forward_response(
            head.headers,
            upgrade.as_ref(),
            &self.proxy.pseudonym,
            head.version,
        );
        if head.status == StatusCode::NO_CONTENT {
            // RFC 9110 § 8.6: it has no length either.
            head.headers = headers::without(&head.headers, |name| *name == header::CONTENT_LENGTH);
        }
        let body = Arriving::of_response(body, head.version, request_ended);
        // The version is that of the hop to the origin; the server writes the client's own.
        head.version = Version::HTTP_11;
        Response::from_parts(head, body)
    }
}
