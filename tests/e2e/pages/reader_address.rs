//! The reader's address: a page is fetched by the proxy itself, and nothing of it runs, leads home or has cookies.

use std::sync::Arc;

use http::{Response, StatusCode};
use http_body_util::Full;
use url::{Url, form_urlencoded::byte_serialize};

use super::no_scripts_run::{MUTATES, RUNS, origin_of, page, payloads, ran};
use crate::{
    harness::{
        Origin, TestProxy,
        browsers::Browser,
        client::Answer,
        get,
        namespace::{self, HOME, PUBLIC},
        origin::{html, response},
        raw,
    },
    http::private_targets::{ELSEWHERE, SPELLINGS, watched},
};

const TEXT: &str = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice. Visitors set their watches by the bakery.</p>";

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// Origins of tests stand on this machine.
const TARGETS: &str = "read: { targets: ['127.0.0.1:1-65535'] }";

fn escaped(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

/// What the reader's address answers for this page, and these parameters.
async fn read_with(proxy: &TestProxy, page: &str, more: &str, fields: &[(&str, &str)]) -> Answer {
    get(proxy, &format!("{}/read?url={}{more}", proxy.url(), escaped(page)), fields).await
}

async fn read(proxy: &TestProxy, page: &str) -> Answer {
    read_with(proxy, page, "", &[]).await
}

/// A site with an article and what belongs to it.
async fn site() -> Origin {
    Origin::http(|seen| match seen.uri.path() {
        "/clock.png" => response(&[("content-type", "text/plain")], PNG),
        "/drawing.svg" => response(&[("content-type", "image/svg+xml")], "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        "/paper.pdf" => response(&[("content-type", "application/pdf"), ("set-cookie", "a=1")], "%PDF-1.4"),
        "/page.xhtml" => response(&[("content-type", "application/xhtml+xml")], "<html/>"),
        "/drawn" => html("<!doctype html><title>App</title><div id=root></div><script>draw()</script>"),
        "/away" => {
            let mut moved = response(&[("location", "/")], "");
            *moved.status_mut() = StatusCode::FOUND;
            moved
        }
        "/find" => html(format!("<!doctype html><title>Found</title><h1>Found</h1><p>{}</p>{TEXT}{TEXT}", seen.uri.query().unwrap_or_default())),
        _ => {
            let fields = [("content-type", "text/html; charset=utf-8"), ("set-cookie", "session=1"), ("content-security-policy", "img-src 'none'")];
            response(
                &fields,
                format!(
                    "<!doctype html><html lang=en><title>The clock</title><script>run()</script><main><h1>The clock</h1>{TEXT}{TEXT}\
                     <p>See <a href='/other?a=1&b=2#hand'>the hand</a>, <a href='javascript:run()'>run</a> and the \
                     <a href=paper.pdf>paper</a>.<img src=clock.png alt='the clock' width=300 height=200><img src=drawing.svg alt=drawing>{TEXT}\
                     <form action=/find?old><input name=q value=hand><input type=submit></form>\
                     <form action=/send method=post><input name=secret></form></main>"
                ),
            )
        }
    })
    .await
}

/// The first address in a page that begins so.
fn address<'a>(page: &'a str, start: &str) -> &'a str {
    let at = page.find(start).unwrap_or_else(|| panic!("no {start} in {page}"));
    page[at..].split('"').next().unwrap()
}

fn unescaped(address: &str) -> String {
    address.replace("&amp;", "&")
}

#[tokio::test]
async fn a_page_is_read_without_a_proxy_setting_and_its_links_lead_on() {
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    // As any browser asks a web server, with and without a `Host` that names the port.
    for (version, host) in [
        ("1.1", format!("Host: {}\r\n", proxy.addr)),
        ("1.1", "Host: 127.0.0.1\r\n".to_owned()),
        ("1.0", String::new()),
    ] {
        let request =
            format!("GET /read?url={} HTTP/{version}\r\n{host}Connection: close\r\n\r\n", escaped(&site.url("/")));
        let answer = raw(proxy.addr, request).await;
        assert!(answer.starts_with(&format!("HTTP/{version} 200")) && answer.contains("single hand"), "{answer}");
    }
    let answer = read(&proxy, &site.url("/away")).await;
    let page = answer.text();
    assert_eq!(answer.status, 200, "{page}");
    for field in ["set-cookie", "location"] {
        assert_eq!(answer.header(field), "", "{field}");
    }
    let policy = answer.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("sandbox ") && !policy.contains("allow-scripts"),
        "{policy}"
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert!(!page.contains("run()") && !page.contains("<script"), "{page}");
    let link = format!("/read?url={}%2Fother%3Fa%3D1%26b%3D2#hand", escaped(&site.url("")));
    assert!(page.contains(&format!("href=\"{link}\"")), "{link}: {page}");
    // The bar.
    assert!(page.contains("view=-1.0.page") && page.contains("view=0.0.text"), "{page}");
    assert!(page.contains("&amp;as=epub\">EPUB</a>"), "{page}");
    let text = get(
        &proxy,
        &format!(
            "{}{}",
            proxy.url(),
            unescaped(address(page, &format!("/read?url={}&amp;view=0.0.text", escaped(&site.url("/")))))
        ),
        &[],
    )
    .await;
    assert!(text.text().contains("single hand"), "{}", text.text());
    // Fields of our own page lead back to it.
    assert!(page.contains(&format!("{}/look?page=", proxy.url())), "{page}");

    let picture = format!("{}{}", proxy.url(), unescaped(address(page, "/read/picture?")));
    let answer = get(&proxy, &picture, &[]).await;
    assert_eq!((answer.header("content-type"), &answer.body[..]), ("image/png", PNG));
    assert_eq!(get(&proxy, &picture.replace("clock.png", "other.png"), &[]).await.status, 403);
    let drawing =
        page.split("/read/picture?").find(|part| part.contains("drawing.svg")).unwrap().split('"').next().unwrap();
    let answer = get(&proxy, &format!("{}/read/picture?{}", proxy.url(), unescaped(drawing)), &[]).await;
    assert_eq!(answer.status, 415);

    // A form that asks works, one that sends says why not.
    assert!(page.contains("name=\"gleaner-form\"") && !page.contains("secret"), "{page}");
    let found =
        get(&proxy, &format!("{}/read?gleaner-form={}&q=big+hand", proxy.url(), escaped(&site.url("/find?old"))), &[])
            .await;
    assert!(found.text().contains("q=big+hand"), "{}", found.text());
    // No request had a cookie, or anything of the browser's but its name and languages.
    for request in site.requests() {
        assert!(!request.headers.contains_key("cookie") && !request.headers.contains_key("referer"), "{request:?}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn files_are_saved_and_nothing_is_shown_that_could_run() {
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    let paper = read(&proxy, &site.url("/paper.pdf")).await;
    assert_eq!((paper.header("content-type"), paper.text()), ("application/pdf", "%PDF-1.4"));
    assert_eq!(paper.header("content-disposition"), "attachment; filename=\"paper.pdf\"");
    assert_eq!(paper.header("set-cookie"), "");
    for path in ["/page.xhtml", "/drawing.svg"] {
        let answer = read(&proxy, &site.url(path)).await;
        assert_eq!(answer.header("content-type"), "application/octet-stream", "{path}");
        assert!(answer.header("content-disposition").starts_with("attachment"), "{path}");
    }
    let drawn = read(&proxy, &site.url("/drawn")).await;
    assert_eq!(drawn.status, 422);
    assert!(drawn.text().contains("its scripts draw it") && !drawn.text().contains("draw()"), "{}", drawn.text());
    proxy.stop().await;
}

#[tokio::test]
async fn what_another_site_asks_for_is_refused_and_nothing_is_sent() {
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    for fields in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("referer", "http://evil.example/page"),
        ("referer", "http://127.0.0.1:1/"),
        ("referer", "nonsense"),
    ] {
        let answer = read_with(&proxy, &site.url("/"), "", &[fields]).await;
        assert_eq!(answer.status, 403, "{fields:?}");
        // The person may say so.
        assert!(answer.text().contains(&site.url("/")), "{}", answer.text());
    }
    assert_eq!(site.connections(), 0);
    let own = format!("{}/read?url=x", proxy.url());
    for fields in [
        ("referer", own.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("sec-fetch-site", "none"),
        ("referer", "http://gleaner.internal/"),
    ] {
        assert_eq!(read_with(&proxy, &site.url("/"), "", &[fields]).await.status, 200, "{fields:?}");
    }
    let asked = site.connections();
    let request = format!(
        "POST /read?url={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
        escaped(&site.url("/")),
        proxy.addr
    );
    assert!(raw(proxy.addr, request).await.starts_with("HTTP/1.1 405"));
    assert_eq!(site.connections(), asked);
    proxy.stop().await;
}

#[tokio::test]
async fn those_read_here_who_may_use_the_proxy() {
    let site = site().await;
    for (yaml, status) in [
        ("read: { enabled: false, targets: ['127.0.0.1:1-65535'] }", 403),
        ("read: { enabled: true, targets: ['127.0.0.1:1-65535'] }", 200),
    ] {
        let proxy = TestProxy::start(yaml).await;
        assert_eq!(read(&proxy, &site.url("/")).await.status, status, "{yaml}");
        let start = get(&proxy, "http://gleaner.internal/", &[]).await;
        assert_eq!(start.text().contains("action=\"/read\""), status == 200, "{yaml}");
        proxy.stop().await;
    }
    let hash = gleaner::hash_password("secret").unwrap();
    let proxy = TestProxy::start(&format!(
        "access: {{ users: {{ anna: '{hash}' }} }}\nread: {{ targets: ['127.0.0.1:1-65535'] }}"
    ))
    .await;
    let request = |fields: &str| {
        let page = escaped(&site.url("/"));
        format!("GET /read?url={page} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{fields}\r\n", proxy.addr)
    };
    assert!(raw(proxy.addr, request("")).await.starts_with("HTTP/1.1 401"));
    // anna:secret
    let answer = raw(proxy.addr, request("Authorization: Basic YW5uYTpzZWNyZXQ=\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The origin does not get them.
    assert!(!site.last().headers.contains_key("authorization"));
    proxy.stop().await;
}

#[tokio::test]
async fn words_are_searched_for_where_there_is_a_place_for_it() {
    let proxy = TestProxy::start("").await;
    let answer = read(&proxy, "two words").await;
    assert_eq!(answer.status, 404);
    assert!(
        answer.text().contains("read.search") && answer.text().contains("value=\"two words\""),
        "{}",
        answer.text()
    );
    let proxy = TestProxy::start("read: { search: 'https://search.example/?q=%s' }").await;
    let answer = read(&proxy, "two words").await;
    assert_eq!(answer.header("location"), "/read?url=https%3A%2F%2Fsearch.example%2F%3Fq%3Dtwo%2Bwords");
    let field = get(&proxy, &format!("{}/read", proxy.url()), &[]).await;
    assert!(field.text().contains("name=\"url\""), "{}", field.text());
}

/// Whatever `access` allows: here all of it.
#[tokio::test]
async fn this_machine_is_refused_in_every_spelling_and_after_redirects() {
    let (private, mut told) = watched().await;
    let port = private.addr.port();
    let proxy =
        TestProxy::start("access: { allow_targets: ['0.0.0.0/0:1-65535', '::/0:1-65535'], private_targets: allow }")
            .await;
    for host in SPELLINGS.iter().chain(&ELSEWHERE) {
        for scheme in ["http", "https"] {
            let page = format!("{scheme}://{host}:{port}/");
            for request in [format!("/read?url={}", escaped(&page)), format!("/read/{page}")] {
                if !request.is_ascii() {
                    continue;
                }
                let answer = raw(
                    proxy.addr,
                    format!("GET {request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", proxy.addr),
                )
                .await;
                assert!(answer.starts_with("HTTP/1.1 403"), "{request}: {answer}");
            }
        }
    }
    // The proxy itself.
    for own in [proxy.url(), "http://gleaner.internal/".to_owned(), format!("http://localhost:{}/", proxy.addr.port())]
    {
        assert_eq!(read(&proxy, &own).await.status, 403, "{own}");
    }
    proxy.stop().await;

    // A site that may be read leads elsewhere, in a page and in a picture.
    let to = format!("http://127.0.0.1:{port}/");
    let site = Origin::http(move |seen| {
        if seen.uri.path() == "/" {
            return html(format!("<!doctype html><title>The clock</title><h1>The clock</h1>{TEXT}{TEXT}<p><img src=/moved alt=x width=300>{TEXT}"));
        }
        let mut moved: Response<Full<_>> = response(&[("location", to.as_str())], "");
        *moved.status_mut() = StatusCode::FOUND;
        moved
    })
    .await;
    let proxy = TestProxy::start(&format!("read: {{ targets: ['127.0.0.1:{}'] }}", site.addr.port())).await;
    assert_eq!(read(&proxy, &site.url("/moved")).await.status, 403);
    let page = read(&proxy, &site.url("/")).await;
    let picture = unescaped(address(page.text(), "/read/picture?"));
    assert_eq!(get(&proxy, &format!("{}{picture}", proxy.url()), &[]).await.status, 403);
    assert!(told.try_recv().is_err(), "someone was connected to");
    proxy.stop().await;
}

#[tokio::test]
async fn names_and_redirects_do_not_lead_home() {
    if !namespace::enter_home("pages::reader_address::names_and_redirects_do_not_lead_home") {
        return;
    }
    let router = Origin::at((HOME, 0), |_| html(format!("<!doctype html><title>secret</title>{TEXT}"))).await;
    let port = router.addr.port();
    let to = format!("http://router.lan:{port}/");
    let site = Origin::at((PUBLIC, port), move |seen| {
        let mut answer = response(
            &[("content-type", "text/html"), ("location", &to), ("connection", "close")],
            format!("<!doctype html>{TEXT}"),
        );
        if seen.uri.path() == "/moved" {
            *answer.status_mut() = StatusCode::TEMPORARY_REDIRECT;
        }
        answer
    })
    .await;
    namespace::set_names(&[("site.example", PUBLIC), ("evil.example", HOME), ("router.lan", HOME)]);
    let proxy = TestProxy::start(&format!(
        "access: {{ private_targets: allow, rebind_allowed: [evil.example] }}\nread: {{ targets: ['{PUBLIC}'] }}"
    ))
    .await;
    // The proxy keeps a connection to it.
    assert_eq!(get(&proxy, &format!("http://router.lan:{port}/"), &[]).await.status, 200);
    let asked = router.requests().len();
    for page in [
        format!("http://{HOME}:{port}/"),
        format!("http://router.lan:{port}/"),
        format!("http://evil.example:{port}/"),
        format!("http://site.example:{port}/moved"),
    ] {
        let answer = read(&proxy, &page).await;
        assert_eq!(answer.status, 403, "{page}: {}", answer.text());
    }
    assert_eq!(read(&proxy, &format!("http://site.example:{port}/")).await.status, 200);
    // A name that is turned while its connection is kept.
    namespace::set_names(&[("site.example", HOME)]);
    namespace::forget_names().await;
    assert_eq!(read(&proxy, &format!("http://site.example:{port}/")).await.status, 403);
    assert_eq!(router.requests().len(), asked);
    drop(site);
    proxy.stop().await;
    namespace::set_names(&[("router.lan", HOME)]);
    let proxy = TestProxy::start(&format!("read: {{ targets: ['{HOME}'] }}")).await;
    assert_eq!(read(&proxy, &format!("http://router.lan:{port}/")).await.status, 200);
    proxy.stop().await;
}

#[tokio::test]
async fn what_the_lists_forbid_is_not_fetched() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("list.txt");
    std::fs::write(&list, "||127.0.0.1^$document\n/clock.png$image\n").unwrap();
    let proxy = TestProxy::start(&format!("{TARGETS}\nblocking: {{ lists: ['{}'] }}", list.display())).await;
    let answer = read(&proxy, &site.url("/")).await;
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert_eq!(site.connections(), 0);
    proxy.stop().await;
}

#[tokio::test]
async fn nothing_runs_in_a_page_that_is_read_here() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let untouched = TestProxy::start("rewrite: { enabled: false }").await;
    let all: Vec<&str> = RUNS.iter().chain(MUTATES).copied().collect();
    for output in ["{ style: reader }", "{ style: plain }"] {
        let proxy = TestProxy::start(&format!(
            "{TARGETS}\nfilters: {{ order: [ignore], ignore: {{ embed: false, comments: false }}, output: {output} }}"
        ))
        .await;
        let origin = origin_of(all.clone()).await;
        let address = format!("{}/read?url={}", proxy.url(), escaped(&origin.url("/page")));
        let dom = browser.dom_with(&[], address.clone()).await;
        assert!(dom.contains("single hand"), "{output}: {dom}");
        assert_eq!(ran(&origin), Vec::<String>::new(), "{output}: {dom}");
        // The same bytes without the policy.
        let written = get(&proxy, &address, &[]).await.text().to_owned();
        let copy = Origin::http(move |_| html(written.clone())).await;
        browser.dom(&untouched, copy.url("/page")).await;
        assert_eq!(ran(&origin), Vec::<String>::new(), "{output}");
        proxy.stop().await;
    }
    untouched.stop().await;
}

/// Nothing is left of hundreds of payloads that could run: no element that is not of the list, no handler, no other scheme.
#[tokio::test]
async fn of_hundreds_of_payloads_nothing_but_known_elements_is_left() {
    const KNOWN: &str = "html head meta title style body header nav bdi main i a span p h1 h2 h3 h4 h5 h6 ul ol li dl dt \
        dd blockquote table caption tr td th pre hr br img b strong em cite var dfn code kbd samp sub \
        sup small u s del ins mark form input select option textarea strike tt";
    let payloads = Arc::new(payloads());
    let pages = Arc::clone(&payloads);
    let origin = Origin::http(move |seen| {
        let number: usize = seen.uri.path().trim_start_matches('/').parse().unwrap();
        html(page("home.example", &[&pages[number]]))
    })
    .await;
    let proxy = TestProxy::start(&format!("{TARGETS}\nfilters: {{ order: [], floor: {{ page_chars: 0 }} }}")).await;
    let mut written_pages = 0;
    for number in 0..payloads.len() {
        let answer = read(&proxy, &origin.url(&format!("/{number}"))).await;
        if answer.status != 200 {
            // A message of ours.
            continue;
        }
        written_pages += 1;
        let written = answer.text();
        let body = written.split_once("<body>").unwrap_or_else(|| panic!("{}: {written}", payloads[number])).1;
        // The menu of the bar is ours, the first of its kind.
        let (bar, menu) = body.split_once("<details>").unwrap();
        let body = [bar, menu.split_once("</details>").unwrap().1].concat();
        for tag in body.split('<').skip(1) {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(KNOWN.split(' ').any(|known| known == name), "{}: <{tag}", payloads[number]);
            let tag = tag.split('>').next().unwrap();
            let attributes = tag.split('"').step_by(2);
            for attribute in attributes {
                let name = attribute.trim_end_matches('=').rsplit(' ').next().unwrap_or_default();
                assert!(!name.starts_with("on") && name != "style" && name != "srcdoc", "{}: <{tag}", payloads[number]);
            }
            for address in ["href=\"", "src=\"", "action=\""].iter().filter_map(|name| tag.split(name).nth(1)) {
                let address = address.split('"').next().unwrap().replace("&amp;", "&");
                let url = Url::parse("http://here.example/").unwrap().join(&address).unwrap();
                let is_bitmap = address.starts_with("data:image/") && !address.contains("svg");
                assert!(
                    is_bitmap || ["http", "https", "mailto", "tel"].contains(&url.scheme()),
                    "{}: {address}",
                    payloads[number]
                );
            }
        }
    }
    assert!(written_pages > payloads.len() / 2, "{written_pages} of {}", payloads.len());
    proxy.stop().await;
}

#[tokio::test]
async fn cookies_stay_with_the_device_and_never_reach_its_browser() {
    // Sites that count visits, or ask whether all is agreed to, lead around until they see their cookie.
    let other = Origin::http(|_| response(&[("content-type", "image/png")], PNG)).await;
    let elsewhere = other.url("/far.png").replace("127.0.0.1", "localhost");
    let site = Origin::http(move |seen| {
        let cookies = seen.headers.get("cookie").map_or("", |value| value.to_str().unwrap());
        match seen.uri.path() {
            "/near.png" => response(&[("content-type", "image/png")], PNG),
            "/feed" => response(&[("content-type", "application/rss+xml")], "<rss><channel><item><link>/wall</link></item></channel></rss>"),
            _ if cookies.is_empty() => {
                let mut moved = response(&[("location", "/wall"), ("set-cookie", "wall=passed; Path=/")], "");
                *moved.status_mut() = StatusCode::FOUND;
                moved
            }
            _ => html(format!("<!doctype html><title>Inside</title><main><h1>Inside</h1>{TEXT}<img src=/near.png width=300 height=200 alt=near><img src='{elsewhere}' width=300 height=200 alt=far>{TEXT}</main>")),
        }
    })
    .await;
    let targets = "targets: ['127.0.0.1:1-65535', '[::1]:1-65535']";
    let proxy = TestProxy::start(&format!("read: {{ {targets} }}")).await;
    let answer = read(&proxy, &site.url("/wall")).await;
    assert!(answer.status == 502 && answer.text().contains("without an end"), "{}", answer.text());
    proxy.stop().await;
    let proxy = TestProxy::start(&format!("read: {{ {targets}, cookies: true }}")).await;
    let answer = read(&proxy, &site.url("/wall")).await;
    assert!(answer.text().contains("single hand"), "{}", answer.text());
    assert!(!answer.headers.contains_key("set-cookie"), "{:?}", answer.headers);
    let sent = |origin: &Origin| origin.last().headers.get("cookie").map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(sent(&site).as_deref(), Some("wall=passed"));
    // Its pictures are asked for with it, those of other sites are not.
    for (picture, cookie) in [("near.png", Some("wall=passed")), ("far.png", None)] {
        let start = answer.text().find("/read/picture").unwrap();
        let address = answer.text()[start..].split("/read/picture").find(|part| part.contains(picture)).unwrap();
        let address =
            format!("{}/read/picture{}", proxy.url(), address.split('"').next().unwrap().replace("&amp;", "&"));
        assert_eq!(get(&proxy, &address, &[]).await.header("content-type"), "image/png");
        assert_eq!(sent(if cookie.is_some() { &site } else { &other }).as_deref(), cookie, "{picture}");
    }
    // Another device has a jar of its own, and what a feed leads to is fetched without: all devices get it.
    let count = site.requests().len();
    read_with(&proxy, &site.url("/wall"), "", &[("user-agent", "Other")]).await;
    assert!(site.requests()[count].headers.get("cookie").is_none());
    let count = site.requests().len();
    get(&proxy, &format!("{}/read?feed={}", proxy.url(), escaped(&site.url("/feed"))), &[]).await;
    assert!(
        site.requests().len() > count
            && site.requests()[count..].iter().all(|seen| !seen.headers.contains_key("cookie"))
    );
    proxy.stop().await;
}
