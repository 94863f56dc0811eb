//! The command line, and the exit code of each error. Each command has its own file; `offline` runs the filter chain over files, also for
//! the lab.

mod banner;
mod blocks;
mod build;
mod ca;
mod check_config;
mod devices;
mod doctor;
mod explain;
mod extract;
mod hash_password;
mod health;
mod init;
mod listeners;
mod lists;
mod mcp;
pub mod offline;
mod overlay;
mod pause;
mod serve;
mod service;

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, CommandFactory, Parser, Subcommand};
use gleaner_filters::PageError;

use crate::{
    AuthorityError, Config, ConfigError, StartError,
    cli::offline::input::ReadError,
    config::{self, ConfigErrorKind, LogFormat, Lookup},
    state::loaded_config::LoadedConfig,
};

/// Exit codes of sysexits.h.
const EX_USAGE: u8 = 64;
const EX_DATAERR: u8 = 65;
const EX_NOINPUT: u8 = 66;
const EX_UNAVAILABLE: u8 = 69;
const EX_SOFTWARE: u8 = 70;
const EX_CANTCREAT: u8 = 73;
const EX_IOERR: u8 = 74;
const EX_CONFIG: u8 = 78;

const EXIT_CODES: &str = "\
Exit codes:
   0  all went well
   1  `gleaner doctor` has found a problem
  64  the command line is wrong
  65  a page cannot be decompressed or filtered: broken gzip, an image, nothing, nested too deep, a frameset; a
      password is empty or one that no browser sends
  66  a file that was named is not there
  69  the address to listen on cannot be used, a list or a page not be fetched, or no proxy answers
  70  an error in the program itself
  73  the certificate authority cannot be created
  74  a file cannot be read or written
  78  the configuration is wrong
 130  a second Ctrl-C ended the proxy at once (143: a second SIGTERM)

`extract` of several pages finishes all of them and ends with the code of the first that failed; with --jsonl
the errors are in the records and the code is 0. A closed pipe (`| head`) is no error.";

/// A filtering forward HTTP proxy: takes the clutter out of web pages on their way to the browser.
#[derive(Debug, Parser)]
#[command(version, long_version = build::VERSION.as_str(), after_help = EXIT_CODES)]
struct Arguments {
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
    /// Write a short configuration with comments where it is looked for
    Init(init::InitArgs),
    /// Check a configuration file and say what is wrong with it
    CheckConfig(check_config::CheckConfigArgs),
    /// Print the JSON Schema of the configuration, for editors
    Schema,
    /// Look at the certificate authority, hand out its certificate, or replace it
    Ca {
        #[command(subcommand)]
        command: ca::CaCommand,
    },
    /// List the browsers whose encrypted pages are rewritten, or forget one
    Devices {
        #[command(subcommand)]
        command: devices::DevicesCommand,
    },
    /// Make the hash of a password, for `access.users`
    HashPassword,
    /// Run the filter chain over files, without the proxy
    Extract(extract::ExtractArgs),
    /// Show all blocks of a page in order of relevance, and its menus
    Blocks(blocks::BlocksArgs),
    /// Update the lists of advertisements and trackers, or show what is in use
    Lists {
        #[command(subcommand)]
        command: lists::ListsCommand,
    },
    /// Be a tool with which a program for language models reads pages (Model Context Protocol, over standard input and output)
    Mcp,
    /// Let everything through for some time
    Pause(pause::PauseArgs),
    /// Look at all that the proxy needs, and say what to do where something is wrong
    Doctor(doctor::DoctorArgs),
    /// Say whether the proxy of this configuration answers, by the exit code too: for the health check of a container
    Health,
    /// Let the system run the proxy, from its start on
    Service {
        #[command(subcommand)]
        command: service::ServiceCommand,
    },
    /// Say what becomes of a request: which profile it gets, which rule of which list decides, and why
    Explain(Box<explain::ExplainArgs>),
}

#[derive(Args, Clone, Debug)]
struct ServeArguments {
    /// Let the devices of the local network use the proxy: listen on all addresses, and let private addresses in
    #[arg(long)]
    lan: bool,
    /// Address to listen on, instead of the configuration's; may be given several times
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    listen: Vec<ListenArgument>,
    /// How log lines look, instead of the configuration's
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
}

#[derive(Clone, Copy, Debug)]
struct ListenArgument {
    addr: SocketAddr,
    /// Without a host, as in `--listen 8118`.
    is_port_alone: bool,
}

fn listen_address(text: &str) -> Result<ListenArgument, String> {
    let addr = config::listen_address(text).map_err(|problem| format!("{problem}; expected {}", config::LISTEN))?;
    Ok(ListenArgument { addr, is_port_alone: text.parse::<u16>().is_ok() })
}

impl ServeArguments {
    /// The options behind the command, and those before it.
    fn or(self, before: ServeArguments) -> ServeArguments {
        ServeArguments {
            lan: self.lan || before.lan,
            listen: if self.listen.is_empty() { before.listen } else { self.listen },
            log_format: self.log_format.or(before.log_format),
        }
    }

    /// Checks that the options do not exclude each other.
    fn check(&self) -> Result<(), String> {
        let addresses: Vec<_> = self.listen.iter().map(|listen| listen.addr).collect();
        config::check_addresses(&addresses).map_err(|problem| format!("--listen: {problem}"))?;
        let only_here = |listen: &&ListenArgument| listen.addr.ip().is_loopback() && !listen.is_port_alone;
        match self.listen.iter().find(only_here).filter(|_| self.lan) {
            Some(ListenArgument { addr, .. }) => Err(format!(
                "--lan and --listen {addr} exclude each other: this address is for this machine only; `--lan --listen {}` \
                 takes the port at all addresses",
                addr.port()
            )),
            None => Ok(()),
        }
    }

    /// The command line overrides the file, also after a reload.
    fn apply(&self, config: &mut Config) {
        if !self.listen.is_empty() {
            config.listen = self.listen.iter().map(|listen| listen.addr).collect();
        }
        if self.lan {
            config.open_to_lan();
        }
        config.log.format = self.log_format.unwrap_or(config.log.format);
    }
}

/// The command line, for the tool that makes man pages and completions of it.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The program: arguments → configuration → command, and the exit code of what went wrong.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            // Help and version come this way too; a closed pipe is no error.
            let printed = message.print();
            return match printed {
                _ if message.use_stderr() => EX_USAGE.into(),
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    complain(error);
                    EX_IOERR.into()
                }
                _ => ExitCode::SUCCESS,
            };
        }
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("{error:#}"));
            exit_code(&error).into()
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { command, config, serve } = arguments;
    let is_serve = matches!(command, None | Some(Command::Serve(_)));
    if !is_serve && (serve.lan || !serve.listen.is_empty() || serve.log_format.is_some()) {
        let problem =
            "--lan, --listen and --log-format are options of `gleaner serve`, and this command has no use for them";
        return Err(Failure::error(EX_USAGE, problem));
    }
    let read = |config| Lookup::new(config).read().map(|parsed| parsed.config);
    let load = |config| LoadedConfig::find(&Lookup::new(config));
    match command {
        None => serve::run(config, serve),
        Some(Command::Serve(own)) => serve::run(config, own.or(serve)),
        Some(Command::Init(arguments)) => init::run(&arguments, config),
        Some(Command::CheckConfig(arguments)) => check_config::run(arguments, config),
        Some(Command::Schema) => say(&(serde_json::to_string_pretty(&config::schema())? + "\n")),
        Some(Command::Ca { command }) => ca::run(&command, &read(config)?),
        Some(Command::Devices { command }) => devices::run(&command, &read(config)?),
        Some(Command::HashPassword) => hash_password::run(),
        Some(Command::Extract(arguments)) => extract::run(&arguments, &load(config)?),
        Some(Command::Blocks(arguments)) => blocks::run(&arguments, &load(config)?),
        Some(Command::Lists { command }) => lists::run(command, &load(config.clone())?, || Ok(load(config.clone())?)),
        Some(Command::Mcp) => mcp::run(&load(config)?),
        Some(Command::Pause(arguments)) => pause::run(&arguments, &read(config)?),
        Some(Command::Doctor(arguments)) => doctor::run(arguments, config),
        Some(Command::Health) => health::run(&read(config)?),
        Some(Command::Service { command }) => service::run(command, config),
        Some(Command::Explain(arguments)) => explain::run(&arguments, &load(config)?),
    }
}

/// An error whose exit code is known where it is raised.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn error(code: u8, message: impl Into<String>) -> anyhow::Error {
        Self { code, message: message.into() }.into()
    }
}

/// A page that failed; where a limit of the configuration stopped it, with the key of the limit.
fn page_failure(error: PageError) -> anyhow::Error {
    let key = match error {
        PageError::TooDeep { .. } => "limits.page_depth",
        PageError::TooManyNodes { .. } => "limits.page_nodes",
        PageError::OutOfTime { .. } => "limits.page_cpu_ms",
        _ => return error.into(),
    };
    Failure::error(EX_DATAERR, format!("{error}; {key} allows more"))
}

/// Writes an error to standard error. Where that fails, the exit code still reports it.
fn complain(problem: impl Display) {
    let _ = writeln!(io::stderr(), "gleaner: {}", printable(&problem.to_string()));
}

/// Whether the reader of our output has closed the pipe, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes text to standard output. Unlike `print!` it does not panic where the pipe is closed or the disk is full.
fn say(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(printable(text).as_bytes())?;
    Ok(out.flush()?)
}

/// Text without control characters but line ends and tabs: what comes from a page or from a server must not command the terminal
/// (ECMA-48 has sequences that begin with C0 and with C1 characters).
fn printable(text: &str) -> Cow<'_, str> {
    let is_bad = |char: char| char.is_control() && !matches!(char, '\n' | '\t');
    if text.contains(is_bad) { text.replace(is_bad, "\u{fffd}").into() } else { text.into() }
}

/// The only map from an error to an exit code.
fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.code;
    }
    let (config, authority) = match error.downcast_ref::<StartError>() {
        Some(StartError::Config(error)) => (Some(error), None),
        Some(StartError::Authority(error)) => (None, Some(error)),
        _ => (error.downcast_ref::<ConfigError>(), error.downcast_ref::<AuthorityError>()),
    };
    if let Some(error) = config {
        return match error.kind {
            ConfigErrorKind::Missing => EX_NOINPUT,
            ConfigErrorKind::Unreadable => EX_IOERR,
            ConfigErrorKind::Content | ConfigErrorKind::Overrides => EX_CONFIG,
        };
    }
    let io = match (authority, error.downcast_ref::<ReadError>()) {
        (Some(AuthorityError::Create(..)), _) => return EX_CANTCREAT,
        (Some(AuthorityError::Read(..)), _) | (_, Some(ReadError::Folder)) => return EX_IOERR,
        (Some(AuthorityError::NoFolder | AuthorityError::Content(..)), _) => return EX_CONFIG,
        (_, Some(ReadError::Content(_))) => return EX_DATAERR,
        (_, Some(ReadError::Io(error))) => Some(error),
        _ => error.downcast_ref::<io::Error>(),
    };
    match io.map(io::Error::kind) {
        Some(io::ErrorKind::NotFound) => EX_NOINPUT,
        Some(_) => EX_IOERR,
        None if error.is::<PageError>() => EX_DATAERR,
        None => EX_SOFTWARE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_serve_stand_before_the_command_or_behind_it() {
        Arguments::command().debug_assert();
        for typed in [
            "gleaner --listen 1 --config a",
            "gleaner --listen 1 --config a serve",
            "gleaner serve --listen 1 --config a",
        ] {
            let Arguments { command, config, serve } = Arguments::parse_from(typed.split(' '));
            let serve = match command {
                None => serve,
                Some(Command::Serve(own)) => own.or(serve),
                Some(_) => panic!("{typed}"),
            };
            assert_eq!((config, serve.listen.len()), (Some("a".into()), 1), "{typed}");
        }
        let other = Arguments::parse_from(["gleaner", "--listen", "127.0.0.1:1", "schema"]);
        assert_eq!(exit_code(&run(other).unwrap_err()), EX_USAGE);
    }

    #[test]
    fn what_is_printed_commands_no_terminal() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}31m\r\u{7f}b\tc\n";
        assert_eq!(printable(hostile), "a\u{fffd}]0;title\u{fffd}\u{fffd}31m\u{fffd}\u{fffd}b\tc\n");
        assert!(matches!(printable("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn errors_have_their_exit_codes() {
        assert_eq!(exit_code(&StartError::from(AuthorityError::NoFolder).into()), EX_CONFIG);
    }
}
