//! Section `health`: readiness and figures for load balancers and monitoring, at an address of their own.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Address, ClientRange};

/// Section `health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Health {
    /// Address and port for `/healthz`, `/readyz` and `/metrics` alone, without a log-in and for any `Host`; `null` means none.
    /// Takes effect at the next start.
    #[schemars(with = "Option<String>")]
    pub listen: Option<Address>,
    /// Who may ask there: addresses and ranges, as in `access.clients`.
    #[schemars(with = "Vec<String>")]
    pub clients: Vec<ClientRange>,
}

impl Default for Health {
    fn default() -> Self {
        Self { listen: None, clients: ClientRange::near() }
    }
}

impl Health {
    /// Whether this client may ask. The address is in canonical form.
    pub(crate) fn admits(&self, client: IpAddr) -> bool {
        self.clients.iter().any(|range| range.contains(client))
    }
}
