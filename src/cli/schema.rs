//! `gleaner schema`: the configuration's JSON Schema, for completion and checking in editors.

use super::say;
use crate::config::schema;

pub(super) fn run() -> anyhow::Result<()> {
    say(&(serde_json::to_string_pretty(&schema())? + "\n"))
}
