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
    pub page_cpu_ms: u64,
    /// Pages in work at once; past that pages pass untouched. Bounds memory.
    #[schemars(range(max = 1_048_576))]
    pub pages_at_once: usize,
    /// Seconds until a page must have arrived; a slower one is given on as it comes.
    pub page_wait_seconds: u64,
    /// Threads that work on pages; `null` means one per processor. Takes effect at the next start.
    #[schemars(range(min = 1))]
    pub page_workers: Option<usize>,
    /// Connections open at once; more are answered with 503. Takes effect at the next start.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub connections: usize,
    /// Connections of one client address; more are answered with 503.
    pub connections_per_client: usize,
    /// Seconds that requests in flight are given to finish when the program is asked to end.
    pub shutdown_grace_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            page_depth: 512,
            page_nodes: 400_000,
            page_cpu_ms: 1000,
            pages_at_once: 64,
            page_wait_seconds: 20,
            page_workers: None,
            connections: 4096,
            connections_per_client: 1024,
            shutdown_grace_seconds: 10,
        }
    }
}

/// More than any one machine holds; above it is a typing error.
const MOST: usize = 1 << 20;

/// Deepest nesting that may be asked for: eight times what browsers take. The walks over a page keep
/// stacks of their own, so it is time that bounds this: some steps look at all ancestors of a node.
const MOST_DEPTH: usize = 4096;

impl Limits {
    /// Refuses zeros that would switch the proxy off by accident.
    pub(super) fn checked(self) -> Result<Self, BadValue> {
        let counts = [
            ("limits.page_depth", self.page_depth),
            ("limits.page_nodes", self.page_nodes),
            ("limits.connections", self.connections),
            ("limits.connections_per_client", self.connections_per_client),
            ("limits.page_workers", self.page_workers.unwrap_or(1)),
        ];
        for (key, count) in counts {
            if count == 0 {
                return Err(BadValue::new(
                    key,
                    "0 allows nothing".to_owned(),
                    "1 or more",
                ));
            }
        }
        if self.page_depth > MOST_DEPTH {
            let problem = format!("{} is too deep", self.page_depth);
            return Err(BadValue::new("limits.page_depth", problem, "1 to 4096"));
        }
        for (key, count) in [
            ("limits.connections", self.connections),
            ("limits.pages_at_once", self.pages_at_once),
        ] {
            if count > MOST {
                let problem = format!("{count} is more than any machine can hold");
                return Err(BadValue::new(key, problem, "1048576 or less"));
            }
        }
        Ok(self)
    }
}
