//! What pages load on which nothing is blocked: also what does not name them.

use super::{at_localhost, with_list};
use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::Browser,
    client::connect,
    get,
    origin::{html, response},
};

/// `127.0.0.1` is a site on which nothing is blocked, `ads.localhost` a server of advertisements, `localhost` one of frames and
/// style sheets that is none.
const RULES: &str = "||ads.localhost^\n";

async fn is_blocked(proxy: &TestProxy, url: &str, fields: &[(&str, &str)]) -> bool {
    get(proxy, url, fields).await.header("gleaner") == "blocked"
}

#[tokio::test]
async fn what_a_frame_or_a_style_sheet_of_an_excepted_page_loads_belongs_to_it() {
    let of_site = "sites: [{ hosts: [127.0.0.1], profile: free }]\nprofiles: { free: { blocking: false } }\n";
    for (excepts, important, more) in
        [("except: [127.0.0.1], ", "", ""), ("", "@@||127.0.0.1^$document\n", ""), ("", "", of_site)]
    {
        let (_dir, settings) = with_list(&format!("{RULES}{important}"));
        let settings = settings + more;
        let origin = Origin::http(|_| response(&[], "from the origin")).await;
        let proxy = TestProxy::start(&settings.replace("lists:", &format!("{excepts}lists:"))).await;
        let ad = at_localhost(&origin, "/x").replace("//", "//ads.");
        let part = at_localhost(&origin, "/part");
        let from_part = [("referer", &*part), ("sec-fetch-dest", "image")];
        for kind in ["iframe", "style"] {
            let anna = ("user-agent", kind);
            assert!(is_blocked(&proxy, &ad, &[anna, from_part[0], from_part[1]]).await, "{kind}");
            assert!(
                !is_blocked(&proxy, &part, &[anna, ("referer", "http://127.0.0.1/"), ("sec-fetch-dest", kind)]).await
            );
            assert!(!is_blocked(&proxy, &ad, &[anna, from_part[0], from_part[1]]).await, "{kind}");
        }
        // Another browser was on no such page.
        assert!(is_blocked(&proxy, &ad, &[("user-agent", "Otto's"), from_part[0], from_part[1]]).await);
        proxy.stop().await;
    }
}

#[tokio::test]
async fn what_names_no_page_belongs_to_the_excepted_page_that_was_visited_just_now() {
    let (_dir, settings) = with_list(RULES);
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings.replace("lists:", "except: [127.0.0.1], lists:")).await;
    let ad = at_localhost(&origin, "/x").replace("//", "//ads.");
    let unknown = [("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "script")];
    assert!(is_blocked(&proxy, &ad, &unknown).await);
    assert!(!is_blocked(&proxy, &origin.url("/"), &[("sec-fetch-dest", "document")]).await);
    assert!(!is_blocked(&proxy, &ad, &unknown).await);
    let named = [("referer", "http://news.example/"), ("sec-fetch-dest", "script")];
    assert!(is_blocked(&proxy, &ad, &named).await, "another site is blocked as before");
    super::after_minutes(1).await;
    assert!(is_blocked(&proxy, &ad, &unknown).await);
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_of_an_excepted_page_is_opened() {
    let (_dir, settings) = with_list("||localhost^\n");
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "from the origin")).await;
    let proxy = TestProxy::trusting(&ca, &settings.replace("lists:", "except: [127.0.0.1], lists:")).await;
    let ad = format!("localhost:{}", origin.addr.port());
    let ask = format!("CONNECT {ad} HTTP/1.1\r\nHost: {ad}\r\n\r\n");
    assert!(crate::harness::raw(proxy.addr, &ask).await.starts_with("HTTP/1.1 403"));
    drop(connect(&proxy, &format!("127.0.0.1:{}", origin.addr.port())).await);
    drop(connect(&proxy, &ad).await);
    proxy.stop().await;
}

#[tokio::test]
async fn a_rule_that_spares_sites_blocks_nothing_where_no_page_is_known() {
    let (_dir, settings) = with_list("||localhost^$domain=~shop.example\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let url = at_localhost(&origin, "/x");
    for (fields, wanted) in [
        (vec![("sec-fetch-site", "cross-site")], false),
        (vec![("referer", "http://shop.example/")], false),
        (vec![("referer", "http://news.example/")], true),
        (vec![("accept", "application/zip")], false),
    ] {
        let fields = [vec![("sec-fetch-dest", "script")], fields].concat();
        let fields = if fields[1].0 == "accept" { &fields[1..] } else { &fields[..] };
        assert_eq!(is_blocked(&proxy, &url, fields).await, wanted, "{fields:?}");
    }
    proxy.stop().await;
}

/// A page that shows a frame and has a style sheet, both of another host, each of which loads an advertisement; and that says of itself
/// nothing.
#[tokio::test]
async fn chromium_loads_all_of_an_excepted_page() {
    let Some(browser) = Browser::find() else { return };
    let (_dir, settings) = with_list("/ad?\n");
    let origin = Origin::http(|seen| match seen.uri.path() {
        "/style.css" => response(&[("content-type", "text/css")], "body { background: url(/ad?style) }"),
        // The page's clock waits for pictures, and not for workers.
        "/frame" => html("<script>let is_done = false, held = 0; \
             const code = `fetch('${location.origin}/ad?worker').finally(() => postMessage(''))`; \
             new Worker(URL.createObjectURL(new Blob([code]))).onmessage = () => { is_done = true }; \
             const hold = () => { held += 1; if (!is_done && held < 500) { const next = new Image(); next.onerror = hold; \
             next.src = '/hold?' + held } }; hold()</script><img src='/ad?frame'>"),
        "/ad" => response(&[("content-type", "image/svg+xml"), ("access-control-allow-origin", "*")], "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        _ => response(&[], ""),
    })
    .await;
    let port = origin.addr.port();
    let news = Origin::http(move |seen| {
        let base = format!("http://localhost:{port}");
        let page = format!(
            "<!doctype html><link rel=stylesheet href='{base}/style.css'><iframe src='{base}/frame'></iframe>\
             <img src='{base}/ad?page'><img referrerpolicy=no-referrer src='{base}/ad?silent'><script>fetch('{base}/ad?fetch')</script>"
        );
        if seen.uri.path() == "/" { html(page) } else { response(&[], "") }
    })
    .await;
    let asked = async |settings: &str| {
        let proxy = TestProxy::start(&format!("{settings}rewrite: {{ enabled: false }}\n")).await;
        let before = origin.requests().len();
        browser.dom_after(std::time::Duration::from_secs(5), &proxy, news.url("/")).await;
        proxy.stop().await;
        let mut asked: Vec<_> = origin.requests()[before..]
            .iter()
            .filter(|seen| seen.uri.path() == "/ad")
            .map(|seen| seen.uri.query().unwrap().to_owned())
            .collect();
        asked.sort();
        asked
    };
    assert_eq!(asked(&settings).await, [""; 0]);
    let excepted = settings.replace("lists:", "except: [127.0.0.1], lists:");
    assert_eq!(asked(&excepted).await, ["fetch", "frame", "page", "silent", "style", "worker"]);
}
