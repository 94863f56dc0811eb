//! Starting under bad conditions: an unset clock, a full disk, a folder that cannot be written.

use std::{fs, process::Command, time::Duration};

use tokio::{io::AsyncWriteExt, time::timeout};

use crate::harness::{
    Origin, PAGE, TestCa, optional,
    origin::{html, read_head, response},
    program::{Running, command, folder, gleaner, isolate, told},
    raw,
    tls::trusting,
};

/// Its settings, with folders that cannot be made.
const UNWRITABLE: &str = "authority: { dir: /proc/gleaner }\nblocking: { dir: /proc/gleaner/lists }\n";

#[tokio::test]
async fn where_nothing_can_be_written_it_says_so_and_what_to_do() {
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), format!("listen: 0\n{UNWRITABLE}")).unwrap();
    let mut running = Running::start(&mut command(dir.path(), &["--config", "c.yaml"]));
    let own = running.address();
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
    let mut running = Running::start(&mut command(dir.path(), &["--config", "c.yaml"]));
    let own = running.address();
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
    isolate(&mut command, dir.path());
    let output = command.output().unwrap();
    let told = told(&output);
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
        let mut command = command(dir.path(), &["--config", "c.yaml"]);
        command.env("LD_PRELOAD", library.trim()).env("FAKETIME", "@2026-01-02 00:00:00");
        let mut running = Running::start(&mut command);
        let own = running.address();
        let https = running.wait_for("HTTPS ");
        assert!(https.contains("passed as it is") && https.contains("set it"), "{https}");
        // Encrypted pages pass.
        let mut stream = tokio::net::TcpStream::connect(own).await.unwrap();
        let request = format!("CONNECT {} HTTP/1.0\r\n\r\n", origin.host_and_port());
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
    isolate(command.args(["-m", "sh", "-c", before, env!("CARGO_BIN_EXE_gleaner")]), dir.path());
    let mut running = Running::start(&mut command);
    let own = running.address();
    let get = async |url: String| {
        let request = format!("GET {url} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
        raw(own, request).await
    };
    // The list is used from memory.
    let blocked = async {
        while !get("http://ads.example/".to_owned()).await.contains("||ads.example^") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(20), blocked).await.expect("the list is in use");
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
