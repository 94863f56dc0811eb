//! An ordinary request on its way to an origin, and the response on its way back.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version, header};
use hyper::body::{Body as _, Incoming};

use super::{Answer, Exchange, next_pages::NextPages, upgrade::UpgradeRequest};
use crate::{
    body::{Arriving, Body, Gate},
    error::Error,
    headers::{self, Kinds, Media, Pseudonym, validators::Mapped},
    rewrite::RequestInfo,
    server::WholeServer,
    upstream::{Answered, Origin, Sending},
};

impl Exchange {
    /// An ordinary request.
    pub(super) async fn forward(
        &mut self,
        mut request: Box<Request<Incoming>>,
        origin: &Arc<Origin>,
    ) -> Result<Answer, Error> {
        let target = origin.permit().target();
        // RFC 9112 § 3.2.4: the last proxy before the server asks for `*`.
        if request.extensions().get::<WholeServer>().is_some() {
            *request.uri_mut() = Uri::from_static("*");
        }
        if let Some(response) = headers::max_forwards::step(&mut request) {
            return Ok(Answer::Response(response));
        }
        let mut asked = RequestInfo::of(&request, target);
        let client = self.served.conn.client.ip();
        asked.allow_original(client, request.headers(), &self.served.proxy.bypass_links);
        let switch = UpgradeRequest::of(&mut request, self.kinds);
        let version = request.version();
        let (outgoing, mapped) = self.outgoing(request, origin, &asked, switch.as_ref());
        let request_ended = outgoing.body().is_end_stream();
        let may_ask_again = self.running.rewriter.may_ask_again(&asked);
        let more = may_ask_again
            .then(|| NextPages::of(&outgoing, &self.served.proxy, &self.running, origin));
        let mut response = self
            .send(outgoing, origin, version, switch.is_some())
            .await?;
        self.served.watch.spell(response.body_mut().spelling());
        let response = incoming(response, request_ended, &self.served.proxy.pseudonym);
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return self.switch_protocols(switch, response, target);
        }
        if mapped.ours && response.status() == StatusCode::NOT_MODIFIED {
            let mut response = response.map(|_| Body::default());
            let tagger = &self.running.rewriter.tagger;
            tagger.map_not_modified(response.headers_mut());
            return Ok(Answer::Response(response));
        }
        Ok(Answer::Response(self.rewrite(&asked, response, more).await))
    }

    /// Sends the request, and gives interim responses on until the final one begins.
    async fn send(
        &mut self,
        mut outgoing: Box<Request<Body>>,
        origin: &Arc<Origin>,
        version: Version,
        upgrades: bool,
    ) -> Result<Response<Answered>, Error> {
        let mut open = None;
        if self.kinds.has(Kinds::EXPECT) && headers::expects_continue(outgoing.headers()) {
            let (gate, opener) = Gate::new();
            open = Some(opener);
            let body = std::mem::take(outgoing.body_mut());
            *outgoing.body_mut() = body.behind(gate);
        }
        let (pseudonym, watch) = (&self.served.proxy.pseudonym, &self.served.watch);
        let sending = Sending {
            has_host: self.kinds.has(Kinds::HOST),
            upgrades,
            just_told: self.just_told,
            // To check credentials may have taken long.
            since: self.running.gate.is_none().then_some(self.log.started),
        };
        // RFC 9110 § 15.2: interim responses are passed on, where the client knows them. The 100 is
        // sent by the server as soon as the body is asked for, which its word makes us do.
        let mut informed = |status: StatusCode, fields: &HeaderMap| match status {
            StatusCode::CONTINUE => drop(open.take().map(|open| open.send(()))),
            _ if version == Version::HTTP_11 => {
                // RFC 9110 § 8.6: they have no content, and no length of it.
                let fields = headers::without(fields, |name| *name == header::CONTENT_LENGTH);
                let kinds = Kinds::of(&fields);
                let version = Version::HTTP_11;
                let fields = headers::forward_response(fields, None, pseudonym, version, kinds);
                watch.inform(status, &fields);
            }
            _ => {}
        };
        let sent = self
            .running
            .upstream
            .send(origin, outgoing, sending, &mut informed)
            .await;
        sent.map_err(|fault| Error::Upstream {
            host: origin.permit().target().host_port(),
            fault,
        })
    }

    /// What the filters make of the response.
    async fn rewrite(
        &mut self,
        asked: &RequestInfo<'_>,
        response: Response<Arriving>,
        more: Option<NextPages>,
    ) -> Response<Body> {
        let media = Media::of(response.headers());
        let rewriter = &self.running.rewriter;
        let (mut response, action) = rewriter.rewrite(asked, response, more).await;
        if matches!(
            response.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            // RFC 9110 § 6.4.1: whatever came, over HTTP/2 say, is none.
            *response.body_mut() = Body::default();
        }
        self.log.action = action;
        if media != Media::EventStream {
            let patience = self.running.config.timeouts.body_stall;
            response = response.map(|body| body.stalling_after(patience));
        }
        response
    }

    /// The request as it goes upstream.
    fn outgoing(
        &mut self,
        request: Box<Request<Incoming>>,
        origin: &Origin,
        asked: &RequestInfo<'_>,
        switch: Option<&UpgradeRequest>,
    ) -> (Box<Request<Body>>, Mapped) {
        let (mut head, body) = request.into_parts();
        head.headers = headers::forward_request(
            head.headers,
            origin.host(),
            switch.map(UpgradeRequest::protocols),
            &self.served.proxy.pseudonym,
            head.version,
            self.kinds,
        );
        let rewriter = &self.running.rewriter;
        rewriter.prepare(asked, &mut head.headers);
        let mapped = if asked.is_conditional {
            rewriter.tagger.map_request(&mut head.headers)
        } else {
            Mapped::default()
        };
        let framed = matches!(head.method, Method::GET | Method::HEAD)
            && !body.is_end_stream()
            && body.size_hint().exact().is_none();
        if framed && head.version != Version::HTTP_2 {
            // Without the field the client library takes these methods to have no body.
            let chunked = HeaderValue::from_static("chunked");
            head.headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        // The data of an extended CONNECT are the WebSocket's, not the request's.
        let mut body = match switch {
            Some(switch) if switch.is_over_http2() => Body::default(),
            _ if body.is_end_stream() => Body::default(),
            _ => Body::from(Arriving::of_request(body, head.version)),
        };
        if !body.is_end_stream() {
            body = body
                .counted(self.log.received())
                .stalling_after(self.running.config.timeouts.request_body);
        }
        (Box::new(Request::from_parts(head, body)), mapped)
    }
}

/// The response as it goes to the client.
pub(super) fn incoming(
    response: Response<Answered>,
    request_ended: bool,
    pseudonym: &Pseudonym,
) -> Response<Arriving> {
    let (mut head, body) = response.into_parts();
    let upgrade = match head.status {
        StatusCode::SWITCHING_PROTOCOLS => headers::upgrade_of(&head.headers),
        _ => None,
    };
    head.headers = headers::forward_response(
        head.headers,
        upgrade.as_ref(),
        pseudonym,
        head.version,
        body.kinds(),
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
