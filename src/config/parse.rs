//! From [`RawConfig`] to [`Config`]: every value that is a word in the YAML becomes what it means.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt, fs,
    hash::{DefaultHasher, Hash, Hasher},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use gleaner_filters::HostList;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use super::{Access, BUILTIN, BUILTIN_AD_SERVERS, Config, RawConfig, https};

/// A value that is wrong though its type is right. The file and line are added by the loader.
#[derive(Debug)]
pub(crate) struct BadValue {
    pub(super) key: &'static str,
    pub(super) problem: String,
    pub(super) expected: &'static str,
}

impl BadValue {
    pub(super) fn new(key: &'static str, problem: String, expected: &'static str) -> Self {
        Self {
            key,
            problem,
            expected,
        }
    }
}

impl RawConfig {
    /// Parses every value. `base` is the folder that relative paths start at.
    pub(super) fn parse(self, base: &Path) -> Result<Config, BadValue> {
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
            authority_dir: self
                .authority
                .dir
                .map_or_else(https::default_authority_dir, |dir| Some(base.join(dir))),
            extra_roots: read_roots(self.upstream.extra_ca_file.as_deref(), base)?,
            insecure_hosts: self.upstream.parse_insecure()?,
            access,
            rewrite: self.rewrite.parse()?,
            limits: self.limits.checked()?,
            timeouts: self.timeouts.parse()?,
            log: self.log,
            preset: self.preset,
            filters: self.filters,
            ad_servers,
            fingerprint,
            watched,
        })
    }
}

/// Listening wider than loopback must be meant.
fn check_listen(listen: &[SocketAddr], access: &Access) -> Result<(), BadValue> {
    let problem = listen
        .iter()
        .find_map(|addr| access.problem_with_listening(addr.ip()));
    problem.map_or(Ok(()), |problem| {
        let expected = "`access.clients` with those who may use it, such as [loopback, private], \
                        or a loopback address to listen on";
        Err(BadValue::new("listen", problem, expected))
    })
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
        let text = if list == BUILTIN {
            Cow::Borrowed(BUILTIN_AD_SERVERS)
        } else {
            let path = base.join(list);
            let text = fs::read_to_string(&path).map_err(|error| {
                let problem = format!("cannot read {}: {error}", path.display());
                BadValue::new(KEY, problem, "`builtin` or the path of a readable file")
            })?;
            watched.push(path);
            Cow::Owned(text)
        };
        text.hash(&mut hasher);
        hosts.add(&text).map_err(|error| {
            let expected = "one host per line, or hosts file syntax; `#` starts a comment";
            BadValue::new(KEY, format!("{list}: {error}"), expected)
        })?;
    }
    Ok((hosts, hasher.finish()))
}

fn read_roots(file: Option<&Path>, base: &Path) -> Result<Vec<CertificateDer<'static>>, BadValue> {
    const EXPECTED: &str = "a PEM file with at least one certificate";
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let path = base.join(file);
    let bad = |problem: String| BadValue::new("upstream.extra_ca_file", problem, EXPECTED);
    let pem =
        fs::read(&path).map_err(|error| bad(format!("cannot read {}: {error}", path.display())))?;
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
        const EXPECTED: &str = "an address and port such as 127.0.0.1:8118 or \"[::]:8118\"";
        if self.0.is_empty() {
            return Err(BadValue::new(
                "listen",
                "the list is empty".to_owned(),
                EXPECTED,
            ));
        }
        let parse = |text: &String| {
            text.parse().map_err(|_| {
                BadValue::new(
                    "listen",
                    format!("{text:?} is not an address and port"),
                    EXPECTED,
                )
            })
        };
        self.0.iter().map(parse).collect()
    }
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
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}
