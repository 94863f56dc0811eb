//! What lists of advertisements and trackers forbid: answered at once among requests, taken out of pages.

mod in_a_browser;
mod real_lists;

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use http::{Method, Request, StatusCode};
use http_body_util::Full;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{sleep, timeout},
};

use crate::{
    as_it_was::{button, link},
    harness::{
        Origin, TestCa, TestProxy,
        client::{Answer, run, send_h2},
        get,
        origin::{html, response},
        raw,
    },
};

/// `localhost` stands in for a server of advertisements, `127.0.0.1` for a news site.
const RULES: &str = "! rules\n||localhost^$third-party\n@@||localhost^*/allowed.js\n||localhost^*/important.js$important\n\
                     ||localhost^*/empty.txt$redirect=noop.txt\n/banner/$image\n$removeparam=utm_source\n##.ad-box\n127.0.0.1###own\n\
                     127.0.0.1#@#.kept-box\n##.kept-box\n";

/// A list in a folder of its own, and the settings that name it.
fn with_list(rules: &str) -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.txt"), rules).unwrap();
    let settings = format!("blocking: {{ lists: ['{0}/list.txt'], dir: '{0}' }}\n", dir.path().display());
    (dir, settings)
}

async fn from_page(proxy: &TestProxy, url: &str, kind: &str) -> Answer {
    get(proxy, url, &[("referer", "http://127.0.0.1/news"), ("sec-fetch-dest", kind)]).await
}

fn at_localhost(origin: &Origin, path: &str) -> String {
    format!("http://localhost:{}{path}", origin.addr.port())
}

#[tokio::test]
async fn a_forbidden_request_is_answered_at_once_in_its_own_type() {
    let (_dir, settings) = with_list(RULES);
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    for (path, kind, status, media, body) in [
        ("/x", "script", 200, "text/javascript", ""),
        ("/x", "style", 200, "text/css", ""),
        ("/x", "iframe", 200, "text/html", ""),
        ("/x", "empty", 204, "", ""),
        ("/x", "font", 204, "", ""),
        ("/important.js", "script", 200, "text/javascript", ""),
        ("/empty.txt", "empty", 200, "text/plain", ""),
        ("/allowed.js", "script", 200, "", "from the origin"),
    ] {
        let answer = from_page(&proxy, &at_localhost(&origin, path), kind).await;
        let media_type = answer.headers.get("content-type").map_or("", |value| value.to_str().unwrap());
        assert_eq!((answer.status.as_u16(), media_type, answer.text()), (status, media, body), "{path} {kind}");
    }
    let picture = from_page(&proxy, &at_localhost(&origin, "/x"), "image").await;
    assert!(picture.body.starts_with(b"GIF89a") && picture.header("gleaner") == "blocked");
    let own = from_page(&proxy, &origin.url("/banner/x"), "image").await;
    assert_eq!((own.header("cache-control"), own.header("content-type")), ("no-store", "image/gif"));
    // What a page does not ask for is judged by its host, and this host is forbidden to other sites only.
    for url in [at_localhost(&origin, "/x.js"), origin.url("/banner/x")] {
        assert_eq!(get(&proxy, &url, &[("accept", "*/*;q=0.5, application/zip")]).await.text(), "from the origin");
    }
    let shorter = get(&proxy, &origin.url("/a?utm_source=x&b=1"), &[("sec-fetch-dest", "document")]).await;
    assert_eq!((shorter.status.as_u16(), shorter.header("location")), (307, &*origin.url("/a?b=1")));
    assert_eq!(origin.requests().len(), 3);
    // What no person sees in the address bar loses them on the way.
    let fields = [("sec-fetch-dest", "iframe"), ("sec-fetch-site", "same-origin")];
    let frame = get(&proxy, &origin.url("/b?utm_source=x&b=1"), &fields).await;
    assert_eq!((frame.text(), &*origin.last().uri.to_string()), ("from the origin", "/b?b=1"));
    proxy.stop().await;
}

#[tokio::test]
async fn a_forbidden_page_says_why_and_leads_there_anyway() {
    let (_dir, settings) = with_list("||localhost^\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let url = at_localhost(&origin, "/page?x=1");
    let anna = ("user-agent", "Anna's");
    let page = get(&proxy, &url, &[anna, ("sec-fetch-dest", "document")]).await;
    assert_eq!(page.status, 403);
    assert!(page.text().contains("list.txt") && page.text().contains("||localhost^"), "{}", page.text());
    let question = get(&proxy, &link(page.text(), "gleaner.internal/original?"), &[anna]).await;
    assert!(origin.requests().is_empty());
    let answer = get(&proxy, &button(question.text()), &[anna]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, &*url));
    for (path, kind) in [("/page?x=1", "document"), ("/other", "document"), ("/x.js", "script")] {
        let there = get(&proxy, &at_localhost(&origin, path), &[anna, ("sec-fetch-dest", kind)]).await;
        assert_eq!(there.text(), "from the origin", "{path}");
    }
    let other = get(&proxy, &url, &[("user-agent", "Otto's"), ("sec-fetch-dest", "document")]).await;
    assert_eq!(other.status, 403);
    proxy.stop().await;
}

/// Moves the clock.
async fn after_minutes(minutes: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(minutes)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_forbidden_host_stays_open_while_its_pages_are_visited_and_not_for_what_others_load() {
    let (_dir, settings) = with_list("||localhost^\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let url = at_localhost(&origin, "/page");
    let page = get(&proxy, &url, &[("sec-fetch-dest", "document")]).await;
    let question = get(&proxy, &link(page.text(), "gleaner.internal/original?"), &[]).await;
    get(&proxy, &button(question.text()), &[]).await;
    let visit = async || get(&proxy, &url, &[("sec-fetch-dest", "document")]).await.status;
    for _ in 0..3 {
        after_minutes(6).await;
        assert_eq!(visit().await, 200);
    }
    // A page of another site loads something of it, and a tunnel is opened to it.
    after_minutes(6).await;
    assert_eq!(from_page(&proxy, &url, "script").await.text(), "from the origin");
    crate::harness::client::connect(&proxy, &format!("localhost:{}", origin.addr.port())).await;
    after_minutes(6).await;
    assert_eq!(visit().await, 403);
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_to_a_forbidden_host_is_refused_and_what_is_decrypted_is_answered() {
    let (_dir, settings) = with_list("||localhost^\n");
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "from the origin")).await;
    let target = format!("localhost:{}", origin.addr.port());
    let proxy = TestProxy::trusting(&ca, &settings).await;
    let answer = raw(proxy.addr, format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("||localhost^"), "{answer}");
    proxy.stop().await;

    let proxy = TestProxy::trusting(&ca, &format!("{settings}https: {{ intercept: on }}\n")).await;
    let request = Request::get(format!("https://{target}/x.js")).header("sec-fetch-dest", "script");
    let request = request.header("referer", "https://news.example/").body(Full::default()).unwrap();
    let answer = send_h2(&proxy, &target, request).await;
    assert_eq!((answer.status, answer.text()), (StatusCode::OK, ""));
    assert_eq!(answer.header("content-type"), "text/javascript");
    assert!(origin.requests().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn what_the_rules_hide_or_forbid_leaves_the_page() {
    let (_dir, settings) = with_list(RULES);
    let origin = Origin::http(|_| {
        html(
            "<!doctype html><title>News</title><main><p>The town clock has a single hand, and nobody minds.</p>\
             <div class='x ad-box'>Buy one</div><div id=own>Buy two</div><div class=kept-box>Not for sale</div>\
             <p><img src='/banner/1.gif' alt='Buy three'><iframe src='http://localhost/frame'></iframe>\
             <a href='http://localhost/'>a link</a></p></main>",
        )
    })
    .await;
    let chain =
        "filters: { order: [ad_servers], floor: { page_chars: 0, kept_chars: 0 }, output: { style: original } }\n";
    let proxy = TestProxy::start(&format!("{settings}{chain}")).await;
    let page = get(&proxy, &origin.url("/news"), &[]).await;
    for gone in ["Buy one", "Buy two", "Buy three", "iframe"] {
        assert!(!page.text().contains(gone), "{gone} in {}", page.text());
    }
    // To go to a page is no request of another page: the rule is for those.
    for kept in ["Not for sale", "a link", "a single hand"] {
        assert!(page.text().contains(kept), "{kept} is missing in {}", page.text());
    }
    let except = settings.replace("lists:", "except: [127.0.0.1], lists:");
    proxy.save(&format!("{except}{chain}"));
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert!(get(&proxy, &origin.url("/news"), &[]).await.text().contains("Buy one"));
    let by_list = settings.replace("lists:", "except_by_list: { LIST: [127.0.0.1] }, lists:");
    let list = by_list.split("lists: ['").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    proxy.save(&format!("{}{chain}", by_list.replace("LIST", &list)));
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert!(get(&proxy, &origin.url("/news"), &[]).await.text().contains("Buy one"));
    proxy.stop().await;
}

/// Waits until a request to the host is forbidden, or no longer.
async fn until_blocked(proxy: &TestProxy, wanted: bool) {
    let asking = async {
        while proxy.proxy.config().blocker.blocked_host("ads.example").is_some() != wanted {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), asking).await.expect("the change took effect");
}

fn gleaner(config: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.arg("--config").arg(config).args(words);
    command
}

#[tokio::test]
async fn lists_from_the_web_are_kept_up_to_date_and_a_bad_one_changes_nothing() {
    let many = |host: &str| format!("||7.{host}^\n").repeat(50) + "||ads.example^\n";
    let (first, second) = (many("one.example"), many("two.example"));
    let turn = std::sync::Mutex::new(0);
    let origin = Origin::http(move |seen| {
        let mut turn = turn.lock().unwrap();
        *turn += 1;
        let etag = seen.headers.get("if-none-match").map(|tag| tag.to_str().unwrap().to_owned());
        match (*turn, etag.as_deref()) {
            (1, None) => response(&[("etag", "\"1\"")], format!("! Expires: 4 days\n{first}")),
            (2, Some("\"1\"")) => status(304, ""),
            (3, Some("\"1\"")) => response(&[("etag", "\"2\"")], second.clone()),
            (4, Some("\"2\"")) => response(&[("etag", "\"3\"")], "||one.example^\n"),
            (5, Some("\"2\"")) => response(&[], "<!doctype html><p>Log in to this hotel"),
            (6, Some("\"2\"")) => status(500, "out of order"),
            _ => status(404, "an unexpected request"),
        }
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}/lists' }}\n", origin.url("/l.txt"), dir.path().display());
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();

    // The proxy starts without the list, fetches it, and takes it over.
    let proxy = TestProxy::start(&lists).await;
    until_blocked(&proxy, false).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::blocking::update::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    upkeep.abort();
    watch.abort();

    for (what, words) in [
        ("unchanged", "as it was"),
        ("changed", "new, 51 lines"),
        ("shrunk", "it shrank from 51 rules to 1"),
        ("no list", "what arrived is no list"),
        ("an error", "it answers 500"),
    ] {
        let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
        assert!(
            text.contains(words) && text.contains("51 rules for requests, 0 for elements, 0 refused"),
            "{what}: {text}"
        );
        assert_eq!(well, ["unchanged", "changed"].contains(&what), "{text}");
    }
    let (well, text) = run(gleaner(&config, &["lists", "status"])).await;
    assert!(well && text.contains("failed: ") && origin.requests().len() == 6, "{text}");
    // Without a network the copy from before is in use.
    drop(origin);
    let offline = gleaner::Config::from_yaml(&lists, None).unwrap();
    assert!(
        offline.blocker.blocked_host("7.two.example").is_some()
            && offline.blocker.blocked_host("one.example").is_none()
    );
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_that_never_came_is_asked_for_again_at_the_next_start() {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let origin = Origin::http(move |_| match turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => status(503, "not yet"),
        1 => response(&[("content-type", "text/html; charset=utf-8")], "||ads.example^\n"),
        _ => response(&[], "||ads.example^\n"),
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}' }}\n", origin.url("/l.txt"), dir.path().display());
    for asked in 1..=3 {
        let proxy = TestProxy::start(&lists).await;
        let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
        let upkeep = tokio::spawn(gleaner::blocking::update::maintain(Arc::clone(&proxy.proxy)));
        if asked == 3 {
            until_blocked(&proxy, true).await;
        } else {
            let asking = async {
                while origin.requests().len() < asked {
                    sleep(Duration::from_millis(20)).await;
                }
            };
            timeout(Duration::from_secs(20), asking).await.expect("each start asks again");
        }
        upkeep.abort();
        watch.abort();
        proxy.stop().await;
    }
    // A copy that was damaged is fetched whole, and not confirmed.
    let copy = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let copy = copy.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "txt")).unwrap();
    fs::write(&copy, "||ads.").unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(
        well && text.contains("new, 1 lines") && fs::read_to_string(&copy).unwrap() == "||ads.example^\n",
        "{text}"
    );
}

/// The folder cannot be made.
#[tokio::test]
async fn a_list_that_cannot_be_kept_is_used_from_memory_and_not_asked_for_at_once_again() {
    let origin = Origin::http(|_| response(&[], "||ads.example^\n")).await;
    let lists = format!("blocking: {{ lists: ['{}'], dir: /proc/gleaner/lists }}\n", origin.url("/l.txt"));
    let proxy = TestProxy::start(&lists).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::blocking::update::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    let config = proxy.proxy.config();
    let next = gleaner::blocking::update::next_fetch(&config, &config.blocker.lists()[0].source);
    assert!(next.is_some_and(|seconds| seconds > 3600), "{next:?}");
    upkeep.abort();
    watch.abort();
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_that_has_expired_is_fetched_again_and_one_that_has_not_is_not() {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let origin =
        Origin::http(move |seen| match (seen.uri.path(), turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            ("/old.txt", 2..) => response(&[], "||ads.example^\n"),
            _ => response(&[], "||other.example^\n"),
        })
        .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!(
        "blocking: {{ lists: ['{}', '{}'], dir: '{}' }}\n",
        origin.url("/new.txt"),
        origin.url("/old.txt"),
        dir.path().display()
    );
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();
    assert!(run(gleaner(&config, &["lists", "update"])).await.0);
    // As if two days had passed for one of them.
    let states = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let is_old = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "json") && path.to_string_lossy().contains("old.txt")
    };
    let state = states.into_iter().find(is_old).unwrap();
    let mut fetched: serde_json::Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    fetched["asked"] = (fetched["asked"].as_u64().unwrap() - 2 * 86_400 - 1).into();
    fs::write(&state, fetched.to_string()).unwrap();

    let proxy = TestProxy::start(&lists).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::blocking::update::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    let asked: Vec<_> = origin.requests().iter().map(|seen| seen.uri.to_string()).collect();
    assert_eq!(asked, ["/new.txt", "/old.txt", "/old.txt"]);
    upkeep.abort();
    watch.abort();
    proxy.stop().await;
}

#[tokio::test]
async fn an_update_on_a_terminal_shows_how_far_it_is() {
    let Some(script) = crate::harness::optional::program("script", "bsdutils") else { return };
    let origin = Origin::http(|_| response(&[], "||ads.example^\n")).await;
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    let lists = ["/1.txt", "/2.txt"].map(|path| format!("'{}'", origin.url(path))).join(", ");
    let yaml =
        format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\nblocking: {{ lists: [{lists}], dir: lists }}\n");
    fs::write(&config, yaml).unwrap();
    let mut command = Command::new(script);
    let update = format!("{} --config {} lists update", env!("CARGO_BIN_EXE_gleaner"), config.display());
    command.args(["-qec", &update, "/dev/null"]);
    let (well, text) = run(command).await;
    assert!(well, "{text}");
    for bar in [format!("[{}] 0 of 2: ", ".".repeat(20)), format!("[{}{}] 1 of 2: ", "#".repeat(10), ".".repeat(10))] {
        assert!(text.contains(&bar), "{bar} is missing in {text:?}");
    }
    let (_, plain) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(!plain.contains("of 2: "), "{plain}");
}

#[tokio::test]
async fn why_names_the_list_and_the_rule_of_what_was_hidden() {
    let (_dir, settings) = with_list("127.0.0.1##.ad-box\n");
    let page = format!(
        "<!doctype html><title>News</title><main>{}<div class=ad-box>Buy one</div></main>",
        "<p>The town clock has a single hand, and nobody in the town ever minded that it points between the numbers."
            .repeat(9)
    );
    let origin = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(&settings).await;
    let shown = get(&proxy, &origin.url("/news"), &[]).await;
    let why = get(&proxy, &crate::controls::control(&shown, "Why"), &[]).await;
    let named =
        why.text().split("data-gleaner-by=\"ad_servers\">ad_servers: ").nth(1).unwrap().split('<').next().unwrap();
    // Everybody may read it, so it has no folder of this machine.
    assert_eq!(named, "list.txt: 127.0.0.1##.ad-box");
    proxy.stop().await;
}

/// The program itself: what it logs is of the whole process.
#[tokio::test]
async fn a_list_that_has_changed_is_logged_as_that() {
    let (dir, settings) = with_list("||ads.example^\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("listen: 0\nauthority: {{ dir: ca }}\nlog: {{ level: info }}\n{settings}")).unwrap();
    let mut running = crate::harness::program::Running::start(gleaner(&config, &[]).current_dir(&dir));
    running.wait_for("to end it");
    let mut log = String::new();
    let mut until = |running: &mut crate::harness::program::Running, word: &str| {
        while !log.contains(word) {
            let mut byte = [0];
            assert_eq!(std::io::Read::read(running.stderr(), &mut byte).unwrap(), 1, "{word} is missing in {log}");
            log.push(byte[0].into());
        }
    };
    fs::write(dir.path().join("list.txt"), "||ads.example^\n||more.example^\n").unwrap();
    until(&mut running, "a list or the pause of blocking has changed, and is in force");
    fs::write(&config, format!("listen: 0\nauthority: {{ dir: ca }}\nlog: {{ level: info }}\n# x\n{settings}"))
        .unwrap();
    until(&mut running, "configuration reloaded");
    assert_eq!(log.matches("configuration reloaded").count(), 1, "{log}");
}

#[tokio::test]
async fn a_local_list_is_read_whatever_its_comments_are_written_in_and_never_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hosts.txt"), b"# f\xfcr Werbung\n0.0.0.0 ads.example\n||bad.example^$csp=x\n||\n")
        .unwrap();
    let pipe = dir.path().join("pipe.txt");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let config = dir.path().join("config.yaml");
    fs::write(&config, "blocking: { lists: [hosts.txt, pipe.txt] }\n").unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "status", "--verbose"])).await;
    for line in [
        "1 rules for requests, 0 for elements, 2 refused",
        "    ||: it would match every address",
        "not a regular file",
    ] {
        assert!(well && text.contains(line), "{line} is missing in {text}");
    }
    assert!(text.contains("    ||bad.example^$csp=x: a policy for the page ($csp)"), "{text}");
}

fn status(code: u16, text: &'static str) -> http::Response<Full<bytes::Bytes>> {
    let mut answer = response(&[], text);
    *answer.status_mut() = StatusCode::from_u16(code).unwrap();
    answer
}

#[tokio::test]
async fn a_pause_of_all_devices_is_set_by_another_process_and_ends_by_itself() {
    let (dir, settings) = with_list("||ads.example^\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let proxy = TestProxy::start(&settings).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::blocking::update::maintain(Arc::clone(&proxy.proxy)));
    assert!(run(gleaner(&config, &["pause", "10m"])).await.0);
    until_blocked(&proxy, false).await;
    assert!(run(gleaner(&config, &["pause", "off"])).await.0);
    until_blocked(&proxy, true).await;
    // It ends by itself.
    assert!(run(gleaner(&config, &["pause", "2s"])).await.0);
    until_blocked(&proxy, false).await;
    until_blocked(&proxy, true).await;

    watch.abort();
    upkeep.abort();
    proxy.stop().await;
}

/// What another device gets: this one asks from another address of loopback.
async fn from_elsewhere(proxy: &TestProxy, url: &str) -> String {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut stream = socket.connect(proxy.addr).await.unwrap();
    let request = format!("GET {url} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_device_pauses_blocking_for_itself_in_requests_and_in_pages() {
    let (_dir, settings) = with_list("||localhost^\n##.ad-box\n");
    let page = "<!doctype html><title>News</title><main><p>The town clock has a single hand.<div class=ad-box>Buy one</div></main>";
    let origin = Origin::http(move |_| response(&[("content-type", "text/html"), ("etag", "\"1\"")], page)).await;
    let proxy =
        TestProxy::start(&format!("{settings}filters: {{ floor: {{ page_chars: 0, kept_chars: 0 }} }}\n")).await;
    let url = origin.url("/news");
    let before = get(&proxy, &url, &[]).await;
    assert!(!before.text().contains("Buy one"), "{}", before.text());

    let question = get(&proxy, "http://gleaner.internal/pause", &[]).await;
    let address = format!("http://gleaner.internal{}", link(question.text(), "for=30m"));
    let forged = address.split("token=").next().unwrap().to_owned() + "token=0123456789abcdef";
    assert!(get(&proxy, &forged, &[]).await.text().contains("Pause blocking"));
    assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[]).await.status, 403);
    for wrong in ["for=9999h", "for=abc"] {
        let answer = get(&proxy, &address.replace("for=30m", wrong), &[]).await;
        assert!(
            answer.text().contains("Pause blocking") && !answer.text().contains("The pause ends"),
            "{}",
            answer.text()
        );
    }
    assert!(get(&proxy, &address, &[]).await.text().contains("Blocking is paused on this device"));
    let state = get(&proxy, "http://gleaner.internal/pause", &[]).await;
    assert!(state.text().contains("Paused for another 30 min."), "{}", state.text());

    assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[]).await.status, 200);
    // The copy from before is not confirmed.
    let paused = get(&proxy, &url, &[("if-none-match", before.header("etag"))]).await;
    assert!(paused.status == 200 && paused.text().contains("Buy one"), "{}", paused.text());
    let other = from_elsewhere(&proxy, &at_localhost(&origin, "/x")).await;
    assert!(other.starts_with("HTTP/1.1 403"), "{other}");
    assert!(!from_elsewhere(&proxy, &url).await.contains("Buy one"));

    get(&proxy, &format!("http://gleaner.internal{}", link(question.text(), "for=off")), &[]).await;
    assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[]).await.status, 403);
    proxy.stop().await;
}

#[tokio::test]
async fn a_profile_can_block_nothing() {
    let (_dir, settings) = with_list("||localhost^\n##.ad-box\n");
    let page = "<!doctype html><title>News</title><main><p>The town clock has a single hand.<div class=ad-box>Buy one</div></main>";
    let ca = TestCa::new();
    let origin = Origin::http(move |_| html(page)).await;
    let encrypted = Origin::https(&ca, |_| response(&[], "from the origin")).await;
    let yaml = format!(
        "{settings}filters: {{ floor: {{ page_chars: 0, kept_chars: 0 }} }}\nprofiles: {{ free: {{ blocking: false }} }}\n\
         devices: [{{ user_agents: [Free/], profile: free }}]\n"
    );
    let proxy = TestProxy::trusting(&ca, &yaml).await;
    for (agent, status, shows) in [("Free/1", 200, true), ("Other/1", 403, false)] {
        let agent = ("user-agent", agent);
        assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[agent]).await.status, status);
        let script = [agent, ("referer", "http://127.0.0.1/news"), ("sec-fetch-dest", "script")];
        let script = get(&proxy, &at_localhost(&origin, "/x.js"), &script).await;
        assert_eq!(script.header("gleaner") == "blocked", !shows);
        let shown = get(&proxy, &origin.url("/news"), &[agent, ("accept", "text/html")]).await;
        assert_eq!(shown.text().contains("Buy one"), shows, "{}", shown.text());
        let target = format!("localhost:{}", encrypted.addr.port());
        let mut tunnel = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nUser-Agent: {}\r\n\r\n", agent.1);
        tunnel.write_all(request.as_bytes()).await.unwrap();
        let mut head = [0; 12];
        tunnel.read_exact(&mut head).await.unwrap();
        assert_eq!(std::str::from_utf8(&head).unwrap(), format!("HTTP/1.1 {status}"));
    }
    proxy.stop().await;
}

#[tokio::test]
async fn an_exception_for_a_page_holds_for_what_the_page_loads() {
    let (_dir, settings) = with_list("||localhost^\n@@||127.0.0.1^$document\n##.ad-box\n");
    let page = "<!doctype html><title>News</title><main><p>The town clock has a single hand.<div class=ad-box>Buy one</div></main>";
    let origin = Origin::http(move |_| html(page)).await;
    let proxy =
        TestProxy::start(&format!("{settings}filters: {{ floor: {{ page_chars: 0, kept_chars: 0 }} }}\n")).await;
    let script = async |name: &str, from: &str| {
        let fields = [(name, from), ("sec-fetch-dest", "script")];
        get(&proxy, &at_localhost(&origin, "/x.js"), &fields).await.header("gleaner").to_owned()
    };
    for (name, from, is_blocked) in [
        ("referer", "http://127.0.0.1/", false),
        ("origin", "http://127.0.0.1", false),
        ("referer", "http://news.example/", true),
        ("origin", "http://news.example", true),
    ] {
        assert_eq!(script(name, from).await == "blocked", is_blocked, "{name}: {from}");
    }
    assert!(get(&proxy, &origin.url("/news"), &[]).await.text().contains("Buy one"));
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_that_is_missing_is_an_error_of_check_config_and_the_start_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(&config, "blocking: { lists: [builtin, my-hosts.txt] }\nauthority: { dir: ca }\n").unwrap();
    let (well, text) = run(gleaner(&config, &["check-config"])).await;
    assert!(!well && text.contains("blocking.lists: cannot read") && text.contains("my-hosts.txt"), "{text}");
    let mut running = crate::harness::program::Running::start(
        gleaner(&config, &["serve", "--listen", "127.0.0.1:0"]).current_dir(&dir),
    );
    running.wait_for("proxy ");
    let (_, log) = running.end();
    assert!(log.contains("a list of `blocking.lists` is not in use") && log.contains("my-hosts.txt"), "{log}");
}

#[tokio::test]
async fn explain_names_the_rule_that_removes_parameters_or_keeps_them() {
    let (dir, settings) = with_list("$removeparam=cid\n@@||agoda.example^$removeparam\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let (well, text) = run(gleaner(&config, &["explain", "http://shop.example/?cid=1&q=2"])).await;
    assert!(
        well && text.contains("to http://shop.example/?q=2\nrule       ")
            && text.contains("list.txt: $removeparam=cid"),
        "{text}"
    );
    let (_, text) = run(gleaner(&config, &["explain", "http://agoda.example/?cid=1"])).await;
    assert!(text.contains("let through") && text.contains("@@||agoda.example^$removeparam"), "{text}");
}

#[tokio::test]
async fn explain_says_what_becomes_of_a_tunnel_and_of_a_connection_that_is_opened() {
    let (dir, settings) = with_list("||exc.example^\n@@||exc.example/ok.js\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let explain = async |url: &str| run(gleaner(&config, &["explain", url, "--page", "https://news.example/"])).await.1;
    let text = explain("https://exc.example/ok.js").await;
    let (tunnel, opened) = text.split_once("where a browser trusts the certificate").unwrap();
    assert!(
        tunnel.contains("decision   blocked: the tunnel is refused") && tunnel.contains("||exc.example^"),
        "{text}"
    );
    assert!(opened.contains("decision   let through") && opened.contains("@@||exc.example/ok.js"), "{text}");
    let plain = explain("http://exc.example/x.js").await;
    assert!(!plain.contains("the tunnel is refused") && plain.contains("decision   blocked"), "{plain}");
    fs::write(&config, format!("{settings}https: {{ intercept: on }}\n")).unwrap();
    let text = explain("https://exc.example/ok.js").await;
    assert!(!text.contains("decision   blocked") && text.contains("decision   let through"), "{text}");
}

#[tokio::test]
async fn a_form_that_is_sent_is_never_redirected() {
    let (_dir, settings) = with_list("$removeparam=utm_source\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let mut request = Request::new(Full::from("a=1"));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = origin.url("/send?utm_source=x").parse().unwrap();
    let answer = crate::harness::send(&proxy, request).await;
    assert_eq!((answer.text(), origin.last().uri.to_string().as_str()), ("from the origin", "/send?utm_source=x"));
    proxy.stop().await;
}
