//! The bar of a rewritten page: each link shows the page as it says, to who got the page, and to nobody else.

use http::Request;
use http_body_util::Full;

use crate::harness::{
    Origin, TestProxy,
    client::Answer,
    get,
    links::{control, link},
    origin::{Recorded, html, response},
    send,
};

const ANNA: (&str, &str) = ("user-agent", "Anna's");

/// Texts of which each is less likely the main one than the one before it.
pub(crate) fn page() -> String {
    let sentences = |about: &str, count: usize| {
        format!(
            "<p>The {about} has a single hand, and nobody in the town ever minded that it points between the numbers."
        )
        .repeat(count)
    };
    format!(
        "<!doctype html><title>The clock</title><script>fetch('/ran')</script><nav><a href=/1>Home</a> <a href=/2>News</a> <a href=/3>About us</a></nav>\
         <div id=page><div id=first><h1 id=note>The clock</h1>{}<p><a href='#note'>note</a> <a href=more>more</a></div>\
         <div id=second><h2>Weather</h2>{}</div></div><footer>Imprint of the town <a href=/i>contact</a></footer>\
         <img id=ad src=//ad.doubleclick.net/x.gif alt=Advertisement>",
        sentences("clock", 12),
        sentences("weather vane", 5),
    )
}

async fn is_page_itself(proxy: &TestProxy, link: &str, page: &str, fields: &[(&str, &str)]) {
    let answer = get(proxy, link, fields).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, page), "{fields:?}");
}

#[tokio::test]
async fn each_link_shows_the_page_as_it_says_and_no_origin_sees_it() {
    let origin = Origin::http(|_| {
        let fields = [("content-type", "text/html"), ("etag", "\"v1\""), ("set-cookie", "a=1")];
        response(&fields, page())
    })
    .await;
    for settings in ["", "filters: { main_block: { algorithm: cnr, cnr: { start: top, top: 6 } } }"] {
        let proxy = TestProxy::start(settings).await;
        let url = origin.url("/page?x=1&y=2");
        let asked = origin.requests().len();
        let shown = get(&proxy, &url, &[ANNA]).await;
        assert!(shown.text().contains("% removed, "), "{settings}: {}", shown.text());
        let is_of = |answer: &Answer, other: &str, it: &str| {
            assert_eq!((answer.status, answer.header("cache-control")), (http::StatusCode::OK, "no-store"), "{it}");
            assert_eq!((answer.header("etag"), answer.header("set-cookie")), ("", ""), "{it}");
            assert_eq!(answer.header("referrer-policy"), "strict-origin");
            assert!(answer.text().contains(other), "{it}: {}", answer.text());
        };
        let less = get(&proxy, &control(&shown, "Less"), &[ANNA]).await;
        is_of(&less, "single hand", "less");
        assert!(less.text().matches("single hand").count() <= shown.text().matches("single hand").count());
        let more = get(&proxy, &control(&shown, "More"), &[ANNA]).await;
        is_of(&more, "The clock has", "more");
        let next = get(&proxy, &control(&shown, "Next block"), &[ANNA]).await;
        is_of(&next, "<main>", "next block");
        let first = if settings.is_empty() { "The clock has" } else { "weather vane has" };
        assert!(shown.text().contains(first) && !next.text().contains(first), "{settings}: {}", next.text());
        let text = get(&proxy, &control(&shown, "Text"), &[ANNA]).await;
        is_of(&text, "single hand", "text");
        assert_eq!(text.header("content-type"), "text/html; charset=utf-8");
        assert!(text.text().contains("</h1><p>") && text.text().contains(">Original<"), "{}", text.text());
        // The page's own links mean what they meant.
        assert!(less.text().contains("href=\"#note\"") || settings.contains("cnr"), "{}", less.text());
        assert!(!less.text().contains("<base"));
        assert_eq!(origin.requests().len(), asked + 1, "the views come from what was kept");
        proxy.stop().await;
    }
    assert!(origin.requests().iter().all(|seen| seen.uri == "/page?x=1&y=2"));
}

#[tokio::test]
async fn more_and_more_shows_the_whole_page_and_less_leads_back() {
    let hidden = "<p style='display:none'>Copied!</p>";
    let origin = Origin::http(move |_| html(page() + hidden)).await;
    let proxy = TestProxy::start("").await;
    let mut shown = get(&proxy, &origin.url("/page"), &[]).await;
    let first = shown.text().len();
    while shown.text().contains("\">More</a>") {
        shown = get(&proxy, &control(&shown, "More"), &[]).await;
    }
    for words in ["Imprint", ">News</a>", "Copied!"] {
        assert!(shown.text().contains(words), "{words}: {}", shown.text());
    }
    while shown.text().contains("\">Less</a>") {
        shown = get(&proxy, &control(&shown, "Less"), &[]).await;
    }
    assert!(shown.text().len() <= first);
    proxy.stop().await;
}

#[tokio::test]
async fn a_link_that_is_not_ours_leads_to_the_page_itself() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page?");
    let shown = get(&proxy, &url, &[ANNA]).await;
    let less = control(&shown, "Less");
    let from = ("referer", url.as_str());
    for fields in [
        &[ANNA][..],
        &[ANNA, from, ("sec-fetch-site", "same-origin"), ("sec-fetch-dest", "document")],
        &[ANNA, ("sec-fetch-site", "none")],
    ] {
        assert_eq!(get(&proxy, &less, fields).await.status, 200, "{fields:?}");
    }
    let asked = origin.requests().len();
    for fields in [
        &[][..],
        &[("user-agent", "Ben's")],
        &[ANNA, ("sec-fetch-site", "cross-site")],
        &[ANNA, ("sec-fetch-site", "same-site")],
        &[ANNA, ("referer", "http://evil.example/")],
        &[ANNA, ("referer", "nonsense")],
    ] {
        is_page_itself(&proxy, &less, &url, fields).await;
    }
    let (start, token) = less.rsplit_once('.').unwrap();
    let forged = token.replace(|c: char| c.is_ascii_lowercase(), "A");
    for link in [
        format!("{start}.{forged}"),
        // Another view, and another page.
        less.replace("=-1.0.page", "=1.0.page"),
    ] {
        is_page_itself(&proxy, &link, &url, &[ANNA]).await;
    }
    let other = less.replace("/page?", "/other?");
    is_page_itself(&proxy, &other, &origin.url("/other?"), &[ANNA]).await;
    assert_eq!(origin.requests().len(), asked);
    // A form without an address.
    send(&proxy, Request::post(&less).body(Full::from("a=b")).unwrap()).await;
    assert_eq!((origin.last().uri.to_string(), &origin.last().body[..]), ("/page?".to_owned(), &b"a=b"[..]));
    proxy.stop().await;
}

/// Whatever it holds, and however its name is written.
#[tokio::test]
async fn no_origin_sees_the_parameter() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page?x=1");
    let shown = get(&proxy, &url, &[ANNA]).await;
    let less = control(&shown, "Less");
    let (_, ours) = less.split_once("&gleaner-view=").unwrap();
    let asked = origin.requests().len();
    for query in [
        "x=1&gleaner-view",
        "x=1&gleaner-view=",
        "gleaner-view=mine&x=1",
        &format!("gleaner-view={ours}&x=1&gleaner-view={ours}"),
        &format!("x=1&gleaner%2Dview={ours}"),
        &format!("x=1&%67leaner-view={ours}&gleaner-view=x"),
    ] {
        is_page_itself(&proxy, &origin.url(&format!("/page?{query}")), &url, &[ANNA]).await;
    }
    assert_eq!(origin.requests().len(), asked);
    // The order of parameters is no matter.
    let first = origin.url(&format!("/page?gleaner-view={ours}&x=1"));
    assert_eq!(get(&proxy, &first, &[ANNA]).await.status, 200);
    // A page may ask for whole addresses in `Referer`.
    get(&proxy, &origin.url("/picture"), &[ANNA, ("referer", &less)]).await;
    assert_eq!(origin.last().headers["referer"], url.as_str());
    proxy.stop().await;
}

/// A page that says who asked.
fn of_user(request: &Recorded) -> http::Response<Full<bytes::Bytes>> {
    let cookie = request.headers.get("cookie").map_or("nobody", |cookie| cookie.to_str().unwrap());
    let mut fields = vec![("content-type", "text/html")];
    if request.uri.path() == "/secret" {
        fields.push(("cache-control", "no-store"));
    }
    response(&fields, page().replace("clock has", &format!("clock of {cookie} has")))
}

#[tokio::test]
async fn nobody_sees_what_was_kept_for_another_even_behind_one_address() {
    let origin = Origin::http(of_user).await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page");
    let (anna, ben) = ([ANNA, ("cookie", "anna")], [ANNA, ("cookie", "ben")]);
    let of_anna = get(&proxy, &url, &anna).await;
    let of_ben = get(&proxy, &url, &ben).await;
    for (shown, fields, name) in [(&of_anna, anna, "anna"), (&of_ben, ben, "ben")] {
        let more = get(&proxy, &control(shown, "More"), &fields).await;
        assert!(more.text().contains(&format!("clock of {name} has")), "{}", more.text());
    }
    assert_eq!(origin.requests().len(), 2);
    // A link that somebody was given.
    let given = get(&proxy, &control(&of_anna, "More"), &ben).await;
    assert!(given.text().contains("clock of ben has"), "{}", given.text());
    // A page that both were sent alike, and then one of them with an account.
    let alike = get(&proxy, &origin.url("/alike"), &[ANNA]).await;
    for number in 0..4 {
        get(&proxy, &origin.url(&format!("/{number}")), &[ANNA]).await;
    }
    let with_account = get(&proxy, &control(&alike, "More"), &anna).await;
    assert!(with_account.text().contains("clock of anna has"), "{}", with_account.text());
    let without = get(&proxy, &control(&alike, "More"), &[ANNA]).await;
    assert!(without.text().contains("clock of nobody has"), "{}", without.text());
    proxy.stop().await;
}

#[tokio::test]
async fn what_is_not_kept_is_fetched_again_as_the_page_itself() {
    let origin = Origin::http(of_user).await;
    let proxy = TestProxy::start("").await;
    let anna = [ANNA, ("cookie", "anna")];
    let shown = get(&proxy, &origin.url("/secret"), &anna).await;
    let more = get(&proxy, &control(&shown, "More"), &anna).await;
    assert!(more.text().contains("clock of anna has"));
    let first = get(&proxy, &origin.url("/page"), &anna).await;
    for number in 0..4 {
        get(&proxy, &origin.url(&format!("/{number}")), &anna).await;
    }
    get(&proxy, &control(&first, "More"), &anna).await;
    let asked: Vec<_> = origin.requests().iter().map(|seen| seen.uri.to_string()).collect();
    assert_eq!(asked, ["/secret", "/secret", "/page", "/0", "/1", "/2", "/3", "/page"]);
    proxy.stop().await;
}

#[tokio::test]
async fn the_bar_is_there_where_it_is_asked_for() {
    let origin = Origin::http(|_| {
        response(&[("content-type", "text/html"), ("content-security-policy", "style-src 'none'")], page())
    })
    .await;
    for (settings, has_bar, policy) in [
        ("controls: auto", true, "style-src 'unsafe-inline'"),
        ("controls: off", false, "style-src 'unsafe-inline'"),
        ("style: original", false, "style-src 'sha256-"),
        ("style: original, controls: on", true, "style-src 'sha256-"),
    ] {
        let proxy = TestProxy::start(&format!("filters: {{ output: {{ {settings} }} }}")).await;
        let shown = get(&proxy, &origin.url("/"), &[]).await;
        assert_eq!(shown.text().contains("<nav id=\"gleaner-controls\""), has_bar, "{settings}");
        assert!(link(shown.text(), "gleaner.internal/original?").contains("page=http"));
        assert!(shown.header("content-security-policy").contains(policy), "{settings}");
        let framed = get(&proxy, &origin.url("/"), &[("sec-fetch-dest", "iframe")]).await;
        assert!(!framed.text().contains("gleaner-controls\"") && !framed.text().contains("/original?"), "{settings}");
        if has_bar {
            let site = control(&shown, "Never on this site");
            assert!(site.starts_with("http://gleaner.internal/never?page=http%3A"), "{site}");
        }
        proxy.stop().await;
    }
}

/// The original has the page's scripts, and only a person may ask for it.
#[tokio::test]
async fn a_view_that_cannot_be_made_is_not_the_original() {
    let origin = Origin::http(|request| {
        let is_again = request.headers.contains_key("x-again");
        let mut answer = response(&[("content-type", "text/html"), ("cache-control", "no-store")], page());
        if is_again {
            *answer.status_mut() = http::StatusCode::FORBIDDEN;
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let shown = get(&proxy, &origin.url("/page"), &[]).await;
    let less = get(&proxy, &control(&shown, "Less"), &[("x-again", "1")]).await;
    assert_eq!(less.status, 422);
    assert!(
        !less.text().contains("/ran") && less.text().contains("an error page, or no page at all"),
        "{}",
        less.text()
    );
    proxy.stop().await;
}

#[tokio::test]
async fn the_answer_to_a_form_has_a_bar_without_views() {
    let origin = Origin::http(|_| html(page())).await;
    let proxy = TestProxy::start("").await;
    let form = || Request::post(origin.url("/order")).header("accept", "text/html").body(Full::from("a=b")).unwrap();
    let shown = send(&proxy, form()).await;
    let (_, bar) =
        shown.text().split_once("<nav id=\"gleaner-controls\"").unwrap_or_else(|| panic!("{}", shown.text()));
    let (bar, _) = bar.split_once("</nav>").unwrap();
    assert!(bar.contains("% removed, "), "{bar}");
    assert!(bar.contains(">Never on this site</a>") && bar.contains(">Aa</a>"), "{bar}");
    for word in ["Less", "More", "Next block", "Original", "Text", "Why"] {
        assert!(!bar.contains(&format!(">{word}<")), "{word}: {bar}");
    }
    // Nothing is kept of it that a link to the same address could show.
    let page = get(&proxy, &origin.url("/order"), &[]).await;
    get(&proxy, &control(&page, "More"), &[]).await;
    assert_eq!(origin.requests().len(), 2);
    proxy.stop().await;
}

/// Attributes win over the header of the view, and hosts whose requests are not read would see its address.
#[tokio::test]
async fn pictures_of_a_view_tell_nobody_its_address() {
    let pictures = "<main><h1>The clock</h1><img src=/a.png referrerpolicy=unsafe-url width=300 height=200>\
        <img src=/b.png referrerpolicy=no-referrer width=300 height=200></main>";
    let origin =
        Origin::http(move |_| html(page().replace("<div id=page>", &format!("<div id=page>{pictures}")))).await;
    let proxy = TestProxy::start("").await;
    let shown = get(&proxy, &origin.url("/page"), &[]).await;
    for words in ["More", "Why"] {
        let view = get(&proxy, &control(&shown, words), &[]).await;
        assert!(view.text().contains("/a.png") || words == "Why", "{}", view.text());
        assert!(!view.text().contains("unsafe-url"), "{words}: {}", view.text());
        assert!(view.text().contains("referrerpolicy=\"no-referrer\""), "{words}: {}", view.text());
    }
    proxy.stop().await;
}
