//! What the machine has, against what the configuration allows; and programs that are set to use another proxy.

use std::{env, fs, num::NonZero, path::Path, thread};

use url::{Host, Url};

use super::{Subject, finding::Finding};
use crate::{Config, local_addresses, state::proxy::descriptor_budget, util::platform};

/// Memory of the program beside the pages in work: some 20 MB at rest, lists and connections. Measured figures are in
/// docs/performance.md.
const BESIDE_PAGES: u64 = 96 << 20;

/// Free memory below which the system may end programs.
const LITTLE_FREE: u64 = 64 << 20;

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let config = &subject.config;
    vec![connections(config), memory(config), processors(config), other_proxies(config)]
}

/// Compares the descriptors that the process may have open with the connections that are configured.
fn connections(config: &Config) -> Finding {
    const CHECK: &str = "connections";
    // As `gleaner serve` does.
    let descriptors = platform::raise_descriptors();
    let wanted = config.limits.connections;
    let (possible, _) = descriptor_budget(wanted);
    let finding = if possible < wanted {
        Finding::warning(
            CHECK,
            "this user may open too few files for so many connections; the first ones work",
            format!(
                "allow more (`LimitNOFILE=65536` in the service, or `ulimit -n`), or set `limits: {{ connections: {possible} }}`"
            ),
        )
        .with(format!("{possible} of {wanted} (`limits.connections`), with {descriptors} descriptors"))
    } else {
        Finding::ok(CHECK, "there are descriptors for as many as are configured").with(wanted.to_string())
    };
    finding.figure("descriptors", descriptors).figure("possible", possible as u64)
}

fn memory(config: &Config) -> Finding {
    const CHECK: &str = "memory";
    let pages = config.limits.pages_memory_bytes as u64;
    let Some(Memory { total, available }) = Memory::read(Path::new("/")) else {
        return Finding::skipped(CHECK, "how much there is cannot be seen on this system");
    };
    let shown = format!(
        "{} MiB, of which {} are free; pages in work may take {} (`limits.pages_memory_bytes`)",
        total >> 20,
        available >> 20,
        pages >> 20
    );
    let finding = if pages.saturating_add(BESIDE_PAGES) > total {
        // A quarter, and no less than what is allowed.
        let less = ((total / 4) >> 20).max(1) << 20;
        let next = format!("set `limits: {{ pages_memory_bytes: {less} }}`");
        Finding::warning(CHECK, "pages may take more than this machine has", next)
    } else if available < LITTLE_FREE {
        Finding::warning(CHECK, "nearly none is free", "end other programs; the system may end Gleaner")
    } else {
        Finding::ok(CHECK, "there is enough")
    };
    finding.with(shown).figure("mebibytes", total >> 20).figure("free_mebibytes", available >> 20)
}

/// Bytes of the machine, or of the control group that this process is in.
struct Memory {
    total: u64,
    available: u64,
}

impl Memory {
    /// `root` is `/` but in tests.
    fn read(root: &Path) -> Option<Self> {
        // `MemTotal:        8131228 kB` (proc(5))
        let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
        let line = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok())
        };
        let (total, available) = (line("MemTotal:")? << 10, line("MemAvailable:")? << 10);
        let limit = Self::limit_of_group(root).unwrap_or(u64::MAX);
        Some(Self { total: total.min(limit), available: available.min(limit) })
    }

    /// The lowest `memory.max` of the group and those around it (cgroups(7), version 2): containers and services have one.
    fn limit_of_group(root: &Path) -> Option<u64> {
        let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
        let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let limits = Path::new(group).ancestors().filter_map(|group| {
            fs::read_to_string(root.join("sys/fs/cgroup").join(group).join("memory.max")).ok()?.trim().parse().ok()
        });
        limits.min()
    }
}

fn processors(config: &Config) -> Finding {
    const CHECK: &str = "processors";
    let have = thread::available_parallelism().map_or(1, NonZero::get);
    let finding = match config.limits.page_workers {
        Some(workers) if workers > have => Finding::warning(
            CHECK,
            "more threads work on pages than there are processors, which makes each slower",
            "take `limits.page_workers` out of the configuration",
        )
        .with(format!("{workers} threads, {have} processors")),
        workers => Finding::ok(CHECK, "pages have as many threads as they can use")
            .with(format!("{} of {have} processors", workers.unwrap_or(have))),
    };
    finding.figure("processors", have as u64)
}

/// Variables that tell programs of a terminal which proxy to use, in either case. Gleaner itself does not follow them.
const VARIABLES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

fn other_proxies(config: &Config) -> Finding {
    let set =
        |name: &str| env::var(name).or_else(|_| env::var(name.to_uppercase())).ok().filter(|value| !value.is_empty());
    let found = VARIABLES.iter().filter_map(|name| Some((*name, set(name)?)));
    judge_proxies(config, &found.collect::<Vec<_>>())
}

fn judge_proxies(config: &Config, found: &[(&str, String)]) -> Finding {
    const CHECK: &str = "other proxies";
    let is_here = |host: Host<&str>| match host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(ip) => ip.is_loopback() || local_addresses().contains(&ip.into()),
        Host::Ipv6(ip) => ip.is_loopback() || local_addresses().contains(&ip.into()),
    };
    let is_ours = |value: &str| {
        let address = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
        let Ok(address) = Url::parse(&address) else { return false };
        let port = address.port_or_known_default();
        address.host().is_some_and(is_here) && config.listen.iter().any(|addr| Some(addr.port()) == port)
    };
    let others: Vec<_> = found.iter().filter(|(_, value)| !is_ours(value)).map(|(name, _)| *name).collect();
    if others.is_empty() {
        let summary =
            if found.is_empty() { "none is set in this terminal" } else { "programs of this terminal use Gleaner" };
        return Finding::ok(CHECK, summary);
    }
    Finding::warning(
        CHECK,
        "programs of this terminal use another proxy, and Gleaner goes to the web without it",
        format!(
            "if the web is reached only through that one, Gleaner cannot be used here; else: `unset {}`",
            others.join(" ")
        ),
    )
    // Its value may have a password in it.
    .with(others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn the_least_memory_of_all_groups_counts() {
        let root = tempfile::tempdir().unwrap();
        assert!(Memory::read(root.path()).is_none());
        write(root.path(), "proc/meminfo", "MemTotal:        8000000 kB\nMemFree: 1 kB\nMemAvailable:    4000000 kB\n");
        assert_eq!(Memory::read(root.path()).unwrap().total, 8_000_000 << 10);
        write(root.path(), "proc/self/cgroup", "0::/system.slice/gleaner.service\n");
        write(root.path(), "sys/fs/cgroup/system.slice/memory.max", "104857600\n");
        write(root.path(), "sys/fs/cgroup/system.slice/gleaner.service/memory.max", "max\n");
        let memory = Memory::read(root.path()).unwrap();
        assert_eq!((memory.total, memory.available), (100 << 20, 100 << 20));
    }

    #[test]
    fn what_the_machine_lacks_is_told_with_the_key_that_helps() {
        let config = |yaml: &str| Config::from_yaml(yaml, None).unwrap();
        let large = memory(&config("limits: { pages_memory_bytes: 9000000000000000 }"));
        assert!(large.level == Level::Warning && large.next.contains("pages_memory_bytes"), "{large:?}");
        let many = processors(&config("limits: { page_workers: 1000 }"));
        assert!(many.level == Level::Warning && many.next.contains("page_workers"), "{many:?}");
        let connections = connections(&config("limits: { connections: 1 }"));
        assert_eq!(connections.level, Level::Ok);
    }

    #[test]
    fn another_proxy_is_told_without_its_password() {
        let config = Config::from_yaml("listen: 8118", None).unwrap();
        let set = |value: &str| judge_proxies(&config, &[("https_proxy", value.to_owned())]);
        for ours in ["http://127.0.0.1:8118", "http://localhost:8118/", "localhost:8118"] {
            assert_eq!(set(ours).level, Level::Ok, "{ours}");
        }
        for other in ["http://proxy.example:8118", "http://127.0.0.1:3128"] {
            assert_eq!(set(other).level, Level::Warning, "{other}");
        }
        let other = set("http://anna:secret@proxy.example:3128/");
        assert!(other.level == Level::Warning && other.next.contains("unset https_proxy"), "{other:?}");
        assert!(!format!("{other:?}").contains("secret"));
    }
}
