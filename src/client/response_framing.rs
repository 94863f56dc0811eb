//! Checks where a response body ends. `tolerant_io` has already normalized what browsers accept; anything still
//! ambiguous is refused (RFC 9112 § 6.3).

use http::{HeaderMap, HeaderValue, Response, Version, header};

use super::UpstreamError;
use crate::http::headers::MAX_RESPONSE_FIELDS;

/// Refuses a response whose framing is in doubt; one length that is said twice, in two fields or as a list, becomes
/// one.
pub(super) fn check<B>(response: &mut Response<B>) -> Result<(), UpstreamError> {
    let bad = |problem: &str| Err(UpstreamError::BadResponse(problem.to_owned()));
    let is_http2 = response.version() == Version::HTTP_2;
    let headers = response.headers_mut();
    if headers.len() > MAX_RESPONSE_FIELDS {
        return Err(UpstreamError::HeadTooLarge);
    }
    // `http::HeaderName` takes quotation marks, which no name has (RFC 9110 § 5.1).
    if is_http2 && headers.keys().any(|name| name.as_str().contains('"')) {
        return bad("the name of a header field has forbidden characters");
    }
    let has_length = headers.contains_key(header::CONTENT_LENGTH);
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if let Some(first) = codings.next() {
        // RFC 9112 § 6.1: hyper undoes the coding, and `chunked` is the only one that it undoes.
        let is_chunked = first.as_bytes().eq_ignore_ascii_case(b"chunked");
        if is_http2 || !is_chunked || codings.next().is_some() {
            return bad("its transfer coding is not `chunked`");
        }
        if has_length {
            return bad("its length is given in two ways");
        }
    }
    if has_length { check_length(headers) } else { Ok(()) }
}

/// RFC 9112 § 6.3: a list of equal numbers is one number, and is sent on as one.
fn check_length(headers: &mut HeaderMap) -> Result<(), UpstreamError> {
    let bad = |problem: &str| Err(UpstreamError::BadResponse(problem.to_owned()));
    let mut lengths = headers
        .get_all(header::CONTENT_LENGTH)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii);
    let first = lengths.next().unwrap_or_default();
    if !is_number(first) {
        return bad("its length is not a number");
    }
    let mut is_repeated = false;
    for other in lengths {
        if other != first {
            return bad("it has two lengths");
        }
        is_repeated = true;
    }
    if is_repeated && let Ok(length) = HeaderValue::from_bytes(first) {
        headers.insert(header::CONTENT_LENGTH, length);
    }
    Ok(())
}

/// RFC 9110 § 8.6: digits and nothing else.
fn is_number(length: &[u8]) -> bool {
    !length.is_empty() && length.iter().all(u8::is_ascii_digit)
}
