//! Stores the hosts whose programs refuse our certificate, in a file beside the authority, so that after a restart they
//! need not fail twice again.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::net::client_program::ClientProgram;

pub(super) const FILE: &str = "refused-hosts.json";

/// Most entries; of more, those that were refused longest ago are not kept.
pub(super) const MAX_ENTRIES: usize = 1000;

/// A host that a program refuses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RefusedHost {
    address: IpAddr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The `User-Agent` without its numbers.
    agent: String,
    pub(super) host: String,
    /// In seconds since 1970.
    pub(super) until: i64,
}

impl RefusedHost {
    pub(super) fn new(device: &ClientProgram, host: &str, until: i64) -> Self {
        Self {
            address: device.address,
            user: device.user.as_deref().map(str::to_owned),
            agent: device.agent.clone(),
            host: host.to_owned(),
            until,
        }
    }

    pub(super) fn device(&self) -> ClientProgram {
        ClientProgram { address: self.address, user: self.user.as_deref().map(Into::into), agent: self.agent.clone() }
    }
}
