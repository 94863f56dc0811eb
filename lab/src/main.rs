//! `gleaner-lab`: measures the filter chain (`evaluate`, `check`, `snippets`) and the blocking lists (`blocking`), and writes training data
//! for the learned block scorer (`export`). See `lab/README.md`.

mod blocking;
mod dataset;
mod evaluate;
mod measure;
mod train;

use std::{io, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use gleaner::{LoadedConfig, config::Lookup};

/// Measures Gleaner's filter chain, and trains its scorer of text blocks.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Configuration file, instead of the usual places
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure the filter chain on pages whose main content is known
    Evaluate(evaluate::Args),
    /// Measure what the lists of the configuration save on pages whose main content is known, and what they cost
    Blocking(blocking::Args),
    /// Write the features of every text block, and how much of it is main content
    Export(train::ExportArgs),
    /// Measure the default chain, each page with a table that was fitted without its domain
    Check(train::CheckArgs),
    /// Measure the chain on pages with texts that must and must not be kept
    Snippets(train::SnippetsArgs),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Evaluate(own) => LoadedConfig::find(&Lookup::new(arguments.config))
            .map_err(Into::into)
            .and_then(|loaded| evaluate::run(&own, &loaded)),
        Command::Blocking(own) => blocking::run(&own, &Lookup::new(arguments.config)),
        Command::Export(own) => train::export(&own),
        Command::Check(own) => train::check(&own),
        Command::Snippets(own) => train::snippets(&own),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gleaner-lab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether standard output was closed by its reader, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
