//! The commands of a household: `serve --lan`, `init` and `devices`.

use std::{fs, net::TcpStream, process::Command};

use crate::{
    cli::{folder, gleaner},
    harness::program::Running,
};

fn told(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_network_is_let_in_without_a_file() {
    let dir = folder();
    for lan in [true, false] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.args(["serve", "--listen", "0"]).current_dir(dir.path()).env("HOME", dir.path());
        command.args(lan.then_some("--lan")).env_remove("XDG_CONFIG_HOME");
        let mut running = Running::start(&mut command);
        let own: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
        assert_eq!(own.ip().is_unspecified(), lan);
        let devices = running.wait_for("other devices ");
        // A machine without a network has no address to name.
        let local = gleaner::local_addresses();
        match local.iter().find(|ip| ip.is_ipv4()).filter(|_| lan) {
            Some(ip) => {
                assert!(devices.starts_with(&format!("http://{ip}:{}/", own.port())), "{devices}");
                assert!(running.wait_for("next ").contains("phone"));
                TcpStream::connect((*ip, own.port())).unwrap();
            }
            None => assert!(devices.contains("--lan") || lan, "{devices}"),
        }
        let v6 = TcpStream::connect(("::1", own.port())).is_ok();
        assert!(lan || !v6);
        running.end();
    }
}

#[test]
fn init_writes_a_configuration_once() {
    let dir = folder();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.args(arguments).env("HOME", dir.path()).env_remove("XDG_CONFIG_HOME");
        command.output().unwrap()
    };
    let written = run(&["init", "--lan"]);
    let file = dir.path().join(".config/gleaner/config.yaml");
    assert!(written.status.success() && told(&written).contains(file.to_str().unwrap()), "{written:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("lan: true"));
    let checked = run(&["check-config"]);
    assert!(told(&checked).contains("config.yaml: the configuration is good"), "{checked:?}");
    let again = run(&["init"]);
    assert_eq!(again.status.code(), Some(73), "{again:?}");
    assert!(told(&again).contains("not overwritten"), "{again:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn devices_are_listed_and_forgotten() {
    let dir = folder();
    fs::create_dir(dir.path().join("ca")).unwrap();
    fs::write(dir.path().join("c.yaml"), "authority: { dir: ca }\n").unwrap();
    let run = |arguments: &[&str]| gleaner(dir.path(), &[&["--config", "c.yaml", "devices"], arguments].concat(), "");
    assert!(told(&run(&["list"])).contains("No browser"));
    let entry = "{\"address\":\"192.168.1.7\",\"agent\":\"x\",\"browser\":\"Mozilla/. Safari\",\"since\":0,\"seen\":1790000000}";
    let list = format!("{{\"authority\":\"a\",\"devices\":[{entry}]}}");
    fs::write(dir.path().join("ca/trusted-devices.json"), list).unwrap();
    assert!(
        told(&run(&["list"])).contains("192.168.1.7  seen 2026-09-21  Mozilla/. Safari"),
        "{}",
        told(&run(&["list"]))
    );
    assert_eq!(run(&["forget"]).status.code(), Some(64));
    assert_eq!(run(&["forget", "192.168.1.8"]).status.code(), Some(64));
    assert!(told(&run(&["forget", "192.168.1.7"])).contains("forgotten: 1"));
    assert!(told(&run(&["list"])).contains("No browser"));
}

#[test]
fn a_boolean_of_an_older_file_is_read_and_told() {
    let dir = folder();
    let checked = gleaner(
        dir.path(),
        &["check-config", "-"],
        "listen: 0\nauthority: { dir: /none }\nhttps: { intercept: false }\n",
    );
    assert!(told(&checked).contains("`off`") && told(&checked).contains("`auto`"), "{checked:?}");
}
