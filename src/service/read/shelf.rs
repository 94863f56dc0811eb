//! The shelf: keeps a page as a book, and gives the books of a user or device back.

use std::sync::Arc;

use gleaner_filters::Metadata;
use http::{HeaderValue, Method, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, Collected};
use maud::html;
use tokio::task::spawn_blocking;
use url::Url;

use super::{Exchange, asked::ReadRequest};
use crate::{
    http::body::Body,
    pages::{
        error::Error,
        form_fields::FormFields,
        reading,
        shelf::{self as pages, BOOKS, CATALOGUE, DELETE, KEEP, LATEST, SHELF},
        template,
    },
    state::shelf::{BookShelf, KeptBook},
};

impl Exchange {
    /// Answers a request at the shelf; `head` is not of another site.
    pub(super) async fn shelf(&mut self, head: &Parts, host: &str) -> Result<Response<Body>, Error> {
        let device = self.device(&head.headers);
        let Some(kept) = BookShelf::for_device(&self.state.config.shelf, &device).map(Arc::new) else {
            let text = "No pages are kept here: `shelf.enabled` is off.";
            return Ok(reading::message(StatusCode::NOT_FOUND, "No shelf", text, ""));
        };
        let fields = FormFields::parse(head.uri.query().unwrap_or_default().as_bytes());
        // Each form has a token of its own: for this page, or for this book.
        let form = |path: &str, subject: &str| format!("{path} {subject}");
        let is_asked =
            |path: &str, subject: &str| self.proxy.forms.is_token(fields.get("token"), &device, &form(path, subject));
        let path = head.uri.path();
        if head.method == Method::POST {
            let subject = fields.get(if path == KEEP { "url" } else { "id" }).to_owned();
            if ![KEEP, DELETE].contains(&path) || !is_asked(path, &subject) {
                let (text, link) = ("This form is not of use any more.", html! { a href=(SHELF) { "Shelf" } });
                return Ok(reading::message_with(StatusCode::FORBIDDEN, "Nothing was done", text, &link, ""));
            }
            if path == KEEP {
                return self.keep(kept, &subject, head, host).await;
            }
            with(&kept, move |shelf| shelf.delete(&subject)).await;
            return Ok(template::see_other(SHELF));
        }
        if path == KEEP {
            let asked = ReadRequest::parse(&head.uri, &head.headers);
            return Ok(match asked.url {
                Some(url) => pages::ask(url.as_str(), &self.proxy.forms.token(&device, &form(KEEP, url.as_str()))),
                None => template::see_other(SHELF),
            });
        }
        let books = with(&kept, BookShelf::books).await;
        let wanted = match path {
            SHELF => {
                let token = |book: &KeptBook| self.proxy.forms.token(&device, &form(DELETE, &book.id));
                return Ok(pages::list(&books, device.user.is_some(), token));
            }
            CATALOGUE => return Ok(pages::catalogue(&books, &self.own_address(host))),
            LATEST => books.first(),
            path => {
                let id = path.strip_prefix(BOOKS).and_then(|name| name.strip_suffix(".epub"));
                books.iter().find(|book| Some(&*book.id) == id)
            }
        };
        let id = wanted.map(|book| book.id.clone()).unwrap_or_default();
        if let Some(epub) = with(&kept, move |shelf| shelf.read(&id)).await {
            return Ok(book(epub));
        }
        let link = html! { a href=(SHELF) { "Shelf" } };
        Ok(reading::message_with(StatusCode::NOT_FOUND, "No book", "There is no such book.", &link, ""))
    }

    /// Fetches a page and puts it on the shelf.
    async fn keep(
        &mut self,
        kept: Arc<BookShelf>,
        page: &str,
        head: &Parts,
        host: &str,
    ) -> Result<Response<Body>, Error> {
        let Ok(url) = Url::parse(page) else { return Ok(template::see_other(SHELF)) };
        let response = self.read_page(&ReadRequest::chapter(url.clone()), url, &head.headers, host).await?;
        let (mut head, body) = response.into_parts();
        let Some(metadata) = head.extensions.remove::<Metadata>() else {
            // Why there is no book.
            return Ok(Response::from_parts(head, body));
        };
        let epub = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
        let title = Some(metadata.title.trim()).filter(|title| !title.is_empty()).unwrap_or(page);
        let book = KeptBook {
            id: String::new(),
            title: title.to_owned(),
            author: metadata.author.clone(),
            page: page.to_owned(),
            kept: 0,
        };
        if let Err(problem) = with(&kept, move |shelf| shelf.keep(book, &epub)).await {
            tracing::warn!(error = %problem, "a page cannot be kept");
            let text = format!("The book cannot be written: {problem}");
            return Ok(reading::message(StatusCode::INTERNAL_SERVER_ERROR, "Not kept", &text, ""));
        }
        Ok(template::see_other(SHELF))
    }
}

/// What is done with the files of a shelf delays no other request.
async fn with<T: Send + 'static>(shelf: &Arc<BookShelf>, act: impl FnOnce(&BookShelf) -> T + Send + 'static) -> T {
    let shelf = Arc::clone(shelf);
    match spawn_blocking(move || act(&shelf)).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn book(epub: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes::Bytes::from(epub)));
    let fields = response.headers_mut();
    reading::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/epub+zip"));
    fields.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
