//! `gleaner check-config`: the same reading as at start, and nothing else.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use gleaner::{
    Config, ConfigError,
    config::{self, Idle, Lookup},
};

use super::complain;

/// Most bytes of standard input that are looked at: hundreds of times what anyone writes by hand.
const MAX_TYPED: u64 = 4 << 20;

/// What messages call it.
const STDIN: &str = "standard input";

pub(super) fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if file.as_deref() == Some("-".as_ref()) {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_TYPED).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let config = Config::from_bytes(bytes).map_err(|error| {
            let all = config::mistakes(&text, None).into_iter();
            last_of(
                all.map(|error| error.called(STDIN)).collect(),
                error.called(STDIN),
            )
        })?;
        writeln!(out, "standard input: the configuration is good")?;
        return write_idle(&config, &mut out);
    }
    let found = Lookup::new(file).load().map_err(|error| {
        // A pipe is read once, and what is too long is not read at all.
        let is_short = |file: &&Path| {
            let about = file.metadata();
            about.is_ok_and(|about| about.is_file() && about.len() <= MAX_TYPED)
        };
        let file = error.file().filter(is_short);
        let text = file.and_then(|file| fs::read_to_string(file).ok());
        let all = text.map(|text| config::mistakes(&text, error.file()));
        last_of(all.unwrap_or_default(), error)
    })?;
    match found.file {
        Some(file) => writeln!(out, "{}: the configuration is good", file.display())?,
        None => writeln!(
            out,
            "no configuration file was found; the built-in defaults are good"
        )?,
    }
    write_idle(&found.config, &mut out)
}

/// Tells all mistakes but the last, which is returned: it ends the program. Those of several keys are only looked for where there are none
/// in one.
fn last_of(mut mistakes: Vec<ConfigError>, first: ConfigError) -> ConfigError {
    let Some(last) = mistakes.pop() else {
        return first;
    };
    mistakes.into_iter().for_each(complain);
    last
}

fn write_idle(config: &Config, out: &mut impl Write) -> anyhow::Result<()> {
    for Idle { key, needs } in config.idle_settings() {
        writeln!(out, "note: {key} does nothing: it needs {needs}")?;
    }
    Ok(())
}
