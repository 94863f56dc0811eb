//! The names and paths of our own pages.

use http::Request;
use url::Url;

use super::{access_control::Acl, target::Target};
use crate::util::host::Host;

/// The name under which a browser finds the proxy it uses. `.internal` is reserved for private use
/// (ICANN board resolution of 29 July 2024), so no web site can have it.
pub(crate) const CONTROL_HOST: &str = "gleaner.internal";

/// The script that tells a browser which proxy to use, and the name by which browsers look for it themselves.
pub(crate) const PAC: [&str; 2] = ["/proxy.pac", "/wpad.dat"];

/// Whether a target is the control host, or a host under it.
pub(crate) fn is_control_host(target: &Target) -> bool {
    let is_ours =
        |name: &str| name.strip_suffix(CONTROL_HOST).is_some_and(|left| left.is_empty() || left.ends_with('.'));
    matches!(target.host, Host::Name(_)) && is_ours(target.plain_host())
}

/// Whether a request is that of a browser that looks for a proxy by itself, at `wpad` in the domain of its own network. A site can
/// have the name `wpad.` in its own domain lead here (DNS rebinding).
pub(crate) fn is_wpad<B>(target: &Target, request: &Request<B>, acl: &Acl) -> bool {
    let host = target.plain_host();
    let is_named = host == "wpad" || host.starts_with("wpad.");
    request.uri().path() == PAC[1] && is_named && matches!(target.host, Host::Name(_)) && acl.is_home_name(host)
}

/// Whether a client asks the proxy itself for the script, and not through it. Browsers do so without a name and a password.
pub(crate) fn is_script<B>(request: &Request<B>) -> bool {
    request.uri().scheme().is_none() && PAC.contains(&request.uri().path())
}

/// Whether a `Host` field means this machine: one of its addresses, or `localhost`. The name of a web site that
/// resolves to this machine (DNS rebinding) is refused.
pub(crate) fn is_this_machine(target: &Target, acl: &Acl) -> bool {
    match target.socket_addr() {
        Some(addr) => acl.is_own(addr),
        None => target.plain_host() == "localhost",
    }
}

/// An address on the control host for a link on this page. Over TLS where the page came so: the link names it, and nobody on
/// the way between the client and us may read that.
fn address(page: &Url, path: &str) -> Url {
    let address = format!("{}://{CONTROL_HOST}{path}", page.scheme());
    Url::parse(&address).expect("the host is constant and paths are ours")
}

/// The page that shows one page unfiltered to one client.
pub(crate) const ORIGINAL: &str = "/original";

/// The page on which a reader chooses type and colours.
pub(crate) const LOOK: &str = "/look";

/// The page on which a reader has a site left as it is on one device.
pub(crate) const NEVER: &str = "/never";

/// The reader's address.
pub(crate) const READ: &str = "/read";

/// Where a page is put on the shelf.
pub(crate) const KEEP: &str = "/shelf/keep";

/// Where a device names itself.
pub(crate) const NAME: &str = "/name";

/// The page on which a service that is blocked at these hours is opened with the password of the panel.
pub(crate) const OPEN: &str = "/open";

/// Where is said that a site is always or never rewritten, for all devices.
const SITE: &str = "/settings/site";

/// The parameter of a link that opens a blocked host.
pub(crate) const BLOCKED: &str = "blocked";

/// The link to a page as it was.
pub(crate) fn original_link(page: &Url) -> Url {
    link(page, ORIGINAL)
}

/// The link to a page as a book. The key is for requests that a page of its site causes.
pub(crate) fn book_link(page: &Url, key: &str) -> Url {
    let mut link = address(page, READ);
    link.query_pairs_mut().append_pair("url", page.as_str()).append_pair("as", "epub").append_pair("key", key);
    link
}

/// The link that puts a page on the shelf.
pub(crate) fn keep_link(page: &Url) -> Url {
    let mut link = address(page, KEEP);
    link.query_pairs_mut().append_pair("url", page.as_str());
    link
}

/// The link that leads to a blocked page anyway.
pub(crate) fn unblocking_link(page: &Url) -> Url {
    let mut link = original_link(page);
    link.query_pairs_mut().append_pair(BLOCKED, "1");
    link
}

/// The link to the choice of type and colours.
pub(crate) fn look_link(page: &Url) -> Url {
    link(page, LOOK)
}

/// The link to the choice to leave a page's site as it is.
pub(crate) fn never_link(page: &Url) -> Url {
    link(page, NEVER)
}

/// The parameter of a link that opens a blocked address once.
pub(crate) const ONCE: &str = "once";

/// The link that leads to a blocked address once.
pub(crate) fn once_link(page: &Url) -> Url {
    let mut link = unblocking_link(page);
    link.query_pairs_mut().append_pair(ONCE, "1");
    link
}

/// The link that leads to a page of a service that is blocked at these hours.
pub(crate) fn opening_link(page: &Url) -> Url {
    link(page, OPEN)
}

/// The link to the settings of a page's site.
pub(crate) fn site_link(page: &Url) -> Url {
    let mut link = address(page, SITE);
    link.query_pairs_mut().append_pair("host", page.host_str().unwrap_or_default()).append_pair("page", page.as_str());
    link
}

/// A link that names this page.
fn link(page: &Url, path: &str) -> Url {
    let mut link = address(page, path);
    link.query_pairs_mut().append_pair("page", page.as_str());
    link
}
