//! Section `limits`: what one page, one client and the end of the program may cost.
//!
//! Zeros that would switch the proxy off by accident are refused, and what can only be a typing error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Bounded;

/// Section `limits`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Deepest nesting of elements, at most 4096; deeper pages pass untouched. Browsers stop at 512 too. Some steps look
    /// at all ancestors of a node, so it is time that bounds this.
    #[serde(with = "Bounded::<1, 4096>")]
    pub page_depth: usize,
    /// Most nodes of one page; larger pages pass untouched. Raising it costs about 200 bytes a node.
    #[serde(with = "Bounded::<1, { u64::MAX }>")]
    pub page_nodes: usize,
    /// Processor time for one page in milliseconds, at most an hour; slower pages pass untouched. Raising it lets one
    /// hostile page hold a worker for longer.
    #[serde(with = "Bounded::<1, 3_600_000>")]
    pub page_cpu_ms: u64,
    /// Pages in work at once; past that pages pass untouched. Bounds memory. One site takes three quarters of them at most for
    /// one client.
    #[serde(with = "Bounded::<0, 1_048_576>")]
    pub max_pages_in_progress: usize,
    /// Memory in bytes for all pages together that are in work or not yet read by their clients. A page that finds none waits
    /// two seconds for it and then passes untouched, as does one that grows over it. One site takes three quarters of it at most
    /// for one client; the unread pages of one client may hold a sixteenth of it, or two of the largest pages.
    #[serde(with = "Bounded::<1_048_576, { u64::MAX }>")]
    pub pages_memory_bytes: usize,
    /// Seconds until a page, or a picture that is made smaller, must have arrived; a slower one is passed on as it arrives.
    #[serde(with = "Bounded::<1, 86_400>")]
    pub page_arrival_seconds: u64,
    /// Seconds that it may pause while it arrives; one that pauses for longer is passed on from there as it arrives.
    #[serde(with = "Bounded::<1, 86_400>")]
    pub page_pause_seconds: u64,
    /// Pages that are worked on at the same moment; a page of another site or client need not wait for them, up to twice as
    /// many. `null` means one per processor. Takes effect at the next start.
    #[serde(deserialize_with = "Bounded::<1, 1024>::or_null")]
    #[schemars(range(min = 1, max = 1024))]
    pub page_workers: Option<usize>,
    /// Most pixels of a picture that is made smaller, at most a hundred million; larger ones pass as they are. Bounds time and memory,
    /// six bytes a pixel.
    #[serde(with = "Bounded::<1, 100_000_000>")]
    pub picture_pixels: u64,
    /// Largest picture in bytes that is made smaller; larger ones pass as they are.
    #[serde(with = "Bounded::<1, 0x4000_0000>")]
    pub picture_bytes: usize,
    /// Seconds that a picture may wait for its turn and be worked on; a later one passes as it is.
    #[serde(with = "Bounded::<1, 3600>")]
    pub picture_seconds: u64,
    /// Memory in bytes for all pictures together that are made smaller at the same moment. A picture waits for it, at most
    /// `picture_seconds`.
    #[serde(with = "Bounded::<1_048_576, 0xff_ffff_ffff>")]
    pub pictures_memory_bytes: usize,
    /// Memory in bytes in which pictures that were made smaller are kept for the other screens of a household. 0: none.
    #[serde(with = "Bounded::<0, 0xff_ffff_ffff>")]
    pub pictures_cache_bytes: usize,
    /// Connections open at once; more are answered with 503. Takes effect at the next start.
    #[serde(with = "Bounded::<1, 1_048_576>")]
    pub connections: usize,
    /// Connections of one client address; more are answered with 503.
    #[serde(with = "Bounded::<1, 1_048_576>")]
    pub connections_per_client: usize,
    /// Seconds for which a signal that ends the program is told at `/readyz` only, so that a load balancer sends its clients to
    /// another proxy before this one takes no more connections.
    #[serde(with = "Bounded::<0, 3600>")]
    pub drain_seconds: u64,
    /// Seconds for requests in flight to finish when a signal ends the program.
    #[serde(with = "Bounded::<0, 86_400>")]
    pub shutdown_grace_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            page_depth: 512,
            page_nodes: 400_000,
            page_cpu_ms: 1000,
            max_pages_in_progress: 64,
            pages_memory_bytes: PAGES_MEMORY_BYTES,
            page_arrival_seconds: PAGE_ARRIVAL_SECONDS,
            page_pause_seconds: PAGE_PAUSE_SECONDS,
            page_workers: None,
            picture_pixels: PICTURE_PIXELS,
            picture_bytes: 16 << 20,
            picture_seconds: PICTURE_SECONDS,
            pictures_memory_bytes: 192 << 20,
            pictures_cache_bytes: 32 << 20,
            connections: 4096,
            connections_per_client: 1024,
            drain_seconds: 0,
            shutdown_grace_seconds: 10,
        }
    }
}

/// Memory of the pages in work: 256 MiB, so that the whole fits beside other programs on a machine of one gigabyte, and the
/// largest page that is accepted fits alone. Raising it filters more pages of a burst.
const PAGES_MEMORY_BYTES: usize = 256 * 1024 * 1024;

/// What most telephones take: 24 megapixels. A decoder takes some ten milliseconds for each million (docs/performance.md). Raising it
/// makes larger photographs smaller, and lets each take longer.
const PICTURE_PIXELS: u64 = 24_000_000;

/// A reader's thought is not interrupted by a second (Nielsen, as below); a page of many pictures has some of them wait for two.
/// Raising it makes more pictures of a burst smaller, and later.
const PICTURE_SECONDS: u64 = 2;

/// The longest that people keep their attention on something that shows nothing (Nielsen, *Usability Engineering*, 1993, ch. 5).
/// Raising it filters more pages on slow lines, and their readers look at nothing for longer.
const PAGE_ARRIVAL_SECONDS: u64 = 10;

/// A packet that is lost twice is sent for the third time after three seconds (RFC 6298 § 2: one, then two), so a page on a bad
/// line does not count as one that pauses. Raising it filters more pages of servers that pause, and their readers look at nothing
/// for longer.
const PAGE_PAUSE_SECONDS: u64 = 3;
