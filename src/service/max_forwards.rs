//! `Max-Forwards` (RFC 9110 § 7.6.2): limits how many proxies forward a TRACE or OPTIONS; the last one answers.

use bytes::{Bytes, BytesMut};
use http::{HeaderName, HeaderValue, Method, Request, Response, header};

use crate::http::{
    body::Body,
    headers::{without, write_fields},
};

/// Fields that the response to a TRACE leaves out: a script may read it (RFC 9110 § 9.3.8).
const SECRET: [HeaderName; 3] = [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE];

/// Decrements the field; the response where it is 0.
pub(crate) fn step<B>(request: &mut Request<B>) -> Option<Response<Body>> {
    if !matches!(*request.method(), Method::TRACE | Method::OPTIONS) {
        return None;
    }
    let left = request.headers().get(header::MAX_FORWARDS)?.to_str().ok()?;
    // A value that is no number is ignored.
    let left: u32 = left.trim().parse().ok()?;
    if left == 0 {
        return Some(answer(request));
    }
    request.headers_mut().insert(header::MAX_FORWARDS, HeaderValue::from(left - 1));
    None
}

fn answer<B>(request: &Request<B>) -> Response<Body> {
    if request.method() == Method::OPTIONS {
        let mut response = Response::new(Body::default());
        let methods = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS, TRACE, CONNECT";
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
        return response;
    }
    let mut response = Response::new(Body::from(echo(request)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("message/http"));
    response
}

fn echo<B>(request: &Request<B>) -> Bytes {
    let mut text = BytesMut::from(format!("{} {} HTTP/1.1\r\n", request.method(), request.uri()).as_bytes());
    write_fields(&without(request.headers(), |name| SECRET.contains(name)), &mut text);
    text.freeze()
}
