//! Section `panel`: who may open the panel at the control host.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ClientRange,
    error::Mistake,
    users::{Hash, Users},
};

/// Section `panel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Panel {
    /// Whether there is a panel; `false` leaves the start page.
    pub enabled: bool,
    /// Who may open it beside this machine: addresses and ranges, as in `access.clients`. Needs a password.
    #[schemars(with = "Vec<String>")]
    pub clients: Vec<ClientRange>,
    /// A line that `gleaner hash-password` printed. With it everybody logs in, this machine too; `null` means that this machine
    /// needs no password.
    #[schemars(with = "Option<String>")]
    pub password: Option<Hash>,
}

impl Default for Panel {
    fn default() -> Self {
        Self { enabled: true, clients: Vec::new(), password: None }
    }
}

impl Panel {
    /// Whether this client may open the panel, or log in to it. The address is in canonical form.
    pub(crate) fn admits(&self, client: IpAddr) -> bool {
        self.enabled && (client.is_loopback() || self.clients.iter().any(|range| range.contains(client)))
    }

    /// Whom the log-in asks for: one user without a name.
    pub(crate) fn users(&self) -> Users {
        self.password.iter().cloned().map(Users::only).next().unwrap_or_default()
    }

    /// Other machines need a password.
    pub(super) fn check(&self) -> Result<(), Mistake> {
        if self.clients.is_empty() || self.password.is_some() {
            return Ok(());
        }
        let expected = "a `password` beside it, which `gleaner hash-password` prints, or no clients";
        Err(Mistake::value("panel.clients", format!("other machines would need no password; expected {expected}")))
    }
}
