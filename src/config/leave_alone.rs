//! Section `leave_alone`: hosts whose connections are never decrypted and whose pages are never rewritten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BUILTIN, HostPatterns};

/// Section `leave_alone`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LeaveAlone {
    /// Hosts, with everything under them.
    pub hosts: HostPatterns,
    /// Lists of hosts: `builtin` (app stores, updates, push, password managers, connectivity checks), and paths of files with
    /// one host per line.
    pub lists: Vec<String>,
}

impl Default for LeaveAlone {
    fn default() -> Self {
        Self { hosts: HostPatterns::default(), lists: vec![BUILTIN.to_owned()] }
    }
}
