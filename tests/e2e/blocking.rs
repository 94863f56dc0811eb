//! What lists of advertisements and trackers forbid: answered at once among requests, taken out of pages.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use http::{Method, Request, StatusCode};
use http_body_util::Full;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::{
    as_it_was::{button, link},
    browser::Browser,
    harness::{
        Origin, TestCa, TestProxy,
        client::{Answer, run, send_h2},
        get, optional,
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

fn status(code: u16, text: &'static str) -> http::Response<Full<bytes::Bytes>> {
    let mut answer = response(&[], text);
    *answer.status_mut() = StatusCode::from_u16(code).unwrap();
    answer
}

#[tokio::test]
async fn a_pause_is_set_by_another_process_and_on_the_proxys_page() {
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

    let page = get(&proxy, "http://gleaner.internal/pause", &[]).await;
    let address = format!("http://gleaner.internal{}", link(page.text(), "for=30m"));
    let forged = address.split("token=").next().unwrap().to_owned() + "token=0123456789abcdef";
    assert!(get(&proxy, &forged, &[]).await.text().contains("Pause blocking"));
    until_blocked(&proxy, true).await;
    assert!(get(&proxy, &address, &[]).await.text().contains("Blocking is paused"));
    until_blocked(&proxy, false).await;
    let start = get(&proxy, "http://gleaner.internal/settings", &[]).await;
    assert!(start.text().contains("paused for another 30 minutes"), "{}", start.text());
    watch.abort();
    upkeep.abort();
    proxy.stop().await;
}

/// `EasyList`, `EasyPrivacy` and uBlock Origin's own lists, as Debian has them, under their names in a folder.
fn real_lists() -> Option<TempDir> {
    let assets = Path::new("/usr/share/chromium/extensions/ublock-origin/assets");
    if !assets.is_dir() {
        optional::skip("the lists are not installed: apt install webext-ublock-origin-chromium");
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    for (from, name) in [
        ("thirdparties/easylist/easylist.txt", "easylist"),
        ("thirdparties/easylist/easyprivacy.txt", "easyprivacy"),
        ("ublock/filters.min.txt", "ublock-filters"),
        ("ublock/privacy.min.txt", "ublock-privacy"),
        ("ublock/unbreak.min.txt", "ublock-unbreak"),
    ] {
        fs::copy(assets.join(from), dir.path().join(format!("{name}.txt"))).unwrap();
    }
    // These lists hide nothing on pages of this machine, where the test's own are.
    fs::write(dir.path().join("own.txt"), "127.0.0.1##.sponsored-ad\n127.0.0.1###ad_banner\n").unwrap();
    Some(dir)
}

fn settings_of(dir: &TempDir) -> String {
    let names = "easylist, easyprivacy, ublock-filters, ublock-privacy, ublock-unbreak";
    format!("blocking: {{ lists: [{names}, '{0}/own.txt'], update: false, dir: '{0}' }}\n", dir.path().display())
}

/// A request, and the list with the rule that decides, or what else is said.
const DECISIONS: [(&str, &str, &str, &str); 18] = [
    (
        "https://securepubads.g.doubleclick.net/tag/js/gpt.js",
        "https://www.zdnet.com/a",
        "script",
        "blocked ublock-privacy",
    ),
    (
        "https://www.google-analytics.com/analytics.js",
        "https://www.zdnet.com/a",
        "script",
        "blocked easyprivacy: .google-analytics.com/",
    ),
    (
        "https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js",
        "https://www.zdnet.com/a",
        "script",
        "blocked easylist",
    ),
    ("https://connect.facebook.net/en_US/fbevents.js", "https://www.zdnet.com/a", "script", "blocked easyprivacy"),
    (
        "https://cdn.taboola.com/libtrc/x/loader.js",
        "https://www.zdnet.com/a",
        "script",
        "blocked easyprivacy: ||taboola.com^$third-party",
    ),
    ("https://cdn.taboola.com/libtrc/x/loader.js", "https://www.taboola.com/", "script", "let through"),
    (
        "https://www.zdnet.com/ad/ad_common.js",
        "https://www.zdnet.com/a",
        "script",
        "blocked easylist: /ad/ad_common.js$script",
    ),
    ("https://www.zdnet.com/ad/ad_common.js", "https://www.zdnet.com/a", "image", "let through"),
    ("https://sb.scorecardresearch.com/beacon.js", "https://www.zdnet.com/a", "script", "blocked easyprivacy"),
    ("https://code.jquery.com/jquery-3.7.1.min.js", "https://www.zdnet.com/a", "script", "let through"),
    (
        "https://upload.wikimedia.org/wikipedia/commons/a/a9/Example.jpg",
        "https://de.wikipedia.org/wiki/A",
        "image",
        "let through",
    ),
    ("https://www.youtube.com/embed/x", "https://www.zdnet.com/a", "subdocument", "let through"),
    (
        "https://2mdn.net/instream/html5/ima3.js",
        "https://www.zdnet.com/a",
        "script",
        "exception easylist: @@||2mdn.net/instream/html5/ima3.js",
    ),
    ("https://2mdn.net/instream/html5/ima3.js", "https://www.example.com/a", "script", "blocked easylist"),
    (
        "https://sstats.bitdefender.com/x",
        "https://www.zdnet.com/a",
        "xmlhttprequest",
        "blocked easyprivacy: ||sstats.bitdefender.com^$xhr,redirect=noop.txt,important with text/plain",
    ),
    (
        "https://ad.doubleclick.net/ddm/x",
        "https://ad.doubleclick.net/ddm/x",
        "document",
        "blocked easylist: ||ad.doubleclick.net^",
    ),
    ("https://www.taboola.com/", "https://www.zdnet.com/a", "document", "let through"),
    (
        "https://www.reddit.com/r/rust/?correlation_id=5&a=1",
        "https://x.example/",
        "document",
        "to https://www.reddit.com/r/rust/?a=1",
    ),
];

#[test]
fn real_lists_decide_as_their_authors_meant() {
    use gleaner::blocking::{Verdict, Wanted};
    let Some(dir) = real_lists() else { return };
    let config = gleaner::Config::from_yaml(&settings_of(&dir), None).unwrap();
    for (list, requests, elements) in
        [(0, 45_000, 20_000), (1, 45_000, 10), (2, 4_000, 12_000), (3, 500, 100), (4, 1_500, 300)]
    {
        let list = &config.blocker.lists()[list];
        let counts = list.counts;
        assert!(counts.requests > requests && counts.elements > elements, "{} {counts:?}", list.source);
        // `$popup`, scripts to run in the page and filters of the source: what a proxy has no use for, or cannot do.
        assert!(counts.refused * 3 < counts.requests + counts.elements, "{} {counts:?}", list.source);
    }
    // The second time from the file of compiled rules.
    let again = gleaner::Config::from_yaml(&settings_of(&dir), None).unwrap();
    let names = || gleaner_filters::Names {
        classes: ["sponsored-ad", "story"].map(str::to_owned).into(),
        ..Default::default()
    };
    let page = "https://news.example/".parse().unwrap();
    let hiding = gleaner_filters::Blocker::hiding(&*again.blocker, &page, &names).unwrap();
    assert!(hiding.common.unwrap().texts().any(|text| text == "a[href^=\"https://ad.doubleclick.net/\"]"));
    assert_eq!(hiding.own, [".sponsored-ad"]);
    for (url, page, kind, wanted) in DECISIONS {
        let request = || Wanted::new(url.parse().unwrap(), Some(page.parse().unwrap()), kind);
        let verdict = again.blocker.judge(&request());
        assert_eq!(verdict, config.blocker.judge(&request()), "{url}");
        let said = match verdict {
            Verdict::Free => "let through".to_owned(),
            Verdict::Excepted { exception, .. } => format!("exception {exception}"),
            Verdict::Shortened(to) => format!("to {to}"),
            Verdict::Blocked { rule, instead: None } => format!("blocked {rule}"),
            Verdict::Blocked { rule, instead: Some((kind, _)) } => format!("blocked {rule} with {kind}"),
        };
        assert!(said.starts_with(wanted), "{url} on {page} as {kind}: {said}, not {wanted}");
    }
}

#[tokio::test]
async fn explain_names_the_rule_and_the_list() {
    let Some(dir) = real_lists() else { return };
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("{}access: {{ clients: [loopback, 192.168.1.0/24] }}\n", settings_of(&dir))).unwrap();
    let url = "https://2mdn.net/instream/html5/ima3.js";
    let words = ["explain", url, "--page", "https://www.zdnet.com/a", "--client", "192.168.1.7"];
    let (well, text) = run(gleaner(&config, &words)).await;
    for line in [
        "profile    desktop",
        "decision   let through",
        "rule       easylist: ||2mdn.net^",
        "exception  easylist: @@||2mdn.net/instream/html5/ima3.js",
    ] {
        assert!(well && text.contains(line), "{line} is missing in {text}");
    }
    let (well, text) = run(gleaner(&config, &["explain", "https://www.20min.ch/"])).await;
    assert!(well && text.contains("decision   let through: no rule of") && text.contains("elements   "), "{text}");
}

/// A news page as its publisher sends it: with scripts, pictures and frames of servers of advertisements and trackers, for which
/// the test's own server stands in, and boxes around them.
const NEWS: &str = "<!doctype html><title>News</title><main><h1>The clock</h1><p>The town clock has a single hand, and nobody minds. \
    Every night at ten to twelve a bell rings, and the ferry leaves in the dark, as it has done for a hundred years.</p>\
    <img src='/photo.jpg'><img src='/ad728.png'><img src='/ad-choices.png'>\
    <div class='x sponsored-ad'>Buy now</div><div id='ad_banner'>Buy later</div>\
    <iframe src='/banner/html/zone?zid=1'></iframe></main>\
    <script src='/app.js'></script><script src='/ad_728.js'></script><script src='/fbevents.js'></script>\
    <script>fetch('/adunit/track-view')</script>";

/// What a browser asks the news site for, and the page that it shows.
async fn visit(browser: &Browser, settings: &str) -> (Vec<String>, String) {
    let origin = Origin::http(|request| match request.uri.path() {
        "/news" => html(NEWS),
        path if path.rsplit('.').next() == Some("js") => {
            response(&[("content-type", "text/javascript")], "document.title += ' x'")
        }
        _ => response(&[("content-type", "text/plain")], "."),
    })
    .await;
    let proxy = TestProxy::start(settings).await;
    let dom = browser.dom(&proxy, origin.url("/news")).await;
    proxy.stop().await;
    let mut paths: Vec<String> = origin.requests().iter().map(|seen| seen.uri.path().to_owned()).collect();
    paths.sort();
    paths.retain(|path| path != "/favicon.ico");
    (paths, dom)
}

#[tokio::test]
async fn a_browser_asks_for_less_and_shows_no_holes() {
    let (Some(browser), Some(dir)) = (Browser::find(), real_lists()) else { return };
    let plain = "rewrite: { enabled: false }\n";
    let (asked, dom) = visit(&browser, &format!("{plain}blocking: {{ enabled: false }}\n")).await;
    let everything = [
        "/ad-choices.png",
        "/ad728.png",
        "/ad_728.js",
        "/adunit/track-view",
        "/app.js",
        "/banner/html/zone",
        "/fbevents.js",
        "/news",
        "/photo.jpg",
    ];
    assert_eq!(asked, everything);
    assert!(dom.contains("<title>News x x x</title>"), "{dom}");
    // The pages as they are: only requests are blocked.
    let (asked, dom) = visit(&browser, &format!("{plain}{}", settings_of(&dir))).await;
    assert_eq!(asked, ["/app.js", "/news", "/photo.jpg"]);
    assert!(dom.contains("<title>News x</title>"), "only the page's own script has run: {dom}");
    // With the chain, what would be a hole is gone.
    let chain =
        "filters: { order: [ad_servers], floor: { page_chars: 0, kept_chars: 0 }, output: { style: original } }\n";
    let (asked, dom) = visit(&browser, &format!("{chain}{}", settings_of(&dir))).await;
    assert_eq!(asked, ["/app.js", "/news", "/photo.jpg"]);
    for gone in ["Buy now", "Buy later", "ad728", "<iframe"] {
        assert!(!dom.contains(gone), "{gone} in {dom}");
    }
    assert!(dom.contains("a single hand") && dom.contains("/photo.jpg"), "{dom}");
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
