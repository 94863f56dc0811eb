//! CPU time: of this thread, and of another process.

use std::{fs, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// CPU time that this thread takes for some work.
pub fn of_thread<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = now();
    let done = work();
    (done, now().saturating_sub(before))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// CPU time of a process and of its children that have ended, user and system, in seconds: hundredths, as the kernel
/// keeps it in `/proc/PID/stat` (fields 14 to 17, see proc(5)).
pub fn of_process(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold spaces.
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: u64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    ticks as f64 / 100.0
}

/// Memory of a process that is resident, in bytes; at its highest with `VmHWM`, now with `VmRSS`.
pub fn memory_of(pid: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix(what)?
                .strip_prefix(':')?
                .trim()
                .strip_suffix(" kB")
        })
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
