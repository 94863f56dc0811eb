//! What a parent does in the panel on a phone: hours of a service, exceptions from the log, and names of devices.

use std::fs;

use super::{hidden, post, with_file};
use crate::harness::{Origin, get, origin::html, webdriver::Window, wire::until};

const DEVICE: &str = "http://gleaner.internal/panel/device?address=127.0.0.1";

/// The three tasks of a parent, each in three taps from the panel's first page, as in Chromium on a phone.
#[tokio::test]
async fn a_parent_needs_three_taps_for_each_task() {
    let (proxy, file) = with_file().await;
    get(
        &proxy,
        "http://ads.propellerads.net/x.js",
        &[("referer", "http://news.example/page"), ("sec-fetch-dest", "script")],
    )
    .await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.resize(390, 844).await;
    // No YouTube on this device after 21:00.
    window.go("http://gleaner.internal/panel").await;
    window.follow("this machine").await;
    window.click("button[value='service youtube hours']").await;
    window.until("document.querySelector('[role=status]')?.textContent == 'Saved.'").await;
    let pressed = "document.querySelector(\"button[value='service youtube hours']\").ariaPressed == 'true'";
    window.until(pressed).await;
    assert!(window.text().await.contains("21:00–07:00"));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("services: [youtube]") && text.contains("bed: \"21:00-07:00\""), "{text}");
    assert!(text.contains("clients: [127.0.0.1]") && text.contains("# the bank"), "{text}");
    // What was blocked today?
    window.go("http://gleaner.internal/panel").await;
    window.click(".figures a").await;
    window.until("document.querySelectorAll('#requests tbody tr').length == 1").await;
    let shown = window.text().await;
    assert!(shown.contains("ads.propellerads.net") && shown.contains("for news.example"), "{shown}");
    // Allow this site.
    window.go("http://gleaner.internal/panel").await;
    window.follow("Requests").await;
    window.click("button[value^='allow-here ads.propellerads.net']").await;
    window
        .until("document.querySelector('.good')?.textContent.includes('@@||ads.propellerads.net^$domain=news.example')")
        .await;
    let at = async |page: &str| {
        let fields = [("referer", page), ("sec-fetch-dest", "script")];
        get(&proxy, "http://ads.propellerads.net/x.js", &fields).await.header("gleaner") == "blocked"
    };
    assert!(!at("http://news.example/page").await && at("http://other.example/").await);
    proxy.stop().await;
}

#[tokio::test]
async fn a_device_gets_a_name_hours_and_safe_search() {
    let (proxy, file) = with_file().await;
    let origin = Origin::http(|_| html("<!doctype html><p>x")).await;
    get(&proxy, &origin.url("/"), &[]).await;
    let send = async |fields: &[(&str, &str)]| {
        let token = hidden(&get(&proxy, DEVICE, &[]).await, "token");
        let form = [&[("token", &*token), ("address", "127.0.0.1")][..], fields].concat();
        post(&proxy, "/panel/device", &form, &[]).await
    };
    assert_eq!(send(&[("do", "name"), ("device-name", "Anna's tablet")]).await.status, 303);
    for page in ["panel", "panel/requests", "panel/devices", "panel/device?address=127.0.0.1"] {
        let page = get(&proxy, &format!("http://gleaner.internal/{page}"), &[]).await;
        assert!(page.text().contains("Anna's tablet"), "{}", page.text());
    }
    assert_eq!(send(&[("do", "search strict")]).await.status, 303);
    assert_eq!(send(&[("do", "service tiktok always")]).await.status, 303);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("anna-s-tablet:") && text.contains("safe_search: strict") && text.contains("tiktok@always"),
        "{text}"
    );
    assert_eq!(text.matches("clients:").count(), 1, "one rule for the device: {text}");
    let blocked = get(&proxy, "http://www.tiktok.com/", &[("sec-fetch-dest", "document")]).await;
    assert!(blocked.text().contains("TikTok is not open now"), "{}", blocked.text());
    // Open for a quarter of an hour, and closed again.
    assert_eq!(send(&[("do", "open")]).await.status, 303);
    assert_ne!(get(&proxy, "http://www.tiktok.com/", &[]).await.header("gleaner"), "blocked");
    assert_eq!(send(&[("do", "close")]).await.status, 303);
    assert_eq!(get(&proxy, "http://www.tiktok.com/", &[]).await.header("gleaner"), "blocked");
    // Hours that are none are refused, with the words of `check-config`.
    let wrong = send(&[("do", "hours"), ("name", "bed"), ("hours", "21-07")]).await;
    assert!(wrong.status == 409 && wrong.text().contains("no time of the day"), "{}", wrong.text());
    assert_eq!(
        send(&[
            ("do", "hours"),
            ("name", "bed"),
            ("hours", "mon-thu 20:00-07:00"),
            ("name", "school_days"),
            ("hours", "")
        ])
        .await
        .status,
        303
    );
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("bed: \"mon,tue,wed,thu 20:00-07:00\"") || text.contains("bed: \"mon-thu 20:00-07:00\""),
        "{text}"
    );
    // A device can name itself.
    let start = get(&proxy, "http://gleaner.internal/", &[]).await;
    let token = hidden(&start, "token");
    let named = get(&proxy, &format!("http://gleaner.internal/name?token={token}&name=Desk"), &[]).await;
    assert_eq!(named.status, 303);
    assert!(get(&proxy, "http://gleaner.internal/panel/devices", &[]).await.text().contains("Desk"));
    assert_eq!(get(&proxy, "http://gleaner.internal/name?token=0123&name=Other", &[]).await.status, 403);
    proxy.stop().await;
}

#[tokio::test]
async fn rules_from_the_log_are_written_and_taken_back() {
    let (proxy, file) = with_file().await;
    let origin = Origin::http(|_| html("<!doctype html><p>x")).await;
    let host = "localhost";
    let url = format!("http://{host}:{}/x", origin.addr.port());
    get(&proxy, &url, &[]).await;
    let press = async |button: &str| {
        let page = get(&proxy, "http://gleaner.internal/panel/requests", &[]).await;
        let token = hidden(&page, "token");
        assert!(page.text().contains(&format!("value=\"{button} ")), "{button}: {}", page.text());
        let choice = format!("{button} {host} ");
        post(&proxy, "/panel/rules", &[("token", &token), ("do", &choice)], &[]).await
    };
    assert_eq!(press("block").await.status, 303);
    assert!(fs::read_to_string(&file).unwrap().contains("rules: [\"||localhost^\"]"));
    until("it is blocked", async || get(&proxy, &url, &[]).await.header("gleaner") == "blocked").await;
    assert_eq!(press("allow").await.status, 303);
    assert!(fs::read_to_string(&file).unwrap().contains("rules: [\"@@||localhost^\"]"));
    until("it is let through", async || get(&proxy, &url, &[]).await.status == 200).await;
    proxy.stop().await;
}
