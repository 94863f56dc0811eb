//! The panel: who may open it, what it shows, and what it changes.

mod access;
mod control_host;
mod control_pages;
mod household;
mod settings;
mod start_page;
mod watching;

use std::{fs, path::PathBuf, sync::Arc};

use http::Request;
use http_body_util::Full;
use serde_json::json;

use crate::harness::{Origin, TestProxy, client::Answer, get, optional, origin::html, send, webdriver::Window};

const PANEL: &str = "http://gleaner.internal/panel";

/// A configuration as a person writes it.
const WRITTEN: &str = "# At home\n\
    access: { allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535'] } # tests\n\
    authority: { dir: authority }\n\n\
    filters:\n  # what goes\n  ignore:\n    comments: true # always\n  floor: { kept_chars: 1 }\n\
    sites:\n  # the bank\n  - { hosts: [bank.example], profile: off } # never\n";

const ARTICLE: &str = "<!doctype html><title>Clocks</title><main><h1>Clocks</h1><p>The clock of the town has a single hand, and \
    nobody ever minded that.<p><img src=/clock.png alt='the clock' width=300 height=200><p>It is wound each morning.</main>";

/// A proxy whose file is this one, and which follows it.
async fn with_file() -> (TestProxy, PathBuf) {
    let proxy = TestProxy::start("").await;
    let file = proxy.proxy.config_file().unwrap();
    fs::write(&file, WRITTEN).unwrap();
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert_eq!(proxy.proxy.reload_error(), None);
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    (proxy, file)
}

/// The value of a hidden field.
pub(crate) fn hidden(page: &Answer, name: &str) -> String {
    let (_, rest) =
        page.text().split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{}", page.text()));
    rest.split('"').next().unwrap().to_owned()
}

/// Sends a form of the panel, with these fields of the header.
pub(crate) async fn post(proxy: &TestProxy, path: &str, form: &[(&str, &str)], fields: &[(&str, &str)]) -> Answer {
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let mut request = Request::post(format!("http://gleaner.internal{path}"));
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    send(proxy, request.body(Full::from(form)).unwrap()).await
}

#[tokio::test]
async fn lynx_reads_it() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("").await;
    get(&proxy, &origin.url("/"), &[]).await;
    for (path, words) in [
        ("panel", &["Gleaner Overview", "pages rewritten", "this machine", "127.0.0.1"][..]),
        ("panel/requests", &["What happened", "127.0.0.1", "GET 200"]),
        ("panel/devices", &["this machine"]),
        ("panel/device?address=127.0.0.1", &["YouTube", "Safe search"]),
        ("panel/health", &["of at most 4096 connections", "builtin"]),
        ("settings/ignore", &["Scripts", "Commit", "Cancel"]),
        ("settings/site?host=a.example", &["Never touch this site"]),
    ] {
        let Some(lynx) = optional::program("lynx", "lynx") else { return };
        let home = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(lynx);
        command.args(["-dump", "-nolist", "-width=72"]).env("http_proxy", proxy.url()).env("HOME", home.path());
        let (_, text) = crate::harness::client::run({
            command.arg(format!("http://gleaner.internal/{path}"));
            command
        })
        .await;
        for word in words {
            assert!(text.contains(word), "{path}: {word}: {text}");
        }
        assert!(!text.contains("{margin") && !text.contains("function"), "{text}");
    }
}

/// Nothing serious, at the width of a small phone and of a desk, and nothing wider than the window.
#[tokio::test]
async fn axe_finds_nothing_serious() {
    let (proxy, _) = with_file().await;
    let origin = Origin::http(|_| html(ARTICLE)).await;
    get(&proxy, &origin.url("/"), &[]).await;
    let Some(window) = Window::open(&proxy).await else { return };
    let tabs = [
        "",
        "/ignore",
        "/advanced",
        "/output",
        "/lists",
        "/profiles",
        "/devices",
        "/sites",
        "/proxy",
        "/site?host=a.example",
    ];
    let settings = tabs.map(|tab| format!("settings{tab}"));
    for path in ["panel", "panel/requests", "panel/devices", "panel/device?address=127.0.0.1", "panel/health"]
        .map(str::to_owned)
        .into_iter()
        .chain(settings)
    {
        for (width, height) in [(1280, 800), (320, 640)] {
            window.resize(width, height).await;
            window.go(&format!("http://gleaner.internal/{path}")).await;
            window.run("document.querySelectorAll('details').forEach(part => part.open = true)").await;
            let rules = json!(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
            let Some(found) = window.barriers(rules).await else { return };
            assert_eq!(found, json!([]), "{path} at {width}");
            assert_eq!(window.overflow().await, 0, "{path} at {width} is wider than the window");
        }
    }
}
