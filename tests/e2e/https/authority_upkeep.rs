//! Replacing the authority while the proxy runs, sharing it between processes, and logging certificates that are refused.

use std::{
    fs,
    process::{Output, Stdio},
    sync::Arc,
};

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy, get,
    origin::html,
    program::{Running, command, gleaner},
    raw,
    wire::until,
};

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
    let output = gleaner(dir.path(), &arguments, "");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("takes it over at once"), "{said}");
    until("the new authority is in force", async || handed_out(&proxy).await != before).await;
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
        |_| command(dir.path(), &["ca", "export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(start).collect();
    let outputs: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
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
    let mut running = Running::start(&mut command(dir.path(), &arguments));
    let addr = running.address();
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
