//! CPU time of the current thread, so that a page is charged for its own work and not for a busy machine.

use std::time::Duration;

pub(super) struct CpuClock(Duration);

impl CpuClock {
    pub(super) fn start() -> CpuClock {
        CpuClock(now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        now().saturating_sub(self.0)
    }

    /// The time since the start, or the last lap: asking costs a call into the kernel, so that one answer ends a lap and
    /// begins the next.
    pub(super) fn lap(&mut self) -> Duration {
        let before = std::mem::replace(&mut self.0, now());
        self.0.saturating_sub(before)
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// Without a clock for one thread, wall time: it errs on the side of giving up.
#[cfg(not(unix))]
fn now() -> Duration {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
