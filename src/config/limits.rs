//! Section `limits`: what one page, one client and the end of the program may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parse::BadValue;

/// Section `limits`. Used as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Deepest nesting of elements, at most 4096; deeper pages pass untouched. Browsers stop at 512 too.
    #[schemars(range(min = 1, max = 4096))]
    pub page_depth: usize,
    /// Most nodes of one page; larger pages pass untouched. Raising it costs about 200 bytes a node.
    #[schemars(range(min = 1))]
    pub page_nodes: usize,
    /// Processor time for one page in milliseconds; slower pages pass untouched. Raising it lets one
    /// hostile page hold a worker for longer.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub page_cpu_ms: u64,
    /// Pages in work at once; past that pages pass untouched. Bounds memory.
    #[schemars(range(max = 1_048_576))]
    pub pages_at_once: usize,
    /// Memory in bytes for all pages in work together. A page that finds none waits two seconds for it and then passes
    /// untouched, as does one that grows over it.
    #[schemars(range(min = 1_048_576))]
    pub pages_memory_bytes: usize,
    /// Seconds until a page must have arrived; a slower one is given on as it comes.
    #[schemars(range(min = 1, max = 86400))]
    pub page_wait_seconds: u64,
    /// Threads that work on pages; `null` means one per processor. Takes effect at the next start.
    #[schemars(range(min = 1, max = 1024))]
    pub page_workers: Option<usize>,
    /// Connections open at once; more are answered with 503. Takes effect at the next start.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub connections: usize,
    /// Connections of one client address; more are answered with 503.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub connections_per_client: usize,
    /// Seconds that requests in flight are given to finish when the program is asked to end.
    #[schemars(range(max = 86400))]
    pub shutdown_grace_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            page_depth: 512,
            page_nodes: 400_000,
            page_cpu_ms: 1000,
            pages_at_once: 64,
            pages_memory_bytes: PAGES_MEMORY_BYTES,
            page_wait_seconds: 20,
            page_workers: None,
            connections: 4096,
            connections_per_client: 1024,
            shutdown_grace_seconds: 10,
        }
    }
}

/// Memory of the pages in work: 256 MiB, so that the whole fits beside other programs on a machine of one gigabyte, and the
/// largest page that is accepted has room alone. Raising it filters more pages of a burst.
const PAGES_MEMORY_BYTES: usize = 256 * 1024 * 1024;

/// Below this hardly any real page would be rewritten.
const LEAST_MEMORY: u64 = 1 << 20;

/// More than any one machine holds; above it is a typing error.
const MOST: usize = 1 << 20;

/// Deepest nesting that may be asked for: eight times what browsers take. The walks over a page keep
/// stacks of their own, so it is time that bounds this: some steps look at all ancestors of a node.
const MOST_DEPTH: usize = 4096;

/// An hour: a page that takes longer is given up by every reader.
const MOST_CPU_MS: u64 = 3_600_000;

/// A day: longer is a typing error.
const MOST_SECONDS: u64 = 86_400;

/// Many times the processors of any machine: each is a thread.
const MOST_WORKERS: usize = 1024;

impl Limits {
    /// Refuses zeros that would switch the proxy off by accident, and what can only be a typing error.
    pub(super) fn checked(self) -> Result<Self, BadValue> {
        let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let most = wide(MOST);
        for (key, value, least, most) in [
            (
                "limits.page_depth",
                wide(self.page_depth),
                1,
                wide(MOST_DEPTH),
            ),
            ("limits.page_nodes", wide(self.page_nodes), 1, u64::MAX),
            ("limits.page_cpu_ms", self.page_cpu_ms, 1, MOST_CPU_MS),
            ("limits.pages_at_once", wide(self.pages_at_once), 0, most),
            (
                "limits.pages_memory_bytes",
                wide(self.pages_memory_bytes),
                LEAST_MEMORY,
                u64::MAX,
            ),
            (
                "limits.page_wait_seconds",
                self.page_wait_seconds,
                1,
                MOST_SECONDS,
            ),
            (
                "limits.page_workers",
                wide(self.page_workers.unwrap_or(1)),
                1,
                wide(MOST_WORKERS),
            ),
            ("limits.connections", wide(self.connections), 1, most),
            (
                "limits.connections_per_client",
                wide(self.connections_per_client),
                1,
                most,
            ),
            (
                "limits.shutdown_grace_seconds",
                self.shutdown_grace_seconds,
                0,
                MOST_SECONDS,
            ),
        ] {
            if !(least..=most).contains(&value) {
                let problem = match value {
                    0 => "0 allows nothing".to_owned(),
                    value => format!("{value} is out of range"),
                };
                let expected = match most {
                    u64::MAX => format!("{least} or more"),
                    most => format!("{least} to {most}"),
                };
                return Err(BadValue::new(key, problem, expected));
            }
        }
        Ok(self)
    }
}
