//! Section `rewrite`: which pages are rewritten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostPatterns, parse::BadValue};

/// Section `rewrite`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawRewrite {
    /// Whether pages are rewritten at all; `false` makes a plain proxy.
    pub enabled: bool,
    /// Hosts whose pages are never rewritten, with everything under them.
    pub except: Vec<String>,
    /// Whether `Cache-Control: no-transform` of a page, or of who asks for it, is obeyed, as RFC 9111 § 5.2 asks of a proxy.
    pub respect_no_transform: bool,
    /// Largest page in bytes, before and after decompression; longer ones pass untouched. Raising it
    /// costs memory: a page in work holds about ten times its size.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub max_html_bytes: usize,
    /// Hosts of whose pages is remembered, in memory, what repeats on them, for `filters.link_quota` (`domain_strength`,
    /// `image_lists_by_domain`); up to 300 KB a host. 0: none. What a page becomes then depends on those before it.
    pub remember_hosts: u32,
    /// Pages of an article in parts that are shown as one, at most; the origin is asked for those after the first in the
    /// reader's name, for ten seconds at most. 1: each page alone, with a link to the next. Needs `output.style: reader`.
    #[schemars(range(min = 1, max = 50))]
    pub join_pages: u32,
}

impl Default for RawRewrite {
    fn default() -> Self {
        Self {
            enabled: true,
            except: Vec::new(),
            respect_no_transform: true,
            max_html_bytes: MAX_HTML_BYTES,
            remember_hosts: 0,
            join_pages: 1,
        }
    }
}

/// Most pages that are put together. Longer articles exist, and their readers wait for each part; and whoever asks for one page must
/// not make us ask for thousands.
const MOST_JOINED_PAGES: u32 = 50;

/// Largest page in bytes, coded and decoded: 8 MiB. The largest of 1,497 saved pages of all kinds is
/// under 4 MiB. Range: from 1 KiB up. A higher value rewrites longer pages and costs memory.
const MAX_HTML_BYTES: usize = 8 * 1024 * 1024;

/// Below this nothing real would be rewritten.
const MIN_HTML_BYTES: usize = 1024;

/// Above this it is a typing error: no browser shows such a page.
const MOST_HTML_BYTES: usize = 1 << 30;

impl RawRewrite {
    pub(super) fn parse(self) -> Result<Rewrite, BadValue> {
        let except = HostPatterns::parse("rewrite.except", &self.except)?;
        if !(MIN_HTML_BYTES..=MOST_HTML_BYTES).contains(&self.max_html_bytes) {
            let problem = format!("{} is out of range", self.max_html_bytes);
            return Err(BadValue::new(
                "rewrite.max_html_bytes",
                problem,
                "1024 to 1073741824 (1 KiB to 1 GiB)",
            ));
        }
        if !(1..=MOST_JOINED_PAGES).contains(&self.join_pages) {
            let problem = format!("{} is out of range", self.join_pages);
            return Err(BadValue::new(
                "rewrite.join_pages",
                problem,
                "1 to 50 pages (1: each page alone)",
            ));
        }
        Ok(Rewrite {
            enabled: self.enabled,
            except,
            respect_no_transform: self.respect_no_transform,
            max_html_bytes: self.max_html_bytes,
            remember_hosts: self.remember_hosts,
            join_pages: self.join_pages,
        })
    }
}

/// Which pages are rewritten.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// Whether any is.
    pub enabled: bool,
    /// Hosts whose pages never are.
    pub except: HostPatterns,
    /// Whether `no-transform` is obeyed.
    pub respect_no_transform: bool,
    /// Largest page in bytes, coded and decoded.
    pub max_html_bytes: usize,
    /// Hosts of whose pages is remembered what repeats on them.
    pub remember_hosts: u32,
    /// Pages of an article in parts that are shown as one, at most.
    pub join_pages: u32,
}
