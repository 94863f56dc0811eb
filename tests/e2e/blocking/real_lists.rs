//! The lists of `EasyList` and uBlock Origin, as Debian has them: the decisions, the pages, and what a browser asks for.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::gleaner;
use crate::harness::{
    Origin, TestProxy,
    browsers::Browser,
    client::run,
    optional,
    origin::{html, response},
};

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

/// Lines with the kind of a request, its address, the page, and how it is decided: by which rule of which list.
const DECISIONS: &str = include_str!("decisions.txt");

#[test]
fn real_lists_decide_as_their_authors_meant() {
    use gleaner::blocking::{BlockingRequest, Verdict};
    let Some(dir) = real_lists() else { return };
    let config = gleaner::LoadedConfig::from_yaml(&settings_of(&dir), None).unwrap();
    for (list, requests, elements) in
        [(0, 45_000, 20_000), (1, 45_000, 1), (2, 4_000, 5_000), (3, 500, 5), (4, 1_500, 150)]
    {
        let list = &config.blocker.lists()[list];
        let counts = list.counts;
        assert!(counts.requests > requests && counts.elements > elements, "{} {counts:?}", list.source);
        // Among those of EasyList are pop-ups and selectors for browsers; of uBlock Origin's lists most are scripts.
        assert!(counts.refused < 11_000, "{} {counts:?}", list.source);
    }
    // The second time from the file of compiled rules.
    let again = gleaner::LoadedConfig::from_yaml(&settings_of(&dir), None).unwrap();
    let names = || gleaner_filters::Names {
        classes: ["sponsored-ad", "story"].map(str::to_owned).into(),
        ..Default::default()
    };
    let page = "https://news.example/".parse().unwrap();
    let hiding = gleaner_filters::Blocker::hiding(&*again.blocker, &page, &names).unwrap();
    assert!(hiding.common.unwrap().texts().any(|text| text == "a[href^=\"https://ad.doubleclick.net/\"]"));
    assert_eq!(hiding.own, [".sponsored-ad"]);
    for line in DECISIONS.lines() {
        let mut words = line.splitn(4, ' ');
        let mut next = || words.next().unwrap();
        let (kind, url, page, wanted) = (next(), next(), next(), next());
        let request = || BlockingRequest::new(url.parse().unwrap(), Some(page.parse().unwrap()), kind);
        let verdict = again.blocker.judge(&request());
        assert_eq!(verdict, config.blocker.judge(&request()), "{url}");
        let said = match verdict {
            Verdict::Allowed => "let through".to_owned(),
            Verdict::Excepted { exception, .. } => format!("exception {exception}"),
            Verdict::ParamsRemoved { to, .. } => format!("to {to}"),
            Verdict::Blocked { rule, instead: None } => format!("blocked {rule}"),
            Verdict::Blocked { rule, instead: Some((kind, _)) } => format!("blocked {rule} with {kind}"),
        };
        assert!(said.starts_with(wanted), "{line}, and not {said}");
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
        "decision   let through: no rule forbids the host, and nothing else is seen in a tunnel",
        "decision   let through\n",
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

/// The requests of a browser to the news site, and the page that it shows.
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
