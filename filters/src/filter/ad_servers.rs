//! The advertisement remover.
//!
//! Source: Agarwal et al. 2013, "Proposed method": "the values of the `src` and `href` attributes throughout the page
//! are surveyed to determine the servers to which the links refer. If a link address matches against a list of common
//! advertisement servers, the node of the DOM tree that contained the link is removed." After Gupta et al. 2003.
//!
//! Which addresses and elements are advertisements is for a [`Blocker`] to say: the paper's list of hosts, or lists of rules
//! for addresses and elements as browsers' blockers have them. What these hide leaves the page, so that no frame stays
//! around a hole.
//!
//! Cost: one look at every element; each host of links is looked up once.

use std::sync::Arc;

use html5ever::local_name;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    analysis::AnalysedPage,
    blocking::{Blocker, Names, Resource, Selectors, selectors::Matcher},
    error::ConfigError,
    filter::Filter,
    hashing::Table,
    hosts::HostList,
    html::{NodeId, NodeState, Page, attribute_hints::Hint, tag::Tag},
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
    lists: Arc<dyn Blocker>,
    except: HostList,
}

impl AdServers {
    pub(crate) fn new(settings: &Settings, lists: Arc<dyn Blocker>) -> Result<AdServers, ConfigError> {
        let mut except = HostList::default();
        for host in &settings.except {
            except.add(host).map_err(|_| {
                ConfigError::new(
                    "ad_servers.except",
                    format!("{host:?} is not a host name; expected one such as \"example.com\""),
                )
            })?;
        }
        Ok(AdServers { lists, except })
    }
}

impl Filter for AdServers {
    fn name(&self) -> &'static str {
        "ad_servers"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let url = page.web_url().clone();
        // A person who went to a listed host wants its page.
        if self.lists.blocks(&url, &url, Resource::Document) {
            return None;
        }
        let mut asked = Asked { filter: self, page: url, hosts: Table::default() };
        let mut at = NodeId::DOCUMENT.0 + 1;
        let end = page.end(NodeId::DOCUMENT).0;
        while at < end {
            let id = NodeId(at);
            at += 1;
            if page.state(id) != NodeState::Removed {
                if !asked.is_advertisement(page, id) {
                    continue;
                }
                page.remove_with_links(id, self.name());
            }
            if page.state(id) == NodeState::Removed {
                at = page.end(id).0;
            }
        }
        // What earlier filters removed must not come back in the list of links either.
        let mut links = std::mem::take(&mut page.removals.links);
        links.retain(|link| !link.address.host().is_some_and(|host| asked.is_listed(host)));
        page.removals.links = links;
        for id in self.hidden(page) {
            page.remove_with_links(id, self.name());
        }
        None
    }
}

impl AdServers {
    /// The outermost elements that the lists hide.
    fn hidden(&self, page: &Page) -> Vec<NodeId> {
        let Some(hiding) = self.lists.hiding(page.web_url(), &|| names(page, page.live(page.body()))) else {
            return Vec::new();
        };
        let own = Selectors::compile(hiding.own);
        let mut matcher = Matcher::new(page);
        let mut found: Vec<NodeId> = Vec::new();
        for id in page.live(page.body()) {
            if page.tag(id).is_none() || found.last().is_some_and(|&outer| page.contains(outer, id)) {
                continue;
            }
            let common = hiding.common.as_deref();
            if common.is_some_and(|common| matcher.matches(common, id, |rule| !hiding.except.contains(rule)))
                || matcher.matches(&own, id, |_| true)
            {
                found.push(id);
            }
        }
        found
    }
}

/// The selector by which the lists hide an element, also one that was removed.
pub(crate) fn hidden_by(page: &Page, id: NodeId, lists: &dyn Blocker) -> Option<String> {
    let hiding = lists.hiding(page.web_url(), &|| names(page, [id]))?;
    let own = Selectors::compile(hiding.own);
    let mut matcher = Matcher::new(page);
    let mut found = None;
    for (selectors, is_common) in
        hiding.common.as_deref().map(|common| (common, true)).into_iter().chain([(&own, false)])
    {
        matcher.matches(selectors, id, |rule| {
            let holds = !(is_common && hiding.except.contains(rule));
            if holds {
                found = Some(rule.to_owned());
            }
            holds
        });
    }
    found
}

/// The classes and ids of elements.
fn names(page: &Page, elements: impl IntoIterator<Item = NodeId>) -> Names {
    let mut names = Names::default();
    for id in elements {
        page.each_attribute(id, |name, value| match *name {
            local_name!("class") => names.classes.extend(value.split_ascii_whitespace().map(str::to_owned)),
            local_name!("id") => {
                names.ids.insert(value.to_owned());
            }
            _ => {}
        });
    }
    names
}

/// Looks up the addresses of one page in the lists.
struct Asked<'a> {
    filter: &'a AdServers,
    page: Url,
    /// The hosts that were looked up: links mostly lead where others lead.
    hosts: Table<String, bool>,
}

impl Asked<'_> {
    fn is_advertisement(&mut self, page: &Page, id: NodeId) -> bool {
        // `<base href>` names no resource; taking it away would break every relative address.
        if !page.hints(id).has(Hint::Address) || page.tag(id) == Some(Tag::Base) {
            return false;
        }
        let wanted = wanted(page, id);
        let mut is_listed = false;
        page.each_attribute(id, |name, value| {
            if matches!(*name, local_name!("src") | local_name!("href")) {
                is_listed |= self.leads_to_listed(value, page.base(), wanted);
            }
        });
        // Lists of rules name the servers through which a shop pays for a link, too: its words are the author's. What is an
        // advertisement among such links has a rule for its element.
        is_listed && (wanted != Resource::Document || self.filter.lists.by_host_alone() || page.chars(id) == 0)
    }

    fn leads_to_listed(&mut self, address: &str, base: &Url, wanted: Resource) -> bool {
        if wanted != Resource::Document && !self.filter.lists.by_host_alone() {
            return base.join(address.trim_ascii()).is_ok_and(|address| {
                address.host_str().is_some_and(|host| !self.filter.except.matches(host))
                    && self.filter.lists.blocks(&self.page, &address, wanted)
            });
        }
        match host_of(address) {
            Host::Plain(host) => self.is_listed(host),
            // Relative addresses are the page's own: a person who asked for the page wants its parts.
            Host::None => false,
            Host::Odd => base.join(address).is_ok_and(|url| url.host_str().is_some_and(|host| self.is_listed(host))),
        }
    }

    fn is_listed(&mut self, host: &str) -> bool {
        if let Some(known) = self.hosts.get(host) {
            return *known;
        }
        let address = Url::parse(&format!("https://{host}/"));
        let is_listed = address.is_ok_and(|address| {
            !self.filter.except.matches(host) && self.filter.lists.blocks(&self.page, &address, Resource::Document)
        });
        self.hosts.insert(host.to_owned(), is_listed);
        is_listed
    }
}

/// The kind of resource that an element's address leads to.
pub(crate) fn wanted(page: &Page, id: NodeId) -> Resource {
    match page.tag(id) {
        Some(Tag::A | Tag::Area) => Resource::Document,
        Some(Tag::Iframe | Tag::Frame) => Resource::Frame,
        Some(Tag::Img | Tag::Input) => Resource::Image,
        Some(Tag::Audio | Tag::Video | Tag::Source | Tag::Track) => Resource::Media,
        Some(Tag::Embed | Tag::Object) => Resource::Object,
        Some(Tag::Script) => Resource::Script,
        Some(Tag::Link) => match page.attribute(id, &local_name!("rel")) {
            Some(rel) if rel.to_ascii_lowercase().contains("stylesheet") => Resource::Stylesheet,
            _ => Resource::Other,
        },
        _ => Resource::Other,
    }
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
