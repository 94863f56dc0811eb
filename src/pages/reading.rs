//! The form and the messages of the reader's address (`/read`), and the header fields of its answers.

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use maud::{Markup, html};
use url::{Url, form_urlencoded};

use super::{
    shelf::SHELF,
    template::{self, ErrorSentence},
};
pub(crate) use crate::net::control_host::READ;
use crate::{config::Config, http::body::Body};

/// The path of its pictures.
pub(crate) const PICTURE: &str = "/read/picture";

/// The policy of everything that is shown there, where all sites share our origin: nothing runs, and nothing is loaded from
/// elsewhere. `allow-same-origin` is without effect on what has no scripts; without it, browsers would say of each link that another
/// site had made it.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
     sandbox allow-same-origin allow-forms allow-popups allow-downloads allow-top-navigation",
);

/// Fields of every answer with something of a site.
pub(crate) fn harden(headers: &mut HeaderMap) {
    template::harden(headers);
    headers.insert(header::CONTENT_SECURITY_POLICY, CSP);
    // So that a link on it can be told from one of another site. Sites are not told.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
}

/// The field that leads to a page.
pub(crate) fn field(value: &str) -> Markup {
    html! {
        form action=(READ) method="get" {
            p {
                label for="read" { "Read a page: address or words" } br;
                input #read type="text" name="url" value=(value) size="30" autocapitalize="none" autocorrect="off";
                " " button type="submit" { "Read" }
            }
        }
    }
}

/// The page with the field alone.
pub(crate) fn field_page(config: &Config) -> Response<Body> {
    let content = html! {
        h1 { "Read a page" }
        (field(""))
        p.quiet {
            "The page comes without clutter, in any browser: no proxy setting and no certificate are needed. It is fetched by Gleaner"
            @if config.read.cookies { ", which keeps the cookies of sites for this browser, in memory." }
            @else { ", without anybody's cookies, so that pages behind a log-in cannot be read here." }
        }
        @if config.shelf.enabled { p { a href=(SHELF) { "Shelf" } ": the pages that you have kept" } }
        h2 { "Full text of feeds" }
        (feed_field())
        p.quiet { "Where a feed has only the beginnings of its articles, your feed reader gets them whole." }
    };
    with_referrer(template::page(StatusCode::OK, &template::document("Read a page", &content)))
}

/// The field for a feed.
fn feed_field() -> Markup {
    html! {
        form action=(READ) method="get" {
            p {
                label for="feed" { "Address of a feed (RSS, Atom, JSON Feed)" } br;
                input #feed type="text" name="subscribe" size="30" autocapitalize="none" autocorrect="off";
                " " button type="submit" { "Get its address here" }
            }
        }
    }
}

/// The address at which a feed reader gets this feed with its full text. `own` is ours.
pub(crate) fn feed_address(own: &str, feed: &Url) -> Response<Body> {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("feed", feed.as_str()).finish();
    let address = format!("{}{READ}?{query}", own.trim_end_matches('/'));
    let content = html! {
        h1 { "Full text of a feed" }
        p { "Give this address to your feed reader, in the place of the feed's own:" }
        p { code { (address) } }
        p.quiet {
            "Ten new articles come each time that it is asked, until all have their text. An article whose page cannot be read keeps its summary.              The feed reader must run where this address leads here: on this machine or in its network."
        }
        (feed_field())
    };
    with_referrer(template::page(StatusCode::OK, &template::document("Full text of a feed", &content)))
}

/// A message, with the field below it.
pub(crate) fn message(status: StatusCode, title: &str, text: &str, value: &str) -> Response<Body> {
    message_with(status, title, text, &html! {}, value)
}

/// A message, with a link behind it and the field below it.
pub(crate) fn message_with(status: StatusCode, title: &str, text: &str, link: &Markup, value: &str) -> Response<Body> {
    let content = html! { h1 { (title) } p { (template::prose(text)) " " (link) } (field(value)) };
    let mut response = with_referrer(template::page(status, &template::document(title, &content)));
    response.extensions_mut().insert(ErrorSentence(text.to_owned()));
    response
}

fn with_referrer(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
