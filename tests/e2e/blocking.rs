//! Blocking lists: refused requests, hidden elements, exceptions, pauses, and what `explain` and `check-config` report.

mod excepted_pages;
mod failures;
mod in_a_browser;
mod passing_pages;
mod people;
mod real_lists;
mod spared_hosts;
mod upkeep;

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use http::{Method, Request, StatusCode};
use http_body_util::Full;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{sleep, timeout},
};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{Answer, curl_command, run, send_h2},
    get,
    links::{button, link},
    origin::{html, response},
    program::command,
    raw, send,
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
async fn a_forbidden_request_fails_at_once() {
    let (_dir, settings) = with_list(RULES);
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    for (path, kind, status, media, body) in [
        ("/x", "script", 403, "", ""),
        ("/x", "style", 403, "", ""),
        ("/x", "iframe", 200, "text/html", ""),
        ("/x", "empty", 403, "", ""),
        ("/x", "font", 403, "", ""),
        ("/important.js", "script", 403, "", ""),
        ("/empty.txt", "empty", 200, "text/plain", ""),
        ("/allowed.js", "script", 200, "", "from the origin"),
    ] {
        let answer = from_page(&proxy, &at_localhost(&origin, path), kind).await;
        let media_type = answer.headers.get("content-type").map_or("", |value| value.to_str().unwrap());
        assert_eq!((answer.status.as_u16(), media_type, answer.text()), (status, media, body), "{path} {kind}");
    }
    let picture = from_page(&proxy, &at_localhost(&origin, "/x"), "image").await;
    assert_eq!((picture.header("gleaner"), picture.header("cross-origin-resource-policy")), ("blocked", "same-origin"));
    let own = from_page(&proxy, &origin.url("/banner/x"), "image").await;
    assert_eq!((own.header("cache-control"), own.header("content-type")), ("no-store", ""));
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
    assert!(question.text().contains("list.txt: ||localhost^"), "{}", question.text());
    assert!(origin.requests().is_empty());
    // Any site may link to the question: it is asked about what is blocked only.
    let other =
        get(&proxy, "http://gleaner.internal/original?page=http%3A%2F%2Fgood.example%2F&blocked=1", &[anna]).await;
    assert!(!other.text().contains("anyway"), "{}", other.text());
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

#[tokio::test]
async fn a_forbidden_link_leads_on_and_is_opened_once() {
    let (_dir, settings) = with_list("||localhost^\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let url = at_localhost(&origin, "/click?id=1&url=https%3A%2F%2Fshop.example%2Fsofa%3Fx%3D1");
    let visit = async || get(&proxy, &url, &[("sec-fetch-dest", "document")]).await;
    let page = visit().await;
    assert!(page.text().contains("href=\"https://shop.example/sofa?x=1\""), "{}", page.text());
    let question = get(&proxy, &link(page.text(), "&once=1"), &[]).await;
    assert!(question.text().contains("Go there once?"), "{}", question.text());
    let answer = get(&proxy, &button(question.text()), &[]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, &*url));
    let part = get(&proxy, &at_localhost(&origin, "/x.js"), &[("sec-fetch-dest", "script")]).await;
    assert_eq!(part.status, 403);
    assert_eq!(visit().await.text(), "from the origin");
    assert_eq!(visit().await.status, 403);
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
    crate::harness::client::connect(&proxy, &origin.host_and_port()).await;
    after_minutes(6).await;
    assert_eq!(visit().await, 403);
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_to_a_forbidden_host_is_refused_and_what_is_decrypted_is_answered() {
    let (_dir, settings) = with_list("||localhost^\n");
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "from the origin")).await;
    let target = origin.host_and_port();
    let proxy = TestProxy::trusting(&ca, &settings).await;
    let answer = raw(proxy.addr, format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("||localhost^"), "{answer}");
    proxy.stop().await;

    let proxy = TestProxy::trusting(&ca, &format!("{settings}https: {{ intercept: on }}\n")).await;
    let request = Request::get(format!("https://{target}/x.js")).header("sec-fetch-dest", "script");
    let request = request.header("referer", "https://news.example/").body(Full::default()).unwrap();
    let answer = send_h2(&proxy, &target, request).await;
    assert_eq!((answer.status, answer.text()), (StatusCode::FORBIDDEN, ""));
    assert!(origin.requests().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_for_tunnels_forbids_no_request_that_is_seen() {
    let (dir, settings) = with_list("||localhost^$third-party\n");
    fs::write(dir.path().join("dns.txt"), "||localhost^\n").unwrap();
    let lists = format!(
        "blocking: {{ tunnel_lists: [builtin, '{}/dns.txt'], rules: ['@@||own.localhost^'], except: [kept.localhost],",
        dir.path().display()
    );
    let settings = settings.replace("blocking: {", &lists);
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "from the origin")).await;
    let proxy = TestProxy::trusting(&ca, &settings).await;
    let connect = async |host: &str| {
        let target = format!("{host}:{}", origin.addr.port());
        let mut stream = tokio::net::TcpStream::connect(proxy.addr).await.unwrap();
        stream.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes()).await.unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        head.ends_with(b"403")
    };
    assert!(connect("localhost").await && connect("sub.localhost").await);
    assert!(!connect("own.localhost").await, "an own rule opens it");
    assert!(!connect("kept.localhost").await, "`blocking.except` opens it");
    // In clear, or decrypted, only the other lists say what is forbidden.
    let plain = Origin::http(|_| response(&[], "from the origin")).await;
    assert_eq!(get(&proxy, &at_localhost(&plain, "/x"), &[]).await.text(), "from the origin");
    let names: Vec<_> = proxy.proxy.blocker().lists().iter().map(|list| list.source.to_string()).collect();
    assert!(names.iter().any(|name| name.ends_with("dns.txt")), "it is kept up to date: {names:?}");
    proxy.stop().await;
    let proxy = TestProxy::trusting(&ca, &format!("{settings}https: {{ intercept: on }}\n")).await;
    let target = origin.host_and_port();
    let request = Request::get(format!("https://{target}/x")).body(Full::default()).unwrap();
    assert_eq!(send_h2(&proxy, &target, request).await.text(), "from the origin");
    proxy.stop().await;

    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let text = run(gleaner(&config, &["explain", "https://localhost/"])).await.1;
    assert!(text.contains("the tunnel is refused") && text.contains("dns.txt: "), "{text}");
    fs::write(&config, settings.replace("dns.txt", "missing.txt")).unwrap();
    let (well, text) = run(gleaner(&config, &["check-config"])).await;
    assert!(!well && text.contains("blocking.tunnel_lists: cannot read") && text.contains("missing.txt"), "{text}");
}

#[tokio::test]
async fn explain_says_until_when_a_service_is_blocked() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(
        &config,
        "access: { lan: true }\nprofiles: { kids: { blocking: { services: [tiktok@always, youtube@bed], schedule: { bed: '00:00-24:00' } } } }\n\
         devices: [{ clients: [192.168.1.20], profile: kids }]\n",
    )
    .unwrap();
    let explain = async |url: &str, client: &str| run(gleaner(&config, &["explain", url, "--client", client])).await.1;
    let text = explain("https://www.tiktok.com/", "192.168.1.20").await;
    for said in [
        "blocking   by the profile kids",
        "service    tiktok is blocked, always",
        "decision   blocked: the service is not open",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let text = explain("https://i.ytimg.com/x.jpg", "192.168.1.20").await;
    assert!(text.contains("service    youtube is blocked, ") && text.contains("decision   blocked"), "{text}");
    let text = explain("https://www.tiktok.com/", "192.168.1.21").await;
    assert!(!text.contains("is blocked, ") && !text.contains("the service is not open"), "{text}");
}

/// curl takes an answer before the end of its upload for an error where the stream is reset with anything but `NO_ERROR`.
#[tokio::test]
async fn an_upload_to_a_forbidden_host_is_answered_over_http2_too() {
    let (dir, settings) = with_list("||localhost^\n");
    let upload = dir.path().join("upload");
    fs::write(&upload, vec![b'x'; 400_000]).unwrap();
    let proxy = TestProxy::trusting(&TestCa::new(), &format!("{settings}https: {{ intercept: on }}\n")).await;
    let data = format!("@{}", upload.display());
    for _ in 0..8 {
        let arguments =
            ["--http2", "-e", "https://news.example/", "-H", "sec-fetch-dest: empty", "--data-binary", &data];
        let written = ["-w", "%{http_version} %{response_code}", "https://localhost:1443/beacon"];
        let Some(command) = curl_command(&proxy, &[&arguments[..], &written].concat()) else { return };
        let (well, text) = run(command).await;
        assert!(well && text == "2 403", "{text}");
    }
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
        while proxy.proxy.blocker().blocked_host("ads.example").is_some() != wanted {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), asking).await.expect("the change took effect");
}

fn gleaner(config: &Path, words: &[&str]) -> Command {
    let mut command = command(config.parent().unwrap(), &["--config"]);
    command.arg(config).args(words);
    command
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
    let why = get(&proxy, &crate::harness::links::control(&shown, "Why"), &[]).await;
    let named =
        why.text().split("data-gleaner-by=\"ad_servers\">ad_servers: ").nth(1).unwrap().split('<').next().unwrap();
    // Everybody may read it, so it has no folder of this machine.
    assert_eq!(named, "list.txt: 127.0.0.1##.ad-box");
    proxy.stop().await;
}

#[tokio::test]
async fn a_pause_of_all_devices_is_set_by_another_process_and_ends_by_itself() {
    let (dir, settings) = with_list("||ads.example^\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let proxy = TestProxy::start(&settings).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
    assert!(run(gleaner(&config, &["pause", "10m"])).await.0);
    until_blocked(&proxy, false).await;
    assert!(run(gleaner(&config, &["pause", "off"])).await.0);
    until_blocked(&proxy, true).await;
    // It ends by itself.
    assert!(run(gleaner(&config, &["pause", "2s"])).await.1.contains("nothing is blocked for 2 s"));
    until_blocked(&proxy, false).await;
    until_blocked(&proxy, true).await;

    watch.abort();
    upkeep.abort();
    proxy.stop().await;
}

/// The response to another device: the request comes from another address of loopback.
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

/// The address of the form with these words.
fn action(page: &str, words: &str) -> String {
    let mut actions = page.split("action=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    format!("http://gleaner.internal{}", actions.find(|action| action.contains(words)).expect("a form"))
}

async fn press(proxy: &TestProxy, address: &str) -> Answer {
    send(proxy, Request::post(address).body(Full::default()).unwrap()).await
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
    let address = action(question.text(), "for=30m");
    let forged = address.split("token=").next().unwrap().to_owned() + "token=0123456789abcdef";
    for wrong in [forged, address.replace("for=30m", "for=9999h"), address.replace("for=30m", "for=abc")] {
        assert_eq!(press(&proxy, &wrong).await.status, 403, "{wrong}");
    }
    // What a browser loads again does nothing.
    assert!(get(&proxy, &address, &[]).await.text().contains("Pause blocking"));
    assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[]).await.status, 403);
    let pressed = press(&proxy, &address).await;
    assert_eq!((pressed.status.as_u16(), pressed.header("location")), (303, "/pause"));
    let state = get(&proxy, "http://gleaner.internal/pause", &[]).await;
    assert!(state.text().contains("Paused for another 30 min."), "{}", state.text());

    assert_eq!(get(&proxy, &at_localhost(&origin, "/x"), &[]).await.status, 200);
    // The copy from before is not confirmed.
    let paused = get(&proxy, &url, &[("if-none-match", before.header("etag"))]).await;
    assert!(paused.status == 200 && paused.text().contains("Buy one"), "{}", paused.text());
    let other = from_elsewhere(&proxy, &at_localhost(&origin, "/x")).await;
    assert!(other.starts_with("HTTP/1.1 403"), "{other}");
    assert!(!from_elsewhere(&proxy, &url).await.contains("Buy one"));

    press(&proxy, &action(question.text(), "for=off")).await;
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
        let target = encrypted.host_and_port();
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
    fs::write(
        dir.path().join("program.bin"),
        [b"\x7fELF\x01".repeat(9), b"\nhttp\n||a.example^\n\0\n".to_vec()].concat(),
    )
    .unwrap();
    let lists =
        "blocking: { lists: [builtin, my-hosts.txt, easylist.to/list.txt, program.bin] }\nauthority: { dir: ca }\n";
    fs::write(&config, lists).unwrap();
    let (well, text) = run(gleaner(&config, &["check-config"])).await;
    for line in [
        "config.yaml:1:30: blocking.lists: cannot read",
        "config.yaml:1:44: blocking.lists: cannot read",
        "did you mean `https://easylist.to/list.txt`? expected the file of a list",
        "config.yaml:1:66: blocking.lists: ",
        "it is no list: 3 of its 4 lines are no rules; expected the file of a list",
    ] {
        assert!(!well && text.contains(line), "{line} is missing in {text}");
    }
    let mut running = crate::harness::program::Running::start(
        gleaner(&config, &["serve", "--listen", "127.0.0.1:0"]).current_dir(&dir),
    );
    running.wait_for("proxy ");
    let (_, log) = running.end();
    assert!(log.contains("a list for blocking is not in use") && log.contains("my-hosts.txt"), "{log}");
}

#[tokio::test]
async fn explain_names_the_rule_that_removes_parameters_or_keeps_them() {
    let (dir, settings) = with_list("$removeparam=cid\n@@||agoda.example^$removeparam\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, &settings).unwrap();
    let (_, text) = run(gleaner(&config, &["explain", "wss://shop.example/live"])).await;
    assert!(text.contains("write https://shop.example/live and --kind websocket"), "{text}");
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
