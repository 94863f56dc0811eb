//! CPU time of the current thread, so that a page is charged for its own work and not for a busy machine.

use std::{
    cell::Cell,
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Steps between two readings of the clock. One costs about as much as a hundred steps, and this many a tenth of a
/// millisecond (2026-11-21). Raising it lets a page overdraw its time by more.
const STEPS_BETWEEN_LOOKS: u32 = 16 * 1024;

/// The rest of a page's time while filters work on it. They know nothing of it: each step over the page uses it up, and
/// when it is gone, or nobody waits for the page any longer, the filter is left as a panic would leave it, which
/// `chain::feed::guarded` turns into an error.
pub(crate) struct Budget {
    clock: CpuClock,
    left: Duration,
    limit: Duration,
    /// Whether nobody waits for the page any longer.
    cancelled: Arc<AtomicBool>,
    /// Steps since the last reading.
    steps: Cell<u32>,
    /// Steps before the last reading, for tests.
    #[cfg(test)]
    steps_before: Cell<u64>,
}

/// Why a filter was left.
pub(crate) enum Stop {
    OutOfTime { limit: Duration },
    Cancelled,
}

impl Budget {
    pub(crate) fn new(limit: Duration, spent: Duration, cancelled: Arc<AtomicBool>) -> Budget {
        let left = limit.saturating_sub(spent);
        Budget {
            clock: CpuClock::start(),
            left,
            limit,
            cancelled,
            steps: Cell::new(0),
            #[cfg(test)]
            steps_before: Cell::new(0),
        }
    }

    /// The budget of a page whose time nobody counts.
    pub(crate) fn endless() -> Budget {
        Budget::new(Duration::MAX, Duration::ZERO, Arc::default())
    }

    /// So many steps are made.
    #[inline]
    pub(crate) fn charge(&self, steps: u32) {
        let made = self.steps.get().saturating_add(steps);
        self.steps.set(made);
        if made >= STEPS_BETWEEN_LOOKS {
            self.check();
        }
    }

    #[cold]
    #[inline(never)]
    fn check(&self) {
        #[cfg(test)]
        self.steps_before.set(self.steps_before.get() + u64::from(self.steps.get()));
        self.steps.set(0);
        // Not `panic!`: nothing is wrong, so nothing is to be reported.
        if self.cancelled.load(Relaxed) {
            resume_unwind(Box::new(Stop::Cancelled));
        }
        if self.clock.may_exceed(self.left) && self.clock.elapsed() > self.left {
            resume_unwind(Box::new(Stop::OutOfTime { limit: self.limit }));
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

/// Counting of the steps of all pages of a thread.
#[cfg(test)]
pub(crate) mod testing {
    use std::cell::Cell;

    use super::Budget;

    thread_local! {
        static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    impl Drop for Budget {
        fn drop(&mut self) {
            let steps = self.steps_before.get() + u64::from(self.steps.get());
            STEPS.with(|all| all.set(all.get() + steps));
        }
    }

    /// What some work gives, and the steps that it made: the same on whatever machine.
    pub(crate) fn steps_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
        STEPS.set(0);
        (work(), STEPS.get())
    }
}
