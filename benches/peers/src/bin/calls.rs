//! What one request costs in calls of the kernel, forwarded and intercepted: system calls by name, switches of context, processor
//! time in the program and in the kernel. Needs `perf` and the right to trace (root, or `kernel.perf_event_paranoid` at -1).
//!
//! `calls [CONNECTIONS]`, 64 without arguments; intercepted requests come on 16, over HTTP/2 as 16 streams of one. `GLEANER` and `GLEANER_EXTRA` as in `road`.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::Arc,
};

use anyhow::Context;
use gleaner_peers::road::{
    client,
    interception::Interception,
    origin,
    proxies::{self, Running},
};

const REQUESTS: usize = 25_600;

/// Connections or streams of intercepted requests.
const INTERCEPTED: usize = 16;

/// What is counted: names of perf's events, without what they have in common.
const CALLS: [&str; 13] = [
    "recvfrom",
    "read",
    "readv",
    "sendto",
    "write",
    "writev",
    "futex",
    "epoll_wait",
    "epoll_ctl",
    "timerfd_settime",
    "connect",
    "close",
    "madvise",
];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let connections = env::args().nth(1).map_or(Ok(64), |number| number.parse())?;
    let origin = origin::start(None, Arc::default()).await?;
    let dir = tempfile::tempdir()?;
    let extra = env::var("GLEANER_EXTRA").unwrap_or_default();
    let mut contestants = vec![
        proxies::peer("hyper_proxy", &[])?,
        proxies::gleaner(dir.path(), &extra)?,
    ];
    contestants.extend(proxies::squid(&dir.path().join("squid"))?);
    println!("per request, {connections} connections:");
    for proxy in &contestants {
        let requests =
            async |count| Ok(client::small(proxy.addr, origin, connections, count).await?);
        show(proxy, connections, requests).await?;
    }
    let peers = Interception::start(dir.path(), origin, &extra).await?;
    for part in ["HTTP/1.1", "HTTP/2"] {
        println!("per request, intercepted {part}:");
        for (at, proxy) in peers.contestants.iter().enumerate() {
            let requests = async |count| match part {
                "HTTP/2" => peers.http2(at, INTERCEPTED, count).await,
                _ => peers.http1(at, INTERCEPTED, count).await,
            };
            show(proxy, INTERCEPTED, requests).await?;
        }
    }
    Ok(())
}

/// Counts while so many clients ask at once.
async fn show(
    proxy: &Running,
    clients: usize,
    requests: impl AsyncFn(usize) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    requests(100).await?;
    let before = times(proxy.pid());
    let counter = count(proxy)?;
    requests(REQUESTS / clients).await?;
    let counts = counter.finish()?;
    let after = times(proxy.pid());
    let each = |count: f64| count / (REQUESTS / clients * clients) as f64;
    println!(
        "{:<12} user {:.1} us, kernel {:.1} us",
        proxy.name,
        each((after.0 - before.0) as f64 * 1e4),
        each((after.1 - before.1) as f64 * 1e4)
    );
    for (name, count) in counts {
        if each(count) >= 0.005 {
            println!("    {name:<28} {:.2}", each(count));
        }
    }
    Ok(())
}

/// Hundredths of seconds in the program and in the kernel (fields 14 and 15 of `/proc/PID/stat`).
fn times(pid: u32) -> (u64, u64) {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let mut fields = fields
        .split(' ')
        .skip(11)
        .map(|field| field.parse().unwrap_or(0));
    (fields.next().unwrap_or(0), fields.next().unwrap_or(0))
}

struct Counter(std::process::Child);

fn count(proxy: &Running) -> anyhow::Result<Counter> {
    let calls: Vec<String> = CALLS
        .iter()
        .map(|call| format!("syscalls:sys_enter_{call}"))
        .collect();
    let events = format!(
        "raw_syscalls:sys_enter,context-switches,{}",
        calls.join(",")
    );
    let child = Command::new("perf")
        .args([
            "stat",
            "-x",
            ";",
            "-e",
            &events,
            "-p",
            &proxy.pid().to_string(),
        ])
        .stderr(Stdio::piped())
        .spawn()
        .context("perf cannot be started")?;
    // It says nothing when it is ready.
    std::thread::sleep(std::time::Duration::from_millis(500));
    Ok(Counter(child))
}

impl Counter {
    fn finish(mut self) -> anyhow::Result<Vec<(String, f64)>> {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::INT)?;
        let lines = BufReader::new(self.0.stderr.take().context("perf says nothing")?).lines();
        let mut counts = Vec::new();
        for line in lines {
            let line = line?;
            let fields: Vec<&str> = line.split(';').collect();
            if let [count, _, name, ..] = fields[..]
                && let Ok(count) = count.parse()
            {
                let name = name.rsplit("sys_enter_").next().unwrap_or(name);
                counts.push((name.to_owned(), count));
            }
        }
        self.0.wait()?;
        Ok(counts)
    }
}
