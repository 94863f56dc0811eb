//! The last pages of each client as their origins sent them, for the other views of them.
//!
//! A page is found by the client and by the number in its own links, which is of its content. So nobody is shown what another
//! person was sent, even where two of them come from one address with the same browser.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use http_body::Frame;
use parking_lot::Mutex;
use url::Url;

use super::PageId;
use crate::{http::body::Body, net::client_program::ClientProgram};

/// Bytes of all pages, as they came: compressed, a page has some tens of kilobytes. Raising it costs memory; what is not here
/// is fetched again.
const MAX_BYTES: usize = 16 << 20;

/// Bytes of one page.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Pages of one client.
const MAX_PAGES: usize = 4;

/// How long a page is kept. Raising it shows older content in a view.
const KEPT_FOR: Duration = Duration::from_mins(10);

/// A response as its origin sent it.
#[derive(Debug)]
pub(crate) struct StoredPage {
    pub(crate) page: Url,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<Bytes>,
}

/// The pages of all clients, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Originals(Mutex<VecDeque<StoredEntry>>);

#[derive(Debug)]
struct StoredEntry {
    client: ClientProgram,
    id: PageId,
    since: Instant,
    kept: Arc<StoredPage>,
}

impl Originals {
    /// Keeps a page, in the place of the one of this number.
    pub(super) fn keep(&self, client: &ClientProgram, id: PageId, kept: StoredPage) {
        if kept.bytes() > MAX_PAGE_BYTES {
            return;
        }
        let mut entries = self.0.lock();
        entries.retain(|entry| entry.is_fresh() && !(entry.client == *client && entry.id == id));
        let is_of_client = |entry: &StoredEntry| entry.client == *client;
        if entries.iter().filter(|entry| is_of_client(entry)).count() >= MAX_PAGES
            && let Some(oldest) = entries.iter().position(is_of_client)
        {
            entries.remove(oldest);
        }
        entries.push_back(StoredEntry { client: client.clone(), id, since: Instant::now(), kept: Arc::new(kept) });
        let mut bytes: usize = entries.iter().map(|entry| entry.kept.bytes()).sum();
        while bytes > MAX_BYTES
            && let Some(oldest) = entries.pop_front()
        {
            bytes -= oldest.kept.bytes();
        }
    }

    pub(super) fn get(&self, client: &ClientProgram, id: PageId, page: &Url) -> Option<Arc<StoredPage>> {
        let entries = self.0.lock();
        let entry = entries.iter().find(|entry| entry.client == *client && entry.id == id)?;
        (entry.is_fresh() && entry.kept.page == *page).then(|| Arc::clone(&entry.kept))
    }
}

impl StoredEntry {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < KEPT_FOR
    }
}

impl StoredPage {
    /// The response again.
    pub(crate) fn response(&self) -> Response<Body> {
        let body = self.body.iter().cloned().map(Frame::data).collect();
        let mut response = Response::new(Body::prefixed(body, Body::default()));
        *response.status_mut() = self.status;
        response.headers_mut().clone_from(&self.headers);
        response
    }

    /// Memory: its body, and roughly its fields.
    fn bytes(&self) -> usize {
        let fields: usize = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 64).sum();
        self.body.iter().map(Bytes::len).sum::<usize>() + fields + self.page.as_str().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(path: &str, bytes: usize) -> StoredPage {
        let page = Url::parse(&format!("https://example.org/{path}")).unwrap();
        StoredPage { page, status: StatusCode::OK, headers: HeaderMap::new(), body: vec![vec![b'x'; bytes].into()] }
    }

    fn device(last: u8) -> ClientProgram {
        ClientProgram::new([192, 0, 2, last].into(), None, &HeaderMap::new())
    }

    #[test]
    fn a_page_is_found_by_its_client_its_number_and_its_address() {
        let originals = Originals::default();
        originals.keep(&device(1), [1; 8], kept("a", 10));
        let page = kept("a", 0).page;
        assert!(originals.get(&device(1), [1; 8], &page).is_some());
        assert!(originals.get(&device(2), [1; 8], &page).is_none());
        assert!(originals.get(&device(1), [2; 8], &page).is_none());
        assert!(originals.get(&device(1), [1; 8], &kept("b", 0).page).is_none());
    }

    #[test]
    fn a_client_has_few_pages_and_none_that_is_large() {
        let originals = Originals::default();
        for id in 0..10 {
            originals.keep(&device(1), [id; 8], kept("a", 10));
        }
        originals.keep(&device(1), [10; 8], kept("a", MAX_PAGE_BYTES + 1));
        let is_kept = |id: u8| originals.get(&device(1), [id; 8], &kept("a", 0).page).is_some();
        assert_eq!((0..=10).filter(|&id| is_kept(id)).collect::<Vec<_>>(), [6, 7, 8, 9]);
    }

    #[test]
    fn all_clients_together_have_a_limit() {
        let originals = Originals::default();
        for client in 0..40 {
            originals.keep(&device(client), [0; 8], kept("a", MAX_PAGE_BYTES - 200));
        }
        let bytes: usize = originals.0.lock().iter().map(|entry| entry.kept.bytes()).sum();
        assert!(bytes <= MAX_BYTES);
        // The newest are kept.
        assert!(originals.get(&device(39), [0; 8], &kept("a", 0).page).is_some());
        assert!(originals.get(&device(0), [0; 8], &kept("a", 0).page).is_none());
    }
}
