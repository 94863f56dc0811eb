//! Why a page looks as it does: the page that says so, and `gleaner explain`.

use crate::{
    harness::{
        Origin, TestProxy, get,
        links::{control, link},
        origin::html,
        program::gleaner,
    },
    pages::bar_links::page,
};

#[tokio::test]
async fn why_marks_what_was_removed_in_its_place_with_the_filter_and_the_rule() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let shown = get(&proxy, &origin.url("/page"), &[]).await;
    let why = get(&proxy, &control(&shown, "Why"), &[]).await;
    let policy = why.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    for words in [
        "<b data-gleaner-by=\"main_block\">main_block: outside the main block</b>",
        "<b data-gleaner-by=\"ad_servers\">ad_servers: ",
        "Main block: body &gt; ",
        "Tree of ",
        "Imprint of the town",
        ">Page</a>",
    ] {
        assert!(why.text().contains(words), "{words:?} is not in {}", why.text());
    }
    for gone in ["<script", "/ran", "src=\"//ad.doubleclick.net"] {
        assert!(!why.text().contains(gone), "{gone}");
    }
    let dark = "--cut:#ff9d93";
    assert!(why.text().contains(&format!("@media (prefers-color-scheme:dark){{:root{{{dark}")));
    let data = get(&proxy, &link(why.text(), ".json."), &[]).await;
    assert_eq!(data.header("content-type"), "application/json");
    let data: serde_json::Value = serde_json::from_slice(&data.body).unwrap();
    assert!(data["blocks"][0]["probability"].as_f64().unwrap() > 0.0);
    assert!(data["tree"].as_array().unwrap().len() > 3);
    let removed = data["removed"].as_array().unwrap();
    assert!(
        removed
            .iter()
            .any(|part| part["filter"] == "ad_servers" && part["rule"].as_str().unwrap().contains("doubleclick.net"))
    );
    proxy.stop().await;
}

#[tokio::test]
async fn the_colours_of_why_are_those_of_the_chosen_theme() {
    let origin = Origin::http(|_| html(page())).await;
    for (theme, is_dark) in [("dark", true), ("light", false)] {
        let proxy = TestProxy::start(&format!("filters: {{ output: {{ look: {{ theme: {theme} }} }} }}")).await;
        let shown = get(&proxy, &origin.url("/page"), &[]).await;
        let why = get(&proxy, &control(&shown, "Why"), &[]).await;
        assert!(!why.text().contains("prefers-color-scheme"), "{theme}");
        assert_eq!(why.text().contains("--cut:#ff9d93"), is_dark, "{theme}");
        proxy.stop().await;
    }
}

#[tokio::test]
async fn why_lists_the_advertisements_that_have_no_place() {
    let style = "<link rel=stylesheet href=//ad.doubleclick.net/x.css>";
    let origin = Origin::http(move |_| html(page() + style)).await;
    let proxy = TestProxy::start("").await;
    let shown = get(&proxy, &origin.url("/page"), &[]).await;
    assert!(shown.text().contains(", ads: 2</bdi>"), "{}", shown.text());
    let why = get(&proxy, &control(&shown, "Why"), &[]).await;
    let (_, list) = why.text().split_once("without a place on the page: 1").unwrap_or_else(|| panic!("{}", why.text()));
    let (list, _) = list.split_once("</details>").unwrap();
    assert!(list.contains("http://ad.doubleclick.net/x.css") && list.contains("ad_servers: "), "{list}");
    let data = get(&proxy, &link(why.text(), ".json."), &[]).await;
    let data: serde_json::Value = serde_json::from_slice(&data.body).unwrap();
    let ads = |of: &str| data[of].as_array().unwrap().iter().filter(|part| part["filter"] == "ad_servers").count();
    assert_eq!((ads("removed"), ads("unseen")), (1, 1));
    assert_eq!(why.text().matches("<main").count(), 1);
    proxy.stop().await;
}

#[test]
fn explain_tells_of_a_saved_page_what_the_filters_do() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("page.html"), page()).unwrap();
    std::fs::write(dir.path().join("c.yaml"), "").unwrap();
    let explain = |arguments: &[&str], input: &str| {
        let output = gleaner(dir.path(), &[&["--config", "c.yaml", "explain"], arguments].concat(), input);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = explain(&["page.html"], "");
    for words in ["main block body > ", "ad_servers: ", "main_block: outside the main block", "Imprint of the town"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(explain(&["-"], &page()), text);
    let data: serde_json::Value = serde_json::from_str(&explain(&["page.html", "--format", "json"], "")).unwrap();
    assert_eq!(data["report"]["selected"], true);
    let html = explain(&["page.html", "--format", "html", "--url", "https://example.org/a/b"], "");
    assert!(html.contains("<base href=\"https://example.org/a/b\">") && html.contains("Tree of "), "{html}");
    let missing = gleaner(dir.path(), &["explain", "nosuch.html"], "");
    assert!(
        String::from_utf8(missing.stderr).unwrap().contains("there is no file \"nosuch.html\"; expected a saved page")
    );
}

#[tokio::test]
async fn explain_fetches_an_address_where_its_page_is_asked_for() {
    let origin = Origin::http(|_| html(page())).await;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c.yaml"), "access: { allow_targets: ['127.0.0.1:1-65535'] }").unwrap();
    let folder = dir.path().to_owned();
    let url = origin.url("/page");
    let arguments = ["--config", "c.yaml", "explain", &url, "--format", "text"].map(str::to_owned);
    let output = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        gleaner(&folder, &arguments, "")
    });
    let output = output.await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("main block body > "), "{text}");
}
