//! What a request is for: its kind and the page that makes it, as far as it says so.
//!
//! Browsers say it in `Sec-Fetch-Dest` and `Referer`, on encrypted connections and to this machine; elsewhere `Accept` and the
//! path must do. A request that names no page and asks for none is judged by its host alone: rules for paths are written for what
//! pages load, and the download of `/ads/list.zip` by a program is not that.

use gleaner_filters::Resource;
use http::{HeaderMap, HeaderName, Method, Request, header};
use url::Url;

use crate::http::headers::{accept::AcceptedMedia, destination};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const PING_TO: HeaderName = HeaderName::from_static("ping-to");

/// A request as the lists judge it.
#[derive(Clone, Debug)]
pub struct BlockingRequest {
    url: Url,
    page: Option<Url>,
    kind: &'static str,
    method: String,
    /// Whether `page` is the page that asks, and no guess.
    is_page_known: bool,
    /// The site that shows this page in a frame or links to it: over plain HTTP nothing tells which.
    embedder: Option<String>,
}

impl BlockingRequest {
    /// A request for `url` of one of the kinds `document`, `subdocument`, `script`, `image`, `stylesheet`, `font`, `media`, `object`,
    /// `xmlhttprequest`, `ping`, `websocket` and `other`, made by a page.
    #[must_use]
    pub fn new(url: Url, page: Option<Url>, kind: &'static str) -> Self {
        // Going to a page is no request of the page that links to it.
        let page = if kind == DOCUMENT { Some(url.clone()) } else { page };
        let is_page_known = page.is_some();
        Self { url, page, kind, method: "get".to_owned(), is_page_known, embedder: None }
    }

    /// A host, of which nothing more is known.
    #[must_use]
    pub fn host_alone(host: &str) -> Option<Self> {
        let url = Url::parse(&format!("https://{host}/")).ok()?;
        Some(Self { is_page_known: false, ..Self::new(url.clone(), Some(url), OTHER) })
    }

    pub(crate) fn from_request<B>(request: &Request<B>, url: Url) -> Self {
        let headers = request.headers();
        let kind = kind_of(request, &url);
        let method = request.method().as_str().to_owned();
        let mut embedder = None;
        let (page, alone) = match asker(headers, &url) {
            RequestSource::Page(page) => {
                let may_embed = kind == DOCUMENT && destination::destination(headers).is_none();
                embedder = page.host_str().filter(|_| may_embed).map(str::to_owned);
                (Some(page), None)
            }
            RequestSource::Unknown if kind != DOCUMENT => (None, url.host_str().and_then(Self::host_alone)),
            RequestSource::OtherSite | RequestSource::Unknown => (None, None),
        };
        Self { method, embedder, ..alone.unwrap_or_else(|| Self::new(url, page, kind)) }
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn address(&self) -> &str {
        self.url.as_str()
    }

    pub(super) fn page(&self) -> &str {
        self.page.as_ref().map_or("", Url::as_str)
    }

    /// The page's host; empty where the page is not known.
    #[must_use]
    pub fn site(&self) -> &str {
        self.page.as_ref().and_then(Url::host_str).unwrap_or_default()
    }

    /// The host that is asked.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Whether a page that asks is known.
    pub(crate) fn is_page_known(&self) -> bool {
        self.is_page_known
    }

    /// The site that shows this page in a frame or links to it, where nothing tells which.
    pub(crate) fn embedder(&self) -> Option<&str> {
        self.embedder.as_deref()
    }

    /// Whether it loads what asks for more by itself: a page, a frame or a style sheet.
    pub(crate) fn may_ask_for_more(&self) -> bool {
        matches!(self.kind, DOCUMENT | "subdocument" | "stylesheet")
    }

    /// Whether the page that makes it has the origin of the address.
    pub(crate) fn is_of_own_origin(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.origin() == self.url.origin())
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Whether it is a page to go to.
    pub(crate) fn is_document(&self) -> bool {
        self.kind == DOCUMENT
    }

    pub(super) fn method(&self) -> &str {
        &self.method
    }
}

const DOCUMENT: &str = "document";
const OTHER: &str = "other";

/// The site of the page that asks for a part of itself, where it is another than the one that is asked. For the log, so that it is cheap.
pub(crate) fn asking_site(headers: &HeaderMap, host: &str) -> Option<Box<str>> {
    if destination::destination(headers) == Some(DOCUMENT) {
        return None;
    }
    let field = headers.get(header::REFERER).or_else(|| headers.get(header::ORIGIN))?.to_str().ok()?;
    let (_, place) = field.split_once("://")?;
    let place = place.split(['/', '?', '#']).next()?;
    let site = place.rsplit_once(':').map_or(place, |(name, _)| name).trim_matches(['[', ']']);
    (site != host && !site.is_empty() && site.len() < 254 && !site.contains('@')).then(|| site.into())
}

/// The kinds of request, by the names that rules give them.
pub const KINDS: [&str; 12] = [
    DOCUMENT,
    "subdocument",
    "script",
    "image",
    "stylesheet",
    "font",
    "media",
    "object",
    "xmlhttprequest",
    "ping",
    "websocket",
    OTHER,
];

/// The kind of what an element wants.
#[must_use]
pub fn kind(resource: Resource) -> &'static str {
    match resource {
        Resource::Document => DOCUMENT,
        Resource::Frame => "subdocument",
        Resource::Image => "image",
        Resource::Media => "media",
        Resource::Object => "object",
        Resource::Script => "script",
        Resource::Stylesheet => "stylesheet",
        Resource::Other => OTHER,
    }
}

/// Who makes a request.
enum RequestSource {
    Page(Url),
    /// A page of another site, which is not known.
    OtherSite,
    /// A page or something else.
    Unknown,
}

fn asker(headers: &HeaderMap, url: &Url) -> RequestSource {
    let named = [header::REFERER, header::ORIGIN].into_iter().find_map(|name| {
        let value = headers.get(name)?.to_str().ok()?;
        Url::parse(value).ok().filter(Url::has_host)
    });
    if let Some(page) = named {
        return RequestSource::Page(page);
    }
    match headers.get(SEC_FETCH_SITE).map(http::HeaderValue::as_bytes) {
        Some(b"cross-site") => RequestSource::OtherSite,
        Some(b"same-origin" | b"same-site") => RequestSource::Page(url.clone()),
        _ => RequestSource::Unknown,
    }
}

fn kind_of<B>(request: &Request<B>, url: &Url) -> &'static str {
    let headers = request.headers();
    if headers.contains_key(header::UPGRADE) || request.method() == Method::CONNECT {
        return "websocket";
    }
    if headers.contains_key(PING_TO) {
        return "ping";
    }
    // Fetch § 2.2.5, "mode" and "destination".
    let destination = destination::destination(headers);
    match (destination::mode(headers), destination) {
        // `sendBeacon`.
        (Some("no-cors"), Some("empty")) if request.method() == Method::POST => return "ping",
        (Some("websocket"), _) => return "websocket",
        _ => {}
    }
    match destination {
        Some("document") => DOCUMENT,
        Some("iframe" | "frame" | "fencedframe") => "subdocument",
        Some("script" | "worker" | "sharedworker" | "serviceworker" | "audioworklet" | "paintworklet") => "script",
        Some("image") => "image",
        Some("style" | "xslt") => "stylesheet",
        Some("font") => "font",
        Some("audio" | "video" | "track") => "media",
        Some("object" | "embed") => "object",
        Some("empty" | "json") => "xmlhttprequest",
        Some(_) => OTHER,
        None => by_accept(headers, url, request.method() == Method::GET),
    }
}

/// The kind by `Accept` and the path.
fn by_accept(headers: &HeaderMap, url: &Url, is_get: bool) -> &'static str {
    let has_origin = headers.contains_key(header::ORIGIN);
    let first = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let first = first.split([',', ';']).next().unwrap_or_default().trim();
    match first {
        // What goes to a page by GET names no origin; a script that fetches one does.
        "text/html" | "application/xhtml+xml" if is_get && has_origin => return "xmlhttprequest",
        "text/html" | "application/xhtml+xml" => return DOCUMENT,
        "text/css" => return "stylesheet",
        "application/json" => return "xmlhttprequest",
        _ if first.starts_with("image/") => return "image",
        _ if first.starts_with("audio/") || first.starts_with("video/") => return "media",
        _ => {}
    }
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    match &*extension {
        "js" | "mjs" => "script",
        "css" => "stylesheet",
        "gif" | "png" | "jpg" | "jpeg" | "webp" | "avif" | "svg" | "ico" => "image",
        "woff" | "woff2" | "ttf" | "otf" => "font",
        "mp4" | "webm" | "mp3" | "ogg" | "m4a" => "media",
        "json" => "xmlhttprequest",
        // Elements with `crossorigin` send it too, but for files with the extensions above.
        _ if has_origin && first == "*/*" => "xmlhttprequest",
        _ if headers.get(header::REFERER).is_none() && AcceptedMedia::from_headers(headers).prefers_html() => DOCUMENT,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(url: &str, fields: &[(&str, &str)]) -> (String, &'static str, String) {
        let mut request = Request::get(url);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let wanted = BlockingRequest::from_request(&request.body(()).unwrap(), url.parse().unwrap());
        (wanted.address().to_owned(), wanted.kind(), wanted.page().to_owned())
    }

    #[test]
    fn a_request_says_what_it_is_for() {
        let page = ("referer", "https://news.example/a");
        for (path, fields, kind) in [
            ("/x", vec![page, ("sec-fetch-dest", "script")], "script"),
            ("/x.js", vec![page, ("sec-fetch-dest", "empty")], "xmlhttprequest"),
            ("/x", vec![page, ("sec-fetch-dest", "report")], "other"),
            ("/x", vec![page, ("sec-fetch-dest", "iframe")], "subdocument"),
            ("/x", vec![page, ("accept", "image/avif,image/webp,*/*;q=0.8")], "image"),
            ("/x", vec![page, ("accept", "text/css,*/*;q=0.1")], "stylesheet"),
            ("/x.js?v=1", vec![page, ("accept", "*/*")], "script"),
            ("/f.woff2", vec![page, ("accept", "*/*")], "font"),
            ("/x", vec![page, ("accept", "*/*")], "other"),
            ("/x", vec![page, ("accept", "*/*"), ("origin", "http://news.example")], "xmlhttprequest"),
            ("/x", vec![page, ("accept", "text/html"), ("origin", "http://news.example")], "xmlhttprequest"),
            ("/x.json?v=1", vec![page, ("accept", "*/*")], "xmlhttprequest"),
            ("/x", vec![page, ("upgrade", "websocket")], "websocket"),
            ("/x", vec![page, ("sec-fetch-dest", "empty"), ("sec-fetch-mode", "cors")], "xmlhttprequest"),
            ("/x", vec![page, ("sec-fetch-dest", "empty"), ("sec-fetch-mode", "no-cors")], "xmlhttprequest"),
            ("/x", vec![page, ("sec-fetch-dest", "websocket"), ("sec-fetch-mode", "websocket")], "websocket"),
        ] {
            let url = format!("https://ads.example{path}");
            assert_eq!(wanted(&url, &fields), (url, kind, page.1.to_owned()), "{fields:?}");
        }
    }

    #[test]
    fn to_go_to_a_page_is_no_request_of_another() {
        for fields in [
            vec![("sec-fetch-dest", "document"), ("referer", "https://other.example/")],
            vec![("accept", "text/html,*/*;q=0.8"), ("referer", "https://other.example/")],
            vec![("sec-fetch-dest", "empty"), ("sec-fetch-mode", "navigate"), ("referer", "https://ads.example/")],
            vec![],
        ] {
            let url = "https://ads.example/x".to_owned();
            assert_eq!(wanted(&url, &fields), (url.clone(), "document", url), "{fields:?}");
        }
    }

    #[test]
    fn what_is_sent_without_waiting_is_a_ping() {
        let request = Request::post("https://ads.example/x").header("referer", "https://news.example/");
        let request = request.header("sec-fetch-dest", "empty").header("sec-fetch-mode", "no-cors");
        let wanted =
            BlockingRequest::from_request(&request.body(()).unwrap(), "https://ads.example/x".parse().unwrap());
        assert_eq!(wanted.kind(), "ping");
    }

    #[test]
    fn a_request_without_a_page_is_judged_by_its_host() {
        let host = || ("https://a.example/".to_owned(), "other", "https://a.example/".to_owned());
        for path in ["/ads/list.zip", "/ads/x.js"] {
            assert_eq!(wanted(&format!("https://a.example{path}"), &[("accept", "application/zip")]), host());
        }
        let (_, _, page) =
            wanted("https://a.example/x.js", &[("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "script")]);
        assert_eq!(page, "");
    }
}
