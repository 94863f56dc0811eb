//! How each device wants the reader page to look, in a file beside the authority.

use std::{
    collections::VecDeque,
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{
        RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use gleaner_filters::ReaderLook;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::{net::device::Device, util::atomic_file};

const FILE: &str = "looks.json";

/// Most entries; of more, the one that was set longest ago goes.
const MAX_DEVICES: usize = 1000;

/// The looks that were chosen on the control host.
#[derive(Debug)]
pub(crate) struct DeviceLooks {
    /// None: they are kept in memory only.
    file: Option<PathBuf>,
    /// Whether there is any; most households have none.
    any: AtomicBool,
    entries: RwLock<VecDeque<Entry>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    address: IpAddr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The `User-Agent` without its numbers.
    browser: String,
    look: ReaderLook,
}

impl DeviceLooks {
    /// Opens the looks stored in the authority's folder.
    pub(crate) fn open(dir: Option<&Path>) -> Self {
        let file = dir.map(|dir| dir.join(FILE));
        let read = file.as_ref().and_then(|file| fs::read(file).ok());
        let parsed = read.map(|bytes| serde_json::from_slice::<VecDeque<Entry>>(&bytes)).transpose();
        let parsed = parsed.inspect_err(|error| {
            warn!(%error, file = FILE, "the list of looks cannot be read and counts as empty");
        });
        let entries = parsed.ok().flatten().unwrap_or_default();
        Self { file, any: AtomicBool::new(!entries.is_empty()), entries: RwLock::new(entries) }
    }

    /// Whether any device has one.
    pub(crate) fn are_used(&self) -> bool {
        self.any.load(Relaxed)
    }

    /// The look that this device chose.
    pub(crate) fn of(&self, device: &Device) -> Option<ReaderLook> {
        let entries = self.entries.read().ok()?;
        entries.iter().find(|entry| entry.is_of(device)).map(|entry| entry.look)
    }

    /// Remembers a choice, or forgets it.
    pub(crate) fn set(&self, device: &Device, look: Option<ReaderLook>) {
        let Ok(mut entries) = self.entries.write() else { return };
        entries.retain(|entry| !entry.is_of(device));
        if let Some(look) = look {
            let user = device.user.as_deref().map(str::to_owned);
            entries.push_back(Entry { address: device.address, user, browser: device.agent.clone(), look });
        }
        if entries.len() > MAX_DEVICES {
            entries.pop_front();
        }
        self.any.store(!entries.is_empty(), Relaxed);
        let Some(file) = &self.file else { return };
        atomic_file::write_later(file, serde_json::to_vec_pretty(&*entries).unwrap_or_default(), |written| {
            if let Err(error) = written {
                warn!(%error, file = FILE, "looks cannot be written; they are forgotten at the end");
            }
        });
    }
}

impl Entry {
    fn is_of(&self, device: &Device) -> bool {
        self.address == device.address && self.user.as_deref() == device.user.as_deref() && self.browser == device.agent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_remembered_for_one_browser_of_one_device() {
        let dir = tempfile::tempdir().unwrap();
        let device = |address: &str, agent: &str| Device {
            address: address.parse().unwrap(),
            user: None,
            agent: agent.to_owned(),
        };
        let (phone, other) = (device("192.168.1.4", "Phone"), device("192.168.1.4", "Other"));
        let large = ReaderLook { type_size: 150, ..ReaderLook::default() };
        let looks = DeviceLooks::open(Some(dir.path()));
        assert!(!looks.are_used());
        looks.set(&phone, Some(large));
        let again = DeviceLooks::open(Some(dir.path()));
        assert!(again.are_used());
        assert_eq!((again.of(&phone), again.of(&other)), (Some(large), None));
        again.set(&phone, None);
        assert!(!again.are_used() && DeviceLooks::open(Some(dir.path())).of(&phone).is_none());
    }
}
