//! Checks of HTTP/2 requests that h2 leaves to us: h2 checks the framing (RFC 9113 § 8.1.1); rejected here is what
//! would mean something else, or nothing, once the request is written for an HTTP/1.1 server.

use http::{Method, Request, header};
use http_body::Body;
use hyper::ext::Protocol;

use super::request_parser::{MAX_METHOD, MAX_TARGET, ParseRejection};
use crate::{
    http::{headers::MAX_FIELDS, websocket},
    net::target::{Scheme, Target},
};

/// Refuses a request that could not be forwarded as it is meant.
pub(super) fn check<B: Body>(request: &Request<B>) -> Result<(), ParseRejection> {
    let (method, headers) = (request.method(), request.headers());
    let path = request.uri().path_and_query().map_or("", |path| path.as_str());
    if path.len() > MAX_TARGET {
        return Err(ParseRejection::TargetTooLong);
    }
    // RFC 9113 § 8.2.3: browsers send each cookie in a field of its own.
    let cookies = headers.get_all(header::COOKIE).iter().count();
    if headers.len() - cookies > MAX_FIELDS {
        return Err(ParseRejection::TooManyFields);
    }
    let other_protocol = request.extensions().get::<Protocol>().is_some() && !websocket::is_extended_connect(request);
    if method.as_str().len() > MAX_METHOD || other_protocol {
        return Err(ParseRejection::NotImplemented);
    }
    // RFC 9110 § 7.1: the asterisk is for OPTIONS.
    if path == "*" && method != Method::OPTIONS {
        return Err(ParseRejection::Malformed("its address has a form that does not fit the method"));
    }
    // RFC 9110 § 5.1: `http::HeaderName` takes a quotation mark, which is no token character.
    if headers.keys().any(|name| name.as_str().bytes().any(|byte| byte == b'"')) {
        return Err(ParseRejection::Malformed("a header field's name has forbidden characters"));
    }
    // RFC 9110 § 9.3.8: no content.
    if method == Method::TRACE && !request.body().is_end_stream() {
        return Err(ParseRejection::Malformed("this method has no content"));
    }
    if is_host_as_authority(request) {
        Ok(())
    } else {
        Err(ParseRejection::Malformed("its Host field names another host"))
    }
}

/// RFC 9113 § 8.3.1: a `Host` beside `:authority` must name the same.
fn is_host_as_authority<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let (Some(authority), true) = (request.uri().authority(), headers.contains_key(header::HOST)) else {
        return true;
    };
    // Its scheme is the connection's; that of the comparison only has to be the same for both.
    let named = Target::from_authority(Scheme::Https, authority.as_str());
    let host = Target::from_host_field(Scheme::Https, headers);
    matches!((named, host), (Ok(named), Ok(host)) if named.same_place(&host))
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use crate::server::request_parser::is_token;

    #[test]
    fn header_name_takes_a_quotation_mark_and_nothing_else_that_is_no_token() {
        for byte in 0..=u8::MAX {
            let is_name = HeaderName::from_lowercase(&[b'x', byte]).is_ok();
            let expected = (is_token(byte) && !byte.is_ascii_uppercase()) || byte == b'"';
            assert_eq!(is_name, expected, "{byte}");
        }
    }
}
