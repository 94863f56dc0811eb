//! Pages that are not rewritten, of which a style sheet hides what the lists hide.

use std::{io::Write, time::Duration};

use flate2::{Compression, write::GzEncoder};
use http::HeaderMap;

use super::with_list;
use crate::harness::{
    Origin, TestProxy,
    browsers::Browser,
    get,
    optional::unpacked,
    origin::{Recorded, html, response},
};

/// What a list hides everywhere, by a class, an id and an attribute; on one site; and what is beyond CSS.
const RULES: &str = "##.ad-box\n###late-ad\n##div[data-slot]\n127.0.0.1##.own > p\nother.example##.ad-elsewhere\n##.kept\n127.0.0.1#@#.kept\n\
                     ##.unused-here\n##p:has-text(Sponsored)\n##[title=\"</style><script>\"]\n";

/// An application: a script draws its text, and advertisements among it.
const APPLICATION: &str = "<!doctype html><html lang=en><head><title>Mail</title></head><body><style>body { color: rgb(1, 2, 3) }</style><div id=app></div><script>\
     const box = (attributes, text) => `<div ${attributes} style='height:50px'>${text}</div>`;\
     document.getElementById('app').innerHTML = box('id=letter', 'A letter') + box('class=ad-box', 'Ad') + box('id=late-ad', 'Ad') + \
     box('data-slot=1', 'Ad') + box('class=kept', 'Kept') + '<div class=own><p id=own>Ad</div>';\
     const height = selector => document.querySelector(selector).getBoundingClientRect().height;\
     const heights = ['#letter', '.ad-box', '#late-ad', '[data-slot]', '.kept', '#own', '#app'].map(height);\
     document.title = 'heights ' + heights.join(' ') + ' colour ' + getComputedStyle(document.body).color;\
     </script></body></html>";

/// Where the element is inserted in it.
const PLACE: &str = "<head>";

/// A policy of the page itself, which begins to count behind the element.
const OWN_POLICY: &str = "<meta http-equiv=Content-Security-Policy content=\"style-src-elem 'none'\"><title>";

fn application(
    fields: &'static [(&'static str, &'static str)],
) -> impl Fn(&Recorded) -> http::Response<http_body_util::Full<bytes::Bytes>> {
    move |_| {
        let mut page = html(APPLICATION);
        for (name, value) in fields {
            page.headers_mut().append(*name, value.parse().unwrap());
        }
        page
    }
}

/// The page without the element, and the element's style sheet.
fn taken_apart(page: &str) -> (String, String) {
    let (before, rest) = page.split_once("<style data-gleaner=\"hiding\">").unwrap();
    let (css, after) = rest.split_once("</style>").unwrap();
    (format!("{before}{after}"), css.to_owned())
}

fn policies(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all("content-security-policy").iter().map(|policy| policy.to_str().unwrap()).collect()
}

#[tokio::test]
async fn an_element_is_inserted_and_all_other_bytes_stay() {
    let (_dir, settings) = with_list(RULES);
    let origin = Origin::http(application(&[("etag", "\"1\"")])).await;
    let proxy = TestProxy::start(&settings).await;
    let page = get(&proxy, &origin.url("/"), &[("accept", "text/html")]).await;
    let (rest, css) = taken_apart(page.text());
    assert_eq!(rest, APPLICATION);
    assert_eq!(page.text().find("<style"), APPLICATION.find(PLACE).map(|at| at + PLACE.len()));
    for selector in [".ad-box", "#late-ad", "div[data-slot]", ".own > p"] {
        assert!(css.contains(&format!("{selector}{{display:none!important}}")), "{selector}: {css}");
    }
    // The site's exception, another site, what is nowhere in the page, what a browser does not know, and markup.
    for other in [".kept", "elsewhere", "unused", "has-text", "</"] {
        assert!(!css.contains(other), "{other}: {css}");
    }
    assert_eq!(page.header("gleaner"), "passed; reason=little-text; hiding=5");
    assert!(policies(&page.headers).is_empty());
    // A browser that has it asks for it by a tag of ours.
    let tag = page.header("etag").to_owned();
    assert!(tag.contains("gleaner-"), "{tag}");
    get(&proxy, &origin.url("/"), &[("accept", "text/html"), ("if-none-match", &tag)]).await;
    assert_eq!(origin.last().headers["if-none-match"], "\"1\"");
    // However it is packed.
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(APPLICATION.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let fields = [("content-type", "text/html; charset=utf-8"), ("content-encoding", "gzip")];
    let origin = Origin::http(move |_| response(&fields, packed.clone())).await;
    let page = get(&proxy, &origin.url("/"), &[("accept", "text/html"), ("accept-encoding", "gzip")]).await;
    assert_eq!(page.header("content-encoding"), "gzip");
    assert_eq!(taken_apart(std::str::from_utf8(&unpacked(&page.body)).unwrap()).0, APPLICATION);
    proxy.stop().await;
}

#[tokio::test]
async fn a_policy_is_widened_only_where_it_forbids_the_element() {
    let (_dir, settings) = with_list(RULES);
    let proxy = TestProxy::start(&settings).await;
    for (policy, is_widened) in [
        ("script-src 'self' 'unsafe-inline'; frame-ancestors 'none'", false),
        ("style-src 'self' 'unsafe-inline'", false),
        ("default-src * 'unsafe-inline'", false),
        ("style-src 'self'; img-src *", true),
        ("default-src 'none'; script-src *", true),
        ("style-src 'nonce-abc' 'unsafe-inline'", true),
    ] {
        let origin = Origin::http(move |_| {
            response(&[("content-type", "text/html; charset=utf-8"), ("content-security-policy", policy)], APPLICATION)
        })
        .await;
        let page = get(&proxy, &origin.url("/"), &[("accept", "text/html")]).await;
        assert!(page.header("gleaner").contains("hiding="), "{policy}");
        let sent = policies(&page.headers);
        assert_eq!(sent != [policy], is_widened, "{sent:?}");
        assert_eq!(sent[0].matches("'sha256-").count(), usize::from(is_widened), "{sent:?}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_page_in_doubt_passes_as_it_came() {
    let (_dir, settings) = with_list(RULES);
    let proxy = TestProxy::start(&settings).await;
    let page = |head: &str| format!("{head}<title>é</title><body class=ad-box><script>1</script>");
    let pages = [
        // No head, an encoding that is not declared, one that is not like ASCII, and a page that its program asked for.
        ("text/html; charset=utf-8", page(""), ("accept-language", "en")),
        ("text/html", page("<!doctype html><html><head>"), ("accept-language", "en")),
        ("text/html; charset=iso-2022-jp", page("<html><head>"), ("accept-language", "en")),
        ("text/html; charset=utf-8", APPLICATION.to_owned(), ("x-requested-with", "XMLHttpRequest")),
        ("text/html; charset=utf-8", APPLICATION.to_owned(), ("sec-fetch-dest", "empty")),
    ];
    for (media, page, field) in pages {
        let body = page.clone();
        let origin = Origin::http(move |_| response(&[("content-type", media)], body.clone())).await;
        let answer = get(&proxy, &origin.url("/"), &[("accept", "text/html"), field]).await;
        assert_eq!(answer.text(), page, "{media}");
        assert_eq!(answer.header("content-type"), media);
        assert!(answer.header("gleaner").starts_with("passed") && !answer.header("gleaner").contains("hiding"));
    }
    proxy.stop().await;
    // Nothing is hidden on the site; or the profile leaves pages alone.
    for more in [
        "blocking: { except: [127.0.0.1] }",
        "devices: [{ clients: [127.0.0.1], profile: off }]",
        "filters: { ad_servers: { enabled: false } }",
        "leave_alone: { hosts: [127.0.0.1] }",
    ] {
        let origin = Origin::http(application(&[])).await;
        let settings = if more.starts_with("blocking") {
            settings.replace("blocking: {", "blocking: { except: [127.0.0.1],")
        } else {
            format!("{settings}{more}\n")
        };
        let proxy = TestProxy::start(&settings).await;
        let page = get(&proxy, &origin.url("/"), &[("accept", "text/html")]).await;
        assert_eq!(page.text(), APPLICATION, "{more}");
        proxy.stop().await;
    }
}

#[tokio::test]
async fn a_declaration_in_the_page_still_counts() {
    let (_dir, settings) = with_list(RULES);
    let page = b"<html><head><meta charset=koi8-r><title>\xf0</title></head><body class=ad-box><script>1</script>";
    let origin = Origin::http(move |_| response(&[("content-type", "text/html")], &page[..])).await;
    let proxy = TestProxy::start(&settings).await;
    let answer = get(&proxy, &origin.url("/"), &[("accept", "text/html")]).await;
    assert_eq!(answer.header("content-type"), "text/html; charset=KOI8-R");
    let at = answer.body.windows(7).position(|bytes| bytes == b"<style ").unwrap();
    assert!(answer.body.ends_with(&page[at..]) && answer.body.starts_with(&page[..at]));
    proxy.stop().await;
}

#[tokio::test]
async fn boxes_of_advertisements_close_up_in_an_application() {
    let Some(browser) = Browser::find() else { return };
    let (_dir, settings) = with_list(RULES);
    let plain = TestProxy::start("blocking: { enabled: false }").await;
    let proxy = TestProxy::start(&settings).await;
    // The page's own style element counts, unless its policy forbids it.
    let fields =
        |policy: &'static str| [("content-type", "text/html; charset=utf-8"), ("content-security-policy", policy)];
    let with_own_policy = APPLICATION.replace("<title>", OWN_POLICY);
    for (policy, page, colour) in [
        ("img-src *", APPLICATION, "colour rgb(1, 2, 3)"),
        ("style-src-elem 'self'", APPLICATION, "colour rgb(0, 0, 0)"),
        ("style-src 'self'; style-src-attr 'unsafe-inline'", APPLICATION, "colour rgb(0, 0, 0)"),
        ("img-src *", &with_own_policy, "colour rgb(0, 0, 0)"),
    ] {
        let page = page.to_owned();
        let origin = Origin::http(move |_| response(&fields(policy), page.clone())).await;
        let load = async |proxy: &TestProxy| browser.dom_after(Duration::from_secs(5), proxy, origin.url("/")).await;
        let (before, after) = (load(&plain).await, load(&proxy).await);
        assert!(before.contains("heights 50 50 50 50 50 ") && before.contains(colour), "{before}");
        assert!(after.contains("heights 50 0 0 0 50 0 100") && after.contains(colour), "{after}");
    }
    plain.stop().await;
    proxy.stop().await;
}

#[tokio::test]
async fn boxes_of_refused_frames_and_pictures_close_up_in_an_application() {
    const PAGE: &str = "<!doctype html><html lang=en><head><title>Mail</title></head><body><iframe id=a src='//ads.example/x>y?b=1&amp;c=\"2\"'></iframe>\
         <img id=b alt=Ad src=http://ads.example/b.png><object id=c data=http://ads.example/c></object><embed id=d src=http://ads.example/d>\
         <iframe id=e src=http://stays.example/></iframe><img id=f alt=Own src=http://ads.example/own.png><script>\
         const isClosed = id => getComputedStyle(document.getElementById(id)).display == 'none';\
         document.title = 'closed: ' + ['a', 'b', 'c', 'd', 'e', 'f'].filter(isClosed).join(' ') + '.';</script></body></html>";
    let Some(browser) = Browser::find() else { return };
    let (_dir, settings) = with_list("||ads.example^\n@@||ads.example/own.png\n");
    let origin = Origin::http(|_| {
        response(&[("content-type", "text/html; charset=utf-8"), ("content-security-policy", "style-src 'self'")], PAGE)
    })
    .await;
    for (settings, closed) in [
        ("blocking: { enabled: false }", "closed: ."),
        (&settings, "closed: a b c d."),
        (&settings.replace("blocking: {", "blocking: { requests: false,"), "closed: ."),
    ] {
        let proxy = TestProxy::start(settings).await;
        let seen = browser.dom_after(Duration::from_secs(5), &proxy, origin.url("/")).await;
        assert!(seen.contains(closed), "{settings}: {seen}");
        proxy.stop().await;
    }
}
