//! The findings as text for a person, and as JSON.

use std::fmt::Write as _;

use serde_json::json;

use super::finding::{Finding, Level};
use crate::cli::build;

/// Columns of the level and of the check's name.
const INDENT: usize = 9 + 15;

/// One line for each finding, and under it what to do.
pub(super) fn text(findings: &[Finding], changed: &[String], is_report: bool) -> String {
    let mut out = format!("{}\n\n", program());
    for finding in findings {
        let level = match finding.level {
            Level::Ok => "ok",
            Level::Skipped => "-",
            Level::Warning => "warning",
            Level::Problem => "PROBLEM",
        };
        // Writing to a string cannot fail, here and below.
        let _ = write!(out, "{level:<9}{:<15}{}", finding.check, finding.summary);
        if !finding.detail.is_empty() {
            let _ = write!(out, ": {}", one_line(&finding.detail));
        }
        if is_report {
            for (name, value) in &finding.figures {
                let _ = write!(out, "; {name} {value}");
            }
        }
        out.push('\n');
        if !finding.next.is_empty() {
            let _ = writeln!(out, "{:INDENT$}to do: {}", "", one_line(&finding.next));
        }
    }
    if is_report {
        let changed = if changed.is_empty() { "none".to_owned() } else { changed.join(", ") };
        let _ = writeln!(out, "\nsettings that differ from the defaults: {changed}");
    }
    out
}

/// The text without control characters, so that nothing in it, such as the text of a file, starts a line of its own.
fn one_line(text: &str) -> String {
    text.split(char::is_control).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

pub(super) fn json(findings: &[Finding], changed: &[String]) -> String {
    let count = |level: Level| findings.iter().filter(|finding| finding.level == level).count();
    let value = json!({
        "program": program(),
        "problems": count(Level::Problem),
        "warnings": count(Level::Warning),
        "checks": findings,
        "changed_settings": changed,
    });
    format!("{value:#}\n")
}

fn program() -> String {
    format!("Gleaner {}, {}", env!("CARGO_PKG_VERSION"), build::words())
}
