//! `serve --lan`, `init`, `devices`, `health` and `--version`.

use std::{fs, net::TcpStream};

use crate::harness::{
    TestProxy,
    program::{Running, command, folder, gleaner, told},
};

#[test]
fn the_network_is_let_in_without_a_file() {
    let dir = folder();
    for lan in [true, false] {
        let mut running = Running::start(command(dir.path(), &["serve", "--listen", "0"]).args(lan.then_some("--lan")));
        let own = running.address();
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

#[tokio::test]
async fn a_container_asks_whether_the_proxy_answers() {
    let (dir, proxy) = (folder(), TestProxy::start("").await);
    let yaml = format!("listen: {}\n", proxy.addr);
    fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    let ask = |dir: std::path::PathBuf| {
        tokio::task::spawn_blocking(move || gleaner(&dir, &["--config", "c.yaml", "health"], ""))
    };
    let output = ask(dir.path().to_owned()).await.unwrap();
    assert!(output.status.success() && told(&output).contains(&proxy.addr.to_string()), "{output:?}");
    proxy.stop().await;
    let output = ask(dir.path().to_owned()).await.unwrap();
    assert!(output.status.code() == Some(69) && told(&output).contains("no Gleaner answers"), "{output:?}");
}

#[test]
fn the_version_names_source_system_and_features() {
    let dir = folder();
    let short = format!("gleaner {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(told(&gleaner(dir.path(), &["-V"], "")), short);
    let long = told(&gleaner(dir.path(), &["--version"], ""));
    assert!(long.starts_with(&short) && long.contains("\nbuilt from source\n"), "{long}");
    assert!(long.contains(std::env::consts::ARCH) && long.contains("\nfeatures: none\n"), "{long}");
}

#[test]
fn init_writes_a_configuration_once() {
    let dir = folder();
    let run = |arguments: &[&str]| gleaner(dir.path(), arguments, "");
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
    let names = "{\"192.168.1.7\":\"Anna's tablet\",\"192.168.1.9\":\"Kitchen\"}";
    fs::write(dir.path().join("ca/device-names.json"), names).unwrap();
    let listed = told(&run(&["list"]));
    assert!(
        listed
            .contains("192.168.1.7 Anna's tablet  seen 2026-09-21  Mozilla/. Safari\n192.168.1.9 Kitchen  no browser"),
        "{listed}"
    );
    fs::remove_file(dir.path().join("ca/device-names.json")).unwrap();
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

#[test]
fn one_machine_alone_and_the_network_exclude_each_other() {
    let dir = folder();
    for address in ["127.0.0.1:9999", "localhost:9999", "[::1]:9999"] {
        let refused = gleaner(dir.path(), &["serve", "--lan", "--listen", address], "");
        assert_eq!(refused.status.code(), Some(64), "{refused:?}");
        let said = told(&refused);
        assert!(said.contains("this machine only") && said.contains("--listen 9999"), "{said}");
    }
}
