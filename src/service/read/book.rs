//! A page as a book, with its pictures inside: made at once, and kept nowhere.

use std::time::Duration;

use gleaner_filters::{Addresses, Metadata};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Collected, Limited};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    Exchange,
    fetch::{FetchOutcome, FetchWay},
    files::picture_kind,
};
use crate::{
    http::body::Body,
    pages::{error::Error, reading},
    rewrite::epub::Book,
};

/// Most pictures of a book, and most bytes of them.
const MAX_PICTURES: usize = 20;
const MAX_PICTURE_BYTES: usize = 10 << 20;

/// For all pictures of a book: a reader waits for it.
const PICTURES_TIMEOUT: Duration = Duration::from_secs(20);

/// The pictures of a book by their numbers in it, up to so many.
#[derive(Debug)]
pub(super) struct BookPictures {
    known: Mutex<Vec<Url>>,
    most: usize,
}

impl BookPictures {
    pub(super) fn new(without_images: bool) -> Self {
        Self { known: Mutex::default(), most: if without_images { 0 } else { MAX_PICTURES } }
    }
}

impl Addresses for BookPictures {
    fn page(&self, url: &Url) -> String {
        url.to_string()
    }

    fn picture(&self, url: &Url) -> Option<String> {
        let mut known = self.known.lock();
        let at = known.iter().position(|picture| picture == url).unwrap_or(known.len());
        if at == known.len() {
            if at >= self.most {
                return None;
            }
            known.push(url.clone());
        }
        Some(Book::picture_address(at))
    }

    fn form(&self, _action: &Url) -> Option<(String, (String, String))> {
        None
    }

    fn part(&self, _number: usize) -> String {
        String::new()
    }
}

impl Exchange {
    pub(super) async fn book(
        &mut self,
        chapter: Response<Body>,
        url: &Url,
        headers: &HeaderMap,
        pictures: &BookPictures,
    ) -> Result<Response<Body>, Error> {
        let (mut head, body) = chapter.into_parts();
        let metadata: Metadata = head.extensions.remove().unwrap_or_default();
        let content = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
        let mut book = Book::default();
        let deadline = Instant::now() + PICTURES_TIMEOUT;
        let mut room = MAX_PICTURE_BYTES;
        let wanted = pictures.known.lock().clone();
        for (number, picture) in wanted.into_iter().enumerate() {
            let fetched = timeout_at(deadline, self.picture_bytes(picture, url, headers, room)).await;
            if let Ok(Some((kind, bytes))) = fetched {
                room -= bytes.len();
                book.add_picture(number, kind, bytes);
            }
        }
        book.add(String::from_utf8_lossy(&content).into_owned(), &metadata);
        let name = book.file_name();
        let mut response = Response::new(Body::from(bytes::Bytes::from(book.write())));
        *response.status_mut() = StatusCode::OK;
        response.extensions_mut().insert(metadata);
        let fields = response.headers_mut();
        reading::harden(fields);
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/epub+zip"));
        if let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
            fields.insert(header::CONTENT_DISPOSITION, disposition);
        }
        Ok(response)
    }

    async fn picture_bytes(
        &mut self,
        picture: Url,
        page: &Url,
        headers: &HeaderMap,
        most: usize,
    ) -> Option<(&'static str, Vec<u8>)> {
        let Ok(FetchOutcome::Response(fetched)) =
            self.fetch(picture, "image", Some(page), headers, FetchWay::with_cookies()).await
        else {
            return None;
        };
        if !fetched.response.status().is_success() {
            return None;
        }
        let bytes =
            Limited::new(self.fitting(*fetched, headers).await.into_body(), most).collect().await.ok()?.to_bytes();
        // What every reader of books knows (EPUB 3.3 § 3.2).
        let kind = picture_kind(&bytes)
            .filter(|kind| ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(kind))?;
        Some((kind, bytes.to_vec()))
    }
}
