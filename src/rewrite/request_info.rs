//! What must be known of a request when its response comes.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header, uri::PathAndQuery};
use url::Url;

use super::{coding::Coding, no_transform};
use crate::{
    authority::Target,
    bypass_link::BypassLinks,
    config::HostPatterns,
    headers::{accept, validators},
};

/// What a fetch is for (Fetch Metadata § 2.1).
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// What scripts say of their own fetches.
const X_REQUESTED_WITH: HeaderName = HeaderName::from_static("x-requested-with");

/// What must be known of a request when its response comes.
#[derive(Clone, Debug)]
pub(crate) struct RequestInfo<'a> {
    target: &'a Target,
    path: Option<PathAndQuery>,
    pub(super) method: Method,
    pub(super) destination: Option<String>,
    pub(super) by_script: bool,
    /// Whether it wants a page rather than anything else, as far as `Accept` tells.
    pub(super) prefers_html: bool,
    /// Whether it asks for the page as it is (RFC 9111 § 5.2.1.6).
    pub(super) no_transform: bool,
    /// Whether the reader asked for the page as it was.
    pub(super) wants_original: bool,
    /// Whether it asks for a part, and not only if it is a part of the very original.
    pub(super) has_range: bool,
    /// Whether it has conditions that may be on a page of ours.
    pub(crate) is_conditional: bool,
    /// The coding of a rewritten page.
    pub(super) coding: Option<Coding>,
}

impl<'a> RequestInfo<'a> {
    pub(crate) fn of<B>(request: &Request<B>, target: &'a Target) -> Self {
        let headers = request.headers();
        Self {
            target,
            path: request.uri().path_and_query().cloned(),
            method: request.method().clone(),
            destination: text(headers, &SEC_FETCH_DEST),
            by_script: headers.contains_key(X_REQUESTED_WITH),
            prefers_html: accept::prefers_html(headers),
            no_transform: no_transform(headers),
            wants_original: false,
            has_range: headers.contains_key(header::RANGE)
                && !headers.get(header::IF_RANGE).is_some_and(validators::is_of_original),
            is_conditional: headers.contains_key(header::IF_NONE_MATCH) || headers.contains_key(header::IF_RANGE),
            coding: accept::choose_coding(headers),
        }
    }

    /// Notes whether the reader asked for the page as it was.
    pub(crate) fn allow_original(&mut self, client: IpAddr, headers: &HeaderMap, links: &BypassLinks) {
        let is_page = self.method == Method::GET && self.is_for_reader() && !self.is_framed();
        let page = is_page.then(|| self.url()).flatten();
        self.wants_original = page.is_some_and(|page| links.allows(client, headers, &page));
    }

    /// The same for another page of the same host.
    pub(super) fn for_path(&self, path: PathAndQuery) -> Self {
        Self { path: Some(path), ..self.clone() }
    }

    pub(super) fn path(&self) -> PathAndQuery {
        let root = || PathAndQuery::from_static("/");
        self.path.clone().unwrap_or_else(root)
    }

    /// `None` where the address is no URL; such a page is not rewritten.
    pub(super) fn url(&self) -> Option<Url> {
        let (scheme, authority) = (self.target.scheme.as_str(), self.target.authority());
        Url::parse(&format!("{scheme}://{authority}{}", self.path())).ok()
    }

    /// Whether its host is one of these.
    pub(super) fn is_for(&self, hosts: &HostPatterns) -> bool {
        !hosts.is_empty() && hosts.matches(&self.target.host.plain())
    }

    /// Whether the document is a part of another page (Fetch Metadata § 2.1).
    pub(super) fn is_framed(&self) -> bool {
        matches!(self.destination.as_deref(), Some("iframe" | "frame"))
    }

    /// Whether a person will see the response as a page (Fetch § 2.2.5), as far as the request tells.
    pub(super) fn is_for_reader(&self) -> bool {
        match self.destination.as_deref() {
            Some(destination) => matches!(destination, "document" | "iframe" | "frame"),
            None => self.prefers_html && !self.by_script,
        }
    }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name).map(HeaderValue::to_str)?;
    Some(value.ok()?.to_ascii_lowercase())
}
