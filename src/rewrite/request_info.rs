//! What rewriting needs to know of a request when the response has come.

use std::{hash::Hash, net::IpAddr, sync::Arc};

use encoding_rs::{Encoding, UTF_8};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header, uri::PathAndQuery};
use url::Url;

use super::{
    ClearClient, PageProfile, PictureRequest, no_transform, output_charset,
    presentation::{Presentation, SentForm},
    shares::Owner,
};
use crate::{
    config::HostPatterns,
    http::headers::{
        Coding,
        accept::{self, AcceptedMedia},
        destination::destination,
        validators,
    },
    net::target::Target,
    rewrite::views::PageControls,
};

/// Set by scripts on their own requests.
const X_REQUESTED_WITH: HeaderName = HeaderName::from_static("x-requested-with");

/// Programs that read for a language model, and say of what they accept nothing: that of the Model Context Protocol's own server `fetch`.
const AGENTS: [&str; 1] = ["ModelContextProtocol/"];

/// The properties of a request that decide about rewriting.
#[derive(Clone)]
pub(crate) struct RequestInfo<'a> {
    pub(super) client: IpAddr,
    pub(crate) look: &'a PageProfile,
    target: &'a Target,
    host: &'a str,
    path: Option<PathAndQuery>,
    pub(super) method: Method,
    pub(super) destination: Option<String>,
    pub(super) by_script: bool,
    /// Whether `Accept` prefers HTML, whether it names it, and whether it names Markdown first, or its program reads nothing else.
    pub(super) prefers_html: bool,
    pub(super) names_html: bool,
    pub(crate) prefers_markdown: bool,
    /// Whether it has `Cache-Control: no-transform` (RFC 9111 § 5.2.1.6).
    pub(super) no_transform: bool,
    /// Whether the reader asked for the original.
    pub(crate) wants_original: bool,
    /// Whether it has a `Range` that may apply to a rewritten page.
    pub(super) has_range: bool,
    /// Whether it has conditions, of which a tag may be ours.
    pub(crate) is_conditional: bool,
    fields: Vec<(HeaderName, HeaderValue)>,
    /// Set where the request may be for a picture which is to be made smaller.
    pub(crate) picture: Option<PictureRequest>,
    /// The coding for a rewritten page.
    pub(super) coding: Option<Coding>,
    /// The bar of the page, which knows the view that is asked for.
    pub(crate) controls: Option<PageControls>,
    /// The encoding of a rewritten page.
    pub(super) charset: &'static Encoding,
    /// Bytes of a body at which its sender may stop until the answer begins.
    pub(crate) may_stop_at: Option<usize>,
    /// Set where the client gets in clear what is encrypted on the web.
    pub(crate) clear_client: Option<ClearClient>,
    /// How its page is presented, if not as its profile has it.
    pub(crate) presentation: Presentation,
}

/// The fields that only a page needs, for its bar and its coding: few responses are one.
const OF_PAGES: [HeaderName; 5] =
    [header::USER_AGENT, header::COOKIE, header::AUTHORIZATION, header::ACCEPT_ENCODING, header::ACCEPT_CHARSET];

impl<'a> RequestInfo<'a> {
    /// `host` is that of the target, as lists have it.
    pub(crate) fn new<B>(
        request: &Request<B>,
        client: IpAddr,
        target: &'a Target,
        host: &'a str,
        look: &'a PageProfile,
    ) -> Self {
        let headers = request.headers();
        let accepted = AcceptedMedia::from_headers(headers);
        let mut info = Self {
            client,
            look,
            target,
            host,
            path: request.uri().path_and_query().cloned(),
            method: request.method().clone(),
            destination: destination(headers).map(str::to_ascii_lowercase),
            by_script: headers.contains_key(X_REQUESTED_WITH),
            prefers_html: accepted.prefers_html(),
            names_html: accepted.names_html(),
            prefers_markdown: accepted.prefers_markdown() || !accepted.names_html() && is_agent(headers),
            no_transform: no_transform(headers),
            wants_original: false,
            has_range: headers.contains_key(header::RANGE)
                && !headers.get(header::IF_RANGE).is_some_and(validators::is_of_original),
            is_conditional: [header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE, header::IF_RANGE]
                .iter()
                .any(|name| headers.contains_key(name)),
            fields: Vec::new(),
            picture: None,
            coding: None,
            controls: None,
            charset: UTF_8,
            may_stop_at: None,
            clear_client: None,
            presentation: Presentation::default(),
        };
        info.picture = PictureRequest::from_request(request, &info);
        if look.enabled && (info.is_for_reader() || info.prefers_markdown) {
            let fields = headers.iter().filter(|(name, _)| OF_PAGES.contains(name));
            info.fields = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        }
        info
    }

    /// Whether it is one that a reader goes to, rather than a part of another.
    pub(crate) fn is_whole_page(&self) -> bool {
        self.can_be_repeated() && self.has_bar()
    }

    /// Whether its page has a bar: the answer to a form too, though without links to other views.
    pub(crate) fn has_bar(&self) -> bool {
        self.is_for_reader() && !self.is_framed() && self.presentation.form == SentForm::Page
    }

    /// Whether a link can repeat it.
    pub(super) fn can_be_repeated(&self) -> bool {
        self.method == Method::GET
    }

    /// The response may be a page: it needs a coding, and a bar that these fields of the request make.
    pub(crate) fn prepare_page(&mut self, bar: impl FnOnce(&HeaderMap) -> PageControls) {
        let fields = std::mem::take(&mut self.fields).into_iter().collect();
        self.coding = accept::choose_coding(&fields);
        self.charset = output_charset::choose(self.look.chain.charset(), &fields);
        if self.controls.is_none() && self.presentation.links.is_none() && self.has_bar() && self.look.has_controls() {
            self.controls = Some(bar(&fields));
        }
    }

    /// This request for another page of the host.
    pub(super) fn for_path(&self, path: PathAndQuery) -> Self {
        Self { path: Some(path), ..self.clone() }
    }

    pub(super) fn path(&self) -> PathAndQuery {
        self.path.clone().unwrap_or_else(|| PathAndQuery::from_static("/"))
    }

    /// `None` if the target is no URL; such a page is not rewritten.
    pub(crate) fn url(&self) -> Option<Url> {
        self.target.url(&self.path())
    }

    /// Whose its page is.
    pub(super) fn owner(&self) -> Arc<Owner> {
        Owner::new(self.client, self.host)
    }

    /// Whether its host matches.
    pub(super) fn is_for(&self, hosts: &HostPatterns) -> bool {
        !hosts.is_empty() && hosts.matches(self.host)
    }

    /// Whether the page is shown in a frame (Fetch Metadata § 2.1).
    pub(super) fn is_framed(&self) -> bool {
        matches!(self.destination.as_deref(), Some("iframe" | "frame"))
    }

    /// Whether it comes from a browser, which keeps pages from before they were rewritten. Programs that take everything
    /// (`curl -z`, `wget -N`, apt) ask again for what they have themselves fetched.
    pub(super) fn is_of_browser(&self) -> bool {
        self.destination.is_some() || self.names_html
    }

    /// The key of the document in whatever request asks for it: its address, and how it would be rewritten.
    pub(super) fn document(&self) -> impl Hash + use<'_> {
        (self.target, &self.path, &self.look.tagger)
    }

    /// Whether the response will be shown as a page (Fetch § 2.2.5), as far as the request shows.
    pub(super) fn is_for_reader(&self) -> bool {
        match self.destination.as_deref() {
            Some(destination) => matches!(destination, "document" | "iframe" | "frame"),
            None => (self.prefers_html || self.presentation.form == SentForm::Markdown) && !self.by_script,
        }
    }
}

/// Whether a program asks that reads for a language model: `Accept` names Markdown first, or no HTML and the program reads nothing else.
pub(crate) fn prefers_markdown(headers: &HeaderMap) -> bool {
    // Few requests are of one, and each is asked.
    if !accept::names_markdown(headers) && !is_agent(headers) {
        return false;
    }
    let accepted = AcceptedMedia::from_headers(headers);
    accepted.prefers_markdown() || !accepted.names_html()
}

/// Whether a request comes from a program that reads for a language model, by its name.
fn is_agent(headers: &HeaderMap) -> bool {
    let program = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    program.is_some_and(|program| AGENTS.iter().any(|agent| program.starts_with(agent)))
}
