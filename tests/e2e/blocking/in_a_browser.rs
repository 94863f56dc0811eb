//! Blocked requests in Chromium: scripts, frames and removed parameters.

use std::time::Duration;

use http::header;

use super::{at_localhost, with_list};
use crate::harness::{
    Origin, TestProxy,
    browsers::Browser,
    origin::{html, response},
};

/// By the page's clock, so that what scripts wait for has arrived.
const LATER: Duration = Duration::from_secs(10);

/// Answers scripts of other sites, with credentials, as an interface of a web site does.
fn interface(seen: &crate::harness::origin::Recorded) -> http::Response<http_body_util::Full<bytes::Bytes>> {
    let origin = seen.headers.get(header::ORIGIN).map_or("", |origin| origin.to_str().unwrap());
    let fields = [("access-control-allow-origin", origin), ("access-control-allow-credentials", "true")];
    response(&fields, format!("got [{}]", seen.uri.query().unwrap_or_default()))
}

#[tokio::test]
async fn scripts_that_follow_no_redirect_lose_parameters_too() {
    let Some(browser) = Browser::find() else { return };
    let (_dir, settings) = with_list("||localhost^$xhr,removeparam=sponsored\n||localhost^*/track\n");
    let api = Origin::http(interface).await;
    let url = at_localhost(&api, "/cred.json?sponsored=true&q=sofa");
    let page = format!(
        "<!doctype html><body><script>for (const [url, options] of [['{url}', {{credentials: 'include'}}], \
         ['{url}', {{redirect: 'error'}}], ['{url}', {{redirect: 'manual'}}], \
         ['{}', {{credentials: 'include', method: 'POST'}}]]) fetch(url, options).then(async answer => \
         document.body.append(`${{answer.status}} ${{await answer.text()}};`), error => document.body.append(error))</script>",
        at_localhost(&api, "/track"),
    );
    let news = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(&format!("{settings}rewrite: {{ enabled: false }}\n")).await;
    let dom = browser.dom_after(LATER, &proxy, news.url("/")).await;
    assert_eq!(dom.matches("200 got [q=sofa];").count(), 3, "{dom}");
    assert!(dom.contains("TypeError: Failed to fetch"), "what is forbidden fails: {dom}");
    proxy.stop().await;
}

#[tokio::test]
async fn a_blocked_frame_is_empty_also_where_browsers_do_not_name_its_kind() {
    let Some(browser) = Browser::find() else { return };
    let (_dir, settings) = with_list("||ads.example^\n");
    // To this host over plain HTTP, Chromium sends no `Sec-Fetch-Dest`.
    let news = Origin::http(|_| {
        html(
            "<!doctype html><body><script>const frame = document.createElement('iframe'); frame.src = 'http://ads.example/frame'; \
             frame.onload = () => document.body.append(`[${frame.contentDocument.documentElement?.innerText ?? 'empty'}]`); \
             document.body.append(frame)</script>",
        )
    })
    .await;
    let proxy = TestProxy::start(&format!("{settings}rewrite: {{ enabled: false }}\n")).await;
    let server = format!("--proxy-server={}", proxy.addr);
    // The test looks into the frame, which is of another origin.
    let looks_inside = ["--disable-web-security", "--disable-site-isolation-trials"];
    let options =
        [&looks_inside[..], &["--proxy-bypass-list=<-loopback>", "--virtual-time-budget=10000", &server]].concat();
    let dom = browser.dom_with(&options, news.url("/")).await;
    assert!(dom.contains("[empty]"), "{dom}");
    // As a page to go to, the same answer says why.
    let page = browser.dom_after(LATER, &proxy, "http://ads.example/frame".to_owned()).await;
    assert!(page.contains("This page is blocked") && page.contains("||ads.example^"), "{page}");
    proxy.stop().await;
}
