//! The program: arguments → configuration → command, and the exit code of what went wrong.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version come this way too; a closed pipe is nobody's fault.
            let _ = message.print();
            return if message.use_stderr() {
                cli::EX_USAGE.into()
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match cli::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if cli::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gleaner: {error:#}");
            cli::exit_code(&error).into()
        }
    }
}
