//! `gleaner service`, with a manager of services that only writes down what it is told.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use crate::{cli::commands::folder, harness::optional};

/// A home whose path has what files of services must escape, and commands that are written down and do nothing. `systemctl`
/// finds the service running while there is a file `running`.
struct Machine {
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { dir: folder() };
        fs::create_dir_all(machine.home()).unwrap();
        fs::create_dir(machine.path("bin")).unwrap();
        for (name, more) in [("systemctl", "case \"$*\" in *is-active*) [ -e running ];; esac"), ("launchctl", ":")] {
            let file = machine.path("bin").join(name);
            fs::write(
                &file,
                format!("#!/bin/sh\ncd {}\necho {name} \"$*\" >>told\n{more}\n", machine.dir.path().display()),
            )
            .unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn home(&self) -> PathBuf {
        self.path("100% of anna's home")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.arg("service").args(arguments).env("PATH", path).env("HOME", self.home()).output().unwrap()
    }

    /// The commands that the manager got since the last time.
    fn told(&self) -> String {
        let told = fs::read_to_string(self.path("told")).unwrap_or_default();
        let _ = fs::remove_file(self.path("told"));
        told
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The file that `--print` shows.
fn printed(output: &Output) -> String {
    let all = text(output);
    let (_, file) = all.split_once(":\n\n").unwrap_or_else(|| panic!("{all}"));
    file.split_once("\nThen:\n").unwrap().0.to_owned()
}

fn verify(file: &Path, scope: &str) {
    if optional::program("systemd-analyze", "systemd").is_none() {
        return;
    }
    let mut command = Command::new("systemd-analyze");
    // Where the manager of a user has its sockets, which none has here.
    command.env("XDG_RUNTIME_DIR", file.parent().unwrap()).args([scope, "verify"]).arg(file);
    let output = command.output().unwrap();
    let told = text(&output);
    assert!(output.status.success() && !told.contains("gleaner"), "{told}");
}

#[test]
fn a_service_of_a_user_is_installed_told_and_removed() {
    let machine = Machine::new();
    let systemd = |arguments: &[&str]| machine.run(&[arguments, &["--user", "--manager", "systemd"]].concat());
    let file = machine.home().join(".config/systemd/user/gleaner.service");
    let none = systemd(&["status"]);
    assert!(none.status.code() == Some(69) && text(&none).contains("`gleaner service install` makes it"), "{none:?}");

    let config = machine.home().join("my config.yaml");
    let installed = systemd(&["install", "--lan", "--config", config.to_str().unwrap()]);
    assert!(installed.status.success(), "{installed:?}");
    assert_eq!(machine.told(), "systemctl --user daemon-reload\nsystemctl --user enable --now gleaner\n");
    let unit = fs::read_to_string(&file).unwrap();
    let config = config.display().to_string().replace('%', "%%");
    assert!(unit.contains(&format!("--config \"{config}\" serve --lan\n")), "{unit}");
    verify(&file, "--user");

    assert_eq!(systemd(&["status"]).status.code(), Some(69));
    fs::write(machine.path("running"), "").unwrap();
    assert!(text(&systemd(&["status"])).contains("The system runs Gleaner"));
    machine.told();

    assert!(systemd(&["uninstall"]).status.success());
    assert_eq!(machine.told(), "systemctl --user disable --now gleaner\nsystemctl --user daemon-reload\n");
    assert!(!file.exists());
    assert!(text(&systemd(&["uninstall"])).contains("There is no service"));
    assert_eq!(machine.told(), "");

    // One that somebody else wrote.
    fs::write(&file, "[Service]\nExecStart=/bin/true\n").unwrap();
    for verb in ["install", "uninstall"] {
        assert_eq!(systemd(&[verb]).status.code(), Some(64));
    }
    assert_eq!((machine.told(), fs::read_to_string(&file).unwrap().lines().count()), (String::new(), 2));
}

#[test]
fn the_unit_of_the_machine_is_the_hardened_one_with_the_program_in_its_place() {
    let machine = Machine::new();
    let print = |more: &[&str]| {
        let common = ["install", "--print", "--system", "--manager", "systemd"];
        let output = machine.run(&[&common[..], more].concat());
        assert!(output.status.success(), "{output:?}");
        printed(&output)
    };
    let unit = print(&["--lan"]);
    assert!(
        unit.contains("init --lan") && unit.contains("DynamicUser=yes") && unit.contains("WantedBy=multi-user.target")
    );
    assert!(unit.contains(env!("CARGO_BIN_EXE_gleaner")) && !unit.contains("/usr/local/bin"), "{unit}");
    assert!(!print(&[]).contains("--lan"));
    let own = print(&["--config", "/etc/gleaner.yaml"]);
    assert!(own.contains("--config /etc/gleaner.yaml serve") && !own.contains("ExecStartPre"), "{own}");
    let file = machine.path("gleaner.service");
    for unit in [unit, own] {
        fs::write(&file, unit).unwrap();
        verify(&file, "--system");
    }
    assert_eq!(machine.told(), "", "--print runs nothing");
}

#[test]
fn a_property_list_of_launchd_is_well_formed() {
    let machine = Machine::new();
    let output = machine.run(&["install", "--lan", "--config", "/a & b.yaml", "--user", "--manager", "launchd"]);
    assert!(output.status.success(), "{output:?}");
    let file = machine.home().join("Library/LaunchAgents/internal.gleaner.plist");
    let told = machine.told();
    assert!(
        told.starts_with("launchctl bootstrap gui/") && told.ends_with(&format!(" {}\n", file.display())),
        "{told}"
    );
    let Some(python) = optional::program("python3", "python3") else { return };
    let read = "import plistlib, sys; p = plistlib.load(open(sys.argv[1], 'rb')); print(*p['ProgramArguments'][1:], p['RunAtLoad'], sep='|')";
    let told = Command::new(python).args(["-c", read]).arg(&file).output().unwrap();
    assert_eq!(text(&told).trim(), "--config|/a & b.yaml|serve|--lan|True");
}

#[test]
fn a_script_of_procd_starts_the_program_with_its_words() {
    let machine = Machine::new();
    let procd = |more: &[&str]| machine.run(&[&["install", "--print", "--manager", "procd"], more].concat());
    let script = printed(&procd(&["--system", "--config", "/a 'b'.yaml"]));
    // What OpenWrt's rc.common has, and a program that writes down its words.
    let stub = "procd_open_instance() { :; }; procd_close_instance() { :; }\n\
                procd_set_param() { printf '<%s>' \"$@\"; echo; }";
    let play = format!("{stub}\n{}\nstart_service", script.replace(env!("CARGO_BIN_EXE_gleaner"), "/bin/true"));
    let told = text(&Command::new("sh").args(["-ec", &play]).output().unwrap());
    assert!(told.contains("<command></bin/true><--config></a 'b'.yaml><serve>"), "{told}");
    let refused = procd(&["--user"]);
    assert_eq!(refused.status.code(), Some(64), "{refused:?}");
}
