//! How each device wants the reader page to look, in a file beside the authority.

use std::{
    collections::VecDeque,
    net::IpAddr,
    path::Path,
    time::{Duration, Instant},
};

use gleaner_filters::ReaderLook;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{net::device::Device, util::json_file::JsonFile};

const FILE: &str = "reader-preferences.json";

/// How often is looked up whether there is any preference, which another process may have set.
const LOOKED_UP_EVERY: Duration = Duration::from_secs(5);

/// Most entries; of more, the one that was set longest ago goes.
const MAX_DEVICES: usize = 1000;

/// The preferences that were chosen on the control host.
#[derive(Debug)]
pub(crate) struct ReaderPreferences {
    file: JsonFile<VecDeque<Preference>>,
    used: Mutex<Used>,
}

/// Whether there is any preference, and when that was looked up: most households have none.
#[derive(Debug)]
struct Used {
    any: bool,
    until: Instant,
}

#[derive(Debug, Serialize, Deserialize)]
struct Preference {
    address: IpAddr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The `User-Agent` without its numbers.
    browser: String,
    look: ReaderLook,
}

impl ReaderPreferences {
    /// Opens those in the authority's folder.
    pub(crate) fn open(dir: Option<&Path>) -> Self {
        let file = JsonFile::open(dir, FILE, "the list of reader preferences");
        Self { file, used: Mutex::new(Used { any: false, until: Instant::now() }) }
    }

    /// Whether any device has one.
    pub(crate) fn are_used(&self) -> bool {
        let mut used = self.used.lock();
        let now = Instant::now();
        if now >= used.until {
            *used = Used { any: !self.file.get().is_empty(), until: now + LOOKED_UP_EVERY };
        }
        used.any
    }

    /// The style that this device chose.
    pub(crate) fn get(&self, device: &Device) -> Option<ReaderLook> {
        self.file.get().iter().find(|entry| entry.is_of(device)).map(|entry| entry.look)
    }

    /// Remembers a choice, or forgets it.
    pub(crate) fn set(&self, device: &Device, look: Option<ReaderLook>) {
        let device = device.clone();
        let any = self.file.change(move |entries| {
            entries.retain(|entry| !entry.is_of(&device));
            if let Some(look) = look {
                let user = device.user.as_deref().map(str::to_owned);
                entries.push_back(Preference { address: device.address, user, browser: device.agent.clone(), look });
            }
            if entries.len() > MAX_DEVICES {
                entries.pop_front();
            }
            !entries.is_empty()
        });
        self.used.lock().any = any;
    }
}

impl Preference {
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
        let looks = ReaderPreferences::open(Some(dir.path()));
        assert!(!looks.are_used());
        looks.set(&phone, Some(large));
        let again = ReaderPreferences::open(Some(dir.path()));
        assert!(again.are_used());
        assert_eq!((again.get(&phone), again.get(&other)), (Some(large), None));
        again.set(&phone, None);
        assert!(!again.are_used() && ReaderPreferences::open(Some(dir.path())).get(&phone).is_none());
    }
}
