//! Section `blocking`: lists of advertisements and trackers.

use std::{collections::BTreeMap, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostPatterns, values::path_or_null};
use crate::blocking::ListSource;

/// Section `blocking`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawBlocking {
    /// Whether anything is blocked, in pages and among requests.
    pub enabled: bool,
    /// Whether requests for what the lists forbid are answered by the proxy; `false` only takes it out of pages.
    pub requests: bool,
    /// Names of lists, addresses of lists, or files; relative paths start at the configuration file. Each may be a
    /// hosts file, plain hosts, or rules as `AdGuard`, `Pi-hole`, `EasyList` and `uBlock Origin` write them.
    #[schemars(with = "Vec<String>")]
    pub lists: Vec<ListSource>,
    /// Sites on which nothing is blocked, and hosts that are never blocked, with everything under them.
    pub except: HostPatterns,
    /// The same for one list, by its name as in `lists`.
    pub except_by_list: BTreeMap<String, HostPatterns>,
    /// Whether lists from the web are kept up to date.
    pub update: bool,
    /// Folder of downloaded lists. `null` means `lists` in `$STATE_DIRECTORY` under systemd, else in `gleaner` in the user's data folder.
    #[serde(deserialize_with = "path_or_null")]
    pub dir: Option<PathBuf>,
}

impl Default for RawBlocking {
    fn default() -> Self {
        Self {
            enabled: true,
            requests: true,
            lists: vec![ListSource::Builtin],
            except: HostPatterns::default(),
            except_by_list: BTreeMap::new(),
            update: true,
            dir: None,
        }
    }
}
