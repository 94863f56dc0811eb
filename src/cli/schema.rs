//! `gleaner schema`: the configuration's JSON Schema, for completion and checking in editors.

use std::io::{self, Write};

use gleaner::RawConfig;

pub(super) fn run() -> anyhow::Result<()> {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(RawConfig))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{schema}")?;
    out.flush()?;
    Ok(())
}
