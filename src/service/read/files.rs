//! Serves pictures and files at the reader's address: pictures are recognized by their first bytes, other files are
//! sent as downloads.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Uri, header};
use http_body::Frame;
use http_body_util::{BodyExt, Limited};
use maud::html;
use url::Url;

use super::{
    Exchange,
    asked::PICTURE_PURPOSE,
    fetch::{FetchOutcome, FetchWay, FetchedPage},
};
use crate::{
    http::body::{Body, BodyError},
    pages::{error::Error, form_fields::FormFields, reading, template},
    rewrite::{PictureRequest, RequestInfo, SAVE_DATA},
    service::subrequests::Subrequests,
};

const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Longest file in bytes that is passed on. Raising it lets one request use the line for longer.
const MAX_FILE: u64 = 256 << 20;

/// Longest picture in bytes.
const MAX_PICTURE: u64 = 32 << 20;

/// Bytes by which the format of a picture is recognized.
const SIGNATURE: usize = 16;

impl Exchange {
    /// A picture of a page that was shown here: its address has a token.
    pub(super) async fn picture(&mut self, uri: &Uri, headers: &HeaderMap) -> Result<Response<Body>, Error> {
        let fields = FormFields::parse(uri.query().unwrap_or_default().as_bytes());
        let address = fields.get("url");
        let is_ours = self.proxy.tokens.is(fields.get("key"), PICTURE_PURPOSE, &[address]);
        let url = Url::parse(address).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        let Some(url) = url.filter(|_| is_ours) else {
            return Ok(plain(StatusCode::FORBIDDEN, "This is no picture of a page that was read here."));
        };
        let page = Url::parse(fields.get("page")).ok();
        match self.fetch(url, "image", page.as_ref(), headers, FetchWay::with_cookies()).await? {
            FetchOutcome::Blocked(mut response) => {
                template::harden(response.headers_mut());
                Ok(response)
            }
            FetchOutcome::TooManyRedirects(_) => Ok(plain(StatusCode::BAD_GATEWAY, "There are too many redirects.")),
            FetchOutcome::Response(fetched) => {
                let fitting = self.fitting(*fetched, headers).await;
                Ok(picture(fitting).await)
            }
        }
    }

    /// A picture as the client's profile has it.
    pub(super) async fn fitting(&mut self, fetched: FetchedPage, headers: &HeaderMap) -> Response<Body> {
        let state = Arc::clone(&self.state);
        let host = fetched.target.plain_host();
        let profile = self.profile(headers, host).map_or(0, |choice| choice.index);
        let mut request = Request::new(());
        *request.uri_mut() = fetched.path();
        let names = [SEC_FETCH_DEST, SAVE_DATA];
        let values = [Some(HeaderValue::from_static("image")), headers.get(SAVE_DATA).cloned()];
        for (name, value) in names.into_iter().zip(values) {
            request.headers_mut().extend(value.map(|value| (name, value)));
        }
        let client = self.connection.client.ip();
        let mut info = RequestInfo::new(&request, client, &fetched.target, host, state.rewriter.profile(profile));
        info.picture = info.picture.map(PictureRequest::at_readers_address);
        let (response, outcome) = state.rewriter.rewrite(&info, fetched.response, None::<Subrequests>).await;
        self.log.outcome = outcome;
        response
    }

    /// A file: a picture or a text is shown, anything else saved.
    pub(super) async fn file(&mut self, fetched: FetchedPage, headers: &HeaderMap) -> Result<Response<Body>, Error> {
        let mut fetched = fetched;
        if fetched.response.headers().contains_key(header::CONTENT_ENCODING) {
            // Packed for us; this client may not be able to unpack it.
            let way = FetchWay { codings: "identity", ..FetchWay::with_cookies() };
            fetched = self.fetch_one(&fetched.url.clone(), "document", None, headers, way).await?;
        }
        let status = fetched.response.status();
        if !status.is_success() {
            let text = format!("The site answers {status}.");
            return Ok(reading::message(StatusCode::BAD_GATEWAY, "No page", &text, fetched.url.as_str()));
        }
        let kind = essence(fetched.response.headers());
        if kind.starts_with("image/") && !kind.contains("svg") {
            let fitting = self.fitting(fetched, headers).await;
            return Ok(picture(fitting).await);
        }
        if is_longer(fetched.response.headers(), MAX_FILE) {
            let text = format!("The file is longer than {} MiB.", MAX_FILE >> 20);
            let link = html! { a href=(fetched.url) { "Get it from its site" } };
            return Ok(reading::message_with(StatusCode::BAD_GATEWAY, "Too long", &text, &link, ""));
        }
        let (head, body) = fetched.response.into_parts();
        let mut response = Response::new(bounded(body, MAX_FILE));
        let fields = response.headers_mut();
        for name in [header::CONTENT_LENGTH, header::CONTENT_ENCODING] {
            if let Some(value) = head.headers.get(&name) {
                fields.insert(name, value.clone());
            }
        }
        let (kind, disposition) = match kind.as_str() {
            "text/plain" => ("text/plain; charset=utf-8".to_owned(), "inline".to_owned()),
            kind => (saved_kind(kind), format!("attachment; filename=\"{}\"", file_name(&fetched.url))),
        };
        for (name, value) in [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                fields.insert(name, value);
            }
        }
        reading::harden(fields);
        Ok(response)
    }
}

/// The media type without its parameters.
fn essence(headers: &HeaderMap) -> String {
    let written = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    written.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A type that no browser shows as a document in which something could run.
fn saved_kind(kind: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "/.+-".contains(c);
    let runs = ["html", "xml", "svg", "script", "multipart", "message"].iter().any(|word| kind.contains(word));
    let is_plain = kind.split('/').count() == 2 && kind.chars().all(is_word) && !runs;
    if is_plain { kind.to_owned() } else { "application/octet-stream".to_owned() }
}

fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    let name: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(100).collect();
    let name = name.trim_matches('.');
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

fn is_longer(headers: &HeaderMap, most: u64) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    length.is_some_and(|length| length > most)
}

/// A body that breaks off where it is longer.
fn bounded(body: Body, most: u64) -> Body {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Body::new(Limited::new(body, most).map_err(|_| BodyError::Cut))
}

/// A picture, if its first bytes are those of one in which nothing can run.
async fn picture(response: Response<Body>) -> Response<Body> {
    let (head, mut body) = response.into_parts();
    if !head.status.is_success() || is_longer(&head.headers, MAX_PICTURE) {
        return plain(StatusCode::BAD_GATEWAY, "The picture did not come.");
    }
    let mut start = BytesMut::new();
    while start.len() < SIGNATURE
        && let Some(Ok(frame)) = body.frame().await
    {
        start.extend_from_slice(frame.data_ref().map_or(&[][..], Bytes::as_ref));
    }
    let Some(kind) = picture_kind(&start) else {
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "This is no picture in a format that is passed on.");
    };
    let whole = Body::prefixed([Frame::data(start.freeze())].into(), body);
    let mut response = Response::new(bounded(whole, MAX_PICTURE));
    let fields = response.headers_mut();
    reading::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(length) = head.headers.get(header::CONTENT_LENGTH) {
        fields.insert(header::CONTENT_LENGTH, length.clone());
    }
    if let Some(outcome) = head.headers.get("gleaner") {
        fields.insert("gleaner", outcome.clone());
    }
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    response
}

/// The media type of a picture by its signature (WHATWG MIME Sniffing § 6.1).
pub(super) fn picture_kind(start: &[u8]) -> Option<&'static str> {
    Some(match start {
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => "image/avif",
        [b'B', b'M', ..] => "image/bmp",
        [0, 0, 1, 0, ..] => "image/x-icon",
        _ => return None,
    })
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    let fields = response.headers_mut();
    reading::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_a_type_in_which_nothing_runs_and_a_plain_name() {
        for (kind, saved) in [
            ("application/pdf", "application/pdf"),
            ("application/epub+zip", "application/epub+zip"),
            ("application/xhtml+xml", "application/octet-stream"),
            ("image/svg+xml", "application/octet-stream"),
            ("text/javascript", "application/octet-stream"),
            ("a/b\"c", "application/octet-stream"),
            ("", "application/octet-stream"),
        ] {
            assert_eq!(saved_kind(kind), saved, "{kind}");
        }
        for (url, name) in
            [("http://a.example/b/c%22.pdf?d", "c22.pdf"), ("http://a.example/", "file"), ("http://a.example/..x", "x")]
        {
            assert_eq!(file_name(&url.parse().unwrap()), name, "{url}");
        }
    }
}
