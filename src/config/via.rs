//! Keys `upstream.via` and `upstream.environment`: the way to a web server, directly or through another proxy.

mod environment;

use std::{
    collections::HashMap,
    env, fmt,
    net::IpAddr,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::{
    ClientRange, HostPatterns,
    error::Mistake,
    file, hosts,
    values::{path_or_null, word_type},
};
use crate::util::host::Host;

/// Most bytes of a password's file.
const MAX_PASSWORD_FILE: u64 = 4096;

/// Most bytes of a name and of a password, and in SOCKS (RFC 1929 § 2).
const MAX_WORD: usize = 4096;
const MAX_SOCKS_WORD: usize = 255;

/// One rule of `upstream.via`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawViaRule {
    /// Hosts, each with everything under it, and addresses or ranges of them. Left out: all.
    #[serde(default, deserialize_with = "not_empty", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    hosts: Vec<ViaHost>,
    /// Addresses or ranges of clients, `loopback` and `private`. Left out: all, and this program's own requests.
    #[serde(default, deserialize_with = "not_empty", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    clients: Vec<ClientRange>,
    /// The proxy, such as `http://proxy.example:3128`, `https://…` or `socks5://127.0.0.1:9050`; `direct` for none; `refuse`:
    /// nothing is sent to these hosts.
    #[schemars(with = "String")]
    proxy: ViaProxy,
    /// The name to log in to the proxy with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The file of the password, which others must not be able to read.
    #[serde(default, deserialize_with = "path_or_null", skip_serializing_if = "Option::is_none")]
    password_file: Option<PathBuf>,
}

fn not_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::deserialize(from)?;
    if list.is_empty() {
        let problem =
            "the list is empty, so that the rule would fit nothing; expected entries, or no such key, which means all";
        return Err(D::Error::custom(problem));
    }
    Ok(list)
}

/// A host with everything under it, an address, or a range of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct ViaHost {
    written: String,
    #[serde(skip)]
    range: Option<IpNet>,
}

word_type!(
    ViaHost,
    "a host such as intranet.example, which covers www.intranet.example too, an address, or a range such as 10.0.0.0/8"
);

impl FromStr for ViaHost {
    type Err = String;

    fn from_str(entry: &str) -> Result<Self, String> {
        if entry.contains('/') && !entry.contains("://") {
            let net: IpNet = entry.parse().map_err(|_| format!("{entry:?} is neither a host nor a range"))?;
            return Ok(Self { written: entry.to_owned(), range: Some(net.trunc()) });
        }
        hosts::parse(entry).map(|host| Self { written: host, range: None })
    }
}

/// The way that a rule names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ViaProxy {
    Direct,
    Refuse,
    Proxy { kind: ParentKind, host: Host, port: u16 },
}

word_type!(ViaProxy, "http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, or the word `direct` or `refuse`");

/// The protocol that a proxy is spoken to with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ParentKind {
    Http,
    /// HTTP over TLS.
    Https,
    /// SOCKS 5, which resolves names itself.
    Socks5,
}

impl ParentKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Socks5 => "socks5",
        }
    }
}

impl FromStr for ViaProxy {
    type Err = String;

    /// The problem does not show what was written: it may hold a password.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "direct" => return Ok(Self::Direct),
            "refuse" => return Ok(Self::Refuse),
            _ => {}
        }
        let (scheme, rest) = text.split_once("://").ok_or("this is neither a proxy's address nor one of the words")?;
        let kind = match scheme.to_ascii_lowercase().as_str() {
            "http" => ParentKind::Http,
            "https" => ParentKind::Https,
            // What curl calls socks5h is the only form here: the name goes to the proxy.
            "socks5" | "socks5h" => ParentKind::Socks5,
            _ => return Err("a proxy of this kind is not known".to_owned()),
        };
        if rest.contains('@') {
            return Err("the address holds a name or a password, which belong to `user` and `password_file`".to_owned());
        }
        let (host, port) = host_and_port(rest)?;
        Ok(Self::Proxy { kind, host, port })
    }
}

impl fmt::Display for ViaProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct => f.write_str("direct"),
            Self::Refuse => f.write_str("refuse"),
            Self::Proxy { kind, host, port } => write!(f, "{}://{host}:{port}", kind.as_str()),
        }
    }
}

impl Serialize for ViaProxy {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The host and port of a proxy; the port is always written, because programs do not agree on one.
fn host_and_port(text: &str) -> Result<(Host, u16), String> {
    let text = text.strip_suffix('/').unwrap_or(text);
    if text.contains(['/', '?', '#']) {
        return Err("the address has a path, which a proxy has not".to_owned());
    }
    let (host, port) = text.rsplit_once(':').ok_or("the proxy's port is missing")?;
    if host.starts_with('[') != host.ends_with(']') || (host.contains(':') && !host.starts_with('[')) {
        return Err("the proxy's port is missing, or its IPv6 address has no brackets".to_owned());
    }
    let port = port.parse().ok().filter(|port| *port != 0).ok_or("the proxy's port is no number from 1 to 65535")?;
    let host = Host::parse(host).map_err(|_| "the proxy's host is malformed".to_owned())?;
    Ok((host, port))
}

/// A proxy between this one and web servers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ParentProxy {
    pub(crate) kind: ParentKind,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// A name and a password.
    pub(crate) credentials: Option<(String, String)>,
    /// The address without them.
    name: Arc<str>,
}

impl ParentProxy {
    fn new(kind: ParentKind, host: Host, port: u16, credentials: Option<(String, String)>) -> Self {
        let name = ViaProxy::Proxy { kind, host: host.clone(), port }.to_string().into();
        Self { kind, host, port, credentials, name }
    }

    /// The address, such as `socks5://127.0.0.1:9050`.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Whether it speaks HTTP.
    pub(crate) fn is_http(&self) -> bool {
        self.kind != ParentKind::Socks5
    }

    /// The value of `Proxy-Authorization` (RFC 7617).
    pub(crate) fn authorization(&self) -> Option<String> {
        let (user, password) = self.credentials.as_ref()?;
        Some(format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}"))))
    }

    /// Whether a text has the password, as it is or as it is sent.
    pub(crate) fn is_told_in(&self, text: &str) -> bool {
        let sent = self.authorization();
        let sent =
            sent.as_deref().and_then(|value| value.strip_prefix("Basic ")).is_some_and(|value| text.contains(value));
        sent || self.credentials.as_ref().is_some_and(|(_, password)| text.contains(&**password))
    }
}

impl fmt::Debug for ParentProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The way to a web server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Direct,
    /// Nothing is sent.
    Refuse,
    Parent(Arc<ParentProxy>),
}

/// A rule in use.
#[derive(Clone, Debug)]
pub(crate) struct ViaRule {
    /// None: all.
    hosts: Option<ViaHosts>,
    /// Empty: all.
    clients: Vec<ClientRange>,
    /// Encrypted connections only, or others only.
    is_encrypted: Option<bool>,
    pub(crate) way: Way,
    /// The proxy's address, `direct` or `refuse`.
    pub(crate) name: Arc<str>,
    /// Where the rule was written.
    pub(crate) place: String,
}

/// Hosts and ranges of a rule.
#[derive(Clone, Debug, Default)]
struct ViaHosts {
    names: HostPatterns,
    ranges: Vec<IpNet>,
    /// Hosts of which only one port is meant, as in `NO_PROXY`.
    ports: Vec<(HostPatterns, u16)>,
}

impl ViaHosts {
    fn new(entries: &[ViaHost]) -> Self {
        let names = entries.iter().filter(|entry| entry.range.is_none()).map(|entry| entry.written.clone());
        let ranges = entries.iter().filter_map(|entry| entry.range);
        Self { names: names.collect(), ranges: ranges.collect(), ports: Vec::new() }
    }

    /// `is_named` says whether one of the names fits.
    fn contains(&self, wanted: &WantedConnection<'_>, is_named: bool) -> bool {
        let is_port = |(hosts, port): &(HostPatterns, u16)| *port == wanted.port && hosts.matches(wanted.host);
        let is_in = |ip: IpAddr| self.ranges.iter().any(|range| range.contains(&ip.to_canonical()));
        is_named || !self.ranges.is_empty() && wanted.host.parse().is_ok_and(is_in) || self.ports.iter().any(is_port)
    }
}

/// A connection that is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedConnection<'a> {
    /// In its canonical spelling.
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) is_encrypted: bool,
    pub(crate) client: IpAddr,
}

/// The rules in use, in their order.
#[derive(Clone, Debug, Default)]
pub struct Via {
    rules: Arc<[ViaRule]>,
    /// The rules that have a name, by their index: a host is looked up once, however many rules there are.
    by_name: Arc<HashMap<String, Vec<usize>>>,
}

impl Via {
    fn new(rules: Vec<ViaRule>) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, rule) in rules.iter().enumerate() {
            for name in rule.hosts.iter().flat_map(|hosts| hosts.names.iter()) {
                by_name.entry(name.to_owned()).or_default().push(index);
            }
        }
        Self { rules: rules.into(), by_name: Arc::new(by_name) }
    }

    /// The first rule that fits; none means the direct way.
    pub(crate) fn rule(&self, wanted: &WantedConnection<'_>) -> Option<&ViaRule> {
        if self.is_empty() {
            return None;
        }
        let client = wanted.client.to_canonical();
        let named: Vec<usize> =
            hosts::names_over(wanted.host).filter_map(|name| self.by_name.get(name)).flatten().copied().collect();
        let found = self.rules.iter().enumerate().find(|(index, rule)| {
            rule.is_encrypted.is_none_or(|is_encrypted| is_encrypted == wanted.is_encrypted)
                && (rule.clients.is_empty() || rule.clients.iter().any(|range| range.contains(client)))
                && rule.hosts.as_ref().is_none_or(|hosts| hosts.contains(wanted, named.contains(index)))
        });
        found.map(|(_, rule)| rule)
    }

    /// Whether there are no rules, so that everything goes the direct way.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = &ViaRule> {
        self.rules.iter()
    }
}

/// Makes the rules: those of the file, then those of the environment.
pub(super) fn build(
    raw: &[RawViaRule],
    environment: bool,
    base: &Path,
    watched: &mut Vec<PathBuf>,
    mistakes: &mut Vec<Mistake>,
) -> Via {
    let mut rules = Vec::new();
    for (index, raw) in raw.iter().enumerate() {
        watched.extend(raw.password_file.as_ref().map(|path| file::under(base, path)));
        match from_file(raw, index, base) {
            Ok(rule) => rules.push(rule),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if environment {
        match environment::rules(|name| env::var(name).ok()) {
            Ok(more) => rules.extend(more),
            Err(problem) => mistakes.push(Mistake::value("upstream.environment", problem)),
        }
    }
    Via::new(rules)
}

fn from_file(raw: &RawViaRule, index: usize, base: &Path) -> Result<ViaRule, Mistake> {
    let key = |name: &str| format!("upstream.via.{index}.{name}");
    let way = match &raw.proxy {
        ViaProxy::Proxy { kind, host, port } => {
            let credentials = credentials(raw, *kind, &key, base)?;
            Way::Parent(Arc::new(ParentProxy::new(*kind, host.clone(), *port, credentials)))
        }
        _ if raw.user.is_some() || raw.password_file.is_some() => {
            let name = if raw.user.is_some() { "user" } else { "password_file" };
            let problem = format!("`proxy: {}` needs no password; expected no `{name}` here", raw.proxy);
            return Err(Mistake::value(&key(name), problem));
        }
        ViaProxy::Direct => Way::Direct,
        ViaProxy::Refuse => Way::Refuse,
    };
    Ok(ViaRule {
        hosts: (!raw.hosts.is_empty()).then(|| ViaHosts::new(&raw.hosts)),
        clients: raw.clients.clone(),
        is_encrypted: None,
        way,
        name: raw.proxy.to_string().into(),
        place: format!("upstream.via[{index}]"),
    })
}

fn credentials(
    raw: &RawViaRule,
    kind: ParentKind,
    key: &impl Fn(&str) -> String,
    base: &Path,
) -> Result<Option<(String, String)>, Mistake> {
    let (user, path) = match (&raw.user, &raw.password_file) {
        (None, None) => return Ok(None),
        (Some(user), Some(path)) => (user, file::under(base, path)),
        (Some(_), None) => {
            let problem = "there is no password; expected the key `password_file` beside it, the path of a file";
            return Err(Mistake::value(&key("user"), problem));
        }
        (None, Some(_)) => {
            let problem = "there is no name; expected the key `user` beside it";
            return Err(Mistake::value(&key("password_file"), problem));
        }
    };
    check_word(user, kind, kind != ParentKind::Socks5)
        .map_err(|problem| Mistake::value(&key("user"), format!("the name {problem}")))?;
    let wrong = |problem: String| Mistake::value(&key("password_file"), format!("{}: {problem}", path.display()));
    let bytes = file::read_private(&path, MAX_PASSWORD_FILE).map_err(|error| {
        wrong(format!("{error}; expected a file with the password on its first line, for its owner and group alone"))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text; expected a password".to_owned()))?;
    let mut lines = file::without_mark(&text).lines();
    let password = lines.next().unwrap_or_default();
    if lines.any(|line| !line.is_empty()) {
        return Err(wrong("it has more than one line; expected the password alone".to_owned()));
    }
    check_word(password, kind, false).map_err(|problem| wrong(format!("the password {problem}")))?;
    Ok(Some((user.clone(), password.to_owned())))
}

/// Whether a name or password can be sent; the problem does not show it.
fn check_word(word: &str, kind: ParentKind, ends_at_colon: bool) -> Result<(), String> {
    if word.is_empty() {
        return Err("is empty; expected at least one character".to_owned());
    }
    if word.chars().any(char::is_control) {
        return Err("has control characters; expected none".to_owned());
    }
    // RFC 7617 § 2.
    if ends_at_colon && word.contains(':') {
        return Err("has a colon, which HTTP does not allow; expected none".to_owned());
    }
    let most = if kind == ParentKind::Socks5 { MAX_SOCKS_WORD } else { MAX_WORD };
    if word.len() > most {
        return Err(format!("is longer than {most} bytes; expected a shorter one"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
