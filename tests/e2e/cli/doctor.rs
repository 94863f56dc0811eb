//! `gleaner doctor` on machines on which one thing is wrong: it names that thing, says what to do, and ends in time.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::harness::{
    Origin, TestCa,
    client::free_port,
    optional,
    origin::html,
    program::{Running, command, folder, isolate},
};

const PAGE: &str = "<!doctype html><title>x</title><p>The town clock has a single hand.";

/// Settings that make a test independent of the machine: folders of its own, and servers on it that may be reached.
fn settings(listen: u16) -> String {
    format!(
        "listen: {listen}\naccess: {{ allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535'] }}\n\
         authority: {{ dir: state }}\nblocking: {{ dir: state/lists }}\n"
    )
}

/// Runs `gleaner doctor` by a shell that does this first, and waits for no more than the five seconds that it promises.
fn doctor(dir: &Path, shell: &str, before: &str, arguments: &[&str]) -> Output {
    let mut words = shell.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["-c", &format!("{before}\nexec \"$0\" doctor --config c.yaml \"$@\"")]);
    isolate(command.arg(env!("CARGO_BIN_EXE_gleaner")).args(arguments), dir);
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    let begun = Instant::now();
    let output = command.output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    output
}

/// The findings by the names of their checks; one check may have several.
fn findings(output: &Output) -> Vec<(String, Value)> {
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let checks = told["checks"].as_array().unwrap();
    for check in checks {
        // Whoever reads of something wrong reads what to do.
        let is_wrong = ["warning", "problem"].contains(&check["level"].as_str().unwrap());
        assert_eq!(is_wrong, check["next"].is_string(), "{check}");
    }
    let problems = checks.iter().filter(|check| check["level"] == "problem").count();
    assert_eq!(output.status.code(), Some(i32::from(problems > 0)), "{told:#}");
    checks.iter().map(|check| (check["check"].as_str().unwrap().to_owned(), check.clone())).collect()
}

fn of<'a>(findings: &'a [(String, Value)], check: &str) -> &'a Value {
    let found = findings.iter().find(|(name, _)| name == check);
    found.map_or_else(|| panic!("{check} was not looked at: {findings:#?}"), |(_, finding)| finding)
}

#[track_caller]
fn assert_is(findings: &[(String, Value)], check: &str, level: &str, words: &str) {
    let finding = of(findings, check);
    assert_eq!(finding["level"], level, "{finding:#}");
    assert!(finding.to_string().contains(words), "{words}: {finding:#}");
}

fn may_unshare(what: &str) -> bool {
    let is_able = Command::new("unshare").args([what, "true"]).status().is_ok_and(|status| status.success());
    if !is_able {
        optional::skip(&format!("`unshare {what}` is not allowed: run it as root"));
    }
    is_able
}

/// All names in a folder, with what is under them.
fn tree(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        names.push(entry.path().display().to_string());
        if entry.path().is_dir() {
            names.extend(tree(&entry.path()));
        }
    }
    names.sort();
    names
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test]
async fn pages_come_through_the_proxy_in_every_way_and_nothing_is_left_behind() {
    let (ca, dir) = (TestCa::new(), folder());
    let (plain, secure) = (Origin::http(|_| html(PAGE)).await, Origin::https(&ca, |_| html(PAGE)).await);
    fs::write(dir.path().join("origins.pem"), ca.pem()).unwrap();
    let yaml = format!("{}upstream: {{ extra_ca_file: origins.pem }}\n", settings(0));
    fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    let before = tree(dir.path());
    let pages = [plain.url("/"), secure.https_url("/")];
    let (path, asked) = (dir.path().to_owned(), pages.clone());
    let output = blocking(move || doctor(&path, "sh", "", &["--json", &asked[0], &asked[1]])).await;
    let findings = findings(&output);
    for (check, words) in [
        ("configuration", "c.yaml"),
        ("port", "Gleaner is not running"),
        ("devices", "only this machine"),
        ("names", "resolved"),
        ("certificates", "is there"),
        ("http", &*pages[0]),
        ("https", &*pages[1]),
        ("http2", "came over HTTP/2"),
        ("clock", "it is right"),
        ("authority", "the first start makes it"),
        ("folders", "can be written"),
        ("lists", "all are in use"),
        ("other proxies", "none is set"),
    ] {
        assert_is(&findings, check, "ok", words);
    }
    let versions: Vec<_> = secure.requests().iter().map(|request| request.version).collect();
    assert!(versions.contains(&http::Version::HTTP_2), "{versions:?}");
    assert_eq!(tree(dir.path()), before);
    // A person reads the same in lines.
    let path = dir.path().to_owned();
    let output = blocking(move || doctor(&path, "sh", "", &[&pages[0]])).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("ok       clock          it is right")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("-        https ")), "{text}");
}

#[tokio::test]
async fn a_gleaner_that_runs_is_found_and_asked() {
    let (plain, unknown) = (Origin::http(|_| html(PAGE)).await, Origin::https(&TestCa::new(), |_| html(PAGE)).await);
    let dir = folder();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    fs::write(dir.path().join("c.yaml"), settings(port) + "https: { intercept: on }\n").unwrap();
    let mut running = Running::start(command(dir.path(), &["--config", "c.yaml"]).env("RUST_LOG", "info"));
    running.wait_for("to end it");
    let (path, pages) = (dir.path().to_owned(), [plain.url("/"), unknown.https_url("/")]);
    let output = blocking(move || doctor(&path, "sh", "", &["--json", &pages[0], &pages[1]])).await;
    let findings = findings(&output);
    assert_is(&findings, "port", "ok", "Gleaner is running and answers");
    assert_is(&findings, "http", "ok", "came through");
    // The connection is decrypted, and what comes in it is an error of the proxy's own.
    assert_is(&findings, "https", "problem", "cannot be trusted");
    assert_is(&findings, "https", "problem", "extra_ca_file");
    assert_is(&findings, "http2", "skipped", "see `https`");
    assert_is(&findings, "authority", "ok", "it is valid");
    let (_, log) = running.end();
    assert!(log.contains(&plain.addr.to_string()), "the one that runs was not asked: {log}");
}

#[tokio::test]
async fn a_foreign_program_on_the_port_is_named() {
    let dir = folder();
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    fs::write(dir.path().join("c.yaml"), settings(foreign.local_addr().unwrap().port())).unwrap();
    let (path, origin) = (dir.path().to_owned(), Origin::http(|_| html(PAGE)).await);
    let page = origin.url("/");
    let output = blocking(move || doctor(&path, "sh", "", &["--json", &page])).await;
    let findings = findings(&output);
    assert_is(&findings, "port", "problem", "another program holds it");
    assert_is(&findings, "port", "problem", "or give Gleaner another port");
    if Path::new("/proc/net/tcp").exists() {
        assert_is(&findings, "port", "problem", &format!("(process {})", std::process::id()));
    }
    // Pages are fetched all the same, by a proxy of its own.
    assert_is(&findings, "http", "ok", "came through");
}

#[test]
fn a_machine_without_a_network_is_told_once() {
    if !may_unshare("-n") {
        return;
    }
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), settings(0)).unwrap();
    for (before, words) in [
        ("", "plug in the network cable"),
        ("ip link set lo up; ip address add 10.9.9.2/24 dev lo", "a line that begins with `default`"),
    ] {
        let output = doctor(dir.path(), "unshare -n sh", before, &["--json"]);
        let findings = findings(&output);
        assert_is(&findings, "network", "problem", words);
        for check in ["names", "ipv6", "http", "https", "http2"] {
            assert_is(&findings, check, "skipped", "no way to the internet");
        }
        let problems = findings.iter().filter(|(_, finding)| finding["level"] == "problem");
        assert_eq!(problems.count(), 1, "{findings:#?}");
    }
}

#[test]
fn name_servers_that_refuse_or_keep_silent_are_told_once() {
    if !may_unshare("-n") || !may_unshare("-m") {
        return;
    }
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), settings(0)).unwrap();
    // Nobody listens at the first; what is sent to the second goes nowhere.
    for server in ["127.0.0.1", "192.0.2.53"] {
        let before = format!(
            "ip link set lo up; ip address add 10.9.9.2/24 dev lo; ip route add default via 10.9.9.1 dev lo\n\
             echo 'nameserver {server}' >resolv.conf; mount --bind resolv.conf /etc/resolv.conf"
        );
        let output = doctor(dir.path(), "unshare -mn sh", &before, &["--json"]);
        let findings = findings(&output);
        assert_is(&findings, "network", "ok", "10.9.9.2");
        assert_is(&findings, "names", "problem", server);
        for check in ["http", "https", "http2"] {
            assert_is(&findings, check, "skipped", "could not be resolved");
        }
    }
}

#[tokio::test]
async fn a_wrong_clock_is_told_by_how_much() {
    if optional::program("faketime", "faketime").is_none() {
        return;
    }
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), settings(0)).unwrap();
    let origin = Origin::http(|_| html(PAGE)).await;
    for (time, level, words) in [
        ("+3d", "problem", "more than a day"),
        ("-20m", "warning", "more than five minutes"),
        ("-56y", "problem", "never set"),
    ] {
        let (path, page) = (dir.path().to_owned(), origin.url("/"));
        // Waiting goes by the clock that nobody sets.
        let shell = format!("faketime --exclude-monotonic -f {time} sh");
        let output = blocking(move || doctor(&path, &shell, "", &["--json", &page])).await;
        let findings = findings(&output);
        assert_is(&findings, "clock", level, words);
        if words == "never set" {
            assert_is(&findings, "authority", "skipped", "see `clock`");
        }
    }
}

#[test]
fn a_full_disk_and_folders_of_others_are_told() {
    if !may_unshare("-m") {
        return;
    }
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), settings(0)).unwrap();
    fs::create_dir(dir.path().join("state")).unwrap();
    let fill = "mount -t tmpfs -o size=16k none state; head -c 100000 /dev/zero >state/other 2>/dev/null";
    let page = "http://127.0.0.1:9/";
    let output = doctor(dir.path(), "unshare -m sh", fill, &["--json", page]);
    assert_is(&findings(&output), "folders", "problem", "the disk is full");
    let output = doctor(dir.path(), "unshare -m sh", "mount -t tmpfs -o size=1m none state", &["--json", page]);
    assert_is(&findings(&output), "folders", "warning", "nearly full");
    let output = doctor(dir.path(), "unshare -m sh", "mount -t tmpfs -o ro none state", &["--json", page]);
    let findings = findings(&output);
    assert_is(&findings, "folders", "problem", "cannot be written");
    assert_is(&findings, "folders", "problem", "`authority.dir`");
    assert_is(&findings, "authority", "skipped", "see `folders`");
}

#[tokio::test]
async fn a_report_names_no_host_no_address_and_no_file() {
    let dir = folder();
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = foreign.local_addr().unwrap().port();
    let list = "https://lists.secret.example/hosts.txt";
    let own = format!(
        "sites: [{{ hosts: [secret.example], profile: off }}]\nhttps: {{ except: [bank.secret.example] }}\nblocking: {{ dir: /proc/secret, lists: ['{list}'] }}\n"
    );
    let yaml = format!("{}\n{own}", settings(port).lines().take(3).collect::<Vec<_>>().join("\n"));
    fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    for arguments in [&["--report"][..], &["--report", "--json"]] {
        let (path, arguments) = (dir.path().to_owned(), arguments.to_vec());
        let output = blocking(move || {
            let pages = ["http://127.0.0.1:9/secret", "https://nowhere.secret.invalid/"];
            doctor(&path, "sh", "", &[&arguments[..], &pages].concat())
        })
        .await;
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("another program holds it") && text.contains("sites"), "{text}");
        assert!(text.contains("free_mebibytes") && text.contains("one was never fetched"), "{text}");
        for private in ["secret", "127.0.0.1", dir.path().to_str().unwrap(), "/proc", "process ", "c.yaml", "invalid"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
        let addresses = gleaner::local_addresses();
        assert!(!addresses.iter().any(|address| text.contains(&address.to_string())), "{text}");
    }
}

#[test]
fn a_proxy_behind_that_does_not_answer_is_told() {
    let dir = folder();
    let there = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = there.local_addr().unwrap().port();
    let nobody = format!("{{ hosts: [onion], proxy: 'socks5://127.0.0.1:{}' }}", free_port());
    let somebody = format!("{{ hosts: [a.example], proxy: 'http://127.0.0.1:{port}' }}");
    for (rules, level, words) in [
        (somebody.clone(), "ok", "can be reached"),
        (format!("{somebody}, {nobody}"), "problem", "nothing is sent past it"),
    ] {
        fs::write(dir.path().join("c.yaml"), format!("{}upstream: {{ via: [{rules}] }}\n", settings(0))).unwrap();
        let output = doctor(dir.path(), "sh", "", &["--json", "http://127.0.0.1:9/"]);
        assert_is(&findings(&output), "upstream.via", level, words);
    }
}

#[test]
fn a_configuration_that_cannot_be_used_is_told_with_its_line() {
    let dir = folder();
    for (yaml, words) in [
        (Some("listen: 0\nnonsense: 1\n"), "c.yaml:2:1"),
        (Some("listen: 0\nrewrite: { join_pages: 3 }\nfilters: { output: { style: original } }\n"), "does nothing"),
        (None, "`gleaner init` writes one"),
    ] {
        let file = dir.path().join("c.yaml");
        match yaml {
            Some(yaml) => fs::write(&file, yaml).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let output = doctor(dir.path(), "sh", "", &["--json", "http://127.0.0.1:9/"]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let findings = findings(&output);
        let told_of =
            findings.iter().any(|(name, finding)| name == "configuration" && finding.to_string().contains(words));
        assert!(told_of, "{words}: {told}");
    }
}

#[tokio::test]
async fn a_system_without_trusted_certificates_has_the_built_in_ones() {
    let dir = folder();
    fs::write(dir.path().join("c.yaml"), settings(0)).unwrap();
    let path = dir.path().to_owned();
    let before = "mkdir none; touch none/empty; export SSL_CERT_FILE=none/empty SSL_CERT_DIR=none";
    let output = blocking(move || doctor(&path, "sh", before, &["--json", "http://127.0.0.1:9/"])).await;
    assert_is(&findings(&output), "certificates", "warning", "the built-in one is used");
}
