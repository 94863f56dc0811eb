//! Hosts that are tunnelled although interception is on: for everybody, because only the client's own TLS can speak with
//! them, or for one client, because that has refused our certificates for them.

mod file;
mod refusal;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use time::OffsetDateTime;
use tracing::info;

use self::file::{FILE, MAX_ENTRIES, RefusedHost};
use crate::{
    client::UpstreamError,
    net::{client_program::ClientProgram, target::Target},
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        json_file::JsonFile,
    },
};

/// How long a host is tunnelled: servers change, and so do programs.
const TUNNELLED_FOR: Duration = Duration::from_hours(24);

/// Why a host is tunnelled for the program that is asked about.
const REFUSED: &str = "this program refuses the proxy's certificate for it";

/// Most such hosts, of all clients together.
const MAX_HOSTS: usize = 16_384;

/// Refusals of one host by one client after which it is tunnelled. One may be a connection that broke off.
const REFUSALS: u32 = 2;

/// Lifetime of a counted refusal, and of an acceptance that cancels later refusals.
const COUNTED_FOR: Duration = Duration::from_hours(1);

/// Clients whose refusals are counted, and hosts of each.
const MAX_CLIENTS: usize = 4096;
const MAX_COUNTED: usize = 64;

/// Hosts that a client must refuse in a row before it is doubted that it trusts the authority at all.
const DOUBTS: usize = 3;

/// The memory of such hosts.
pub(crate) struct TunnelledHosts {
    /// By client, or none for everybody, and `host:port`.
    hosts: ExpiringMap<HostKey, Tunnelled>,
    refusals: ExpiringMap<ClientProgram, Arc<Mutex<Refusals>>>,
    /// Hosts that programs have refused, the last one first.
    file: JsonFile<Vec<RefusedHost>>,
    /// How often the file had been read when its hosts were taken over.
    reads: AtomicU64,
}

type HostKey = (Option<ClientProgram>, String);

#[derive(Clone, Debug)]
struct Tunnelled {
    reason: Arc<str>,
    /// In seconds since 1970: what an earlier process has found is kept for the rest of its time.
    until: i64,
}

/// Hosts that one client has refused and accepted.
#[derive(Debug, Default)]
struct Refusals {
    counts: HashMap<String, u32>,
    /// When it has last used a connection to the host.
    accepted: HashMap<String, Instant>,
    /// Hosts since a certificate was accepted.
    in_a_row: HashSet<String>,
}

/// Effects of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefusalEffect {
    /// The host is tunnelled for this client, unless it is accepted before the next connection.
    pub(crate) tunnel_host: bool,
    /// The client may not trust the authority.
    pub(crate) suspect_trust: bool,
}

impl TunnelledHosts {
    /// With those in the authority's folder.
    pub(crate) fn open(dir: Option<&Path>) -> Self {
        let tunnelled = Self {
            hosts: ExpiringMap::new(MAX_HOSTS, Lifetime::SinceInsertion(TUNNELLED_FOR)),
            refusals: ExpiringMap::new(MAX_CLIENTS, Lifetime::SinceUse(COUNTED_FOR)),
            file: JsonFile::open(dir, FILE, "the list of refused hosts"),
            reads: AtomicU64::default(),
        };
        tunnelled.take_over();
        tunnelled
    }

    /// Takes over what is in the file, if another process has changed it.
    fn take_over(&self) {
        let file = self.file.get();
        if self.reads.swap(file.reads(), Relaxed) == file.reads() {
            return;
        }
        let key = |entry: &RefusedHost| (Some(entry.device()), entry.host.clone());
        let known: HashSet<HostKey> = file.iter().map(key).collect();
        for (gone, _) in self.hosts.entries().iter().filter(|(key, _)| key.0.is_some() && !known.contains(key)) {
            self.hosts.remove(gone);
        }
        for entry in &*file {
            self.hosts.insert(key(entry), Tunnelled { reason: REFUSED.into(), until: entry.until });
        }
    }

    /// All that are not over.
    fn live(&self) -> impl Iterator<Item = (HostKey, Tunnelled)> {
        self.take_over();
        self.hosts.entries().into_iter().filter(|(_, tunnelled)| tunnelled.until > now())
    }

    /// Tunnels a host for a program that has refused it, and keeps that for the next start.
    fn insert_refused(&self, device: &ClientProgram, host: &str) {
        let tunnelled = Tunnelled::from_now_on(REFUSED);
        let entry = RefusedHost::new(device, host, tunnelled.until);
        self.hosts.insert((Some(device.clone()), host.to_owned()), tunnelled);
        self.file.change(move |list| {
            list.retain(|other| other.until > now() && (other.host != entry.host || other.device() != entry.device()));
            list.insert(0, entry.clone());
            list.truncate(MAX_ENTRIES);
        });
    }

    /// Removes some.
    fn remove(&self, goes: impl Fn(&HostKey) -> bool + Send + 'static) {
        self.take_over();
        let gone: Vec<_> = self.hosts.entries().into_iter().filter(|(key, _)| goes(key)).collect();
        for (key, _) in &gone {
            self.hosts.remove(key);
        }
        if gone.iter().any(|(key, _)| key.0.is_some()) {
            self.file.change(move |list| list.retain(|entry| !goes(&(Some(entry.device()), entry.host.clone()))));
        }
    }

    /// Whether the host is tunnelled for this client.
    pub(crate) fn contains(&self, device: &ClientProgram, host: &str) -> bool {
        self.take_over();
        [None, Some(device.clone())]
            .into_iter()
            .any(|client| self.hosts.get(&(client, host.to_owned())).is_some_and(|tunnelled| tunnelled.until > now()))
            || self.is_refused(device, host)
    }

    /// Whether the client has refused the host too often; then it is tunnelled from now on. Decided at the next connection and not
    /// at the refusal: a browser opens several connections at once, and closes those that it does not need before
    /// the first is used.
    fn is_refused(&self, device: &ClientProgram, host: &str) -> bool {
        let Some(refusals) = self.refusals.get(device) else { return false };
        let mut refusals = refusals.lock();
        let is_refused = refusals.counts.get(host).is_some_and(|count| *count >= REFUSALS);
        if is_refused {
            refusals.counts.remove(host);
            info!(client = %device.address, host, "this client refuses our certificate: the host is tunnelled for it");
            self.insert_refused(device, host);
        }
        is_refused
    }

    /// Tunnels a host for everybody.
    fn insert(&self, host: String, reason: &str) {
        self.hosts.insert((None, host), Tunnelled::from_now_on(reason));
    }

    /// Tunnels an origin for everybody, because only the client's own TLS can speak with it.
    pub(crate) fn tunnel_from_now_on(&self, target: &Target, error: &UpstreamError) {
        let host = &*target.host_port;
        info!(host, reason = %error, "connections to this host are tunnelled from now on");
        self.insert(host.to_owned(), &error.to_string());
    }

    /// The client has refused our certificate for the host: it has said so by an alert, or may have by closing the connection.
    pub(crate) fn refused(&self, device: &ClientProgram, host: &str, is_alert: bool) -> RefusalEffect {
        let refusals = self.refusals.get_or_default(device);
        let mut refusals = refusals.lock();
        let accepted = refusals.accepted.get(host).is_some_and(|at| at.elapsed() < COUNTED_FOR);
        if accepted && !is_alert {
            return RefusalEffect::default();
        }
        if refusals.in_a_row.len() < MAX_COUNTED {
            refusals.in_a_row.insert(host.to_owned());
        }
        let suspect_trust = refusals.in_a_row.len() >= DOUBTS;
        if refusals.counts.len() >= MAX_COUNTED {
            refusals.counts.clear();
        }
        let count = refusals.counts.entry(host.to_owned()).or_default();
        *count += 1;
        RefusalEffect { tunnel_host: *count >= REFUSALS, suspect_trust }
    }

    /// The client has used a connection that shows our certificate.
    pub(crate) fn accepted(&self, device: &ClientProgram, host: &str) {
        let refusals = self.refusals.get_or_default(device);
        let mut refusals = refusals.lock();
        refusals.counts.remove(host);
        refusals.in_a_row.clear();
        if refusals.accepted.len() >= MAX_COUNTED {
            refusals.accepted.clear();
        }
        refusals.accepted.insert(host.to_owned(), Instant::now());
    }

    /// The client has shown anew that it trusts the authority: what it refused before says nothing.
    pub(crate) fn trusted(&self, device: &ClientProgram) {
        let gone = device.clone();
        self.remove(move |(client, _)| client.as_ref() == Some(&gone));
        self.refusals.remove(device);
    }

    /// Hosts that are tunnelled for this device, whatever the program, and why; sorted. Other programs are named: apps have no
    /// page of their own to look at.
    pub(crate) fn for_device(&self, device: &ClientProgram) -> Vec<(String, Arc<str>)> {
        let found = self.live().filter_map(|((client, host), Tunnelled { reason, .. })| match client {
            Some(other) if !is_same(&other, device) => None,
            Some(other) if other.agent != device.agent => {
                Some((host, format!("another program refuses the proxy's certificate for it: {}", other.agent).into()))
            }
            _ => Some((host, reason)),
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        found.dedup();
        found
    }

    /// All of them, with the client that each is for, if not everybody; sorted.
    pub(crate) fn all(&self) -> Vec<(Option<ClientProgram>, String, Arc<str>)> {
        let mut all: Vec<_> = self.live().map(|((client, host), tunnelled)| (client, host, tunnelled.reason)).collect();
        all.sort_by(|one, other| one.1.cmp(&other.1));
        all
    }

    /// Forgets a host, for every client.
    pub(crate) fn forget_host(&self, host: &str) {
        let host = host.to_owned();
        self.remove(move |key| key.1 == host);
    }

    /// Forgets the hosts of this device, and what it has refused.
    pub(crate) fn forget(&self, device: &ClientProgram) {
        let device = device.clone();
        let of_it = move |one: &ClientProgram| is_same(one, &device);
        self.remove({
            let of_it = of_it.clone();
            move |(client, _)| client.as_ref().is_none_or(&of_it)
        });
        for (key, _) in self.refusals.entries().iter().filter(|(key, _)| of_it(key)) {
            self.refusals.remove(key);
        }
    }
}

impl Tunnelled {
    fn from_now_on(reason: &str) -> Self {
        Self { reason: reason.into(), until: now() + TUNNELLED_FOR.as_secs().cast_signed() }
    }
}

fn now() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp()
}

/// Whether two programs are on one device.
fn is_same(one: &ClientProgram, other: &ClientProgram) -> bool {
    one.address == other.address && one.user == other.user
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(agent: &str) -> ClientProgram {
        ClientProgram { address: [192, 168, 1, 2].into(), user: None, agent: agent.to_owned() }
    }

    const CLOSED: bool = false;
    const ALERT: bool = true;

    #[test]
    fn a_host_is_tunnelled_for_a_client_that_has_refused_it_twice() {
        let hosts = TunnelledHosts::open(None);
        let (app, browser) = (device("app"), device("browser"));
        for how in [CLOSED, ALERT] {
            assert_eq!(hosts.refused(&app, "a:443", how), RefusalEffect::default());
            assert!(!hosts.contains(&app, "a:443"));
            assert_eq!(hosts.refused(&app, "b:443", how), RefusalEffect::default());
            assert!(hosts.refused(&app, "a:443", how).tunnel_host);
            assert!(hosts.contains(&app, "a:443"));
            assert!(!hosts.contains(&app, "b:443") && !hosts.contains(&browser, "a:443"));
            assert_eq!(hosts.for_device(&browser).len(), 1);
            hosts.forget(&browser);
            assert!(!hosts.contains(&app, "a:443") && hosts.for_device(&app).is_empty());
            assert!(!hosts.refused(&app, "b:443", how).tunnel_host, "the count began anew");
            hosts.trusted(&app);
        }
    }

    #[test]
    fn the_next_start_remembers_for_the_rest_of_the_time_and_what_was_forgotten_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let open = || TunnelledHosts::open(Some(dir.path()));
        let (hosts, app) = (open(), device("app"));
        for host in ["a:443", "b:443"] {
            let _ = [hosts.refused(&app, host, ALERT), hosts.refused(&app, host, ALERT)];
            assert!(hosts.contains(&app, host));
        }
        hosts.forget_host("b:443");
        assert!(open().contains(&app, "a:443") && !open().contains(&app, "b:443"));
        assert!(!open().contains(&device("browser"), "a:443"));
        hosts
            .file
            .change(|list| list.iter_mut().for_each(|entry| entry.until -= TUNNELLED_FOR.as_secs().cast_signed()));
        assert!(!open().contains(&app, "a:443") && open().for_device(&app).is_empty());
    }

    #[test]
    fn connections_that_a_browser_closes_unused_beside_one_in_use_are_no_refusals() {
        let hosts = TunnelledHosts::open(None);
        let browser = device("browser");
        // Closed before the request on the first connection was read.
        hosts.refused(&browser, "a:443", CLOSED);
        assert!(hosts.refused(&browser, "a:443", CLOSED).tunnel_host);
        hosts.accepted(&browser, "a:443");
        assert!(!hosts.contains(&browser, "a:443"));
        for _ in 0..5 {
            assert_eq!(hosts.refused(&browser, "a:443", CLOSED), RefusalEffect::default());
        }
        assert!(!hosts.contains(&browser, "a:443"));
        // An alert says more: the certificate is gone.
        hosts.refused(&browser, "a:443", ALERT);
        assert!(hosts.refused(&browser, "a:443", ALERT).tunnel_host && hosts.contains(&browser, "a:443"));
        hosts.trusted(&browser);
        assert!(!hosts.contains(&browser, "a:443"));
    }

    #[test]
    fn refusals_in_a_row_raise_doubt() {
        let hosts = TunnelledHosts::open(None);
        let browser = device("browser");
        hosts.refused(&browser, "b:443", ALERT);
        hosts.accepted(&browser, "c:443");
        for (host, suspects) in [("d:443", false), ("e:443", false), ("f:443", true)] {
            assert_eq!(hosts.refused(&browser, host, ALERT).suspect_trust, suspects, "{host}");
        }
        hosts.insert("old:443".to_owned(), "its TLS is too old");
        assert!(hosts.contains(&browser, "old:443"));
    }
}
