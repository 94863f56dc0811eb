//! The unfiltered view: only a person can ask for it, by a confirmation on the control host.

use crate::harness::{
    Origin, PAGE, TestProxy,
    browsers::Browser,
    get,
    links::{button, link},
    origin::{html, response},
};

const ANNA: (&str, &str) = ("user-agent", "Anna's");

#[tokio::test]
async fn the_page_as_it_was_is_shown_at_its_own_address_to_who_asked_for_it() {
    let origin = Origin::http(|_| {
        let fields = [("content-type", "text/html"), ("etag", "\"v1\"")];
        response(&fields, PAGE)
    })
    .await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page?x=1&y=2");
    let page = get(&proxy, &url, &[ANNA]).await;
    assert_eq!(page.header("cache-control"), "no-cache");
    let question = get(&proxy, &link(page.text(), "gleaner.internal/original?"), &[ANNA]).await;
    assert!(question.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert!(!question.headers.contains_key("access-control-allow-origin"));
    let button = button(question.text());
    // Whoever has the address of the button, but is not who was asked.
    assert_eq!(get(&proxy, &button, &[]).await.status, 200);
    let answer = get(&proxy, &button, &[ANNA]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, url.as_str()));
    assert_eq!(answer.header("referrer-policy"), "no-referrer");

    let copy = ("if-none-match", page.header("etag"));
    let original = get(&proxy, &url, &[ANNA, copy]).await;
    assert_eq!(original.header("gleaner"), "passed; reason=asked-for");
    assert_eq!((original.text(), original.header("cache-control")), (PAGE, "no-store"));
    assert!(!origin.last().headers.contains_key("if-none-match"));
    for (url, fields) in
        [(&url, &[][..]), (&origin.url("/page?x=1"), &[ANNA]), (&url, &[ANNA, ("sec-fetch-dest", "iframe")])]
    {
        let other = get(&proxy, url, fields).await;
        assert!(other.header("gleaner").starts_with("rewritten"), "{url} {fields:?}");
    }
    let seen = origin.requests();
    assert!(seen.iter().all(|seen| !seen.uri.to_string().contains("gleaner")));
    proxy.stop().await;
}

/// A page that passes for its status, and whose script takes every way to its own site's article that the link offers.
const HOSTILE: &str = "<!doctype html><title>Log in</title><iframe id=frame></iframe><script>
const ask = address => {
  const request = new XMLHttpRequest();
  request.open('GET', address, false);
  try { request.send(); return true } catch { return false }
};
const link = 'http://gleaner.internal/original?page=' + encodeURIComponent(location.origin + '/article');
if (ask(link)) ask('/read');
ask('/tried');
document.getElementById('frame').src = link;
location = link;
</script>";

#[tokio::test]
async fn a_sites_script_cannot_ask_for_its_pages_as_they_were() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let origin = Origin::http(|request| match request.uri.path() {
        "/log-in" => {
            let mut page = html(HOSTILE);
            *page.status_mut() = http::StatusCode::FORBIDDEN;
            page
        }
        "/article" => {
            let text = "<p>The town clock has a single hand, and nobody minds.".repeat(20);
            html(format!("{PAGE}{text}<script>fetch('/ran')</script>"))
        }
        _ => response(&[], ""),
    })
    .await;
    let proxy = TestProxy::start("").await;
    let dom = browser.dom(&proxy, origin.url("/log-in")).await;
    let seen: Vec<_> = origin.requests().iter().map(|seen| seen.uri.to_string()).collect();
    for (path, was_asked_for) in [("/tried", true), ("/read", false), ("/ran", false)] {
        let is_there = seen.iter().any(|uri| uri == path);
        assert_eq!(is_there, was_asked_for, "{path} in {seen:?}: {dom}");
    }
    let article = get(&proxy, &origin.url("/article"), &[]).await;
    assert!(article.header("gleaner").starts_with("rewritten"));
    proxy.stop().await;
}

#[tokio::test]
async fn a_site_is_left_as_it_is_in_the_browser_that_says_so_until_it_ends_that() {
    let origin = Origin::http(|_| response(&[("content-type", "text/html"), ("etag", "\"v1\"")], PAGE)).await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page");
    let is_rewritten =
        async |fields: &[(&str, &str)]| get(&proxy, &url, fields).await.header("gleaner").starts_with("rewritten");
    let ours = |path: String| format!("http://gleaner.internal{path}");
    let page = get(&proxy, &url, &[ANNA]).await;
    let asked = get(&proxy, &link(page.text(), "gleaner.internal/never?"), &[ANNA]).await;
    assert_eq!(link(asked.text(), "/page"), url, "the way back");
    let never = ours(link(asked.text(), "choice=never"));
    get(&proxy, &never.replace("token=", "token=0"), &[ANNA]).await;
    for (link, fields) in [
        (never.replace("127.0.0.1", "other.example"), &[ANNA][..]),
        (never.clone(), &[ANNA, ("sec-fetch-site", "cross-site")]),
        (never.clone(), &[ANNA, ("sec-fetch-dest", "image")]),
        (never.clone(), &[ANNA, ("sec-purpose", "prefetch")]),
    ] {
        assert_eq!(get(&proxy, &link, fields).await.status, 200, "{link} {fields:?}");
    }
    assert!(is_rewritten(&[ANNA]).await, "a link that is not ours, or not followed");
    let answer = get(&proxy, &never, &[ANNA]).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, url.as_str()));
    let now = get(&proxy, &url, &[ANNA, ("if-none-match", page.header("etag"))]).await;
    assert_eq!((now.status.as_u16(), now.text()), (200, PAGE));
    assert!(is_rewritten(&[]).await, "another browser");
    // Undone on the start page, and where it was said.
    let start = get(&proxy, "http://gleaner.internal/", &[ANNA]).await;
    let asked = get(&proxy, &ours(link(start.text(), "/never?page=")), &[ANNA]).await;
    get(&proxy, &ours(link(asked.text(), "choice=usual")), &[ANNA]).await;
    assert!(is_rewritten(&[ANNA]).await);
    proxy.stop().await;
}
