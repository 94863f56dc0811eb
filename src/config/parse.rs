//! From [`RawConfig`] to [`Config`]: every value that is a word in the YAML becomes what it means.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
};

use gleaner_filters::{HostList, HostListError};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use super::{
    Access, BUILTIN, BUILTIN_AD_SERVERS, Config, RawConfig, file, hosts, https, place::Place,
};

/// A value that is wrong though its type is right. The file and line are added by the loader.
#[derive(Debug)]
pub(crate) struct BadValue {
    pub(super) key: &'static str,
    pub(super) problem: String,
    pub(super) expected: Cow<'static, str>,
    /// The item of the list, or the key below, that is wrong.
    pub(super) item: Option<String>,
    /// The file and the place that are wrong, where it is not the configuration file itself.
    pub(super) elsewhere: Option<Box<(PathBuf, Place)>>,
}

impl BadValue {
    pub(super) fn new(
        key: &'static str,
        problem: String,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            key,
            problem,
            expected: expected.into(),
            item: None,
            elsewhere: None,
        }
    }

    /// Names the item of the list.
    pub(super) fn item(mut self, item: &str) -> Self {
        self.item = Some(item.to_owned());
        self
    }
}

impl RawConfig {
    /// Parses every value. `base` is the folder that relative paths start at.
    pub(super) fn parse(mut self, base: &Path) -> Result<Config, BadValue> {
        for host in &mut self.filters.ad_servers.except {
            *host = hosts::without_wildcard(host).to_owned();
        }
        let mut watched = Vec::new();
        let listen = self.listen.parse_addresses()?;
        let access = self.access.clone().parse()?;
        check_listen(&listen, &access)?;
        let (ad_servers, ad_servers_hash) =
            read_ad_servers(&self.ad_server_lists, base, &mut watched)?;
        let fingerprint = fingerprint(&self, ad_servers_hash);
        Ok(Config {
            listen,
            https: self.https.parse()?,
            authority_dir: authority_dir(self.authority.dir, base)?,
            extra_roots: read_roots(self.upstream.extra_ca_file.as_deref(), base)?,
            insecure_hosts: self.upstream.parse_insecure()?,
            access,
            rewrite: self.rewrite.parse()?,
            limits: self.limits.checked()?,
            headers: self.headers,
            timeouts: self.timeouts,
            log: self.log,
            preset: self.preset,
            filters: self.filters,
            ad_servers,
            fingerprint,
            watched,
        })
    }
}

fn authority_dir(dir: Option<PathBuf>, base: &Path) -> Result<Option<PathBuf>, BadValue> {
    let Some(dir) = dir else {
        return Ok(https::default_authority_dir());
    };
    let dir = file::under(base, &dir);
    if dir.exists() && !dir.is_dir() {
        let problem = format!("{} is no folder", dir.display());
        let expected = "a folder, which is made where there is none";
        return Err(BadValue::new("authority.dir", problem, expected));
    }
    Ok(Some(dir))
}

/// Each address to listen on must be one that can be had beside the others, and listening wider than loopback must be
/// meant.
fn check_listen(listen: &[SocketAddr], access: &Access) -> Result<(), BadValue> {
    check_addresses(listen).map_err(|problem| {
        let expected =
            "addresses of this machine, each of which can be listened on beside the others";
        BadValue::new("listen", problem, expected)
    })?;
    let problem = listen
        .iter()
        .find_map(|addr| access.problem_with_listening(addr.ip()));
    problem.map_or(Ok(()), |problem| {
        let expected = "`access.clients` with those who may use it, such as [loopback, private], \
                        or a loopback address to listen on";
        Err(BadValue::new("listen", problem, expected))
    })
}

/// What is wrong with addresses to listen on beside each other.
pub fn check_addresses(listen: &[SocketAddr]) -> Result<(), String> {
    for (index, addr) in listen.iter().enumerate() {
        if listen[..index].contains(addr) && addr.port() != 0 {
            return Err(format!("{addr} is listed twice"));
        }
        if let Some(other) = listen[..index].iter().find(|other| collide(addr, other)) {
            return Err(format!("of {other} and {addr} one covers the other"));
        }
        let ip = addr.ip();
        if ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST) {
            return Err(format!("{addr} is the address of many machines"));
        }
    }
    Ok(())
}

/// Whether only one of two addresses can be listened on: the same port at the same address, or at every address of its
/// kind. Port 0 is a free port each time, and whether `[::]` takes IPv4 too is for the system to say.
fn collide(one: &SocketAddr, other: &SocketAddr) -> bool {
    let (a, b) = (one.ip(), other.ip());
    one.port() != 0
        && one.port() == other.port()
        && a.is_ipv4() == b.is_ipv4()
        && (a == b || a.is_unspecified() || b.is_unspecified())
}

/// A number that changes with the settings of the chain, the ad lists and the program's version, and
/// with nothing else: replicas with the same configuration agree on it.
fn fingerprint(raw: &RawConfig, ad_servers: u64) -> u64 {
    // `DefaultHasher::new` has fixed keys, so the value is the same in every process of one build.
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    ad_servers.hash(&mut hasher);
    serde_yaml::to_string(&raw.filters)
        .unwrap_or_default()
        .hash(&mut hasher);
    hasher.finish()
}

fn read_ad_servers(
    lists: &[String],
    base: &Path,
    watched: &mut Vec<PathBuf>,
) -> Result<(HostList, u64), BadValue> {
    const KEY: &str = "ad_server_lists";
    let mut hosts = HostList::default();
    let mut hasher = DefaultHasher::new();
    let mut seen = HashSet::new();
    for list in lists.iter().filter(|list| seen.insert(list.as_str())) {
        let path = file::under(base, Path::new(list));
        let text = if list == BUILTIN {
            Cow::Borrowed(BUILTIN_AD_SERVERS)
        } else {
            let text = file::read_text(&path, file::MAX_LIST).map_err(|error| {
                let problem = format!("cannot read {}: {error}", path.display());
                BadValue::new(KEY, problem, "`builtin` or the path of a readable file").item(list)
            })?;
            watched.push(path.clone());
            Cow::Owned(text)
        };
        text.hash(&mut hasher);
        hosts.add(file::without_mark(&text)).map_err(|error| {
            let expected = "one host per line, or hosts file syntax; `#` starts a comment";
            let problem = format!("{:?} is not a host name", error.text);
            BadValue {
                elsewhere: Some(Box::new((path, place_in_list(&text, &error)))),
                ..BadValue::new(KEY, problem, expected)
            }
        })?;
    }
    Ok((hosts, hasher.finish()))
}

/// Where the word stands that names no host.
fn place_in_list(text: &str, error: &HostListError) -> Place {
    let before = text
        .lines()
        .nth(error.line.saturating_sub(1))
        .and_then(|line| line.split_once(&error.text))
        .map_or("", |(before, _)| before);
    Place {
        line: error.line,
        column: file::without_mark(before).chars().count() + 1,
    }
}

fn read_roots(file: Option<&Path>, base: &Path) -> Result<Vec<CertificateDer<'static>>, BadValue> {
    const EXPECTED: &str = "a PEM file with at least one certificate";
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let path = file::under(base, file);
    let bad = |problem: String| BadValue::new("upstream.extra_ca_file", problem, EXPECTED);
    let pem = file::read(&path, file::MAX_LIST)
        .map_err(|error| bad(format!("cannot read {}: {error}", path.display())))?;
    let roots = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| bad(format!("{}: {error}", path.display())))?;
    if roots.is_empty() {
        return Err(bad(format!("{} holds no certificate", path.display())));
    }
    Ok(roots)
}

/// One word, or a list of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOrMany(pub Vec<String>);

impl OneOrMany {
    fn parse_addresses(&self) -> Result<Vec<SocketAddr>, BadValue> {
        if self.0.is_empty() {
            let problem = "the list is empty".to_owned();
            return Err(BadValue::new("listen", problem, LISTEN));
        }
        let parse = |text: &String| {
            listen_address(text)
                .map_err(|problem| BadValue::new("listen", problem, LISTEN).item(text))
        };
        self.0.iter().map(parse).collect()
    }
}

/// What an address to listen on looks like.
pub const LISTEN: &str = "an address and port such as 127.0.0.1:8118, localhost:8118 or \"[::]:8118\", or a port alone, \
                          which means this machine only";

/// Reads an address to listen on: a port alone means loopback, and names are resolved.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    if let Ok(addr) = text.parse() {
        return Ok(addr);
    }
    let is_name = text.rsplit_once(':').is_some_and(|(name, port)| {
        !name.is_empty() && !name.contains([':', '[', '/', ' ']) && port.parse::<u16>().is_ok()
    });
    if !is_name {
        return Err(format!("{text:?} is not an address and port"));
    }
    let found: Vec<SocketAddr> = text
        .to_socket_addrs()
        .map_err(|error| format!("the name in {text:?} cannot be resolved: {error}"))?
        .collect();
    // One name, one listener: browsers that are told `localhost` try both families.
    let first = found.iter().find(|addr| addr.is_ipv4()).or(found.first());
    first
        .copied()
        .ok_or_else(|| format!("the name in {text:?} has no address"))
}

/// Reads a path that may be left out; a number is a mistake, not a name.
pub(super) fn optional_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    struct PathWords;

    impl Visitor<'_> for PathWords {
        type Value = Option<PathBuf>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a path (in quotes if it is a number) or `null`")
        }

        fn visit_str<E: de::Error>(self, path: &str) -> Result<Self::Value, E> {
            if path.is_empty() {
                return Err(E::invalid_value(de::Unexpected::Str(path), &self));
            }
            Ok(Some(PathBuf::from(path)))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    deserializer.deserialize_any(PathWords)
}

impl Serialize for OneOrMany {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            many => many.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;

        impl<'de> Visitor<'de> for Words {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an address such as 127.0.0.1:8118, or a list of them")
            }

            fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![text.to_owned()]))
            }

            fn visit_u64<E>(self, port: u64) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![port.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<OneOrMany, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMany)
            }
        }

        // An untagged enum would only say that "no variant matched".
        deserializer.deserialize_any(Words)
    }
}

impl JsonSchema for OneOrMany {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 0, "maximum": 65535 }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}
