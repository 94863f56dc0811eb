//! Rewritten pages in a real browser: headless Chromium, which trusts the proxy's authority as a person's browser would.

use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::Browser,
    links::{button, link},
    origin::html,
};

/// The page of the README's pictures: an article among menus, advertisements and a cookie dialog.
const DEMO: &str = include_str!("../../../docs/demo/page.html");

fn is_the_article_without_its_clutter(dom: &str) {
    for kept in [
        "<h1>The night ferry still runs</h1>",
        "Every night at ten to twelve a bell rings",
        "in the same careful hand.",
        "<td>2,914</td>",
        "<figcaption>The <i>Marten</i> leaves",
        // The removed menu is still within reach.
        "</bdi></summary>",
        ">Weather</a>",
    ] {
        assert!(dom.contains(kept), "{kept:?} is missing in {dom}");
    }
    for gone in [
        "doubleclick",
        "<script",
        "MEGA SALE",
        "412 partners",
        "onclick",
        // The page's script adds this class; nobody may have run it.
        "class=\" js\"",
    ] {
        assert!(!dom.contains(gone), "{gone:?} is still in {dom}");
    }
}

#[tokio::test]
async fn a_plain_page_is_shown_without_its_clutter() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let origin = Origin::http(|_| html(DEMO)).await;
    let proxy = TestProxy::start("").await;
    let dom = browser.dom(&proxy, origin.url("/page")).await;
    is_the_article_without_its_clutter(&dom);
    let seen = origin.requests();
    let page = seen.iter().find(|seen| seen.uri == "/page").unwrap();
    assert_eq!(page.headers["sec-fetch-dest"], "document");
    proxy.stop().await;
}

#[tokio::test]
async fn an_intercepted_page_is_shown_without_its_clutter_and_without_a_warning() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(DEMO)).await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let Some(()) = browser.trust("gleaner", &proxy.ca_file()) else {
        return;
    };
    let dom = browser.dom(&proxy, origin.https_url("/page")).await;
    is_the_article_without_its_clutter(&dom);
    proxy.stop().await;
}

#[tokio::test]
async fn the_link_to_the_page_as_it_was_leads_there() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let origin = Origin::http(|_| html(DEMO)).await;
    let proxy = TestProxy::start("").await;
    let dom = browser.dom(&proxy, origin.url("/page?x=1")).await;
    let dom = browser.dom(&proxy, link(&dom, "gleaner.internal/original?")).await;
    let dom = browser.dom(&proxy, button(&dom)).await;
    assert!(dom.contains("MEGA SALE"), "{dom}");
    assert!(dom.contains("class=\" js\""), "its scripts run: {dom}");
    let seen = origin.requests();
    let asked: Vec<_> = seen.iter().map(|seen| seen.uri.to_string()).collect();
    assert_eq!(asked.iter().filter(|uri| *uri == "/page?x=1").count(), 2, "{asked:?}");
    let page = origin.url("/page?x=1");
    let mut referers = seen.iter().filter_map(|seen| seen.headers.get("referer"));
    assert!(referers.all(|referer| *referer == page), "{seen:?}");
    proxy.stop().await;
}

#[tokio::test]
async fn the_original_style_keeps_the_pages_own_head() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let origin = Origin::http(|_| html(DEMO)).await;
    let proxy = TestProxy::start("filters: { output: { style: original } }").await;
    let dom = browser.dom(&proxy, origin.url("/page")).await;
    is_the_article_without_its_clutter(&dom);
    assert!(dom.contains(".story{flex:3 1 320px"), "{dom}");
    assert!(dom.contains("data-gleaner=\"main\""), "{dom}");
    proxy.stop().await;
}
