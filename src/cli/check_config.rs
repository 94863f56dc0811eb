//! `gleaner check-config`: the same reading as at start, and nothing else.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use gleaner::{
    Config,
    config::{Idle, Lookup},
};

/// Most bytes of standard input that are looked at: hundreds of times what anyone writes by hand.
const MAX_TYPED: u64 = 4 << 20;

pub(super) fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if file.as_deref() == Some("-".as_ref()) {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_TYPED).read_to_end(&mut bytes)?;
        let config = Config::from_bytes(bytes).map_err(|error| error.called("standard input"))?;
        writeln!(out, "standard input: the configuration is good")?;
        return write_idle(&config, &mut out);
    }
    let found = Lookup::new(file).load()?;
    match found.file {
        Some(file) => writeln!(out, "{}: the configuration is good", file.display())?,
        None => writeln!(
            out,
            "no configuration file was found; the built-in defaults are good"
        )?,
    }
    write_idle(&found.config, &mut out)
}

fn write_idle(config: &Config, out: &mut impl Write) -> anyhow::Result<()> {
    for Idle { key, needs } in config.idle_settings() {
        writeln!(out, "note: {key} does nothing: it needs {needs}")?;
    }
    Ok(())
}
