//! `gleaner check-config`: the same reading as at start, and nothing else.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use gleaner::{Config, config::Lookup};

use super::{EX_CONFIG, Failure};

pub(super) fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if file.as_deref() == Some("-".as_ref()) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::error(EX_CONFIG, "standard input is not UTF-8 text"))?;
        Config::from_yaml(&text, None)?;
        writeln!(out, "standard input: the configuration is good")?;
        return Ok(());
    }
    let found = Lookup::new(file).load()?;
    match found.file {
        Some(file) => writeln!(out, "{}: the configuration is good", file.display())?,
        None => writeln!(
            out,
            "no configuration file was found; the built-in defaults are good"
        )?,
    }
    Ok(())
}
