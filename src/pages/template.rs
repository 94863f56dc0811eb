//! The template of our own pages, and the fields that all of them carry.
//!
//! Text from outside is escaped by the template; no page can run a script.

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use maud::{DOCTYPE, Markup, html};

use crate::{http::body::Body, net::control_host::CONTROL_HOST};

/// Policy of our own pages: they show themselves, with their own style, and nothing else.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline' https://*.gleaner.internal; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// Small, readable at any width, dark where the reader prefers it. Shared by all our own pages.
pub(crate) const STYLE: &str = "
:root{color-scheme:light dark}
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:2rem 1.25rem;
overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
code,pre{font:.9em ui-monospace,monospace;background:#8882;border-radius:.3em;padding:.1em .35em}
pre{padding:.75em 1em;white-space:pre-wrap}
table{border-collapse:collapse;width:100%}
td,th{padding:.45rem .5rem .45rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #888;
font-weight:normal}
td{overflow-wrap:anywhere}
th{width:9.5rem}
input[type=text]{font:inherit;padding:.4rem .5rem;max-width:100%;box-sizing:border-box}
a.button,button{display:inline-block;padding:.5rem 1rem;margin:.25rem .5rem .25rem 0;border:0;border-radius:.5rem;
font:inherit;background:#1d4ed8;color:#fff;text-decoration:none}
td form{display:inline}td button{margin:0 0 0 .5rem;padding:.15rem .6rem}
.step{border:2px solid;border-radius:.75rem;padding:.25rem 1.25rem .75rem;margin:1.25rem 0}
.step h2{margin:.75rem 0 .5rem;font-size:1.25rem}.live:empty,.then:empty{margin:0}
li{margin:.35rem 0}ol{padding-left:1.5rem}
.qr{width:11rem;height:11rem;flex:none}
.another{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:center}.another div{flex:1 1 14rem}
.list a{display:inline-block;margin:.2rem .9rem .2rem 0}
@media(max-width:30rem){body{padding:1.25rem 1rem}td,th{display:block;width:auto}th{border:0;padding-bottom:0}td{padding-top:0}}
.quiet{font-size:.9rem}
.bad{border-left:4px solid #d33;padding-left:.75rem;white-space:pre-wrap}";

/// The response with this page.
pub(crate) fn page(status: StatusCode, markup: &Markup) -> Response<Body> {
    let mut response = Response::new(Body::from(markup.0.clone()));
    *response.status_mut() = status;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    harden(response.headers_mut());
    response
}

/// What an error page says, in one sentence: an extension of its response, for programs.
#[derive(Clone)]
pub(crate) struct ErrorSentence(pub(crate) String);

/// Fields that every answer of our own carries.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, CSP);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // No other site may pull our answers into its own pages.
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    // A site that opens one of our pages gets no hold of its window.
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Leads to another page (303).
pub(crate) fn see_other(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::SEE_OTHER;
    harden(response.headers_mut());
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// A page with this title, and this content in `<main>`.
pub(crate) fn document(title: &str, content: &Markup) -> Markup {
    document_with(title, &html! {}, content)
}

/// A page with this title, this content in `<main>`, and more elements in its head.
pub(crate) fn document_with(title: &str, head: &Markup, content: &Markup) -> Markup {
    document_of(title, head, &html! { main { (content) } })
}

/// A page with this title, more elements in its head, and this content as its whole body.
pub(crate) fn document_of(title: &str, head: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
                (head)
            }
            body { (content) }
        }
    }
}

/// Text whose parts between backticks become `<code>`, or links where they are addresses of this program.
pub(crate) fn prose(text: &str) -> Markup {
    let is_ours = |part: &str| part.strip_prefix("http://").is_some_and(|rest| rest.starts_with(CONTROL_HOST));
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 0 { (part) } @else if is_ours(part) { a href=(part) { (part) } } @else { code { (part) } }
        }
    }
}

/// A link to the start page, by its address.
pub(crate) fn start_link() -> Markup {
    let address = format!("http://{CONTROL_HOST}/");
    html! { a href=(address) { (address) } }
}
