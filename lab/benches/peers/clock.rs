//! CPU time: of this thread, and of another process.

use std::{fs, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// CPU time that this thread takes for some work.
pub(crate) fn of_thread(work: impl FnOnce()) -> Duration {
    let before = now();
    work();
    now().saturating_sub(before)
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// CPU time of a process, user and system, in seconds: what its threads have run, to the nanosecond
/// (`/proc/PID/task/TID/schedstat`, first field). Threads that ended are not in it; none of the proxies ends any while it works.
pub(crate) fn of_process(pid: u32) -> f64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let nanoseconds: u64 = tasks
        .into_iter()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
        .filter_map(|stat| stat.split(' ').next()?.parse::<u64>().ok())
        .sum();
    nanoseconds as f64 / 1e9
}

/// Memory of a process that is resident, in bytes; at its highest with `VmHWM`, now with `VmRSS`.
pub(crate) fn memory_of(pid: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(what)?.strip_prefix(':')?.trim().strip_suffix(" kB"))
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
