//! The advertisement remover.
//!
//! Source: Agarwal et al. 2013, "Proposed method": "the values of the `src` and `href` attributes throughout the page
//! are surveyed to determine the servers to which the links refer. If a link address matches against a list of common
//! advertisement servers, the node of the DOM tree that contained the link is removed." After Gupta et al. 2003.
//!
//! Cost: one look at every element; per address one hash look-up per label of its host, and no allocation.

use html5ever::local_name;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    filter::Filter,
    hosts::HostList,
    html::{Fate, NodeId, Page, said::Hint, tag::Tag},
};

/// Settings of `ad_servers`. The lists themselves are given to [`crate::Chain::new`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AdServers"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Hosts that are spared although a list names them or a domain above them; each covers the hosts below it.
    pub except: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: true, except: Vec::new() }
    }
}

pub(crate) struct AdServers {
    hosts: HostList,
    except: HostList,
}

impl AdServers {
    pub(crate) fn new(settings: &Settings, hosts: HostList) -> Result<AdServers, ConfigError> {
        let mut except = HostList::default();
        for host in &settings.except {
            except.add(host).map_err(|_| {
                ConfigError::new(
                    "ad_servers.except",
                    format!("{host:?} is not a host name; expected one such as \"example.com\""),
                )
            })?;
        }
        Ok(AdServers { hosts, except })
    }

    fn is_listed(&self, host: &str) -> bool {
        self.hosts.matches(host) && !self.except.matches(host)
    }
}

impl Filter for AdServers {
    fn name(&self) -> &'static str {
        "ad_servers"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let mut at = NodeId::DOCUMENT.0 + 1;
        let end = page.end(NodeId::DOCUMENT).0;
        let mut last = Last::default();
        while at < end {
            let id = NodeId(at);
            at += 1;
            if page.fate(id) != Fate::Removed {
                if !self.is_advertisement(page, id, &mut last) {
                    continue;
                }
                page.remove_with_links(id, self.name());
            }
            if page.fate(id) == Fate::Removed {
                at = page.end(id).0;
            }
        }
        // What earlier filters removed must not come back in the list of links either.
        page.removed_links.retain(|link| !link.address.host().is_some_and(|host| self.is_listed(host)));
        None
    }
}

impl AdServers {
    fn is_advertisement(&self, page: &Page, id: NodeId, last: &mut Last) -> bool {
        // `<base href>` names no resource; taking it away would break every relative address.
        if !page.said(id).has(Hint::Address) || page.tag(id) == Some(Tag::Base) {
            return false;
        }
        let mut is_listed = false;
        page.each_attribute(id, |name, value| {
            if matches!(*name, local_name!("src") | local_name!("href")) {
                is_listed |= self.leads_to_listed(value, page.base(), last);
            }
        });
        is_listed
    }

    fn leads_to_listed(&self, address: &str, base: &Url, last: &mut Last) -> bool {
        match host_of(address) {
            Host::Plain(host) => {
                if last.host != host {
                    last.is_listed = self.is_listed(host);
                    last.host.clear();
                    last.host.push_str(host);
                }
                last.is_listed
            }
            // Relative addresses are the page's own: a person who asked for the page wants its parts.
            Host::None => false,
            Host::Odd => {
                base.join(address).ok().and_then(|url| url.host_str().map(|host| self.is_listed(host))).unwrap_or(false)
            }
        }
    }
}

/// The host that was asked for last: one address in a row mostly leads where the one before it does.
#[derive(Default)]
struct Last {
    host: String,
    is_listed: bool,
}

enum Host<'a> {
    /// Read off the text.
    Plain(&'a str),
    /// The address has no host of its own.
    None,
    /// Needs a real parser (user name, escapes, white space inside, back-slashes, capitals outside ASCII).
    Odd,
}

/// The host of an address without parsing all of it: nearly every address is `https://host/…` or relative.
fn host_of(address: &str) -> Host<'_> {
    let address = address.trim_ascii();
    let after = |start: &str| {
        let begin = address.get(..start.len())?;
        let is_it = begin.eq_ignore_ascii_case(start);
        is_it.then(|| &address[start.len()..])
    };
    let starts: &[&str] = match address.as_bytes().first() {
        Some(b'/') => &["//"],
        Some(b'h' | b'H') => &["https://", "http://"],
        _ => &[],
    };
    let after_scheme = match starts.iter().find_map(|start| after(start)) {
        Some(after) => after,
        None if address.starts_with('\\') || has_odd_scheme(address) => return Host::Odd,
        None => return Host::None,
    };
    // Browsers skip all further slashes (WHATWG URL § 4.4, "special authority ignore slashes state").
    let after_scheme = after_scheme.trim_start_matches(['/', '\\']);
    let (mut end, mut port) = (after_scheme.len(), None);
    for (at, byte) in after_scheme.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'.' | b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'_' => {}
            b'/' | b'?' | b'#' => {
                end = at;
                break;
            }
            b':' => port = port.or(Some(at)),
            _ => return Host::Odd,
        }
    }
    Host::Plain(&after_scheme[..port.unwrap_or(end)])
}

/// `http:/host`, `ht\ntps://host`: browsers read these as addresses of a host.
fn has_odd_scheme(address: &str) -> bool {
    let is_odd = |byte| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r');
    // To the end whatever is found, because that is done many bytes at once.
    address.bytes().fold(false, |found, byte| found | is_odd(byte))
        || address.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"))
}
