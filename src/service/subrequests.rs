//! Asks an origin once more: for the next pages of an article, as the client would have done by following the link, or for the
//! whole of a page of which a part was asked for.

use std::sync::Arc;

use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri, header, uri::PathAndQuery};
use tracing::debug;
use url::Url;

use super::{Exchange, forward::incoming};
use crate::{
    client::{Requester, UpstreamError},
    http::{
        body::{Body, IncomingBody},
        headers::without,
    },
    net::{access_control::Permit, target::Scheme},
    rewrite::Fetch,
    server::Connection,
    state::runtime_state::RuntimeState,
};

/// Where a fetch comes from (Fetch Metadata § 2.3).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Fields that are about the one page that was asked for.
const ABOUT_THE_PAGE: [HeaderName; 8] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
    header::IF_RANGE,
    header::RANGE,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
];

/// The next pages of what was asked for.
#[derive(Clone)]
pub(super) struct Subrequests {
    state: Arc<RuntimeState>,
    connection: Arc<Connection>,
    permit: Permit,
    fields: HeaderMap,
    extensions: Extensions,
}

impl Subrequests {
    /// Further requests for the page that this request, as it goes upstream, is for.
    pub(super) fn new(request: &Request<Body>, exchange: &Exchange, permit: &Permit) -> Self {
        Self {
            state: Arc::clone(&exchange.state),
            connection: Arc::clone(&exchange.connection),
            permit: permit.clone(),
            fields: without(request.headers(), |name| ABOUT_THE_PAGE.contains(name)),
            extensions: request.extensions().clone(),
        }
    }

    /// Has them go elsewhere, with these fields in the place of those of these names.
    pub(super) fn lead_to(&mut self, permit: &Permit, names: &[HeaderName], fields: HeaderMap) {
        self.permit = permit.clone();
        self.fields = without(&self.fields, |name| names.contains(name));
        self.fields.extend(fields);
        if let Ok(host) = HeaderValue::from_str(permit.target().authority()) {
            self.fields.insert(header::HOST, host);
        }
    }

    pub(super) async fn send(
        &mut self,
        path: PathAndQuery,
        from: Option<&Url>,
    ) -> Result<Response<IncomingBody>, UpstreamError> {
        let request = self.request(path, from);
        let requester = Requester { is_nested: true, ..self.connection.requester() };
        let client = &self.state.client;
        client.send(&self.permit, request, requester, Arc::new(|_, _| {})).await.map(incoming)
    }

    fn request(&self, path: PathAndQuery, from: Option<&Url>) -> Box<Request<Body>> {
        let mut request = Box::new(Request::new(Body::default()));
        *request.method_mut() = Method::GET;
        *request.uri_mut() = Uri::from(path);
        *request.extensions_mut() = self.extensions.clone();
        *request.headers_mut() = match from {
            Some(from) => self.fields_from(from),
            None => self.fields.clone(),
        };
        request
    }

    /// The fields of a request that a link on this page leads to.
    fn fields_from(&self, from: &Url) -> HeaderMap {
        let mut fields = self.fields.clone();
        // What browsers say of a link to the same site, unless the page forbids it.
        if fields.contains_key(&SEC_FETCH_SITE) {
            fields.insert(SEC_FETCH_SITE, HeaderValue::from_static("same-origin"));
        }
        let mut from = from.clone();
        if self.permit.target().scheme == Scheme::Https {
            // To a client in clear it is no encrypted one. The scheme is one of those that a URL with a host may have.
            let _ = from.set_scheme("https");
        }
        // RFC 9110 § 10.1.3: neither goes into the field. Addresses without a host have no user to be taken out.
        from.set_fragment(None);
        let _ = from.set_username("");
        let _ = from.set_password(None);
        // A URL is ASCII.
        fields.extend(HeaderValue::from_str(from.as_str()).ok().map(|from| (header::REFERER, from)));
        fields
    }
}

impl Fetch for Subrequests {
    async fn fetch(&mut self, path: PathAndQuery, from: Option<&Url>) -> Option<Response<IncomingBody>> {
        match self.send(path, from).await {
            Ok(response) => Some(response),
            Err(error) => {
                debug!(%error, "a next page did not come");
                None
            }
        }
    }
}
