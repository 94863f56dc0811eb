//! From [`RawConfig`] to [`Config`]: files that are named are read, and settings that must fit each other are compared.

use std::{
    borrow::Cow,
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use gleaner_filters::{HostList, HostListError};
use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::{
    Access, BUILTIN, BUILTIN_AD_SERVERS, Config, RawConfig, document::Place, error::Mistake, file, hosts, https,
};

/// Lines of one list that are reported at once.
const MOST_BAD_LINES: usize = 20;

impl RawConfig {
    /// `base` is the folder that relative paths start at. What is returned is of use only where no mistake was found.
    pub(super) fn build(mut self, base: &Path, mistakes: &mut Vec<Mistake>) -> Config {
        for host in &mut self.filters.ad_servers.except {
            *host = hosts::without_wildcard(host).to_owned();
        }
        let mut watched = Vec::new();
        if mistakes.is_empty() {
            // Else what was left out as wrong could be what is missed here.
            noted(check_listen(&self.listen.0, &self.access), mistakes);
        }
        let (ad_servers, ad_servers_hash) = read_ad_servers(&self.ad_server_lists, base, &mut watched, mistakes);
        let fingerprint = fingerprint(&self, ad_servers_hash);
        Config {
            listen: self.listen.0,
            https: self.https,
            authority_dir: noted(authority_dir(self.authority.dir, base), mistakes),
            extra_roots: noted(read_roots(self.upstream.extra_ca_file.as_deref(), base), mistakes),
            insecure_hosts: self.upstream.insecure_hosts,
            access: self.access,
            rewrite: self.rewrite,
            limits: self.limits,
            headers: self.headers,
            timeouts: self.timeouts,
            log: self.log,
            preset: self.preset,
            filters: self.filters,
            ad_servers,
            fingerprint,
            watched,
        }
    }
}

/// The value, or nothing and its mistake.
fn noted<T: Default>(value: Result<T, Mistake>, mistakes: &mut Vec<Mistake>) -> T {
    value.unwrap_or_else(|mistake| {
        mistakes.push(mistake);
        T::default()
    })
}

fn authority_dir(dir: Option<PathBuf>, base: &Path) -> Result<Option<PathBuf>, Mistake> {
    let Some(dir) = dir else {
        return Ok(https::default_authority_dir());
    };
    let dir = file::under(base, &dir);
    if dir.exists() && !dir.is_dir() {
        let problem = format!("{} is no folder; expected a folder, which is made where there is none", dir.display());
        return Err(Mistake::value("authority.dir", problem));
    }
    Ok(Some(dir))
}

/// The addresses must not exclude each other, and listening beyond loopback needs clients that may use the proxy.
fn check_listen(listen: &[SocketAddr], access: &Access) -> Result<(), Mistake> {
    let wrong = |problem, expected| Err(Mistake::value("listen", format!("{problem}; expected {expected}")));
    if let Err(problem) = check_addresses(listen) {
        return wrong(problem, "addresses of this machine, each of which can be listened on beside the others");
    }
    match listen.iter().find_map(|addr| access.problem_with_listening(addr.ip())) {
        Some(problem) => wrong(
            problem,
            "`access.clients` with those who may use it, such as [loopback, private], or a loopback address to listen on",
        ),
        None => Ok(()),
    }
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
/// family. Port 0 is a free port each time, and whether `[::]` accepts IPv4 too is a setting of the kernel.
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
    serde_yaml::to_string(&raw.filters).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

fn read_ad_servers(
    lists: &[String],
    base: &Path,
    watched: &mut Vec<PathBuf>,
    mistakes: &mut Vec<Mistake>,
) -> (HostList, u64) {
    let mut hosts = HostList::default();
    let mut hasher = DefaultHasher::new();
    let mut seen = HashSet::new();
    for (index, list) in lists.iter().enumerate() {
        if !seen.insert(list.as_str()) {
            continue;
        }
        let path = file::under(base, Path::new(list));
        let wrong = |problem: String| Mistake::value(&format!("ad_server_lists.{index}"), problem);
        let text = if list == BUILTIN {
            Cow::Borrowed(BUILTIN_AD_SERVERS)
        } else {
            watched.push(path.clone());
            let text = file::read_text(&path, file::MAX_LIST).map_err(|error| {
                let path = path.display();
                wrong(format!("cannot read {path}: {error}; expected `builtin` or the path of a readable file"))
            });
            Cow::Owned(noted(text, mistakes))
        };
        text.hash(&mut hasher);
        let mut lines: Vec<_> = file::without_mark(&text).lines().collect();
        for _ in 0..MOST_BAD_LINES {
            let Err(error) = hosts.add(&lines.join("\n")) else { break };
            lines[error.line - 1] = "";
            mistakes.push(Mistake {
                elsewhere: Some((path.clone(), place_in_list(&text, &error))),
                ..wrong(format!(
                    "{:?} is not a host name; expected one host per line, or hosts file syntax; `#` starts a comment",
                    error.text
                ))
            });
        }
    }
    (hosts, hasher.finish())
}

/// Where the word is that names no host.
fn place_in_list(text: &str, error: &HostListError) -> Place {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or_default();
    let before = line.split_once(&error.text).map_or("", |(before, _)| before);
    Place { line: error.line, column: file::without_mark(before).chars().count() + 1 }
}

fn read_roots(file: Option<&Path>, base: &Path) -> Result<Vec<CertificateDer<'static>>, Mistake> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let path = file::under(base, file);
    let shown = path.display();
    let wrong = |problem: String| {
        let problem = format!("{problem}; expected a PEM file with at least one certificate");
        Mistake::value("upstream.extra_ca_file", problem)
    };
    let pem = file::read(&path, file::MAX_LIST).map_err(|error| wrong(format!("cannot read {shown}: {error}")))?;
    let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match roots {
        Ok(roots) if roots.is_empty() => Err(wrong(format!("{shown} holds no certificate"))),
        roots => roots.map_err(|error| wrong(format!("{shown}: {error}"))),
    }
}
