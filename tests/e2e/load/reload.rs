//! Another configuration while the proxy runs.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{html, read_head},
    wire::until,
};

#[tokio::test]
async fn a_save_takes_effect_without_dropping_a_connection() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let mut kept = TcpStream::connect(proxy.addr).await.unwrap();
    let request = format!("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", origin.url("/none"));
    kept.write_all(request.as_bytes()).await.unwrap();
    let before = read_head(&mut kept).await;
    assert!(before.contains("Gleaner: rewritten"), "{before}");
    let mut page = vec![0; content_length(&before)];
    kept.read_exact(&mut page).await.unwrap();

    proxy.save("rewrite: { enabled: false }");
    let outcome = async || get(&proxy, &origin.url("/"), &[]).await.header("gleaner").to_owned();
    until("it is switched off", async || outcome().await.starts_with("passed; reason=switched-off")).await;
    kept.write_all(request.as_bytes()).await.unwrap();
    let after = read_head(&mut kept).await;
    assert!(after.contains("Gleaner: passed; reason=switched-off"), "{after}");
}

fn content_length(head: &str) -> usize {
    let head = head.to_lowercase();
    let field = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    field.unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_bad_save_changes_nothing_and_is_shown_on_the_start_page() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    proxy.save("rewrite: { enbled: false }");
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert!(get(&proxy, &origin.url("/"), &[]).await.header("gleaner").starts_with("rewritten"));
    let page = get(&proxy, "http://gleaner.internal/", &[]).await;
    assert!(page.text().contains("unknown key `enbled`"), "{}", page.text());
    proxy.reload("rewrite: { enabled: false }");
    let page = get(&proxy, "http://gleaner.internal/", &[]).await;
    assert!(!page.text().contains("unknown key"));
}

#[tokio::test]
async fn a_file_that_is_being_written_lets_nobody_in_without_a_password() {
    let hash = gleaner::hash_password("open sesame").unwrap();
    let proxy = TestProxy::start(&format!("access: {{ users: {{ anna: '{hash}' }} }}")).await;
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let file = proxy.proxy.config_file().unwrap();
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, "").unwrap();
    let error = || proxy.proxy.reload_error();
    until("a mistake", async || error().is_some_and(|error| error.contains("the file is empty"))).await;
    // The half without the users stands for longer than an editor needs.
    std::fs::write(&file, "rewrite: { enabled: false }\n").unwrap();
    let half = tokio::time::Instant::now();
    while half.elapsed() < Duration::from_secs(1) {
        assert!(!proxy.proxy.config().access.users.is_empty());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    std::fs::write(&file, format!("rewrite: {{ enabled: false }}\n{whole}")).unwrap();
    until_switched_off(&proxy.proxy).await;
    assert!(!proxy.proxy.config().access.users.is_empty());
    // What is meant takes effect a little later.
    std::fs::write(&file, "{}").unwrap();
    until("the users are gone", async || proxy.proxy.config().access.users.is_empty()).await;
}

#[tokio::test]
async fn interception_can_be_switched_on() {
    let proxy = TestProxy::start("").await;
    proxy.reload("https: { intercept: on }");
    assert!(proxy.ca_file().exists());
}

/// A proxy on the defaults, which looks for its file in one place that is not there yet.
fn without_a_file(place: std::path::PathBuf) -> Arc<gleaner::Proxy> {
    let loaded = gleaner::LoadedConfig::from_yaml("", None).unwrap();
    let own = vec!["127.0.0.1:1".parse().unwrap()];
    let proxy = gleaner::Proxy::new(loaded, own).unwrap();
    proxy.set_config_lookup(gleaner::config::Lookup { places: vec![place], named: false });
    proxy
}

async fn until_switched_off(proxy: &gleaner::Proxy) {
    until("it is switched off", async || !proxy.config().rewrite.enabled).await;
}

#[tokio::test]
async fn a_file_that_appears_in_a_new_folder_takes_effect() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("new/gleaner/config.yaml");
    let proxy = without_a_file(place.clone());
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy), |_| {}));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(&place, "rewrite: { enabled: false }").unwrap();
    until_switched_off(&proxy).await;
    // The name of the file follows its settings.
    until("it is named", async || proxy.config_file().is_some()).await;
    assert_eq!(proxy.config_file(), Some(place));
}

#[tokio::test]
async fn a_change_of_a_links_target_takes_effect() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("dotfiles/gleaner.yaml");
    std::fs::create_dir(target.parent().unwrap()).unwrap();
    std::fs::write(&target, "rewrite: { enabled: true }").unwrap();
    let place = dir.path().join("config.yaml");
    std::os::unix::fs::symlink("dotfiles/gleaner.yaml", &place).unwrap();
    let proxy = without_a_file(place);
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy), |_| {}));
    std::fs::write(&target, "rewrite: { enabled: false }").unwrap();
    until_switched_off(&proxy).await;
}

#[test]
fn a_save_that_brings_other_files_to_watch_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    let list = dir.path().join("hosts.txt");
    std::fs::write(&list, "ads.example\n").unwrap();
    std::fs::write(&file, "listen: 0\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .arg("--config")
        .arg(&file)
        .env_remove("RUST_LOG")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until = |words: &str| {
        let found = log.find(|line| line.as_ref().is_ok_and(|line| line.contains(words)));
        found.unwrap_or_else(|| panic!("the log ended without {words:?}"))
    };
    // The watch is open before anyone is told so.
    until("listening").unwrap();
    let config = format!("listen: 0\nblocking: {{ lists: [{}] }}\n", list.display());
    std::fs::write(&file, config).unwrap();
    until("configuration reloaded").unwrap();
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(asked.unwrap().success());
    let rest: Vec<_> = log.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success());
    let again = rest.iter().filter(|line| line.contains("reloaded")).count();
    assert_eq!(again, 0, "{rest:?}");
}

/// The test has one thread for the proxy and for its client, as a machine of one processor has.
#[tokio::test]
async fn requests_are_answered_while_long_lists_are_compiled() {
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("list.txt");
    let rules = |first: usize| -> String {
        let rule = |number| format!("||host{number}.example^$script,third-party\n/path{number}/*$image\n");
        (first..first + 40_000).map(rule).collect()
    };
    std::fs::write(&list, rules(0)).unwrap();
    let proxy = TestProxy::start(&format!("blocking: {{ lists: ['{}'] }}", list.display())).await;
    let in_force = || proxy.proxy.blocker().lists()[0].counts.requests;
    let before = in_force();
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    std::fs::write(&list, rules(0) + &rules(40_000)).unwrap();
    let started = std::time::Instant::now();
    let mut longest = Duration::ZERO;
    while in_force() == before {
        let asked = std::time::Instant::now();
        assert_eq!(get(&proxy, "http://gleaner.internal/", &[]).await.status, 200);
        longest = longest.max(asked.elapsed());
        assert!(started.elapsed() < Duration::from_mins(1), "the change takes effect");
    }
    let took = started.elapsed();
    eprintln!("the longest wait of a request in a reload of {took:?}: {longest:?}");
    // Everything but the pause before the file is read would be one wait.
    assert!(longest < took / 3, "{longest:?} of {took:?}");
}
