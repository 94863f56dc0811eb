//! Pages built to exhaust the parser are returned unfiltered in time, and delay nobody else.

#[path = "../../../filters/tests/limits/shapes.rs"]
mod shapes;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::harness::{
    Origin, PAGE, TestProxy,
    client::begin,
    get,
    origin::{html, read_head},
};

/// Long enough for a build without optimisation on a busy machine; a release build takes about a second at most.
const SOON: Duration = Duration::from_secs(30);

fn shape(name: &str) -> String {
    let (_, make) = shapes::SHAPES.iter().find(|(known, _)| *known == name).unwrap();
    make()
}

/// The known shapes, each with a second client that is served again and again while the page is in work.
#[tokio::test(flavor = "multi_thread")]
async fn known_shapes_come_back_as_they_were_while_others_are_served() {
    let known = [
        ("a_million_div", "too-deep"),
        ("nested_b", "too-deep"),
        ("font_and_p", "too-deep"),
        ("a_hundred_thousand_attributes", "too-many-attributes"),
        ("huge_attribute_copied", "attributes-too-long"),
        ("nested_lists", "too-deep"),
        ("nested_tables", "too-deep"),
        ("nested_templates", "too-deep"),
        ("nested_svg", "too-deep"),
        ("unclosed_everything", "too-deep"),
        ("links_and_a_huge_base", "base-too-long"),
    ];
    let origin = Origin::http(|request| {
        let name = request.uri.path().trim_start_matches('/');
        html(if name == "small" { PAGE.to_owned() } else { shape(name) })
    })
    .await;
    let proxy = Arc::new(TestProxy::start("limits: { page_cpu_ms: 20000 }").await);
    let done = Arc::new(AtomicBool::new(false));
    let others = tokio::spawn({
        let (proxy, done, url) = (Arc::clone(&proxy), Arc::clone(&done), origin.url("/small"));
        async move {
            let mut served = 0;
            while !done.load(Relaxed) {
                let answer = timeout(SOON, get(&proxy, &url, &[])).await.unwrap();
                assert!(answer.header("gleaner").starts_with("rewritten"));
                served += 1;
            }
            served
        }
    });
    for (name, reason) in known {
        let url = origin.url(&format!("/{name}"));
        let answer = timeout(SOON, get(&proxy, &url, &[])).await.unwrap();
        assert_eq!(answer.header("gleaner"), format!("passed; reason={reason}"), "{name}");
        assert!(answer.body == shape(name), "{name}");
    }
    done.store(true, Relaxed);
    assert!(others.await.unwrap() > 0);
}

/// 50,000 `<html><frameset>` are an ordinary page by the rules of the parser: it takes no longer than one of its size.
#[tokio::test]
async fn framesets_by_the_thousand_come_back_soon() {
    let origin = Origin::http(|_| html(shape("html_and_frameset"))).await;
    let proxy = TestProxy::start("limits: { page_cpu_ms: 20000 }").await;
    let answer = timeout(SOON, get(&proxy, &origin.url("/"), &[])).await.unwrap();
    assert!(answer.header("gleaner").starts_with("rewritten"), "{}", answer.header("gleaner"));
}

#[tokio::test]
async fn a_page_that_takes_too_long_comes_back_as_it_was() {
    let page = format!("{PAGE}{}", "<p>one two three".repeat(50_000));
    let copy = page.clone();
    let origin = Origin::http(move |_| html(copy.clone())).await;
    let proxy = TestProxy::start("limits: { page_cpu_ms: 1 }").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=out-of-time");
    assert!(answer.body == page);
}

/// 50 MB of words, with no length announced: the bytes that were kept go out, and then the stream as it comes.
#[tokio::test]
async fn fifty_megabytes_of_text_pass() {
    let words = "some words ".repeat(50_000_000 / 11);
    let body = format!("{PAGE}{words}");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    let origin = Origin::raw(format!("{head}{body}")).await;
    let proxy = TestProxy::start("").await;
    let answer = timeout(SOON, get(&proxy, &origin.url("/"), &[])).await.unwrap();
    assert_eq!(answer.header("gleaner"), "passed; reason=too-large");
    assert!(answer.body == body, "{} bytes", answer.body.len());
}

/// An endless page is given on as it comes, and when the client has enough the origin notices.
#[tokio::test]
async fn an_endless_page_is_given_on_and_ends_with_its_client() {
    let (told, ended) = tokio::sync::oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let origin = Origin::sockets(move |mut stream| {
        let told = told.lock().unwrap().take();
        async move {
            read_head(&mut stream).await;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
            let chunk = format!("10000\r\n{}\r\n", "<p>on and on and".repeat(4096));
            let mut result = stream.write_all(format!("{head}f\r\n<!DOCTYPE html>\r\n").as_bytes()).await;
            while result.is_ok() {
                result = stream.write_all(chunk.as_bytes()).await;
            }
            if let Some(told) = told {
                let _ = told.send(());
            }
        }
    })
    .await;
    let proxy = TestProxy::start("").await;
    let mut client = begin(&proxy, &origin.url("/")).await;
    let head = read_head(&mut client).await;
    let too_large = head.contains("reason=too-large") || head.contains("reason=too-many-nodes");
    assert!(too_large || head.contains("reason=out-of-time"), "{head}");
    let mut buffer = vec![0; 65_536];
    let mut read = 0;
    while read < 30_000_000 {
        read += timeout(SOON, client.read(&mut buffer)).await.unwrap().unwrap();
    }
    drop(client);
    timeout(SOON, ended).await.unwrap().unwrap();
}

/// One byte a chunk: each costs its frame, and none may be lost on either scheme.
#[tokio::test]
async fn a_page_in_chunks_of_one_byte_is_the_page() {
    let page = format!("{PAGE}{}", "<p>Einige Wörter mehr.".repeat(300));
    let deep = format!("{PAGE}{}", "<i>".repeat(3000));
    let chunked = |page: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut bytes = head.as_bytes().to_vec();
        for byte in page.bytes() {
            bytes.extend([b'1', b'\r', b'\n', byte, b'\r', b'\n']);
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    };
    let whole = Origin::http({
        let page = page.clone();
        move |_| html(page.clone())
    })
    .await;
    let proxy = TestProxy::start("").await;
    let expected = get(&proxy, &whole.url("/"), &[]).await;
    let pieces = Origin::raw(chunked(&page)).await;
    let answer = get(&proxy, &pieces.url("/"), &[]).await;
    let without_port = |text: &str, origin: &Origin| text.replace(&origin.addr.to_string(), "origin");
    // The bar's links are of the address.
    let cut = |text: String| {
        let (before, bar) = text.split_once("<nav id=\"gleaner-controls\"").unwrap();
        format!("{before}{}", bar.split_once("</nav>").unwrap().1)
    };
    assert_eq!(cut(without_port(answer.text(), &pieces)), cut(without_port(expected.text(), &whole)));
    assert_eq!(answer.header("gleaner"), expected.header("gleaner"));
    let pieces = Origin::raw(chunked(&deep)).await;
    let answer = get(&proxy, &pieces.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=too-deep");
    assert_eq!(answer.text(), deep);
}
