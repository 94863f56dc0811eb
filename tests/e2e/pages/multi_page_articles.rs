//! Articles in parts, put together where `rewrite.join_pages` asks for it.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, Version, header};
use http_body_util::Full;
use tokio::io::AsyncWriteExt;

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::send_h2,
    get,
    links::control,
    origin::{Recorded, html, read_head, response},
};

const JOINED: &str = "rewrite: { join_pages: 4 }";

const PARTS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// The page of this number of an article of so many; each leads to the next, and says what is its own.
fn page(number: usize, of: usize) -> String {
    let part = PARTS[number - 1];
    let text = format!("The {part} part tells of the clock, of its springs and of its hands. ").repeat(12);
    let next = number + 1;
    let way = if number < of { format!("<a rel=next href=\"/clock/page/{next}\">Next</a>") } else { String::new() };
    format!(
        "<!doctype html><title>All about the clock</title><header>Menu of the {part} page</header>\
         <article><h1>All about the clock</h1><p>{text}</p><p><a href=notes>Notes</a> {text}</p></article>\
         <nav>{way}</nav><footer>Imprint of the {part} page</footer>"
    )
}

/// The number of the page that is asked for.
fn number(request: &Recorded) -> usize {
    let name = request.uri.path().rsplit('/').next();
    name.and_then(|name| name.parse().ok()).unwrap_or(1)
}

/// Which parts a page has.
fn parts(text: &str) -> Vec<&'static str> {
    let has = |part: &&str| text.contains(&format!("The {part} part tells"));
    PARTS.into_iter().filter(has).collect()
}

#[tokio::test]
async fn the_pages_of_an_article_are_put_together_where_that_is_asked_for() {
    let origin = Origin::http(|request| html(page(number(request), 3))).await;
    let proxy = TestProxy::start(JOINED).await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    let text = answer.text();
    assert_eq!(parts(text), ["first", "second", "third"]);
    assert!(answer.header("gleaner").ends_with("; pages=3"));
    assert_eq!(text.matches("All about the clock</h1>").count(), 1);
    for clutter in ["Menu of", "Imprint of", "id=\"gleaner-next", "Next page"] {
        assert!(!text.contains(clutter), "{clutter}: {text}");
    }
    // What lies beside each page is found from the first.
    for address in ["notes", &origin.url("/clock/page/notes")] {
        assert!(text.contains(&format!("<a href=\"{address}\">")), "{address}");
    }
    assert_eq!(text.matches("</html>").count(), 1);
}

#[tokio::test]
async fn the_page_before_and_the_next_one_stand_beside_each_other() {
    let origin = Origin::http(|request| {
        let way = |number: usize| format!("<a href=\"/clock/page/{number}\">{number}</a> ");
        let number = number(request);
        html(page(number, 1).replace("<nav>", &format!("<nav>{}", [number - 1, number + 1].map(way).concat())))
    })
    .await;
    let proxy = TestProxy::start("").await;
    let address = |number: usize| origin.url(&format!("/clock/page/{number}"));
    let shown = get(&proxy, &address(3), &[]).await;
    let links = format!("<a rel=\"prev\" lang=\"en\" href=\"{}\">Previous page</a> <a rel=\"next\"", address(2));
    assert!(shown.text().contains(&links), "{}", shown.text());
    proxy.stop().await;
}

#[tokio::test]
async fn a_view_of_an_article_has_all_of_its_pages() {
    let origin = Origin::http(|request| html(page(number(request), 3))).await;
    let proxy = TestProxy::start(JOINED).await;
    let shown = get(&proxy, &origin.url("/clock"), &[]).await;
    let more = get(&proxy, &control(&shown, "More"), &[]).await;
    assert_eq!(parts(more.text()), ["first", "second", "third"], "{}", more.text());
    let asked: Vec<_> = origin.requests().iter().map(|seen| seen.uri.to_string()).collect();
    let pages = ["/clock/page/2", "/clock/page/3"];
    assert_eq!(asked, [&["/clock"], &pages[..], &pages].concat(), "the first page is kept");
}

#[tokio::test]
async fn unasked_each_page_stands_alone_with_a_link_to_the_next() {
    let origin = Origin::http(|request| html(page(number(request), 3))).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    assert_eq!(parts(answer.text()), ["first"]);
    assert!(answer.text().contains("Next page"));
    assert_eq!(origin.requests().len(), 1);
}

#[tokio::test]
async fn no_more_pages_are_asked_for_than_the_setting_says_and_the_rest_is_offered() {
    let origin = Origin::http(|request| html(page(number(request), 6))).await;
    let proxy = TestProxy::start(JOINED).await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    assert_eq!(parts(answer.text()).len(), 4);
    assert_eq!(origin.requests().len(), 4);
    let offer = format!("href=\"{}\">Next page", origin.url("/clock/page/5"));
    assert!(answer.text().contains(&offer), "{}", answer.text());
}

#[tokio::test]
async fn the_next_pages_are_asked_for_as_the_reader_would() {
    let origin = Origin::http(|request| html(page(number(request), 2))).await;
    let proxy = TestProxy::start(JOINED).await;
    let fields = [
        ("cookie", "session=7"),
        ("accept-language", "de"),
        ("sec-fetch-dest", "document"),
        ("sec-fetch-site", "none"),
        ("range", "bytes=0-"),
        ("if-none-match", "\"x\""),
        ("accept-encoding", "gzip"),
    ];
    let answer = get(&proxy, &origin.url("/clock"), &fields).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    let next = origin.last();
    assert_eq!(next.uri.path(), "/clock/page/2");
    for (name, value) in [
        ("cookie", "session=7"),
        ("accept-language", "de"),
        ("sec-fetch-dest", "document"),
        ("sec-fetch-site", "same-origin"),
        ("referer", &origin.url("/clock")),
    ] {
        assert_eq!(next.headers[name], value, "{name}");
    }
    for name in ["range", "if-none-match"] {
        assert!(!next.headers.contains_key(name), "{name}");
    }
    assert_eq!(next.headers.get_all(header::HOST).iter().count(), 1);
}

#[tokio::test]
async fn the_head_is_that_of_all_pages() {
    let origin = Origin::http(|request| {
        let number = number(request);
        let cookie = format!("page={number}");
        let (caching, tag) = match number {
            1 => ("max-age=600", "\"a\""),
            _ => ("no-store", "\"b\""),
        };
        let fields = [
            ("content-type", "text/html"),
            ("set-cookie", &*cookie),
            ("cache-control", caching),
            ("etag", tag),
            ("last-modified", "Sun, 22 Nov 2026 09:00:00 GMT"),
        ];
        response(&fields, page(number, 2))
    })
    .await;
    let proxy = TestProxy::start(JOINED).await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    assert_eq!(parts(answer.text()).len(), 2);
    let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["page=1", "page=2"]);
    assert!(answer.header("cache-control").contains("no-store"));
    for name in ["etag", "last-modified"] {
        assert!(!answer.headers.contains_key(name), "{name}");
    }
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
}

/// Answers the second page of three with this; the first stands alone then, and offers it.
async fn ends_at(second: impl Fn() -> Response<Full<Bytes>> + Send + Sync + 'static) {
    let origin = Origin::http(move |request| match number(request) {
        2 => second(),
        number => html(page(number, 3)),
    })
    .await;
    let proxy = TestProxy::start(JOINED).await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(parts(answer.text()), ["first"]);
    let offer = format!("href=\"{}\">Next page", origin.url("/clock/page/2"));
    assert!(answer.text().contains(&offer), "{}", answer.text());
    assert!(!answer.header("gleaner").contains("pages="));
    assert_eq!(origin.requests().len(), 2);
}

#[tokio::test]
async fn a_page_that_cannot_stand_behind_the_first_is_offered_as_before() {
    ends_at(|| {
        let mut moved = response(&[("location", "/elsewhere")], "");
        *moved.status_mut() = StatusCode::FOUND;
        moved
    })
    .await;
    ends_at(|| {
        let mut gone = html(page(2, 3));
        *gone.status_mut() = StatusCode::NOT_FOUND;
        gone
    })
    .await;
    ends_at(|| response(&[("content-type", "image/png")], "no page")).await;
    ends_at(|| html("")).await;
    ends_at(|| html("<!doctype html><title>Log in</title><form><input type=password></form>")).await;
}

#[tokio::test]
async fn another_article_and_the_same_page_again_are_no_part() {
    ends_at(|| html(page(2, 3).replace("All about the clock", "All about the river"))).await;
    let sign_in = "<p>Sign in to read on. Readers who have no account yet can have one within a minute. </p>";
    ends_at(move || {
        let text = sign_in.repeat(20);
        html(format!("<!doctype html><title>Sign in</title><h1>Sign in</h1>{text}"))
    })
    .await;
    ends_at(|| html(page(1, 3))).await;
}

#[tokio::test]
async fn a_last_page_that_leads_back_ends_the_article() {
    let back = |number: usize| format!("href=\"/clock/page/{number}\"");
    let origin = Origin::http(move |request| html(page(number(request), 6).replace(&back(4), &back(2)))).await;
    let proxy = TestProxy::start("rewrite: { join_pages: 6 }").await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    assert_eq!(parts(answer.text()), ["first", "second", "third"]);
    assert!(!answer.text().contains("Next page"), "{}", answer.text());
    assert_eq!(origin.requests().len(), 3);
}

#[tokio::test]
async fn a_later_page_that_comes_again_is_not_said_twice() {
    let shown = |number: usize| if number == 3 { 2 } else { number };
    let origin = Origin::http(move |request| {
        let number = number(request);
        let ways = page(shown(number), 6);
        html(ways.replace(&format!("/clock/page/{}", shown(number) + 1), &format!("/clock/page/{}", number + 1)))
    })
    .await;
    let proxy = TestProxy::start("rewrite: { join_pages: 6 }").await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    let text = answer.text();
    assert_eq!(parts(text), ["first", "second"]);
    assert_eq!(text.matches("Imprint of the second").count(), 0);
    let offer = format!("href=\"{}\">Next page", origin.url("/clock/page/3"));
    assert!(text.contains(&offer), "{text}");
}

#[tokio::test]
async fn footnotes_of_all_pages_can_be_reached() {
    let note = |number: usize| {
        format!(
            "<p>Springs<a href=#fn1>1</a> are of steel.</p><p id=fn1>Note of page {number}, which says a little more.</p>"
        )
    };
    let origin = Origin::http(move |request| {
        let number = number(request);
        html(page(number, 3).replace("</article>", &format!("{}</article>", note(number))))
    })
    .await;
    let proxy = TestProxy::start(JOINED).await;
    let answer = get(&proxy, &origin.url("/clock"), &[]).await;
    let text = answer.text();
    for place in ["fn1", "fn1-page-2", "fn1-page-3"] {
        for sign in [format!("href=\"#{place}\""), format!("id=\"{place}\"")] {
            assert_eq!(text.matches(&sign).count(), 1, "{sign}: {text}");
        }
    }
}

#[tokio::test]
async fn a_next_page_that_never_comes_does_not_keep_the_first() {
    // The origin answers the first page and hangs at the second.
    let origin = Origin::sockets(|mut stream| async move {
        loop {
            let head = read_head(&mut stream).await;
            if head.is_empty() {
                return;
            }
            if head.contains("/page/2") {
                std::future::pending::<()>().await;
            }
            let page = page(1, 3);
            let length = page.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n");
            let _ = stream.write_all((head + &page).as_bytes()).await;
        }
    })
    .await;
    let proxy = TestProxy::start("rewrite: { join_pages: 4 }\ntimeouts: { first_byte_seconds: 1 }").await;
    let address = origin.url("/clock");
    let answer = tokio::time::timeout(Duration::from_secs(20), get(&proxy, &address, &[])).await;
    let answer = answer.expect("an answer");
    assert_eq!(parts(answer.text()), ["first"]);
    assert!(answer.text().contains("Next page"));
}

#[tokio::test]
async fn pages_over_http2_are_put_together_too() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |request| html(page(number(request), 3))).await;
    let yaml = format!("https: {{ intercept: on }}\n{JOINED}");
    let proxy = TestProxy::trusting(&ca, &yaml).await;
    let request = Request::get(origin.https_url("/clock"));
    let request = request.body(Full::default()).unwrap();
    let target = origin.host_and_port();
    let answer = send_h2(&proxy, &target, request).await;
    assert_eq!(answer.version, Version::HTTP_2);
    assert_eq!(parts(answer.text()).len(), 3);
    let seen = origin.requests();
    assert!(seen.iter().all(|seen| seen.version == Version::HTTP_2));
    assert_eq!(seen[2].headers["referer"], origin.https_url("/clock/page/2"));
}
