//! Section `rewrite`: which pages are rewritten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostPatterns, values::Bounded};

/// Section `rewrite`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rewrite {
    /// Whether pages are rewritten at all; `false` makes a plain proxy.
    pub enabled: bool,
    /// Hosts whose pages are never rewritten, with everything under them.
    pub except: HostPatterns,
    /// Whether `Cache-Control: no-transform` of a response or a request is obeyed, as RFC 9111 § 5.2 requires of a proxy.
    pub respect_no_transform: bool,
    /// Largest page in bytes, before and after decompression, up to 1 GiB; longer ones pass untouched. Raising it
    /// costs memory: a page in work holds about ten times its size.
    #[serde(with = "Bounded::<1024, 0x4000_0000>")]
    pub max_html_bytes: usize,
    /// Number of hosts for which it is kept in memory what repeats on their pages, for `filters.link_quota`
    /// (`domain_strength`, `image_lists_by_domain`); up to 300 KB a host. 0: none. The result for a page then depends on the
    /// pages before it.
    pub remember_hosts: u32,
    /// Most pages of a divided article that are joined into one; those after the first are requested with the fields of the
    /// client's request, for ten seconds at most. 1: each page alone, with a link to the next. Needs `output.style: reader`.
    /// Bounded because the client waits for each part, and one request must not cause thousands.
    #[serde(with = "Bounded::<1, 50>")]
    pub join_pages: u32,
}

impl Default for Rewrite {
    fn default() -> Self {
        Self {
            enabled: true,
            except: HostPatterns::default(),
            respect_no_transform: true,
            max_html_bytes: MAX_HTML_BYTES,
            remember_hosts: 0,
            join_pages: 1,
        }
    }
}

/// Largest page in bytes, coded and decoded: 8 MiB. The largest of 1,497 saved pages of all kinds is
/// under 4 MiB. A higher value rewrites longer pages and costs memory.
const MAX_HTML_BYTES: usize = 8 * 1024 * 1024;
