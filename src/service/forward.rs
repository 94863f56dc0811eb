//! An ordinary request on its way to an origin, and the response on its way back.

use std::{sync::Arc, time::Duration};

use gleaner_filters::View;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version, header};
use hyper::body::Body as _;
use tokio_util::sync::CancellationToken;

use super::{Answer, Exchange, max_forwards, subrequests::Subrequests, upgrade::UpgradeRequest};
use crate::{
    client::OnInformational,
    config::Agents,
    http::{
        body::{Body, ContinueGate, IdleTimer, IncomingBody, ReceivedBody},
        headers::{self, Forwarding, Media, in_clear::restore_request, validators::Tagger},
    },
    net::{
        access_control::{Permit, hides_referrer},
        target::Scheme,
    },
    pages::{bypass, error::Error},
    rewrite::{
        self, ClearClient, PageProfile, Presentation, RequestInfo, SentForm,
        views::{PageControls, PageId},
    },
    server::WholeServer,
};

/// How long the head of an early error waits for the first bytes of its body.
const EARLY_ERROR: Duration = Duration::from_millis(200);

impl Exchange {
    /// An ordinary request. `given` is its response, where an ICAP client has it.
    pub(super) async fn forward(
        &mut self,
        mut request: Box<Request<ReceivedBody>>,
        permit: &Permit,
        host: &str,
        view: Option<(View, PageId)>,
        given: Option<Response<Body>>,
    ) -> Result<Answer, Error> {
        let target = permit.target();
        if target.scheme == Scheme::Http {
            self.proxy.failed_connects.went_back(|| self.device(request.headers()), target);
        }
        // RFC 9112 § 3.2.4: the last proxy before the server asks for `*`.
        if request.extensions().get::<WholeServer>().is_some() {
            *request.uri_mut() = Uri::from_static("*");
        }
        if let Some(response) = max_forwards::step(&mut request) {
            return Ok(Answer::Response(response));
        }
        let state = Arc::clone(&self.state);
        let choice = self.profile(request.headers(), host);
        let profile = choice.map_or(0, |choice| choice.index);
        let mut in_clear = self.asked_in_clear(&request, permit, choice.as_ref())?;
        let over_tls = in_clear.as_ref().and_then(|asked| asked.over_tls.clone());
        let look = state.rewriter.profile(profile).for_saving(request.headers());
        rewrite::recode_query(&mut request, look);
        let address = self.connection.client.ip();
        let mut info = RequestInfo::new(&request, address, target, host, look);
        let view = view.filter(|_| info.is_whole_page());
        let reader_preferences = &self.proxy.reader_preferences;
        let device = reader_preferences.are_used().then(|| self.device(request.headers()));
        let reader = device.as_ref().and_then(|device| reader_preferences.get(device));
        let is_never = view.is_none() && device.is_some_and(|device| reader_preferences.is_never(&device, host));
        let is_paused = self.is_paused();
        let blocker = self.blocker(request.headers(), host);
        let own_look = look.for_request(&state.config, blocker, profile, view.map(|(view, _)| view), is_paused, reader);
        let own_look = if is_never { Some(own_look.as_ref().unwrap_or(look).left_alone()) } else { own_look };
        let sends_markdown = state.config.agents.markdown && info.prefers_markdown && look.enabled && !is_never;
        let agent_look = (sends_markdown && view.is_none())
            .then(|| PageProfile::for_agent(&state.config, blocker, profile, is_paused).ok())
            .flatten();
        if agent_look.is_some() {
            info.presentation = markdown(&state.config.agents);
        }
        let own_look = agent_look.or(own_look);
        let headers = request.headers();
        info.controls = view.map(|_| self.page_controls(headers, view));
        let look = own_look.as_ref().unwrap_or(look);
        info.look = look;
        if view.is_none() {
            self.proxy.bypass_links.apply(address, request.headers(), &mut info);
        }
        if self.over_icap {
            return Box::pin(self.leave_to_icap(request, &mut info, view, given)).await;
        }
        let upgrade = UpgradeRequest::from_request(&mut request);
        let version = request.version();
        let is_of_picture = info.picture.is_some() && look.pictures.tagger.has_tagged(request.headers());
        let tagger = if is_of_picture { &look.pictures.tagger } else { &look.tagger };
        let permit = over_tls.as_ref().unwrap_or(permit);
        info.clear_client = in_clear.as_ref().map(|asked| ClearClient::new(&asked.hosts, permit.target()));
        let (mut outgoing, has_our_tag) = self.outgoing(request, permit, &info, tagger, upgrade.as_ref());
        Box::pin(rewrite::recode_body(&mut outgoing, look)).await;
        let subrequests = state.rewriter.may_ask_again(&info).then(|| Subrequests::new(&outgoing, self, permit));
        if let Some(asked) = &mut in_clear {
            self.log.host = Some(Arc::clone(&permit.target().host_port));
            asked.again = (outgoing.method() == Method::GET).then(|| Subrequests::new(&outgoing, self, permit));
        }
        if let Some(kept) = view.and_then(|_| info.kept_original()) {
            let shown = self.rewrite(&mut info, kept.response(), subrequests).await;
            return Ok(Answer::Response(self.only_rewritten(&info, shown)));
        }
        let informational = self.pass_informational_on(&mut outgoing, version);
        let uploads = version == Version::HTTP_2 && !outgoing.body().is_end_stream();
        let (client, requester) = (&self.state.client, self.connection.requester());
        let way = client.find_way(permit, requester);
        self.log.via.clone_from(&way.name);
        let sent = client.send_by(way, permit, outgoing, requester, informational).await;
        let response = sent.map_err(|error| {
            if let Some(asked) = &in_clear {
                asked.hosts.has_failed(permit.target());
            }
            Self::upstream_error(permit.target(), error)
        })?;
        let (response, has_moved) = match in_clear {
            Some(asked) => Box::pin(self.answered_in_clear(asked, incoming(response), &mut info)).await?,
            None => (incoming(response), false),
        };
        let subrequests = subrequests.filter(|_| !has_moved);
        if permit.may_be_at_home() && hides_referrer(response.headers()) {
            self.proxy.without_referrer.insert(Arc::clone(&permit.target().host_port), ());
        }
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return self.switch_protocols(upgrade, response, target);
        }
        if has_our_tag && response.status() == StatusCode::NOT_MODIFIED {
            let mut response = response.map(|_| Body::default());
            let map = if is_of_picture { Tagger::map_picture_not_modified } else { Tagger::map_not_modified };
            map(tagger, response.headers_mut());
            return Ok(Answer::Response(response));
        }
        let mut response = response.map(Body::new);
        if uploads && (response.status().is_client_error() || response.status().is_server_error()) {
            hold_early_error(&mut response).await;
        }
        let response = self.rewrite(&mut info, response, subrequests).await;
        Ok(Answer::Response(self.only_rewritten(&info, response)))
    }

    /// In the place of a view that cannot be made stands a page that says why. The original has scripts, and must be asked
    /// for on the control host.
    pub(super) fn only_rewritten(&self, info: &RequestInfo<'_>, response: Response<Body>) -> Response<Body> {
        let Some(reason) = self.log.outcome.pass_reason().filter(|_| info.is_view()) else { return response };
        info.url().map_or(response, |page| bypass::no_view(&page, reason))
    }

    fn page_controls(&self, headers: &HeaderMap, view: Option<(View, PageId)>) -> PageControls {
        let config = &self.state.config;
        let has_shelf = config.shelf.enabled && config.read.admits(self.connection.client.ip(), config.access.lan);
        self.proxy.view_links.page_controls(self.device(headers), headers, view, has_shelf)
    }

    /// RFC 9110 § 15.2: interim responses are passed on. A 100 opens the request's body, which makes hyper send its own
    /// 100 to the client.
    fn pass_informational_on(&self, outgoing: &mut Request<Body>, version: Version) -> OnInformational {
        let asked = headers::expects_continue(outgoing.headers()).then(CancellationToken::new);
        if let Some(asked) = &asked {
            outgoing.body_mut().gate = Some(ContinueGate::new(asked.clone()));
        }
        let informer = self.connection.state.informer(version);
        Arc::new(move |status, fields: &HeaderMap| {
            if status == StatusCode::CONTINUE {
                return asked.iter().for_each(CancellationToken::cancel);
            }
            // RFC 9110 § 8.6: they have no content, and no length of it.
            let fields = headers::without(fields, |name| *name == header::CONTENT_LENGTH);
            let fields = headers::forward_response(fields, None, Version::HTTP_11);
            informer.send(status, &fields);
        })
    }

    /// Passes the response through the filters.
    pub(super) async fn rewrite(
        &mut self,
        info: &mut RequestInfo<'_>,
        response: Response<Body>,
        subrequests: Option<Subrequests>,
    ) -> Response<Body> {
        let media = Media::from_headers(response.headers());
        if media == Media::Html {
            info.prepare_page(|fields| self.page_controls(fields, None));
        }
        let rewriter = &self.state.rewriter;
        let (mut response, outcome) = rewriter.rewrite(info, response, subrequests).await;
        if matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            // Over HTTP/2 hyper would send a body that must not be there.
            *response.body_mut() = Body::default();
        }
        self.log.outcome.follow_up(outcome);
        self.log.page = response.extensions_mut().remove();
        let timeout = self.state.config.timeouts.body_stall;
        if media != Media::EventStream {
            response.body_mut().idle_timer = Some(IdleTimer::new(timeout));
        }
        response
    }

    /// The request as it goes upstream.
    fn outgoing(
        &mut self,
        request: Box<Request<ReceivedBody>>,
        permit: &Permit,
        info: &RequestInfo<'_>,
        tagger: &Tagger,
        upgrade: Option<&UpgradeRequest>,
    ) -> (Box<Request<Body>>, bool) {
        let (mut head, body) = request.into_parts();
        let forwarding = Forwarding {
            host: permit.target().authority(),
            upgrade: upgrade.map(|upgrade| &upgrade.protocols),
            pseudonym: &self.proxy.pseudonyms.for_host(permit.target().plain_host()),
            via: self.state.config.headers.via,
        };
        head.headers = headers::forward_request(head.headers, &forwarding, head.version);
        let rewriter = &self.state.rewriter;
        if let Some(client) = &info.clear_client {
            restore_request(&mut head.headers, permit.target(), &client.hosts);
        }
        rewriter.prepare(info, &mut head.headers);
        let has_our_tag = info.is_conditional && tagger.map_request(&mut head.headers);
        let has_body = !body.is_end_stream();
        if matches!(head.method, Method::GET | Method::HEAD) && has_body && body.size_hint().exact().is_none() {
            // Without the field hyper takes these methods to have no body; over HTTP/2 it is removed again.
            let chunked = HeaderValue::from_static("chunked");
            head.headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        // The data of an extended CONNECT are the WebSocket's, not the request's.
        let is_tunnel = upgrade.is_some_and(UpgradeRequest::is_over_http2);
        let body = if has_body && !is_tunnel {
            let idle_timer = Some(IdleTimer::new(self.state.config.timeouts.request_body));
            let mut body = Body::new(IncomingBody::from_request(body, head.version));
            body.count = Some(Arc::clone(&self.log.received));
            body.idle_timer = idle_timer;
            body
        } else {
            Body::default()
        };
        (Box::new(Request::from_parts(head, body)), has_our_tag)
    }
}

/// At the head of an error curl ends its upload with less than it announced, for which h2 resets the stream and drops what is
/// queued: the body must not come much later.
async fn hold_early_error(response: &mut Response<Body>) {
    let body = std::mem::take(response.body_mut());
    *response.body_mut() = Box::pin(body.with_first_frame(EARLY_ERROR)).await;
}

/// How a page is sent to a program that reads for a language model.
fn markdown(settings: &Agents) -> Presentation {
    Presentation { form: SentForm::Markdown, front_matter: settings.front_matter, ..Presentation::default() }
}

/// The response as it goes to the client.
pub(super) fn incoming(response: Response<IncomingBody>) -> Response<IncomingBody> {
    let (mut head, body) = response.into_parts();
    let upgrade = match head.status {
        StatusCode::SWITCHING_PROTOCOLS => headers::upgrade_of(&head.headers),
        _ => None,
    };
    head.headers = headers::forward_response(head.headers, upgrade.as_ref(), head.version);
    if head.status == StatusCode::NO_CONTENT {
        // RFC 9110 § 8.6: it has no length either.
        head.headers = headers::without(&head.headers, |name| *name == header::CONTENT_LENGTH);
    }
    if head.status == StatusCode::EXPECTATION_FAILED {
        // The client sends its request again; what comes next on this connection would be taken for the body it kept back.
        head.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    // The version is that of the hop to the origin; hyper's server writes the client's own.
    head.version = Version::HTTP_11;
    Response::from_parts(head, body)
}
