//! The panel's figures, requests and pauses, the metrics for Prometheus, and the notice of a newer version.

use std::time::Duration;

use tokio::{io::AsyncReadExt, net::TcpStream, time::timeout};

use super::{ARTICLE, PANEL, hidden, post};
use crate::harness::{
    Origin, POLL_INTERVAL, TestProxy,
    client::run,
    get, optional,
    origin::html,
    program::{Program, Running},
    raw,
    webdriver::Window,
    wire::until,
};

#[tokio::test]
async fn it_counts_what_was_done_and_forgets_addresses_within_sites() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("filters: { floor: { kept_chars: 1 } }").await;
    get(&proxy, &origin.url("/secret-path?secret=query"), &[("cookie", "secret=cookie")]).await;
    get(&proxy, "http://ads.propellerads.net/x.js", &[("referer", "http://news.example/")]).await;
    let overview = get(&proxy, PANEL, &[]).await;
    for shown in [
        "<dt>pages rewritten</dt><dd>1</dd>",
        "<dt>requests blocked</dt><dd><a href=\"/panel/requests?what=blocked&amp;when=today\">1</a></dd>",
        "propellerads.net",
        "this machine",
    ] {
        assert!(overview.text().contains(shown), "{shown}: {}", overview.text());
    }
    let requests = get(&proxy, &format!("{PANEL}/requests"), &[]).await;
    assert!(requests.text().contains("rewritten: 100% of the text kept"), "{}", requests.text());
    assert!(
        !requests.text().contains("secret") && !requests.text().contains("gleaner.internal:"),
        "{}",
        requests.text()
    );
    let one = get(&proxy, &format!("{PANEL}/requests?host=propeller&device=127.0.0.1"), &[]).await;
    assert!(one.text().contains("blocked by") && !one.text().contains("rewritten:"), "{}", one.text());
    // By the page that asked, too.
    let asked_by = get(&proxy, &format!("{PANEL}/requests?host=news.example&what=blocked"), &[]).await;
    assert!(
        asked_by.text().contains("propellerads.net") && asked_by.text().contains(" for news.example"),
        "{}",
        asked_by.text()
    );
    for none in ["device=192.0.2.1", "host=elsewhere.example", "host=propeller&device=192.0.2.1"] {
        let other = get(&proxy, &format!("{PANEL}/requests?{none}"), &[]).await;
        assert!(!other.text().contains("<td"), "{none}: {}", other.text());
    }
    proxy.stop().await;
}

#[tokio::test]
async fn requests_appear_as_they_come() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("").await;
    let mut live = TcpStream::connect(proxy.addr).await.unwrap();
    let ask = "GET http://gleaner.internal/panel/requests/live?host=127 HTTP/1.1\r\nHost: x\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut live, ask.as_bytes()).await.unwrap();
    let mut seen = String::new();
    let read = async |live: &mut TcpStream, seen: &mut String, wanted: &str| {
        let mut bytes = [0; 4096];
        while !seen.contains(wanted) {
            let count = timeout(Duration::from_secs(20), live.read(&mut bytes)).await.expect(wanted).unwrap();
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    };
    read(&mut live, &mut seen, "text/event-stream").await;
    get(&proxy, "http://ads.propellerads.net/x.js", &[]).await;
    get(&proxy, &origin.url("/"), &[]).await;
    read(&mut live, &mut seen, "</tr>").await;
    assert!(seen.contains("data: <tr>") && seen.contains("127.0.0.1") && !seen.contains("propellerads"), "{seen}");
    // It does not hold up the end of the program.
    timeout(Duration::from_secs(5), proxy.stop()).await.unwrap();

    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&format!("{PANEL}/requests?host=127.0.0.1")).await;
    window.until("document.querySelector('[role=status]')?.textContent.startsWith('New')").await;
    get(&proxy, &origin.url("/"), &[]).await;
    window.until("document.querySelectorAll('#requests tbody tr').length > 0").await;
    window.click("main button[type=button]").await;
    assert!(window.text().await.contains("Paused."));
    // What comes meanwhile is there afterwards.
    get(&proxy, &origin.url("/meanwhile"), &[]).await;
    window.click("main button[type=button]").await;
    window.until("document.querySelectorAll('#requests tbody tr').length > 1").await;
    window.until("document.querySelector('[role=status]')?.textContent.startsWith('New')").await;
    proxy.stop().await;
    window.until("document.querySelector('[role=status]').textContent.includes('broken')").await;
}

#[tokio::test]
async fn what_is_remembered_of_a_device_is_forgotten() {
    let proxy = TestProxy::start("").await;
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let Some(()) =
        crate::harness::client::curl(&proxy, &[&crate::https::device_trust::check(&proxy).await]).await.map(drop)
    else {
        return;
    };
    let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    assert!(health.text().contains("Forget 127.0.0.1"), "{}", health.text());
    let form = [("token", &*hidden(&health, "token")), ("device", "127.0.0.1")];
    assert_eq!(post(&proxy, "/panel/forget", &form, &[]).await.status, 303);
    let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    assert!(health.text().contains("None has shown yet"), "{}", health.text());
}

#[tokio::test]
async fn blocking_is_paused_on_all_devices_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let proxy = TestProxy::start(&format!("blocking: {{ dir: '{}' }}", dir.path().display())).await;
    let watch = tokio::spawn(gleaner::reload::watch(std::sync::Arc::clone(&proxy.proxy), |_| {}));
    let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    let token = hidden(&health, "token");
    for (length, words) in [("30m", "Nothing is blocked for another 30 min."), ("off", "Pause blocking")] {
        assert_eq!(post(&proxy, "/panel/pause", &[("token", &token), ("for", length)], &[]).await.status, 303);
        let is_paused = || proxy.proxy.blocker().paused_until().is_some();
        until("it is taken over", async || is_paused() == (length == "30m")).await;
        let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
        assert!(health.text().contains(words), "{}", health.text());
        let answer = get(&proxy, "http://ads.propellerads.net/x.js", &[("sec-fetch-dest", "script")]).await;
        assert_eq!(answer.header("gleaner") == "blocked", length == "off");
    }
    watch.abort();
}

#[tokio::test]
async fn metrics_are_bounded_and_readable() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("filters: { floor: { kept_chars: 1 } }").await;
    get(&proxy, &origin.url("/"), &[]).await;
    get(&proxy, &origin.url("/"), &[("x-requested-with", "XMLHttpRequest")]).await;
    let metrics = get(&proxy, "http://gleaner.internal/metrics", &[("accept", "application/openmetrics-text")]).await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    for line in [
        "gleaner_pages_rewritten_total 1\n",
        "gleaner_pages_passed_total{reason=\"fetched-by-script\"} 1\n",
        "gleaner_requests_total{route=\"forward\",status=\"2xx\"} 2\n",
        "gleaner_page_added_seconds_bucket{le=\"+Inf\"} 1\n",
        "gleaner_list_rules{list=\"builtin\"} ",
        "# EOF\n",
    ] {
        assert!(metrics.text().contains(line), "{line}: {}", metrics.text());
    }
    assert!(!metrics.text().contains("127.0.0.1"), "{}", metrics.text());
    for path in ["healthz", "readyz"] {
        assert_eq!(get(&proxy, &format!("http://gleaner.internal/{path}"), &[]).await.text(), "ok\n");
    }
}

/// A real Prometheus asks for the figures, and each query of the dashboard has an answer.
#[tokio::test]
async fn prometheus_reads_the_metrics_and_the_dashboard_shows_them() {
    let (Some(program), Some(promtool)) =
        (optional::program("prometheus", "prometheus"), optional::program("promtool", "prometheus"))
    else {
        return;
    };
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("filters: { floor: { kept_chars: 1 } }").await;
    let work = async || {
        get(&proxy, &origin.url("/"), &[]).await;
        // A family with labels is there once it has a sample.
        get(&proxy, &origin.url("/"), &[("x-requested-with", "XMLHttpRequest")]).await;
    };
    work().await;
    let dir = tempfile::tempdir().unwrap();
    let metrics = get(&proxy, "http://gleaner.internal/metrics", &[]).await;
    std::fs::write(dir.path().join("metrics"), &metrics.body).unwrap();
    let mut check = std::process::Command::new("sh");
    check.arg("-c").arg(format!("{} check metrics < {}/metrics", promtool.display(), dir.path().display()));
    assert_eq!(run(check).await, (true, String::new()));

    let settings =
        "global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: g, static_configs: [{ targets: ['PROXY'] }] }]";
    std::fs::write(dir.path().join("p.yml"), settings.replace("PROXY", &proxy.addr.to_string())).unwrap();
    // It cannot choose a free port and say which.
    let addr = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = std::process::Command::new(program);
    command.args([
        format!("--config.file={}/p.yml", dir.path().display()),
        format!("--storage.tsdb.path={}/data", dir.path().display()),
        format!("--web.listen-address={addr}"),
        "--log.level=error".to_owned(),
    ]);
    let _running = Running::start(&mut command);
    let dashboard: serde_json::Value = serde_json::from_str(include_str!("../../../contrib/grafana.json")).unwrap();
    let targets = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut queries: Vec<_> =
        targets.map(|target| target["expr"].as_str().unwrap().replace("$__rate_interval", "20s")).collect();
    assert!(queries.len() > 20, "{queries:?}");
    let answered = async |query: &str| {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let answer = get(&proxy, &format!("http://{addr}/api/v1/query?query={query}"), &[]).await;
        let found: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let values = found["data"]["result"].as_array().cloned().unwrap_or_default();
        values.iter().any(|value| value["value"][1] != "NaN")
    };
    let asking = async {
        while let Some(query) = queries.last() {
            work().await;
            if answered(query).await {
                queries.pop();
            }
        }
    };
    let in_time = timeout(Duration::from_mins(1), asking).await;
    assert!(in_time.is_ok(), "without an answer: {queries:?}");
}

#[tokio::test]
async fn a_newer_version_is_told_if_the_publisher_has_signed_it() {
    const RELEASE: &str = "{ \"version\": \"9.0.0\", \"date\": \"2030-01-01\" }\n";
    let Some(minisign) = optional::program("minisign", "minisign") else { return };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("latest.json"), RELEASE).unwrap();
    // As `contrib/release.sh` signs, with a key that has no password.
    for arguments in ["-G -W -s secret -p public", "-S -l -s secret -m latest.json"] {
        let mut command = std::process::Command::new(&minisign);
        command.args(arguments.split(' ')).current_dir(dir.path());
        let (succeeded, output) = run(command).await;
        assert!(succeeded, "{output}");
    }
    let made = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let key = made("public").lines().nth(1).unwrap().to_owned();
    let signature = made("latest.json.minisig");
    let origin = Origin::http(move |request| match request.uri.path() {
        "/latest.json" => html(RELEASE),
        "/changed.json" => html(RELEASE.replace("9.0.0", "9.1.0")),
        _ => html(signature.clone()),
    })
    .await;
    for (file, is_told) in [("/latest.json", true), ("/changed.json", false)] {
        let yaml = format!("update: {{ check: true, url: '{}', key: {key} }}\n", origin.url(file));
        let program = Program::start("sh", "", &yaml);
        let health = format!("GET {PANEL}/health HTTP/1.1\r\nHost: gleaner.internal\r\nConnection: close\r\n\r\n");
        let signature = format!("{file}.minisig");
        let done = async {
            loop {
                let is_fetched = origin.requests().iter().any(|request| request.uri.path() == signature);
                let answer = raw(program.addr, &health).await;
                assert!(answer.starts_with("HTTP/1.1 200 ") && !answer.contains("9.1.0"), "{answer}");
                if answer.contains("There is a newer one: 9.0.0") || is_fetched && !is_told {
                    break answer;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        let answer = timeout(Duration::from_secs(20), done).await.unwrap();
        assert_eq!(answer.contains("9.0.0"), is_told);
    }
}
