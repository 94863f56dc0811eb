//! Only pages that a person reads are rewritten; programs, feeds, scripts and resumed downloads get what the origin
//! sent.

use std::{fs, path::Path, process::Command};

use http::{Response, StatusCode};
use http_body_util::Full;
use tokio::task::spawn_blocking;

use crate::harness::{
    Origin, PAGE, TestProxy, get, optional,
    origin::{Recorded, html, response},
};

/// A simple index (PEP 503): a good release, a yanked one, and one for no Python of today.
const INDEX: &str = r#"<!DOCTYPE html><html><head><title>Links for demo</title></head><body><h1>Links for demo</h1>
<a href="/demo-1.0-py3-none-any.whl#sha256=1" data-requires-python="&gt;=3.6">demo-1.0-py3-none-any.whl</a><br/>
<a href="/demo-2.0-py3-none-any.whl#sha256=2" data-yanked="broken">demo-2.0-py3-none-any.whl</a><br/>
<a href="/demo-3.0-py3-none-any.whl#sha256=3" data-requires-python="&gt;=99">demo-3.0-py3-none-any.whl</a><br/>
</body></html>"#;

/// Everything stays in the page, so that only what it is sent as decides.
const KEEPS_ALL: &str = "filters: { order: [] }";

/// A program that uses the proxy and nothing of the machine's settings.
async fn run(mut command: Command) -> String {
    for name in ["no_proxy", "NO_PROXY", "http_proxy", "HTTP_PROXY"] {
        command.env_remove(name);
    }
    let output = spawn_blocking(move || command.output().unwrap()).await;
    let output = output.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[tokio::test]
async fn pip_finds_the_releases_it_finds_without_the_proxy() {
    let Some(pip) = optional::program("pip3", "python3-pip") else {
        return;
    };
    let origin = Origin::http(|_| html(INDEX)).await;
    let proxy = TestProxy::start(KEEPS_ALL).await;
    let mut command = Command::new(pip);
    command
        .args(["index", "versions", "demo", "--disable-pip-version-check"])
        .args(["--proxy", &proxy.url(), "--trusted-host", "127.0.0.1"])
        .args(["--index-url", &origin.url("/simple/")])
        .env("PIP_CONFIG_FILE", "/dev/null");
    let found = run(command).await;
    assert!(found.contains("Available versions: 1.0\n"), "{found}");
    assert_eq!(origin.last().uri.path(), "/simple/demo/");
    proxy.stop().await;
}

/// Whether a page is rewritten for a client that sends these fields.
async fn is_rewritten(proxy: &TestProxy, origin: &Origin, fields: &[(&str, &str)]) -> bool {
    let answer = get(proxy, &origin.url("/"), fields).await;
    let action = answer.header("gleaner");
    if !action.starts_with("rewritten") {
        assert_eq!(answer.text(), PAGE, "{fields:?}");
    }
    action.starts_with("rewritten")
}

#[tokio::test]
async fn whoever_wants_a_page_first_gets_it_rewritten() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    for accept in [
        // Firefox and Chromium over plain HTTP, where no browser sends `Sec-Fetch-Dest`.
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
        // Safari 4 and e-readers of its time.
        "application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5",
        // Internet Explorer 6.
        "image/gif, image/x-xbitmap, image/jpeg, image/pjpeg, application/x-shockwave-flash, */*",
        // lynx, w3m, dillo, and curl, wget, links, KOReader.
        "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01",
        "text/html, text/*;q=0.5, image/*, application/*, audio/*",
        "text/*,image/*,*/*;q=0.2",
        "*/*",
    ] {
        assert!(is_rewritten(&proxy, &origin, &[("accept", accept)]).await, "{accept}");
    }
    assert!(is_rewritten(&proxy, &origin, &[]).await);
    let document = [("sec-fetch-dest", "document"), ("accept", "application/json")];
    assert!(is_rewritten(&proxy, &origin, &document).await);
    proxy.stop().await;
}

#[tokio::test]
async fn whoever_wants_something_else_first_gets_the_original() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    for accept in [
        // pip, uv and poetry.
        "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01",
        "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01",
        // Scripts, style sheets and pictures of pages over plain HTTP.
        "application/json, text/javascript, */*; q=0.01",
        "text/css,*/*;q=0.1",
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        // Readers of feeds.
        "application/atom+xml, application/rss+xml;q=0.9, text/html;q=0.3",
        "application/json",
        "text/html;q=0, */*",
    ] {
        assert!(!is_rewritten(&proxy, &origin, &[("accept", accept)]).await, "{accept}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn what_is_no_html_passes_though_it_is_sent_as_html() {
    let filler = "<item><title>One</title></item>".repeat(200);
    let texts = [
        format!("<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>Feed</title>{filler}</channel></rss>"),
        format!("<!-- made by hand -->\n<rss><channel><title>Feed</title>{filler}</channel></rss>"),
        format!(
            "\u{feff}<?xml version='1.0'?><?xml-stylesheet href='a.xsl'?><feed xmlns='http://www.w3.org/2005/Atom'><title>Feed</title>{filler}</feed>"
        ),
        format!("<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel><title>Feed</title>{filler}</channel></rdf:RDF>"),
        format!("<?xml version='1.0'?><!DOCTYPE opml><opml><head><title>List</title></head>{filler}</opml>"),
        "<?xml version='1.0'?><urlset><url><loc>http://a.example/</loc></url></urlset>".to_owned(),
        "callback({\"html\": \"<html><head><title>x</title></head><body><p>One</p></body></html>\"});".to_owned(),
        "/**/ jQuery1.cb(\"<html><body><p>One</p></body></html>\")".to_owned(),
        "{\"page\": \"<!doctype html><html><body><p>One</p></body></html>\"}".to_owned(),
        "[\"<html><body>\"]".to_owned(),
        "document.write(\"<html><body><p>One</p></body></html>\");".to_owned(),
        "(function () { return \"<html><body><p>One</p></body></html>\"; })();".to_owned(),
        "var page = \"<html><body><p>One</p></body></html>\";".to_owned(),
        "// A script\nwindow.page = \"<html><body><p>One</p></body></html>\";".to_owned(),
        "'use strict'; write(\"<html><body><p>One</p></body></html>\");".to_owned(),
        "%PDF-1.4 <html><body>".to_owned(),
    ];
    let proxy = TestProxy::start(KEEPS_ALL).await;
    for text in texts {
        let copy = text.clone();
        let origin = Origin::http(move |_| html(copy.clone())).await;
        for fields in [&[][..], &[("sec-fetch-dest", "document")]] {
            let answer = get(&proxy, &origin.url("/"), fields).await;
            assert_eq!(answer.text(), text);
            assert_eq!(answer.header("gleaner"), "passed; reason=other-format", "{text}");
        }
    }
    proxy.stop().await;
}

#[tokio::test]
async fn html_is_known_by_its_beginning_whatever_stands_before_it() {
    let proxy = TestProxy::start(KEEPS_ALL).await;
    for before in [
        "",
        "\u{feff}  \r\n",
        "<!-- a licence, with <rss> in it -->",
        "<?xml version='1.0' encoding='utf-8'?>\n",
        "Warning: Undefined variable in /srv/index.php on line 3\n",
        "<br />\n<b>Notice</b>: no such index<br />",
        "<?php // never run ?>",
    ] {
        let text = format!("{before}{PAGE}");
        let origin = Origin::http(move |_| html(text.clone())).await;
        let answer = get(&proxy, &origin.url("/"), &[]).await;
        assert!(answer.header("gleaner").starts_with("rewritten"), "{before}");
    }
    proxy.stop().await;
}

/// A long article; what is rewritten is shorter.
fn article() -> String {
    let paragraph = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
                     council found that a second hand would cost as much as a bridge.";
    let menu = "<nav><ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul></nav>".repeat(3);
    let script = format!("<script>{}</script>", "run();".repeat(3000));
    format!("<!doctype html><title>The clock</title>{menu}<h1>The clock</h1>{}{script}", paragraph.repeat(12))
}

/// A server that knows ranges of the form `bytes=5-`.
fn with_ranges(request: &Recorded) -> Response<Full<bytes::Bytes>> {
    const TAG: &str = "\"v1\"";
    let whole = article();
    let from = request.headers.get("range").map(|range| {
        let range = range.to_str().unwrap().trim_start_matches("bytes=");
        range.trim_end_matches('-').parse::<usize>().unwrap()
    });
    let fields = [("etag", TAG), ("accept-ranges", "bytes")];
    let mut answer = match from {
        Some(from) if from >= whole.len() => {
            let mut answer = response(&[], "");
            *answer.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            answer
        }
        Some(from) => {
            let range = format!("bytes {from}-{}/{}", whole.len() - 1, whole.len());
            let mut answer = html(whole[from..].to_owned());
            *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
            answer.headers_mut().insert("content-range", range.parse().unwrap());
            answer
        }
        None => html(whole),
    };
    for (name, value) in fields {
        answer.headers_mut().insert(name, value.parse().unwrap());
    }
    let date = "Sat, 21 Nov 2026 11:00:00 GMT";
    answer.headers_mut().insert("last-modified", date.parse().unwrap());
    answer
}

#[tokio::test]
async fn a_rewritten_page_has_no_parts() {
    let origin = Origin::http(with_ranges).await;
    let proxy = TestProxy::start("").await;
    let whole = get(&proxy, &origin.url("/"), &[]).await;
    assert!(whole.header("gleaner").starts_with("rewritten"));
    assert_eq!(whole.header("accept-ranges"), "none");
    let (tag, date) = (whole.header("etag"), "Sat, 21 Nov 2026 11:00:00 GMT");
    for condition in [None, Some(tag), Some(date)] {
        let mut fields = vec![("range", "bytes=100-")];
        fields.extend(condition.map(|condition| ("if-range", condition)));
        let part = get(&proxy, &origin.url("/"), &fields).await;
        assert_eq!((part.status, part.body == whole.body), (StatusCode::OK, true), "{fields:?}");
    }
    proxy.stop().await;
}

/// Only who has the origin's own bytes knows its strong tag.
#[tokio::test]
async fn the_original_goes_on_where_it_was_begun() {
    let origin = Origin::http(with_ranges).await;
    let proxy = TestProxy::start("").await;
    for fields in [
        [("range", "bytes=100-"), ("if-range", "\"v1\"")],
        [("range", "bytes=100-"), ("accept", "application/json")],
        [("range", "bytes=100-"), ("sec-fetch-dest", "empty")],
    ] {
        let part = get(&proxy, &origin.url("/"), &fields).await;
        assert_eq!(part.status, StatusCode::PARTIAL_CONTENT, "{fields:?}");
        assert_eq!(part.text(), &article()[100..]);
    }
    proxy.stop().await;
}

#[tokio::test]
async fn wget_never_joins_a_rewritten_beginning_to_an_original_end() {
    let Some(wget) = optional::program("wget", "wget") else {
        return;
    };
    let origin = Origin::http(with_ranges).await;
    let proxy = TestProxy::start("").await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("page.html");
    let fetch = async |more: &[&str]| {
        let mut command = Command::new(&wget);
        command.args(["--no-config", "--execute=use_proxy=on", "--tries=1", "-O"]);
        command.arg(&file).args(more).arg(origin.url("/page.html"));
        command.arg(format!("--execute=http_proxy={}", proxy.url()));
        run(command).await
    };
    let read = |file: &Path| fs::read_to_string(file).unwrap();
    let told = fetch(&[]).await;
    let whole = read(&file);
    assert!(whole.contains("single hand") && whole.len() < article().len(), "{told}");
    for kept in [whole.len() / 2, whole.len()] {
        fs::write(&file, &whole[..kept]).unwrap();
        let told = fetch(&["-c"]).await;
        let now = read(&file);
        assert!(now == whole || now == whole[..kept], "{told}: {now}");
    }
    proxy.stop().await;
}

/// A cache that many share must not give one client what was made for another.
#[tokio::test]
async fn vary_names_what_was_looked_at_whatever_came_of_it() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    for fields in [
        &[][..],
        &[("accept", "application/json")],
        &[("sec-fetch-dest", "empty")],
        &[("x-requested-with", "XMLHttpRequest")],
    ] {
        let answer = get(&proxy, &origin.url("/"), fields).await;
        let vary = answer.headers.get_all("vary");
        let vary: Vec<_> = vary.iter().map(|value| value.to_str().unwrap()).collect();
        for name in ["Accept", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "X-Requested-With"] {
            assert!(vary.contains(&name), "{fields:?}: {vary:?}");
        }
    }
    proxy.stop().await;
}
