//! Names that people give to devices, by address, in a file beside the authority.

use std::{collections::BTreeMap, net::IpAddr, path::Path};

use crate::util::json_file::JsonFile;

const FILE: &str = "device-names.json";

/// Most names; of more, none is added.
const MAX_DEVICES: usize = 1000;

/// Most characters of a name.
pub(crate) const LONGEST: usize = 40;

/// The names by address.
pub(crate) type NamesByAddress = BTreeMap<IpAddr, String>;

/// The names, which several processes share.
#[derive(Debug)]
pub(crate) struct DeviceNames(JsonFile<NamesByAddress>);

impl DeviceNames {
    /// Opens those in the authority's folder.
    pub(crate) fn open(dir: Option<&Path>) -> Self {
        Self(JsonFile::open(dir, FILE, "the list of device names"))
    }

    /// All of them.
    pub(crate) fn all(&self) -> NamesByAddress {
        self.0.get().clone()
    }

    /// Names a device; a name without a letter takes its name away.
    pub(crate) fn set(&self, address: IpAddr, name: &str) {
        let plain = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let name: String = words.chars().take(LONGEST).collect();
        self.0.change(move |names| {
            if name.is_empty() {
                names.remove(&address);
            } else if names.len() < MAX_DEVICES || names.contains_key(&address) {
                names.insert(address, name.clone());
            }
        });
    }
}

/// A device in words: its name, or its address, and the user.
pub(crate) fn shown(names: &NamesByAddress, address: IpAddr, user: Option<&str>) -> String {
    let own = || if address.is_loopback() { "this machine".to_owned() } else { address.to_string() };
    let name = names.get(&address).cloned().unwrap_or_else(own);
    user.map_or(name.clone(), |user| format!("{name}, {user}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_short_line_and_goes_again() {
        let dir = tempfile::tempdir().unwrap();
        let names = DeviceNames::open(Some(dir.path()));
        let address = "192.168.1.20".parse().unwrap();
        names.set(address, &format!(" Anna's\n tablet {}", "x".repeat(100)));
        let all = DeviceNames::open(Some(dir.path())).all();
        assert!(all[&address].starts_with("Anna's tablet x") && all[&address].chars().count() == LONGEST);
        assert_eq!(shown(&all, "192.168.1.21".parse().unwrap(), Some("otto")), "192.168.1.21, otto");
        names.set(address, " ");
        assert!(names.all().is_empty());
    }
}
