//! Makes the files that a package of Gleaner has beside the program, from the program's own command line.
//!
//! They are made here and not by the program, which would carry the two crates for it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Command, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

/// Makes the files that a package of Gleaner has beside the program.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Write completions for bash, zsh, fish, elvish and `PowerShell` into a folder
    Completions {
        /// The folder, which is made where it is missing
        dir: PathBuf,
    },
    /// Write a man page for the program and for each of its commands into a folder
    Man {
        /// The folder, which is made where it is missing
        dir: PathBuf,
        /// The date that stands on the pages, such as 2026-12-31: that of the release, so that each build gives the same
        #[arg(long)]
        date: String,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Completions { dir } => completions(&dir),
        Task::Man { dir, date } => man(&dir, &date),
    }
}

fn make_folder(dir: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

fn completions(dir: &Path) -> anyhow::Result<()> {
    make_folder(dir)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
        clap_complete::generate_to(shell, &mut gleaner::cli::command(), "gleaner", dir)?;
    }
    Ok(())
}

/// The pages are named as those of git are: `gleaner-ca-export.1`.
fn man(dir: &Path, date: &str) -> anyhow::Result<()> {
    make_folder(dir)?;
    let mut command = gleaner::cli::command().disable_help_subcommand(true).long_version(None::<&str>);
    command.build();
    write_pages(&command, dir, date)
}

fn write_pages(command: &Command, dir: &Path, date: &str) -> anyhow::Result<()> {
    let mut subcommands = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    subcommands.try_for_each(|sub| write_pages(sub, dir, date))?;
    let source = concat!("Gleaner ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command.clone()).date(date).source(source).manual("Gleaner");
    let mut text = Vec::new();
    page.render(&mut text)?;
    // Before possible values stand two line breaks with an empty line between them, which mandoc's lint takes for a mistake.
    let text = String::from_utf8(text)?.replace("\n.br\n\n.br\n", "\n.sp\n");
    let file = dir.join(page.get_filename());
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}
