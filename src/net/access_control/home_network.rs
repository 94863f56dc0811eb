//! The home network: which names may lead into it, and which requests a page of the public internet has caused.
//!
//! The model is Chromium's local network access (<https://wicg.github.io/local-network-access/>), which cannot work behind a
//! proxy, because the proxy resolves names; and what name servers do against DNS rebinding (dnsmasq, `stop-dns-rebind`).

use std::net::IpAddr;

use super::{Acl, embedded, is_internal, is_private};
use crate::{
    net::target::{self, Scheme},
    util::host::Host,
};
use http::{HeaderMap, HeaderValue, Method, header};

/// Names that nobody can register, and those of routers, which their makers own. All below them belong to them.
const HOME_NAMES: [&str; 41] = [
    // Reserved: RFC 6761, RFC 6762, RFC 8375, and `.internal` by ICANN's board (29 July 2024).
    "localhost",
    "test",
    "local",
    "home.arpa",
    "internal",
    // In private use: RFC 6762, appendix G, and the defaults of routers.
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "localdomain",
    // Routers and what stands beside them, by the manuals of their makers.
    "fritz.box",
    "fritz.nas",
    "fritz.repeater",
    "easy.box",
    "o2.box",
    "speedport.ip",
    "giga.cube",
    "hi.link",
    "homerouter.cpe",
    "mobile.hotspot",
    "web.setup",
    "pi.hole",
    "tplinkwifi.net",
    "tplinklogin.net",
    "tplinkap.net",
    "tplinkmodem.net",
    "tplinkrepeater.net",
    "tplinkextender.net",
    "routerlogin.net",
    "routerlogin.com",
    "mywifiext.net",
    "mywifiext.com",
    "orbilogin.net",
    "orbilogin.com",
    "router.asus.com",
    "repeater.asus.com",
    "asusrouter.com",
    "linksyssmartwifi.com",
    "miwifi.com",
    "tendawifi.com",
];

/// Names that a maker's name servers give to devices in home networks. The address is a part of the name or of an account, so no
/// site can turn one elsewhere; but anybody may have such a name for a public server, whose pages are public ones.
const DEVICE_NAMES: [&str; 4] = ["plex.direct", "ts.net", "direct.quickconnect.to", "id.ui.direct"];

/// Names of a machine itself, and of the services of clouds that hand out credentials of the machine.
const OWN_NAMES: [&str; 10] = [
    "localhost",
    "localhost.localdomain",
    "localhost6",
    "localhost6.localdomain6",
    "ip6-localhost",
    "ip6-loopback",
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
    "instance-data",
];

/// Whether a name means the very machine that resolves it.
pub(super) fn means_a_machine_itself(name: &str) -> bool {
    is_below(name, &OWN_NAMES)
}

/// Who wants something, as far as it decides whether the home network may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initiator {
    /// A person, a program, or a page of the home network.
    Near,
    /// A page of the public internet, or a public server that names where to look: in a redirect of a list, or in a certificate.
    Public,
}

impl Acl {
    /// Who has caused a request, as far as the browser says. Over plain HTTP there is no `Sec-Fetch-Site`, and an encrypted page
    /// has no `Referer` there. So what a browser loads as a part of a page, and names no page for, counts as public, unless the
    /// target is one whose own pages name none (`hides_referrer`); what looks like a visit passes.
    pub(crate) fn initiator(&self, method: &Method, headers: &HeaderMap, hides_referrer: bool) -> Initiator {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let site = text("sec-fetch-site");
        if matches!(site, Some("same-origin" | "none")) {
            return Initiator::Near;
        }
        // Going from a page to another one, which Chromium lets a page do too: the person sees where it led. Not what is loaded in
        // advance (`Sec-Purpose`), which nobody sees.
        let is_seen = text("sec-fetch-dest") == Some("document") && !headers.contains_key("sec-purpose");
        if method.is_safe() && is_seen {
            return Initiator::Near;
        }
        let page = text(header::ORIGIN.as_str()).or_else(|| text(header::REFERER.as_str()));
        let is_near = match page {
            Some(page) => self.is_near(page),
            None => site.is_none() && (hides_referrer || !is_part_of_a_page(headers)),
        };
        if is_near { Initiator::Near } else { Initiator::Public }
    }

    /// Whether a page is one of the home network, or of a program on the device. `null`, as sandboxed frames send it, is none.
    fn is_near(&self, page: &str) -> bool {
        let Some((scheme, rest)) = page.split_once("://") else { return false };
        // Of an extension or an app: no site has another scheme.
        if Scheme::parse(scheme).is_none() {
            return true;
        }
        match target::host_of(rest.split(['/', '?', '#', '\\']).next().unwrap_or_default()) {
            Ok(Host::Name(name)) => self.is_home_name(&name),
            Ok(Host::Ip(ip)) => is_near_address(ip),
            Err(_) => false,
        }
    }

    /// Whether nobody but the owner of the home network can have this name.
    pub(crate) fn is_home_name(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.');
        !name.contains('.') || is_below(name, &HOME_NAMES) || self.access.rebind_allowed.matches(name)
    }

    /// Whether a name may lead to an address of the home network.
    pub(super) fn may_lead_home(&self, name: &str) -> bool {
        self.is_home_name(name) || is_below(name, &DEVICE_NAMES)
    }
}

/// Whether a browser asks for a part of a page: it would say that it takes HTML for the page itself. Those of before 2005 and Internet Explorer
/// up to version 8, which are `Mozilla/4` and less, never say that.
fn is_part_of_a_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    text(header::USER_AGENT).is_some_and(|agent| agent.starts_with("Mozilla/5"))
        && text(header::ACCEPT).is_some_and(|accept| !accept.contains("text/html"))
}

/// Whether the pages of a server have browsers leave `Referer` out, of requests to itself too (`Referrer-Policy`; the last
/// policy that is known counts).
pub(crate) fn hides_referrer(headers: &HeaderMap) -> bool {
    let values = headers.get_all("referrer-policy").iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .last()
        .is_some_and(|policy| policy.trim().eq_ignore_ascii_case("no-referrer"))
}

fn is_below(name: &str, listed: &[&str]) -> bool {
    let is_it = |left: &str| left.is_empty() || left.ends_with('.');
    listed.iter().any(|listed| name.strip_suffix(listed).is_some_and(is_it))
}

fn is_near_address(ip: IpAddr) -> bool {
    let ip = embedded(ip);
    is_internal(ip) || is_home_address(ip)
}

/// Whether an address is one of a home network: a private one, but for 198.18.0.0/15, which programs such as Clash and sing-box hand
/// out for every public name ("fake IP").
pub(super) fn is_home_address(ip: IpAddr) -> bool {
    is_private(ip) && !matches!(ip, IpAddr::V4(v4) if v4.octets()[0] == 198)
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    fn acl() -> Acl {
        Acl::new(serde_yaml::from_str("rebind_allowed: [nas.example.org]").unwrap(), Vec::new())
    }

    #[test]
    fn names_of_the_home_network_are_those_that_no_site_can_have() {
        for (name, is_home, may_lead_home) in [
            ("router", true, true),
            ("nas.local", true, true),
            ("fritz.box", true, true),
            ("nas.fritz.box.", true, true),
            ("evilfritz.box", false, false),
            ("box", true, true),
            ("www.nas.example.org", true, true),
            ("example.org", false, false),
            ("192-168-1-5.0123.plex.direct", false, true),
            ("ts.net.example", false, false),
        ] {
            let acl = acl();
            assert_eq!((acl.is_home_name(name), acl.may_lead_home(name)), (is_home, may_lead_home), "{name}");
        }
        let mut sorted = HOME_NAMES.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), HOME_NAMES.len());
    }

    #[test]
    fn a_request_is_public_where_its_browser_names_a_public_page() {
        use Initiator::{Near, Public};
        let of = |method: &Method, fields: &str| {
            let field = |field: &str| {
                let (name, value) = field.split_once(": ").unwrap();
                (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
            };
            acl().initiator(method, &fields.split("; ").filter(|field| !field.is_empty()).map(field).collect(), false)
        };
        for (fields, wanted) in [
            ("", Near),
            ("sec-fetch-site: none; referer: https://evil.example/", Near),
            ("sec-fetch-site: same-origin; origin: https://evil.example", Near),
            ("sec-fetch-site: cross-site", Public),
            ("sec-fetch-site: same-site; referer: http://evil.example/", Public),
            ("sec-fetch-site: cross-site; origin: http://192.168.1.7", Near),
            ("sec-fetch-site: cross-site; sec-fetch-dest: iframe; sec-fetch-mode: navigate", Public),
            ("origin: http://evil.example", Public),
            ("origin: null", Public),
            ("origin: null; referer: http://router.lan/", Public),
            ("referer: http://203.0.113.5/", Public),
            ("referer: http://192.168.1.7/", Near),
            ("referer: http://[::ffff:192.168.1.7]/", Near),
            ("referer: http://[fd00::1]:8080/", Near),
            ("referer: http://localhost:3000/", Near),
            ("referer: http://nas.example.org/", Near),
            ("referer: https://1-2-3-4.0123.plex.direct/", Public),
            ("origin: chrome-extension://abcdef", Near),
            ("referer: nonsense", Public),
            ("user-agent: Mozilla/5.0; accept: */*", Public),
            ("user-agent: Mozilla/5.0; accept: image/avif,*/*", Public),
            ("user-agent: Mozilla/5.0; accept: image/avif,*/*; referer: http://192.168.1.7/", Near),
            ("user-agent: Mozilla/5.0; accept: text/html,*/*", Near),
            ("user-agent: curl/8.0; accept: */*", Near),
            ("user-agent: Mozilla/4.0 (MSIE 6.0); accept: image/gif, */*", Near),
            ("user-agent: Mozilla/4.0 (MSIE 6.0); accept: */*; referer: http://evil.example/", Public),
        ] {
            assert_eq!(of(&Method::GET, fields), wanted, "{fields}");
        }
        let link = "sec-fetch-site: cross-site; sec-fetch-mode: navigate; sec-fetch-dest: document; referer: https://evil.example/";
        assert_eq!((of(&Method::GET, link), of(&Method::POST, link)), (Near, Public));
        assert_eq!(of(&Method::GET, &format!("{link}; sec-purpose: prefetch")), Public);
    }
}
