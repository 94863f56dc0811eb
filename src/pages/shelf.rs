//! The pages of the shelf, and its catalogue for readers of books (OPDS 1.2, <https://specs.opds.io/opds-1.2>).

use std::fmt::Write as _;

use http::{HeaderValue, Response, StatusCode, header};
use maud::{Escaper, Markup, html};
use url::form_urlencoded;

use super::{reading, template};
pub(crate) use crate::net::control_host::KEEP;
use crate::{http::body::Body, rewrite::epub::timestamp, state::shelf::KeptBook};

/// The path of the shelf.
pub(crate) const SHELF: &str = "/shelf";

/// Where a book is removed.
pub(crate) const DELETE: &str = "/shelf/delete";

/// Its catalogue, and the newest book.
pub(crate) const CATALOGUE: &str = "/shelf/opds";
pub(crate) const LATEST: &str = "/shelf/latest.epub";

/// The folder of the books.
pub(crate) const BOOKS: &str = "/shelf/books/";

/// The media type of the catalogue.
const ACQUISITION: &str = "application/atom+xml;profile=opds-catalog;kind=acquisition";

pub(crate) fn path_of_book(book: &KeptBook) -> String {
    format!("{BOOKS}{}.epub", book.id)
}

/// The address of the form that keeps a page.
pub(crate) fn keep_path(page: &str) -> String {
    with_query(KEEP, &[("url", page)])
}

fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    format!("{path}?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
}

/// The list of books. `token` makes the token of the form that removes one.
pub(crate) fn list(books: &[KeptBook], is_of_user: bool, token: impl Fn(&KeptBook) -> String) -> Response<Body> {
    let content = html! {
        h1 { "Shelf" }
        p.quiet {
            @if is_of_user { "The pages that you have kept, as books." } @else { "The pages that were kept on this device, as books." }
            " E-readers find them in the catalogue " code { (CATALOGUE) } " (OPDS), and the newest at " code { (LATEST) } "."
        }
        @if books.is_empty() { p { "It is empty. " i { "Keep" } ", in the menu ⋯ of a page that you " a href=(reading::READ) { "read here" } ", puts the page on it." } }
        @for book in books {
            p {
                a href=(path_of_book(book)) { b { (book.title) } } br;
                @if let Some(author) = &book.author { (author) " · " }
                (timestamp(book.kept).get(..10).unwrap_or_default()) " · " a href=(book.page) rel="noreferrer" { "The page" }
            }
            form method="post" action=(with_query(DELETE, &[("id", &book.id), ("token", &token(book))])) {
                button type="submit" aria-label={ "Delete " (book.title) } { "Delete" }
            }
        }
    };
    answer("Shelf", &content)
}

/// Asks whether a page is to be kept.
pub(crate) fn ask(page: &str, token: &str) -> Response<Body> {
    let content = html! {
        h1 { "Keep this page?" }
        p { code { (page) } }
        p.quiet { "It is fetched once more and put on the shelf as a book, with its pictures." }
        form method="post" action=(with_query(KEEP, &[("url", page), ("token", token)])) { button type="submit" { "Keep" } }
        p { a href=(SHELF) { "Shelf" } }
    };
    answer("Keep this page?", &content)
}

fn answer(title: &str, content: &Markup) -> Response<Body> {
    let mut response = template::page(StatusCode::OK, &template::document(title, content));
    let fields = response.headers_mut();
    // So that a form of ours can be told from one of another site.
    fields.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The catalogue. `own` is our own address, with a slash at its end.
pub(crate) fn catalogue(books: &[KeptBook], own: &str) -> Response<Body> {
    let own = own.trim_end_matches('/');
    let updated = timestamp(books.first().map_or(0, |book| book.kept));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{own}{CATALOGUE}</id>\n\
         <title>Shelf</title>\n<updated>{updated}</updated>\n<author><name>Gleaner</name></author>\n"
    );
    for rel in ["self", "start"] {
        let _ = writeln!(out, "<link rel=\"{rel}\" href=\"{CATALOGUE}\" type=\"{ACQUISITION}\"/>");
    }
    for book in books {
        let _ = write!(
            out,
            "<entry>\n<id>urn:gleaner:shelf:{}</id>\n<updated>{}</updated>\n<title>",
            book.id,
            timestamp(book.kept)
        );
        let mut escaped = |text: &str, end: &str| {
            let text: String =
                text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
            let _ = Escaper::new(&mut out).write_str(&text);
            out.push_str(end);
        };
        escaped(&book.title, "</title>\n");
        escaped("", "<author><name>");
        escaped(book.author.as_deref().unwrap_or("Unknown"), "</name></author>\n");
        escaped("", "<link rel=\"alternate\" type=\"text/html\" href=\"");
        escaped(&book.page, "\"/>\n");
        let _ = writeln!(
            out,
            "<link rel=\"http://opds-spec.org/acquisition\" type=\"application/epub+zip\" href=\"{}\"/>\n</entry>",
            path_of_book(book)
        );
    }
    out.push_str("</feed>\n");
    let mut response = Response::new(Body::from(out));
    let fields = response.headers_mut();
    reading::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(ACQUISITION));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
