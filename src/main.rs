//! The program: arguments → configuration → command, and the exit code of what went wrong.

mod cli;

use std::{io, process::ExitCode};

use clap::Parser;

/// Gives the memory of a burst of pages back to the kernel within seconds (docs/performance.md has the figures).
#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version come this way too; a closed pipe is no error.
            let printed = message.print();
            return match printed {
                _ if message.use_stderr() => cli::EX_USAGE.into(),
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    cli::complain(error);
                    cli::EX_IOERR.into()
                }
                _ => ExitCode::SUCCESS,
            };
        }
    };
    match cli::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if cli::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::complain(format_args!("{error:#}"));
            cli::exit_code(&error).into()
        }
    }
}
