//! The fields of forwarded messages: hop-by-hop fields are removed, what a proxy must add is added (RFC 9110 § 7.6).
//!
//! Fields are removed with `without`, never with `HeaderMap::remove`: that moves the last field into the gap, and bot
//! walls look at the order. Changes for rewritten pages are in `headers::repair` and its siblings.

pub(crate) mod accept;
mod coding;
pub(crate) mod csp;
pub(crate) mod destination;
pub(crate) mod in_clear;
mod media;
pub(crate) mod repair;
pub(crate) mod validators;

use std::sync::Arc;

use bytes::BytesMut;
use http::{
    HeaderMap, HeaderName, HeaderValue, Version,
    header::{self, Entry},
};

pub(crate) use self::{coding::Coding, media::Media};
use crate::util::tokens::Tokens;

/// Most fields of a request: browsers send about 30, some apps more than the 100 that hyper and Apache take. For each of them
/// hyper allocates 64 bytes at every head.
pub(crate) const MAX_FIELDS: usize = 256;

/// Most fields of a response: sites that set many cookies and policies send hundreds, more than hyper's default of 100.
/// See `client::tolerant_io`.
pub(crate) const MAX_RESPONSE_FIELDS: usize = 1024;

/// RFC 8586 § 2: names the proxies that a request has passed, to detect loops. Unlike `Via` it does not disable a server's
/// compression (nginx, `gzip_proxied`).
pub(crate) const CDN_LOOP: HeaderName = HeaderName::from_static("cdn-loop");

/// Fields that stay even if `Connection` names them: without them the message would mean something else.
const END_TO_END: [HeaderName; 3] = [header::HOST, header::CONTENT_LENGTH, header::CONTENT_TYPE];

/// The members of `Via` in responses to messages of HTTP/1.0, 1.1 and 2. Without the pseudonym: scripts can read them.
const VIA: [HeaderValue; 3] = [
    HeaderValue::from_static("1.0 gleaner"),
    HeaderValue::from_static("1.1 gleaner"),
    HeaderValue::from_static("2 gleaner"),
];

/// The names of this proxy in `Via` and `CDN-Loop` of requests: another for each request, so that no site can tell a reader by them,
/// and none for long, so that one that was kept cannot be tried out later.
#[derive(Clone)]
pub(crate) struct Pseudonyms(Arc<Tokens>);

/// The beginning of each pseudonym; a token follows.
const PSEUDONYM: &str = "gleaner-";

/// The purpose of the tokens in pseudonyms.
const LOOP: &str = "loop";

impl Pseudonyms {
    pub(crate) fn new(tokens: Arc<Tokens>) -> Self {
        Self(tokens)
    }

    /// A name for one request to a host.
    pub(crate) fn for_host(&self, host: &str) -> String {
        PSEUDONYM.to_owned() + &self.0.fresh(LOOP, &[host])
    }

    /// Whether a request to this host has passed this proxy before (RFC 9110 § 7.6.3, RFC 8586).
    pub(crate) fn are_in(&self, headers: &HeaderMap, host: &str) -> bool {
        let is_ours = |name: &str| {
            // RFC 8586 § 2: parameters may follow.
            let name = name.split(';').next().unwrap_or_default().trim_ascii_end();
            let token = name.strip_prefix(PSEUDONYM);
            token.is_some_and(|token| self.0.is_fresh(token, LOOP, &[host]))
        };
        members(headers, &header::VIA).filter_map(|member| member.split_whitespace().nth(1)).any(is_ours)
            || members(headers, &CDN_LOOP).any(is_ours)
    }
}

/// How a request is forwarded.
pub(crate) struct Forwarding<'a> {
    /// The value of `Host`.
    pub(crate) host: &'a str,
    /// The protocols to switch to, where the request asks for any.
    pub(crate) upgrade: Option<&'a HeaderValue>,
    pub(crate) pseudonym: &'a str,
    /// Whether `Via` is added (RFC 9110 § 7.6.3).
    pub(crate) via: bool,
}

/// The request's fields as they are sent upstream; `received` is the version of the request.
pub(crate) fn forward_request(headers: HeaderMap, forwarding: &Forwarding<'_>, received: Version) -> HeaderMap {
    let takes_trailers =
        received == Version::HTTP_2 && members(&headers, &header::TE).any(|member| member == "trailers");
    let mut forwarded = end_to_end(headers, |name| {
        // hyper sends no 100 over HTTP/2; the expectation of an HTTP/1.0 client is ignored (RFC 9110 § 10.1.1).
        *name == header::EXPECT && matches!(received, Version::HTTP_10 | Version::HTTP_2)
    });
    // RFC 9112 § 3.2.2: the target replaces the client's value.
    if forwarded.get(header::HOST).is_some_and(|host| host != forwarding.host)
        && let Ok(host) = HeaderValue::from_str(forwarding.host)
    {
        forwarded.insert(header::HOST, host);
    }
    if received == Version::HTTP_2 {
        join_cookies(&mut forwarded);
    }
    if takes_trailers {
        // The one value that HTTP/2 allows (RFC 9113 § 8.2.2); gRPC needs it.
        forwarded.insert(header::TE, HeaderValue::from_static("trailers"));
    }
    keep_upgrade(&mut forwarded, forwarding.upgrade);
    let pseudonym = forwarding.pseudonym;
    let mut append = |field, value: String| HeaderValue::try_from(value).map(|value| forwarded.append(field, value));
    if forwarding.via {
        let _ = append(header::VIA, format!("{} {pseudonym}", ["1.0", "1.1", "2"][version_index(received)]));
    }
    let _ = append(CDN_LOOP, pseudonym.to_owned());
    forwarded
}

/// Whether a request waits for `100 Continue` before it sends its body (RFC 9110 § 10.1.1).
pub(crate) fn expects_continue(headers: &HeaderMap) -> bool {
    members(headers, &header::EXPECT).any(|member| member.eq_ignore_ascii_case("100-continue"))
}

/// The response's fields as they are sent to the client.
pub(crate) fn forward_response(headers: HeaderMap, upgrade: Option<&HeaderValue>, received: Version) -> HeaderMap {
    // With an alternative service (RFC 7838) the browser would bypass the proxy.
    let mut forwarded = end_to_end(headers, |name| *name == header::ALT_SVC);
    keep_upgrade(&mut forwarded, upgrade);
    forwarded.append(header::VIA, VIA[version_index(received)].clone());
    forwarded
}

fn version_index(version: Version) -> usize {
    match version {
        Version::HTTP_10 => 0,
        Version::HTTP_2 => 2,
        _ => 1,
    }
}

/// Trailers as they are forwarded: without fields for framing, routing or one hop (RFC 9110 § 6.5.1).
pub(crate) fn forward_trailers(trailers: HeaderMap) -> HeaderMap {
    const HEAD_ONLY: [HeaderName; 3] = [header::CONTENT_LENGTH, header::HOST, header::TRAILER];
    end_to_end(trailers, |name| HEAD_ONLY.contains(name))
}

/// The protocols of `Upgrade`, which counts only where `Connection` names it (RFC 9110 § 7.8).
pub(crate) fn upgrade_of(headers: &HeaderMap) -> Option<HeaderValue> {
    if !members(headers, &header::CONNECTION).any(|member| member.eq_ignore_ascii_case("upgrade")) {
        return None;
    }
    // Without h2c, which is deprecated (RFC 9113 § 3.1): the proxy would not see the requests behind it.
    let protocols: Vec<_> = members(headers, &header::UPGRADE)
        .filter(|protocol| !protocol.to_ascii_lowercase().starts_with("h2c"))
        .collect();
    if protocols.is_empty() {
        return None;
    }
    HeaderValue::from_str(&protocols.join(", ")).ok()
}

/// Whether a server switches only to protocols that the client asked for (RFC 9110 § 7.8).
pub(crate) fn switches_as_asked(asked: &HeaderValue, switched: &HeaderMap) -> bool {
    let asked: Vec<_> = asked.to_str().unwrap_or_default().split(',').collect();
    let was_asked = |protocol: &str| asked.iter().any(|asked| asked.trim().eq_ignore_ascii_case(protocol));
    let mut protocols = members(switched, &header::UPGRADE).peekable();
    protocols.peek().is_some() && protocols.all(was_asked)
}

/// The comma-separated members of all fields of a name.
pub(crate) fn members<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim_ascii).filter(|member| !member.is_empty())
}

/// A copy of the fields without those that `drop` names, in their order.
pub(crate) fn without(headers: &HeaderMap, drop: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut kept = HeaderMap::with_capacity(headers.len());
    kept.extend(headers.iter().filter(|(name, _)| !drop(name)).map(|(name, value)| (name.clone(), value.clone())));
    kept
}

/// Splits a list at commas outside of `<…>` and quotes: links (RFC 8288 § 3), entity tags.
fn split_quoted(value: &str) -> Vec<String> {
    let (mut quoted, mut in_address) = (false, false);
    let members = value.split(|char| {
        match char {
            '"' if !in_address => quoted = !quoted,
            '<' | '>' if !quoted => in_address = char == '<',
            _ => {}
        }
        char == ',' && !quoted && !in_address
    });
    members.map(|member| member.trim().to_owned()).filter(|member| !member.is_empty()).collect()
}

/// The end-to-end fields, except some.
fn end_to_end(headers: HeaderMap, drop: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let drop = |name: &HeaderName| is_hop_by_hop(name) || drop(name);
    if !headers.keys().any(drop) {
        return headers;
    }
    let named: Vec<String> = members(&headers, &header::CONNECTION).map(str::to_ascii_lowercase).collect();
    let is_named = |name: &HeaderName| !END_TO_END.contains(name) && named.iter().any(|other| other == name.as_str());
    // With room for what is added. Moved, not copied: that is a fiftieth of a forwarded request.
    let mut kept = HeaderMap::with_capacity(headers.len() + 2);
    let mut last = None;
    for (name, value) in headers {
        // A field's further values come without its name.
        last = name.or(last);
        if let Some(name) = last.as_ref().filter(|name| !drop(name) && !is_named(name)) {
            kept.append(name, value);
        }
    }
    kept
}

/// Hop-by-hop fields, whether `Connection` names them or not (RFC 9110 § 7.6.1, RFC 9112 § 9.6). All of `Proxy-*` is
/// between the client and this proxy.
fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(name.as_str(), "connection" | "keep-alive" | "te" | "transfer-encoding" | "upgrade" | "http2-settings")
        || name.as_str().starts_with("proxy-")
}

/// RFC 9113 § 8.2.3: HTTP/2 clients may split `Cookie`, HTTP/1.1 servers expect one field.
fn join_cookies(headers: &mut HeaderMap) {
    let Entry::Occupied(mut entry) = headers.entry(header::COOKIE) else {
        return;
    };
    let pieces: Vec<&[u8]> = entry.iter().map(HeaderValue::as_bytes).collect();
    if pieces.len() > 1
        && let Ok(cookies) = HeaderValue::from_bytes(&pieces.join(&b"; "[..]))
    {
        entry.insert(cookies);
    }
}

fn keep_upgrade(headers: &mut HeaderMap, upgrade: Option<&HeaderValue>) {
    if let Some(protocol) = upgrade {
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, protocol.clone());
    }
}

/// Writes fields and the empty line that ends them (RFC 9112 § 5).
pub(crate) fn write_fields(headers: &HeaderMap, out: &mut BytesMut) {
    for (name, value) in headers {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
}
