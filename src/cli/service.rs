//! `gleaner service`: lets the system run the proxy: from its start on, again after a failure, and with the log where the system
//! has its logs.
//!
//! Each manager of services has a file that says what it needs ([`Plan`]); here that is done.

mod launchd;
mod procd;
mod systemd;

use std::{
    env, fs,
    io::{self, ErrorKind},
    path::{self, Path, PathBuf},
    process::{self, Stdio},
};

use anyhow::Context;
use clap::ValueEnum;

use super::{EX_CANTCREAT, EX_UNAVAILABLE, EX_USAGE, Failure, say};
use crate::util::platform;

/// The mark of files that are written here; no other is overwritten or removed.
const MARK: &str = "Made by `gleaner service install`, and removed by `gleaner service uninstall`.";

#[derive(Clone, Copy, Debug, clap::Subcommand)]
pub(super) enum ServiceCommand {
    /// Let the system start the proxy, now and whenever it starts
    Install {
        #[command(flatten)]
        place: ServicePlace,
        /// Let the devices of the local network use the proxy
        #[arg(long)]
        lan: bool,
        /// Only print what would be written and run
        #[arg(long)]
        print: bool,
    },
    /// End the proxy that the system runs, and start it no more; configuration and certificate stay
    Uninstall {
        #[command(flatten)]
        place: ServicePlace,
    },
    /// Say whether the system runs the proxy
    Status {
        #[command(flatten)]
        place: ServicePlace,
    },
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ServicePlace {
    /// For the whole machine, from its start on: the default for root
    #[arg(long, conflicts_with = "user")]
    system: bool,
    /// For this user alone: the default for everybody else
    #[arg(long)]
    user: bool,
    /// The manager of services, instead of the one that was found
    #[arg(long, value_enum, value_name = "NAME")]
    manager: Option<Manager>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Manager {
    /// Most Linux systems
    Systemd,
    /// macOS
    Launchd,
    /// `OpenWrt`
    Procd,
}

/// For whom the service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    System,
    User,
}

/// The service that is asked for.
struct Wish {
    scope: Scope,
    /// The home of the user.
    home: PathBuf,
    user_id: u32,
    /// This program, by its whole path.
    program: PathBuf,
    config: Option<PathBuf>,
    lan: bool,
}

/// A program and its arguments.
type Words = Vec<String>;

fn words(command: &str) -> Words {
    command.split(' ').map(str::to_owned).collect()
}

/// The file and the commands that a manager needs.
struct Plan {
    file: PathBuf,
    text: String,
    is_executable: bool,
    /// Commands after the file was written.
    start: Vec<Words>,
    /// Commands before it is removed, and after.
    stop: Vec<Words>,
    removed: Vec<Words>,
    /// A command that succeeds while the proxy runs.
    status: Words,
    /// Lines for a person, about the log and the like.
    notes: Vec<String>,
}

pub(super) fn run(command: ServiceCommand, config: Option<PathBuf>) -> anyhow::Result<()> {
    match command {
        ServiceCommand::Install { place, lan, print } => {
            let (manager, wish) = wish(place, config, lan)?;
            let plan = plan(manager, &wish)?;
            if print { say(&shown(&plan)) } else { install(&plan) }
        }
        ServiceCommand::Uninstall { place } => {
            let (manager, wish) = wish(place, config, false)?;
            uninstall(&plan(manager, &wish)?)
        }
        ServiceCommand::Status { place } => {
            let (manager, wish) = wish(place, config, false)?;
            status(&plan(manager, &wish)?)
        }
    }
}

fn plan(manager: Manager, wish: &Wish) -> anyhow::Result<Plan> {
    match manager {
        Manager::Systemd => systemd::plan(wish),
        Manager::Launchd => Ok(launchd::plan(wish)),
        Manager::Procd => procd::plan(wish),
    }
}

fn wish(place: ServicePlace, config: Option<PathBuf>, lan: bool) -> anyhow::Result<(Manager, Wish)> {
    let manager = place.manager.or_else(found).ok_or_else(|| {
        let problem = "no manager of services was found that is known here (systemd, launchd, procd); let what starts programs \
                       on this system run `gleaner serve`";
        Failure::error(EX_UNAVAILABLE, problem)
    })?;
    let user_id = platform::user_id();
    let scope = match (place.system, place.user) {
        (true, _) => Scope::System,
        (_, true) => Scope::User,
        _ if user_id == 0 => Scope::System,
        _ => Scope::User,
    };
    let wish = Wish {
        scope,
        home: etcetera::home_dir().context("this user has no home")?,
        user_id,
        program: env::current_exe().context("the path of this program is not known")?,
        config: config.map(path::absolute).transpose().context("the path of the configuration")?,
        lan,
    };
    Ok((manager, wish))
}

fn found() -> Option<Manager> {
    if cfg!(target_os = "macos") {
        Some(Manager::Launchd)
    } else if Path::new("/run/systemd/system").is_dir() {
        // sd_booted(3)
        Some(Manager::Systemd)
    } else {
        Path::new("/sbin/procd").exists().then_some(Manager::Procd)
    }
}

fn shown(plan: &Plan) -> String {
    let commands: String = plan.start.iter().map(|words| words.join(" ") + "\n").collect();
    format!("{}:\n\n{}\nThen:\n{commands}", plan.file.display(), plan.text)
}

fn install(plan: &Plan) -> anyhow::Result<()> {
    check_is_ours(&plan.file)?;
    let cannot = |error: &io::Error| {
        let hint = match error.kind() {
            ErrorKind::PermissionDenied => {
                "; a service of the whole machine needs root: `sudo gleaner service install`"
            }
            _ => "",
        };
        Failure::error(EX_CANTCREAT, format!("cannot write {}: {error}{hint}", plan.file.display()))
    };
    let folder = plan.file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).and_then(|()| fs::write(&plan.file, &plan.text)).map_err(|error| cannot(&error))?;
    if plan.is_executable {
        platform::make_executable(&plan.file).map_err(|error| cannot(&error))?;
    }
    plan.start.iter().try_for_each(|command| execute(command))?;
    let notes: String = plan.notes.iter().map(|note| note.clone() + "\n").collect();
    say(&format!(
        "The system runs Gleaner from now on ({}).\n{notes}`gleaner doctor` says whether all is well; `gleaner service \
         uninstall` undoes it.\n",
        plan.file.display()
    ))
}

fn uninstall(plan: &Plan) -> anyhow::Result<()> {
    check_is_ours(&plan.file)?;
    if !plan.file.exists() {
        return say(&format!("There is no service: {} is not there.\n", plan.file.display()));
    }
    // One that has ended already cannot be ended, and is removed all the same.
    for problem in plan.stop.iter().filter_map(|command| execute(command).err()) {
        super::complain(problem);
    }
    fs::remove_file(&plan.file)
        .map_err(|error| Failure::error(EX_CANTCREAT, format!("cannot remove {}: {error}", plan.file.display())))?;
    plan.removed.iter().try_for_each(|command| execute(command))?;
    say("The system does not run Gleaner any more. Its configuration and its certificate are kept.\n")
}

fn status(plan: &Plan) -> anyhow::Result<()> {
    let file = plan.file.display();
    if !plan.file.exists() {
        return Err(Failure::error(
            EX_UNAVAILABLE,
            format!("there is no service: {file} is not there; `gleaner service install` makes it"),
        ));
    }
    if output_of(&plan.status).is_ok_and(|output| output.status.success()) {
        return say(&format!("The system runs Gleaner ({file}).\n"));
    }
    let notes = plan.notes.join("; ");
    Err(Failure::error(EX_UNAVAILABLE, format!("there is a service ({file}), and it does not run; {notes}")))
}

/// A file that somebody else wrote is left alone.
fn check_is_ours(file: &Path) -> anyhow::Result<()> {
    match fs::read_to_string(file) {
        Ok(text) if !text.contains(MARK) => {
            let file = file.display();
            Err(Failure::error(
                EX_USAGE,
                format!("{file} was not made by `gleaner service install`, so it is left alone"),
            ))
        }
        _ => Ok(()),
    }
}

fn output_of(words: &[String]) -> io::Result<process::Output> {
    let (program, arguments) = words.split_first().ok_or(ErrorKind::InvalidInput)?;
    process::Command::new(program).args(arguments).stdin(Stdio::null()).output()
}

fn execute(words: &[String]) -> anyhow::Result<()> {
    let command = words.join(" ");
    let output = output_of(words).map_err(|error| Failure::error(EX_UNAVAILABLE, format!("`{command}`: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::error(EX_UNAVAILABLE, format!("`{command}` failed: {told}")))
}
