//! From [`RawConfig`] to [`Config`]: files that are named are read, and settings that must fit each other are compared.

use std::{
    borrow::Cow,
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
};

use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::{
    Access, Address, BUILTIN, BUILTIN_HOSTS, Config, HostPatterns, LeaveAlone, Profiles, RawConfig, blocking,
    document::TextPlace, error::Mistake, file, hosts, https, load::is_any_in, via,
};

/// Lines of one list that are reported at once.
const MOST_BAD_LINES: usize = 20;

impl RawConfig {
    /// `base` is the folder that relative paths start at. What is returned is of use only where no mistake was found.
    pub(super) fn build(&mut self, base: &Path, mistakes: &mut Vec<Mistake>) -> (Config, Noticed) {
        for host in &mut self.filters.ad_servers.except {
            *host = hosts::without_wildcard(host).to_owned();
        }
        let mut noticed = Noticed::default();
        let mut listen: Vec<SocketAddr> = self.listen.iter().map(|listener| listener.address.0).collect();
        if self.access.lan {
            open_to_lan(&mut self.access, &mut listen);
        }
        noted(self.panel.check(), mistakes);
        noted(self.update.check(), mistakes);
        noted(self.read.check(), mistakes);
        // What was left out as wrong could be what is missed here.
        if !is_any_in(mistakes, &["access", "listen"]) {
            noted(check_listen(&listen, &self.access), mistakes);
            let others = [("health.listen", self.health.listen), ("icap.listen", self.icap.listen)];
            noted(check_other_listeners(&listen, others), mistakes);
        }
        let blocking = noted(blocking::build(self.blocking.clone(), base), mistakes);
        let never_processed = read_never_processed(&self.leave_alone, base, &mut noticed.watched, mistakes);
        let upstream = &self.upstream;
        let via = via::build(&upstream.via, upstream.environment, base, &mut noticed.watched, mistakes);
        let strangers = "anyone in `access.clients` may use this proxy, strangers among them; set `access.users`";
        let strangers = self.access.is_open_to_strangers().then(|| strangers.to_owned());
        noticed.hints = strangers.into_iter().collect();
        let authority_dir = noted(authority_dir(self.authority.dir.as_deref(), base), mistakes);
        let kept_books = noted(self.shelf.clone().build(base, authority_dir.as_deref()), mistakes);
        let raw = self.clone();
        let config = Config {
            listen,
            balancers: raw
                .listen
                .into_iter()
                .map(|listener| (listener.address.0.port(), listener.proxy_protocol))
                .collect(),
            health: raw.health,
            icap: raw.icap,
            https: raw.https,
            authority_dir,
            extra_roots: noted(read_roots(self.upstream.extra_ca_file.as_deref(), base), mistakes),
            fingerprint: fingerprint(self),
            upstream: raw.upstream,
            via,
            access: raw.access,
            rewrite: raw.rewrite,
            read: raw.read,
            shelf: kept_books,
            agents: raw.agents,
            pictures: raw.pictures,
            headers: raw.headers,
            limits: raw.limits,
            timeouts: raw.timeouts,
            log: raw.log,
            panel: raw.panel,
            update: raw.update,
            preset: raw.preset,
            filters: raw.filters,
            blocking,
            never_processed,
            profiles: Profiles::default(),
            text_hash: 0,
        };
        (config, noticed)
    }
}

impl Config {
    /// Lets the devices of the local network use the proxy, as `access.lan` does.
    pub fn open_to_lan(&mut self) {
        open_to_lan(&mut self.access, &mut self.listen);
    }
}

/// What was noticed in the settings beside mistakes.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    pub(super) hints: Vec<String>,
    /// The files that the settings name.
    pub(super) watched: Vec<PathBuf>,
}

fn open_to_lan(access: &mut Access, listen: &mut Vec<SocketAddr>) {
    access.open_to_lan();
    *listen = on_all_addresses(listen);
}

/// The value, or nothing and its mistake.
fn noted<T: Default>(value: Result<T, Mistake>, mistakes: &mut Vec<Mistake>) -> T {
    value.unwrap_or_else(|mistake| {
        mistakes.push(mistake);
        T::default()
    })
}

/// Every address of both families in place of loopback, with the same ports.
fn on_all_addresses(listen: &[SocketAddr]) -> Vec<SocketAddr> {
    let mut wide: Vec<SocketAddr> = Vec::new();
    for addr in listen {
        let all =
            [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)].map(|ip| (ip, addr.port()).into());
        let wanted = if addr.ip().is_loopback() { &all[..] } else { &[*addr] };
        wide.extend(wanted.iter().filter(|addr| !wide.contains(addr)).copied().collect::<Vec<_>>());
    }
    wide
}

fn authority_dir(dir: Option<&Path>, base: &Path) -> Result<Option<PathBuf>, Mistake> {
    let Some(dir) = dir else {
        return Ok(https::default_authority_dir());
    };
    let dir = file::under(base, dir);
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

/// The addresses of other services must leave those of the proxy, and each other, free.
fn check_other_listeners(listen: &[SocketAddr], others: [(&str, Option<Address>); 2]) -> Result<(), Mistake> {
    let mut taken: Vec<_> = listen.iter().map(|addr| ("listen", *addr)).collect();
    for (key, addr) in others.into_iter().filter_map(|(key, addr)| Some((key, addr?.0))) {
        if let Some((holder, other)) = taken.iter().find(|(_, other)| collide(&addr, other)) {
            let problem = format!("{addr} is taken by `{holder}`, which has {other}; expected another port or address");
            return Err(Mistake::value(key, problem));
        }
        taken.push((key, addr));
    }
    Ok(())
}

/// Checks that addresses to listen on do not exclude each other.
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

/// A number that changes with the settings of the chain and the program's version, and with nothing else: replicas with the
/// same configuration agree on it.
fn fingerprint(raw: &RawConfig) -> u64 {
    // `DefaultHasher::new` has fixed keys, so the value is the same in every process of one build.
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    serde_yaml::to_value(&raw.filters).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// Hosts that are neither decrypted nor rewritten: those that are named, and those of all lists, each of which is read once.
fn read_never_processed(
    leave_alone: &LeaveAlone,
    base: &Path,
    watched: &mut Vec<PathBuf>,
    mistakes: &mut Vec<Mistake>,
) -> HostPatterns {
    let mut hosts = leave_alone.hosts.clone();
    let mut seen = HashSet::new();
    for (index, list) in leave_alone.lists.iter().enumerate().filter(|(_, list)| seen.insert(list.as_str())) {
        let (key, path) = (format!("leave_alone.lists.{index}"), file::under(base, Path::new(list)));
        let text = if list == BUILTIN {
            Cow::Borrowed(BUILTIN_HOSTS)
        } else {
            watched.push(path.clone());
            let text = file::read_text(&path, file::MAX_LIST).map_err(|error| {
                let path = path.display();
                let problem = format!("cannot read {path}: {error}; expected `builtin` or the path of a readable file");
                Mistake::value(&key, problem)
            });
            Cow::Owned(noted(text, mistakes))
        };
        for line in hosts.add_lines(file::without_mark(&text)).into_iter().take(MOST_BAD_LINES) {
            // Do not quote the line: a panel user could otherwise read any file that the process can read.
            let problem = format!(
                "line {line} of {} is not a host; expected one on each line, such as bank.example, without scheme, port \
                 or path; `#` starts a comment",
                path.file_name().unwrap_or_default().display()
            );
            let other_file = Some((path.clone(), TextPlace { line, column: 1 }));
            mistakes.push(Mistake { other_file, ..Mistake::value(&key, problem) });
        }
    }
    hosts
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
    let pem =
        file::read_regular(&path, file::MAX_LIST).map_err(|error| wrong(format!("cannot read {shown}: {error}")))?;
    let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match roots {
        Ok(roots) if roots.is_empty() => Err(wrong(format!("{shown} holds no certificate"))),
        roots => roots.map_err(|error| wrong(format!("{shown}: {error}"))),
    }
}
