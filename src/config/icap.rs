//! Section `icap`: the filters as a service for another proxy.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Address, ClientRange};

/// Section `icap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Icap {
    /// Address and port for another proxy, such as Squid, that has requests and responses filtered here (RFC 3507); `null` means
    /// none. The usual port is 1344. Takes effect at the next start.
    #[schemars(with = "Option<String>")]
    pub listen: Option<Address>,
    /// The proxies that may ask: addresses and ranges, as in `access.clients`. They are trusted to name the client of each message.
    #[schemars(with = "Vec<String>")]
    pub clients: Vec<ClientRange>,
}

impl Default for Icap {
    fn default() -> Self {
        Self { listen: None, clients: ["loopback"].into_iter().filter_map(|entry| entry.parse().ok()).collect() }
    }
}

impl Icap {
    /// Whether this proxy may ask. The address is in canonical form.
    pub(crate) fn admits(&self, proxy: IpAddr) -> bool {
        self.clients.iter().any(|range| range.contains(proxy))
    }
}
