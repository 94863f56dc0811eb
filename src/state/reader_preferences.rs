//! How each device wants the reader page to look, and on which sites it wants none, in a file beside the authority.

use std::{
    collections::VecDeque,
    net::IpAddr,
    path::Path,
    time::{Duration, Instant},
};

use gleaner_filters::ReaderLook;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{net::client_program::ClientProgram, util::json_file::JsonFile};

const FILE: &str = "reader-preferences.json";

/// How often is looked up whether there is any preference, which another process may have set.
const LOOKED_UP_EVERY: Duration = Duration::from_secs(5);

/// Most entries; of more, the one that was set longest ago goes.
const MAX_DEVICES: usize = 1000;

/// Most sites that one browser has left as they are; of more, the one that was chosen longest ago is rewritten again.
const MAX_SITES: usize = 200;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    look: Option<ReaderLook>,
    /// Hosts whose pages, and those of hosts below them, stay as they are.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    never: VecDeque<String>,
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
    pub(crate) fn get(&self, device: &ClientProgram) -> Option<ReaderLook> {
        self.file.get().iter().find(|entry| entry.is_of(device)).and_then(|entry| entry.look)
    }

    /// The sites whose pages stay as they are on this device.
    pub(crate) fn never(&self, device: &ClientProgram) -> Vec<String> {
        let entries = self.file.get();
        let entry = entries.iter().find(|entry| entry.is_of(device));
        entry.map(|entry| entry.never.iter().cloned().collect()).unwrap_or_default()
    }

    /// Whether the pages of a host stay as they are on this device.
    pub(crate) fn is_never(&self, device: &ClientProgram, host: &str) -> bool {
        let is_below =
            |site: &String| host.strip_suffix(&**site).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        self.file.get().iter().any(|entry| entry.is_of(device) && entry.never.iter().any(is_below))
    }

    /// Leaves the pages of a host's site as they are on this device, or ends that.
    pub(crate) fn set_never(&self, device: &ClientProgram, host: &str, is_never: bool) {
        let site = host.strip_prefix("www.").unwrap_or(host).to_owned();
        self.change(device, move |entry| {
            entry.never.retain(|known| *known != site && !site.ends_with(&format!(".{known}")));
            if is_never {
                entry.never.push_back(site.clone());
            }
            if entry.never.len() > MAX_SITES {
                entry.never.pop_front();
            }
        });
    }

    /// Remembers a look, or forgets it.
    pub(crate) fn set(&self, device: &ClientProgram, look: Option<ReaderLook>) {
        self.change(device, move |entry| entry.look = look);
    }

    /// Changes what is remembered of a device, which is then the last to go.
    fn change(&self, device: &ClientProgram, change: impl Fn(&mut Preference) + Send + 'static) {
        let device = device.clone();
        let any = self.file.change(move |entries| {
            let known = entries.iter().position(|entry| entry.is_of(&device)).and_then(|at| entries.remove(at));
            let mut entry = known.unwrap_or_else(|| Preference::new(&device));
            change(&mut entry);
            if entry.look.is_some() || !entry.never.is_empty() {
                entries.push_back(entry);
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
    fn new(device: &ClientProgram) -> Self {
        let user = device.user.as_deref().map(str::to_owned);
        Self { address: device.address, user, browser: device.agent.clone(), look: None, never: VecDeque::new() }
    }

    fn is_of(&self, device: &ClientProgram) -> bool {
        self.address == device.address && self.user.as_deref() == device.user.as_deref() && self.browser == device.agent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_left_alone_with_what_is_below_it() {
        let device = ClientProgram { address: "192.168.1.4".parse().unwrap(), user: None, agent: "Phone".to_owned() };
        let known = ReaderPreferences::open(None);
        known.set(&device, Some(ReaderLook::default()));
        known.set_never(&device, "www.news.example", true);
        for (host, is_never) in
            [("news.example", true), ("m.news.example", true), ("badnews.example", false), ("example", false)]
        {
            assert_eq!(known.is_never(&device, host), is_never, "{host}");
        }
        assert!(known.get(&device).is_some(), "the look stays");
        known.set_never(&device, "m.news.example", false);
        assert!(known.never(&device).is_empty() && known.get(&device).is_some());
    }

    #[test]
    fn a_choice_is_remembered_for_one_browser_of_one_device() {
        let dir = tempfile::tempdir().unwrap();
        let device = |address: &str, agent: &str| ClientProgram {
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
