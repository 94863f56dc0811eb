//! `gleaner doctor`: checks everything that the proxy needs, and reports the state of each item and what to do.
//!
//! [`GROUPS`] of checks run beside each other, each on a thread of its own with a time limit, and each in its own file. A check
//! gives [`Finding`]s; it changes nothing and leaves nothing behind.

mod finding;
mod folders;
mod listening;
mod lists;
mod machine;
mod network;
mod output;
mod parents;
mod settings;
mod web;

use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use url::Url;

use self::finding::{Finding, Level};
pub(in crate::cli) use self::listening::running;
use super::{Failure, extract::page_address, say};
use crate::{Config, blocking::Blocker, config::Lookup, state::loaded_config::LoadedConfig};

/// The exit code where something must be mended.
const EX_PROBLEM: u8 = 1;

/// For all checks together. A person waits for the answer, and five seconds are promised: the rest is for the output.
const TOTAL: Duration = Duration::from_millis(4700);

/// Arguments of `gleaner doctor`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Pages to fetch through the proxy, such as one that does not work, instead of those of example.com
    #[arg(value_name = "URL", value_parser = page_address)]
    pages: Vec<Url>,
    /// Look at what a proxy needs that is started with `--lan`
    #[arg(long)]
    lan: bool,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    /// Leave out all names of hosts, addresses and files, so that the output can be shown to anybody
    #[arg(long)]
    report: bool,
}

/// The subject of all checks.
struct Subject {
    config: Config,
    blocker: Arc<Blocker>,
    pages: Vec<Url>,
    /// When every check must have ended.
    deadline: Instant,
}

/// Checks that are made one after the other.
struct Group {
    /// Their names, in the order of the output.
    checks: &'static [&'static str],
    limit: Duration,
    run: fn(&Subject) -> Vec<Finding>,
}

/// All groups, in the order of the output. What only reads files of this machine is done in milliseconds, unless a disk is broken.
const GROUPS: [Group; 7] = [
    Group { checks: &["port", "devices"], limit: Duration::from_secs(3), run: listening::check },
    Group {
        checks: &["network", "names", "ipv6", "certificates", "http", "https", "http2", "clock"],
        limit: TOTAL,
        run: network::check,
    },
    Group { checks: &["upstream.via"], limit: Duration::from_secs(3), run: parents::check },
    Group { checks: &["authority"], limit: Duration::from_secs(3), run: folders::check_authority },
    Group { checks: &["folders"], limit: Duration::from_secs(3), run: folders::check },
    Group { checks: &["lists"], limit: Duration::from_secs(3), run: lists::check },
    Group {
        checks: &["connections", "memory", "processors", "other proxies"],
        limit: Duration::from_secs(2),
        run: machine::check,
    },
];

pub(super) fn run(args: DoctorArgs, named: Option<PathBuf>) -> anyhow::Result<()> {
    let deadline = Instant::now() + TOTAL;
    let settings::Read { loaded, mut findings } = settings::read(Lookup::new(named))?;
    let LoadedConfig { mut config, mut raw, blocker, .. } = loaded;
    if args.lan {
        config.open_to_lan();
        raw.access.lan = true;
    }
    let changed = settings::changed(&raw);
    let pages = if args.pages.is_empty() { web::default_pages() } else { args.pages };
    findings.extend(run_groups(&Arc::new(Subject { config, blocker, pages, deadline })));
    if args.report {
        findings.iter_mut().for_each(Finding::forget_private);
    }
    let text =
        if args.json { output::json(&findings, &changed) } else { output::text(&findings, &changed, args.report) };
    say(&text)?;
    match findings.iter().filter(|finding| finding.level == Level::Problem).count() {
        0 => Ok(()),
        1 => Err(Failure::error(EX_PROBLEM, "there is a problem")),
        count => Err(Failure::error(EX_PROBLEM, format!("there are {count} problems"))),
    }
}

fn run_groups(subject: &Arc<Subject>) -> Vec<Finding> {
    let started = GROUPS.map(|group| {
        let subject = Arc::clone(subject);
        (group.checks, Instant::now() + group.limit, start(move || (group.run)(&subject)))
    });
    let collect = |(checks, limit, findings): (&'static [&'static str], Instant, mpsc::Receiver<Vec<Finding>>)| {
        let left = limit.min(subject.deadline).saturating_duration_since(Instant::now());
        findings.recv_timeout(left).unwrap_or_else(|_| checks.iter().map(|check| unanswered(check)).collect())
    };
    started.into_iter().flat_map(collect).collect()
}

/// Runs this on a thread that the end of the program does not wait for, because a dead disk or name server may hold it.
fn start<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> mpsc::Receiver<T> {
    let (sender, receiver) = mpsc::channel();
    // Nobody waits for it any more when its time is up.
    thread::spawn(move || drop(sender.send(work())));
    receiver
}

fn unanswered(check: &'static str) -> Finding {
    Finding::problem(
        check,
        "the check did not end within its time",
        "run `gleaner doctor` again; if it stays so, a disk or the system itself does not answer",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_does_not_end_is_told_and_not_waited_for() {
        let begun = Instant::now();
        let hangs = start(|| thread::sleep(Duration::from_mins(1)));
        assert!(hangs.recv_timeout(Duration::from_millis(50)).is_err());
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(unanswered("port").level, Level::Problem);
    }

    #[test]
    fn all_checks_end_within_five_seconds() {
        assert!(GROUPS.iter().all(|group| group.limit <= TOTAL && !group.checks.is_empty()));
        assert!(TOTAL < Duration::from_secs(5) && settings::LIMIT < TOTAL);
    }
}
