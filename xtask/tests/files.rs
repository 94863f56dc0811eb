//! The files as those read them that they are for: shells, and man.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

fn make(task: &str, more: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let made =
        Command::new(env!("CARGO_BIN_EXE_xtask")).arg(task).arg(dir.path()).args(more).status().expect("xtask runs");
    assert!(made.success());
    dir
}

/// Runs a program; `None` where it is not installed, which `GLEANER_REQUIRE_ALL` makes a failure.
fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            assert!(env::var_os("GLEANER_REQUIRE_ALL").is_none(), "{program}: {error}");
            eprintln!("skipped: {program}: {error}");
            None
        }
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn every_shell_reads_its_completions_and_finds_a_command() {
    let dir = make("completions", &[]);
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (bash, zsh, fish) = (file("gleaner.bash"), file("_gleaner"), file("gleaner.fish"));
    for (shell, file) in [("bash", &bash), ("zsh", &zsh), ("fish", &fish)] {
        let Some(read) = run(shell, &["-n", file]) else { continue };
        assert!(read.status.success() && told(&read).is_empty(), "{shell}: {}", told(&read));
    }
    let typed = "COMP_WORDS=(gleaner do); COMP_CWORD=1; _gleaner gleaner do gleaner; echo \"${COMPREPLY[@]}\"";
    if let Some(completed) = run("bash", &["-c", &format!("source {bash}; {typed}")]) {
        assert_eq!(told(&completed).trim(), "doctor");
    }
    if let Some(completed) = run("fish", &["-c", &format!("source {fish}; complete -C 'gleaner doctor --rep'")]) {
        assert!(told(&completed).starts_with("--report"), "{}", told(&completed));
    }
    for name in ["gleaner.elv", "_gleaner.ps1"] {
        assert!(fs::read_to_string(file(name)).unwrap().contains("doctor"), "{name}");
    }
}

fn pages(dir: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<_> = fs::read_dir(dir)
        .expect("the folder was made")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    pages.sort();
    assert!(pages.len() > 15, "{pages:?}");
    pages
}

#[test]
fn every_man_page_is_well_formed_and_names_its_command() {
    let dir = make("man", &["--date", "2026-11-01"]);
    for page in pages(dir.path()) {
        let path = page.to_str().unwrap();
        let name = page.file_stem().unwrap().to_str().unwrap();
        if let Some(lint) = run("mandoc", &["-T", "lint", "-W", "warning", path]) {
            assert!(lint.status.success() && told(&lint).is_empty(), "{}", told(&lint));
        }
        if let Some(shown) = run("man", &["--warnings", "-E", "UTF-8", "-l", path]) {
            let text = String::from_utf8_lossy(&shown.stdout).into_owned();
            assert!(shown.status.success() && shown.stderr.is_empty(), "{}", told(&shown));
            assert!(text.contains(name) && text.contains("SYNOPSIS"), "{text}");
        }
    }
}
