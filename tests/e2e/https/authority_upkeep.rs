//! The running program in its owner's hands: what it says at the start, another authority, servers it refuses.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{net::TcpListener, time::timeout};

use crate::harness::{Origin, PAGE, POLL_INTERVAL, TestCa, TestProxy, get, origin::html, program::Running, raw};

fn gleaner(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command
        .args(arguments)
        .env("HOME", dir)
        .env("XDG_CONFIG_HOME", dir.join("none"))
        .env("XDG_DATA_HOME", dir.join("data"))
        .env_remove("STATE_DIRECTORY")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

fn told(output: &Output) -> (Option<i32>, String) {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), errors)
}

/// The certificate that the proxy hands out.
async fn handed_out(proxy: &TestProxy) -> String {
    let answer = get(proxy, "http://gleaner.internal/ca.pem", &[]).await;
    assert_eq!(answer.status, 200);
    answer.text().to_owned()
}

#[tokio::test]
async fn a_new_authority_is_in_force_at_once() {
    for intercept in ["on", "auto"] {
        replaces_the_authority(&format!("https: {{ intercept: {intercept} }}")).await;
    }
}

/// With `auto` it is made when it is first needed, after the watch has begun.
async fn replaces_the_authority(config: &str) {
    let proxy = TestProxy::start(config).await;
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let before = handed_out(&proxy).await;
    let folder = proxy.ca_file().parent().unwrap().to_path_buf();
    let config = format!("authority: {{ dir: '{}' }}", folder.display());
    let file = folder.parent().unwrap().join("for-ca.yaml");
    fs::write(&file, config).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["ca", "regenerate", "--yes", "--config", file.to_str().unwrap()];
    let output = gleaner(dir.path(), &arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("takes it over at once"), "{said}");
    let changed = async {
        while handed_out(&proxy).await == before {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    timeout(Duration::from_secs(20), changed).await.expect("the new authority is in force");
    assert_eq!(handed_out(&proxy).await, fs::read_to_string(proxy.ca_file()).unwrap());
}

#[tokio::test]
async fn an_authority_that_cannot_be_read_again_leaves_the_one_before_it() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    let before = handed_out(&proxy).await;
    fs::remove_file(proxy.ca_file()).unwrap();
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert!(proxy.proxy.reload_error().is_none());
    assert_eq!(handed_out(&proxy).await, before);
    assert!(!proxy.ca_file().exists(), "another one was made");
}

#[test]
fn programs_that_start_on_one_folder_at_once_share_one_authority() {
    let dir = tempfile::tempdir().unwrap();
    let start =
        |_| gleaner(dir.path(), &["ca", "export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(start).collect();
    let outputs: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert_eq!(told(output), (Some(0), String::new()));
        assert_eq!(output.stdout, outputs[0].stdout);
    }
}

#[tokio::test]
async fn a_refused_certificate_is_logged_with_its_host_and_in_our_words() {
    let origin = Origin::https(&TestCa::new(), |_| html(PAGE)).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    let port = origin.addr.port();
    fs::write(&file, format!("access: {{ allow_targets: ['127.0.0.1:{port}'] }}")).unwrap();
    let arguments = ["--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()];
    let mut running = Running::start(&mut gleaner(dir.path(), &arguments));
    let addr = running.wait_for("proxy ").parse().unwrap();
    let request =
        format!("GET https://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let answer = raw(addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    let (_, log) = running.end();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN") || line.contains("ERROR")).collect();
    assert!(!warnings.is_empty(), "{log}");
    for line in warnings {
        assert!(line.contains("127.0.0.1") && line.contains("refused"), "{line}");
        assert!(line.contains("unknown authority"), "{line}");
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_had_is_told_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let dir = tempfile::tempdir().unwrap();
    let serve = |listen: &[&str]| {
        let arguments: Vec<&str> = listen.iter().flat_map(|addr| ["--listen", addr]).collect();
        told(&gleaner(dir.path(), &arguments).output().unwrap())
    };
    let (code, errors) = serve(&[&taken]);
    assert_eq!(code, Some(69), "{errors}");
    assert!(errors.contains("another program") && errors.contains("--listen"), "{errors}");
    drop(listener);
    let (code, errors) = serve(&["127.0.0.1:18118", "127.0.0.1:18118"]);
    assert_eq!(code, Some(64), "{errors}");
    assert!(errors.contains("listed twice"), "{errors}");
}
