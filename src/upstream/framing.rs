//! How a response says where it ends. The HTTP library reads some doubtful ones in the way the standard
//! allows; another reader may not, so they are refused (RFC 9112 § 6.3), and what is left is written anew
//! for the client's own connection.

use http::{HeaderMap, HeaderValue, Response, Version, header};

use super::Fault;
use crate::headers::{Kinds, MAX_FIELDS};

/// Most bytes of a response's field names and values: as many as of a request's.
const MAX_HEAD: usize = 64 * 1024;

/// Most interim responses to one request. A few are real (100, 103); an endless row of them would hold
/// the client for as long as the server likes.
pub(super) const MAX_INTERIM: usize = 16;

/// Refuses a response whose framing is in doubt; one length that is said twice, in two fields or as a list,
/// becomes one. Gives the kinds of its fields.
pub(super) fn check<B>(response: &mut Response<B>) -> Result<Kinds, Fault> {
    let bad = |problem: &str| Err(Fault::BadResponse(problem.to_owned()));
    let is_h2 = response.version() == Version::HTTP_2;
    let headers = response.headers_mut();
    if headers.len() > MAX_FIELDS {
        return Err(Fault::HeadTooLarge);
    }
    // The library's table for HTTP/2 lets quotation marks through, which no name has (RFC 9110 § 5.1).
    if is_h2
        && headers
            .keys()
            .any(|name| name.as_str().bytes().any(|byte| byte == b'"'))
    {
        return bad("the name of a header field has forbidden signs");
    }
    // On one way through them, which costs less than to look for each.
    let (mut bytes, mut kinds, mut lengths, mut length) = (0, Kinds::default(), 0, None);
    for (name, value) in &*headers {
        bytes += name.as_str().len() + value.len();
        let kind = Kinds::of_name(name.as_str().as_bytes());
        kinds.add(kind);
        if kind == Kinds::CONTENT_LENGTH {
            lengths += 1;
            length = Some(value);
        }
    }
    if bytes > MAX_HEAD {
        return bad("its header fields are too long");
    }
    if kinds.has(Kinds::TRANSFER_ENCODING) {
        // RFC 9112 § 6.1: the coding is undone here, and `chunked` is the only one we undo.
        let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
        let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
        if is_h2 || !codings.next().is_some_and(is_chunked) || codings.next().is_some() {
            return bad("its transfer coding is not `chunked`");
        }
        if lengths > 0 {
            return bad("its length is given in two ways");
        }
    }
    let Some(length) = length else {
        return Ok(kinds);
    };
    if lengths == 1 && is_number(length.as_bytes()) {
        return Ok(kinds);
    }
    // RFC 9112 § 6.3: a list of equal numbers is one number, and is sent on as one.
    let mut lengths = headers
        .get_all(header::CONTENT_LENGTH)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii);
    let Some(first) = lengths.next() else {
        return Ok(kinds);
    };
    if !is_number(first) {
        return bad("its length is not a number");
    }
    let mut said = 1;
    for other in lengths {
        if other != first {
            return bad("it has two lengths");
        }
        said += 1;
    }
    if said > 1
        && let Ok(length) = HeaderValue::from_bytes(first)
    {
        let mut once = HeaderMap::with_capacity(headers.len());
        for (name, value) in &*headers {
            if *name == header::CONTENT_LENGTH {
                once.insert(name, length.clone());
            } else {
                once.append(name, value.clone());
            }
        }
        *headers = once;
    }
    Ok(kinds)
}

/// RFC 9110 § 8.6: digits and nothing else.
fn is_number(length: &[u8]) -> bool {
    !length.is_empty() && length.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(fields: &[(&'static str, &str)]) -> Option<usize> {
        let mut response = Response::new(());
        for (name, value) in fields {
            response.headers_mut().append(*name, value.parse().unwrap());
        }
        check(&mut response).ok()?;
        Some(response.headers().get_all("content-length").iter().count())
    }

    #[test]
    fn doubtful_framing_is_refused() {
        for fields in [
            &[("content-length", "3"), ("transfer-encoding", "chunked")][..],
            &[("content-length", "3"), ("content-length", "4")],
            &[("content-length", "3, 4")],
            &[("content-length", "3,")],
            &[("content-length", "3, 3"), ("content-length", "03")],
            &[("content-length", "+3")],
            &[("content-length", "")],
            &[("transfer-encoding", "gzip, chunked")],
            &[("transfer-encoding", "gzip")],
            &[
                ("transfer-encoding", "chunked"),
                ("transfer-encoding", "chunked"),
            ],
        ] {
            assert_eq!(checked(fields), None, "{fields:?}");
        }
    }

    #[test]
    fn a_length_said_twice_is_said_once() {
        assert_eq!(
            checked(&[("content-length", "3"), ("content-length", "3")]),
            Some(1)
        );
        assert_eq!(checked(&[("content-length", "3, 3")]), Some(1));
        assert_eq!(checked(&[("transfer-encoding", "Chunked")]), Some(0));
    }
}
