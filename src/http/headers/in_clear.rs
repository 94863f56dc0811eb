//! Fields of messages between a client in clear and a site over TLS (`secure: plain` of a profile).
//!
//! A cookie that was `Secure` has a mark at the beginning of its value, so that it goes to no site in clear (RFC 6265 § 5.4), whatever
//! is forgotten about its host.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::without;
use crate::net::{
    secure_hosts::SecureHosts,
    target::{Scheme, Target},
};

/// Begins the value of a cookie that was `Secure`.
const MARK: &str = "gleaner-secure.";

/// Fields that hold one address.
const ADDRESSES: [HeaderName; 3] = [header::LOCATION, header::CONTENT_LOCATION, header::ACCESS_CONTROL_ALLOW_ORIGIN];

/// Writes what a client says of a page in clear as its site knows it. `target` is where the request goes.
pub(crate) fn restore_request(headers: &mut HeaderMap, target: &Target, hosts: &SecureHosts) {
    let is_secure = target.scheme == Scheme::Https;
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let referer = text(&header::REFERER).and_then(|page| hosts.encrypted(page));
    let origin = text(&header::ORIGIN).and_then(|page| hosts.encrypted(page));
    if let Some(origin) = origin.and_then(|url| HeaderValue::try_from(url.origin().ascii_serialization()).ok()) {
        headers.insert(header::ORIGIN, origin);
    }
    match referer.map(|url| HeaderValue::try_from(String::from(url))) {
        Some(Ok(page)) if is_secure => {
            headers.insert(header::REFERER, page);
        }
        // RFC 9110 § 10.1.3: not from an encrypted page to one in clear.
        Some(_) => *headers = without(headers, |name| *name == header::REFERER),
        None => {}
    }
    let cookies: Vec<String> = headers.get_all(header::COOKIE).iter().map(text_of).collect();
    if cookies.iter().any(|cookies| cookies.contains(MARK)) {
        let cookies: Vec<String> =
            cookies.iter().flat_map(|cookies| cookies.split(';')).filter_map(|pair| sent(pair, is_secure)).collect();
        let cookies = value_of(&cookies.join("; ")).filter(|cookies| !cookies.is_empty());
        match cookies {
            Some(cookies) => {
                headers.insert(header::COOKIE, cookies);
            }
            None => *headers = without(headers, |name| *name == header::COOKIE),
        }
    }
}

/// A cookie as it is sent, where it may be.
fn sent(pair: &str, is_secure: bool) -> Option<String> {
    let pair = pair.trim();
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    match value.trim_start().strip_prefix(MARK) {
        // One without a name is its value alone (RFC 6265 bis § 5.8.3).
        Some(value) => is_secure.then(|| if name.is_empty() { value.to_owned() } else { format!("{name}={value}") }),
        None => Some(pair.to_owned()),
    }
}

/// A field's bytes, each as one character, so that those beyond ASCII come back as they were.
fn text_of(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// The field of such a text.
fn value_of(text: &str) -> Option<HeaderValue> {
    let bytes: Option<Vec<u8>> = text.chars().map(|char| u8::try_from(u32::from(char)).ok()).collect();
    HeaderValue::from_bytes(&bytes?).ok()
}

/// Writes the fields of a response for a client in clear: addresses, cookies, and nothing that asks for TLS. `target` is where it
/// comes from.
pub(crate) fn clear_response(headers: &mut HeaderMap, target: &Target, hosts: &SecureHosts) {
    let old = std::mem::take(headers);
    headers.reserve(old.len());
    let mut last = None;
    for (name, value) in old {
        // A map names a field with several values once.
        last = name.or(last);
        let Some(name) = &last else { continue };
        if *name == header::STRICT_TRANSPORT_SECURITY {
            continue;
        }
        let text = text_of(&value);
        let written = match name {
            name if ADDRESSES.contains(name) => hosts.in_clear(&text),
            name if *name == header::REFRESH => refresh_in_clear(&text, hosts),
            name if *name == header::LINK => Some(links_in_clear(&text, hosts)),
            name if *name == header::SET_COOKIE => Some(set_in_clear(&text, target.scheme == Scheme::Https)),
            name if *name == header::CONTENT_SECURITY_POLICY => Some(policy_in_clear(&text)),
            _ => None,
        };
        match written.map(|text| value_of(&text)) {
            Some(Some(value)) if value.is_empty() => {}
            Some(Some(value)) => {
                headers.append(name, value);
            }
            _ => {
                headers.append(name, value);
            }
        }
    }
}

/// A field of links (RFC 8288 § 3) with their addresses in clear.
fn links_in_clear(field: &str, hosts: &SecureHosts) -> String {
    let in_clear = |part: &str| {
        let (address, rest) = part.split_once('>')?;
        Some(format!("{}>{rest}", hosts.in_clear(address)?))
    };
    let parts = field.split('<').map(|part| in_clear(part).unwrap_or_else(|| part.to_owned()));
    parts.collect::<Vec<_>>().join("<")
}

/// `5; url=https://…` with its address in clear, in a field or in a page.
pub(crate) fn refresh_in_clear(text: &str, hosts: &SecureHosts) -> Option<String> {
    let at = text.to_ascii_lowercase().find("https://")?;
    let (before, address) = text.split_at(at);
    // It begins with a number (HTML Standard § 4.2.5.3); another `content` of a page does not.
    before.trim_start().starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    // What follows a quote or a space is no part of it.
    let end = address.find(['"', '\'', ' ']).unwrap_or(address.len());
    Some(format!("{before}{}{}", hosts.in_clear(&address[..end])?, &address[end..]))
}

/// A cookie for a client in clear. Nothing in clear can set one that is taken for a secure one.
fn set_in_clear(cookie: &str, is_secure: bool) -> String {
    let mut parts = cookie.split(';').map(str::trim);
    let pair = parts.next().unwrap_or_default();
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let value = value.trim_start();
    if value.starts_with(MARK) {
        return String::new();
    }
    // RFC 6265 § 5.2.5: whatever its value is.
    let is_secure_flag = |part: &str| part.split('=').next().unwrap_or_default().trim().eq_ignore_ascii_case("secure");
    let needs_tls = |part: &str| {
        let part: String = part.split_ascii_whitespace().collect::<String>().to_ascii_lowercase();
        is_secure_flag(&part) || ["partitioned", "samesite=none"].contains(&part.as_str())
    };
    let (dropped, kept): (Vec<&str>, Vec<&str>) = parts.partition(|part| needs_tls(part));
    let is_marked = is_secure && dropped.iter().any(|part| is_secure_flag(part));
    let pair = if is_marked { format!("{name}={MARK}{value}") } else { pair.to_owned() };
    [pair.as_str()].into_iter().chain(kept).collect::<Vec<_>>().join("; ")
}

/// A policy that does not ask for TLS. `http:` allows what `https:` does (CSP 3 § 6.7.2.7).
pub(crate) fn policy_in_clear(policy: &str) -> String {
    let asks_for_tls = |directive: &str| {
        let name = directive.split_ascii_whitespace().next().unwrap_or_default();
        ["upgrade-insecure-requests", "block-all-mixed-content"].iter().any(|it| name.eq_ignore_ascii_case(it))
    };
    let in_clear = |policy: &str| {
        let kept: Vec<&str> = policy.split(';').map(str::trim).filter(|directive| !asks_for_tls(directive)).collect();
        kept.join("; ").replace("https:", "http:")
    };
    let policies: Vec<String> = policy.split(',').map(in_clear).filter(|policy| !policy.trim().is_empty()).collect();
    policies.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(scheme: Scheme) -> Target {
        Target::from_authority(scheme, "a.example").unwrap()
    }

    fn fields(list: &[(&'static str, &str)]) -> HeaderMap {
        let field = |(name, value): &(&'static str, &str)| (HeaderName::from_static(name), value.parse().unwrap());
        list.iter().map(field).collect()
    }

    fn written(headers: &HeaderMap) -> Vec<(&str, &str)> {
        headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect()
    }

    #[test]
    fn nothing_of_a_response_asks_for_tls() {
        let hosts = SecureHosts::new();
        let mut headers = fields(&[
            ("location", "https://b.example/x"),
            ("refresh", "0; URL=https://c.example/"),
            ("strict-transport-security", "max-age=1"),
            ("set-cookie", "sid=1=2; Path=/; Secure; HttpOnly; SameSite=None"),
            ("set-cookie", "free=1; SameSite=Lax"),
            ("set-cookie", "fake=gleaner-secure.1"),
            ("content-security-policy", "upgrade-insecure-requests"),
            ("content-security-policy", "img-src https: data:; Upgrade-Insecure-Requests; block-all-mixed-content"),
            ("link", "<https://d.example/>; rel=next, </e>; rel=prev, <http://e.example/>; title=\"a > b\""),
        ]);
        clear_response(&mut headers, &target(Scheme::Https), &hosts);
        assert_eq!(
            written(&headers),
            [
                ("location", "http://b.example/x"),
                ("refresh", "0; URL=http://c.example/"),
                ("set-cookie", "sid=gleaner-secure.1=2; Path=/; HttpOnly"),
                ("set-cookie", "free=1; SameSite=Lax"),
                ("content-security-policy", "img-src http: data:"),
                ("link", "<http://d.example/>; rel=next, </e>; rel=prev, <http://e.example/>; title=\"a > b\""),
            ]
        );
        let is_known = |host: &str| hosts.knows(&Target::from_authority(Scheme::Http, host).unwrap());
        assert!(["b", "c", "d"].iter().all(|host| is_known(&format!("{host}.example"))) && !is_known("e.example"));
        assert_eq!(set_in_clear("TOKEN; Secure=1", true), "=gleaner-secure.TOKEN");
        // A site in clear has no secure cookies (RFC 6265 bis § 5.7).
        assert_eq!(set_in_clear("sid=1; secure", false), "sid=1");
    }

    #[test]
    fn a_request_says_what_the_site_knows() {
        let hosts = SecureHosts::new();
        hosts.in_clear("https://a.example/");
        let sent = [
            ("referer", "http://a.example/page"),
            ("origin", "http://a.example"),
            ("cookie", "sid=gleaner-secure.1=2; free=1"),
            ("cookie", "b=gleaner-secure.3"),
        ];
        let mut headers = fields(&sent);
        restore_request(&mut headers, &target(Scheme::Https), &hosts);
        assert_eq!(
            written(&headers),
            [
                ("referer", "https://a.example/page"),
                ("origin", "https://a.example"),
                ("cookie", "sid=1=2; free=1; b=3")
            ]
        );
        let mut headers = fields(&sent);
        restore_request(&mut headers, &target(Scheme::Http), &hosts);
        assert_eq!(written(&headers), [("origin", "https://a.example"), ("cookie", "free=1")]);
        // In bytes beyond ASCII too, and without a name.
        for (cookies, clear) in [
            (&b"sid=gleaner-secure.1; x=\xc3\xa9"[..], Some(&b"x=\xc3\xa9"[..])),
            (b"gleaner-secure.1", None),
            (b"=gleaner-secure.1; a=b", Some(b"a=b")),
        ] {
            let mut headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_bytes(cookies).unwrap())]);
            restore_request(&mut headers, &target(Scheme::Http), &hosts);
            assert_eq!(headers.get(header::COOKIE).map(HeaderValue::as_bytes), clear);
        }
        let other = [("referer", "http://b.example/page"), ("cookie", "c=1;d=2")];
        let mut headers = fields(&other);
        restore_request(&mut headers, &target(Scheme::Https), &hosts);
        assert_eq!(written(&headers), other);
    }
}
