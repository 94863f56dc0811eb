//! Queries and forms of pages that are sent in another encoding than UTF-8 (`output.charset`): a browser writes them in the encoding of
//! the page (URL Standard, "query state"; HTML Standard, "selecting a form submission encoding"), and the site, which sent its page in
//! UTF-8, reads UTF-8.
//!
//! Pages that their sites send in another encoding name it on their forms, for browsers that know `accept-charset`.

use std::{borrow::Cow, net::IpAddr};

use encoding_rs::{Encoding, UTF_8};
use gleaner_filters::Filtered;
use http::{HeaderMap, HeaderValue, Request, Uri, header};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use url::{Url, form_urlencoded};

use super::{RequestInfo, content_length, pictures::origin};
use crate::{
    http::{
        body::Body,
        headers::{self, Media},
    },
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Origins of pages that are known. More of them cost some hundred bytes each.
const MAX_PAGES: usize = 1024;

/// Bytes of a form that is recoded. Larger ones pass as they are: old browsers send files in another format.
const MAX_FORM_BYTES: u64 = 64 * 1024;

/// The encodings in which each client has last got a page of an origin, which is UTF-8 there.
pub(super) struct FormEncodings(ExpiringMap<(IpAddr, Box<str>), &'static Encoding>);

impl FormEncodings {
    pub(super) fn new() -> Self {
        Self(ExpiringMap::new(MAX_PAGES, Lifetime::Unlimited))
    }

    /// A page is sent in this encoding.
    pub(super) fn note_page(&self, asked: &RequestInfo<'_>, page: &Filtered, encoding: &'static Encoding) {
        let Some(url) = asked.url() else { return };
        let key = (asked.client, origin(&url));
        if encoding != UTF_8 && page.encoding.is_none() {
            self.0.insert(key, encoding);
        } else {
            self.0.remove(&key);
        }
    }

    /// Gives a request the query and the form that a page of UTF-8 would have sent.
    pub(super) async fn recode(&self, asked: &RequestInfo<'_>, request: &mut Request<Body>) {
        let Some(encoding) = self.find(asked, request.headers()) else { return };
        if let Some(path) = request.uri().path_and_query()
            && let Some(query) = path.query()
            && let Cow::Owned(query) = in_utf_8(query, encoding)
            && let Ok(path) = format!("{}?{query}", path.path()).parse()
        {
            let mut parts = request.uri().clone().into_parts();
            parts.path_and_query = Some(path);
            *request.uri_mut() = Uri::from_parts(parts).unwrap_or_else(|_| request.uri().clone());
        }
        let is_small = content_length(request.headers()).is_some_and(|length| length as u64 <= MAX_FORM_BYTES);
        let is_form =
            Media::from_headers(request.headers()) == Media::Form && !headers::expects_continue(request.headers());
        if !is_form || !is_small || request.body().is_end_stream() {
            return;
        }
        *request.body_mut() = match std::mem::take(request.body_mut()).collect().await {
            Err(error) => Body::broken(error),
            Ok(read) => {
                let bytes = read.to_bytes();
                let recoded = str::from_utf8(&bytes).map(|fields| in_utf_8(fields, encoding).into_owned());
                let bytes = recoded.map_or(bytes, Into::into);
                request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
                bytes.into()
            }
        };
    }

    /// The encoding of the page that a request was made from: that of its `Referer`, or of its own origin.
    fn find(&self, asked: &RequestInfo<'_>, headers: &HeaderMap) -> Option<&'static Encoding> {
        if self.0.is_empty() {
            return None;
        }
        let page = headers.get(header::REFERER).and_then(|page| Url::parse(page.to_str().ok()?).ok());
        self.0.get(&(asked.client, origin(&page.or_else(|| asked.url())?)))
    }
}

/// A query, or the fields of a form, whose bytes are UTF-8: those that are not are of this encoding.
pub(crate) fn in_utf_8<'a>(fields: &'a str, encoding: &'static Encoding) -> Cow<'a, str> {
    let bytes: Vec<u8> = percent_decode_str(fields).collect();
    if str::from_utf8(&bytes).is_ok() {
        return fields.into();
    }
    let word = |text: &str| {
        let bytes: Vec<u8> = percent_decode_str(&text.replace('+', " ")).collect();
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => encoding.decode_without_bom_handling(&bytes).0.into_owned(),
        };
        form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
    };
    let pair = |pair: &str| match pair.split_once('=') {
        Some((name, value)) => format!("{}={}", word(name), word(value)),
        None => word(pair),
    };
    fields.split('&').map(pair).collect::<Vec<_>>().join("&").into()
}
