//! What a client speaks inside its tunnel, or inside of its TLS there, by its first bytes: TLS, HTTP, or something else.

use bytes::BytesMut;
use rustls::server::{Acceptor, ClientHello};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::mitm::authority;

/// The longest `ClientHello`: one TLS record is at most 16 KiB and a few bytes (RFC 8446 § 5.1).
const MAX_CLIENT_HELLO: usize = 17 * 1024;

/// The longest beginning that is read to tell HTTP: a method and the start of its target.
const MAX_METHOD: usize = 24;

pub(super) enum FirstBytes {
    Tls(Hello),
    Http,
    Other,
}

/// The parts of a `ClientHello` that decide about interception.
pub(super) struct Hello {
    pub(super) name: Option<String>,
    /// A version, methods of encryption and an application protocol that we speak too.
    pub(super) is_supported: bool,
}

/// Reads until it is known what the client speaks; all that was read stays in `read`.
pub(super) async fn first_bytes(client: &mut (impl AsyncRead + Unpin), read: &mut BytesMut) -> FirstBytes {
    let mut acceptor = Acceptor::default();
    let mut seen = 0;
    loop {
        // 22: handshake, 3: the version's first byte (RFC 8446 § 5.1).
        if !read.is_empty() && read.starts_with(&[22, 3][..read.len().min(2)]) {
            let mut fresh = &read[seen..];
            while !fresh.is_empty() && acceptor.read_tls(&mut fresh).is_ok_and(|count| count > 0) {}
            seen = read.len();
            match acceptor.accept() {
                Ok(Some(accepted)) => return FirstBytes::Tls(Hello::new(&accepted.client_hello())),
                Ok(None) if read.len() < MAX_CLIENT_HELLO => {}
                // TLS that rustls does not read, such as that of clients that know TLS 1.0 only.
                _ => return FirstBytes::Tls(Hello::unsupported()),
            }
        } else {
            match is_http(read) {
                Some(true) => return FirstBytes::Http,
                Some(false) => return FirstBytes::Other,
                None => {}
            }
        }
        if !matches!(client.read_buf(read).await, Ok(1..)) {
            return FirstBytes::Other;
        }
    }
}

/// Whether this is the beginning of an HTTP/1.1 request in origin-form; `None` while it may be.
fn is_http(bytes: &[u8]) -> Option<bool> {
    let method = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    match &bytes[method..] {
        [] | [b' '] if method <= MAX_METHOD => None,
        [b' ', b'/' | b'*', ..] => Some(method > 0),
        _ => Some(false),
    }
}

/// Whether these first bytes within TLS are of another protocol, where its client has named none (RFC 7301). What
/// is HTTP with mistakes is not.
pub(super) fn is_other_protocol(bytes: &[u8]) -> bool {
    // RFC 9112 § 2.2: empty lines in front are skipped.
    let bytes = bytes.trim_ascii_start();
    let line = memchr::memchr(b'\n', bytes).map(|end| &bytes[..end]);
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    match line {
        Some(line) => is_http(line) != Some(true) && memchr::memmem::find(line, b"HTTP/").is_none(),
        None => !bytes.iter().all(is_text),
    }
}

impl Hello {
    fn new(hello: &ClientHello<'_>) -> Self {
        let mut protocols = hello.alpn().into_iter().flatten().peekable();
        let speaks_http =
            protocols.peek().is_none() || protocols.any(|protocol| authority::ALPN_PROTOCOLS.contains(&protocol));
        Self {
            name: hello.server_name().map(str::to_owned),
            is_supported: speaks_http && authority::can_be_shown_leaf(hello),
        }
    }

    fn unsupported() -> Self {
        Self { name: None, is_supported: false }
    }
}
