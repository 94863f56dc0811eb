//! The lists of advertisements and trackers: whether they are there, how old they are, and whether they are paused.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Subject, finding::Finding};
use crate::{
    Config,
    blocking::{
        ListState,
        fetches::{last_fetch, next_fetch},
    },
    cli::lists::length,
};

const CHECK: &str = "lists";

/// A list that expired so long ago is fetched by nobody: a Gleaner that runs asks within the hour, and after a failure too.
const OVERDUE: u64 = 7 * 86_400;

const UPDATE: &str = "`gleaner lists update` fetches it now and says what goes wrong";

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let Subject { config, blocker, .. } = subject;
    if !config.blocking.enabled {
        return vec![Finding::ok(CHECK, "blocking is switched off (`blocking.enabled`)")];
    }
    let mut findings: Vec<Finding> = blocker.lists().iter().filter_map(|list| problem(config, list)).collect();
    if let Some(left) = blocker.paused_until().and_then(|until| until.duration_since(SystemTime::now()).ok()) {
        let next = "`gleaner pause off` ends the pause";
        findings.push(
            Finding::warning(CHECK, "blocking is paused, so that advertisements come through", next)
                .with(format!("for another {}", length(left.as_secs()))),
        );
    }
    if findings.is_empty() {
        let rules = blocker.lists().iter().map(|list| list.counts.requests + list.counts.elements).sum::<usize>();
        findings
            .push(Finding::ok(CHECK, "all are in use").figure("rules", rules as u64).with(format!("{rules} rules")));
    }
    findings
}

/// The finding about a list; none where it is good.
fn problem(config: &Config, list: &ListState) -> Option<Finding> {
    let is_from_web = list.source.address().is_some();
    let fetched = last_fetch(config, &list.source).filter(|fetched| fetched.asked > 0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let name = &list.source;
    let finding = match (&list.problem, fetched) {
        // The configuration's own line tells what is wrong with a file.
        (Some(_), _) if !is_from_web => return None,
        (Some(_), None) => {
            let next = "a Gleaner that runs fetches it within a minute of its start, or `gleaner lists update` now";
            Finding::warning(CHECK, "one was never fetched", next).with(name.to_string())
        }
        (Some(problem), Some(_)) => {
            Finding::problem(CHECK, "one is not in use", UPDATE).with(format!("{name}: {problem}"))
        }
        (None, Some(fetched)) => {
            let age = now.saturating_sub(fetched.asked);
            let aged = |detail: String| format!("{name}: asked for {} ago{detail}", length(age));
            match fetched.problem {
                Some(problem) => {
                    Finding::warning(CHECK, "one could not be fetched; the one before it stays in use", UPDATE)
                        .with(aged(format!(": {problem}")))
                }
                None if next_fetch(config, name) == Some(0) && age > OVERDUE => Finding::warning(
                    CHECK,
                    "one is out of date",
                    "let Gleaner run with `blocking: { update: true }`, or fetch it now with `gleaner lists update`",
                )
                .with(aged(String::new())),
                None => return None,
            }
            .figure("days", age / 86_400)
        }
        (None, None) => return None,
    };
    Some(finding)
}
