//! Articles in parts, put together: the pages after the one that was asked for are asked for with the client's fields, and what
//! is chosen of each stands where the link to it stood.
//!
//! Whatever goes wrong with one of them ends it: what was put together so far is the page, and at its end is the link to the
//! rest.

use std::{
    collections::HashSet,
    future::Future,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use gleaner_filters::{Filtered, Part};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, uri::PathAndQuery};
use tokio::time::{Instant, timeout_at};
use tracing::debug;
use url::Url;

use super::{RequestInfo, Rewriter, arrive, buffer::Kept, content_length, eligibility, page_job::Purpose};
use crate::{body::IncomingBody, headers::without};

/// Time for all pages after the first together. A reader who has waited so long had rather begin to read; raising it joins more
/// pages of slow sites.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the origin of a page once more.
pub(crate) trait Fetch: Send {
    /// The whole response, as it is for the client; `None` where there is none. `from` is the page that leads there, if it is
    /// not the one that led to the first.
    fn fetch(
        &mut self,
        path: PathAndQuery,
        from: Option<&Url>,
    ) -> impl Future<Output = Option<Response<IncomingBody>>> + Send;
}

impl Rewriter {
    /// Whether a page may be one of several that are put together.
    pub(super) fn joins(&self, asked: &RequestInfo<'_>) -> bool {
        self.settings.join_pages > 1 && asked.method == Method::GET && !asked.is_framed()
    }

    /// Puts the next pages behind a page. The fields of its head become those of all of them. Says how many pages there are now.
    pub(super) async fn join(
        &self,
        asked: &RequestInfo<'_>,
        fields: &mut HeaderMap,
        page: &mut Filtered,
        mut more: impl Fetch,
    ) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        let article = page.metadata.title.clone();
        let Some(first) = asked.url() else { return 1 };
        let mut seen = Seen::of(first.clone(), page);
        let mut from = first;
        let mut pages = 1;
        while pages < self.settings.join_pages
            && page.report.selected
            && page.offer.is_some()
            && page.content.len() <= self.settings.max_html_bytes
            && let Some(next) = page.metadata.next_page.clone()
        {
            if seen.has(&next) {
                page.withdraw_offer();
                break;
            }
            let place = Part { article: article.clone(), number: pages + 1 };
            let part = self.part(asked, &next, &from, place, &mut more);
            let Ok(Some((its_fields, part))) = timeout_at(deadline, part).await else {
                debug!(%next, "the next page is not joined");
                break;
            };
            if !page.goes_on_with(&part) {
                debug!(%next, "the next page is another article");
                break;
            }
            if !seen.add(next.clone(), &part) {
                debug!(%next, "the next page is one of those before it again");
                break;
            }
            if pages == 1 {
                drop_validators(fields);
            }
            share_fields(fields, &its_fields);
            page.join(part);
            pages += 1;
            from = next;
        }
        pages
    }

    /// One more page.
    async fn part(
        &self,
        asked: &RequestInfo<'_>,
        next: &Url,
        from: &Url,
        place: Part,
        more: &mut impl Fetch,
    ) -> Option<(HeaderMap, Filtered)> {
        let path: PathAndQuery = next[url::Position::BeforePath..url::Position::AfterQuery].parse().ok()?;
        let response = more.fetch(path.clone(), Some(from)).await?;
        let (head, mut body) = response.into_parts();
        let asked = asked.for_path(path);
        let codings = eligibility::judge(&asked, &head, &self.settings).ok()?;
        if head.status != StatusCode::OK {
            return None;
        }
        let length = content_length(&head.headers);
        let reservation = self.memory.reserve(length, !codings.is_empty()).await.ok()?;
        let purpose = Purpose::Part(place);
        let job = self.job(&asked, next, &head, codings, reservation, purpose);
        let worker = self.workers.start(job);
        let mut kept = Kept::new(self.settings.max_html_bytes);
        let part = arrive(&mut body, &mut kept, worker).await.ok()?;
        Some((head.headers, part.filtered))
    }
}

/// The pages so far: the last page of some articles leads back to one of them, and some sites answer every address alike.
struct Seen {
    addresses: Vec<Url>,
    texts: HashSet<u64>,
}

impl Seen {
    fn of(first: Url, page: &Filtered) -> Self {
        Self { addresses: vec![first], texts: texts(page).map(|(text, _)| text).collect() }
    }

    fn has(&self, next: &Url) -> bool {
        let whole = |url: &Url| url[..url::Position::AfterQuery].to_owned();
        let next = whole(next);
        self.addresses.iter().any(|known| whole(known) == next)
    }

    /// Adds a page. Says whether it is another one than those before.
    fn add(&mut self, address: Url, page: &Filtered) -> bool {
        let (mut known, mut all) = (0, 0);
        for (text, length) in texts(page) {
            all += length;
            known += if self.texts.insert(text) { 0 } else { length };
        }
        self.addresses.push(address);
        known * SAME < all * (SAME - 1)
    }
}

/// One part in so many of a page may be new, and it is one of those before it again, with another counter of readers.
const SAME: usize = 10;

/// The texts of a page between its tags, each as its hash and its bytes.
fn texts(page: &Filtered) -> impl Iterator<Item = (u64, usize)> {
    let texts = page.content.split('<').filter_map(|tag| {
        let (_, text) = tag.split_once('>')?;
        Some(text.trim()).filter(|text| !text.is_empty())
    });
    texts.map(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        (hasher.finish(), text.len())
    })
}

/// Takes out what tells whether one page has changed: it says nothing of the others.
pub(super) fn drop_validators(fields: &mut HeaderMap) {
    *fields = without(fields, |name| *name == header::ETAG || *name == header::LAST_MODIFIED);
}

/// Makes the fields of a page those of two: cookies of both, and kept by caches no longer than either.
fn share_fields(fields: &mut HeaderMap, others: &HeaderMap) {
    for cookie in others.get_all(header::SET_COOKIE) {
        fields.append(header::SET_COOKIE, cookie.clone());
    }
    let is_alike = |name| fields.get_all(&name).iter().eq(others.get_all(&name));
    if !is_alike(header::CACHE_CONTROL) {
        *fields = without(fields, |name| *name == header::EXPIRES);
        let careful = HeaderValue::from_static("private, no-cache, no-store");
        fields.insert(header::CACHE_CONTROL, careful);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(list: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        let values = list.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        values.collect()
    }

    #[test]
    fn the_strictest_of_all_pages_says_how_long_they_may_be_kept() {
        let kept = fields(&[(header::CACHE_CONTROL, "max-age=60"), (header::EXPIRES, "x")]);
        let mut same = kept.clone();
        share_fields(&mut same, &kept);
        assert_eq!(same, kept);
        let mut other = kept;
        share_fields(&mut other, &fields(&[(header::CACHE_CONTROL, "no-store")]));
        assert_eq!(other[header::CACHE_CONTROL], "private, no-cache, no-store");
        assert!(!other.contains_key(header::EXPIRES));
    }

    #[test]
    fn cookies_of_all_pages_are_set() {
        let mut cookies = fields(&[(header::SET_COOKIE, "a=1")]);
        share_fields(&mut cookies, &fields(&[(header::SET_COOKIE, "b=2")]));
        assert_eq!(cookies.get_all(header::SET_COOKIE).iter().count(), 2);
    }
}
