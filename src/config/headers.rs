//! Section `headers`: fields that this proxy adds to requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::OnOff;

/// Section `headers`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Headers {
    /// Whether requests carry `Via`, as RFC 9110 § 7.6.3 requires of a proxy. Off: nginx by default
    /// (`gzip_proxied off`) compresses nothing for a request that has it. Loops are found either way, by
    /// `CDN-Loop` (RFC 8586).
    #[serde(with = "OnOff")]
    pub via: bool,
}
