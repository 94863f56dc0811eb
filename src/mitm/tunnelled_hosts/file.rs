//! The hosts that programs refuse, in a file beside the authority: after a restart they would fail twice again.

use std::{
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::{net::device::Device, util::atomic_file};

const FILE: &str = "refused-hosts.json";

/// Most entries; of more, those that were not used for longest are not kept.
const MAX_HOSTS: usize = 1000;

/// None: nothing is kept.
#[derive(Debug)]
pub(super) struct RefusedHosts(Option<PathBuf>);

#[derive(Serialize, Deserialize)]
struct Entry {
    address: IpAddr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The `User-Agent` without its numbers.
    agent: String,
    host: String,
    /// In seconds since 1970.
    until: i64,
}

impl RefusedHosts {
    pub(super) fn new(dir: Option<&Path>) -> Self {
        Self(dir.map(|dir| dir.join(FILE)))
    }

    /// Each with its program and the time until which it is tunnelled.
    pub(super) fn read(&self) -> Vec<(Device, String, i64)> {
        let bytes = self.0.as_ref().and_then(|file| fs::read(file).ok()).unwrap_or_else(|| b"[]".to_vec());
        let entries: Vec<Entry> = serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            warn!(%error, file = FILE, "the list of refused hosts cannot be read and counts as empty");
            Vec::new()
        });
        let device = |entry: &Entry| Device {
            address: entry.address,
            user: entry.user.as_deref().map(Into::into),
            agent: entry.agent.clone(),
        };
        entries.into_iter().map(|entry| (device(&entry), entry.host, entry.until)).collect()
    }

    /// The last used come first.
    pub(super) fn write<'a>(&self, hosts: impl Iterator<Item = (&'a Device, &'a String, i64)>) {
        let Some(file) = &self.0 else { return };
        let entry = |(device, host, until): (&Device, &String, i64)| Entry {
            address: device.address,
            user: device.user.as_deref().map(str::to_owned),
            agent: device.agent.clone(),
            host: host.clone(),
            until,
        };
        let entries: Vec<_> = hosts.take(MAX_HOSTS).map(entry).collect();
        atomic_file::write_later(file, serde_json::to_vec_pretty(&entries).unwrap_or_default(), |written| {
            if let Err(error) = written {
                warn!(%error, file = FILE, "the list of refused hosts cannot be written; it is forgotten at the end");
            }
        });
    }
}
