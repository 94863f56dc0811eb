//! Exit codes, signals, closed pipes, and what `check-config` and the start report.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::harness::program::{command, folder, gleaner};

fn code(dir: &Path, arguments: &[&str], input: &str) -> i32 {
    gleaner(dir, arguments, input).status.code().unwrap()
}

fn article() -> String {
    let words = "The quick brown fox jumps over the lazy dog near the river bank today. ".repeat(12);
    format!("<!doctype html><title>T</title><body><p>{words}<a href='/next'>next</a></p>")
}

/// Scripts would draw it, so that the chain gives up.
const DRAWN: &str = "<html><body><div id=app></div><script>draw()</script><p>Hi</p></body></html>";

/// Text of a page must not command the terminal: titles, colours, or worse.
#[test]
fn no_command_prints_control_characters_of_a_page() {
    let dir = folder();
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}31m\u{8}\u{7f}";
    let page = article().replace("<p>", &format!("<p>{hostile}"));
    let page = page.replace("<body>", &format!("<body><nav id=\"{hostile}\"><a href=/x>{hostile}Menu</a></nav>"));
    assert!(page.contains(hostile));
    fs::write(dir.path().join("page.html"), page).unwrap();
    for arguments in [
        &["explain", "page.html"][..],
        &["explain", "page.html", "--format", "json"],
        &["blocks", "page.html"],
        &["extract", "page.html", "--format", "text"],
        &["extract", "page.html", "--format", "markdown"],
        &["extract", "page.html", "--format", "json"],
        &["extract", "page.html", "gone-\u{9b}31m.html", "--jsonl"],
        &["explain", "https://a.example/\u{1b}[31m?\u{9b}"],
        &["extract", "gone-\u{1b}[31m.html"],
    ] {
        let output = gleaner(dir.path(), arguments, "");
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).unwrap();
            let bad = text.chars().find(|char| char.is_control() && !matches!(char, '\n' | '\t'));
            assert_eq!(bad, None, "{arguments:?}: {text:?}");
        }
    }
}

#[test]
fn a_saved_page_has_its_base_only_where_the_address_was_given() {
    let dir = folder();
    let with = gleaner(dir.path(), &["extract", "--url", "https://a.example/b?x=1&y=2"], article());
    let html = String::from_utf8(with.stdout).unwrap();
    assert!(html.contains("<base href=\"https://a.example/b?x=1&amp;y=2\">"), "{html}");
    let without = gleaner(dir.path(), &["extract"], article());
    assert!(!String::from_utf8(without.stdout).unwrap().contains("<base"));
}

#[test]
fn a_page_on_which_the_chain_gives_up_comes_out_as_it_was() {
    let dir = folder();
    let html = gleaner(dir.path(), &["extract"], DRAWN);
    assert_eq!(String::from_utf8(html.stdout).unwrap(), DRAWN);
    let text = gleaner(dir.path(), &["extract", "--format", "text"], DRAWN);
    assert_eq!(String::from_utf8(text.stdout).unwrap().trim(), "Hi");
    let jsonl = gleaner(dir.path(), &["extract", "--jsonl"], DRAWN);
    let record: serde_json::Value = serde_json::from_slice(&jsonl.stdout).unwrap();
    assert_eq!(record["html"], DRAWN);
    assert_eq!(record["passed"], "little-text");
}

/// Byte for byte, whatever the bytes mean: only what is shown as text is decoded.
#[test]
fn a_page_that_comes_out_as_it_was_keeps_bytes_that_are_not_utf_8() {
    let dir = folder();
    let page = DRAWN.replace("Hi", "caf\u{e9} \u{e0} la carte");
    let latin: Vec<u8> = page.chars().map(|char| u8::try_from(char).unwrap()).collect();
    assert!(String::from_utf8(latin.clone()).is_err());
    std::fs::write(dir.path().join("page.html"), &latin).unwrap();
    let html = gleaner(dir.path(), &["extract", "page.html"], "");
    assert_eq!(html.stdout, latin);
    let text = gleaner(dir.path(), &["extract", "page.html", "--format", "text"], "");
    assert_eq!(String::from_utf8(text.stdout).unwrap().trim(), "café à la carte");
}

#[test]
fn a_page_without_any_text_is_told() {
    let dir = folder();
    let page = "<body><script>draw()</script></body>";
    let text = gleaner(dir.path(), &["extract", "--format", "text"], page);
    assert!(String::from_utf8_lossy(&text.stderr).contains("no text"));
}

#[test]
fn every_mistake_has_its_exit_code() {
    let dir = folder();
    let path = dir.path();
    fs::write(path.join("good.html"), article()).unwrap();
    fs::write(path.join("broken.gz"), b"\x1f\x8bnonsense").unwrap();
    fs::write(path.join("deep.html"), "<div>".repeat(2000)).unwrap();
    fs::write(path.join("latin.yaml"), b"# gr\xfc\xdfe\n").unwrap();
    let cases: [(&[&str], i32); 10] = [
        (&["extract", "nofile"], 66),
        (&["extract", "."], 74),
        (&["extract", "broken.gz"], 65),
        (&["extract", "deep.html"], 65),
        (&["extract", "--url", "https://a.example/", "a", "b"], 64),
        (&["extract", "--from-list", "nolist"], 66),
        (&["extract", "good.html", "broken.gz", "nofile"], 65),
        (&["extract", "--jsonl", "nofile"], 0),
        (&["check-config", "latin.yaml"], 78),
        (&["--listen", "foo"], 64),
    ];
    for (arguments, expected) in cases {
        assert_eq!(code(path, arguments, ""), expected, "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = folder();
    let mut child = command(dir.path(), &["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
fn check_config_reads_standard_input() {
    let dir = folder();
    assert_eq!(code(dir.path(), &["check-config", "-"], "listen: 18118\n"), 0);
    let idle = gleaner(
        dir.path(),
        &["check-config", "-"],
        "rewrite: { join_pages: 3 }\nfilters: { output: { style: original } }\n",
    );
    let said = String::from_utf8(idle.stdout).unwrap();
    assert_eq!(idle.status.code(), Some(0));
    assert!(said.contains("note: rewrite.join_pages does nothing: it needs filters.output"), "{said}");
    let wrong = gleaner(dir.path(), &["check-config", "-"], "nonsense: 1\n");
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(78), "{said}");
    assert!(said.starts_with("gleaner: standard input:1:1: "), "{said}");
}

/// `check-config` and the start agree: what the one calls good the other takes, and the same words say what is not.
#[test]
fn check_config_finds_what_the_start_would() {
    let dir = folder();
    let path = dir.path();
    let config = "listen: 0\nauthority: { dir: ca }\nhttps: { intercept: on }\n";
    fs::write(path.join("c.yaml"), config).unwrap();
    let check = || gleaner(path, &["check-config", "c.yaml"], "");
    let before = check();
    let said = String::from_utf8(before.stdout).unwrap();
    assert!(said.contains("the first start makes a certificate authority"), "{said}");
    assert!(!path.join("ca").exists());
    let (key, certificate) = (path.join("ca/ca.key.pem"), path.join("ca/ca.cert.pem"));
    let good = || {
        let _ = fs::remove_dir_all(path.join("ca"));
        let made = gleaner(path, &["ca", "export", "--config", "c.yaml"], "");
        assert!(made.status.success());
    };
    let expired = |from: i32, to: i32, ca: bool| {
        let pair = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::default();
        params.not_before = rcgen::date_time_ymd(from, 1, 1);
        params.not_after = rcgen::date_time_ymd(to, 1, 1);
        if ca {
            params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        }
        fs::write(&key, pair.serialize_pem()).unwrap();
        fs::write(&certificate, params.self_signed(&pair).unwrap().pem()).unwrap();
    };
    let open_key = || {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    };
    let mismatch = || {
        let other = rcgen::KeyPair::generate().unwrap();
        fs::write(&key, other.serialize_pem()).unwrap();
    };
    let cases: [(&dyn Fn(), &str, &str); 6] = [
        (&|| expired(2020, 2021, true), "ca.cert.pem", "expired on 2021-01-01"),
        (&|| expired(2020, 2090, false), "ca.cert.pem", "not one of an authority"),
        (&|| fs::remove_file(&key).unwrap(), "ca.key.pem", "it is missing"),
        (&mismatch, "ca.cert.pem", "does not belong to the key"),
        (&open_key, "ca.key.pem", "chmod 600"),
        (&|| fs::write(&key, "x").unwrap(), "ca.key.pem", "not a private key"),
    ];
    for (spoil, file, words) in cases {
        good();
        assert!(check().status.success());
        spoil();
        let start = gleaner(path, &["--config", "c.yaml"], "");
        for output in [check(), start] {
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(78), "{said}");
            assert!(said.contains(file) && said.contains(words), "{said}");
        }
    }
    // No folder can be made there. Without `on` the start goes on without an authority.
    let elsewhere = "listen: 0\nauthority: { dir: /proc/gleaner }\naccess: { clients: [0.0.0.0/0] }\n";
    let noted = gleaner(path, &["check-config", "-"], elsewhere);
    let said = String::from_utf8(noted.stdout).unwrap();
    assert!(said.contains("/proc/gleaner") && said.contains("strangers among them"), "{said}");
    let output = gleaner(path, &["check-config", "-"], format!("{elsewhere}https: {{ intercept: on }}\n"));
    assert_ne!(output.status.code(), Some(0));
    let wrong_address =
        gleaner(path, &["check-config", "-"], "listen: 192.0.2.7:8118\naccess: { clients: [private] }\n");
    let said = String::from_utf8(wrong_address.stderr).unwrap();
    assert_eq!(wrong_address.status.code(), Some(69), "{said}");
    assert!(said.contains("this machine has no such address"), "{said}");
}

#[test]
fn a_certificate_with_few_days_left_is_told_by_check_config_and_at_start() {
    let dir = folder();
    let path = dir.path();
    fs::create_dir(path.join("ca")).unwrap();
    let pair = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::default();
    params.not_after =
        std::time::SystemTime::now().checked_add(std::time::Duration::from_hours(5 * 24 + 1)).unwrap().into();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    fs::write(path.join("ca/ca.cert.pem"), params.self_signed(&pair).unwrap().pem()).unwrap();
    let key = path.join("ca/ca.key.pem");
    fs::write(&key, pair.serialize_pem()).unwrap();
    Command::new("chmod").args(["600".as_ref(), key.as_os_str()]).status().unwrap();
    fs::write(path.join("c.yaml"), "listen: 0\nauthority: { dir: ca }\nhttps: { intercept: on }\n").unwrap();
    let check = gleaner(path, &["check-config", "c.yaml"], "");
    let said = String::from_utf8(check.stdout).unwrap();
    assert!(said.contains("5 days from now"), "{said}");
    let mut child =
        command(path, &["--config", "c.yaml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let banner = read_until(&mut BufReader::new(child.stdout.take().unwrap()), "to end it");
    let log = read_until(&mut BufReader::new(child.stderr.take().unwrap()), "5 days from now");
    let own = banner.lines().find_map(|line| line.trim().strip_prefix("proxy ")).unwrap();
    let mut page = TcpStream::connect(own.trim()).unwrap();
    page.write_all(b"GET http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    signal(&child, "KILL");
    child.wait().unwrap();
    assert!(answer.contains("5 days from now"), "{log}: {answer}");
}

#[test]
fn an_address_to_listen_on_that_is_none_says_what_is_expected() {
    let dir = folder();
    let said = gleaner(dir.path(), &["--listen", "foo"], "").stderr;
    assert!(String::from_utf8_lossy(&said).contains("a port alone"));
}

/// Sends a signal by name, as a shell would.
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

/// Reads lines until one holds this; gives all that were read.
fn read_until(lines: &mut impl BufRead, word: &str) -> String {
    let mut all = String::new();
    while !all.contains(word) {
        assert_ne!(lines.read_line(&mut all).unwrap(), 0, "{word}: {all}");
    }
    all
}

#[test]
fn a_second_signal_ends_at_once_with_the_signals_code() {
    let second_signal = |name: &str, expected: i32| {
        let dir = folder();
        let origin = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = "listen: 0\naccess: { allow_targets: [127.0.0.1] }\n\
                      limits: { shutdown_grace_seconds: 600 }\n";
        fs::write(dir.path().join("c.yaml"), config).unwrap();
        let mut child = command(dir.path(), &["--config", "c.yaml"])
            .env("RUST_LOG", "info")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let banner = read_until(&mut out, "to end it");
        let file = dir.path().join("c.yaml");
        assert!(banner.contains(&file.display().to_string()), "{banner}");
        let own = banner.lines().find_map(|line| line.trim().strip_prefix("proxy ")).unwrap().trim();
        let mut page = TcpStream::connect(own).unwrap();
        page.write_all(b"GET http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        page.read_to_end(&mut Vec::new()).unwrap();
        let line = read_until(&mut log, "route=\"admin\"");
        assert!(line.contains("gleaner.internal"), "{line}");
        // A request whose client leaves before there is an answer.
        let target = origin.local_addr().unwrap();
        let request = format!("GET http://{target}/ HTTP/1.1\r\nHost: x\r\n\r\n");
        let mut leaves = TcpStream::connect(own).unwrap();
        leaves.write_all(request.as_bytes()).unwrap();
        let first = origin.accept().unwrap();
        drop(leaves);
        let line = read_until(&mut log, "the client left");
        assert!(line.contains("status=499"), "{line}");
        drop(first);
        // And one that never ends.
        let mut stays = TcpStream::connect(own).unwrap();
        stays.write_all(request.as_bytes()).unwrap();
        let _held = origin.accept().unwrap();
        signal(&child, name);
        read_until(&mut log, "ending");
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(expected));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| second_signal("INT", 130));
        scope.spawn(|| second_signal("TERM", 143));
    });
}

#[test]
fn who_listens_everywhere_is_told_addresses_that_can_be_asked() {
    let dir = folder();
    let config = "listen: '0.0.0.0:0'\naccess: { clients: [loopback, private] }\n";
    fs::write(dir.path().join("c.yaml"), config).unwrap();
    let banner = |config: &str| {
        fs::write(dir.path().join("c.yaml"), config).unwrap();
        let mut child =
            command(dir.path(), &["--config", "c.yaml"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let banner = read_until(&mut BufReader::new(child.stdout.take().unwrap()), "to end it");
        child.kill().unwrap();
        child.wait().unwrap();
        banner
    };
    let open = banner(config);
    assert_eq!(open.matches("0.0.0.0").count(), 1, "{open}");
    assert!(open.contains("--proxy-server=127.0.0.1:"), "{open}");
    assert!(open.contains("other devices  http://"), "{open}");
    assert!(!open.contains(" -U "), "{open}");
    let hash = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$gzCcKRE3DGs2kdsCTqHOTtOXLKwKTuRbZ5fPP6V8ALE";
    let asked = banner(&format!("listen: 0\naccess: {{ users: {{ anna: '{hash}' }} }}\n"));
    assert!(asked.contains(" -U NAME:PASSWORD http://example.com/"), "{asked}");
    assert!(asked.contains("other devices  none"), "{asked}");
}

#[test]
fn the_schema_has_the_bounds_that_are_enforced() {
    let dir = folder();
    let schema = gleaner(dir.path(), &["schema"], "").stdout;
    let schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    let of = |section: &str, key: &str| schema["$defs"][section]["properties"][key].clone();
    assert_eq!(of("Limits", "page_depth")["maximum"], 4096);
    assert_eq!(of("Limits", "page_depth")["minimum"], 1);
    assert_eq!(of("Timeouts", "connect_seconds")["maximum"], 86_400);
    assert_eq!(of("Rewrite", "max_html_bytes")["minimum"], 1024);
    assert_eq!(of("Access", "clients")["minItems"], 1);
    assert_eq!(of("LinkLists", "ratio")["exclusiveMinimum"], 0);
    assert_eq!(of("Floor", "kept_share")["maximum"], 1);
}

#[test]
fn an_empty_password_is_an_error_of_its_input() {
    let dir = folder();
    for input in ["", "\n"] {
        let output = gleaner(dir.path(), &["hash-password"], input);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("is empty"), "{message}");
        assert_eq!(output.status.code(), Some(65), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_page_over_a_limit_names_the_key_to_raise() {
    let dir = folder();
    let config = |yaml: &str| std::fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    let many = "<p>word".repeat(200);
    let deep = "<div>".repeat(40);
    for command in ["extract", "blocks"] {
        for (key, page) in [("page_nodes", &many), ("page_depth", &deep)] {
            config(&format!("limits: {{ {key}: 30 }}"));
            let output = gleaner(dir.path(), &[command, "--config", "c.yaml"], page);
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(message.contains(&format!("limits.{key}")), "{message}");
            assert_eq!(output.status.code(), Some(65), "{message}");
        }
    }
}

#[test]
fn a_record_always_says_whether_the_page_was_passed() {
    let dir = folder();
    let record = |page: &str| {
        let output = gleaner(dir.path(), &["extract", "--jsonl"], page);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    assert_eq!(record(DRAWN)["passed"], "little-text");
    assert_eq!(record(&article()).get("passed"), Some(&serde_json::Value::Null));
}

#[test]
fn an_address_that_cannot_be_had_is_told_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let dir = folder();
    let serve = |listen: &[&str]| {
        let arguments: Vec<&str> = listen.iter().flat_map(|addr| ["--listen", addr]).collect();
        let output = gleaner(dir.path(), &arguments, "");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, errors) = serve(&[&taken]);
    assert_eq!(code, Some(69), "{errors}");
    assert!(errors.contains("another program") && errors.contains("--listen"), "{errors}");
    drop(listener);
    let (code, errors) = serve(&["127.0.0.1:18118", "127.0.0.1:18118"]);
    assert_eq!(code, Some(64), "{errors}");
    assert!(errors.contains("listed twice"), "{errors}");
}
