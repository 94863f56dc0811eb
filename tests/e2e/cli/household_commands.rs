//! The commands of a household: `serve --lan`, `init` and `devices`.

use std::{fs, net::TcpStream, process::Command, time::Duration};

use tokio::{io::AsyncWriteExt, time::timeout};

use crate::{
    cli::commands::{folder, gleaner},
    harness::{
        Origin, PAGE, TestCa, TestProxy, optional,
        origin::{html, read_head, response},
        program::Running,
        raw,
        tls::trusting,
    },
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

/// Its settings, with folders that cannot be made.
const UNWRITABLE: &str = "authority: { dir: /proc/gleaner }\nblocking: { dir: /proc/gleaner/lists }\n";

#[tokio::test]
async fn where_nothing_can_be_written_it_says_so_and_what_to_do() {
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), format!("listen: 0\n{UNWRITABLE}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    let mut running = Running::start(command.args(["--config", "c.yaml"]).current_dir(dir.path()));
    let own: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
    let https = running.wait_for("HTTPS ");
    for words in ["passed as it is", "/proc/gleaner", "authority.dir"] {
        assert!(https.contains(words), "{https}");
    }
    running.wait_for("to end it");
    let start = raw(own, "GET http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    for words in ["Encrypted pages pass as they are", "/proc/gleaner", "<code>authority.dir</code>"] {
        assert!(start.contains(words), "{words}: {start}");
    }
    let (_, log) = running.end();
    assert!(log.contains("the links in the bar of pages work until this program ends"), "{log}");
    assert!(!log.contains("panicked"), "{log}");
    let checked = gleaner(dir.path(), &["check-config", "c.yaml"], "");
    assert!(told(&checked).contains("the configuration is good"), "{checked:?}");
    fs::write(
        dir.path().join("c.yaml"),
        format!("listen: 0\n{UNWRITABLE}  lists: [easylist]\n")
            .replace("lists }\n  lists: [easylist]", "lists, lists: [easylist] }"),
    )
    .unwrap();
    let checked = told(&gleaner(dir.path(), &["check-config", "c.yaml"], ""));
    assert!(checked.contains("blocking.dir: cannot write to /proc/gleaner/lists"), "{checked}");
}

#[tokio::test]
async fn an_authority_that_could_not_be_made_is_made_once_it_can() {
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), "listen: 0\nauthority: { dir: disk/ca }\n").unwrap();
    // A disk that is not mounted yet.
    std::os::unix::fs::symlink(dir.path().join("mounted"), dir.path().join("disk")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    let mut running = Running::start(command.args(["--config", "c.yaml"]).current_dir(dir.path()));
    let own: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
    running.wait_for("to end it");
    let request = "GET http://gleaner.internal/ca.pem HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert!(raw(own, request).await.starts_with("HTTP/1.1 404"));
    fs::create_dir(dir.path().join("mounted")).unwrap();
    let made = async {
        while !raw(own, request).await.contains("BEGIN CERTIFICATE") {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(30), made).await.expect("it is not tried again");
    running.end();
}

#[test]
fn no_authority_is_dated_by_a_clock_that_was_never_set() {
    let Some(faketime) = optional::program("faketime", "faketime") else { return };
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), "authority: { dir: ca }\n").unwrap();
    let mut command = Command::new(faketime);
    command.args(["1970-01-02 00:00:00", env!("CARGO_BIN_EXE_gleaner"), "--config", "c.yaml", "ca", "export"]);
    let output = command.current_dir(dir.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("this machine's clock says that it is 1970-01-0"), "{told}");
    assert!(!dir.path().join("ca").exists());
}

/// Machines without a clock of their own start in the past, and may have an authority from before.
#[tokio::test]
async fn a_clock_that_is_not_set_yet_stops_no_start() {
    let Some(faketime) = optional::program("faketime", "faketime") else { return };
    // It waits for its program and passes no signal on, so it is asked for the library alone.
    let library = Command::new(faketime).args(["-f", "+0", "printenv", "LD_PRELOAD"]).output().unwrap().stdout;
    let library = String::from_utf8(library).unwrap();
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(PAGE)).await;
    for has_authority in [false, true] {
        let dir = folder();
        let yaml = "listen: 0\nhttps: { intercept: on }\nauthority: { dir: ca }\naccess: { allow_targets: ['127.0.0.1:1-65535'] }\n\
                    limits: { shutdown_grace_seconds: 1 }\n";
        fs::write(dir.path().join("c.yaml"), yaml).unwrap();
        if has_authority {
            assert!(gleaner(dir.path(), &["--config", "c.yaml", "ca", "export"], "").status.success());
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.args(["--config", "c.yaml"]).env("LD_PRELOAD", library.trim()).env("FAKETIME", "@2026-01-02 00:00:00");
        let mut running = Running::start(command.current_dir(dir.path()));
        let own: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
        let https = running.wait_for("HTTPS ");
        assert!(https.contains("passed as it is") && https.contains("set it"), "{https}");
        // Encrypted pages pass.
        let mut stream = tokio::net::TcpStream::connect(own).await.unwrap();
        let request = format!("CONNECT localhost:{} HTTP/1.0\r\n\r\n", origin.addr.port());
        stream.write_all(request.as_bytes()).await.unwrap();
        assert!(read_head(&mut stream).await.contains(" 200"));
        let trust = dir.path().join("origins.pem");
        fs::write(&trust, ca.pem()).unwrap();
        let name = "localhost".try_into().unwrap();
        let tls = tokio_rustls::TlsConnector::from(trusting(&trust, &[])).connect(name, stream);
        timeout(Duration::from_secs(10), tls).await.unwrap().expect("it is the origin's own certificate");
        running.end();
    }
}

/// A disk of 16 kB, most of which is in use.
#[tokio::test]
async fn a_disk_that_is_full_stops_nothing() {
    let is_able = Command::new("unshare").args(["-m", "true"]).status();
    if !is_able.is_ok_and(|status| status.success()) {
        return optional::skip("`unshare -m` is not allowed: run it as root");
    }
    let list = "||ads.example^\n".repeat(4000);
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/list.txt" => response(&[], list.clone()),
        _ => html("<!doctype html><title>x</title><p>The town clock has a single hand."),
    })
    .await;
    let dir = folder();
    let yaml = format!(
        "listen: 0\nlog: {{ level: info }}\naccess: {{ allow_targets: ['127.0.0.1:1-65535'] }}\nauthority: {{ dir: disk/ca }}\n\
         blocking: {{ dir: disk/lists, lists: ['{}'] }}\n",
        origin.url("/list.txt")
    );
    fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    fs::create_dir(dir.path().join("disk")).unwrap();
    let before =
        "mount -t tmpfs -o size=16k none disk && head -c 9000 /dev/zero >disk/other && exec \"$0\" --config c.yaml";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", before, env!("CARGO_BIN_EXE_gleaner")]).current_dir(dir.path());
    let mut running = Running::start(&mut command);
    let own: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
    let get = async |url: String| {
        let request = format!("GET {url} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
        raw(own, request).await
    };
    // The list is used from memory.
    let blocked = async {
        while !get("http://ads.example/".to_owned()).await.contains("||ads.example^") {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), blocked).await.expect("the list is in use");
    assert!(get(origin.url("/page")).await.contains("single hand"));
    // What is remembered of a device does not fit either.
    let aa = get("http://gleaner.internal/look".to_owned()).await;
    assert!(aa.starts_with("HTTP/1.1 200"), "{aa}");
    let (_, log) = running.end();
    assert!(!log.contains("panicked"), "{log}");
    let lines = log.lines().filter(|line| line.contains("No space left")).count();
    assert!((1..=4).contains(&lines), "{lines} lines: {log}");
    assert!(log.contains("is kept in memory until this program ends"), "{log}");
}
