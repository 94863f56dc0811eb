//! Articles of several pages, joined: the next pages are fetched with the client's header fields, and the content chosen
//! of each is appended to the first page.
//!
//! Any failure ends the joining: the pages so far are sent, with a link to the next one at the end.

use std::{
    collections::HashSet,
    future::Future,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use gleaner_filters::{Filtered, Part};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, uri::PathAndQuery};
use tokio::time::{Instant, timeout_at};
use tracing::debug;
use url::{Position, Url};

use super::{Body, RequestInfo, Rewriter, content_length, eligibility, original::Original, page_job::Purpose};
use crate::http::{body::IncomingBody, headers::without};

/// Timeout for all pages after the first together. Raising it joins more pages of slow sites, and their readers wait longer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A page of which less than one part in so many is new text repeats the pages before it: a counter may differ.
const REPEATS: usize = 10;

/// Sends further requests to the origin of a page.
pub(crate) trait Fetch: Send {
    /// The whole response, as it is for the client; `None` if it failed. `from` is the page that links there, if it is not the
    /// one that links to the first page.
    fn fetch(
        &mut self,
        path: PathAndQuery,
        from: Option<&Url>,
    ) -> impl Future<Output = Option<Response<IncomingBody>>> + Send;
}

impl Rewriter {
    /// Whether next pages may be appended to the response.
    pub(super) fn joins(&self, asked: &RequestInfo<'_>) -> bool {
        self.settings.join_pages > 1 && asked.method == Method::GET && !asked.is_framed()
    }

    /// Appends the next pages to a page and merges their header fields. Returns the number of pages.
    pub(super) async fn join(
        &self,
        asked: &RequestInfo<'_>,
        fields: &mut HeaderMap,
        page: &mut Filtered,
        mut more: impl Fetch,
    ) -> u32 {
        let deadline = Instant::now() + TIMEOUT;
        let article = page.metadata.title.clone();
        let Some(mut from) = asked.url() else { return 1 };
        let mut seen = Seen::default();
        seen.add(&from, page);
        let mut pages = 1;
        while pages < self.settings.join_pages
            && page.report.selected
            && page.next_page_link.is_some()
            && page.content.len() <= self.settings.max_html_bytes
            && let Some(next) = page.metadata.next_page.clone()
        {
            if seen.urls.contains(&next[..Position::AfterQuery]) {
                page.remove_next_page_link();
                break;
            }
            let part = Part { article: article.clone(), number: pages + 1 };
            let fetched = self.part(asked, &next, &from, part, &mut more);
            let Ok(Some((part_fields, part))) = timeout_at(deadline, fetched).await else {
                debug!(%next, "the next page is not joined");
                break;
            };
            if !page.is_same_article_as(&part) {
                debug!(%next, "the next page is another article");
                break;
            }
            if !seen.add(&next, &part) {
                debug!(%next, "the next page repeats those before it");
                break;
            }
            if pages == 1 {
                drop_validators(fields);
            }
            merge_fields(fields, &part_fields);
            page.join(part);
            pages += 1;
            from = next;
        }
        pages
    }

    /// Fetches and filters one more page.
    async fn part(
        &self,
        asked: &RequestInfo<'_>,
        next: &Url,
        from: &Url,
        part: Part,
        more: &mut impl Fetch,
    ) -> Option<(HeaderMap, Filtered)> {
        let path: PathAndQuery = next[Position::BeforePath..Position::AfterQuery].parse().ok()?;
        let response = more.fetch(path.clone(), Some(from)).await?;
        let (head, body) = response.into_parts();
        let asked = asked.for_path(path);
        let codings = eligibility::judge(&asked, &head, &self.settings).ok()?;
        if head.status != StatusCode::OK {
            return None;
        }
        let length = content_length(&head.headers);
        let reservation = self.memory.reserve(&asked.owner(), length, !codings.is_empty()).await.ok()?;
        let purpose = Purpose::Part(part);
        let mut original = Original::new(self.settings.max_html_bytes, reservation.clone());
        let job = self.job(&asked, next, &head, codings, reservation, purpose);
        let worker = self.workers.start(job);
        let part = self.receive(&asked, &mut Body::new(body), &mut original, worker, |_| {}).await.ok()?;
        Some((head.headers, part))
    }
}

/// The pages so far: the last page of some articles links back to one of them, and some sites answer every URL alike.
#[derive(Default)]
struct Seen {
    urls: HashSet<String>,
    hasher: RandomState,
    /// Hashes of the texts between tags.
    texts: HashSet<u64>,
}

impl Seen {
    /// Adds a page. Returns whether it has new text.
    fn add(&mut self, url: &Url, page: &Filtered) -> bool {
        self.urls.insert(url[..Position::AfterQuery].to_owned());
        let (mut known, mut all) = (0, 0);
        for (_, text) in page.content.split('<').filter_map(|tag| tag.split_once('>')) {
            let text = text.trim();
            all += text.len();
            known += if self.texts.insert(self.hasher.hash_one(text)) { 0 } else { text.len() };
        }
        known * REPEATS < all * (REPEATS - 1)
    }
}

/// Removes the validators of one page: they do not cover the others.
pub(super) fn drop_validators(fields: &mut HeaderMap) {
    *fields = without(fields, |name| *name == header::ETAG || *name == header::LAST_MODIFIED);
}

/// Merges the fields of two pages: cookies of both, and stored by caches only if both agree.
fn merge_fields(fields: &mut HeaderMap, others: &HeaderMap) {
    for cookie in others.get_all(header::SET_COOKIE) {
        fields.append(header::SET_COOKIE, cookie.clone());
    }
    let is_equal = |name| fields.get_all(&name).iter().eq(others.get_all(&name));
    if !is_equal(header::CACHE_CONTROL) {
        *fields = without(fields, |name| *name == header::EXPIRES);
        let not_stored = HeaderValue::from_static("private, no-cache, no-store");
        fields.insert(header::CACHE_CONTROL, not_stored);
    }
}
