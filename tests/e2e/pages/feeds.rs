//! Full text of feeds at the reader's address, as a library of feed readers (Python's feedparser) understands it.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
};

use encoding_rs::{WINDOWS_1251, WINDOWS_1252};
use futures_util::future::join_all;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, sync::Notify};
use url::form_urlencoded::byte_serialize;

use crate::{
    harness::{
        Origin, TestProxy,
        client::Answer,
        get, optional,
        origin::{Recorded, html, read_head, response},
    },
    http::private_targets::watched,
};

const TEXT: &str = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice. Visitors set their watches by the bakery.</p>";

/// Origins of tests stand on this machine.
const TARGETS: &str = "read: { targets: ['127.0.0.0/8:1-65535'] }";

const FORMATS: [&str; 10] =
    ["rss", "rss-excerpt", "rss-0.91", "rss-guid", "rdf", "atom", "atom-prefix", "atom-xhtml", "json-1.0", "json-1.1"];

const FLAVOURS: [&str; 5] = ["plain", "latin-1", "mark", "cyrillic", "rich"];

/// The article at the end of items' links.
fn article(words: &str) -> String {
    let more = "<p>The bakery opens at five, which the clock does not show. Its owner sells bread to those who are late, and a better clock \
                to nobody, because the one in the tower has made the town famous for being unhurried.</p>";
    format!(
        "<!doctype html><html lang=en><title>{words}</title><nav><a href=/>Home</a></nav><main><h1>{words}</h1>{TEXT}\
         <p>Known as {words}.</p>{more}</main>"
    )
}

/// The text of an item that has it all.
fn whole_text() -> String {
    format!("<p>Whole by itself. {}</p>", "Nothing is missing here. ".repeat(20))
}

/// A feed of three items: one with a summary, one whose page is missing, one with its text. Each format differs in how it says so.
fn feed(format: &str, flavour: &str, links: &[String; 3]) -> String {
    let title = |n: usize| match flavour {
        "cyrillic" => format!("Часы {n}"),
        _ => format!("The clock’s “hand” &amp; more {n}")
            .replace(['’', '“', '”'], if flavour == "latin-1" { "é" } else { "’" }),
    };
    let html = |text: &str| match flavour {
        "mark" => format!("<![CDATA[{text}]]>"),
        _ => text.replace('&', "&amp;").replace('<', "&lt;"),
    };
    let extra = if flavour == "rich" {
        "<dc:creator xmlns:dc='http://purl.org/dc/elements/1.1/'>Anna</dc:creator><!-- <item> --><media:thumbnail xmlns:media='http://search.yahoo.com/mrss/' url='http://a.example/t.png'/>\
         <itunes:duration xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>1:02</itunes:duration>"
    } else {
        ""
    };
    let summary = html("<p>A clock in a <b>town</b> [...]</p>");
    let whole = html(&whole_text());
    let encoded = |text: &str| {
        format!("<content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>{text}</content:encoded>")
    };
    let items = links.iter().enumerate().map(|(n, link)| {
        let (title, date) = (title(n), "Tue, 03 Jun 2003 09:39:21 GMT");
        let link = link.replace('&', "&amp;");
        match format {
            "rss" | "rss-excerpt" | "rss-0.91" | "rss-guid" => {
                let id = match format {
                    "rss-guid" => format!("<guid>{link}</guid>"),
                    "rss-0.91" => format!("<link>{link}</link>"),
                    _ => format!("<link>{link}</link><guid isPermaLink=\"false\">id-{n}</guid>"),
                };
                let text = match (n, format) {
                    (2, _) => encoded(&whole),
                    (_, "rss-excerpt") => encoded(&summary),
                    _ => String::new(),
                };
                format!("<item><title>{title}</title>{id}<description>{summary}</description><pubDate>{date}</pubDate>{text}{extra}</item>")
            }
            "rdf" => {
                let text = if n == 2 { encoded(&whole) } else { String::new() };
                format!("<item rdf:about=\"{link}\"><title>{title}</title><link>{link}</link><description>{summary}</description>{text}{extra}</item>")
            }
            _ => {
                let p = if format == "atom-prefix" { "a:" } else { "" };
                let text = match n {
                    2 => format!("<{p}content type=\"html\">{whole}</{p}content>"),
                    _ if format == "atom-xhtml" => format!("<{p}summary type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>A <b>clock</b></p></div></{p}summary>"),
                    _ => format!("<{p}summary type=\"html\">{summary}</{p}summary>"),
                };
                format!("<{p}entry><{p}title type='html'>{title}</{p}title><{p}link rel='self' href='http://other.example/'/><{p}link href='{link}'/>\
                         <{p}id>tag:a.example,2003:{n}</{p}id><{p}updated>2003-12-13T18:30:02Z</{p}updated>{text}{extra}</{p}entry>")
            }
        }
    });
    let items: String = items.collect();
    let encoding = match flavour {
        "latin-1" => "iso-8859-1",
        "cyrillic" => "windows-1251",
        _ => "utf-8",
    };
    let mut start = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n");
    if flavour == "rich" {
        start.push_str("<?xml-stylesheet type='text/xsl' href='/style.xsl'?><!-- made by hand -->\n");
    }
    match format {
        "rdf" => format!(
            "{start}<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\"><channel rdf:about='http://a.example/'><title>Feed</title><link>http://a.example/</link></channel>{items}</rdf:RDF>\n"
        ),
        "atom-prefix" => format!(
            "{start}<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\"><a:title>Feed</a:title><a:id>urn:x</a:id>{items}</a:feed>\n"
        ),
        _ if format.starts_with("atom") => format!(
            "{start}<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Feed</title><id>urn:x</id>{items}</feed>\n"
        ),
        "rss-0.91" => format!(
            "{start}<!DOCTYPE rss PUBLIC \"-//Netscape Communications//DTD RSS 0.91//EN\" \"http://my.netscape.com/publish/formats/rss-0.91.dtd\">\n<rss version=\"0.91\"><channel><title>Feed</title><link>http://a.example/</link>{items}</channel></rss>\n"
        ),
        _ => format!(
            "{start}<rss version=\"2.0\"><channel><title>Feed</title><link>http://a.example/</link><item_count>3</item_count>{items}</channel></rss>\n"
        ),
    }
}

fn json_feed(version: &str, links: &[String; 3]) -> String {
    let items: Vec<Value> = links
        .iter()
        .enumerate()
        .map(|(n, link)| {
            let mut item = json!({ "id": format!("id-{n}"), "url": link, "title": format!("Clock {n}"), "summary": "A clock […]", "date_published": "2003-12-13T18:30:02Z", "_own": { "n": n } });
            if n == 2 {
                item["content_html"] = whole_text().into();
            }
            item
        })
        .collect();
    json!({ "version": format!("https://jsonfeed.org/version/{}", version.trim_end_matches(".0")), "title": "Feed", "items": items }).to_string()
}

fn bytes_of(text: &str, flavour: &str) -> Vec<u8> {
    match flavour {
        "latin-1" => WINDOWS_1252.encode(text).0.into_owned(),
        "cyrillic" => WINDOWS_1251.encode(text).0.into_owned(),
        "mark" => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        _ => text.as_bytes().to_vec(),
    }
}

/// Addresses of a server on this machine, each with a host of its own, so that no request waits for another.
fn host(group: usize, number: usize) -> String {
    format!("127.{}.{}.{}", 1 + group / 200, 1 + group % 200, 1 + number)
}

fn words(group: usize) -> String {
    format!("clock number {group}")
}

async fn at_every_host(
    handler: impl Fn(&Recorded) -> http::Response<http_body_util::Full<bytes::Bytes>> + Send + Sync + 'static,
) -> Origin {
    Origin::at(("0.0.0.0", 0), handler).await
}

async fn full_text(proxy: &TestProxy, feed: &str, fields: &[(&str, &str)]) -> Answer {
    let feed: String = byte_serialize(feed.as_bytes()).collect();
    get(proxy, &format!("{}/read?feed={feed}", proxy.url()), fields).await
}

/// What differs between the feeds in `N.before` and `N.after`, as feedparser reads them.
const COMPARE: &str = r#"
import sys, os, feedparser
folder, count = sys.argv[1], int(sys.argv[2])
seen = 0
for n in range(count):
    if not os.path.exists(f"{folder}/{n}.before"): continue
    seen += 1
    one, other = (feedparser.parse(open(f"{folder}/{n}.{what}", "rb").read(), response_headers={"content-type": "application/xml"}) for what in ("before", "after"))
    def differ(what, a, b):
        if a != b: print(n, what, repr(a)[:300], repr(b)[:300])
    differ("version", one.version, other.version)
    if other.bozo and not one.bozo: print(n, "broken", other.bozo_exception)
    differ("count", len(one.entries), len(other.entries))
    for at, (a, b) in enumerate(zip(one.entries, other.entries)):
        for name in ("id", "guidislink", "title", "link", "links", "published", "updated", "summary", "author", "itunes_duration", "media_thumbnail"):
            if name == "summary" and at == 0: continue
            differ(f"{at} {name}", a.get(name), b.get(name))
        text = lambda entry: "".join(c.value for c in entry.get("content", []))
        if at == 0:
            if f"Known as clock number {n}." not in text(b): print(n, "has no text", repr(b)[:500])
            if "<h1" in text(b) or "Home" in text(b): print(n, "has more than the text", text(b)[:500])
        else:
            differ(f"{at} text", text(a), text(b))
print("seen", seen)
"#;

#[tokio::test]
async fn fifty_feeds_get_the_texts_of_their_pages_and_keep_all_else() {
    let python = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        Command::new(python).args(["-c", "import feedparser"]).output().is_ok_and(|output| output.status.success())
    });
    let Some(python) = python else {
        return optional::skip("feedparser is not installed: apt install python3-feedparser");
    };
    let kinds: Arc<Vec<(&str, &str)>> =
        Arc::new(FORMATS.iter().flat_map(|format| FLAVOURS.map(|flavour| (*format, flavour))).collect());
    assert_eq!(kinds.len(), 50);
    let known = Arc::clone(&kinds);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let pages = Arc::clone(&asked);
    let site = at_every_host(move |seen| {
        let path = seen.uri.path().to_owned();
        let number: usize = path.rsplit('/').next().unwrap().parse().unwrap();
        let (format, flavour) = known[number];
        if path.starts_with("/feed/") {
            let port: u16 = seen.headers["host"].to_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
            let link = |n: usize, what: &str| match (flavour, what) {
                // Of the host of the feed.
                ("plain", "page") => format!("/page/{number}?a=1&b=2"),
                _ => format!("http://{}:{port}/{what}/{number}?a=1&b=2", host(number, n)),
            };
            let links = [link(1, "page"), link(2, "missing"), link(3, "whole")];
            if format.starts_with("json") {
                return response(&[("content-type", "application/json")], json_feed(&format[5..], &links));
            }
            return response(&[("content-type", "text/xml")], bytes_of(&feed(format, flavour, &links), flavour));
        }
        pages.lock().unwrap().push(path.clone());
        if path.starts_with("/page/") {
            return html(article(&words(number)));
        }
        let mut missing = html(article("missing"));
        *missing.status_mut() = StatusCode::NOT_FOUND;
        missing
    })
    .await;
    let proxy = TestProxy::start(&format!("access: {{ allow_targets: ['127.0.0.0/8:1-65535'] }}\n{TARGETS}")).await;
    let dir = tempfile::tempdir().unwrap();
    let port = site.addr.port();
    let all = (0..kinds.len()).map(async |number| {
        let address = format!("http://{}:{port}/feed/{number}", host(number, 0));
        let before = get(&proxy, &address, &[]).await;
        let after = full_text(&proxy, &address, &[("accept", "*/*")]).await;
        (number, before, after)
    });
    let all = join_all(all).await;
    for (number, before, after) in all {
        let (format, flavour) = kinds[number];
        assert_eq!(after.status, 200, "{format} {flavour}: {}", after.text());
        // A browser shows nothing of it.
        assert!(after.header("content-disposition").starts_with("attachment"));
        assert!(after.header("content-security-policy").contains("sandbox"));
        let media = match format.split('-').next().unwrap() {
            "json" => "application/feed+json",
            kind => &format!("application/{kind}+xml; charset=utf-8"),
        };
        assert_eq!(after.header("content-type"), media);
        if format.starts_with("json") {
            let [before, mut after]: [Value; 2] =
                [&before, &after].map(|answer| serde_json::from_slice(&answer.body).unwrap());
            let text = after["items"][0].as_object_mut().unwrap().remove("content_html").unwrap();
            assert!(text.as_str().unwrap().contains(&format!("Known as {}.", words(number))), "{text}");
            assert_eq!(before, after);
            continue;
        }
        assert!(!after.text().contains("xml-stylesheet"), "{}", after.text());
        for (what, answer) in [("before", &before), ("after", &after)] {
            fs::write(dir.path().join(format!("{number}.{what}")), &answer.body).unwrap();
        }
    }
    assert_eq!(compare(python, dir.path(), kinds.len()), "seen 40\n");
    // What has its text is not asked for.
    let asked = asked.lock().unwrap().clone();
    assert!(asked.iter().all(|path| !path.starts_with("/whole/")) && asked.len() == 100, "{asked:?}");
    proxy.stop().await;
}

fn compare(python: &str, folder: &Path, count: usize) -> String {
    let output = Command::new(python).args(["-c", COMPARE]).arg(folder).arg(count.to_string()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn rss(links: impl IntoIterator<Item = String>) -> String {
    let items =
        links.into_iter().map(|link| format!("<item><link>{link}</link><description>A summary.</description></item>"));
    format!("<rss version=\"2.0\"><channel>{}</channel></rss>", items.collect::<String>())
}

#[tokio::test]
async fn ten_new_items_come_at_a_time_and_none_twice() {
    let site = at_every_host(|seen| match seen.uri.path() {
        "/feed" => {
            let port = seen.headers["host"].to_str().unwrap().rsplit(':').next().unwrap().to_owned();
            response(
                &[("content-type", "application/rss+xml")],
                rss((1..=12).map(|n| format!("http://{}:{port}/page", host(99, n)))),
            )
        }
        _ => html(article("a clock")),
    })
    .await;
    let proxy = TestProxy::start(TARGETS).await;
    let address = format!("http://{}:{}/feed", host(99, 0), site.addr.port());
    let mut answers = Vec::new();
    for (filled, asked) in [(10, 11), (12, 14), (12, 15)] {
        let answer = full_text(&proxy, &address, &[]).await;
        assert_eq!(answer.text().matches("single hand").count(), filled, "{}", answer.text());
        assert_eq!(answer.text().matches("A summary.").count(), 12);
        assert_eq!(site.requests().len(), asked);
        answers.push(answer);
    }
    // Whoever has it is told so.
    assert_ne!(answers[0].header("etag"), answers[1].header("etag"));
    let tag = answers[1].header("etag");
    let answer = full_text(&proxy, &address, &[("if-none-match", tag)]).await;
    assert_eq!((answer.status, answer.body.len()), (StatusCode::NOT_MODIFIED, 0));
    // Another configuration may read pages otherwise.
    proxy.reload(&format!("{TARGETS}\nfilters: {{ empty_tables: {{ enabled: false }} }}"));
    let answer = full_text(&proxy, &address, &[]).await;
    assert_eq!((answer.status, answer.text().matches("single hand").count()), (StatusCode::OK, 10));
    proxy.stop().await;
}

/// A site that answers when three are waiting, and not before.
#[tokio::test]
async fn three_pages_are_fetched_at_once() {
    let waiting = Arc::new((Mutex::new(0_usize), Notify::new()));
    let port = crate::harness::client::free_port();
    let pages = Arc::clone(&waiting);
    let _site = Origin::sockets_at(([0, 0, 0, 0], port), move |mut stream| {
        let waiting = Arc::clone(&pages);
        async move {
            let head = read_head(&mut stream).await;
            let body = if head.starts_with("GET /feed") {
                rss((1..=6).map(|n| format!("http://{}:{port}/page", host(98, n))))
            } else {
                let (count, changed) = &*waiting;
                let number = {
                    let mut count = count.lock().unwrap();
                    *count += 1;
                    *count
                };
                changed.notify_waiters();
                // The number of the three that it belongs to.
                let last = number.div_ceil(3) * 3;
                loop {
                    let notified = changed.notified();
                    if *count.lock().unwrap() >= last {
                        break;
                    }
                    notified.await;
                }
                article("a clock")
            };
            let kind = if body.starts_with("<rss") { "text/xml" } else { "text/html" };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    let proxy = TestProxy::start(TARGETS).await;
    let answer = full_text(&proxy, &format!("http://{}:{port}/feed", host(98, 0)), &[]).await;
    assert_eq!(answer.text().matches("single hand").count(), 6, "{}", answer.text());
    proxy.stop().await;
}

#[tokio::test]
async fn feeds_and_their_items_do_not_lead_home() {
    let (private, mut told) = watched().await;
    let links: Vec<String> = ["127.0.0.1", "localhost", "[::1]", "2130706433"]
        .map(|host| format!("http://{host}:{}/", private.addr.port()))
        .into();
    let count = links.len();
    let site = Origin::http(move |seen| match seen.uri.path() {
        "/feed" => response(
            &[("content-type", "text/xml")],
            rss(links.iter().cloned().chain(["/moved".to_owned(), "file:///etc/passwd".to_owned()])),
        ),
        "/page" => html(article("a clock")),
        _ => {
            let mut moved = response(&[("location", links[0].as_str())], "");
            *moved.status_mut() = StatusCode::FOUND;
            moved
        }
    })
    .await;
    // Whatever `access` allows.
    let open = "access: { allow_targets: ['0.0.0.0/0:1-65535', '::/0:1-65535'], private_targets: allow }";
    let proxy = TestProxy::start(&format!("{open}\nread: {{ targets: ['127.0.0.1:{}'] }}", site.addr.port())).await;
    let answer = full_text(&proxy, &site.url("/feed"), &[]).await;
    assert_eq!(answer.text().matches("A summary.").count(), count + 2, "{}", answer.text());
    assert!(!answer.text().contains("encoded") && !answer.text().contains("reached"), "{}", answer.text());
    for address in [site.url("/moved"), private.url("/"), proxy.url(), "http://gleaner.internal/".to_owned()] {
        assert_eq!(full_text(&proxy, &address, &[]).await.status, 403, "{address}");
    }
    assert!(told.try_recv().is_err(), "someone was connected to");
    // A page is no feed, and another site's page asks for none.
    let answer = full_text(&proxy, &site.url("/page"), &[]).await;
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("no RSS"), "{}", answer.text());
    let asked = site.requests().len();
    assert_eq!(full_text(&proxy, &site.url("/feed"), &[("referer", "http://evil.example/")]).await.status, 403);
    assert_eq!(site.requests().len(), asked);
    proxy.stop().await;
}

#[tokio::test]
async fn the_address_for_a_feed_reader_is_found_on_our_page() {
    let proxy = TestProxy::start("").await;
    let page = get(&proxy, &format!("{}/read", proxy.url()), &[]).await;
    assert!(page.text().contains("name=\"subscribe\""), "{}", page.text());
    let page = get(&proxy, &format!("{}/read?subscribe=a.example/feed%3Fx%3D1", proxy.url()), &[]).await;
    let address = format!("{}/read?feed=https%3A%2F%2Fa.example%2Ffeed%3Fx%3D1", proxy.url());
    assert!(page.text().contains(&address), "{address}: {}", page.text());
    proxy.stop().await;
}

#[tokio::test]
async fn a_page_leads_to_the_feed_that_it_names_and_no_further() {
    let name = |path: &str| {
        html(format!(
            "<!doctype html><title>Blog</title><link rel=alternate type=application/rss+xml href='{path}'><p>{TEXT}"
        ))
    };
    let site = Origin::http(move |seen| match seen.uri.path() {
        "/blog" => name("/feed"),
        "/feed" => response(&[("content-type", "application/rss+xml")], rss(["/article".to_owned()])),
        "/other" => name("/blog"),
        "/home" => name("http://192.168.0.1/feed"),
        "/none" => html(article("none")),
        _ => html(article("found")),
    })
    .await;
    let proxy = TestProxy::start(TARGETS).await;
    let answer = full_text(&proxy, &site.url("/blog"), &[]).await;
    assert!(answer.header("content-type").starts_with("application/rss+xml"), "{:?}", answer.headers);
    assert!(answer.text().contains("Known as found."), "{}", answer.text());
    for path in ["/other", "/none"] {
        let answer = full_text(&proxy, &site.url(path), &[]).await;
        assert!(answer.status == 502 && answer.text().contains("no page that names one"), "{}", answer.text());
    }
    assert_eq!(full_text(&proxy, &site.url("/home"), &[]).await.status, 403);
    proxy.stop().await;
}
