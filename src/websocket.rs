//! Web sockets over HTTP/2 (RFC 8441): the client asks with an extended CONNECT, web servers are asked with
//! the HTTP/1.1 upgrade (RFC 6455 § 4), and the two are joined.

use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::ext::Protocol;

use crate::{ca::random_bytes, headers::without};

/// Fields of the upgrade that mean nothing over HTTP/2 (RFC 8441 § 5).
const UPGRADE_ONLY: [HeaderName; 4] = [
    header::SEC_WEBSOCKET_ACCEPT,
    header::SEC_WEBSOCKET_KEY,
    header::UPGRADE,
    header::CONNECTION,
];

/// Whether this is an extended CONNECT for a web socket.
pub(crate) fn is_extended_connect<B>(request: &Request<B>) -> bool {
    request.method() == Method::CONNECT
        && request
            .extensions()
            .get::<Protocol>()
            .is_some_and(|protocol| protocol.as_str() == "websocket")
}

/// Makes an extended CONNECT the request it stands for; gives the protocol to upgrade to.
pub(crate) fn to_upgrade<B>(request: &mut Request<B>) -> HeaderValue {
    *request.method_mut() = Method::GET;
    request.extensions_mut().remove::<Protocol>();
    // 16 random bytes (RFC 6455 § 4.1); the client has no key of its own.
    let key = HeaderValue::from_str(&base64(&random_bytes::<16>()));
    if let Ok(key) = key {
        request.headers_mut().insert(header::SEC_WEBSOCKET_KEY, key);
    }
    HeaderValue::from_static("websocket")
}

/// Makes the 101 of an upgrade the 200 of an extended CONNECT.
pub(crate) fn from_upgrade<B>(response: &mut Response<B>) {
    *response.status_mut() = StatusCode::OK;
    *response.headers_mut() = without(response.headers(), |name| UPGRADE_ONLY.contains(name));
}

/// RFC 4648 § 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits: u32, index| {
            bits << 8 | u32::from(group.get(index).copied().unwrap_or(0))
        });
        for index in 0..4 {
            if index <= group.len() {
                text.push(char::from(
                    LETTERS[(bits >> (18 - 6 * index) & 63) as usize],
                ));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648 § 10.
        for (bytes, text) in [
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
