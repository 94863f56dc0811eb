//! `gleaner pause`: lets everything through for some time.

use std::time::Duration;

use anyhow::Context;

use super::{EX_CONFIG, Failure, lists, say};
use crate::{
    Config,
    blocking::{Pause, parse_duration},
};

/// Arguments of `gleaner pause`.
#[derive(Debug, clap::Args)]
pub(super) struct PauseArgs {
    /// How long nothing is blocked, such as 90s, 10m or 2h; `off` ends the pause
    #[arg(value_parser = length)]
    length: Length,
}

/// The length of a pause; none ends the pause.
#[derive(Clone, Copy, Debug)]
struct Length(Option<Duration>);

fn length(text: &str) -> Result<Length, String> {
    if text == "off" { Ok(Length(None)) } else { parse_duration(text).map(|length| Length(Some(length))) }
}

pub(super) fn run(args: &PauseArgs, config: &Config) -> anyhow::Result<()> {
    let Some(dir) = config.blocking.dir.as_deref() else {
        return Err(Failure::error(EX_CONFIG, "there is no folder for lists; `blocking.dir` can name one"));
    };
    let problem = || format!("the pause cannot be set in {}", dir.display());
    let done = match args.length.0 {
        Some(length) => {
            Pause::set(dir, length).with_context(problem)?;
            format!("nothing is blocked for {}", lists::length(length.as_secs()))
        }
        None if Pause::end(dir).with_context(problem)? => "the pause is over".to_owned(),
        None => "there was no pause".to_owned(),
    };
    say(&format!("{done}; a Gleaner that is running with this configuration sees it at once\n"))
}
