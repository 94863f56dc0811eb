//! What a browser fetches something for (Fetch Metadata § 2.1, 2.2).

use http::{HeaderMap, HeaderName, HeaderValue};

const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The destination of a fetch. A navigation that a service worker passes on has lost it; that is `document`.
pub(crate) fn destination(headers: &HeaderMap) -> Option<&str> {
    let destination = headers.get(DESTINATION)?.to_str().ok()?;
    Some(if destination == "empty" && mode(headers) == Some("navigate") { "document" } else { destination })
}

/// The mode of a fetch.
pub(crate) fn mode(headers: &HeaderMap) -> Option<&str> {
    headers.get(MODE).map(HeaderValue::to_str)?.ok()
}
