//! The fields of a message on their way through: what belongs to one hop only is taken out, what a
//! proxy must add is added.
//!
//! Field lists are rebuilt by iteration, never edited with `HeaderMap::remove`: that swaps the last
//! field into the gap, and the order of fields is something bot walls look at. What changes only
//! because a page was rewritten is in `headers::repair` and its neighbours.

pub(crate) mod accept;
pub(crate) mod csp;
mod kinds;
pub(crate) mod max_forwards;
mod media;
pub(crate) mod repair;
pub(crate) mod validators;

use std::fmt::Write;

use http::{
    HeaderMap, HeaderName, HeaderValue, Version,
    header::{self, Entry},
};

pub(crate) use self::{kinds::Kinds, media::Media};
use crate::ca::random_bytes;

/// Most fields of a head, of a request and of a response. Browsers send about 30; sites that set many cookies and
/// policies answer with more than the HTTP library's own 100. Raising it lets a head cost more to read.
pub(crate) const MAX_FIELDS: usize = 256;

/// Fields that stay even if `Connection` names them: without them the message would mean something
/// else.
const END_TO_END: [HeaderName; 3] = [header::HOST, header::CONTENT_LENGTH, header::CONTENT_TYPE];

/// This process among proxies: the name in `Via`, random so that two of us in a row are no loop.
#[derive(Debug)]
pub(crate) struct Pseudonym {
    name: String,
    /// Its `Via` by version of the message, made once.
    fields: [(Version, HeaderValue); 4],
}

impl Pseudonym {
    pub(crate) fn new() -> Self {
        let mut name = "gleaner-".to_owned();
        for byte in random_bytes::<4>() {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        Self::named(name)
    }

    fn named(name: String) -> Self {
        let versions = [
            (Version::HTTP_11, "1.1"),
            (Version::HTTP_2, "2"),
            (Version::HTTP_10, "1.0"),
            (Version::HTTP_09, "0.9"),
        ];
        let fields = versions.map(|(version, protocol)| {
            // Never freed: a process makes one, and its copies need no count that all connections would share.
            let value = String::leak(format!("{protocol} {name}"));
            (version, HeaderValue::from_static(value))
        });
        Self { name, fields }
    }

    /// Whether a message has passed this process before (RFC 9110 § 7.6.3).
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        members(headers, &header::VIA)
            .any(|member| member.split_whitespace().nth(1) == Some(self.name.as_str()))
    }

    /// Adds this process to `Via`; the version is that of the message as it was received.
    fn add_via(&self, headers: &mut HeaderMap, received: Version) {
        let [usual, ..] = &self.fields;
        let known = self.fields.iter().find(|(version, _)| *version == received);
        headers.append(header::VIA, known.unwrap_or(usual).1.clone());
    }
}

/// The request's fields as they go upstream; `host` is what the target is called there.
pub(crate) fn forward_request(
    headers: HeaderMap,
    host: Option<&HeaderValue>,
    upgrade: Option<&HeaderValue>,
    pseudonym: &Pseudonym,
    received: Version,
    kinds: Kinds,
) -> HeaderMap {
    let takes_trailers = received == Version::HTTP_2
        && members(&headers, &header::TE).any(|member| member == "trailers");
    // Most requests have none that are for us alone.
    let mut forwarded = if kinds.has(Kinds::ONE_HOP) {
        end_to_end(headers, |_| false)
    } else {
        headers
    };
    // RFC 9112 § 3.2.2: the target's authority, whatever the client wrote. Where the client had no field (HTTP/2), it is
    // added on its way to the wire, because it is to be the first there and a map has no place before its first.
    if let Some(host) = host
        && kinds.has(Kinds::HOST)
        && !is_only(&forwarded, &header::HOST, host)
    {
        forwarded.insert(header::HOST, host.clone());
    }
    if received == Version::HTTP_2 {
        join_cookies(&mut forwarded);
    }
    if takes_trailers {
        // Over HTTP/2 the field has this one meaning and needs no `Connection` beside it (RFC 9113
        // § 8.2.2); gRPC insists on it.
        forwarded.insert(header::TE, HeaderValue::from_static("trailers"));
    }
    // Over HTTP/2 no one would send the 100; from an HTTP/1.0 client the expectation is ignored
    // (RFC 9110 § 10.1.1).
    if matches!(received, Version::HTTP_10 | Version::HTTP_2)
        && forwarded.contains_key(header::EXPECT)
    {
        forwarded = without(&forwarded, |name| *name == header::EXPECT);
    }
    keep_upgrade(&mut forwarded, upgrade);
    pseudonym.add_via(&mut forwarded, received);
    forwarded
}

/// Whether a request waits for the server's word before it sends its body (RFC 9110 § 10.1.1).
pub(crate) fn expects_continue(headers: &HeaderMap) -> bool {
    members(headers, &header::EXPECT).any(|member| member.eq_ignore_ascii_case("100-continue"))
}

/// The response's fields as they go to the client.
pub(crate) fn forward_response(
    headers: HeaderMap,
    upgrade: Option<&HeaderValue>,
    pseudonym: &Pseudonym,
    received: Version,
    kinds: Kinds,
) -> HeaderMap {
    // Most have neither.
    let mut forwarded = if kinds.has(Kinds::ONE_HOP) || kinds.has(Kinds::ALT_SVC) {
        // An alternative service (RFC 7838) would lead the browser around the proxy.
        end_to_end(headers, |name| *name == header::ALT_SVC)
    } else {
        headers
    };
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
    // Nearly always there is none, and `Connection` need not be read.
    if !headers.contains_key(header::UPGRADE) {
        return None;
    }
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
    let was_asked = |protocol: &str| {
        asked
            .iter()
            .any(|asked| asked.trim().eq_ignore_ascii_case(protocol))
    };
    let mut protocols = members(switched, &header::UPGRADE).peekable();
    protocols.peek().is_some() && protocols.all(was_asked)
}

/// The comma-separated members of all fields of a name.
pub(crate) fn members<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a str> {
    members_of(headers.get_all(name))
}

/// The comma-separated members of these values.
pub(crate) fn members_of<'a>(
    values: impl IntoIterator<Item = &'a HeaderValue>,
) -> impl Iterator<Item = &'a str> {
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

/// The fields that go further than the next hop, without those of some other kind. Most messages have no others, and pass
/// as they are.
fn end_to_end(headers: HeaderMap, other: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let one_hop = |name: &HeaderName| {
        Kinds::of_name(name.as_str().as_bytes()).has(Kinds::ONE_HOP) || other(name)
    };
    if !headers.keys().any(one_hop) {
        return headers;
    }
    let named: Vec<String> = members(&headers, &header::CONNECTION)
        .map(str::to_ascii_lowercase)
        .collect();
    let is_named = |name: &HeaderName| {
        !END_TO_END.contains(name) && named.iter().any(|other| other == name.as_str())
    };
    rebuilt(headers, |name| !one_hop(name) && !is_named(name))
}

/// The same fields without some, in their order.
fn rebuilt(headers: HeaderMap, keep: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut rebuilt = HeaderMap::with_capacity(headers.len());
    let mut kept = None;
    for (name, value) in headers {
        // Further values of a field come without its name.
        if let Some(name) = name {
            kept = keep(&name).then_some(name);
        }
        if let Some(name) = &kept {
            rebuilt.append(name, value);
        }
    }
    rebuilt
}

/// Whether a field is there once, with this value.
fn is_only(headers: &HeaderMap, name: &HeaderName, value: &HeaderValue) -> bool {
    let mut values = headers.get_all(name).iter();
    values.next() == Some(value) && values.next().is_none()
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
