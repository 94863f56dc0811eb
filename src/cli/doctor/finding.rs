//! The result of one check: its level, its text, and the advice.

use std::collections::BTreeMap;

use serde::Serialize;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    /// Not looked at, because of another finding.
    Skipped,
    /// The proxy works, and something does not work as it should.
    Warning,
    /// The proxy does not work, or a part of it.
    Problem,
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) level: Level,
    /// Words of this program alone, which is what the type is for: no name of a host and no address can be in them.
    pub(super) summary: &'static str,
    /// Names, addresses and files of this machine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) detail: String,
    /// The next step of whoever reads this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) next: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) figures: BTreeMap<&'static str, u64>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, summary: &'static str) -> Self {
        Self::new(check, Level::Ok, summary, String::new())
    }

    pub(super) fn skipped(check: &'static str, summary: &'static str) -> Self {
        Self::new(check, Level::Skipped, summary, String::new())
    }

    pub(super) fn warning(check: &'static str, summary: &'static str, next: impl Into<String>) -> Self {
        Self::new(check, Level::Warning, summary, next.into())
    }

    pub(super) fn problem(check: &'static str, summary: &'static str, next: impl Into<String>) -> Self {
        Self::new(check, Level::Problem, summary, next.into())
    }

    fn new(check: &'static str, level: Level, summary: &'static str, next: String) -> Self {
        Self { check, level, summary, detail: String::new(), next, figures: BTreeMap::new() }
    }

    pub(super) fn with(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    pub(super) fn figure(mut self, name: &'static str, value: u64) -> Self {
        self.figures.insert(name, value);
        self
    }

    /// Takes out what can name a host, an address or a file.
    pub(super) fn forget_private(&mut self) {
        self.detail.clear();
        self.next.clear();
    }
}
