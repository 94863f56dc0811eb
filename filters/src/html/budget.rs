//! CPU time of the current thread, so that a page is charged for its own work and not for a busy machine.

use std::{
    cell::Cell,
    panic::resume_unwind,
    time::{Duration, Instant},
};

/// Nodes walked over between two looks at the clock. A look costs about as much as a hundred nodes, and this many a
/// tenth of a millisecond (2026-11-21). Raising it lets a page overdraw its time by more.
const NODES_BETWEEN_LOOKS: u32 = 16 * 1024;

/// The rest of a page's time while filters work on it. They know nothing of it: walking over the page uses it up, and
/// when it is gone the filter is left as a panic would leave it, which `chain::feed::guarded` turns into an error.
pub(crate) struct Budget {
    clock: CpuClock,
    left: Duration,
    limit: Duration,
    nodes: Cell<u32>,
}

/// Why a filter was left.
pub(crate) struct OutOfTime {
    pub(crate) limit: Duration,
}

impl Budget {
    pub(crate) fn new(limit: Duration, spent: Duration) -> Budget {
        Budget { clock: CpuClock::start(), left: limit.saturating_sub(spent), limit, nodes: Cell::new(0) }
    }

    /// A walk over about so many nodes begins.
    pub(crate) fn walk(&self, nodes: u32) {
        let walked = self.nodes.get() + nodes;
        if walked < NODES_BETWEEN_LOOKS {
            self.nodes.set(walked);
            return;
        }
        self.nodes.set(0);
        if self.clock.may_exceed(self.left) && self.clock.elapsed() > self.left {
            // Not `panic!`: nothing is wrong, so nothing is to be reported.
            resume_unwind(Box::new(OutOfTime { limit: self.limit }));
        }
    }
}

pub(crate) struct CpuClock {
    cpu: Duration,
    wall: Instant,
}

impl CpuClock {
    pub(crate) fn start() -> CpuClock {
        CpuClock { cpu: now(), wall: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        now().saturating_sub(self.cpu)
    }

    /// Whether more than this may have passed: a thread's time does not pass faster than that of the world, which is known
    /// without a call into the kernel.
    pub(crate) fn may_exceed(&self, duration: Duration) -> bool {
        self.wall.elapsed() > duration
    }

    /// The time since the start, or the last lap: asking costs a call into the kernel, so that one answer ends a lap and
    /// begins the next.
    pub(crate) fn lap(&mut self) -> Duration {
        let before = std::mem::replace(self, CpuClock::start());
        self.cpu.saturating_sub(before.cpu)
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Without a clock for one thread, wall time: it errs on the side of giving up.
#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
