//! The fields of a message on their way through: hop-by-hop fields are removed, what a proxy must add is added
//! (RFC 9110 § 7.6).
//!
//! Field lists are rebuilt by iteration, never edited with `HeaderMap::remove`: that swaps the last field into the
//! gap, and bot walls look at the order of fields. What changes only because a page was rewritten is in
//! `headers::repair` and its siblings.

pub(crate) mod accept;
pub(crate) mod csp;
pub(crate) mod max_forwards;
mod media;
pub(crate) mod repair;
pub(crate) mod validators;

use std::fmt::Write;

use http::{
    HeaderMap, HeaderName, HeaderValue, Version,
    header::{self, Entry},
};

pub(crate) use self::media::Media;
use crate::ca::random_bytes;

/// Most fields of a request's head: browsers send about 30. Raising it lets a head cost more to parse.
pub(crate) const MAX_FIELDS: usize = 256;

/// Most fields of a response's head: sites that set many cookies and policies send hundreds, more than hyper's
/// default of 100.
pub(crate) const MAX_RESPONSE_FIELDS: usize = 512;

/// RFC 8586 § 2: names the proxies that a request has passed, for the detection of loops. Unlike `Via` it switches no
/// server's compression off (nginx, `gzip_proxied`).
const CDN_LOOP: HeaderName = HeaderName::from_static("cdn-loop");

/// Fields that stay even if `Connection` names them: without them the message would mean something
/// else.
const END_TO_END: [HeaderName; 3] = [header::HOST, header::CONTENT_LENGTH, header::CONTENT_TYPE];

/// This process among proxies: a random name, so that two of us in a row are no loop.
#[derive(Debug)]
pub(crate) struct Pseudonym(String);

impl Pseudonym {
    pub(crate) fn new() -> Self {
        let mut name = "gleaner-".to_owned();
        for byte in random_bytes::<4>() {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        Self(name)
    }

    /// Whether a request has passed this process before (RFC 9110 § 7.6.3, RFC 8586).
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut vias = members(headers, &header::VIA);
        vias.any(|member| member.split_whitespace().nth(1) == Some(&self.0))
            || members(headers, &CDN_LOOP).any(|member| member == self.0)
    }

    /// Adds this process to `Via`; the version is that of the message as it was received.
    fn add_via(&self, headers: &mut HeaderMap, received: Version) {
        let protocol = match received {
            Version::HTTP_10 => "1.0",
            Version::HTTP_2 => "2",
            _ => "1.1",
        };
        if let Ok(value) = HeaderValue::try_from(format!("{protocol} {}", self.0)) {
            headers.append(header::VIA, value);
        }
    }

    fn add_cdn_loop(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.0) {
            headers.append(CDN_LOOP, value);
        }
    }
}

/// How a request is passed on.
pub(crate) struct Forwarding<'a> {
    /// What the target is called in `Host`.
    pub(crate) host: &'a str,
    /// The protocols to switch to, where the request asks for any.
    pub(crate) upgrade: Option<&'a HeaderValue>,
    pub(crate) pseudonym: &'a Pseudonym,
    /// Whether `Via` is added (RFC 9110 § 7.6.3).
    pub(crate) via: bool,
}

/// The request's fields as they go upstream; `received` is the version of the request.
pub(crate) fn forward_request(headers: HeaderMap, forwarding: &Forwarding<'_>, received: Version) -> HeaderMap {
    let takes_trailers =
        received == Version::HTTP_2 && members(&headers, &header::TE).any(|member| member == "trailers");
    let mut forwarded = end_to_end(headers, |name| {
        // Over HTTP/2 no one would send the 100; from an HTTP/1.0 client the expectation is ignored (RFC 9110 § 10.1.1).
        *name == header::EXPECT && matches!(received, Version::HTTP_10 | Version::HTTP_2)
    });
    // RFC 9112 § 3.2.2: the target's authority, whatever the client wrote.
    if forwarded.contains_key(header::HOST)
        && let Ok(host) = HeaderValue::from_str(forwarding.host)
    {
        forwarded.insert(header::HOST, host);
    }
    if received == Version::HTTP_2 {
        join_cookies(&mut forwarded);
    }
    if takes_trailers {
        // Over HTTP/2 the field has this one meaning (RFC 9113 § 8.2.2); gRPC insists on it.
        forwarded.insert(header::TE, HeaderValue::from_static("trailers"));
    }
    keep_upgrade(&mut forwarded, forwarding.upgrade);
    if forwarding.via {
        forwarding.pseudonym.add_via(&mut forwarded, received);
    }
    forwarding.pseudonym.add_cdn_loop(&mut forwarded);
    forwarded
}

/// Whether a request waits for `100 Continue` before it sends its body (RFC 9110 § 10.1.1).
pub(crate) fn expects_continue(headers: &HeaderMap) -> bool {
    members(headers, &header::EXPECT).any(|member| member.eq_ignore_ascii_case("100-continue"))
}

/// The response's fields as they go to the client.
pub(crate) fn forward_response(
    headers: HeaderMap,
    upgrade: Option<&HeaderValue>,
    pseudonym: &Pseudonym,
    received: Version,
) -> HeaderMap {
    // An alternative service (RFC 7838) would lead the browser around the proxy.
    let mut forwarded = end_to_end(headers, |name| *name == header::ALT_SVC);
    keep_upgrade(&mut forwarded, upgrade);
    pseudonym.add_via(&mut forwarded, received);
    forwarded
}

/// Trailers as they go on. What frames or routes a message, and what belongs to one hop, means nothing at its
/// end and is left out (RFC 9110 § 6.5.1).
pub(crate) fn forward_trailers(trailers: HeaderMap) -> HeaderMap {
    const HEAD_ONLY: [HeaderName; 3] = [header::CONTENT_LENGTH, header::HOST, header::TRAILER];
    end_to_end(trailers, |name| HEAD_ONLY.contains(name))
}

/// The protocols that a message asks to switch to, if it truly asks: `Upgrade` counts only where
/// `Connection` names it (RFC 9110 § 7.8).
pub(crate) fn upgrade_of(headers: &HeaderMap) -> Option<HeaderValue> {
    if !members(headers, &header::CONNECTION).any(|member| member.eq_ignore_ascii_case("upgrade")) {
        return None;
    }
    // HTTP/2 over a cleared upgrade was given up (RFC 9113 § 3.1); a proxy that passed it on would
    // lose sight of the requests.
    let protocols: Vec<_> = members(headers, &header::UPGRADE)
        .filter(|protocol| !protocol.to_ascii_lowercase().starts_with("h2c"))
        .collect();
    if protocols.is_empty() {
        return None;
    }
    HeaderValue::from_str(&protocols.join(", ")).ok()
}

/// Whether the protocols that a server switches to are among those that it was asked for: it may take no other
/// (RFC 9110 § 7.8).
pub(crate) fn switches_as_asked(asked: &HeaderValue, switched: &HeaderMap) -> bool {
    let asked: Vec<_> = asked.to_str().unwrap_or_default().split(',').collect();
    let was_asked = |protocol: &str| asked.iter().any(|asked| asked.trim().eq_ignore_ascii_case(protocol));
    let mut protocols = members(switched, &header::UPGRADE).peekable();
    protocols.peek().is_some() && protocols.all(was_asked)
}

/// The comma-separated members of all fields of a name.
pub(crate) fn members<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    members_of(headers.get_all(name))
}

/// The comma-separated members of these values.
pub(crate) fn members_of<'a>(values: impl IntoIterator<Item = &'a HeaderValue>) -> impl Iterator<Item = &'a str> {
    values
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|member| !member.is_empty())
}

/// The same fields without some, in their order.
pub(crate) fn without(headers: &HeaderMap, drop: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| !drop(name));
    let mut rebuilt = HeaderMap::with_capacity(headers.len());
    for (name, value) in kept {
        rebuilt.append(name, value.clone());
    }
    rebuilt
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
    without(&headers, |name| drop(name) || is_named(name))
}

/// Fields that mean one hop only, whether `Connection` names them or not (RFC 9110 § 7.6.1, RFC 9112 § 9.6). All of
/// `Proxy-*` is between the client and us.
fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(name.as_str(), "connection" | "keep-alive" | "te" | "transfer-encoding" | "upgrade" | "http2-settings")
        || name.as_str().starts_with("proxy-")
}

/// RFC 9113 § 8.2.3: HTTP/2 clients may split it, HTTP/1.1 servers know one field only.
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

#[cfg(test)]
mod tests;
