//! Full text of feeds: the items of a feed that have none get the text of the pages that they lead to.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use futures_util::{StreamExt, stream};
use gleaner_filters::{Addresses, SharedAddresses};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Collected};
use maud::html;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    Exchange,
    asked::ReadRequest,
    fetch::{FetchOutcome, FetchWay, fetch_problem},
};
use crate::{
    client::fetch,
    http::{body::Body, headers::Media},
    pages::{error::Error, reading},
    rewrite::feeds::{self, Feed},
};

/// Longest feed, and longest text that is added to one, in bytes.
const MAX_FEED: usize = 8 << 20;

/// Longest text of an item in bytes. A book on one page is read there.
const MAX_TEXT: usize = 512 << 10;

/// Pages that are fetched for one request, and at once. Raising them asks more of the sites each time.
const MAX_NEW: usize = 10;
const AT_ONCE: usize = 3;

/// For all pages of a request: readers of feeds wait for half a minute. What did not come is there the next time.
const PAGES_TIMEOUT: Duration = Duration::from_secs(20);

/// The addresses of an item's text, which are those of its page.
#[derive(Debug)]
struct OwnAddresses;

impl Addresses for OwnAddresses {
    fn page(&self, url: &Url) -> String {
        url.to_string()
    }

    fn picture(&self, url: &Url) -> Option<String> {
        Some(url.to_string())
    }

    fn form(&self, _action: &Url) -> Option<(String, (String, String))> {
        None
    }

    fn part(&self, _number: usize) -> String {
        String::new()
    }
}

impl Exchange {
    /// A feed of the same kind, with texts.
    pub(super) async fn feed(
        &mut self,
        address: &Url,
        headers: &HeaderMap,
        host: &str,
    ) -> Result<Response<Body>, Error> {
        let texts = Arc::clone(&self.proxy.feed_texts);
        // A page that names its feed leads to it, and no further.
        let (mut address, mut is_named) = (address.clone(), false);
        let (url, feed) = loop {
            let way = FetchWay { pace: Some(&texts), ..FetchWay::GZIP };
            let fetched = match self.fetch(address, "other", None, headers, way).await? {
                FetchOutcome::Response(fetched) => *fetched,
                other => return Ok(fetch_problem(other)),
            };
            let (url, status) = (fetched.url.clone(), fetched.response.status());
            if !status.is_success() {
                return Ok(no_feed(&url, &format!("its site answers {status}")));
            }
            let (fields, bytes) = match fetch::read(fetched.response, MAX_FEED).await {
                Ok(read) => read,
                Err(problem) => return Ok(no_feed(&url, &problem)),
            };
            if let Some(feed) = Feed::parse(&bytes, &fields, &url) {
                break (url, feed);
            }
            let is_page = Media::from_headers(&fields) == Media::Html && !is_named;
            let Some(named) = feeds::linked(&bytes, &fields, &url).filter(|_| is_page) else {
                return Ok(no_feed(&url, "it is no RSS, Atom or JSON Feed, and no page that names one"));
            };
            (address, is_named) = (named, true);
        };
        let kind = feed.kind;
        let lock = texts.lock_of(url.as_str());
        let all = {
            let _in_work = lock.lock().await;
            self.texts(&feed, headers, host).await
        };
        Ok(answer(feed.with_texts(&all), kind.media_type(), headers))
    }

    /// A text for each item, as far as it is known or comes in time.
    async fn texts(&self, feed: &Feed, headers: &HeaderMap, host: &str) -> Vec<Option<Arc<str>>> {
        let known = &self.proxy.feed_texts;
        let pages = feed.items.iter().map(|item| item.page.clone().filter(|_| !item.is_whole));
        let pages: Vec<Option<(Url, String)>> =
            pages.map(|page| page.map(|page| (page.clone(), self.text_key(&page, headers)))).collect();
        let wanted = pages.iter().flatten().filter(|(_, key)| known.get(key).is_none()).take(MAX_NEW);
        let deadline = Instant::now() + PAGES_TIMEOUT;
        let shared = Arc::new((headers.clone(), host.to_owned()));
        let fetched = wanted.map(|(page, key)| -> Pin<Box<dyn Future<Output = ()> + Send>> {
            let (mut item, page, key) = (self.beside(), page.clone(), key.clone());
            let (known, shared) = (Arc::clone(known), Arc::clone(&shared));
            Box::pin(async move {
                let (headers, host) = &*shared;
                if let Ok(text) = timeout_at(deadline, item.item_text(page, headers, host)).await {
                    known.add(key, text);
                }
            })
        });
        let fetched: Vec<_> = fetched.collect();
        stream::iter(fetched).buffer_unordered(AT_ONCE).collect::<()>().await;
        let mut room = MAX_FEED;
        let text = |(item, page): (&feeds::FeedItem, &Option<(Url, String)>)| {
            let text = known.get(&page.as_ref()?.1)?.text?;
            room = room.checked_sub(text.len())?;
            Some(text).filter(|text| feeds::seen_chars(text) > item.chars)
        };
        feed.items.iter().zip(&pages).map(text).collect()
    }

    /// What the text of a page is known by: profiles read pages differently.
    fn text_key(&self, page: &Url, headers: &HeaderMap) -> String {
        let profile = self.profile(headers, page.host_str().unwrap_or_default()).map_or(0, |choice| choice.index);
        format!("{profile} {page}")
    }

    /// A request of our own that belongs to this one.
    fn beside(&self) -> Self {
        Self {
            proxy: Arc::clone(&self.proxy),
            connection: Arc::clone(&self.connection),
            state: Arc::clone(&self.state),
            user: self.user.clone(),
            log: self.log.unwritten(),
            over_icap: false,
            error_form: None,
        }
    }

    /// The text of the page of an item.
    async fn item_text(&mut self, page: Url, headers: &HeaderMap, host: &str) -> Option<Arc<str>> {
        let texts = Arc::clone(&self.proxy.feed_texts);
        let Ok(FetchOutcome::Response(fetched)) =
            self.fetch(page, "document", None, headers, FetchWay { pace: Some(&texts), ..FetchWay::default() }).await
        else {
            return None;
        };
        let response = &fetched.response;
        if !response.status().is_success() || Media::from_headers(response.headers()) != Media::Html {
            return None;
        }
        let asked = ReadRequest::chapter(fetched.url.clone());
        let look = self.reading_options(&asked, headers, fetched.host());
        let addresses: SharedAddresses = Arc::new(OwnAddresses);
        let (response, outcome) = self.present(&asked, *fetched, headers, host, (look, addresses)).await.ok()?;
        outcome.rewritten()?;
        let chapter = response.into_body().collect().await.map(Collected::to_bytes).ok()?;
        let text = feeds::fragment(str::from_utf8(&chapter).ok()?);
        (text.len() <= MAX_TEXT).then(|| text.into())
    }
}

fn answer(feed: String, kind: &'static str, headers: &HeaderMap) -> Response<Body> {
    let mut hasher = DefaultHasher::new();
    feed.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let has_it = known.filter(|tags| tags.contains(&tag)).count() > 0;
    let mut response = Response::new(if has_it { Body::default() } else { Body::from(feed) });
    if has_it {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let fields = response.headers_mut();
    reading::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    // Readers of feeds do not look at it. A browser saves the feed, and shows no document of a site's making under our address.
    fields.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"feed\""));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    fields.extend(HeaderValue::try_from(tag).ok().map(|tag| (header::ETAG, tag)));
    response
}

fn no_feed(url: &Url, problem: &str) -> Response<Body> {
    let text = format!("Of this feed nothing can be made: {problem}.");
    let link = html! { a href=(url) rel="noreferrer" { "Its own address" } };
    reading::message_with(StatusCode::BAD_GATEWAY, "No feed", &text, &link, "")
}
