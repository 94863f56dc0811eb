//! Section `log`: which messages are logged, and in which format. Takes effect at the next start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::level_filters::LevelFilter;

/// Section `log`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// `text` for people, `json` for machines. Takes effect at the next start.
    pub format: LogFormat,
    /// Least important level that is written. The environment variable `RUST_LOG`, where set, overrides it.
    pub level: LogLevel,
    /// Whether each request has a line, whatever the level: it says who asked which host. `RUST_LOG`, where set,
    /// overrides it; the line has the target `gleaner::request` and the level `info`.
    pub requests: bool,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// How important a log line must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// The operator must act.
    Error,
    /// Service is degraded.
    Warn,
    /// Start, stop, what was noticed.
    #[default]
    Info,
    /// Routes, reasons, reports.
    Debug,
    /// Bytes.
    Trace,
}

impl From<LogLevel> for LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}
