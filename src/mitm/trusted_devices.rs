//! The clients that have shown that they trust the authority, in a file beside it.
//!
//! With `https.intercept: auto` only their connections are decrypted. The command line and other processes can change
//! the file too.

use std::{
    cmp::Reverse,
    collections::HashMap,
    io,
    net::IpAddr,
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::{
    net::{addresses::client_network, client_program::ClientProgram},
    util::json_file::{Current, JsonFile},
};

const FILE: &str = "trusted-devices.json";

/// Most entries.
const MAX_DEVICES: usize = 1000;

/// Seconds between two updates of an entry's last use: the file is not written at each connection.
const SEEN_STEP: i64 = 3600;

/// Seconds since an entry's last use after which its address may have another device: a DHCP lease lasts for a day or so.
/// Before that, refusals are more likely those of apps that pin certificates.
const MAY_HAVE_CHANGED: i64 = 12 * 3600;

/// The list.
#[derive(Debug)]
pub struct TrustedDevices {
    file: JsonFile<DeviceList>,
    /// How often the file had been read when those who watch were notified last.
    reads: AtomicU64,
    changes: watch::Sender<()>,
}

/// A client that trusts the authority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedDevice {
    /// Its address.
    pub address: IpAddr,
    /// Its user, where users are configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The `User-Agent` of its CONNECT requests, without numbers.
    agent: String,
    /// The `User-Agent` of its other requests, which differs in some systems.
    pub browser: String,
    /// When it showed that it trusts the authority, in seconds since 1970.
    pub since: i64,
    /// When it was last seen to do so, an hour more or less.
    pub seen: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceList {
    /// The authority that they trust; for another one the list is empty.
    authority: String,
    devices: Vec<TrustedDevice>,
}

impl TrustedDevices {
    /// The list in the authority's folder.
    #[must_use]
    pub fn open(dir: Option<&Path>) -> Self {
        let file = JsonFile::open(dir, FILE, "the list of trusted devices");
        Self { file, reads: AtomicU64::default(), changes: watch::Sender::default() }
    }

    /// All entries.
    pub fn all(&self) -> Vec<TrustedDevice> {
        self.current().devices.clone()
    }

    /// Forgets the entries of an address, or all. Returns how many there were.
    pub fn forget(&self, address: Option<IpAddr>) -> io::Result<usize> {
        let address = address.map(|address| address.to_canonical());
        let is_it = move |entry: &TrustedDevice| address.is_none_or(|address| entry.address == address);
        if !self.current().devices.iter().any(is_it) {
            return Ok(0);
        }
        let gone = self.file.change_now(move |list| list.remove(is_it))?;
        self.changes.send_replace(());
        Ok(gone)
    }

    /// Whether this client trusts the authority with this fingerprint, which is asked for if there is an entry.
    pub(crate) fn trusts(&self, device: &ClientProgram, authority: impl FnOnce() -> Option<String>) -> bool {
        let list = self.current();
        list.devices.iter().any(|entry| entry.is_of(device)) && authority().is_some_and(|name| name == list.authority)
    }

    /// Tells when an entry comes or goes.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Whether a browser at this address, with this `User-Agent` but for its numbers, has an entry for this authority.
    pub(crate) fn has_browser(&self, address: IpAddr, user: Option<&str>, browser: &str, authority: &str) -> bool {
        let is_it = |entry: &TrustedDevice| entry.is_at(address, user) && entry.browser == browser;
        let list = self.current();
        list.authority == authority && list.devices.iter().any(is_it)
    }

    /// The client has accepted a leaf of this authority. Returns whether that is new. Only what is new is written.
    pub(crate) fn learn(&self, device: &ClientProgram, browser: String, authority: String) -> bool {
        let now = now();
        if self.current().knows(device, &browser, &authority, now) {
            return false;
        }
        let device = device.clone();
        let is_new = self.file.change(move |list| list.learn(&device, &browser, &authority, now));
        self.changes.send_replace(());
        is_new
    }

    /// The client has used a connection that was decrypted.
    pub(crate) fn touch(&self, device: &ClientProgram) {
        let now = now();
        let is_due = |entry: &TrustedDevice| entry.is_of(device) && now - entry.seen >= SEEN_STEP;
        if self.current().devices.iter().any(is_due) {
            let device = device.clone();
            self.file.change(move |list| {
                list.devices.iter_mut().filter(|entry| entry.is_of(&device)).for_each(|entry| entry.seen = now);
            });
        }
    }

    /// The client has refused our certificate of the start page, or of one host after another.
    pub(crate) fn remove(&self, device: &ClientProgram) {
        let device = device.clone();
        self.remove_where(move |entry| entry.is_of(&device));
    }

    /// The client has closed its connections to several hosts in a row, which may be a refusal of our certificates: it is
    /// forgotten if its address may have another device by now.
    pub(crate) fn remove_if_stale(&self, device: &ClientProgram) {
        let (now, device) = (now(), device.clone());
        self.remove_where(move |entry| entry.is_of(&device) && now - entry.seen >= MAY_HAVE_CHANGED);
    }

    /// Forgets all programs of a device.
    pub(crate) fn forget_device(&self, address: IpAddr, user: Option<&str>) {
        let user = user.map(str::to_owned);
        self.remove_where(move |entry| entry.is_at(address, user.as_deref()));
    }

    /// Forgets all programs at an address, whoever uses them.
    pub(crate) fn forget_address(&self, address: IpAddr) {
        self.remove_where(move |entry| entry.address == address.to_canonical());
    }

    fn remove_where(&self, goes: impl Fn(&TrustedDevice) -> bool + Send + 'static) {
        if self.current().devices.iter().any(&goes) {
            self.file.change(move |list| list.remove(&goes));
            self.changes.send_replace(());
        }
    }

    /// The list, read again if the file has changed.
    fn current(&self) -> Current<'_, DeviceList> {
        let list = self.file.get();
        if self.reads.swap(list.reads(), Relaxed) != list.reads() {
            self.changes.send_replace(());
        }
        list
    }
}

impl DeviceList {
    /// Whether there is nothing to be learned of this client.
    fn knows(&self, device: &ClientProgram, browser: &str, authority: &str, now: i64) -> bool {
        let is_same =
            |entry: &TrustedDevice| entry.is_of(device) && entry.browser == browser && now - entry.seen < SEEN_STEP;
        self.authority == authority && self.devices.iter().any(is_same)
    }

    /// Adds a client that trusts this authority, or updates its entry. Whether it is new.
    fn learn(&mut self, device: &ClientProgram, browser: &str, authority: &str, now: i64) -> bool {
        if self.authority != authority {
            self.devices.clear();
            authority.clone_into(&mut self.authority);
        }
        let known = self.devices.iter().position(|entry| entry.is_of(device));
        let since = known.map_or(now, |index| self.devices.swap_remove(index).since);
        if self.devices.len() >= MAX_DEVICES {
            self.make_room();
        }
        let user = device.user.as_deref().map(str::to_owned);
        let (address, agent, browser) = (device.address, device.agent.clone(), browser.to_owned());
        self.devices.push(TrustedDevice { address, user, agent, browser, since, seen: now });
        known.is_none()
    }

    /// Removes entries. How many there were.
    fn remove(&mut self, goes: impl Fn(&TrustedDevice) -> bool) -> usize {
        let before = self.devices.len();
        self.devices.retain(|entry| !goes(entry));
        before - self.devices.len()
    }

    /// Takes an entry out: of the client that has most, so that none can drive out the others, the one that was used longest ago.
    fn make_room(&mut self) {
        let mut counts = HashMap::<_, usize>::new();
        for entry in &self.devices {
            *counts.entry(client_network(entry.address)).or_default() += 1;
        }
        let most = |index: &usize| {
            let entry = &self.devices[*index];
            (counts[&client_network(entry.address)], Reverse(entry.seen))
        };
        if let Some(index) = (0..self.devices.len()).max_by_key(most) {
            self.devices.swap_remove(index);
        }
    }
}

impl TrustedDevice {
    fn is_of(&self, device: &ClientProgram) -> bool {
        self.is_at(device.address, device.user.as_deref()) && self.agent == device.agent
    }

    /// Whether its `User-Agent` has this part, which is without numbers.
    pub(crate) fn is_named(&self, part: &str) -> bool {
        self.agent.contains(part) || self.browser.contains(part)
    }

    pub(crate) fn is_at(&self, address: IpAddr, user: Option<&str>) -> bool {
        self.address == address.to_canonical() && self.user.as_deref() == user
    }
}

fn now() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(last: u8, agent: &str) -> ClientProgram {
        ClientProgram { address: [192, 168, 1, last].into(), user: None, agent: agent.to_owned() }
    }

    fn knows(list: &TrustedDevices, device: &ClientProgram, authority: &str) -> bool {
        list.trusts(device, || Some(authority.to_owned()))
    }

    #[test]
    fn trust_is_of_one_program_and_one_authority_and_outlives_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedDevices::open(Some(dir.path()));
        let (firefox, other, neighbour) = (device(1, "Firefox"), device(1, "Chrome"), device(2, "Firefox"));
        list.learn(&firefox, "Firefox".to_owned(), "a".to_owned());
        let again = TrustedDevices::open(Some(dir.path()));
        for list in [&list, &again] {
            assert!(knows(list, &firefox, "a") && !knows(list, &firefox, "b"));
            assert!(!knows(list, &other, "a") && !knows(list, &neighbour, "a"));
            assert!(list.has_browser(firefox.address, None, "Firefox", "a"));
            assert!(!list.has_browser(firefox.address, None, "Firefox", "b"));
        }
        // What one process forgets, the other has forgotten.
        assert_eq!(again.forget(Some(firefox.address)).unwrap(), 1);
        assert!(!knows(&list, &firefox, "a"));
        list.learn(&other, String::new(), "b".to_owned());
        list.remove(&other);
        assert!(list.all().is_empty());
    }

    #[test]
    fn refusals_count_when_the_address_may_have_changed_hands() {
        let list = TrustedDevices::open(None);
        let device = device(1, "x");
        list.learn(&device, String::new(), "a".to_owned());
        list.remove_if_stale(&device);
        assert!(knows(&list, &device, "a"));
        list.file.change(|list| list.devices[0].seen -= MAY_HAVE_CHANGED);
        list.remove_if_stale(&device);
        assert!(!knows(&list, &device, "a"));
    }

    #[test]
    fn the_list_is_bounded_and_a_broken_file_counts_as_empty() {
        let list = TrustedDevices::open(None);
        for index in 0..=u32::try_from(MAX_DEVICES).unwrap() {
            let device = ClientProgram { address: std::net::Ipv4Addr::from(index).into(), ..device(0, "x") };
            list.learn(&device, String::new(), "a".to_owned());
        }
        assert_eq!(list.all().len(), MAX_DEVICES);
        // One client with many names drives out itself.
        for name in ["a", "b", "c", "d"] {
            list.learn(&device(1, name), String::new(), "a".to_owned());
        }
        assert_eq!(list.all().len(), MAX_DEVICES);
        assert!(knows(&list, &device(1, "d"), "a"));
        let others = list.all().iter().filter(|entry| entry.address != device(1, "").address).count();
        assert!(others >= MAX_DEVICES - 2, "{others}");
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "{ broken").unwrap();
        let list = TrustedDevices::open(Some(dir.path()));
        assert!(list.all().is_empty());
        list.learn(&device(1, "x"), String::new(), "a".to_owned());
        assert!(knows(&TrustedDevices::open(Some(dir.path())), &device(1, "x"), "a"));
    }
}
