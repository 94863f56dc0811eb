//! `gleaner lists`: the lists of advertisements and trackers in use, and their update.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write as _},
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt, stream};

use super::{EX_UNAVAILABLE, Failure, say};
use crate::{
    Config,
    blocking::{
        ListState,
        fetches::{last_fetch, next_fetch},
    },
    config::{KNOWN, KnownList, ListSource, SERVICES},
    drivers::list_updates::{AT_ONCE, Update, UpdateOutcome, update},
    state::loaded_config::LoadedConfig,
};

/// The action on the lists.
#[derive(Clone, Copy, Debug, clap::Subcommand)]
pub(super) enum ListsCommand {
    /// Fetch the lists from the web that have changed; a Gleaner that is running takes them over
    Update,
    /// Show the lists with the rules in use and refused, and when each was fetched
    Status {
        /// Name refused rules of each list, with the reason
        #[arg(long, short)]
        verbose: bool,
        /// All of them and in full length, not the first twenty of each list
        #[arg(long, requires = "verbose")]
        all: bool,
    },
    /// Show the lists and the services that the configuration can name
    Available,
}

pub(super) fn run(
    command: ListsCommand,
    loaded: &LoadedConfig,
    reload: impl Fn() -> anyhow::Result<LoadedConfig>,
) -> anyhow::Result<()> {
    match command {
        ListsCommand::Status { verbose, all } => {
            let most = if all { (usize::MAX, usize::MAX) } else { NAMED };
            say(&status(loaded, if verbose { most } else { (0, 0) }))
        }
        ListsCommand::Available => say(&available(&loaded.config)),
        ListsCommand::Update => {
            let failed = tokio::runtime::Runtime::new()?.block_on(update_all(&loaded.config))?;
            // The rules in use are reported after they were read.
            say(&status(&reload()?, (0, 0)))?;
            if failed == 0 {
                return Ok(());
            }
            let problem = format!("{failed} of the lists could not be fetched; what was there stays in use");
            Err(Failure::error(EX_UNAVAILABLE, problem))
        }
    }
}

/// Fetches all, with a bar on a terminal. How many failed.
async fn update_all(config: &Config) -> anyhow::Result<usize> {
    let is_from_the_web = |list: &&ListSource| matches!(list, ListSource::Named(..) | ListSource::Address(_));
    let lists: Vec<_> = config.all_lists().into_iter().filter(is_from_the_web).collect();
    let mut failed = 0;
    let mut updates = stream::iter(&lists).map(|list| update(config, list)).buffered(AT_ONCE);
    for (index, list) in lists.iter().enumerate() {
        bar(index, lists.len(), &list.to_string());
        let Some(Update { outcome, unwritten }) = updates.next().await else { break };
        clear();
        let outcome = unwritten.map_or(outcome, UpdateOutcome::Failed);
        let line = match &outcome {
            UpdateOutcome::New(rules) => format!("{list}: new, {rules} lines with rules\n"),
            UpdateOutcome::Same => format!("{list}: as it was\n"),
            UpdateOutcome::Failed(problem) => format!("{list}: failed: {problem}\n"),
        };
        failed += usize::from(matches!(outcome, UpdateOutcome::Failed(_)));
        say(&line)?;
    }
    Ok(failed)
}

/// Characters of the bar.
const WIDTH: usize = 20;

fn bar(done: usize, all: usize, now: &str) {
    if io::stderr().is_terminal() {
        let full = WIDTH * done / all.max(1);
        // A line that cannot be written is no error.
        let _ =
            write!(io::stderr(), "\r\x1b[K[{}{}] {done} of {all}: {now}", "#".repeat(full), ".".repeat(WIDTH - full));
    }
}

fn clear() {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Most refused rules that are named, and most characters of each.
const NAMED: (usize, usize) = (20, 100);

/// The lists of the catalogue, and the services; those in use have a mark.
fn available(config: &Config) -> String {
    let used: Vec<String> = config.all_lists().iter().map(ToString::to_string).collect();
    let mut out = String::from(
        "For `blocking.lists` and `blocking.tunnel_lists`; * is in use. The numbers of rules are estimates; `gleaner lists status` counts.\n",
    );
    for group in KNOWN.chunk_by(|list, next| list.group == next.group) {
        // Writing to a `String` cannot fail, here and below.
        let _ = writeln!(out, "\n{}", group[0].group);
        for KnownList { name, licence, rules, about, .. } in group {
            let mark = if used.iter().any(|used| used == name) { '*' } else { ' ' };
            let _ = writeln!(out, "{mark} {name:<26} {rules:>5}  {about} ({licence})");
        }
    }
    let _ = writeln!(out, "\nFor `blocking.services`");
    for service in SERVICES.iter() {
        let _ = writeln!(out, "  {:<26} {}", service.name, service.words);
    }
    out
}

/// `most` refused rules are named of each list, with so many characters of each.
fn status(loaded: &LoadedConfig, most: (usize, usize)) -> String {
    let LoadedConfig { config, blocker, .. } = loaded;
    let mut out = String::new();
    for list in blocker.lists() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "{}", line(config, list));
        let refused = if most.0 == 0 { Vec::new() } else { blocker.refused(&list.source) };
        for (rule, reason) in refused.into_iter().take(most.0) {
            let _ = writeln!(out, "    {}: {reason}", rule.chars().take(most.1).collect::<String>());
        }
    }
    match blocker.paused_until().and_then(|until| until.duration_since(SystemTime::now()).ok()) {
        Some(left) => {
            let _ = writeln!(out, "blocking is paused for another {}", length(left.as_secs()));
        }
        None if !config.blocking.enabled => out.push_str("blocking is switched off (`blocking.enabled`)\n"),
        None => {}
    }
    out
}

fn line(config: &Config, list: &ListState) -> String {
    let counts = list.counts;
    let rules = match &list.problem {
        Some(problem) => problem.clone(),
        None => format!(
            "{} rules for requests, {} for elements, {} refused",
            counts.requests, counts.elements, counts.refused
        ),
    };
    let mut line = format!("{}: {rules}", list.source);
    if let Some(fetched) = last_fetch(config, &list.source).filter(|fetched| fetched.asked > 0) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let _ = write!(line, "; asked for {} ago", length(now.saturating_sub(fetched.asked)));
        match (fetched.problem, next_fetch(config, &list.source)) {
            (Some(problem), next) => {
                let _ = write!(line, ", failed: {problem}; next try in {}", length(next.unwrap_or_default()));
            }
            (None, Some(0)) => line.push_str(", expired"),
            (None, Some(left)) => {
                let _ = write!(line, ", good for another {}", length(left));
            }
            (None, None) => {}
        }
    }
    line
}

/// A length of time in its largest unit.
pub(super) fn length(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
