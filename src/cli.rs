//! What can be typed, and which exit code an error has. Each command has its own file.

mod address;
mod blocks;
mod ca;
mod check_config;
mod extract;
mod hash_password;
mod overlay;
mod schema;
mod serve;

use std::{
    fmt::Display,
    io::{self, Write},
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand};
use gleaner::{
    AuthorityError, ConfigError, StartError,
    config::{self, Lookup},
    offline::input::ReadError,
};
use gleaner_filters::PageError;

/// Exit codes of sysexits.h.
pub(crate) const EX_USAGE: u8 = 64;
const EX_DATAERR: u8 = 65;
const EX_NOINPUT: u8 = 66;
const EX_UNAVAILABLE: u8 = 69;
const EX_SOFTWARE: u8 = 70;
const EX_CANTCREAT: u8 = 73;
pub(crate) const EX_IOERR: u8 = 74;
const EX_CONFIG: u8 = 78;

const EXIT_CODES: &str = "\
Exit codes:
   0  all went well
  64  the command line is wrong
  65  a page cannot be decompressed or filtered: broken gzip, an image, nothing, nested too deep, a frameset; a
      password is empty or one that no browser sends
  66  a file that was named is not there
  69  the address to listen on cannot be had
  70  an error in the program itself
  73  the certificate authority cannot be created
  74  a file cannot be read or written
  78  the configuration is wrong
 130  a second Ctrl-C ended the proxy at once (143: a second SIGTERM)

`extract` of several pages finishes all of them and ends with the code of the first that failed; with --jsonl
the errors are in the records and the code is 0. A closed pipe (`| head`) is no error.";

/// A filtering forward HTTP proxy: takes the clutter out of web pages on their way to the browser.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Configuration file, instead of the usual places
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(flatten)]
    serve: ServeArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the proxy (what happens without a command)
    Serve(ServeArguments),
    /// Check a configuration file and say what is wrong with it
    CheckConfig(CheckConfigArguments),
    /// Print the JSON Schema of the configuration, for editors
    Schema,
    /// Look at the certificate authority, hand out its certificate, or replace it
    Ca {
        #[command(subcommand)]
        command: ca::Command,
    },
    /// Make the hash of a password, for `access.users`
    HashPassword,
    /// Run the filter chain over files, without the proxy
    Extract(extract::Args),
    /// Show all blocks of a page in order of relevance, and its menus
    Blocks(blocks::Args),
}

#[derive(Args, Debug)]
struct ServeArguments {
    /// Address to listen on, instead of the configuration's; may be given several times
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    listen: Vec<std::net::SocketAddr>,
    /// How log lines look, instead of the configuration's
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,
}

fn listen_address(text: &str) -> Result<std::net::SocketAddr, String> {
    config::listen_address(text).map_err(|problem| format!("{problem}; expected {}", config::LISTEN))
}

impl ServeArguments {
    fn are_given(&self) -> bool {
        !self.listen.is_empty() || self.log_format.is_some()
    }

    /// What was typed behind the command, and before it.
    fn or(self, before: ServeArguments) -> ServeArguments {
        ServeArguments {
            listen: if self.listen.is_empty() { before.listen } else { self.listen },
            log_format: self.log_format.or(before.log_format),
        }
    }
}

#[derive(Args, Debug)]
struct CheckConfigArguments {
    /// The file to check, `-` for standard input; without it, the usual places are searched
    file: Option<PathBuf>,
}

/// Runs what was asked for.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { command, config, serve } = arguments;
    if serve.are_given() && !matches!(command, None | Some(Command::Serve(_))) {
        let told = "--listen and --log-format are for `gleaner serve`, and nothing to this command";
        return Err(Failure::error(EX_USAGE, told));
    }
    let load = |config| Lookup::new(config).load().map(|found| found.config);
    match command {
        None => serve::run(config, serve),
        Some(Command::Serve(own)) => serve::run(config, own.or(serve)),
        Some(Command::CheckConfig(arguments)) => check_config::run(arguments.file.or(config)),
        Some(Command::Schema) => schema::run(),
        Some(Command::Ca { command }) => ca::run(&command, &load(config)?),
        Some(Command::HashPassword) => hash_password::run(),
        Some(Command::Extract(arguments)) => extract::run(&arguments, &load(config)?),
        Some(Command::Blocks(arguments)) => blocks::run(&arguments, &load(config)?),
    }
}

/// An error whose exit code is known where it is raised.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn error(code: u8, message: impl Into<String>) -> anyhow::Error {
        let message = message.into();
        Self { code, message }.into()
    }
}

/// A page that failed; where a bound of the configuration stopped it, the key that moves the bound.
fn page_failure(error: PageError) -> anyhow::Error {
    let key = match error {
        PageError::TooDeep { .. } => "limits.page_depth",
        PageError::TooManyNodes { .. } => "limits.page_nodes",
        PageError::OutOfTime { .. } => "limits.page_cpu_ms",
        _ => return error.into(),
    };
    Failure::error(EX_DATAERR, format!("{error}; {key} allows more"))
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Writes an error to standard error. Where that fails, the exit code still says it.
pub(crate) fn complain(told: impl Display) {
    let _ = writeln!(io::stderr(), "gleaner: {told}");
}

/// Whether the reader of our output has closed the pipe, as `head` does.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    io_kind(error) == Some(io::ErrorKind::BrokenPipe)
}

/// The kind of what went wrong with a file, whichever library it went through.
fn io_kind(error: &anyhow::Error) -> Option<io::ErrorKind> {
    let json = || error.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    error.downcast_ref::<io::Error>().map(io::Error::kind).or_else(json)
}

/// Writes to standard output. Unlike `print!` it does not panic where nobody reads or the disk is full.
fn say(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// The only map from an error to an exit code.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.code;
    }
    if error.downcast_ref::<PageError>().is_some() {
        return EX_DATAERR;
    }
    if let Some(error) = error.downcast_ref::<ConfigError>() {
        return of_config(error);
    }
    if let Some(error) = error.downcast_ref::<AuthorityError>() {
        return of_authority(error);
    }
    match error.downcast_ref::<ReadError>() {
        Some(ReadError::Io(error)) => return of_io(error.kind()),
        Some(ReadError::Folder) => return EX_IOERR,
        Some(ReadError::Content(_)) => return EX_DATAERR,
        None => {}
    }
    match error.downcast_ref::<StartError>() {
        Some(StartError::Config(error)) => return of_config(error),
        Some(StartError::Authority(error)) => return of_authority(error),
        _ => {}
    }
    match io_kind(error) {
        Some(kind) => of_io(kind),
        None if error.is::<serde_json::Error>() => EX_DATAERR,
        None => EX_SOFTWARE,
    }
}

fn of_io(kind: io::ErrorKind) -> u8 {
    match kind {
        io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable => EX_UNAVAILABLE,
        io::ErrorKind::NotFound => EX_NOINPUT,
        _ => EX_IOERR,
    }
}

fn of_config(error: &ConfigError) -> u8 {
    if error.is_missing() {
        EX_NOINPUT
    } else if error.is_unreadable() {
        EX_IOERR
    } else {
        EX_CONFIG
    }
}

fn of_authority(error: &AuthorityError) -> u8 {
    match error {
        AuthorityError::Create { .. } => EX_CANTCREAT,
        AuthorityError::Read { .. } => EX_IOERR,
        AuthorityError::NoFolder | AuthorityError::Content { .. } => EX_CONFIG,
        _ => EX_SOFTWARE,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn serve_is_what_happens_without_a_command() {
        let arguments = Arguments::parse_from(["gleaner", "--listen", "127.0.0.1:1"]);
        assert!(arguments.command.is_none());
        assert_eq!(arguments.serve.listen.len(), 1);
    }

    #[test]
    fn options_stand_before_the_command_or_behind_it() {
        let before = ["gleaner", "--config", "a.yaml", "serve"];
        let behind = ["gleaner", "serve", "--config", "a.yaml"];
        for typed in [before, behind] {
            let arguments = Arguments::parse_from(typed);
            assert_eq!(arguments.config, Some("a.yaml".into()), "{typed:?}");
            assert!(matches!(arguments.command, Some(Command::Serve(_))));
        }
        let typed = ["gleaner", "--listen", "127.0.0.1:1", "serve"];
        let arguments = Arguments::parse_from(typed);
        let Some(Command::Serve(own)) = arguments.command else {
            panic!("{typed:?}");
        };
        assert_eq!(own.or(arguments.serve).listen.len(), 1);
        let other = Arguments::parse_from(["gleaner", "--listen", "127.0.0.1:1", "schema"]);
        assert_eq!(exit_code(&run(other).unwrap_err()), EX_USAGE);
    }

    #[test]
    fn errors_have_their_exit_codes() {
        let config = |yaml| gleaner::Config::from_yaml(yaml, None).unwrap_err().into();
        assert_eq!(exit_code(&config("nonsense: 1")), EX_CONFIG);
        let taken = io::Error::from(io::ErrorKind::AddrInUse);
        assert_eq!(exit_code(&anyhow::Error::from(taken).context("listen")), EX_UNAVAILABLE);
        assert_eq!(exit_code(&StartError::from(AuthorityError::NoFolder).into()), EX_CONFIG);
    }
}
