//! The links of the bar on rewritten pages: which view of which page, and for whom.
//!
//! A link is the page's own address with one parameter more, so that relative links and places on the page work in every
//! view, and the browser sends the site's cookies if the page must be fetched again. The parameter is taken out of the
//! request: no origin sees it.
//!
//! A site cannot make a link to a page that it cannot read, because the parameter has a MAC of the page's address, the view
//! and the client. What a site's script can read in its own pages shows these pages in another form and gives it nothing
//! else: the original has a confirmation on the control host (`state::bypass_links`), and so have the settings of a site.
//!
//! A link that is not ours (forged, of another device, older than the secret, followed from another site) leads to the page
//! as it is shown without.

mod originals;
mod page_profile;

use std::sync::{Arc, OnceLock};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use bytes::Bytes;
use gleaner_filters::{Links, Shape, View};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, header, response::Parts, uri::PathAndQuery};
use ring::hmac;
use url::{Url, form_urlencoded};

use self::originals::Originals;
pub(crate) use self::{originals::StoredPage, page_profile::ReadingOptions};
use crate::{
    http::headers::{members, without},
    net::{client_program::ClientProgram, control_host, target::Target},
    rewrite::RequestInfo,
    util::tokens::{self, Tokens},
};

/// The purpose of the keys of books.
const BOOK: &str = "book";

const PARAMETER: &str = "gleaner-view";

/// Length of an HMAC-SHA-256.
const MAC_BYTES: usize = 32;

const ID_BYTES: usize = 8;

/// Identifies a version of a page: the first bytes of an HMAC over URL, client and body. Only a client that received the page
/// can know it, and an unchanged page keeps its links.
pub(crate) type PageId = [u8; ID_BYTES];

/// Makes links and checks them.
pub(crate) struct ViewLinks {
    tokens: Arc<Tokens>,
    originals: Originals,
}

/// The meaning of a request's address.
pub(crate) enum LinkCheck {
    /// An address that is no link of the bar.
    NotALink,
    /// An address in the form of a link of the bar that must not have its effect; this is the page.
    Invalid(Url),
    /// A view of the page.
    View(View, PageId),
}

/// The bar of one rewritten page.
#[derive(Clone)]
pub(crate) struct PageControls {
    links: Arc<ViewLinks>,
    device: ClientProgram,
    /// The request's cookies and credentials: what was kept with others is not shown.
    account: Vec<(HeaderName, HeaderValue)>,
    /// Whether it offers the page as a book, and to keep it.
    has_shelf: bool,
    view: View,
    /// Id in the link that was followed.
    followed_id: Option<PageId>,
    /// Id for the links on the page: known when the page has been received.
    page_id: Arc<OnceLock<PageId>>,
}

impl ViewLinks {
    pub(crate) fn new(tokens: Arc<Tokens>) -> Self {
        Self { tokens, originals: Originals::default() }
    }

    /// Takes the parameter out of a request, and says what it asks for.
    pub(crate) fn take<B>(
        &self,
        request: &mut Request<B>,
        target: &Target,
        device: impl Fn(&HeaderMap) -> ClientProgram,
    ) -> LinkCheck {
        // A page can ask for whole addresses there (`referrerpolicy`).
        let referer = request.headers().get(header::REFERER).and_then(|referer| split(referer.to_str().ok()?));
        if let Some(Ok(referer)) = referer.map(|(left, _)| HeaderValue::try_from(left)) {
            request.headers_mut().insert(header::REFERER, referer);
        }
        let Some((page, ours)) = request.uri().path_and_query().and_then(|path| split(path.as_str())) else {
            return LinkCheck::NotALink;
        };
        let asked = view_and_token(&ours);
        let Ok(page) = page.parse::<PathAndQuery>() else { return LinkCheck::NotALink };
        let Some(url) = set_path(request, &page).and_then(|()| target.url(&page)) else {
            return LinkCheck::NotALink;
        };
        if request.method() != Method::GET {
            // A form without an address of its own is sent to that of the view.
            return LinkCheck::NotALink;
        }
        let Some((view, token)) = asked else { return LinkCheck::Invalid(url) };
        let headers = request.headers();
        let (id, mac) = token.split_at(ID_BYTES);
        let id: PageId = id.try_into().unwrap_or_default();
        let signed = signed(&device(headers), &url, view, id);
        let is_ours = hmac::verify(self.tokens.key(), &signed, mac).is_ok();
        if is_ours && is_of_page(headers, &url) { LinkCheck::View(view, id) } else { LinkCheck::Invalid(url) }
    }

    /// The key of a page as a book, for this client.
    fn book_key(&self, device: &ClientProgram, page: &Url) -> String {
        tokens::text(self.tokens.token(BOOK, &[client_bytes(device, &[page.as_str()])]))
    }

    /// Whether a link of a bar asks for a page as a book.
    pub(crate) fn is_book_key(&self, key: &str, device: &ClientProgram, page: &Url) -> bool {
        self.tokens.is(key, BOOK, &[client_bytes(device, &[page.as_str()])])
    }

    /// The bar of a page that is shown to this client; `shown` where it is a view.
    pub(crate) fn page_controls(
        self: &Arc<Self>,
        device: ClientProgram,
        headers: &HeaderMap,
        shown: Option<(View, PageId)>,
        has_shelf: bool,
    ) -> PageControls {
        let fields = [header::COOKIE, header::AUTHORIZATION].into_iter();
        let account =
            fields.flat_map(|name| headers.get_all(&name).iter().map(move |value| (name.clone(), value.clone())));
        let view = shown.map(|(view, _)| view).unwrap_or_default();
        let followed_id = shown.map(|(_, id)| id);
        PageControls {
            links: Arc::clone(self),
            device,
            account: account.collect(),
            has_shelf,
            view,
            followed_id,
            page_id: Arc::default(),
        }
    }
}

impl PageControls {
    /// Numbers the page, all of which has come.
    pub(crate) fn number(&self, page: &Url, body: &[Bytes]) {
        let mut context = hmac::Context::with_key(self.links.tokens.key());
        context.update(b"page");
        context.update(&client_bytes(&self.device, &[page.as_str()]));
        for chunk in body {
            context.update(chunk);
        }
        // Another call has nothing to add.
        let _ = self.page_id.set(start(context));
    }

    /// The links of the bar; those to other views where the page can be asked for again.
    pub(crate) fn links(&self, page: &Url, can_be_repeated: bool) -> Links {
        let (site, look) = (control_host::never_link(page), control_host::look_link(page));
        let is_offered = self.has_shelf && can_be_repeated;
        let book = is_offered.then(|| control_host::book_link(page, &self.links.book_key(&self.device, page)).into());
        let keep = is_offered.then(|| control_host::keep_link(page).into());
        let (this, page) = (self.clone(), page.clone());
        let to = move |view| this.link(&page, view).into();
        Links { view: self.view, to: can_be_repeated.then(|| Arc::new(to) as _), site: Some(site), look, book, keep }
    }

    fn link(&self, page: &Url, view: View) -> Url {
        let mut link = page.clone();
        link.set_fragment(None);
        // If the page id is not known yet, zeros: the cached original is then not found and the page is fetched again.
        let id = self.page_id.get().copied().unwrap_or_default();
        let mac = hmac::sign(self.links.tokens.key(), &signed(&self.device, &link, view, id));
        let token = BASE64_URL_SAFE_NO_PAD.encode([&id, mac.as_ref()].concat());
        let before = page.query().map(|query| format!("{query}&")).unwrap_or_default();
        link.set_query(Some(&format!("{before}{PARAMETER}={view}.{token}")));
        link
    }

    /// Whether the view is data.
    pub(crate) fn is_data(&self) -> bool {
        self.view.shape == Shape::Json
    }

    /// Whether the request is for a view, rather than for the page itself.
    fn is_view(&self) -> bool {
        self.followed_id.is_some()
    }

    /// Keeps a page as it came for its other views, unless it must not be stored (RFC 9111 § 5.2.2.5).
    pub(crate) fn keep(&self, page: &Url, head: &Parts, body: &[Bytes]) {
        let is_secret = members(&head.headers, &header::CACHE_CONTROL).any(|it| it.eq_ignore_ascii_case("no-store"));
        // Showing another view of it does not make it younger.
        if is_secret || self.is_view() && self.original(page).is_some() {
            return;
        }
        if let Some(&id) = self.page_id.get() {
            // Cookies are set once.
            let headers = without(&head.headers, |name| *name == header::SET_COOKIE);
            let original = StoredPage { page: page.clone(), status: head.status, headers, body: body.to_vec() };
            self.links.originals.keep(&self.device, self.cache_key(id), original);
        }
    }

    /// The original of this view.
    fn original(&self, page: &Url) -> Option<Arc<StoredPage>> {
        self.links.originals.get(&self.device, self.cache_key(self.followed_id?), page)
    }

    /// Under which number a page is kept.
    fn cache_key(&self, id: PageId) -> PageId {
        let mut context = hmac::Context::with_key(self.links.tokens.key());
        for (name, value) in &self.account {
            context.update(&[name.as_str().as_bytes(), value.as_bytes(), b"\n"].concat());
        }
        let account = start(context);
        std::array::from_fn(|index| id[index] ^ account[index])
    }
}

impl RequestInfo<'_> {
    /// The original of a view, where it is still here.
    pub(crate) fn kept_original(&self) -> Option<Arc<StoredPage>> {
        self.controls.as_ref()?.original(&self.url()?)
    }

    /// Whether it is for a view of a page.
    pub(crate) fn is_view(&self) -> bool {
        self.controls.as_ref().is_some_and(PageControls::is_view)
    }
}

/// The first bytes of a MAC.
fn start(context: hmac::Context) -> PageId {
    let mac = context.sign();
    std::array::from_fn(|index| mac.as_ref()[index])
}

/// The bytes over which a link's MAC is computed.
fn signed(device: &ClientProgram, page: &Url, view: View, id: PageId) -> Vec<u8> {
    [&b"link"[..], &id, &client_bytes(device, &[page.as_str(), &view.to_string()])].concat()
}

/// Texts for one client, each with its length.
fn client_bytes(device: &ClientProgram, texts: &[&str]) -> Vec<u8> {
    let address = device.address.to_string();
    let client = [&*address, device.user.as_deref().unwrap_or_default(), &device.agent];
    let each = |text: &&str| [&(text.len() as u64).to_be_bytes(), text.as_bytes()].concat();
    client.iter().chain(texts).flat_map(each).collect()
}

/// Splits our parameters, however they are written, off a path and query. `None` if there are none.
fn split(address: &str) -> Option<(String, Vec<String>)> {
    let (path, query) = address.split_once('?')?;
    let is_ours = |pair: &&str| form_urlencoded::parse(pair.as_bytes()).any(|(name, _)| name == PARAMETER);
    if !query.split('&').any(|pair| is_ours(&pair)) {
        return None;
    }
    let (ours, others): (Vec<_>, Vec<_>) = query.split('&').partition(is_ours);
    let left = if others.is_empty() { path.to_owned() } else { format!("{path}?{}", others.join("&")) };
    Some((left, ours.into_iter().map(str::to_owned).collect()))
}

/// View and token in our parameter, if there is one and it is well-formed.
fn view_and_token(ours: &[String]) -> Option<(View, Vec<u8>)> {
    let [only] = ours else { return None };
    let (view, token) = only.strip_prefix(PARAMETER)?.strip_prefix('=')?.rsplit_once('.')?;
    let token = BASE64_URL_SAFE_NO_PAD.decode(token).ok().filter(|token| token.len() == ID_BYTES + MAC_BYTES)?;
    Some((view.parse().ok()?, token))
}

fn set_path<B>(request: &mut Request<B>, path: &PathAndQuery) -> Option<()> {
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(path.clone());
    *request.uri_mut() = Uri::from_parts(parts).ok()?;
    Some(())
}

/// Whether the link was followed on a page of the same origin, or by a person: as far as the browser says.
fn is_of_page(headers: &HeaderMap, page: &Url) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_near = text("sec-fetch-site").is_none_or(|site| ["same-origin", "none"].contains(&site));
    let referer = text(header::REFERER.as_str()).map(|from| Url::parse(from).ok());
    is_near && referer.is_none_or(|from| from.is_some_and(|from| from.origin() == page.origin()))
}
