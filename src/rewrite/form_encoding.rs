//! Forms of pages that are sent in another encoding than UTF-8 (`output.charset`): a browser writes the fields in the encoding of the page
//! (HTML Standard, "selecting a form submission encoding"), and the site, which sent its page in UTF-8, reads UTF-8. So each such form has
//! a field more, which names the encoding and does not reach the site.
//!
//! Pages that their sites send in another encoding name it on their forms, for browsers that know `accept-charset`.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use http::{HeaderMap, HeaderValue, Request, header, uri::PathAndQuery};
use http_body_util::{BodyExt, Collected};
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::{PageProfile, content_length, output_charset};
use crate::http::{
    body::Body,
    headers::{self, Media},
};

/// The field.
const FIELD: &str = "gleaner-encoding";

/// Bytes of a form that is recoded. Larger ones pass as they are: old browsers send files in another format.
const MAX_FORM_BYTES: usize = 64 * 1024;

/// Gives each form of a page the field.
pub(super) fn mark_forms(page: &str, encoding: &'static Encoding) -> String {
    // Without quotes, so that it ends no attribute in which a page has written the end of a form.
    let field = format!("<input type=hidden name={FIELD} value={}></form>", encoding.name().to_ascii_lowercase());
    page.replace("</form>", &field)
}

/// Gives a request the query that a page of UTF-8 would have sent.
pub(crate) fn recode_query<B>(request: &mut Request<B>, look: &PageProfile) {
    if let Some(query) = request.uri().query().filter(|query| query.contains(FIELD))
        && is_of_old_browser(look, request.headers())
        && let Some(query) = recoded(query)
        && let Ok(path) = format!("{}?{query}", request.uri().path()).parse::<PathAndQuery>()
    {
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = Some(path);
        if let Ok(uri) = parts.try_into() {
            *request.uri_mut() = uri;
        }
    }
}

/// Gives a request the form that a page of UTF-8 would have sent.
pub(crate) async fn recode_body(request: &mut Request<Body>, look: &PageProfile) {
    let fields = request.headers();
    if request.body().is_end_stream()
        || !is_of_old_browser(look, fields)
        || Media::from_headers(fields) != Media::Form
        || content_length(fields).is_none_or(|length| length > MAX_FORM_BYTES)
        || headers::expects_continue(fields)
    {
        return;
    }
    *request.body_mut() = match std::mem::take(request.body_mut()).collect().await.map(Collected::to_bytes) {
        Err(error) => Body::broken(error),
        Ok(read) => match str::from_utf8(&read).ok().and_then(recoded) {
            None => read.into(),
            Some(form) => {
                request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(form.len()));
                form.into()
            }
        },
    };
}

/// Whether a client gets its pages in another encoding than UTF-8.
fn is_of_old_browser(look: &PageProfile, headers: &HeaderMap) -> bool {
    output_charset::choose(look.chain.charset(), headers) != UTF_8
}

/// The fields of a form that has the field, in UTF-8 and without it.
fn recoded(fields: &str) -> Option<String> {
    let named = |pair: &&str| pair.strip_prefix(FIELD).is_some_and(|value| value.starts_with('='));
    let label = fields.split('&').find(named)?.split_once('=')?.1;
    let encoding = Encoding::for_label(label.as_bytes())?;
    let others: Vec<&str> = fields.split('&').filter(|pair| !named(pair)).collect();
    Some(in_utf_8(&others.join("&"), encoding).into_owned())
}

/// A query, or the fields of a form, whose bytes are UTF-8: values that are not are of this encoding. All others stay as they are written.
pub(crate) fn in_utf_8<'a>(fields: &'a str, encoding: &'static Encoding) -> Cow<'a, str> {
    let is_utf_8 = |text: &str| str::from_utf8(&percent_decode_str(text).collect::<Vec<u8>>()).is_ok();
    if is_utf_8(fields) {
        return fields.into();
    }
    let recode = |piece: &str| {
        let end = piece.find(['&', '=', ';']).unwrap_or(piece.len());
        let (text, separator) = piece.split_at(end);
        if is_utf_8(text) {
            return piece.to_owned();
        }
        let bytes: Vec<u8> = percent_decode_str(&text.replace('+', " ")).collect();
        let text = encoding.decode_without_bom_handling(&bytes).0;
        form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>() + separator
    };
    fields.split_inclusive(['&', '=', ';']).map(recode).collect::<String>().into()
}
