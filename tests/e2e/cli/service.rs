//! `gleaner service`, with a service manager that only records its commands; and the unit for systemd, its notifications and its sockets.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use tempfile::TempDir;
use tokio::time::timeout;

use crate::harness::{
    client::{listens, run},
    optional,
    program::{Program, Running, folder, isolate, told},
    proxy::full,
    raw,
};

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

/// The file that `--print` shows.
fn printed(output: &Output) -> String {
    let all = told(output);
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
    let told = told(&output);
    assert!(output.status.success() && !told.contains("gleaner"), "{told}");
}

#[test]
fn a_service_of_a_user_is_installed_told_and_removed() {
    let machine = Machine::new();
    let systemd = |arguments: &[&str]| machine.run(&[arguments, &["--user", "--manager", "systemd"]].concat());
    let file = machine.home().join(".config/systemd/user/gleaner.service");
    let none = systemd(&["status"]);
    assert!(none.status.code() == Some(69) && told(&none).contains("`gleaner service install` makes it"), "{none:?}");

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
    assert!(told(&systemd(&["status"])).contains("The system runs Gleaner"));
    machine.told();

    assert!(systemd(&["uninstall"]).status.success());
    assert_eq!(machine.told(), "systemctl --user disable --now gleaner\nsystemctl --user daemon-reload\n");
    assert!(!file.exists());
    assert!(told(&systemd(&["uninstall"])).contains("There is no service"));
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
    let ran = machine.told();
    assert!(ran.starts_with("launchctl bootstrap gui/") && ran.ends_with(&format!(" {}\n", file.display())), "{ran}");
    let Some(python) = optional::program("python3", "python3") else { return };
    let read = "import plistlib, sys; p = plistlib.load(open(sys.argv[1], 'rb')); print(*p['ProgramArguments'][1:], p['RunAtLoad'], sep='|')";
    let read = Command::new(python).args(["-c", read]).arg(&file).output().unwrap();
    assert_eq!(told(&read).trim(), "--config|/a & b.yaml|serve|--lan|True");
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
    let told = told(&Command::new("sh").args(["-ec", &play]).output().unwrap());
    assert!(told.contains("<command></bin/true><--config></a 'b'.yaml><serve>"), "{told}");
    let refused = procd(&["--user"]);
    assert_eq!(refused.status.code(), Some(64), "{refused:?}");
}

#[tokio::test]
async fn systemd_understands_the_unit() {
    let Some(verify) = optional::program("systemd-analyze", "systemd") else { return };
    let dir = tempfile::tempdir().unwrap();
    let unit = include_str!("../../../contrib/gleaner.service");
    let unit = unit.replace("/usr/local/bin/gleaner", env!("CARGO_BIN_EXE_gleaner"));
    let file = dir.path().join("gleaner.service");
    fs::write(&file, &unit).unwrap();
    let mut command = Command::new(verify);
    command.arg("verify").arg(&file);
    let (well, text) = run(command).await;
    assert!(well && text.is_empty(), "{text}");
    // With systemd's own 100 ms five failures in a row, as before the disk or network is there, would be the last.
    assert!(unit.contains("\nRestartSec=5\n"));
    assert!(unit.contains("\nMemoryMax="));
    // At most 2.0 of 10: what it may do that it need not.
    let mut command = Command::new("systemd-analyze");
    command.args(["security", "--offline=yes", "--threshold=20"]).arg(&file);
    let (well, text) = run(command).await;
    assert!(well, "{text}");
}

/// systemd's side of `Type=notify`.
#[tokio::test]
async fn systemd_is_told_how_the_service_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = tokio::net::UnixDatagram::bind(&path).unwrap();
    let before = format!("export NOTIFY_SOCKET={} WATCHDOG_USEC=600000000 WATCHDOG_PID=$$", path.display());
    let program = Program::start("sh", &before, "");
    let said = async || {
        let mut bytes = [0; 200];
        let count = timeout(Duration::from_secs(10), socket.recv(&mut bytes)).await.unwrap().unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    assert_eq!(said().await.trim(), "READY=1");
    // At once, and then every five minutes: half the time.
    assert_eq!(said().await.trim(), "WATCHDOG=1");
    program.signal("HUP");
    assert!(said().await.starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(said().await.trim(), "READY=1");
    program.signal("TERM");
    assert_eq!(said().await.trim(), "STOPPING=1");
}

/// systemd's side of socket activation: it listens, and starts the program when somebody comes.
#[tokio::test]
async fn systemd_may_listen_in_the_place_of_the_configuration() {
    let Some(activate) = optional::program("systemd-socket-activate", "systemd") else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.yaml"), full("listen: 127.0.0.1:1\n")).unwrap();
    let addr = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(activate);
    command.arg("--listen").arg(addr.to_string()).arg(env!("CARGO_BIN_EXE_gleaner"));
    isolate(command.args(["--config", "config.yaml"]), dir.path());
    let _running = Running::start(&mut command);
    listens(addr).await;
    let ask = format!("GET /readyz HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
    let answer = raw(addr, ask).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("ok\n"), "{answer}");
}
