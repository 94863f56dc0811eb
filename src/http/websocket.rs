//! WebSocket connections over HTTP/2 (RFC 8441): the extended CONNECT of the client becomes an HTTP/1.1 upgrade
//! (RFC 6455 § 4) for the origin.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::ext::Protocol;
use ring::digest;

use crate::{http::headers::without, util::random::random_bytes};

/// Fields of the upgrade that do not exist over HTTP/2 (RFC 8441 § 5).
const UPGRADE_ONLY: [HeaderName; 4] =
    [header::SEC_WEBSOCKET_ACCEPT, header::SEC_WEBSOCKET_KEY, header::UPGRADE, header::CONNECTION];

/// Whether this is an extended CONNECT for a WebSocket.
pub(crate) fn is_extended_connect<B>(request: &Request<B>) -> bool {
    request.method() == Method::CONNECT
        && request.extensions().get::<Protocol>().is_some_and(|protocol| protocol.as_str() == "websocket")
}

/// The `Sec-WebSocket-Accept` that the server must return for the key it was sent.
pub(crate) struct Accept(String);

impl Accept {
    /// RFC 6455 § 4.2.2: the digest of the key and this constant.
    fn from_key(key: &str) -> Self {
        let text = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
        let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
        Self(BASE64_STANDARD.encode(digest.as_ref()))
    }

    /// Whether the server returned it and so speaks the protocol (RFC 6455 § 4.1). An HTTP/2 client cannot check that.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        headers.get(header::SEC_WEBSOCKET_ACCEPT).is_some_and(|value| value.as_bytes() == self.0.as_bytes())
    }
}

/// Turns an extended CONNECT into an upgrade; returns the protocol for `Upgrade` and the expected accept value.
pub(crate) fn to_upgrade<B>(request: &mut Request<B>) -> (HeaderValue, Accept) {
    *request.method_mut() = Method::GET;
    request.extensions_mut().remove::<Protocol>();
    // 16 random bytes (RFC 6455 § 4.1); the client has sent no key.
    let key = BASE64_STANDARD.encode(random_bytes::<16>());
    if let Ok(key) = HeaderValue::from_str(&key) {
        request.headers_mut().insert(header::SEC_WEBSOCKET_KEY, key);
    }
    (HeaderValue::from_static("websocket"), Accept::from_key(&key))
}

/// Turns the 101 of an upgrade into the 200 of an extended CONNECT.
pub(crate) fn from_upgrade<B>(response: &mut Response<B>) {
    *response.status_mut() = StatusCode::OK;
    *response.headers_mut() = without(response.headers(), |name| UPGRADE_ONLY.contains(name));
}
