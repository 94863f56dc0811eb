//! The cookies of one device at the reader's address (RFC 6265 bis): in memory, and bounded.

use std::time::{Duration, SystemTime};

use gleaner_filters::registrable_domain;
use http::{HeaderMap, HeaderValue, header};
use url::{Host, Url};

/// Most cookies of a jar, most of one host, and most bytes of one (RFC 6265 § 6.1 asks for 50 of a domain and 4,096 bytes). Of more, the
/// oldest go.
const MOST: usize = 500;
const MOST_OF_HOST: usize = 50;
const MOST_BYTES: usize = 4096;

/// Longest lifetime of a cookie (RFC 6265 bis § 5.5).
const LONGEST: Duration = Duration::from_hours(400 * 24);

/// A jar; the oldest cookie first.
#[derive(Debug, Default)]
pub(crate) struct CookieJar(Vec<Cookie>);

#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    /// In lower case, without a dot before it.
    domain: String,
    /// Whether it goes to this very host alone.
    is_of_host: bool,
    path: String,
    is_secure: bool,
    same_site: SameSite,
    expires: Option<SystemTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SameSite {
    Unset,
    Strict,
}

/// Who causes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CookieUse {
    /// A page of the same site, or the person.
    SameSite,
    /// A link on a page of another site.
    Link,
}

impl CookieUse {
    /// The use by what is on a page; none where it is part of a page of another site, which gets no cookies.
    pub(crate) fn new(page: Option<&Url>, is_part: bool, to: &Url) -> Option<Self> {
        let site = |url: &Url| url.host_str().map(|host| registrable_domain(host).to_owned());
        match page.map(|page| site(page) == site(to)) {
            None | Some(true) => Some(Self::SameSite),
            Some(false) => (!is_part).then_some(Self::Link),
        }
    }
}

impl CookieJar {
    /// The value of `Cookie` for an address.
    pub(crate) fn field(&mut self, url: &Url, by: CookieUse) -> Option<HeaderValue> {
        let now = SystemTime::now();
        self.0.retain(|cookie| cookie.expires.is_none_or(|expires| expires > now));
        let mut sent: Vec<&Cookie> = self.0.iter().filter(|cookie| cookie.goes_to(url, by)).collect();
        // RFC 6265 § 5.4: those with longer paths first.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = sent.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| HeaderValue::try_from(pairs.join("; ")).ok())?
    }

    /// Takes the cookies of a response.
    pub(crate) fn take(&mut self, headers: &HeaderMap, url: &Url, by: CookieUse) {
        for field in headers.get_all(header::SET_COOKIE) {
            if let Some(cookie) = field.to_str().ok().and_then(|text| Cookie::parse(text, url, by)) {
                self.add(cookie, url.scheme() == "https");
            }
        }
    }

    fn add(&mut self, cookie: Cookie, is_encrypted: bool) {
        // RFC 6265 bis § 5.7: in clear nobody takes the place of a secure one.
        let is_below = |one: &str, other: &str| one == other || one.ends_with(&format!(".{other}"));
        let covers =
            |other: &Cookie| is_below(&other.domain, &cookie.domain) || is_below(&cookie.domain, &other.domain);
        if !is_encrypted && self.0.iter().any(|other| other.is_secure && other.name == cookie.name && covers(other)) {
            return;
        }
        let is_same =
            |other: &Cookie| (&other.name, &other.domain, &other.path) == (&cookie.name, &cookie.domain, &cookie.path);
        self.0.retain(|other| !is_same(other));
        if cookie.expires.is_some_and(|expires| expires <= SystemTime::now()) {
            return;
        }
        let of_host = |other: &Cookie| other.domain == cookie.domain;
        if self.0.iter().filter(|other| of_host(other)).count() >= MOST_OF_HOST {
            let oldest = self.0.iter().position(of_host);
            oldest.map(|oldest| self.0.remove(oldest));
        }
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(cookie);
    }
}

impl Cookie {
    /// None if it may not be set there.
    fn parse(text: &str, url: &Url, by: CookieUse) -> Option<Self> {
        let host = url.host_str()?;
        let mut parts = text.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || name.len() + value.len() > MOST_BYTES {
            return None;
        }
        let mut cookie = Self {
            name: name.to_owned(),
            value: value.to_owned(),
            domain: host.to_owned(),
            is_of_host: true,
            path: default_path(url).to_owned(),
            is_secure: false,
            same_site: SameSite::Unset,
            expires: None,
        };
        let (mut has_age, mut has_root) = (false, false);
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match &*name.trim().to_ascii_lowercase() {
                "domain" if !value.trim_matches('.').is_empty() => cookie.for_domain(value, url)?,
                "path" if value.starts_with('/') => {
                    value.clone_into(&mut cookie.path);
                    has_root = value == "/";
                }
                "secure" => cookie.is_secure = true,
                "samesite" if value.eq_ignore_ascii_case("strict") => cookie.same_site = SameSite::Strict,
                "max-age" => {
                    if let Ok(seconds) = value.parse::<i64>() {
                        let age = Duration::from_secs(seconds.try_into().unwrap_or(0)).min(LONGEST);
                        (cookie.expires, has_age) = (Some(SystemTime::now() + age), true);
                    }
                }
                "expires" if !has_age => {
                    cookie.expires = date(value).map(|date| date.min(SystemTime::now() + LONGEST));
                }
                _ => {}
            }
        }
        let lower = cookie.name.to_ascii_lowercase();
        let is_allowed = (!cookie.is_secure || url.scheme() == "https")
            && (!lower.starts_with("__secure-") || cookie.is_secure)
            && (!lower.starts_with("__host-") || cookie.is_secure && cookie.is_of_host && has_root)
            && (cookie.same_site != SameSite::Strict || by == CookieUse::SameSite);
        is_allowed.then_some(cookie)
    }

    /// Sets the domain, unless it is a suffix that sites of several owners have, or another site's.
    fn for_domain(&mut self, domain: &str, url: &Url) -> Option<()> {
        let domain = domain.trim_start_matches('.').to_ascii_lowercase();
        let Some(Host::Domain(host)) = url.host() else { return (domain == self.domain).then_some(()) };
        (is_below(host, &domain) && is_below(&domain, registrable_domain(host))).then_some(())?;
        (self.domain, self.is_of_host) = (domain, false);
        Some(())
    }

    fn goes_to(&self, url: &Url, by: CookieUse) -> bool {
        let Some(host) = url.host_str() else { return false };
        let is_host = host == self.domain || !self.is_of_host && is_below(host, &self.domain);
        is_host
            && (!self.is_secure || url.scheme() == "https")
            && (self.same_site != SameSite::Strict || by == CookieUse::SameSite)
            && is_path(url.path(), &self.path)
    }
}

/// Whether a name is this one or below it.
fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// RFC 6265 § 5.1.4.
fn is_path(path: &str, of_cookie: &str) -> bool {
    let rest = path.strip_prefix(of_cookie);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || of_cookie.ends_with('/'))
}

/// RFC 6265 § 5.1.4: the folder of the page.
fn default_path(url: &Url) -> &str {
    url.path().rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty()).unwrap_or("/")
}

/// A date as servers write it, with dashes too.
fn date(text: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(text).or_else(|_| httpdate::parse_http_date(&text.replace('-', " "))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn set(jar: &mut CookieJar, from: &str, cookies: &[&str]) {
        let field = |cookie: &&str| (header::SET_COOKIE, cookie.parse().unwrap());
        jar.take(&cookies.iter().map(field).collect(), &url(from), CookieUse::SameSite);
    }

    fn sent(jar: &mut CookieJar, to: &str) -> String {
        jar.field(&url(to), CookieUse::SameSite).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn cookies_go_where_they_are_for() {
        let mut jar = CookieJar::default();
        set(
            &mut jar,
            "https://www.a.co.uk/x/y",
            &[
                "host=1",
                "site=2; Domain=.a.co.uk; Path=/",
                "secure=3; Secure; Path=/x/y",
                "suffix=4; Domain=co.uk",
                "other=5; Domain=b.example",
                "gone=6; Max-Age=0",
                "late=7; Expires=Wed, 21-Oct-2015 07:28:00 GMT",
                "__Host-x=8; Secure; Path=/x",
                "=9",
            ],
        );
        for (to, wanted) in [
            ("https://www.a.co.uk/x/y", "secure=3; host=1; site=2"),
            ("http://www.a.co.uk/x/y", "host=1; site=2"),
            ("https://www.a.co.uk/xy", "site=2"),
            ("https://a.co.uk/x/", "site=2"),
            ("https://b.co.uk/", ""),
            ("https://www.a.co.uk.b.example/", ""),
        ] {
            assert_eq!(sent(&mut jar, to), wanted, "{to}");
        }
        set(
            &mut jar,
            "https://www.a.co.uk/",
            &["site=; Domain=a.co.uk; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT"],
        );
        assert_eq!(sent(&mut jar, "https://a.co.uk/"), "");
        // Nothing in clear sets a secure cookie, and no address has others under it.
        let mut jar = CookieJar::default();
        set(&mut jar, "http://127.0.0.1/", &["a=1; Secure", "b=2; Domain=0.0.1", "c=3; Domain=127.0.0.1"]);
        assert_eq!(sent(&mut jar, "http://127.0.0.1/"), "c=3");
    }

    #[test]
    fn a_jar_is_bounded() {
        let mut jar = CookieJar::default();
        for number in 0..MOST_OF_HOST + 5 {
            set(&mut jar, "https://a.example/", &[&format!("c{number}=1")]);
        }
        let cookies = sent(&mut jar, "https://a.example/");
        assert!(cookies.starts_with("c5=1;") && cookies.matches('=').count() == MOST_OF_HOST, "{cookies}");
        for number in 0..MOST + 50 {
            set(&mut jar, &format!("https://h{number}.example/"), &["a=1"]);
        }
        assert_eq!(jar.0.len(), MOST);
        set(&mut jar, "https://a.example/", &[&format!("long={}", "x".repeat(MOST_BYTES))]);
        assert_eq!(sent(&mut jar, "https://a.example/"), "");
    }

    #[test]
    fn other_sites_get_no_cookies_by_what_they_load() {
        let page = url("https://www.a.example/");
        let by = |to: &str, is_part| CookieUse::new(Some(&page), is_part, &url(to));
        assert_eq!(by("https://img.a.example/", true), Some(CookieUse::SameSite));
        assert_eq!(by("https://b.example/", true), None);
        assert_eq!(by("https://b.example/", false), Some(CookieUse::Link));
        let mut jar = CookieJar::default();
        set(&mut jar, "https://b.example/", &["strict=1; SameSite=Strict", "lax=2"]);
        let sent = jar.field(&url("https://b.example/"), CookieUse::Link);
        assert_eq!(sent.unwrap(), "lax=2");
    }
}
