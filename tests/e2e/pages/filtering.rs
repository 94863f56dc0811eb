//! A page through the whole pipeline: decoded, rewritten, encoded; and what passes unchanged.

use std::io::Write;

use async_compression::tokio::write::{GzipDecoder, ZstdDecoder};
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use tokio::io::AsyncWriteExt;

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{html, response},
    raw,
    webdriver::Window,
    wire::{SCHEMES, Setup},
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Checks that the client gets the origin's bytes, with this reason.
async fn passes(fields: &'static [(&'static str, &'static str)], body: impl Into<Vec<u8>>, yaml: &str, reason: &str) {
    let body = body.into();
    let copy = body.clone();
    let origin = Origin::http(move |_| response(fields, copy.clone())).await;
    let proxy = TestProxy::start(yaml).await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), format!("passed; reason={reason}"));
    assert!(answer.body == body, "{} bytes became {}", body.len(), answer.body.len());
    for (name, value) in fields {
        assert_eq!(answer.header(name), *value);
    }
}

const HTML: &[(&str, &str)] = &[("content-type", "text/html; charset=utf-8")];
const GZIPPED: &[(&str, &str)] = &[("content-type", "text/html; charset=utf-8"), ("content-encoding", "gzip")];

#[tokio::test]
async fn a_page_is_rewritten_and_says_so() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert!(answer.header("gleaner").starts_with("rewritten; kept="));
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
}

#[tokio::test]
async fn codings_are_undone_and_the_clients_own_applied() {
    let page = format!("{PAGE}{}", "<p>more and more of it</p>".repeat(200));
    let body = gzip(page.as_bytes());
    let origin = Origin::http(move |_| response(GZIPPED, body.clone())).await;
    let proxy = TestProxy::start("").await;
    let plain = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(plain.header("content-encoding"), "");
    assert!(plain.text().contains("more and more"));
    for (accepted, coding) in [("gzip", "gzip"), ("br, gzip", "gzip"), ("gzip, br, zstd", "zstd")] {
        let coded = get(&proxy, &origin.url("/"), &[("accept-encoding", accepted)]).await;
        assert_eq!(coded.header("content-encoding"), coding);
        assert!(coded.body.len() < plain.body.len(), "{coding}");
        assert!(coded.header("gleaner").starts_with("rewritten"));
        macro_rules! decoded {
            ($decoder:ident) => {{
                let mut decoder = $decoder::new(Vec::new());
                decoder.write_all(&coded.body).await.unwrap();
                decoder.shutdown().await.unwrap();
                decoder.into_inner()
            }};
        }
        let decoded = if coding == "gzip" { decoded!(GzipDecoder) } else { decoded!(ZstdDecoder) };
        assert!(decoded == plain.body, "{coding}");
    }
}

#[tokio::test]
async fn a_coding_has_several_names_and_a_short_page_gets_none() {
    let body = gzip(PAGE.as_bytes());
    let fields = [("content-type", "text/html; charset=utf-8"), ("content-encoding", "X-GZIP, identity")];
    let origin = Origin::http(move |_| response(&fields, body.clone())).await;
    let proxy = TestProxy::start("filters: { order: [], output: { format: text } }").await;
    let answer = get(&proxy, &origin.url("/"), &[("accept-encoding", "gzip")]).await;
    assert_eq!(
        (answer.header("content-encoding"), answer.body.len() < 860),
        ("", true),
        "{}",
        answer.header("gleaner")
    );
    assert!(answer.text().contains("Grüße"), "{}", answer.text());
}

#[tokio::test]
async fn two_stacked_codings_are_undone() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(PAGE.as_bytes()).unwrap();
    let body = gzip(&zlib.finish().unwrap());
    let fields = [("content-type", "text/html; charset=utf-8"), ("content-encoding", "deflate, gzip")];
    let origin = Origin::http(move |_| response(&fields, body.clone())).await;
    let proxy = TestProxy::start("").await;
    assert!(get(&proxy, &origin.url("/"), &[]).await.text().contains("Grüße"));
}

/// The head of the reader look is ours, and the page's policy stood in its own.
#[tokio::test]
async fn a_policy_of_the_page_itself_holds_in_the_reader_look() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"form-action 'none'; sandbox\">";
    let page = PAGE.replacen("<title>", &format!("{policy}<title>"), 1);
    assert!(page.contains(policy));
    let origin = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert!(answer.header("gleaner").starts_with("rewritten"), "{answer:?}");
    let policies: Vec<_> = answer.headers.get_all("content-security-policy").iter().collect();
    assert!(policies.len() > 1 && policies.iter().any(|policy| *policy == "form-action 'none'"), "{policies:?}");
    proxy.stop().await;
}

#[tokio::test]
async fn fragments_pass() {
    passes(HTML, "<div>part of a page</div>", "", "fragment").await;
}

#[tokio::test]
async fn long_pages_pass() {
    let long = format!("{PAGE}{}", " ".repeat(5000));
    passes(HTML, long, "rewrite: { max_html_bytes: 4096 }", "too-large").await;
}

#[tokio::test]
async fn a_long_page_without_length_passes_too() {
    let body = format!("{PAGE}{}", "x".repeat(100_000));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    let origin = Origin::raw(format!("{head}{body}")).await;
    let proxy = TestProxy::start("rewrite: { max_html_bytes: 4096 }").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=too-large");
    assert_eq!(answer.text(), body);
}

#[tokio::test]
async fn no_transform_excepted_hosts_and_the_switch_are_obeyed() {
    const NO_TRANSFORM: &[(&str, &str)] = &[("content-type", "text/html"), ("cache-control", "no-transform")];
    passes(NO_TRANSFORM, PAGE, "", "no-transform").await;
    passes(HTML, PAGE, "rewrite: { except: [127.0.0.1] }", "host-excepted").await;
    passes(HTML, PAGE, "rewrite: { enabled: false }", "switched-off").await;
}

#[tokio::test]
async fn a_page_that_breaks_off_looks_broken() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n";
    let origin = Origin::raw(format!("{head}{PAGE}")).await;
    let proxy = TestProxy::start("").await;
    let request = format!("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", origin.url("/"));
    let answer = raw(proxy.addr, request).await;
    assert!(answer.contains("Gleaner: passed; reason=broken-off"), "{answer}");
    assert!(answer.contains("Content-Length: 9999") && answer.ends_with(PAGE), "{answer}");
}

#[tokio::test]
async fn what_a_script_fetches_passes() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[("sec-fetch-dest", "empty")]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=not-a-document");
    assert_eq!(answer.text(), PAGE);
}

#[tokio::test]
async fn a_rewritten_page_announces_no_trailers() {
    for scheme in SCHEMES {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n\
             {:x}\r\n{PAGE}\r\n0\r\nX-Sum: 1\r\n\r\n",
            PAGE.len()
        );
        let setup = Setup::answering(scheme, answer.as_bytes()).await;
        let request = "GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n";
        let got = setup.exchange(setup.fill(request).as_bytes()).await.to_lowercase();
        assert!(got.contains("gleaner: rewritten"), "{got}");
        assert!(!got.contains("trailer:") && !got.contains("x-sum"), "{got}");
    }
}

/// A webmail's policy against tracking pixels and injected addresses.
#[tokio::test]
async fn the_policy_of_the_site_holds_in_a_rewritten_page() {
    const POLICY: &str = "default-src 'self'; script-src 'nonce-1'; style-src 'self'; img-src 'self'; base-uri 'none'";
    let picture = "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='480'/>";
    let origin = Origin::http(move |request| match request.uri.path() {
        "/page" => {
            let host = request.headers["host"].to_str().unwrap().replace("127.0.0.1", "localhost");
            let words = "A letter of many words that somebody wrote, and that is read from its beginning to its end. ".repeat(8);
            let figure = |url: &str| format!("<figure><img src='{url}' width=640 height=480 alt=x><figcaption>A picture of it</figcaption></figure>");
            let page = format!(
                "<!doctype html><html><head><title>Letter</title><base href='http://{host}/'></head><body><nav><a href=/a>Menu</a></nav>\
                 <article><h1>Letter</h1><p>{words}</p>{}<p>{words}</p>{}<p>{words}</p></article></body></html>",
                figure(&format!("http://{}/own.svg", request.headers["host"].to_str().unwrap())),
                figure(&format!("http://{host}/pixel.svg")),
            );
            response(&[("content-type", "text/html"), ("content-security-policy", POLICY)], page)
        }
        _ => response(&[("content-type", "image/svg+xml")], picture),
    })
    .await;
    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/page")).await;
    let asked: Vec<_> = origin.requests().iter().map(|request| request.uri.path().to_owned()).collect();
    let is_asked = |path: &str| asked.iter().any(|asked| asked == path);
    assert!(is_asked("/own.svg") && !is_asked("/pixel.svg"), "{asked:?}");
    let seen = window
        .run("return [document.images.length, document.styleSheets.length > 0, document.baseURI == location.href]")
        .await;
    assert_eq!(seen, serde_json::json!([2, true, true]));
    proxy.stop().await;
}
