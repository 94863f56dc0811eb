//! The bar of a rewritten page in Chromium and in lynx: it can be seen, reached and followed, and shows what it says.

use std::process::Command;

use serde_json::json;

use super::bar_links::page;
use crate::harness::{
    Origin, TestProxy, browsers::Browser, client::run, links::link, optional, origin::html, webdriver::Window,
    wire::until,
};

#[tokio::test]
async fn in_chromium_each_link_of_the_bar_shows_its_view_and_no_script_runs() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    for (links, shown, hidden) in [
        (&["Less"][..], "The clock has", "Imprint"),
        (&["Less", "Why"], "foot of the page", "outside the main block"),
        (&["Why", "Page"], "The clock has", "foot of the page"),
        (&["Next block"], "Original", "The clock has"),
        (&["More"], "The clock has", "nothing"),
        (&["Text"], "The clock has", "Imprint"),
        (&["Text", "Page"], "more", "Imprint"),
        (&["Text", "Why", "Text"], "The clock has", "Imprint"),
        (&["Never on this site"], "Never take the clutter", "The clock has"),
    ] {
        window.go(&origin.url("/page")).await;
        for link in links {
            window.follow(link).await;
        }
        let text = window.text().await;
        assert!(text.contains(shown) && !text.contains(hidden), "{links:?}: {text}");
        assert_eq!(window.run("return document.scripts.length").await, 0, "{links:?}");
    }
    let was_asked = |path: &str| origin.requests().iter().any(|seen| seen.uri == path);
    assert!(origin.requests().iter().all(|seen| ["/page", "/favicon.ico"].contains(&seen.uri.path())));
    window.go(&origin.url("/page")).await;
    window.follow("Original").await;
    window.follow("Show it").await;
    assert!(window.text().await.contains("Imprint"));
    window.until("document.scripts.length == 1").await;
    until("its script runs", async || was_asked("/ran")).await;
    // The way back. While a page loads, Chromium may take it for the end of that loading.
    window.until("document.readyState == 'complete'").await;
    window.run("history.back()").await;
    window.until("document.body.innerText.includes('Show it without clutter')").await;
    window.follow("Show it without clutter").await;
    window
        .until("document.querySelector('nav#gleaner-controls') && !document.body.innerText.includes('Imprint')")
        .await;
}

/// A page of another site, and one of the same that passes with its script, send the browser to a link of the bar.
#[tokio::test]
async fn in_chromium_another_site_cannot_follow_a_link_of_the_bar() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    // With a token for this browser: it is the referring page that is wrong.
    let dom = browser.dom(&proxy, origin.url("/page")).await;
    let why = link(&dom, "0.0.why.");
    let hostile = Origin::http(move |_| {
        let mut page = html(format!("<!doctype html><title>x</title><script>location = '{why}'</script>"));
        *page.status_mut() = http::StatusCode::FORBIDDEN;
        page
    })
    .await;
    let dom = browser.dom(&proxy, hostile.url("/")).await;
    assert!(dom.contains("The clock has") && !dom.contains("Tree of "), "{dom}");
    proxy.stop().await;
}

#[tokio::test]
async fn the_bar_can_be_read_and_followed_in_lynx() {
    let Some(lynx) = optional::program("lynx", "lynx") else {
        return;
    };
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let dump = async |address: String, arguments: &[&str]| {
        let mut command = Command::new(&lynx);
        command.env("http_proxy", proxy.url()).env("no_proxy", "").args(["-dump", "-width=100"]).args(arguments);
        command.arg(address);
        let (well, text) = run(command).await;
        assert!(well, "{text}");
        text
    };
    let text = dump(origin.url("/page"), &["-nolist"]).await;
    assert!(text.contains("127.0.0.1 Original · Aa · "), "{text}");
    let bar = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        bar.contains("· Less if too much is shown · Next block if this is the wrong part of the page · Why what"),
        "{bar}"
    );
    let links = dump(origin.url("/page"), &["-listonly"]).await;
    let why = links.split_whitespace().find(|link| link.contains("0.0.why.")).unwrap();
    let why = dump(why.to_owned(), &["-nolist"]).await;
    assert!(why.contains("main_block: outside the main block Imprint"), "{why}");
    assert!(why.find("Tree of ").unwrap() > why.find("Imprint").unwrap(), "the page comes first: {why}");
    let text = links.split_whitespace().find(|link| link.contains("0.0.text.")).unwrap();
    let text = dump(text.to_owned(), &["-nolist"]).await;
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains("hand, and nobody in the town ever minded that it points between the numbers."),
        "{text}"
    );
    proxy.stop().await;
}

/// On a phone's screen. Links that were followed look like the others.
#[tokio::test]
async fn in_chromium_the_bar_is_one_line_of_44_pixels_and_its_menu_opens_without_a_script() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.resize(390, 844).await;
    for (settings, language) in
        [("", "en"), ("theme: ink, ", "de"), ("typeface: sans, ", "ru"), ("screenfuls: true, ", "ar")]
    {
        proxy.reload(&format!("filters: {{ output: {{ look: {{ {settings} type_size: 100 }} }} }}"));
        let words = page();
        let localized = Origin::http(move |_| {
            html(words.replace("<!doctype html>", &format!("<!doctype html><html lang={language}>")))
        })
        .await;
        window.go(&localized.url("/page")).await;
        window.until("innerWidth == 390").await;
        let top = window.run("return document.querySelector('h1').getBoundingClientRect().top").await;
        assert!(top.as_f64().unwrap() <= 72.0, "{language}: the headline begins at {top}");
        let targets = "Array.from(document.querySelectorAll('header>a, nav>a, nav summary')).map(one => one.getBoundingClientRect())";
        let small = format!("return {targets}.filter(box => box.width < 44 || box.height < 44 || box.top > 10).length");
        assert_eq!(window.run(&small).await, 0, "{language}");
        let is_closed = "return document.querySelector('nav small').checkVisibility({contentVisibilityAuto: true})";
        assert_eq!(window.run(is_closed).await, false, "{language}");
        window.click("#gleaner-controls summary").await;
        let is_open = "return Array.from(document.querySelectorAll('nav span')).every(one => {
            const box = one.getBoundingClientRect();
            const front = document.elementFromPoint(box.left + box.width / 2, box.bottom - 4);
            return box.height >= 44 && box.left >= 0 && box.right <= innerWidth && front == one.querySelector('a');
        })";
        assert_eq!(window.run(is_open).await, true, "{language}");
        assert_eq!(window.overflow().await, 0, "{language}");
    }
    proxy.reload("");
    window.go(&origin.url("/")).await;
    window.go(&origin.url("/page")).await;
    let picture = window.screenshot("header").await;
    let fresh = Window::open(&proxy).await.unwrap();
    fresh.resize(390, 844).await;
    fresh.go(&origin.url("/page")).await;
    fresh.until("innerWidth == 390").await;
    assert_eq!(fresh.screenshot("header").await, picture, "a visited link looks like the others");
}

#[tokio::test]
async fn axe_finds_nothing_on_pages_with_a_bar_and_those_it_leads_to() {
    let rules = [
        "color-contrast",
        "landmark-one-main",
        "landmark-no-duplicate-main",
        "landmark-main-is-top-level",
        "page-has-heading-one",
        "target-size",
    ];
    let origin = Origin::http(|_| html(page().replace("<!doctype html>", "<!doctype html><html lang=en>"))).await;
    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.resize(390, 844).await;
    for theme in ["light", "dark", "ink"] {
        proxy.reload(&format!("filters: {{ output: {{ look: {{ theme: {theme} }} }} }}"));
        for link in ["", "Text", "Why", "question", "Aa", "Never on this site", "control host", "Pause blocking"] {
            match link {
                "" => window.go(&origin.url("/page")).await,
                "question" => window.go("http://gleaner.internal/original?page=http%3A%2F%2Fa.example%2F").await,
                "control host" => window.go("http://gleaner.internal/").await,
                "Pause blocking" => window.go("http://gleaner.internal/pause").await,
                link => {
                    window.go(&origin.url("/page")).await;
                    window.follow(link).await;
                }
            }
            if link == "Why" {
                // There no script runs to its end.
                let copy = "return 'data:text/html;base64,' + btoa(unescape(encodeURIComponent(document.documentElement.outerHTML)))";
                window.go(window.run(copy).await.as_str().unwrap()).await;
            }
            let Some(found) = window.barriers(json!({ "type": "rule", "values": rules })).await else { return };
            assert_eq!(found, json!([]), "{link:?}, {theme}");
            assert_eq!(window.overflow().await, 0, "{link:?}");
        }
    }
}
